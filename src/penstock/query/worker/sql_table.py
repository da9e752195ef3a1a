"""Rows of held results in tables of SQLite, with the columns that their specs say.

SQLite keeps 64 bits of integers; a larger one is text. What is nested is JSON text. So that an answer is JSON again,
each column is declared with a type name of its own, and SQLite tells that name of every column of an answer that
comes straight from a table: that is how true, and what was nested, are known again.
"""

from __future__ import annotations

import json
import re
import sqlite3
from itertools import count, islice
from math import isinf
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.read_text import BY_NAME, lines_of
from penstock.core.forms.rows import OF_NODE, ColumnPath, Member, Rows, RowSpec, dig
from penstock.core.forms.tables import dotted
from penstock.core.forms.text_form import BATCH, DoesNotHoldError
from penstock.core.json.path import KEY
from penstock.query.names import distinct, quoted
from penstock.query.worker.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from penstock.core.forms.reading import TextSpec
    from penstock.core.forms.rows import Row
    from penstock.core.json.path import Step

MOST_COLUMNS: Final = 1_900  # SQLite takes 2,000, in a table and in an answer
MORE: Final = "_more"  # the column of the keys that are too many to be columns, as one JSON object
VALUE: Final = "value"  # the column of items that are not objects, and of lines
LINES: Final = "lines"  # the form of a text that has none
ROW: Final = "_rowid_"  # SQLite's name for the number of a row, which no column may take
LONGEST_INTEGER: Final = 4_000  # digits that Python converts; a longer number is text anyway

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_NULL = type(None)
_serials = count()


class Column:
    """A column's name, the key that it stands for, and the types of all values that were put into it."""

    def __init__(self, name: str, taken: set[str], path: ColumnPath | None = None) -> None:
        # NUL would end a statement, and a column without a name could not be asked for.
        self.name = distinct(name.replace("\x00", "\ufffd") or "empty", taken)
        key = ".".join(map(str, path.path)) if path is not None and path.path else name
        self.key = key if not key or re.fullmatch(rf"{re.escape(key)}_\d+", name) else name
        self.kinds: set[type] = set()
        self.large = False
        self._type = f"K{next(_serials)}"

    @property
    def declaration(self) -> str:
        # "BLOB" keeps SQLite from turning a text of digits into a number.
        return f"{quoted(self.name)} {self._type} BLOB"

    @property
    def told(self) -> str:
        """What the column holds, for a reader."""
        return {"bool": "bool", "json": "JSON", "int": "int"}.get(self._meaning, "")

    def cells(self, values: list[Any], encode: Callable[[Any], bytes]) -> list[Any]:
        """The values as SQLite takes them; ``encode`` writes what is nested."""
        kinds = set(map(type, values))
        self.kinds |= kinds
        if dict in kinds or list in kinds:
            values = [encode(value).decode() if isinstance(value, dict | list) else value for value in values]
        if int in kinds:
            whole = [value for value in values if type(value) is int]
            if max(whole) > _LARGEST or min(whole) < _SMALLEST:
                self.large = True
                values = [_within_64_bits(value) for value in values]
        return values

    def settle(self) -> None:
        """All values are in: from now on answers can tell what they were."""
        if (convert := _CONVERTERS.get(self._meaning)) is not None:
            sqlite3.register_converter(self._type, convert)

    @property
    def _meaning(self) -> str:
        kinds = self.kinds - {_NULL}
        if kinds == {bool}:
            return "bool"
        if kinds and kinds <= {dict, list}:
            return "json"
        return "int" if kinds == {int} and self.large else ""


