"""Shared by all tables in text: the lines around the rows, and what they say of the size of the table.

psql, pandas, polars and DuckDB print the size in a line of its own, and dots in place of the rows of a long table.
Servers that cut a text end it with a line that says so. If a text says that it has fewer rows than were read, these
rows are not what its printer meant, and the table does not hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, Excerpt, Words
from penstock.core.forms.headers import renamed_fact
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_SHOWN: Final = 6  # An excerpt shows at most so many of the lines around a table.
MAX_LINE: Final = 200  # Characters of a line that may tell the size. Printers write far shorter ones.

_NUMBER = r"([0-9]{1,17}+(?:[,_][0-9]{3}){0,5}+)"
_DOTS = re.compile(r"\.{2,}+|[…·⋮]")
_SIZES: Final = (
    # psql, mysql, DuckDB and others: (300 rows), 3 rows in set (0.01 sec), 400 rows (20 shown)  9 columns (6 shown)
    re.compile(
        rf"[(\[]?+{_NUMBER} rows?+(?:\(s\))?+(?: \([0-9]++ shown\))?+"
        r"(?: in set[^()]*+| selected| affected| returned)?+[)\]]?+\.?+"
        rf"(?: *+\([0-9.]++ \w++\))?+(?: *+{_NUMBER} columns?+(?: \([0-9]++ shown\))?+)?+",
        re.IGNORECASE,
    ),
    re.compile(rf"\[{_NUMBER} rows x ([0-9]++) columns\]"),  # pandas
    re.compile(rf"shape: \({_NUMBER}, ([0-9_]++)\)"),  # polars
    re.compile(rf"(?:(?:Freq|Name): [^,]*+, )*+Length: {_NUMBER}()(?:, .*+)?+"),  # a Series of pandas
)
_CUT = re.compile(
    r"(?:\.{3}|…)\W*+(?:$|[0-9]|and\b|more\b|truncated\b|omitted\b)|<error>|[\[(<]++(?:\w++ ){0,3}?truncated\b",
    re.IGNORECASE,
)


def printed_size(line: str) -> tuple[int, int] | None:
    """Return the rows and the columns that a line tells, 0 columns if it does not tell them; None if it tells no
    size."""
    text = line[:MAX_LINE].strip()
    for pattern in _SIZES:
        if match := pattern.fullmatch(text):
            rows, columns = (int(re.sub("[,_]", "", number or "0") or 0) for number in match.groups())
            return rows, columns
    return None


def are_dots(cells: Iterable[str]) -> bool:
    """Return True if each cell that is filled has nothing but dots, and some cell is filled."""
    filled = [text for cell in cells if (text := cell.strip())]
    return bool(filled) and all(map(_DOTS.fullmatch, filled))


def says_cut(line: str) -> bool:
    """Return True if a line says that the text was cut before its end."""
    return _CUT.match(line.lstrip()) is not None


@dataclass(slots=True, kw_only=True)
class AroundTable:
    """The lines of a text that are not rows of its table, and rows that are not as the others."""

    lines: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)  # lines with their numbers
    dots: int = 0  # lines of dots in place of rows
    sizes: list[tuple[int, int]] = field(default_factory=list)  # rows and columns, in the words of the text
    repeats: int = 0  # lines that are the header again
    uneven: int = 0  # rows with another number of cells
    is_cut: bool = False  # Its end says that the text was cut.
    is_open: bool = False  # The text ends inside a quoted cell.
    is_sized: bool = False  # The text tells the size of all its tables.
    rows: int = 0  # of all tables

    def add(self, number: int, line: str) -> None:
        """Take a line that is not a row."""
        if (size := printed_size(line)) is not None:
            self.sizes.append(size)
        elif line and not line.isspace():
            self.lines += 1
            self.is_cut = self.is_cut or says_cut(line)
            if len(self.first) < MAX_SHOWN:
                self.first.append((number, line[:LONGEST_LINE].strip()))

    def remove(self, number: int) -> None:
        """Take back a line, which turned out to be a header."""
        self.lines -= 1
        self.first = [one for one in self.first if one[0] != number]

    def check(self, rows: int, tables: int = 1) -> None:
        """Raise if the text says that it has fewer rows than were read from so many tables."""
        self.rows, self.is_sized = rows, len(self.sizes) == tables
        if self.is_sized and rows > sum(size for size, _ in self.sizes):
            raise DoesNotHoldError("the text says that it has fewer rows")

    def words(
        self, what: str, rows: int, columns: int, *, renamed: Mapping[str, str], facts: Iterable[str] = ()
    ) -> Words:
        """Return the description of a table, which begins with ``what`` it is."""
        what += f": {counted(rows, 'row')} of {counted(columns, 'column')}"
        said = sum(size for size, _ in self.sizes)
        said_columns = max((size for _, size in self.sizes), default=0)
        if self.is_sized and (said > self.rows or said_columns > columns):
            of = f" of {counted(said_columns, 'column')}" if said_columns > columns else ""
            what += f"; the text says that it has {counted(said, 'row')}{of}"
        elif self.dots:
            what += "; dots in the text stand for rows that it leaves out"
        what += "; its end says that the text was cut" if self.is_cut else ""
        what += "; the text ends inside a quoted cell, in a row that is not counted" if self.is_open else ""
        more = {
            renamed_fact(renamed): len(renamed),
            f"{counted(self.uneven, 'row')} with another number of cells": self.uneven,
            f"the header again on {counted(self.repeats, 'line')}, which are no rows": self.repeats,
        }
        shown = Excerpt.of(f"{counted(self.lines, 'line')} outside of the table", self.first)
        return Words(what=what, facts=(*facts, *(fact for fact, count in more.items() if count)), excerpts=shown)
