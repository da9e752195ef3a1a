"""Comma-, tab-, semicolon- and pipe-separated values, with and without a header, cells over several lines included.

The text is a table when all rows have the same number of cells; one row in a hundred may differ, and is counted. A few
lines may stand before the header: a title, comments. Cells that are padded up to a bar are without the blanks. A column
is numeric, or boolean, only if every cell that is filled would be written back as it stands: ``02139`` stays a
text.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Excerpt, Options, Sample, TextForm, Words
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.text_form import Batches, Lines, Tables

# Cells of held results may be as long as results are. The limit is the module's own, for all of the program; it refuses
# nothing but long cells.
csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))

DELIMITERS: Final = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}
LEAST_ROWS: Final = 3
MOST_LEAD: Final = 8  # lines before a header
MOST_CELLS: Final = 1_900  # columns that SQL takes
UNEVEN: Final = 100  # one row in so many may have another number of cells
FIRST: Final = 40  # cells that most often show that a column is none of numbers
LONGEST_NAME: Final = 80  # characters of a column's name

_INTEGERS = re.compile(r"(?:(?:0|-?[1-9][0-9]{0,17})\n)*+")
# Numbers of at most 15 digits as Python and JSON write them: no zero too many, no exponent.
_DECIMALS = re.compile(r"(?:(?:0|-?[1-9][0-9]{0,8}|-?(?!0\.0000)(?:0|[1-9][0-9]{0,8})\.(?:0|[0-9]{0,5}[1-9]))\n)*+")
_QUOTES: Final = '"\r\0'
_TRUTHS: Final = frozenset(("true", "false"))
_NUMBER_OR_TIME = re.compile(r"[+-]?[0-9.,:%/TZ -]+|")
# Quotes inside of a cell that is not in quotes itself: settings or code, cut at its commas.
_IN_CELL: Final = {mark: re.compile(rf'(?:^|[{mark}])(?!")[^{mark}]*?(?:\w="(?!")|(?<!")"[}})])') for mark in "\t,;|"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # as a program would call a column


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
            widths = [len(row) for line in head for row in _rows([line], delimiter, spaced=False)[:1]]
            [(width, lines)] = Counter(widths).most_common(1) or [(0, 0)]
            if width > 1 and lines * 2 > len(widths) == len(head) and widths.index(width) <= MOST_LEAD:
                return widths.index(width)
    return 0


def _best(head: list[str], sample: Sample) -> Options | None:
    if len(head) < LEAST_ROWS or head[0].startswith(("|", "+", "{", "[", "<")):
        return None
    best: Options | None = None
    for delimiter in DELIMITERS:
        if delimiter not in head[0]:
            continue
        spaced = all(0 < line.count(delimiter) == line.count(f"{delimiter} ") for line in head[:FIRST])
        padded = delimiter == "|" and all(line.count("|") == line.count(" |") for line in head[:FIRST])
        rows = _rows(head, delimiter, spaced=spaced)
        rows = [row for row in rows[: -1 if sample.count > len(sample.head) else None] if row]
        width = len(rows[0]) if rows else 0
        rows = [row for row in rows if len(row) == width or not _is_comment(row[0])]
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
            best = {"delimiter": delimiter, "spaced": spaced, "width": width, "names": _names(rows), "text": []}
            best |= {"padded": True} if padded else {}
            columns = _columns([row for row in rows[bool(best["names"]) :] if len(row) == width], best)
            best["text"] = [name for name, cells in columns.items() if str in map(type, typed(cells))]
    return best


def _are_parted(rows: list[list[str]]) -> bool:
    """Tell whether most rows have a bracket open at the end of a cell, or all have nothing behind the only delimiter:
    it stands in texts, or ends lines of code."""
    open_rows = (row for row in rows if "(" in "".join(row))
    parted = sum(any(cell.count("(") > cell.count(")") for cell in row) for row in open_rows)
    return parted * 2 > len(rows) or all(len(row) == 2 and not row[1] for row in rows)


def _are_words(rows: list[list[str]]) -> bool:
    """Tell whether a tab parts words, equally many in all lines, from the last: ``git ls-tree`` has columns of
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
        return list(csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=spaced))
    except csv.Error:  # a NUL
        return []


