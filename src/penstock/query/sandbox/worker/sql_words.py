"""The words of a SQL query, as far as they are needed to read it as it was meant; no grammar.

A boolean is 1 or 0 to SQLite, which ``= true`` and ``= 1`` match. ``= 'true'`` would match nothing, without a word: so
the text ``'true'`` beside a boolean column is read as the keyword.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

_WORDS = re.compile(
    r"""(?P<blank>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>'(?:[^']|'')*')
      | (?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[^\W\d]\w*)
      | (?P<number>\d[\w.]*)
      | (?P<mark>->>|->|\|\||==|!=|<>|<=|>=|<<|>>|.)""",
    re.VERBOSE | re.DOTALL,
)
_EQUAL: Final = frozenset(("=", "==", "!=", "<>", "is"))
_BEFORE: Final = frozenset(  # a name behind one of these begins an operand, and is not a part of a larger one
    (
        "",
        "(",
        ",",
        "where",
        "and",
        "or",
        "not",
        "on",
        "when",
        "having",
        "select",
        "distinct",
        "by",
        "then",
        "else",
        "case",
    )
)
_GOES_ON: Final = frozenset(("||", "->", "->>", "+", "-", "*", "/", "%", "&", "|", "<<", ">>", ".", "collate"))


class Word(NamedTuple):
    """A word or mark, what kind it is, and where it stands in the query."""

    text: str
    kind: str
    start: int

    @property
    def lower(self) -> str:
        return self.text.lower()


def words_of(sql: str) -> list[Word]:
    """Return all words of a query but blanks and comments."""
    matches = _WORDS.finditer(sql)
    return [Word(one[0], one.lastgroup or "", one.start()) for one in matches if one.lastgroup != "blank"]


def name_of(word: Word) -> str:
    """Return the name that a word is, without quotes."""
    text = word.text
    if text[:1] in ('"', "`"):
        return text[1:-1].replace(text[0] * 2, text[0])
    return text[1:-1] if text[:1] == "[" else text


def with_booleans(sql: str, booleans: Collection[str]) -> str:
    """Return the query with ``'true'`` and ``'false'`` as keywords where they are compared with one of these columns,
    whose names are in lower case."""
    if not booleans or "'" not in sql:
        return sql
    words = words_of(sql)
    meant = [at for at, word in enumerate(words) if _is_truth(word) and _is_compared(words, at, booleans)]
    for at in reversed(meant):
        word = words[at]
        sql = f"{sql[: word.start]}{word.text[1:-1]}{sql[word.start + len(word.text) :]}"
    return sql


def _is_truth(word: Word) -> bool:
    return word.kind == "text" and word.lower in ("'true'", "'false'")


def _is_compared(words: list[Word], at: int, booleans: Collection[str]) -> bool:
    """Return True if a text stands as one side of a comparison, or in a list, with such a column on the other."""
    if _at(words, at + 1).lower in _GOES_ON:
        return False
    before = at - 1
    if _at(words, before).lower == "not" and _at(words, before - 1).lower == "is":
        before -= 1
    if _at(words, before).lower in _EQUAL:
        return _ends_column(words, before - 1, booleans)
    if _at(words, at + 1).lower in _EQUAL:
        return _at(words, at - 1).lower in _BEFORE and _begins_column(words, at + 2, booleans)
    while _at(words, before).kind in ("text", "number") or _at(words, before).text == ",":
        before -= 1
    if _at(words, before).text != "(" or _at(words, before - 1).lower != "in":
        return False
    before -= 3 if _at(words, before - 2).lower == "not" else 2
    return _ends_column(words, before, booleans)


def _ends_column(words: list[Word], at: int, booleans: Collection[str]) -> bool:
    """Return True if an operand that is such a column, perhaps with its table, ends here."""
    if _at(words, at).kind != "name" or name_of(words[at]).lower() not in booleans:
        return False
    first = at
    while _at(words, first - 1).text == "." and _at(words, first - 2).kind == "name":
        first -= 2
    return _at(words, first - 1).lower in _BEFORE


def _begins_column(words: list[Word], at: int, booleans: Collection[str]) -> bool:
    while _at(words, at + 1).text == ".":
        at += 2
    is_whole = _at(words, at + 1).lower not in _GOES_ON and _at(words, at + 1).text != "("
    return is_whole and _at(words, at).kind == "name" and name_of(words[at]).lower() in booleans


def _at(words: list[Word], at: int) -> Word:
    return words[at] if 0 <= at < len(words) else Word("", "", 0)