class Table:
    """A table with the columns of its spec; one that is open grows columns as its rows bring new keys."""

    def __init__(self, database: sqlite3.Connection, name: str, spec: RowSpec | TextSpec, sql: str = "") -> None:
        self.name = name
        self.columns: dict[str, Column] = {}
        self._database = database
        self._spec = spec
        self._taken = {ROW}
        self._made = False
        self._count = 0
        self._text = bytearray()
        self._paths: dict[str, ColumnPath] = {}
        self.more = ""
        self._of_node = OF_NODE if isinstance(spec, RowSpec) and spec.kind == "tree" else {}
        if isinstance(spec, RowSpec):
            self._rows = Rows(spec)
            self._paths = {one.name: one for one in (*spec.columns, *_nested(spec, sql))}
            self._learn(self._paths)

    def load(self, text: bytes, first: int) -> None:
        """Add rows from some parts of a container, of which the first has this number; or a piece of a text."""
        if not isinstance(self._spec, RowSpec):
            self._text += text
            return
        value, encode = decode(text)
        rows = self._rows.take(value, first)
        if self._spec.is_open:
            self._open(rows)
        for paths, numbers in self._alike(rows):
            some = [rows[number] for number in numbers]
            names = [path.name for path in paths]
            cells = dict(zip(names, self._rows.columns(some, paths), strict=True))
            if len(self._paths) >= MOST_COLUMNS and any(rest := self._rest(some)):
                self.more = self.more or distinct(MORE, set(self.columns))
                cells[self.more] = rest
                self._learn((self.more,))
            self._insert(cells, numbers, encode)
        self._count += len(rows)

    def settle(self) -> None:
        """All rows are in: from now on answers can tell what the columns hold."""
        if not isinstance(self._spec, RowSpec):
            for columns in rows_of_text(bytes(self._text), self._spec):
                self._learn(columns)
                size = len(next(iter(columns.values()), ()))
                self._insert(columns, range(size), msgspec.json.encode)
                self._count += size
            self._text.clear()
        if not self._made:
            self._learn((VALUE,))
        for column in self.all_columns():
            column.settle()

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
        """The numbers of rows that have the same keys, with the columns of these keys. Only those are told to SQLite:
        what is absent costs no time of ours."""
        every = list(self._paths.values())
        if self._rows.spec.kind == "columns":
            yield every, range(len(rows))
            return
        alike: dict[tuple[str, ...] | None, list[int]] = {}
        for number, row in enumerate(rows):
            found = _object(row)
            alike.setdefault(None if found is None else tuple(found), []).append(number)
        always: list[ColumnPath] = []
        below: dict[Step, list[ColumnPath]] = {}
        for path in every:
            inside = path.level == -1 and path.path not in ((), (KEY,)) and path.name not in self._of_node
            (below.setdefault(path.path[0], []) if inside else always).append(path)
        for keys, numbers in alike.items():
            yield every if keys is None else [*always, *(one for key in keys for one in below.get(key, ()))], numbers

    def _rest(self, rows: list[Row]) -> list[dict[str, Any] | None]:
        """What each row has under keys that no column stands for."""
        known = {path.path[0] for path in self._paths.values() if path.path and path.level == -1}
        objects = ({} if one is None else one for one in map(_object, rows))
        return [{key: cell for key, cell in one.items() if key not in known} or None for one in objects]

    def _insert(self, cells: dict[str, list[Any]], numbers: Sequence[int], encode: Callable[[Any], bytes]) -> None:
        """Add rows that have these numbers behind those that are there."""
        if not numbers:
            return
        if not self._made:
            self._learn((VALUE,))
        columns = [(self.columns[name], values) for name, values in cells.items()]
        made = [column.cells(values, encode) for column, values in columns]
        places = ",".join((ROW, *(quoted(column.name) for column, _ in columns)))
        marks = ",".join("?" * (len(made) + 1))
        statement = f"INSERT INTO {quoted(self.name)} ({places}) VALUES ({marks})"  # noqa: S608  # our own names
        places_of_rows = [self._count + number + 1 for number in numbers]
        self._database.executemany(statement, zip(places_of_rows, *made, strict=True))

    def _learn(self, names: Collection[str]) -> None:
        fresh = []
        for name in names:
            if name not in self.columns:
                self.columns[name] = Column(name, self._taken, self._paths.get(name))
                fresh.append(self.columns[name])
        if not self._made and fresh:
            declared = ", ".join(column.declaration for column in fresh)
            self._database.execute(f"CREATE TABLE {quoted(self.name)} ({declared})")
            self._made = True
        elif fresh:
            self._add(fresh)

    def _add(self, columns: list[Column]) -> None:
        """Add columns behind the others, all in one step.

        ALTER TABLE adds one, and reads the whole schema again for it: hundreds of them would take seconds. What it
        writes is the text of the table, with the column at its end; rows without a value for it are NULL there.
        """
        more = "".join(f", {column.declaration}" for column in columns)
        (version,) = self._database.execute("PRAGMA schema_version").fetchone()
        self._database.execute("PRAGMA writable_schema=ON")
        longer = "UPDATE sqlite_master SET sql = substr(sql, 1, length(sql) - 1) || ? || ')' WHERE name = ?"
        self._database.execute(longer, (more, self.name))
        self._database.execute(f"PRAGMA schema_version={version + 1}")
        self._database.execute("PRAGMA writable_schema=RESET")


