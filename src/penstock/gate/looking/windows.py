"""Rows of a table by their numbers.

Rows that are the items of an array, or the members of a map, are read from the document: a window takes a millisecond,
wherever it lies. All others, which are made of a text or lie inside other rows, are those of the worker that answers
SQL, which keeps the table after the first window. The order of a column is worked out there once, and kept.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.rows import Rows, RowSpec
from penstock.core.json import whole
from penstock.core.json.lookup import container_at
from penstock.core.sql_text import in_quotes
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.query.sql.query import run_sql
from penstock.query.sql.tables import tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.gate.held import HeldReader
    from penstock.query.results import SqlResult
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.query.sql.tables import Table

MOST: Final = 1_000  # rows of one window
LARGE: Final = 4_194_304  # bytes of a window, after which it ends: rows may be of any size
ORDERS: Final = 4  # columns whose order is kept: eight bytes for each row
MOST_SORTED: Final = 2_000_000  # rows that can be put in order: their numbers have to fit one answer of a worker
NUMBER: Final = "penstock row number"
REST: Final = "…"  # the column of keys that no column was learned for


@dataclass(frozen=True, slots=True, kw_only=True)
class RowWindow:
    """Some rows: their numbers from 1, as SQL counts them, and their cells by column. ``total`` are all rows."""

    columns: tuple[str, ...]
    numbers: tuple[int, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int

    @classmethod
    def of(cls, result: SqlResult, most: int) -> RowWindow:
        """Return the first rows of a query."""
        rows = tuple(tuple(whole.decode(one).values()) for one in result.rows[:most])
        return cls(columns=result.columns, numbers=tuple(range(1, len(rows) + 1)), rows=rows, total=result.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOrder:
    """The column that rows are put in order by."""

    column: str
    descending: bool = False


class RowWindows:
    """Read windows of held results, and keep the orders of columns used last. Threads may share it."""

    def __init__(self, workers: Callable[[], Sandbox]) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._orders: OrderedDict[tuple[str, str, RowOrder], array[int]] = OrderedDict()
        self._counts: OrderedDict[tuple[str, str], int] = OrderedDict()

    def tables(self, opened: HeldReader) -> list[tuple[str, str, int | None]]:
        """Return the tables by name, with its path and how many rows it has; None where they were not counted."""
        if opened.index.root is None:
            return []
        return [
            (table.names[0], table.spec.path, self._known_count(opened, table)) for table in _tables(opened).values()
        ]

    def window(
        self, opened: HeldReader, table: str, start: int, count: int, order: RowOrder | None = None
    ) -> RowWindow:
        """Return rows from the number ``start``, counted from 0 in that order. There may be fewer than asked for: at
        the end, and of large rows."""
        source = _table(opened, table)
        total = self._count(opened, source)
        stop = min(start + min(count, MOST), total)
        if start >= stop:
            return RowWindow(columns=self._columns(opened, source), numbers=(), rows=(), total=total)
        if order is None:
            numbers: Sequence[int] = range(start, stop)
        else:
            numbers = self._order(opened, source, order, total)[start:stop]
        if _is_plain(source):
            return _plain_rows(opened, source.spec.rows, numbers, total)
        return self._rows_of_worker(opened, source, numbers, total)

    def value(self, opened: HeldReader, table: str, number: int) -> Any:
        """Return one row whole, as an object, by its number from 1."""
        source = _table(opened, table)
        if _is_plain(source):
            return _item(opened, source.spec.rows, number - 1)
        window = self._rows_of_worker(opened, source, [number - 1], 1)
        if not window.rows:
            raise CallerError(f"there is no row {number:,}", do=f"{table} has {self._count(opened, source):,}")
        return dict(zip(window.columns, window.rows[0], strict=True))

    def all_rows(self, opened: HeldReader, table: str, order: RowOrder | None = None) -> Iterator[RowWindow]:
        """Return all rows of a table, some at a time."""
        start = 0
        while True:
            window = self.window(opened, table, start, MOST, order)
            yield window
            start += len(window.rows)
            if not window.rows or start >= window.total:
                return

    def _rows_of_worker(self, opened: HeldReader, table: Table, numbers: Sequence[int], total: int) -> RowWindow:
        if isinstance(numbers, range):
            where = f"_rowid_ > {numbers.start} AND _rowid_ <= {numbers.stop}"
        else:
            where = f"_rowid_ IN ({', '.join(str(number + 1) for number in numbers)})"
        name = in_quotes(table.names[0])
        sql = f"SELECT _rowid_ AS {in_quotes(NUMBER)}, * FROM {name} WHERE {where} ORDER BY _rowid_"  # noqa: S608
        result = self._sql(opened, sql)
        rows = {number: tuple(rest) for number, *rest in (msgspec.json.decode(one).values() for one in result.rows)}
        kept = [number + 1 for number in numbers if number + 1 in rows]
        return RowWindow(
            columns=result.columns[1:], numbers=tuple(kept), rows=tuple(rows[one] for one in kept), total=total
        )

    def _columns(self, opened: HeldReader, table: Table) -> tuple[str, ...]:
        spec = table.spec.rows
        if isinstance(spec, RowSpec) and spec.columns:
            return tuple(one.name for one in spec.columns)
        return self._sql(opened, f"SELECT * FROM {in_quotes(table.names[0])} LIMIT 0").columns  # noqa: S608

    def _known_count(self, opened: HeldReader, table: Table) -> int | None:
        spec = table.spec
        if _is_plain(table):
            return container_at(opened.index, opened.body, spec.rows.outer).count  # type: ignore[union-attr]
        known = self._counts.get((opened.held.entry.handle, table.names[0]))
        return known if known is not None or spec.about or not spec.count else spec.count

    def _count(self, opened: HeldReader, table: Table) -> int:
        known = self._known_count(opened, table)
        if known is None:
            result = self._sql(opened, f"SELECT count(*) AS n FROM {in_quotes(table.names[0])}")  # noqa: S608
            known = int(msgspec.json.decode(result.rows[0])["n"])
            with self._lock:
                _keep(self._counts, (opened.held.entry.handle, table.names[0]), known, 16 * ORDERS)
        return known

    def _order(self, opened: HeldReader, table: Table, order: RowOrder, total: int) -> array[int]:
        """Return the numbers of all rows from 0, in the order of a column; rows without a value come last."""
        if total > MOST_SORTED:
            raise CallerError(
                f"{total:,} rows are too many to be put in order", do=f"at most {MOST_SORTED:,}; use SQL with LIMIT"
            )
        key = (opened.held.entry.handle, table.names[0], order)
        with self._lock:
            known = self._orders.get(key)
        if known is None:
            way = "DESC" if order.descending else "ASC"
            name, column = in_quotes(table.names[0]), in_quotes(order.column)
            inner = f"SELECT _rowid_ - 1 AS n FROM {name} ORDER BY {column} {way} NULLS LAST, _rowid_"  # noqa: S608
            result = self._sql(opened, f"SELECT json_group_array(n) AS n FROM ({inner})")  # noqa: S608
            numbers = msgspec.json.decode(result.rows[0])["n"]
            known = array("Q", msgspec.json.decode(numbers) if isinstance(numbers, str) else numbers)
        with self._lock:
            _keep(self._orders, key, known, ORDERS)
        return known

    def _sql(self, opened: HeldReader, sql: str) -> SqlResult:
        return run_sql(sql, {"held": opened.source}, self._workers())


def _keep(kept: OrderedDict[Any, Any], key: Any, value: Any, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def _tables(opened: HeldReader) -> dict[str, Table]:
    return {table.names[0].lower(): table for table in tables_of({"held": opened.source})}


def _table(opened: HeldReader, name: str) -> Table:
    if opened.index.root is None:
        raise CallerError("this held result has no tables", do="read it as text")
    tables = _tables(opened)
    table = tables.get(name.lower()) if name else next(iter(tables.values()))
    if table is None:
        names = ", ".join(shorten(one.names[0]) for one in tables.values())
        raise CallerError(f"there is no table {shorten(name)!r}", do=f"tables: {names}")
    return table


def _is_plain(table: Table) -> bool:
    """Return True if the rows are parts of a container, and each is an object whose columns are known."""
    return isinstance(table.spec.rows, RowSpec) and table.spec.rows.is_plain and bool(table.spec.rows.columns)


def _plain_rows(opened: HeldReader, spec: Any, numbers: Sequence[int], total: int) -> RowWindow:
    container = container_at(opened.index, opened.body, spec.outer)
    size, runs, kept = 0, [], []
    for run in _runs(numbers):
        while run and size < LARGE:
            part = run[: max(1, _fitting(container, run, LARGE - size))]
            size += container.span(part.start, part.stop)
            runs.append(part)
            kept += [number + 1 for number in part]
            run = run[len(part) :]  # noqa: PLW2901
    columns = tuple(one.name for one in spec.columns)
    cells: list[tuple[Any, ...]] = []
    for part in runs:
        rows = Rows(spec)
        taken = rows.take(whole.decode(container.joined(opened.body, part)), part.start)
        made = rows.columns(taken, spec.columns)
        if spec.is_open:
            made.append(_rest(spec, taken))
        cells += zip(*made, strict=True)
    columns = (*columns, REST) if spec.is_open else columns
    return RowWindow(columns=columns, numbers=tuple(kept), rows=tuple(cells), total=total)


def _runs(numbers: Sequence[int]) -> Iterator[range]:
    """Return numbers as ranges of those that follow one another."""
    if isinstance(numbers, range):
        yield numbers
        return
    first = last = None
    for number in numbers:
        if last is not None and first is not None and number != last:
            yield range(first, last)
            first = None
        first = number if first is None else first
        last = number + 1
    if first is not None and last is not None:
        yield range(first, last)


def _fitting(container: Any, run: range, size: int) -> int:
    """Return how many parts of a run take no more than so many bytes."""
    low, high = 0, len(run)
    while low < high:
        middle = (low + high + 1) // 2
        if container.span(run.start, run.start + middle) <= size:
            low = middle
        else:
            high = middle - 1
    return low


def _rest(spec: RowSpec, rows: Sequence[Any]) -> list[Any]:
    """Return what each row has under keys without a column; None for nothing."""
    known = {one.path[0] for one in spec.columns if one.path}
    objects = (getattr(row[-1], "value", row[-1]) for row in rows)
    return [
        {key: cell for key, cell in one.items() if key not in known} or None if isinstance(one, dict) else None
        for one in objects
    ]


def _item(opened: HeldReader, spec: Any, number: int) -> Any:
    container = container_at(opened.index, opened.body, spec.outer)
    if not 0 <= number < container.count:
        raise CallerError(f"there is no row {number + 1:,}", do=f"there are {container.count:,}")
    item = whole.decode(container.joined(opened.body, range(number, number + 1)))
    return item[0] if isinstance(item, list) else item
