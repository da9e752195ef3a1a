"""Held items as rows of a table: every key of every item is a column, whenever it first appears.

SQLite keeps 64 bits of integers; a larger one is text. What is nested is JSON text. So that an answer is JSON again,
each column is declared with a type name of its own, and SQLite tells that name of every column of an answer that
comes straight from a table: that is how true, and what was nested, are known again.
"""

from __future__ import annotations

import json
import sqlite3
from itertools import count
from math import isinf
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.query.names import distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

MOST_COLUMNS: Final = 1_900  # SQLite takes 2,000, in a table and in an answer
REST: Final = "_more"  # the column that holds the other keys, as one JSON object
VALUE: Final = "value"  # the column of items that are not objects
KEY: Final = "key"  # the column of the names, where the items are the members of one object
ROW: Final = "_rowid_"  # SQLite's name for the number of a row, which no column may take
LONGEST_INTEGER: Final = 4_000  # digits that Python converts; a longer number is text anyway

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_NULL = type(None)
_serials = count()


class Column:
    """A column's name, the key that it stands for, and the types of all values that were put into it."""

    def __init__(self, key: str, taken: set[str]) -> None:
        self.key = key
        # NUL would end a statement, and a column without a name could not be asked for.
        self.name = distinct(key.replace("\x00", "\ufffd") or "empty", taken)
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
    """A table that grows columns as its rows bring new keys."""

    def __init__(self, database: sqlite3.Connection, name: str, *, keyed: bool) -> None:
        self.name = name
        self.columns: dict[str, Column] = {}
        self._database = database
        self._keyed = keyed
        self._lead = Column(KEY, set()) if keyed else None
        self._rest: Column | None = None
        self._made = False
        self._count = 0

    def load(self, text: bytes) -> None:
        """Add the items of a JSON array (of an object, when keyed) as rows."""
        items, encode = decode(text)
        names: list[Any] = []
        if self._keyed:
            names = list(items)
            items = list(items.values())
        rows = [item if isinstance(item, dict) else {VALUE: item} for item in items]
        self._learn(dict.fromkeys(key for row in rows for key in row))
        alike: dict[tuple[str, ...], list[int]] = {}
        for number, row in enumerate(rows):
            alike.setdefault(tuple(row), []).append(number)
        for keys, numbers in alike.items():
            self._insert(
                keys, [rows[number] for number in numbers], numbers, [names[n] for n in numbers if names], encode
            )
        self._count += len(rows)

    def _insert(
        self,
        keys: tuple[str, ...],
        rows: list[dict[str, Any]],
        numbers: list[int],
        names: list[str],
        encode: Callable[[Any], bytes],
    ) -> None:
        """Rows that have the same keys. Only these are told to SQLite: what is absent costs no time of ours."""
        parts = [(column, [row[key] for row in rows]) for key in keys if (column := self.columns.get(key)) is not None]
        if self._rest is not None and len(parts) < len(keys):
            parts.append((self._rest, [self._left_over(row) for row in rows]))
        if self._lead is not None:
            parts.append((self._lead, list(names)))
        cells = [column.cells(values, encode) for column, values in parts]
        places = ",".join((ROW, *(quoted(column.name) for column, _ in parts)))
        marks = ",".join("?" * (len(cells) + 1))
        statement = f"INSERT INTO {quoted(self.name)} ({places}) VALUES ({marks})"  # noqa: S608  # our own names
        places_of_rows = [self._count + number + 1 for number in numbers]
        self._database.executemany(statement, zip(places_of_rows, *cells, strict=True))

    def settle(self) -> None:
        if not self._made:
            self._learn(())
        for column in self.all_columns():
            column.settle()

    def all_columns(self) -> list[Column]:
        lead = [] if self._lead is None else [self._lead]
        rest = [] if self._rest is None else [self._rest]
        return [*lead, *self.columns.values(), *rest]

    def _learn(self, keys: Collection[str]) -> None:
        if not keys and not self.columns:
            keys = (VALUE,)  # a table has a column, even where no item has a key or there is no item
        fresh: list[Column] = []
        taken = {ROW, *(column.name.lower() for column in self.all_columns())}
        for key in keys:
            if key in self.columns:
                continue
            if len(self.columns) >= MOST_COLUMNS:
                if self._rest is None:
                    self._rest = Column(REST, taken)
                    fresh.append(self._rest)
                break
            self.columns[key] = Column(key, taken)
            fresh.append(self.columns[key])
        if not self._made:
            declared = ", ".join(column.declaration for column in self.all_columns())
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

    def _left_over(self, row: dict[str, Any]) -> dict[str, Any] | None:
        return {key: value for key, value in row.items() if key not in self.columns} or None


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


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


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