def _object(row: Row) -> dict[str, Any] | None:
    """The object that is a row, if it is one."""
    found = row[-1].value if isinstance(row[-1], Member) else row[-1]
    return found if isinstance(found, dict) else None


def _nested(spec: RowSpec, sql: str) -> Iterator[ColumnPath]:
    """Objects whose fields are columns with dots, as JSON in a column of their own, where the query speaks of them."""
    known = {one.name for one in spec.columns}
    for one in spec.columns if sql and spec.kind == "rows" else ():
        for end in range(1, len(one.path)):
            behind = dotted(one.path[end:])
            name = one.name[: len(one.name) - len(behind)].removesuffix(".") if one.name.endswith(behind) else ""
            if name and name not in known and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", sql):
                known.add(name)
                yield ColumnPath(name=name, path=one.path[:end], level=one.level)


def rows_of_text(body: bytes, spec: TextSpec) -> Iterator[dict[str, list[Any]]]:
    """The rows of one table of a text, some at a time; the lines of a text without a form. Bytes that are no text are
    marked: neither JSON nor SQLite could take them."""
    lines = lines_of(body, "replace")
    if spec.form == LINES:
        for number in count(1):
            some = list(islice(lines, BATCH))
            if not some:
                return
            first = (number - 1) * BATCH + 1
            yield {"line": list(range(first, first + len(some))), VALUE: some}
    try:
        for batch in BY_NAME[spec.form].parser(spec.options).parse(lines):
            if spec.table in batch:
                yield batch[spec.table]
    except DoesNotHoldError as error:  # of a very long text only parts were looked at
        raise Fault(
            f"the text does not go on as it begins, so it has no rows: {error}", do="search it, or read it by window"
        ) from None


def decode(text: bytes) -> tuple[Any, Callable[[Any], bytes]]:
    """JSON as Python values, and what writes them again.

    Numbers that the fast parser refuses are read by the patient one; infinity among them must not become null.
    """
    try:
        return msgspec.json.decode(text), msgspec.json.encode
    except msgspec.MsgspecError:
        return json.loads(text, parse_int=_whole_number), lambda value: msgspec.json.encode(_sayable(value))


def infinity(value: float) -> msgspec.Raw:
    """An infinite number as JSON can say it."""
    return msgspec.Raw(b"1e999" if value > 0 else b"-1e999")


def _sayable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sayable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_sayable(one) for one in value]
    return infinity(value) if isinstance(value, float) and isinf(value) else value


def _whole_number(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_INTEGER else digits


def _within_64_bits(value: Any) -> Any:
    if type(value) is int and not _SMALLEST <= value <= _LARGEST:
        return str(value)
    return value


def _truth(stored: bytes) -> Any:
    return stored == b"1" if stored in (b"0", b"1") else _as_json(stored)


def _as_json(stored: bytes) -> Any:
    """What was nested, as it is; in a UNION other values come under the same column, and stay what they are."""
    try:
        return msgspec.Raw(msgspec.json.format(stored, indent=-1))
    except msgspec.MsgspecError:
        return stored.decode("utf-8", "replace")


_CONVERTERS: Final[dict[str, Callable[[bytes], Any]]] = {"bool": _truth, "json": _as_json, "int": _as_json}
