"""Delimited text (commas, tabs, semicolons, pipes) with a header: the header, the first rows and the last.

Rows are shown as they stand, unless a cell is very long or there are more columns than fit.
"""

from __future__ import annotations

import re
from csv import Error
from csv import reader as read_csv
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.json.scan import CHUNK
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import counted
from penstock.core.preview.lines import MOST_READ, Lines, clean, decode, filled, gap, lines_of
from penstock.core.reading.cut import word_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.budget import Room
    from penstock.core.subject import Subject

FEWEST: Final = {2: 5}  # rows, the header among them, that prove so many columns: one comma a line is common in prose
FEWEST_OTHERWISE: Final = 3
HEAD: Final = 131_072  # bytes at the front that are read as rows; the reader refuses longer cells anyway
MOST_ROWS: Final = 1_000  # rows shown at most
MOST_COLUMNS: Final = 2_000  # columns shown at most
LAST_LINES: Final = 20  # lines that the last row may take
LONGEST_NAME: Final = 64  # characters of a column's name; a longer first cell is data
LONGEST_CELL: Final = 100  # characters of a cell
EXACT: Final = 16_777_216  # bytes; in a larger text newlines inside quotes are not told from those between rows

_DELIMITERS: Final = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATUM = re.compile(r"\d\d:\d\d|\d{4}-\d\d-\d\d")  # a time or a date, which stands in rows and not in a header


def csv(subject: Subject, room: Room) -> Preview | None:
    """The preview of delimited text."""
    grid = subject.once("csv", _find)
    return None if grid is None else filled(grid.most, grid.draw, room)


