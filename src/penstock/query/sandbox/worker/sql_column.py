"""One column of a table in SQLite: what its cells are stored as, and how they are told from an answer again.

SQLite keeps 64 bits of integers; a larger one is text. A decimal that no double keeps is text, too. What is nested is
JSON text. So that an answer is JSON again, each column is declared with a type name of its own, and SQLite tells that
name of every column of an answer that comes straight from a table: that is how true, and what was nested, are known
again.
"""

from __future__ import annotations

import re
import sqlite3
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.sql_text import in_quotes
from penstock.query.sql.names import distinct

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.rows import ColumnPath

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
        return f"{in_quotes(self.name)} {self._type} BLOB"

    @property
    def is_bool(self) -> bool:
        return self._meaning == "bool"

    @property
    def content(self) -> str:
        """Return what the column holds, for a reader."""
        return {"bool": "bool", "json": "JSON", "int": "int"}.get(self._meaning, "")

    def cells(self, values: list[Any]) -> list[Any]:
        """Return the values as SQLite takes them; nested ones as JSON."""
        kinds = set(map(type, values))
        self.kinds |= kinds
        if dict in kinds or list in kinds:
            values = [
                msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value for value in values
            ]
        if int in kinds:
            whole = values if len(kinds) == 1 else [value for value in values if type(value) is int]
            if max(whole) > _LARGEST or min(whole) < _SMALLEST:
                self.large = True
                values = [_within_64_bits(value) for value in values]
        return values

    def settle(self) -> None:
        """Close the column: all values are in, so answers can tell their types from now on."""
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


def infinity(value: float) -> msgspec.Raw:
    """Return an infinite number as JSON can say it."""
    return msgspec.Raw(b"1e999" if value > 0 else b"-1e999")


def _within_64_bits(value: Any) -> Any:
    if type(value) is int and not _SMALLEST <= value <= _LARGEST:
        return str(value)
    return value


def _truth(stored: bytes) -> Any:
    return stored == b"1" if stored in (b"0", b"1") else _as_json(stored)


def _as_json(stored: bytes) -> Any:
    """Return a nested value as JSON. In a UNION other values come under the same column, and stay what they are."""
    try:
        return msgspec.Raw(msgspec.json.format(stored, indent=-1))
    except msgspec.MsgspecError:
        return stored.decode("utf-8", "replace")


_CONVERTERS: Final[dict[str, Callable[[bytes], Any]]] = {"bool": _truth, "json": _as_json, "int": _as_json}
