"""Name the rows of a JSON table: ``issues`` for the rows in ``.data.issues.nodes[]``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.json.path import EACH, KEY

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
    """Return the plural noun for the rows that steps lead to: the last name on the way that says what they are. Return
    an empty text if no name does."""
    words = [step for step in steps if isinstance(step, str)]
    last = words[-1] if words and steps[-1] in (EACH, KEY) else ""
    last = words[-2] if _EMPTY_WORDS.fullmatch(last) and (*words[-2:], EACH) == steps[-3:] != steps[-2:] else last
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))  # Not a class, a status or an analysis.
    is_noun = is_plural and _WORD.fullmatch(last) and not _EMPTY_WORDS.fullmatch(last)
    return _CAPITAL.sub(" ", last).lower() if is_noun else ""  # testResults are test results.
