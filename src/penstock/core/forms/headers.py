"""Decide whether the first row of a table names its columns, and give each column a name of its own.

The decision compares the first row with the rows below it, not with a list of likely names. A name differs in class
from the values of its column: a word over numbers, ``25%`` over amounts, two or more years over other numbers. If the
values of a column repeat and the first cell is none of them, that cell is a name too. An empty first cell over a first
column without gaps is the header of an index. The answer is marked as a guess if only the spelling differs.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

MAX_NAME: Final = 80  # A column's name has at most so many characters: SQL repeats it in every query.
MAX_RENAMED: Final = 8  # A fact lists at most so many renamed columns and counts the others.
MAX_CELLS: Final = 20_000  # The decision reads at most so many cells: a wide table takes no longer than a narrow one.
# Repeated values make a header certain if a row of data would look like one in at most 1 of so many tables.
MIN_ODDS: Final = 100

_NUMBER = r"[+-]?+(?:[0-9]++(?:,[0-9]{3})*+(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_CLASS = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<quantity>[$€£¥]?+{_NUMBER} ?+(?:%|[A-Za-zµ]{{0,3}}))"
    r"|(?P<time>[0-9]++[-/.:][0-9]++(?:[-/.:][0-9]++)?+(?:[T ][0-9:.,]++)?+(?:Z|[+-][0-9:]++)?+)"
    r"|(?P<truth>(?i:true|false|yes|no))"
)
_TEXT: Final = "text"
# Programs write these words if a value is missing. They say nothing about the class of a column.
_MISSING: Final = frozenset(("", "nan", "na", "n/a", "<na>", "nat", "null", "none", "-", "--", "?", "\\n"))
_YEAR = re.compile(r"1[5-9][0-9]{2}|20[0-9]{2}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_KINDS_OF_CHARACTERS: Final = tuple(map(re.compile, (r"[0-9]", r"[A-Z]", r"[a-z]", r"\s", r"[^\w\s]")))


class HeaderVerdict(Enum):
    """The answer to the question "does the first row name the columns?", in the words that the model reads."""

    YES = "with a header"
    LIKELY = "probably with a header"
    UNLIKELY = "probably without a header"
    NO = "without a header"

    @property
    def has_names(self) -> bool:
        """Return True if the first row is read as the header."""
        return self in (HeaderVerdict.YES, HeaderVerdict.LIKELY)


class Vote(Enum):
    """The result of comparing the cell of the first row with the column below it."""

    NONE = "nothing"
    SAME = "the cell has the class of the column"
    REPEATED = "the column has the cell again"
    DIFFERS = "the cell has another class than the column"
    UNREPEATED = "all values of the column repeat, but not the cell"
    LOOKS_DIFFERENT = "the cell is spelled like no value of the column"


def judge_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> HeaderVerdict:
    """Return the answer for ``first`` above ``rows``, which have as many cells. Programs print a header again and
    again: if the other rows differ in class from the first one, rows that are the same as it say nothing."""
    names = [cell.strip() for cell in first]
    rows = rows[: max(1, MAX_CELLS // len(names))]
    others = [row for row in rows if row != first]
    if len(others) < len(rows) and Vote.DIFFERS in map(_vote, names, _columns(others)):
        rows = others
    columns = _columns(rows)
    votes = Counter(map(_vote, names, columns))
    years = _years(names, columns)
    against = votes[Vote.SAME] - len(years) + votes[Vote.REPEATED]
    certain = votes[Vote.DIFFERS] + (len(years) if _are_scale(years) else 0)
    likely = certain + votes[Vote.UNREPEATED] + votes[Vote.LOOKS_DIFFERENT]
    if (len(rows) + 1) ** votes[Vote.UNREPEATED] >= MIN_ODDS:
        certain += votes[Vote.UNREPEATED]
    is_index = not names[0] and any(names) and bool(columns) and all(columns[0])
    if certain > against or (is_index and not votes[Vote.REPEATED]):
        return HeaderVerdict.YES
    if against and not likely:
        return HeaderVerdict.NO
    are_seldom_names = 2 * sum(map(_are_names, rows)) < len(rows)
    if likely > against or (not against and _are_names(names) and are_seldom_names):
        return HeaderVerdict.LIKELY
    return HeaderVerdict.UNLIKELY


def _columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(map(str.strip, column)) for column in zip(*rows, strict=True)]


def _vote(name: str, column: Sequence[str]) -> Vote:
    """Compare one cell of the first row with the cells below it."""
    counts = Counter(cell for cell in column if class_of(cell))
    classes = set(map(class_of, counts))
    own = class_of(name)
    if own and classes == {own} != {_TEXT}:
        return Vote.SAME
    if own and name in counts:
        return Vote.REPEATED
    if not own or len(classes) != 1:
        return Vote.NONE
    if _TEXT not in classes:
        return Vote.DIFFERS
    if own == _TEXT and min(counts.values()) > 1:
        return Vote.UNREPEATED
    return Vote.LOOKS_DIFFERENT if own != _TEXT or _is_spelled_otherwise(name, counts) else Vote.NONE


def class_of(cell: str) -> str:
    """Return the class of a trimmed cell; empty if the cell has no value."""
    if match := _CLASS.fullmatch(cell):
        return match.lastgroup or ""
    return "" if cell.lower() in _MISSING else _TEXT


def _is_spelled_otherwise(name: str, cells: Collection[str]) -> bool:
    """Return True if a name has a kind of characters that no cell has, or lacks one that all have, or if all cells
    have one length and the name has another."""
    lengths = set(map(len, cells))
    if len(lengths) == 1 and len(name) not in lengths:
        return True
    for kind in _KINDS_OF_CHARACTERS:
        has_kind = kind.search(name) is not None
        if all((kind.search(cell) is not None) is not has_kind for cell in cells):
            return True
    return False


def _years(names: Sequence[str], columns: Sequence[Sequence[str]]) -> list[int]:
    """Return the names that are years over numbers that are not all years. Such a name does not make a row data."""
    return [
        int(name)
        for name, column in zip(names, columns, strict=False)
        if _YEAR.fullmatch(name) and _vote(name, column) is Vote.SAME and not all(map(_YEAR.fullmatch, column))
    ]


def _are_scale(years: Sequence[int]) -> bool:
    """Return True if there are several years that ascend or descend: they say that the first row is a header."""
    return {(after > before) - (after < before) for before, after in pairwise(years)} in ({1}, {-1})


def _are_names(cells: Sequence[str]) -> bool:
    """Return True if all cells could be names in a program, each a different one."""
    return all(map(_NAME.fullmatch, cells)) and len({cell.lower() for cell in cells}) == len(cells)


def name_columns(header: Iterable[str], taken: Sequence[str] = ()) -> tuple[list[str], dict[str, str]]:
    """Make a different name for each column: the text of the header, ``c`` and the column's number if it is empty, and
    a number behind a name that is ``taken`` or that an earlier column has. Return the names, and the texts in the
    header of those columns that have another name."""
    names: list[str] = []
    renamed: dict[str, str] = {}
    wanted = dict.fromkeys(taken, 1)  # how many times each name was wanted
    for at, cell in enumerate(header, 1):
        text = " ".join(cell.split())
        base = name = text[:MAX_NAME] or f"c{at}"
        while name.lower() in wanted:
            wanted[base.lower()] += 1
            name = f"{base}_{wanted[base.lower()]}"
        wanted[name.lower()] = 1
        names.append(name)
        if name != text:
            renamed[name] = text
    return names, renamed


def renamed_fact(renamed: Mapping[str, str]) -> str:
    """Return the sentence that says how columns were renamed; empty if none was."""
    parts = [f"{plain(name)} ({plain(text) if text else 'no name'})" for name, text in renamed.items()]
    more = [f"+{counted(len(parts) - MAX_RENAMED, 'column')}"] if len(parts) > MAX_RENAMED else []
    return f"renamed columns (name in the header): {' · '.join([*parts[:MAX_RENAMED], *more])}" if parts else ""
