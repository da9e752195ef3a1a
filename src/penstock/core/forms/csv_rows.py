"""Split lines into rows of separated values, and keep a stray quote from swallowing the rows below it.

A quote opens a cell, and such a cell may have several lines. If the quote is never closed, or closes where no cell can
end, and most lines of the cell are rows of their own, the quote is stray. Its line is then split without regard to
quotes, and reading continues at the next line. If the quote is closed properly, the cell is kept, but its lines are
counted if all of them look like rows.
"""

from __future__ import annotations

import csv
from collections import deque
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH
from penstock.core.forms.headers import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Cells of stored results may be as long as results. The limit belongs to the csv module and holds for the whole
# program; it refuses nothing but long cells.
csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))

_QUOTES: Final = '"\r\0'


@dataclass(slots=True, kw_only=True)
class RowReader:
    """Splits lines at a delimiter. ``spaced`` means that a blank follows every delimiter and belongs to no cell.
    ``width`` is the number of cells of a row; if it is 0, the first row tells it."""

    delimiter: str
    spaced: bool = False
    width: int = 0
    stray: int = 0  # lines with a stray quote
    alike: int = 0  # lines in quoted cells that look like rows
    is_cut: bool = False  # whether the text ends inside a quoted cell

    def batches(self, lines: Iterable[str]) -> Iterator[list[list[str]]]:
        """Yield all rows, some thousands at a time. An empty line is an empty row, or none."""
        source = iter(lines)
        some: list[str] = []
        while some := list(islice(source, BATCH)):
            text = "\n".join(some)
            if self.spaced or any(mark in text for mark in _QUOTES):
                break
            yield [line.split(self.delimiter) for line in some if line]
        rows = self._quoted_rows(deque(some), source)
        while batch := list(islice(rows, BATCH)):
            yield batch

    def _quoted_rows(self, ahead: deque[str], lines: Iterator[str]) -> Iterator[list[str]]:
        """Yield the rows of the lines ``ahead`` and of those behind them."""
        taken: list[str] = []  # the lines of the row that is being read

        def next_lines() -> Iterator[str]:
            while (line := ahead.popleft() if ahead else next(lines, None)) is not None:
                taken.append(line)
                yield f"{line}\n"

        while True:
            for row in self._reader(next_lines()):
                self.width = self.width or len(row)
                is_open = bool(row) and row[-1].endswith("\n")
                if (is_open or len(taken) > 1) and self._is_stray(taken, row):
                    self.stray += 1
                    ahead.extendleft(reversed(taken[1:]))
                    yield taken[0].split(self.delimiter)
                else:
                    yield row
                taken.clear()
            if not ahead:
                return

    def _is_stray(self, lines: list[str], row: list[str]) -> bool:
        """Return True if the quote that joins these lines to one row is stray."""
        classes = [class_of(cell.strip()) for cell in takewhile(lambda cell: "\n" not in cell, row)]
        below = [line for line in lines[1:] if line.strip()]
        alike = sum(self._is_alike(line, classes) for line in below)
        try:
            list(self._reader((f"{line}\n" for line in lines), strict=True))
        except csv.Error:
            is_stray = alike * 2 >= len(below)
            self.is_cut = row[-1].endswith("\n") and not is_stray
            return is_stray
        self.alike += alike if alike == len(below) else 0
        return False

    def _is_alike(self, line: str, classes: list[str]) -> bool:
        """Return True if a line has the cells of a row, and the first of them are of these classes."""
        [row] = self._reader([line])
        return len(row) == self.width and [class_of(cell.strip()) for cell in row[: len(classes)]] == classes

    def _reader(self, lines: Iterable[str], *, strict: bool = False) -> Iterator[list[str]]:
        return csv.reader(lines, delimiter=self.delimiter, skipinitialspace=self.spaced, strict=strict)
