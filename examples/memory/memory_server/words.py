"""A task, in any words, as a query for FTS5 that is never a syntax error."""

from __future__ import annotations

import re
from typing import Final

MOST_WORDS: Final = 64  # of a task; a longer one is a document, and its beginning says what it is about
STOP: Final = frozenset(
    "a an and are as at be by can do for from has have how i in is it its me my of on or our "  # noqa: SIM905
    "should so that the their then there this to us was we what when where which who why will with you your".split()
)  # words that are in every text and tell none from another
# Scripts that are written without blanks between words: Thai, Lao, Khmer, Japanese, Chinese.
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_PART: Final = re.compile(rf"{_UNSPACED.pattern}+|[^\W_](?:(?!{_UNSPACED.pattern})[^\W_])*")


def spaced(text: str) -> str:
    """Put blanks around each sign of a script that is written without them: FTS5 then takes each for a word."""
    return _UNSPACED.sub(r" \g<0> ", text)


def words_of(task: str) -> list[str]:
    """Return the different words of a task, in its order: letters and digits alone, without those that tell nothing. Of
    a script without blanks it is every two neighbouring signs."""
    words = list(dict.fromkeys(word for part in _PART.findall(task.lower()) for word in _words_in(part)))
    return ([word for word in words if word not in STOP] or words)[:MOST_WORDS]


def _words_in(part: str) -> list[str]:
    if len(part) < 2 or not _UNSPACED.match(part):
        return [part]
    return [part[at : at + 2] for at in range(len(part) - 1)]


def any_of(words: list[str]) -> str:
    """Write a query for chunks that have any of the words.

    In quotes nothing is an operator, a column or a wildcard; a quote inside is doubled. FTS5 ends a query at a zero
    character, and no encoding has half a character, so that neither gets that far.
    """
    return " OR ".join(f'"{_sound(word)}"' for word in words)


def _sound(word: str) -> str:
    return spaced(word.replace("\0", " ").replace('"', '""')).strip().encode("utf-8", "replace").decode()
