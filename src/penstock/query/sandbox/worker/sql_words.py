"""The words of a SQL query, and what is compared in it; no more grammar than that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORDS = re.compile(
    r"""(?P<blank>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>'(?:[^']|'')*+(?:'|\Z))
      | (?P<name>"(?:[^"]|"")*+(?:"|\Z)|`(?:[^`]|``)*+(?:`|\Z)|\[[^\]]*+(?:\]|\Z)|[^\W\d]\w*)
      | (?P<number>\d[\w.]*)
      | (?P<mark>->>|->|\|\||==|!=|<>|<=|>=|<<|>>|.)""",
    re.VERBOSE | re.DOTALL,
)
EQUAL: Final = frozenset(("=", "==", "!=", "<>", "is"))
_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_ORDERED: Final = frozenset(_FLIPPED)
_PATTERNS: Final = frozenset(("like", "glob", "regexp"))
_BEFORE: Final = frozenset(  # A name after one of these begins an operand, and is not a part of a larger one.
    (
        *("", "(", ",", "where", "and", "or", "not", "on", "when", "having"),
        *("select", "distinct", "by", "then", "else", "case", "between", "all"),
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

    @property
    def end(self) -> int:
        return self.start + len(self.text)


NO_WORD: Final = Word("", "", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedColumn:
    """A column, named as in ``words``, and what it is compared with: texts, numbers, or names in double quotes."""

    column: tuple[Word, ...]
    operator: str
    literals: tuple[Word, ...]
    is_negative: bool = False  # of a single number: there is a minus before it

    @property
    def name(self) -> str:
        return name_of(self.column[-1])


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


def text_of(word: Word) -> str:
    """Return the text that a word in single quotes writes."""
    return word.text[1:-1].replace("''", "'")


def at(words: Sequence[Word], place: int) -> Word:
    """Return the word at a place, or an empty one outside of the query."""
    return words[place] if 0 <= place < len(words) else NO_WORD


def runs_of(words: Sequence[Word]) -> Iterator[tuple[int, tuple[Word, ...]]]:
    """Yield the names of a query, each with what is joined to it by dots, and the place of the first."""
    place = 0
    while place < len(words):
        first, place = place, place + 1
        if words[first].kind != "name":
            continue
        while at(words, place).text == "." and at(words, place + 1).kind == "name":
            place += 2
        yield first, tuple(words[first:place:2])


def replaced(sql: str, changes: Sequence[tuple[int, int, str]]) -> str:
    """Return the query with other texts between some positions."""
    for start, end, text in sorted(changes, reverse=True):
        sql = f"{sql[:start]}{text}{sql[end:]}"
    return sql


def comparisons(words: Sequence[Word]) -> Iterator[ComparedColumn]:
    """Yield the comparisons of a column with a value that the query writes, on either side, or with a list of them."""
    for place, word in enumerate(words):
        operator = word.lower
        if operator in EQUAL or operator in _ORDERED or operator in _PATTERNS:
            yield from _compared(words, place, operator)
        elif operator == "in" and at(words, place + 1).text == "(":
            yield from _listed(words, place)
        elif operator == "between":
            yield from _between(words, place)


def _compared(words: Sequence[Word], place: int, operator: str) -> Iterator[ComparedColumn]:
    after = place + 2 if operator == "is" and at(words, place + 1).lower == "not" else place + 1
    before = place - 2 if operator in _PATTERNS and at(words, place - 1).lower == "not" else place - 1
    is_negative = at(words, after).text == "-" and at(words, after + 1).kind == "number"
    literal = at(words, after + is_negative)
    if _is_value(literal) and at(words, after + is_negative + 1).lower not in (*_GOES_ON, "("):
        column = _column_before(words, before)
        if column:
            yield ComparedColumn(column=column, operator=operator, literals=(literal,), is_negative=is_negative)
            return
    literal = at(words, before)
    if _is_value(literal) and at(words, before - 1).lower in _BEFORE and operator not in _PATTERNS:
        column = _column_after(words, after)
        if column:
            yield ComparedColumn(column=column, operator=_FLIPPED.get(operator, operator), literals=(literal,))


def _listed(words: Sequence[Word], place: int) -> Iterator[ComparedColumn]:
    literals: list[Word] = []
    end = place + 2
    while _is_value(at(words, end)):
        literals.append(words[end])
        end += 2 if at(words, end + 1).text == "," else 1
    column = _column_before(words, place - 2 if at(words, place - 1).lower == "not" else place - 1)
    if column and literals and at(words, end).text == ")":
        yield ComparedColumn(column=column, operator="in", literals=tuple(literals))


def _between(words: Sequence[Word], place: int) -> Iterator[ComparedColumn]:
    column = _column_before(words, place - 2 if at(words, place - 1).lower == "not" else place - 1)
    low, high = at(words, place + 1), at(words, place + 3)
    if column and _is_value(low) and at(words, place + 2).lower == "and" and _is_value(high):
        yield ComparedColumn(column=column, operator=">=", literals=(low,))
        yield ComparedColumn(column=column, operator="<=", literals=(high,))


def _is_value(word: Word) -> bool:
    return word.kind in ("text", "number") or (word.kind == "name" and (word.text[0] == '"' or word.lower == "null"))


def _column_before(words: Sequence[Word], place: int) -> tuple[Word, ...]:
    """Return the column that is a whole operand and ends here, perhaps with its table; nothing if there is none."""
    if at(words, place).kind != "name":
        return ()
    first = place
    while at(words, first - 1).text == "." and at(words, first - 2).kind == "name":
        first -= 2
    return tuple(words[first : place + 1 : 2]) if at(words, first - 1).lower in _BEFORE else ()


def _column_after(words: Sequence[Word], place: int) -> tuple[Word, ...]:
    first = place
    while at(words, place + 1).text == "." and at(words, place + 2).kind == "name":
        place += 2
    is_whole = at(words, place + 1).lower not in (*_GOES_ON, "(")
    return tuple(words[first : place + 1 : 2]) if is_whole and at(words, first).kind == "name" else ()