def _find(subject: Subject) -> _Grid | None:
    lines = lines_of(subject)
    return None if lines is None else next((found for mark in _DELIMITERS if (found := _grid(lines, mark))), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A row by its cells, and as it stands in the text."""

    cells: list[str]
    raw: str

    def text(self, columns: int, delimiter: str) -> str:
        if columns >= len(self.cells) and max(map(len, self.cells)) <= LONGEST_CELL:
            return clean(self.raw)
        return clean(delimiter.join(_quoted(_shortened(cell), delimiter) for cell in self.cells[:columns]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """A table in text: its first rows, and the last one unless it is among them."""

    delimiter: str
    header: _Row
    rows: list[_Row]
    last: _Row | None
    total: int
    exact: bool

    @property
    def columns(self) -> int:
        return len(self.header.cells)

    @property
    def most(self) -> int:
        return min(self.columns, MOST_COLUMNS) + len(self.rows) + (self.last is not None) - 1

    def draw(self, amount: int) -> Preview:
        """A bare count, then one row with more and more columns, then more rows."""
        columns = min(amount, self.columns, MOST_COLUMNS)
        shown = min(1, amount) + amount - columns
        rows = f"{'' if self.exact else 'about '}{counted(self.total, 'row')}"
        heading = f"{rows}, {counted(self.columns, 'column')}"
        return Preview(
            text=self._text(columns, shown, heading) if amount else gap(rows),
            style="csv",
            shown=Shown(path=(), start=0, end=shown, total=self.total),
            headline=heading,
        )

    def _text(self, columns: int, shown: int, heading: str) -> str:
        only = f", first {columns:,} shown" if columns < self.columns else ""
        last = [self.last] if self.last is not None and shown > 1 else []
        hidden = [gap(counted(self.total - shown, "row"))] if self.total > shown else []
        before, after = (
            [row.text(columns, self.delimiter) for row in part]
            for part in ([self.header, *self.rows[: shown - len(last)]], last)
        )
        return "\n".join([f"{heading} ({_DELIMITERS[self.delimiter]}-separated{only})", *before, *hidden, *after])


def _grid(lines: Lines, delimiter: str) -> _Grid | None:
    """The text as a table, if it is one with this delimiter."""
    if delimiter.encode() not in lines.raw(0, HEAD):
        return None
    try:
        rows, complete = _first_rows(lines, delimiter)
        if not _is_table(rows):
            return None
        header, *rest = rows
        if complete:
            return _Grid(delimiter=delimiter, header=header, rows=rest, last=None, total=len(rest), exact=True)
        if not _goes_on(lines, delimiter, len(header.cells)):
            return None
        last = _last_row(lines, delimiter, len(header.cells))
    except Error:
        return None
    total, exact = _count(lines)
    least = len(rest) + (last is not None)
    return _Grid(delimiter=delimiter, header=header, rows=rest, last=last, total=max(least, total), exact=exact)


def _first_rows(lines: Lines, delimiter: str) -> tuple[list[_Row], bool]:
    """The rows at the front, and whether they are all."""
    texts: list[str] = []

    def feed() -> Iterator[str]:
        for number in range(lines.count):
            start, end = lines.span(number)
            if end > HEAD:
                return
            texts.append(decode(lines.body[start:end], lines.errors))
            yield texts[-1] + "\n"

    rows: list[_Row] = []
    reader = read_csv(feed(), delimiter=delimiter)
    before = 0
    for cells in reader:
        if cells:
            rows.append(_Row(cells=cells, raw="\n".join(texts[before : reader.line_num])))
        before = reader.line_num
        if len(rows) > MOST_ROWS:
            break
    if before == lines.count or len(rows) > MOST_ROWS:
        return rows, before == lines.count
    return rows[:-1], False  # where the front ends inside a quoted cell, what was read of that row is not the row


def _is_table(rows: Sequence[_Row]) -> bool:
    """Whether the rows have the same columns, and the first one names them."""
    if not rows:
        return False
    names = [cell.strip() for cell in rows[0].cells]
    same = sum(len(row.cells) == len(names) for row in rows)
    if len(names) < 2 or len(rows) < FEWEST.get(len(names), FEWEST_OTHERWISE) or same * 20 < len(rows) * 19:
        return False
    if max(map(len, names)) > LONGEST_NAME:
        return False
    # Only the first name may be missing: it stands over the numbers of the rows.
    unlike = not all(names[1:]) or len(set(names)) < len(names) or any(map(_DATUM.search, names))
    words = sum(not name[:1].isdigit() and any(map(str.isalpha, name)) for name in names)
    numbers = [name for name in names if name.isdecimal()]
    unlike = unlike or not (_in_sequence(numbers) or all(map(_YEAR.fullmatch, numbers)))
    return not unlike and words > 0 and (words + len(numbers)) * 2 >= len(names)


def _in_sequence(numbers: Sequence[str]) -> bool:
    """Whether numbers name columns, one after the other; a single one is rather a datum."""
    return len(numbers) > 2 and all(int(one) + 1 == int(next_one) for one, next_one in pairwise(numbers))


def _goes_on(lines: Lines, delimiter: str, columns: int) -> bool:
    """Whether lines from all over the text have the same columns; those with quotes or cut cannot tell."""
    told = [line for line in lines.sample() if line.strip() and b'"' not in line and len(line) < 400]
    same = sum(line.count(delimiter.encode()) == columns - 1 for line in told)
    return same * 5 >= len(told) * 4


def _last_row(lines: Lines, delimiter: str, columns: int) -> _Row | None:
    """The last row, which may take several lines; None if it cannot be told."""
    end = lines.count
    while end > lines.count - LAST_LINES and not lines.raw(end - 1, HEAD).strip():
        end -= 1
    texts: list[str] = []
    for number in range(end - 1, max(0, end - 1 - LAST_LINES), -1):
        start, stop = lines.span(number)
        texts.insert(0, decode(lines.body[start : min(stop, start + HEAD)], lines.errors, final=False))
        rows = list(read_csv([text + "\n" for text in texts], delimiter=delimiter))
        if len(rows) == 1 and len(rows[0]) == columns:
            return _Row(cells=rows[0], raw="\n".join(texts))
    return None


def _count(lines: Lines) -> tuple[int, bool]:
    """The rows below the header, and whether that is certain: a newline inside quotes ends no row, and a blank line
    is none."""
    body = lines.body
    blank = b"\n\n" in body or b"\n\r\n" in body
    if b'"' not in body and not blank:
        return lines.count - 1, True
    if len(body) > EXACT or lines.count > MOST_READ:
        return lines.count - 1, False
    blanks = sum(not lines.raw(number, 2) for number in range(lines.count)) if blank else 0
    inside = 0
    quotes = 0
    for at in range(0, len(body), CHUNK):
        parts = body[at : at + CHUNK].split(b'"')
        inside += sum(part.count(b"\n") for part in parts[1 - quotes % 2 :: 2])
        quotes += len(parts) - 1
    return lines.count - 1 - inside - blanks, quotes % 2 == 0 and not (blanks and inside)


def _shortened(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else f"{cell[: word_end(cell, LONGEST_CELL)]}…"


def _quoted(cell: str, delimiter: str) -> str:
    special = delimiter in cell or '"' in cell or "\n" in cell or "\r" in cell
    return '"' + cell.replace('"', '""') + '"' if special else cell
