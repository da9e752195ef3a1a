"""The preview: facts of all rows, sample rows, and lines worth seeing, as many as the room allows.

It is made of items: a fact, the full list of values of a fact, a sample row, a column of the sample rows, a line of an
excerpt. Each item has a rank, which the data decides and never the room:

    rank = score of its column + characters of its list / PRICE

Items are taken by rank while they fit. One with a rank above ``MAX_RANK`` needs a room that is larger than the default.
A larger room never shows less.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.core.answer.head_and_tail import head_and_tail
from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.budget import largest
from penstock.core.forms.reading import TextSpec
from penstock.core.notice.arguments import unheeded_arguments
from penstock.core.notice.cross import Cross, column_facts, cross_of
from penstock.core.notice.inner import inner_of
from penstock.core.notice.sample_rows import (
    MAX_WHOLE,
    RowColumn,
    columns_to_show,
    header_text,
    row_text,
    rows_to_show,
    telling_rows,
)
from penstock.core.tables.roles import PRICE, WORTH, Role
from penstock.core.text import counted, line_text, ranges_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.core.budget import Room
    from penstock.core.forms.api import Excerpt
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading
    from penstock.core.notice.facts import Fact

TEXT_SHARE: Final = 0.4  # A text without a form has 40 % of the room, because its ends say little of the rest.
BASE_RANK: Final = 2.0  # Any room may have the facts of states, times, people and amounts.
TOKENS_PER_RANK: Final = 800  # Every 800 tokens of room allow one rank more, for what answers fewer questions.
ROW_STEP: Final = 4.0  # Each further row that is like the others has 4 more of rank: two show what a row looks like.
DEFAULT_ROWS: Final = 2  # Two rows are shown, so the price of a column is that of two cells.
ROWS_RANK: Final = WORTH[Role.CATEGORY].fact  # Sample rows come after the facts of states.
EXCERPT_RANK: Final = WORTH[Role.LIST].fact  # The lines of an excerpt come after the facts that can be counted.
FIRST: Final = -1.0  # What a reader must know before the facts has rank -1.
LONGEST_LINE: Final = 160  # A line of the text is cut after 160 characters.

_COUNTED = re.compile(r" ×[0-9,]+$")


class _Kind(Enum):
    """The part of a preview that an item belongs to."""

    FACT = auto()
    VALUES = auto()  # the full list of values of a fact
    ROW = auto()
    COLUMN = auto()  # of the sample rows
    EXCERPT = auto()


class _Item(NamedTuple):
    """Something that can be shown: a text or a fact, the number of a row, a column, or a line of an excerpt."""

    rank: float
    kind: _Kind
    what: Any


class _ExcerptLine(NamedTuple):
    excerpt: int
    number: int
    text: str


def preview(
    document: Document,
    reading: Reading,
    room: Room,
    order: Sequence[int] | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Preview:
    """Return what the room allows to show of a document. ``order`` has the rows that a strategy puts first;
    ``arguments`` are those of the call that was answered."""
    if reading.main is None and not reading.facts:
        return head_and_tail(document, part_of(room, TEXT_SHARE))
    highest = BASE_RANK + room.tokens / TOKENS_PER_RANK
    parts = _Parts(reading, arguments or {}, highest, order)
    items = sorted((item for item in parts.items() if item.rank <= highest), key=lambda item: item.rank)
    number = largest(len(items), lambda number: room.fits(parts.text(items[:number])))
    return parts.preview(items[:number])


class _Parts:
    """The parts of a preview: facts, sample rows, and excerpts. Items above the ``highest`` rank are not needed."""

    def __init__(
        self, reading: Reading, arguments: Mapping[str, Any], highest: float, order: Sequence[int] | None
    ) -> None:
        self.reading = reading
        self.main = reading.main
        self.highest = highest
        self.order = order
        self.telling: Sequence[int] = order or ()  # rows that are worth more than the others
        self.rows = self._row_numbers(highest)
        self.is_whole = self.main is not None and len(self.rows) == self.main.rows
        self.columns = self._columns(highest)
        self.cells = self._cells()
        self.cross = Cross() if self.is_whole else cross_of(reading)
        self.inner = inner_of(reading)
        self.unheeded = list(unheeded_arguments(arguments, self.main)) if self.main is not None else []
        self.facts = self._facts()

    def _row_numbers(self, highest: float) -> list[int]:
        cells = self.reading.cells
        if self.main is None or cells is None:
            return []
        if self.order is not None:
            return list(self.order[:MAX_WHOLE])
        self.telling = telling_rows(self.main, cells)
        return rows_to_show(self.main, cells, DEFAULT_ROWS + int((highest - ROWS_RANK) / ROW_STEP))

    def _columns(self, highest: float) -> list[tuple[float, RowColumn]]:
        """Return the columns of the sample rows with their ranks.

        A column of a short table is charged for one cell, because the rows replace the facts of their columns."""
        if self.main is None or not self.rows:
            return []
        columns: list[tuple[float, RowColumn]] = []
        characters = 0.0
        for column in columns_to_show(self.main):
            rank = column.score + characters / PRICE
            if rank > highest:
                break
            columns.append((rank, column))
            characters += column.width if self.is_whole else len(column.field.name) + DEFAULT_ROWS * column.width
        return columns or [(0.0, RowColumn(at, field, 0.0, 0.0)) for at, field in enumerate(self.main.fields[:1])]

    def _cells(self) -> dict[int, dict[int, Any]]:
        """Return the cells of the sample rows: by the number of the row, then by that of the column. A row of another
        kind, which has nothing in these columns, is left out."""
        names = [column.field.name for _, column in self.columns]
        numbers = [column.number for _, column in self.columns]
        if not names or self.reading.cells is None:
            return {}
        rows = zip(self.rows, self.reading.cells.rows(self.rows, names), strict=True)
        return {
            row: dict(zip(numbers, cells, strict=True))
            for row, cells in rows
            if any(cell is not None for cell in cells)
        }

    def _facts(self) -> list[Fact]:
        """Return the facts of columns, without those that other lines state."""
        if self.main is None:
            return []
        stated = {(one.column,) for one in self.unheeded}
        if self.inner.column is not None:
            stated.add((self.inner.column,))
        in_rows = {column.number for column in columns_to_show(self.main)} if self.is_whole else set()
        facts = [one for one in column_facts(self.main, self.cross) if one.columns not in stated]
        return [one for one in facts if in_rows.isdisjoint(one.columns) and not _repeats(one, self.reading)]

    def items(self) -> Iterator[_Item]:
        """Yield everything that could be shown."""
        for argument in self.unheeded:
            yield _Item(FIRST, _Kind.FACT, argument.text)
        for text in self.reading.facts:
            yield _Item(FIRST, _Kind.FACT, text)
        for rank, text in (*self.cross.lines, *self.inner.lines):
            yield _Item(rank, _Kind.FACT, text)
        for fact in takewhile(lambda one: one.rank <= self.highest, self.facts):
            yield _Item(fact.rank, _Kind.FACT, fact)
            if fact.longer != fact.text:
                yield _Item(fact.rank + (len(fact.longer) - len(fact.text)) / PRICE, _Kind.VALUES, fact)
        for at, row in enumerate(self.cells):
            is_usual = row in self.telling if self.telling else at < DEFAULT_ROWS
            yield _Item(ROWS_RANK + (0.0 if is_usual or self.is_whole else at * ROW_STEP), _Kind.ROW, row)
        for rank, column in self.columns:
            yield _Item(rank, _Kind.COLUMN, column)
        yield from self._excerpt_items()

    def _excerpt_items(self) -> Iterator[_Item]:
        seen = self._lines_of_rows()
        for number, excerpt in enumerate(self.reading.excerpts):
            characters = 0
            for at, (text, line) in enumerate(_unseen(excerpt, seen)):
                words = line_text(text, LONGEST_LINE)
                words = f"{line}: {words}" if excerpt.numbers else words
                yield _Item(
                    EXCERPT_RANK + characters / PRICE,
                    _Kind.EXCERPT,
                    _ExcerptLine(excerpt=number, number=at, text=words),
                )
                characters += len(words)

    def _lines_of_rows(self) -> set[Any]:
        """Return the lines of the text that the first sample rows come from."""
        main, cells = self.main, self.reading.cells
        if main is None or cells is None or not isinstance(main.spec, TextSpec) or main.field("line") is None:
            return set()
        return {line for [line] in cells.rows(self.rows[:DEFAULT_ROWS], ["line"])}

    def text(self, items: Sequence[_Item]) -> str:
        chosen: dict[_Kind, list[Any]] = {kind: [] for kind in _Kind}
        for item in items:
            chosen[item.kind].append(item.what)
        lines = [*self._fact_lines(chosen), *self._row_lines(chosen)]
        for number, excerpt in enumerate(self.reading.excerpts):
            some = sorted(line for line in chosen[_Kind.EXCERPT] if line.excerpt == number)
            if some:
                lines += [f"{excerpt.title}:", *(line.text for line in some)]
                left = len(excerpt.lines) - len(some)
                lines += [f"+{counted(left, 'line')}"] if left else []
        return "\n".join(lines)

    def _fact_lines(self, chosen: Mapping[_Kind, list[Any]]) -> list[str]:
        facts = chosen[_Kind.FACT]
        longer = set(map(id, chosen[_Kind.VALUES]))
        lines = [one if isinstance(one, str) else one.longer if id(one) in longer else one.text for one in facts]
        shown = set(map(id, facts))
        if self.main is not None and self.is_whole:
            named = {one.number for one in chosen[_Kind.COLUMN]}
            named.update(*(fact.columns for fact in self.facts if id(fact) in shown))
            hidden = [field for at, field in enumerate(self.main.fields) if at not in named]
            left = sum(not self.main.is_added(field) for field in hidden) if chosen[_Kind.ROW] else 0
        else:
            left = sum(len(fact.columns) for fact in self.facts if id(fact) not in shown) if facts else 0
        lines += [f"+{counted(left, 'column')}"] if left else []
        if self.main is None or self.main.exact or not lines:
            return lines
        return [f"from a sample of {self.main.rows_text} rows:", *lines]

    def _row_lines(self, chosen: Mapping[_Kind, list[Any]]) -> list[str]:
        columns = sorted(chosen[_Kind.COLUMN], key=lambda column: (column.is_long, column.number))
        rows = sorted(chosen[_Kind.ROW])
        if not columns or not rows:
            return []
        noun = "row" if len(rows) == 1 else "rows"
        is_whole = self.main is not None and len(rows) == self.main.rows
        title = f"all {len(rows)} {noun}:" if is_whole else f"sample {noun} {ranges_text(_ranges(rows))}:"
        lines = [row_text([self.cells[row][column.number] for column in columns]) for row in rows]
        return [title, header_text([column.field for column in columns]), *lines]

    def preview(self, items: Sequence[_Item]) -> Preview:
        has_columns = any(item.kind is _Kind.COLUMN for item in items)
        rows = sorted(item.what for item in items if item.kind is _Kind.ROW) if has_columns else []
        main = self.main
        total, about = (main.rows, main.about) if main is not None else (0, "")
        path = "." if main is None else main.path
        ranges = ShownRanges(ranges=_ranges(rows), total=total, about=about, path=path)
        parts = ["facts"] if any(item.kind is _Kind.FACT for item in items) else []
        parts += [counted(len(rows), "row")] if rows else []
        return Preview(text=self.text(items), shown=ranges, below=", ".join(parts))


def part_of(room: Room, share: float) -> Room:
    """Return a share of a room."""
    return room.limited(tokens=int(room.tokens * share), size=int(room.size * share))


def _repeats(fact: Fact, reading: Reading) -> bool:
    """Return True if a form states in its own words what the fact of a column says.

    Both give the same text, the same range of times, or counts with the same two values first.
    """
    if not reading.facts or fact.rank > WORTH[Role.NESTED].fact:
        return False
    body = fact.text.partition(": ")[2]
    if f"{body.partition(' to ')[0]} to " in reading.words:
        return True
    first = body.split(" · ", 2)[:2]
    is_tally = len(first) > 1 and _COUNTED.search(first[0]) is not None
    for line in reading.facts:
        own = line.partition(": ")[2]
        same = [one for one in own.replace("/ ×", " ×").split(" · ", 2)[:2] if _COUNTED.search(one)]
        if own and (body == own or (is_tally and same and all(map(str.endswith, first, same)))):
            return True
    return False


def _unseen(excerpt: Excerpt, seen: set[Any]) -> list[tuple[str, int]]:
    """Return the lines of an excerpt with their numbers, without those among the sample rows.

    Consecutive lines are the text of one row, and go with its first line.
    """
    numbers = excerpt.numbers or range(len(excerpt.lines))
    lines = list(zip(excerpt.lines, numbers, strict=False))
    if excerpt.numbers and excerpt.numbers[0] in seen and excerpt.numbers[-1] == excerpt.numbers[0] + len(lines) - 1:
        return []
    return [(text, number) for text, number in lines if not excerpt.numbers or number not in seen]


def _ranges(rows: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the numbers of rows, which are sorted, as ranges."""
    ranges: list[tuple[int, int]] = []
    for number in rows:
        if ranges and ranges[-1][1] == number:
            ranges[-1] = (ranges[-1][0], number + 1)
        else:
            ranges.append((number, number + 1))
    return tuple(ranges)
