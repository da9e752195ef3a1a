"""Records as a table: the columns that tell most, once, and below them as many rows as the room allows.

Which columns are shown, and whether the records are a table at all, is decided by the data alone. Then the preview
grows in fixed steps (one row with more and more columns, what is around it, more rows), of which the last that fits
is taken: so a bigger room never shows less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.budget import Room, largest
from penstock.core.json.path import shorten
from penstock.core.json.strings import quote
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import (
    LONG_CELL,
    array_of,
    beside,
    cell,
    counted,
    fields,
    name,
    names,
    number,
    object_of,
    part_of,
    reach,
    small,
)
from penstock.core.preview.columns import FEW, Survey, survey_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

MOST_ROWS: Final = 2_000  # more than the usual preview can hold at 4 bytes a row
SMALL_ITEM: Final = 300  # bytes of an item that is shown just as it is
MOST_FIELDS: Final = 24  # fields of a larger item


def table(subject: Subject, room: Room, *, order: Sequence[int] | None = None) -> Preview | None:
    """Show the records of the main container. ``order`` has the records to show first, by their indexes."""
    main = subject.main
    if main is None or main.kind == "lines" or main.count == 0:
        return None
    survey = subject.once("survey", lambda subject: survey_of(subject, main))
    if survey.objects * 3 < survey.seen * 2 or not survey.columns:
        return None
    uneven = survey.fill < 0.5 or main.count <= FEW
    if uneven and main.kind == "object":
        return None  # an object with fields of its own, which is no map of records
    first = [at for at in order or () if 0 <= at < main.count]
    records = _Records(subject=subject, main=main, order=first or None)

    def make(_: Subject) -> _Items | _Table:
        return _Items(records) if uneven else _Table(records, survey)

    form = make(subject) if first else subject.once("table", make)
    step = form.steps.largest(room)
    if step == 0:
        return None
    noun = "record" if survey.objects == survey.seen else "item"
    return Preview(
        text=form.text(step).decode(),
        style=form.style,
        shown=Shown(path=main.path, start=0, end=form.steps.rows(step), total=main.count),
        headline=counted(main.count, noun) + (" by key" if records.keyed else ""),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Records:
    """The records in the order in which they are shown."""

    subject: Subject
    main: Container
    order: Sequence[int] | None

    @property
    def keyed(self) -> bool:
        return self.main.kind == "object"

    @property
    def total(self) -> int:
        """How many may be shown."""
        return min(MOST_ROWS, self.main.count if self.order is None else len(self.order))

    def at(self, place: int) -> int:
        return place if self.order is None else self.order[place]

    def part(self, place: int) -> tuple[str, bytes]:
        """The key, if the records have keys, and the value of a record."""
        return part_of(self.subject, self.main, self.at(place))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """A preview that grows: ``head`` steps show more and more of the first record, then each step shows one more.

    ``line`` is a record as it stands in the ``text`` of every step past the head.
    """

    head: int
    total: int
    line: Callable[[int], bytes]
    text: Callable[[int], bytes]

    def rows(self, step: int) -> int:
        return max(1, step - self.head)

    def largest(self, room: Room) -> int:
        """The last step that fits. Records are read no further than the room could reach at all."""
        limit = reach(room)
        ends = [0]

        def fits(step: int) -> bool:
            rows = self.rows(step)
            while step > self.head and len(ends) <= rows and ends[-1] <= limit:
                ends.append(ends[-1] + len(self.line(len(ends) - 1)))
            too_long = step > self.head and ends[min(rows, len(ends) - 1)] > limit
            return not too_long and room.fits(self.text(step))

        return largest(self.head + self.total, fits)


class _Table:
    """Records as rows under the names of their columns."""

    style: Final = "table"

    def __init__(self, records: _Records, survey: Survey) -> None:
        self.records = records
        self.columns = survey.columns
        self.ranked, self.same = survey.chosen()
        self.empty = [key for key, column in self.columns.items() if not column.filled and key not in self.ranked]
        self.left = [key for key in self.columns if key not in {*self.ranked, *self.same, *self.empty}]
        self.known = {*self.ranked, *self.same, *self.left}
        self.standard = self._in_order(self.ranked)
        self.around = beside(records.subject, records.main)
        self.lines: list[bytes] = []
        # Where a claim made from the sample first fails: one value in all records, or no value in any.
        self.broken: dict[str, int] = {}
        self.surprises: dict[str, int] = {}

    @property
    def steps(self) -> _Steps:
        return _Steps(head=len(self.ranked), total=self.records.total, line=self.line, text=self.text)

    def line(self, place: int) -> bytes:
        """A row. Rows are read in their order, because each may break a claim."""
        while len(self.lines) <= place:
            last = len(self.lines)
            key, value = self.records.part(last)
            self.lines.append(self._row(last, key, value, self.standard))
            if value[:1] == b"{":
                self._check(last, fields(value))
        return self.lines[place]

    def _check(self, place: int, row: dict[str, bytes]) -> None:
        for key in self.same:
            if row.get(key) != self.columns[key].first:
                self.broken.setdefault(key, place)
        for key, inner in row.items():
            if key not in self.known and inner != b"null":
                self.surprises.setdefault(key, place)

    def text(self, step: int) -> bytes:
        if step <= self.steps.head:
            return self._beginning(step)
        count = self.steps.rows(step)
        self.line(count - 1)
        broken = [key for key in self.same if self.broken.get(key, count) < count]
        surprises = [key for key, place in self.surprises.items() if place < count]
        columns = self._in_order([*self.ranked, *broken])
        lines = self.lines[:count]
        if broken:
            lines = [self._row(place, *self.records.part(place), columns) for place in range(count)]
        return self._render(
            columns,
            lines,
            left=names([*self.left, *surprises]),
            same=object_of((key, cell(self.columns[key].first)) for key in self.same if key not in broken),
            around=self.around,
            empty=sum(key not in surprises for key in self.empty),
        )

    def _beginning(self, step: int) -> bytes:
        """The first row with its most telling columns; the others are only counted, as names take room too."""
        columns = self._in_order(self.ranked[:step])
        others = len(self.columns) - step - len(self.empty)
        return self._render(columns, [self._row(0, *self.records.part(0), columns)], left=number(others))

    def _render(
        self,
        columns: list[str],
        lines: list[bytes],
        *,
        left: bytes,
        same: bytes = b"",
        around: bytes = b"",
        empty: int = 0,
    ) -> bytes:
        lead = [b'"#"'] if self.records.order is not None else []
        if self.records.keyed:
            lead.append(b'"(key)"' if "key" in self.columns else b'"key"')
        rows = self.records.main.count - len(lines)
        return object_of(
            [
                ("columns", array_of([*lead, *map(name, columns)])),
                ("rows", array_of(lines)),
                ("same_in_rows_shown", same),
                ("beside", around),
                ("not_shown", object_of([("rows", number(rows)), ("columns", left), ("empty_columns", number(empty))])),
            ]
        )

    def _in_order(self, columns: list[str]) -> list[str]:
        return sorted(columns, key=lambda key: self.columns[key].position)

    def _row(self, place: int, key: str, value: bytes, columns: list[str]) -> bytes:
        if value[:1] != b"{":  # a stray value among the records
            at = b"" if self.records.order is None else str(self.records.at(place)).encode()
            return object_of([("#", at), (key if self.records.keyed else "item", cell(value))])
        row = fields(value)
        lead = [str(self.records.at(place)).encode()] if self.records.order is not None else []
        if self.records.keyed:
            lead.append(quote(shorten(key, LONG_CELL)))
        return array_of([*lead, *(cell(row.get(column, b"null")) for column in columns)])


class _Items:
    """Records that have little in common, or are very few, each with its own names."""

    style: Final = "items"

    def __init__(self, records: _Records) -> None:
        self.records = records
        self.around = beside(records.subject, records.main)
        self.lines: list[bytes] = []
        self.head = min(MOST_FIELDS, max(1, len(fields(records.part(0)[1]))))

    @property
    def steps(self) -> _Steps:
        return _Steps(head=self.head, total=self.records.total, line=self.line, text=self.text)

    def line(self, place: int) -> bytes:
        while len(self.lines) <= place:
            self.lines.append(_item(self.records.part(len(self.lines))[1], MOST_FIELDS))
        return self.lines[place]

    def text(self, step: int) -> bytes:
        count = self.steps.rows(step)
        self.line(count - 1)
        lines = self.lines[:count] if step >= self.steps.head else [_item(self.records.part(0)[1], step)]
        order = self.records.order
        return object_of(
            [
                ("items", array_of(lines)),
                ("at", b"" if order is None else array_of(str(at).encode() for at in order[:count])),
                ("beside", self.around if step > self.steps.head else b""),
                ("not_shown", object_of([("items", number(self.records.main.count - count))])),
            ]
        )


def _item(value: bytes, most: int) -> bytes:
    """One record with its first fields; a small one just as it is."""
    if value[:1] != b"{":
        return cell(value)
    if most == MOST_FIELDS and (whole := small(value, SMALL_ITEM)):
        return whole
    row = fields(value)
    shown = [(key, cell(inner)) for key, inner in list(row.items())[:most]]
    if len(row) > most:
        shown.append(("…", quote(f"+{counted(len(row) - most, 'field')}")))
    return object_of(shown)
