"""Read what a printed table says about its own size, and about the rows and columns that its printer left out.

pandas, polars and DuckDB print the first and the last rows of a long table and dots between them. They tell the true
size in a line before or after the table. Servers that cut a text end it with a line that says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER = r"([0-9]{1,17}+(?:[,_][0-9]{3}){0,5}+)"
_DOTS = re.compile(r"\.{2,}+|[…·⋮]")
_SIZES: Final = (
    # psql, mysql, DuckDB and others: (300 rows), 3 rows in set (0.01 sec), 400 rows (20 shown)  9 columns (6 shown)
    re.compile(
        rf"[(\[]?+{_NUMBER} rows?+(?:\(s\))?+(?: \({_NUMBER} shown\))?+"
        r"(?: in set[^()]*+| selected| affected| returned)?+[)\]]?+\.?+"
        rf"(?: *+\([0-9.]++ \w++\))?+(?: *+{_NUMBER} columns?+(?: \([0-9]++ shown\))?+)?+",
        re.IGNORECASE,
    ),
    re.compile(rf"\[{_NUMBER} rows x ()([0-9]++) columns\]"),  # pandas
    re.compile(rf"shape: \({_NUMBER}, ()([0-9_]++)\)"),  # polars
    re.compile(rf"(?:(?:Freq|Name): [^,]*+, )*+Length: {_NUMBER}()()(?:, .*+)?+"),  # a Series of pandas
)
_CUT = re.compile(
    r"(?:\.{3}|…)\W*+(?:$|[0-9]|and\b|more\b|truncated\b|omitted\b)|<error>|[\[(<]++(?:\w++ ){0,3}?truncated\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSize:
    """The size of a table in the words of its printer. It says of some tables how many rows are ``printed``."""

    rows: int
    printed: int | None = None
    columns: int | None = None

    def fits(self, rows: int, *, has_dots: bool) -> bool:
        """Return True if the printer tells this number of rows, or tells more and printed dots for the others."""
        expected = self.rows if self.printed is None else self.printed
        return rows == expected or (has_dots and self.printed is None and rows < expected)


def printed_size(line: str) -> PrintedSize | None:
    """Return the size that a line tells; None if it tells none."""
    for pattern in _SIZES:
        if match := pattern.fullmatch(line.strip()):
            rows, printed, columns = (int(re.sub("[,_]", "", text)) if text else None for text in match.groups())
            return PrintedSize(rows=rows or 0, printed=printed, columns=columns)
    return None


def are_dots(cells: Iterable[str]) -> bool:
    """Return True if each cell that is filled has nothing but dots, and some cell is filled."""
    filled = [text for cell in cells if (text := cell.strip())]
    return bool(filled) and all(map(_DOTS.fullmatch, filled))


def is_dotted(line: str) -> bool:
    """Return True if a line has nothing but dots, in place of rows that the printer left out."""
    return line.lstrip()[:1] in (".", "…") and are_dots(line.split())


def says_cut(line: str) -> bool:
    """Return True if a line says that the text was cut before its end."""
    return _CUT.match(line.lstrip()) is not None


def shown_part(rows: int, columns: int, size: PrintedSize | None, *, has_dots: bool) -> str:
    """Return the words that say how much of a table its printer shows; empty if it shows all of it."""
    total_rows = size.rows if size is not None and has_dots else rows
    total_columns = size.columns if size is not None and size.columns else columns
    parts = [f"{rows:,} of {counted(total_rows, 'row')}"] if total_rows > rows else []
    parts += [f"{columns:,} of {counted(total_columns, 'column')}"] if total_columns > columns else []
    if parts:
        return f"the printed table shows {' and '.join(parts)}"
    return "the printed table leaves out rows" if has_dots else ""


def is_in_blocks(lines: Iterable[str]) -> bool:
    """Return True if pandas printed some columns of a table below the others: a backslash ends the first header."""
    return any(line.endswith("  \\") for line in lines)
