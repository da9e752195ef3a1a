"""Name the rows of a JSON table: ``issues`` for the rows in ``.data.issues.nodes[]``."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.json.path import EACH

if TYPE_CHECKING:
    from penstock.core.json.path import Path

_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{1,30}")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Names that say that there are several things, but not which.
_EMPTY_WORDS: Final = re.compile(
    r"items?|data|rows?|results?|records?|lists?|values?|entries|entry|elements|nodes|edges|contents?|objects|hits|docs"
    r"|responses?|outputs?|payload|body|children|array|members",
    re.IGNORECASE,
)


def row_noun(steps: Path) -> str:
    """Return the plural noun for the rows that steps lead to: the last name on the way from the rows around them that
    says what they are. Return an empty text if no name does."""
    words: list[str] = []
    for before, step in pairwise((EACH, *steps)):
        if isinstance(step, str):
            words = [*words, step] if isinstance(before, str) else [step]
    last = next((word for word in reversed(words) if not _EMPTY_WORDS.fullmatch(word)), "")
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))  # Not a class, a status or an analysis.
    is_plural = is_plural and not isinstance(steps[-1], str)
    return _CAPITAL.sub(" ", last).lower() if is_plural and _WORD.fullmatch(last) else ""  # testResults: test results
