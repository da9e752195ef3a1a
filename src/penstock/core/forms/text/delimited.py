"""Comma-, tab-, semicolon- and pipe-separated values, with or without a header, with cells over several lines.

Servers that return it: mcp-sqlserver (``export_query``), k8s-mcp (tabs), shell servers (``psql -A``, ``sqlite3``), and
every file server that reads a CSV file.

The text is a table if nearly all rows have the same number of cells. A few lines may be before the first row (a title),
between rows (comments) and after the last one (a footer). A column is numeric only if every cell would be written back
as it is: ``02139`` stays a text. Without a header the columns are ``c1``, ``c2``, ...
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import DoesNotHoldError, Options, ParserForm, Sample, Words
from penstock.core.forms.around_table import AroundTable, says_cut
from penstock.core.forms.csv_rows import RowReader
from penstock.core.forms.headers import judge_header, name_columns
from penstock.core.forms.line_parser import facts
from penstock.core.forms.text_cells import MAX_COLUMNS, texts_of, typed
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.api import Batches, Columns, Lines, Tables

    Rows = list[list[str]]

DELIMITERS: Final = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}
MIN_ROWS: Final = 3  # Rows of a table. Fewer lines with a comma may be anything.
MAX_AROUND: Final = 8  # Lines before the first row and after the last one. With more, the text is something else.
MAX_UNEVEN_RATIO: Final = 100  # One row in so many may have another number of cells.

# Quotes inside a cell that is not in quotes itself: settings or code, cut at its commas.
_IN_CELL: Final = {mark: re.compile(rf'(?:^|[{mark}])(?!")[^{mark}]*?(?:\w="(?!")|(?<!")"[}})])') for mark in "\t,;|"}


def recognise(sample: Sample) -> Options | None:
    """Return the delimiter with which nearly all rows of the sample have the same number of cells, the most of them."""
    found = [options for mark in DELIMITERS if (options := _options(mark, sample)) is not None]
    return max(found, key=lambda options: int(options["width"]), default=None)


def _options(delimiter: str, sample: Sample) -> Options | None:
    head = [line for line in sample.head if line]
    if sum(delimiter in line for line in head) < MIN_ROWS or head[0].startswith(("|", "+", "{", "[", "<")):
        return None
    spaced = all(0 < line.count(delimiter) == line.count(f"{delimiter} ") for line in head)
    try:
        rows = list(filter(None, chain.from_iterable(RowReader(delimiter=delimiter, spaced=spaced).batches(head))))
    except DoesNotHoldError:
        return None
    widths = Counter(len(row) for row in rows if not row[0].startswith("#"))
    width = max(widths, key=widths.__getitem__, default=0)
    first = next((at for at, row in enumerate(rows) if _may_be_first(row, width)), 0)
    titles = [row for row in rows[:first] if not row[0].startswith("#")]
    rows = [row for row in rows[first : len(rows) - _count_after(rows, width)] if not _is_comment(row, width)]
    even = [row for row in rows if len(row) == width]
    if len(even) < MIN_ROWS or not 1 < width <= MAX_COLUMNS or len(titles) > MAX_AROUND:
        return None
    if (len(rows) - len(even)) * MAX_UNEVEN_RATIO > len(rows) or _is_code(head, even, delimiter):
        return None
    header = judge_header(even[0], even[1:])
    names, renamed = name_columns(even[0] if header.has_names else [f"c{at}" for at in range(1, width + 1)])
    options: Options = {"delimiter": delimiter, "spaced": spaced, "width": width, "names": names, "renamed": renamed}
    options |= {"header": header.value, "has_names": header.has_names, "padded": _are_padded(even, delimiter)}
    columns = _columns([row for row in even if not header.has_names or row != even[0]], options)
    texts = [name for name, cells in columns.items() if any(isinstance(cell, str) for cell in cells)]
    return {**options, "text": texts} if header.has_names or not titles else None


def _may_be_first(row: list[str], width: int) -> bool:
    """Return True if a row is the header or the first row: no title and no comment is before it."""
    return len(row) == width and not row[0].startswith("# ")


def _is_comment(row: list[str], width: int) -> bool:
    """Return True if a row is a comment. One with as many cells as all rows is a row."""
    return len(row) != width and row[0].startswith("#")


def _is_code(lines: list[str], rows: Rows, delimiter: str) -> bool:
    """Return True if the delimiter is part of texts: of settings, of calls, or at the end of all lines."""
    if any(map(_IN_CELL[delimiter].search, lines[:MIN_ROWS])) or all(len(row) == 2 and not row[1] for row in rows):
        return True
    calls = [row for row in rows if "(" in "".join(row)]
    return sum(any(cell.count("(") > cell.count(")") for cell in row) for row in calls) * 2 > len(rows)


def _are_padded(rows: Rows, delimiter: str) -> bool:
    """Return True if blanks fill the cells up to a bar, or up to the width of a column that ends with a tab."""
    if delimiter == "|":
        return all(cell.endswith(" ") for row in rows for cell in row[:-1])
    if delimiter != "\t" or all(cell == cell.strip() for row in rows for cell in row):
        return False
    return all(len(set(map(len, column))) == 1 for column in list(zip(*rows, strict=True))[:-1])


def _count_after(rows: Rows, width: int) -> int:
    """Return how many rows at the end are no rows of the table: they have another number of cells, or the last one says
    that the text was cut. If they are many, all are rows."""
    count = 0
    while count < len(rows) and (len(rows[-1 - count]) != width or (not count and says_cut(rows[-1][0]))):
        count += 1
    return count if count <= MAX_AROUND else 0


def _columns(rows: Rows, options: Options) -> Columns:
    """Return the cells of rows of equal length by the names of their columns."""
    if options["padded"]:
        rows = [list(map(str.strip, row)) for row in rows]
    texts = options.get("text", ())
    cells = zip(*rows, strict=True) if rows else [()] * options["width"]
    return {
        name: texts_of(column) if name in texts else typed(column)
        for name, column in zip(options["names"], cells, strict=True)
    }


@dataclass(slots=True, kw_only=True)
class DelimitedParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "rows"})
    around: AroundTable = field(default_factory=AroundTable)
    reader: RowReader = field(init=False)
    header: list[str] = field(default_factory=list)
    rows: int = 0

    def __post_init__(self) -> None:
        self.reader = RowReader(delimiter=self.options["delimiter"], spaced=self.options["spaced"])

    def parse(self, lines: Lines) -> Batches:
        waiting: Rows = []  # The last rows: only what follows shows whether they are rows of the table.
        has_begun = False
        for batch in self.reader.batches(lines):
            rows = [*waiting, *filter(None, batch)]
            if not has_begun:
                places = (at for at, row in enumerate(rows) if _may_be_first(row, self.options["width"]))
                first = next(places, len(rows))
                self._put_around(rows[:first])
                rows, has_begun = rows[first:], first < len(rows)
                self.header = rows.pop(0) if self.options["has_names"] and rows else []
            end = len(rows) - _count_after(rows, self.options["width"])
            waiting = rows[end:]
            if end:
                yield {"items": self._cells(rows[:end])}
        self._put_around(waiting)
        self.around.is_open = self.reader.is_cut
        self.around.check(self.rows)
        if self.around.uneven * MAX_UNEVEN_RATIO > self.rows:
            raise DoesNotHoldError("rows of different lengths")

    def _put_around(self, rows: Rows) -> None:
        for row in rows:
            self.around.add(0, self.options["delimiter"].join(row))

    def _cells(self, rows: Rows) -> Columns:
        width = self.options["width"]
        if self.header in rows:
            self.around.repeats += rows.count(self.header)
            rows = [row for row in rows if row != self.header]
        if set(map(len, rows)) != {width}:
            self._put_around([row for row in rows if _is_comment(row, width)])
            rows = [row for row in rows if not _is_comment(row, width)]
            self.around.uneven += sum(len(row) != width for row in rows)
            rows = [[*row, *[""] * width][:width] for row in rows]
        self.rows += len(rows)
        return _columns(rows, self.options)

    def words(self, tables: Tables) -> Words:
        [table] = tables
        what = f"{DELIMITERS[self.options['delimiter']]}-separated values {self.options['header']}"
        unsure = facts(
            (self.reader.alike, f"{counted(self.reader.alike, 'line')} inside quoted cells look like rows"),
            (self.reader.stray, f"quotes that are never closed are parts of {counted(self.reader.stray, 'row')}"),
        )
        return self.around.words(what, table.count, len(table.fields), renamed=self.options["renamed"], facts=unsure)


FORM: Final = ParserForm(name="delimited", title="separated values", looks_like=recognise, make=DelimitedParser)
