"""Rows of held results in tables of SQLite, with the columns that their specs say.

A table is loaded whole, one column of a batch at a time, so that no cell costs a call of ours. Rows that are no
objects, or that bring keys which were not known, are read the slow way.

SQLite fixes columns and their types when a table is made, and both are known only when all rows are in. So a batch that
brings a new column, or values of a new type, begins another table with the same rows to come, a segment. If one segment
has all rows, it becomes the table; else SQLite copies the segments into one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.json_columns import dotted
from penstock.core.forms.rows import OF_NODE, ColumnPath, Member, Rows, RowSpec
from penstock.core.forms.tree_nodes import dig
from penstock.core.json.path import KEY
from penstock.core.json.project import projection
from penstock.core.json.whole import decode
from penstock.core.sql_text import in_quotes
from penstock.query.sandbox.worker.rows_of_text import LINES, NUMBER, rows_of_text
from penstock.query.sandbox.worker.sql_column import Column, RowNumber
from penstock.query.sandbox.worker.sql_segments import ROW, Segments
from penstock.query.sql.names import distinct

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterator, Sequence

    from penstock.core.forms.rows import Row
    from penstock.core.json.path import Step
    from penstock.query.sandbox.jobs import SqlTable

MOST_COLUMNS: Final = 1_900  # SQLite takes 2,000, in a table and in an answer
MORE: Final = "_more"  # the column of the keys that are too many to be columns, as one JSON object
VALUE: Final = "value"  # the column of items that are not objects
MOST_PROJECTED: Final = 128  # columns read without the objects that they lie in: each costs as much, filled or not
MOST_REFUSED: Final = 4  # batches that are not read by columns, after which none is tried: each is read twice

# What gives all columns: a star that is no product or count.
_STAR = re.compile(r"(?:\bselect|\bdistinct|\ball|,|\.)\s*\*|/\*|--", re.IGNORECASE)


class Table:
    """A table with the columns of its spec; one that is open grows columns as its rows bring new keys.

    ``begin`` makes it empty, ``load`` adds rows, ``settle`` ends the load. ``lacks`` says whether a query needs that.
    """

    def __init__(self, database: sqlite3.Connection, table: SqlTable) -> None:
        self.name = table.name
        self.columns: dict[str, Column] = {}
        self.more = ""
        self._database = database
        self._spec = table.rows
        self._of_node = OF_NODE if isinstance(self._spec, RowSpec) and self._spec.kind == "tree" else {}
        self._is_loaded = False
        self._extra: frozenset[str] = frozenset()  # objects that are columns only because a query names them

    def lacks(self, sql: str) -> bool:
        """Return True if the table has to be loaded for this query: it is not there yet, lacks an object that the query
        names, or has one more than a star should give."""
        extra = frozenset(self._named(sql))
        too_many = not extra >= self._extra and _STAR.search(sql) is not None
        return not self._is_loaded or too_many or not self._extra >= extra

    def begin(self, sql: str) -> None:
        """Make the table, empty, with the columns that are known of it."""
        self._database.execute(f"DROP TABLE IF EXISTS {in_quotes(self.name)}")
        named = self._named(sql)
        self.columns, self.more = {}, ""
        self._is_loaded, self._extra = False, frozenset(named)
        self._taken = {ROW}
        self._segments = Segments(self._database, self.name)
        self._count = self._refused = 0
        self._text = bytearray()
        self._paths: dict[str, ColumnPath] = {}
        if isinstance(self._spec, RowSpec):
            self._rows = Rows(self._spec)
            self._paths = {**{one.name: one for one in self._spec.columns}, **named}
            self._learn(self._paths)
            self._project = self._projection(self._spec)

    def load(self, text: bytes, first: int) -> None:
        """Add rows from some parts of a container, of which the first has this number; or a piece of a text."""
        if not isinstance(self._spec, RowSpec):
            self._text += text
        elif not self._load_columns(text):
            self._load_rows(text, first, self._spec)

    def settle(self) -> None:
        """Close the table: all rows are in, so answers can tell the types of its columns from now on."""
        if not isinstance(self._spec, RowSpec):
            for columns in rows_of_text(bytes(self._text), self._spec):
                self._learn(columns)
                self._append(columns)
            self._text.clear()
        if not self.columns:
            self._learn((VALUE,))
        self._segments.close(self.all_columns())
        for column in self.all_columns():
            column.settle()
        self._is_loaded = True

    def _named(self, sql: str) -> dict[str, ColumnPath]:
        """Return the objects that a query names, as columns."""
        return {one.name: one for one in _nested(self._spec, sql)} if isinstance(self._spec, RowSpec) else {}

    def _projection(self, spec: RowSpec) -> Callable[[bytes], list[list[Any]]] | None:
        """Return what reads rows column by column, without the objects that they are, where that can be done: of no
        column at all nothing would tell how many rows there are."""
        paths = self._paths.values()
        if not paths or not spec.is_plain or len(paths) > MOST_PROJECTED or any(path.level != -1 for path in paths):
            return None
        return projection([path.path for path in paths], by_key=spec.inner == (KEY,), only=spec.is_open)

    def _load_columns(self, text: bytes) -> bool:
        """Add rows column by column; False where some are no objects, or have keys that are not known yet."""
        if self._project is None:
            return False
        try:
            columns = self._project(text)
        except msgspec.MsgspecError:
            self._refused += 1
            return False
        self._append(dict(zip(self._paths, columns, strict=True)))
        return True

    def _load_rows(self, text: bytes, first: int, spec: RowSpec) -> None:
        rows = self._rows.take(decode(text), first)
        if spec.is_open:
            self._open(rows)
            self._project = self._projection(spec) if self._refused < MOST_REFUSED else None
        parts: list[tuple[dict[str, list[Any]], Sequence[int]]] = []
        for paths, numbers in self._alike(rows):
            some = [rows[number] for number in numbers]
            names = [path.name for path in paths]
            cells = dict(zip(names, self._rows.columns(some, paths), strict=True))
            if len(self._paths) >= MOST_COLUMNS and any(rest := self._rest(some)):
                self.more = self.more or distinct(MORE, set(self.columns))
                cells[self.more] = rest
                self._learn((self.more,))
            parts.append((self._stored(cells), numbers))
        for cells, numbers in parts:
            self._add(cells, [self._count + number + 1 for number in numbers])
        self._count += len(rows)

    def all_columns(self) -> list[Column]:
        return list(self.columns.values())

    def _open(self, rows: list[Row]) -> None:
        """Learn keys that are not known yet, of the rows themselves and of objects whose fields are columns."""
        last = [row[-1] for row in rows]
        known = {path.path for path in self._paths.values() if path.level == -1}
        covered = {path[:end] for path in known for end in range(1, len(path) + 1)}
        for prefix in {path[:end] for path in known for end in range(len(path))} | {()}:
            objects = (dig(row.value if isinstance(row, Member) else row, prefix) for row in last)
            keys = dict.fromkeys(key for one in objects if isinstance(one, dict) for key in one)
            for key in keys:
                path = (*prefix, key)
                if path not in covered and len(self._paths) < MOST_COLUMNS:
                    name = ".".join(map(str, path))
                    name = distinct(name, set(self._paths)) if name in self._paths else name
                    self._paths[name] = ColumnPath(name=name, path=path)
        self._learn(self._paths)

    def _alike(self, rows: list[Row]) -> Iterator[tuple[list[ColumnPath], Sequence[int]]]:
        """Return the numbers of rows that have the same keys, with the columns of these keys. Only those go to
        SQLite: what is absent costs no time of ours."""
        every = list(self._paths.values())
        if self._rows.spec.kind == "columns":
            yield every, range(len(rows))
            return
        alike: dict[tuple[str, ...] | None, list[int]] = {}
        for number, row in enumerate(rows):
            value = _object(row)
            alike.setdefault(None if value is None else tuple(value), []).append(number)
        always: list[ColumnPath] = []
        below: dict[Step, list[ColumnPath]] = {}
        for path in every:
            inside = path.level == -1 and path.path not in ((), (KEY,)) and path.name not in self._of_node
            (below.setdefault(path.path[0], []) if inside else always).append(path)
        for keys, numbers in alike.items():
            yield every if keys is None else [*always, *(one for key in keys for one in below.get(key, ()))], numbers

    def _rest(self, rows: list[Row]) -> list[dict[str, Any] | None]:
        """Return what each row has under keys without a column."""
        known = {path.path[0] for path in self._paths.values() if path.path and path.level == -1}
        objects = ({} if one is None else one for one in map(_object, rows))
        return [{key: cell for key, cell in one.items() if key not in known} or None for one in objects]

    def _append(self, cells: dict[str, list[Any]]) -> None:
        """Add rows behind those that are there."""
        made = self._stored(cells)
        if made:
            size = len(next(iter(made.values())))
            self._add(made, range(self._count + 1, self._count + 1 + size))
            self._count += size

    def _stored(self, cells: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {name: self.columns[name].cells(values) for name, values in cells.items()}

    def _add(self, cells: dict[str, list[Any]], numbers: Sequence[int]) -> None:
        """Add rows that have these numbers."""
        if not numbers:
            return
        if not self.columns:
            self._learn((VALUE,))
        filled = [self.columns[name] for name in cells]
        self._segments.add(self.all_columns(), filled, zip(numbers, *cells.values(), strict=True))

    def _learn(self, names: Collection[str]) -> None:
        for name in names:
            if name not in self.columns:
                is_number = name == NUMBER and not isinstance(self._spec, RowSpec) and self._spec.form == LINES
                make = RowNumber if is_number else Column
                self.columns[name] = make(name, self._taken, self._paths.get(name))


def _object(row: Row) -> dict[str, Any] | None:
    """Return the object that is a row, if it is one."""
    value = row[-1].value if isinstance(row[-1], Member) else row[-1]
    return value if isinstance(value, dict) else None


def _nested(spec: RowSpec, sql: str) -> Iterator[ColumnPath]:
    """Write objects whose fields are columns with dots as JSON in a column of their own, where the query speaks of
    them."""
    known = {one.name for one in spec.columns}
    for one in spec.columns if sql and spec.kind == "rows" else ():
        for end in range(1, len(one.path)):
            behind = dotted(one.path[end:])
            outer = dotted(one.path[:end]) if one.level < 0 else ""  # of a column with a name of its own
            name = one.name[: len(one.name) - len(behind)].removesuffix(".") if one.name.endswith(behind) else outer
            if name and name not in known and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", sql):
                known.add(name)
                yield ColumnPath(name=name, path=one.path[:end], level=one.level)
