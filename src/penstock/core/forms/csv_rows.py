"""Split lines into rows of separated values, and keep a stray quote from swallowing the rows below it.

A quote opens a cell, and such a cell may have several lines. If the quote is never closed, or closes where no cell can
end, it is stray: its line is split without regard to quotes, and reading continues at the next line. If a quoted cell
is closed properly, it is kept, but its lines are counted if all of them look like rows.
"""

from __future__ import annotations

import csv
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.headers import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Cells of stored results may be as long as results. The limit belongs to the csv module and holds for the whole
# program; it refuses nothing but long cells.
csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))

MAX_REREAD: Final = 100_000  # Lines below stray quotes that are read again. With more, quotes are parts of texts.
_QUOTES: Final = '"\r\0'
_AT_END: Final = "end of data"  # in the error of the csv module if a text ends inside a quoted cell


@dataclass(slots=True, kw_only=True)
class RowReader:
    """Splits lines at a delimiter. ``spaced`` means that a blank follows every delimiter and belongs to no cell."""

    delimiter: str
    spaced: bool = False
    width: int = 0  # cells of a row, as the first one has
    stray: int = 0  # lines with a stray quote
    alike: int = 0  # lines in quoted cells that look like rows
    is_cut: bool = False  # The text ends inside a quoted cell; the row that it belongs to is left out.

    def batches(self, lines: Iterable[str]) -> Iterator[list[list[str]]]:
        """Yield all rows, some thousands at a time. A blank line is an empty row, or none."""
        source = iter(lines)
        some: list[str] = []
        while some := list(islice(source, BATCH)):
            text = "\n".join(some)
            if self.spaced or any(mark in text for mark in _QUOTES):
                break
            rows = [line.split(self.delimiter) for line in some if line]
            self.width = self.width or len(rows[0] if rows else ())
            yield rows
        every = self._quoted_rows(deque(some), source)
        while rows := list(islice(every, BATCH)):
            yield rows

    def _quoted_rows(self, ahead: deque[str], lines: Iterator[str]) -> Iterator[list[str]]:
        """Yield the rows of the lines ``ahead`` and of those behind them."""
        taken: list[str] = []  # the lines of the row that is being read
        reread = 0

        def next_lines() -> Iterator[str]:
            while (line := ahead.popleft() if ahead else next(lines, None)) is not None:
                taken.append(line)
                yield f"{line}\n"

        while True:
            reader = csv.reader(next_lines(), delimiter=self.delimiter, skipinitialspace=self.spaced, strict=True)
            try:
                for row in reader:
                    self.width = self.width or len(row)
                    if len(taken) > 1 and self._alike(taken) == len(taken) - 1:
                        self.alike += len(taken) - 1
                    yield row
                    taken.clear()
            except csv.Error as error:
                first, *below = taken
                if '"' not in first:
                    raise DoesNotHoldError("a carriage return inside a line") from None
                self.is_cut = _AT_END in str(error) and self._alike(taken) * 2 <= len(below)
                if not self.is_cut:
                    self.stray += 1
                    reread += len(below)
                    if reread > MAX_REREAD:
                        raise DoesNotHoldError("quotes that are parts of texts") from None
                    yield first.split(self.delimiter)
                    ahead.extendleft(reversed(below))
                    taken.clear()
                    continue
            return

    def _alike(self, lines: list[str]) -> int:
        """Count the lines below the first one that look like rows: they have as many cells, and begin alike."""
        first, *below = (line.split(self.delimiter) for line in lines)
        own = class_of(first[0].strip())
        return sum(len(cells) == self.width and class_of(cells[0].strip()) == own for cells in below)
