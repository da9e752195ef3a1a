"""Comma-, tab-, semicolon- and pipe-separated values, with and without a header, cells over several lines included.

The text is a table when all rows have the same number of cells; one row in a hundred may differ, and is counted. A few
lines may stand before the header: a title, comments. A few lines with another number of cells may follow the last row:
a footer, a remark that the text was cut. Comments are counted too. Cells that are padded up to a bar are without the
blanks. A column is numeric, or boolean, only if every cell that is filled would be written back as it stands: ``02139``
stays a text. Without a header the columns are ``c1``, ``c2``, ...; see ``headers`` for the others.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import DoesNotHoldError, Excerpt, Options, ParserForm, Sample, Words
from penstock.core.forms.csv_rows import RowReader
from penstock.core.forms.headers import column_names, judge_header, renamed_columns, renamed_fact
from penstock.core.forms.left_out import printed_size, says_cut
from penstock.core.forms.line_parser import facts
from penstock.core.forms.text_cells import MOST_CELLS, texts_of, typed
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.api import Batches, Lines, Tables

DELIMITERS: Final = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}
LEAST_ROWS: Final = 3
MOST_LEAD: Final = 8  # lines before a header
MOST_AFTER: Final = 8  # At most so many lines that are not rows may follow the last row; more are another text.
MOST_COMMENTS: Final = 6  # The preview shows at most so many comments.
UNEVEN: Final = 100  # one row in so many may have another number of cells
FIRST: Final = 40  # cells that most often show that a column is none of numbers

# Quotes inside a cell that is not in quotes itself: settings or code, cut at its commas.
_IN_CELL: Final = {mark: re.compile(rf'(?:^|[{mark}])(?!")[^{mark}]*?(?:\w="(?!")|(?<!")"[}})])') for mark in "\t,;|"}


def recognise(sample: Sample) -> Options | None:
    """Return the delimiter with which all rows of the sample have the same number of cells, the most of them; lines
    before a header may have other numbers."""
    head = list(dropwhile(_is_comment, sample.head))
    if (best := _best(head, sample)) is not None or not (lead := _lead(head)):
        return best
    headed = _best(head[lead:], sample)
    return {**headed, "lead": lead} if headed is not None and headed["names"] else None


def _lead(head: list[str]) -> int:
    """Return how many lines stand before the first that has as many cells as most lines have, if these are few."""
    for delimiter in DELIMITERS:
        if sum(delimiter in line for line in head) * 2 > len(head):
            widths = [sum(map(len, _rows([line], delimiter, spaced=False))) for line in head]
            [(width, lines)] = Counter(widths).most_common(1)
            if width > 1 and lines * 2 > len(head) and widths.index(width) <= MOST_LEAD:
                return widths.index(width)
    return 0


def _best(head: list[str], sample: Sample) -> Options | None:
    if len(head) < LEAST_ROWS or head[0].startswith(("|", "+", "{", "[", "<")):
        return None
    best: Options | None = None
    for delimiter in DELIMITERS:
        if delimiter not in head[0] and '"' not in head[0]:  # A quoted name may have several lines.
            continue
        spaced = all(0 < line.count(delimiter) == line.count(f"{delimiter} ") for line in head[:FIRST])
        rows = _rows(head, delimiter, spaced=spaced)
        is_whole = sample.count <= len(sample.head)
        rows = [row for row in rows[: None if is_whole else -1] if row]
        width = len(rows[0]) if rows else 0
        rows = [row for row in rows if len(row) == width or not _is_comment(row[0])]
        if is_whole:
            rows = rows[: len(rows) - _count_after(rows, width)]
        even = sum(len(row) == width for row in rows)
        if (
            any(map(_IN_CELL[delimiter].search, head[:LEAST_ROWS]))
            or _are_parted(rows)
            or (delimiter == "\t" and _are_words(rows))
        ):
            continue
        if even < LEAST_ROWS or even * UNEVEN < len(rows) * (UNEVEN - 1) or not 1 < width <= MOST_CELLS:
            continue
        if best is None or width > best["width"]:
            even_rows = [row for row in rows if len(row) == width]
            header = judge_header(even_rows[0], even_rows[1:])
            best = {"delimiter": delimiter, "spaced": spaced, "width": width, "names": None, "text": []}
            best |= {"padded": True} if _are_padded(head, even_rows, delimiter) else {}
            best["header"] = header.value
            if header.has_names:
                best["names"] = column_names(even_rows[0], taken=())
                best["renamed"] = renamed_columns(even_rows[0], best["names"])
            columns = _columns(even_rows[header.has_names :], best)
            best["text"] = [name for name, cells in columns.items() if str in map(type, typed(cells))]
    return best


def _are_padded(lines: list[str], rows: list[list[str]], delimiter: str) -> bool:
    """Return True if blanks fill the cells up to a bar, or up to the width of a column that ends with a tab."""
    if delimiter == "|":
        return all(line.count("|") == line.count(" |") for line in lines[:FIRST])
    if delimiter != "\t" or all(cell == cell.strip() for row in rows for cell in row):
        return False
    return all(len(set(map(len, column))) == 1 for column in zip(*rows, strict=True))


def _count_after(rows: list[list[str]], width: int) -> int:
    """Return how many rows at the end are not rows of the table, if these are few."""
    others = 0
    while others < len(rows) and _is_after(rows[-1 - others], width, is_last=not others):
        others += 1
    return others if others <= MOST_AFTER else 0


def _is_after(row: list[str], width: int, *, is_last: bool) -> bool:
    """Return True if a row at the end has another number of cells, or says as the last one that the text was cut."""
    return len(row) != width or (is_last and says_cut(row[0]))


def _are_parted(rows: list[list[str]]) -> bool:
    """Return True if most rows have a bracket open at the end of a cell, or all have nothing behind the only delimiter:
    it stands in texts, or ends lines of code."""
    open_rows = (row for row in rows if "(" in "".join(row))
    parted = sum(any(cell.count("(") > cell.count(")") for cell in row) for row in open_rows)
    return parted * 2 > len(rows) or all(len(row) == 2 and not row[1] for row in rows)


def _are_words(rows: list[list[str]]) -> bool:
    """Return True if a tab parts words, equally many in all lines, from the last: ``git ls-tree`` has columns of
    words."""
    words = {len(row[0].split()) if len(row) == 2 else 0 for row in rows}
    return len(words) == 1 and max(words) > 2


def _columns(rows: list[list[str]], options: Options) -> dict[str, Sequence[str]]:
    """Return the cells of rows of equal length by the names of their columns."""
    names = options["names"] or [f"c{number}" for number in range(1, options["width"] + 1)]
    if "padded" in options:
        rows = [list(map(str.strip, row)) for row in rows]
    return dict(zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True))


def _rows(lines: Iterable[str], delimiter: str, *, spaced: bool) -> list[list[str]]:
    try:
        return list(chain.from_iterable(RowReader(delimiter=delimiter, spaced=spaced).batches(lines)))
    except csv.Error:  # a NUL
        return []


def _is_comment(text: str) -> bool:
    return text.startswith("#")


@dataclass(slots=True, kw_only=True)
class DelimitedParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "rows"})
    uneven: int = 0
    rows: int = 0
    before: list[str] = field(default_factory=list)  # lines before the header
    after: list[list[str]] = field(default_factory=list)  # rows at the end that are not rows of the table
    comments: int = 0
    first_comments: list[str] = field(default_factory=list)
    reader: RowReader = field(default_factory=lambda: RowReader(delimiter=","))

    def parse(self, lines: Lines) -> Batches:
        has_header = bool(self.options["names"])
        table = self._without_comments(lines)
        self.before = list(islice(table, self.options.get("lead", 0)))
        self.reader = RowReader(
            delimiter=self.options["delimiter"], spaced=self.options.get("spaced", False), width=self.options["width"]
        )
        try:
            for every in self.reader.batches(table):
                rows = self._without_remarks(every)
                if some := [*self.after, *rows[has_header:]]:
                    end = len(some) - _count_after(some, self.reader.width)
                    self.after = some[end:]
                    if end:
                        yield {"items": self._cells(some[:end])}
                has_header = has_header and not rows
        except csv.Error as error:
            raise DoesNotHoldError(str(error)) from None
        if self.uneven * UNEVEN > self.rows:
            raise DoesNotHoldError("rows of different lengths")

    def _without_comments(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines from the first one that is not a comment."""
        source = iter(lines)
        for line in source:
            if not _is_comment(line):
                yield line
                break
            self._add_comment(line)
        yield from source

    def _without_remarks(self, rows: list[list[str]]) -> list[list[str]]:
        """Return the rows without blank lines and comments. A line in a cell may look like a comment; a comment is a
        row with another number of cells."""
        width = self.options["width"]
        if set(map(len, rows)) == {width}:
            return rows
        kept = []
        for row in filter(None, rows):
            if len(row) == width or not _is_comment(row[0]):
                kept.append(row)
            else:
                self._add_comment(self.options["delimiter"].join(row))
        return kept

    def _add_comment(self, line: str) -> None:
        self.comments += 1
        if len(self.first_comments) < MOST_COMMENTS:
            self.first_comments.append(line)

    def _cells(self, rows: list[list[str]]) -> dict[str, list[Any]]:
        self.rows += len(rows)
        width, texts = self.options["width"], self.options["text"]
        if set(map(len, rows)) != {width}:
            self.uneven += sum(len(row) != width for row in rows)
            rows = [[*row, *[""] * width][:width] for row in rows]
        return {
            name: texts_of(cells) if name in texts else typed(cells)
            for name, cells in _columns(rows, self.options).items()
        }

    def words(self, tables: Tables) -> Words:
        [table] = tables
        kind = DELIMITERS[self.options["delimiter"]]
        before = tuple(line for line in self.before if line.strip())
        after = tuple(self.options["delimiter"].join(row).rstrip("\n") for row in self.after)
        what = f"{kind}-separated values {self.options['header']}: {counted(table.count, 'row')}"
        what += f" of {counted(len(table.fields), 'column')}"
        others = facts(
            (self.reader.alike, f"but {counted(self.reader.alike, 'line')} inside quoted cells look like rows"),
            (self.comments, counted(self.comments, "comment line")),
            (after, f"{counted(len(after), 'line')} after the last row"),
            (any(map(says_cut, after)), "its end says that the text was cut"),
        )
        sizes = [size.rows for line in after if (size := printed_size(line)) is not None]
        lines = facts(
            (sizes and sizes != [table.count], f"the text says that it has {counted(sum(sizes), 'row')}"),
            (self.reader.is_cut, "the text ends inside a quoted cell"),
            (
                self.reader.stray,
                f"{counted(self.reader.stray, 'line')} with an unclosed quote, read as a row that has the quote",
            ),
            (self.uneven, f"{counted(self.uneven, 'row')} with another number of cells"),
            (before, f"{counted(len(before), 'line')} before the header"),
            (self.options.get("renamed"), renamed_fact(self.options.get("renamed", {}))),
        )
        around = {"before the header": before, "after the last row": after, "comments": tuple(self.first_comments)}
        excerpts = tuple(Excerpt(title=title, lines=lines) for title, lines in around.items() if lines)
        return Words(what="; ".join((what, *others)), facts=lines, excerpts=excerpts)


FORM: Final = ParserForm(name="delimited", title="separated values", looks_like=recognise, make=DelimitedParser)