def _names(rows: list[list[str]]) -> list[str] | None:
    """Return the names of the columns, if the first row has them: distinct words, of which none is data, and that
    either are names as programs write them, or stand above cells of another kind."""
    first = [cell.strip() for cell in rows[0]]
    if len({name.lower() for name in first}) < len(first) or any(len(name) > LONGEST_NAME for name in first):
        return None
    if any(_NUMBER_OR_TIME.fullmatch(name) or "\n" in name for name in first):
        return None
    even = [row for row in rows if len(row) == len(first)]
    columns = [[cell.strip() for cell in cells[1:]] for cells in zip(*even, strict=True)]
    if any(name in column for name, column in zip(first, columns, strict=True)):
        return None
    if all(map(_NAME.fullmatch, first)):
        return first
    return first if any(all(map(_NUMBER_OR_TIME.fullmatch, column)) and any(column) for column in columns) else None


def _is_comment(text: str) -> bool:
    return text.startswith("#")


@dataclass(slots=True, kw_only=True)
class DelimitedParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "rows"})
    uneven: int = 0
    rows: int = 0
    before: list[str] = field(default_factory=list)  # lines before the header

    def parse(self, lines: Lines) -> Batches:
        width, header = self.options["width"], bool(self.options["names"])
        table = dropwhile(_is_comment, lines)
        self.before = list(islice(table, self.options.get("lead", 0)))
        try:
            for every in self._rows(table):
                rows = every
                if set(map(len, rows)) != {width}:
                    # A comment is a row of its own; lines inside of cells may look like one.
                    rows = [row for row in rows if row and (len(row) == width or not _is_comment(row[0]))]
                if some := rows[header:]:
                    yield {"items": self._cells(some)}
                header = header and not rows
        except csv.Error as error:
            raise DoesNotHoldError(str(error)) from None
        if self.uneven * UNEVEN > self.rows:
            raise DoesNotHoldError("rows of different lengths")

    def _rows(self, lines: Iterator[str]) -> Iterator[list[list[str]]]:
        """Yield rows, some thousands at a time. Up to the first lines with a quote, splitting them is all there is to
        do."""
        delimiter, spaced = self.options["delimiter"], self.options.get("spaced", False)
        while some := list(islice(lines, BATCH)):
            text = "\n".join(some)
            if spaced or any(mark in text for mark in _QUOTES):
                break
            yield [line.split(delimiter) for line in some if line]
        # A blank after each delimiter belongs to no cell, if there is one everywhere.
        rest = (f"{line}\n" for line in chain(some, lines))
        reader = csv.reader(rest, delimiter=delimiter, skipinitialspace=spaced)
        while rows := list(islice(reader, BATCH)):
            yield rows

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
        header = "with a header" if self.options["names"] else "without a header"
        what = f"{kind}-separated values {header}: {counted(table.count, 'row')} of {len(table.fields)} columns"
        facts = [f"{counted(self.uneven, 'row')} with another number of cells"] if self.uneven else []
        before = tuple(line for line in self.before if line.strip())
        facts += [f"{counted(len(before), 'line')} before the header"] if before else []
        excerpts = (Excerpt(title="before the header", lines=before),) if before else ()
        return Words(what=what, facts=tuple(facts), excerpts=excerpts)


def typed(cells: Sequence[str]) -> list[Any]:
    """Read cells as numbers or booleans if each would be written back as it stands, else as texts; empty ones are
    None."""
    filled = [cell for cell in cells if cell]
    are_truths = bool(filled) and _TRUTHS.issuperset(filled)
    numbers = [cell == "true" for cell in filled] if are_truths else _numbers(filled)
    if numbers is None:
        return texts_of(cells)
    if len(filled) == len(cells):
        return numbers
    source = iter(numbers)
    return [next(source) if cell else None for cell in cells]


def texts_of(cells: Sequence[str]) -> list[Any]:
    """Return cells as texts; empty ones are None."""
    return list(cells) if all(cells) else [cell or None for cell in cells]


def _numbers(cells: list[str]) -> list[Any] | None:
    """Read numbers that are written as Python and JSON write them, some perhaps without decimals."""
    if len(cells) > FIRST and _numbers(cells[:FIRST]) is None:
        return None
    text = "\n".join(cells) + "\n"
    one_each = text.count("\n") == len(cells)
    if one_each and _INTEGERS.fullmatch(text):
        return list(map(int, cells))
    try:
        numbers = [float(cell) if "." in cell or "e" in cell else int(cell) for cell in cells]
    except ValueError:
        return None
    return numbers if (one_each and _DECIMALS.fullmatch(text)) or list(map(repr, numbers)) == cells else None


FORM: Final = TextForm(name="delimited", title="separated values", recognise=recognise, make=DelimitedParser)
