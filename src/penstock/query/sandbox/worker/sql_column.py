"""One column of a table in SQLite: its affinity, how its cells are stored, and how an answer gets them back.

| values of the column                            | declared as               | why                                  |
|-------------------------------------------------|---------------------------|--------------------------------------|
| integers and booleans                           | INTEGER                   | ``id = '1'`` matches 1               |
| decimals, alone or with integers                | REAL, NUMERIC             | ``rating >= '4.5'`` compares numbers |
| texts that all write numbers, each in one way   | NUMERIC                   | ``value > 60`` compares numbers      |
| such numbers and integers beyond what fits      | TEXT COLLATE EXACT_NUMBER | no digit is lost                     |
| other texts                                     | TEXT                      |                                      |
| arrays, objects, and values of several types    | no affinity               | each value stays as it is            |

Each column is declared with a type name of its own. SQLite reports that name for every column of an answer that comes
straight from a table, so true, nested values, and numbers written as texts come back as they were.
"""

from __future__ import annotations

import re
import sqlite3
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.sql_text import in_quotes
from penstock.query.sandbox.worker.sql_functions import EXACT
from penstock.query.sql.names import distinct

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.rows import ColumnPath

MAX_DIGITS: Final = 15  # Digits of a decimal that a double always keeps.
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_NULL = type(None)
_NUMBER = re.compile(r"(?!-0(?:\.0+)?\Z)-?(?:0|[1-9][0-9]*)(?:\.([0-9]+))?")
_serials = count()


class Column:
    """A column's name, the key that it stands for, and the types of all values that were put into it."""

    def __init__(self, name: str, taken: set[str], path: ColumnPath | None = None) -> None:
        # NUL would end a statement, and a column without a name could not be asked for.
        self.name = distinct(name.replace("\x00", "\ufffd") or "empty", taken)
        key = ".".join(map(str, path.path)) if path is not None and path.path else name
        self.key = key if not key or re.fullmatch(rf"{re.escape(key)}_\d+", name) else name
        self.kinds: set[type] = set()
        self._large = False  # It has integers of more than 64 bits.
        self._texts = _NumberTexts()
        self._type = f"K{next(_serials)}"

    @property
    def loaded_as(self) -> str:
        """Return how the column is declared while rows still come: no value that is in it loses anything."""
        affinity = "TEXT" if self._kinds == {str} else self._affinity
        return f"{in_quotes(self.name)} {self._type} {affinity}".rstrip()

    @property
    def declaration(self) -> str:
        """Return how the column is declared once all rows are in."""
        return f"{in_quotes(self.name)} {self._type} {self._affinity}".rstrip()

    @property
    def is_bool(self) -> bool:
        return self._kinds == {bool}

    @property
    def is_nested(self) -> bool:
        return bool(self._kinds) and self._kinds <= {dict, list}

    @property
    def is_wide(self) -> bool:
        """Return True if it is compared by the collation for numbers that SQLite cannot store."""
        return self._affinity.startswith("TEXT ")

    @property
    def is_text(self) -> bool:
        """Return True if some values are texts, and they are stored as texts."""
        return str in self._kinds and not self._writes_numbers

    @property
    def content(self) -> str:
        """Return what the column holds, for a reader."""
        return "bool" if self.is_bool else "JSON" if self.is_nested else "int" if self._is_large else ""

    def cells(self, values: list[Any]) -> list[Any]:
        """Return the values as SQLite takes them; nested ones as JSON."""
        kinds = set(map(type, values))
        self.kinds |= kinds
        if dict in kinds or list in kinds:
            values = [
                msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value for value in values
            ]
        elif str in kinds and self._kinds == {str}:
            self._texts.add(values)
        if int in kinds:
            whole = values if len(kinds) == 1 else [value for value in values if type(value) is int]
            if max(whole) > _LARGEST or min(whole) < _SMALLEST:
                self._large = True
                values = [_within_64_bits(value) for value in values]
        return values

    def settle(self) -> None:
        """Close the column: all values are in, so answers can tell their types from now on."""
        if (convert := self._converter()) is not None:
            sqlite3.register_converter(self._type, convert)

    @property
    def _kinds(self) -> set[type]:
        return self.kinds - {_NULL}

    @property
    def _is_large(self) -> bool:
        return self._large and self._kinds == {int}

    @property
    def _writes_numbers(self) -> bool:
        return self._kinds == {str} and self._texts.is_number

    @property
    def _affinity(self) -> str:
        kinds = self._kinds
        if self._is_large:
            return f"TEXT COLLATE {EXACT}"
        if kinds == {str}:
            return self._texts.affinity
        if not kinds or not kinds <= {int, bool, float} or self._large:
            return "BLOB"  # SQLite's word for a column that converts nothing
        return "INTEGER" if float not in kinds else "REAL" if kinds == {float} else "NUMERIC"

    def _converter(self) -> Callable[[bytes], Any] | None:
        if self.is_bool:
            return _truth
        if self.is_nested or self._is_large:
            return _as_json
        if self._writes_numbers and not self.is_wide:
            return partial(_as_written, self._texts.decimals)
        return None


class RowNumber(Column):
    """The number of a line, which is the number of its row: SQLite finds it at once, so a query that looks for one line
    from each other line does not take a square of the time."""

    @property
    def loaded_as(self) -> str:
        return self.declaration

    @property
    def declaration(self) -> str:
        return f"{in_quotes(self.name)} INTEGER PRIMARY KEY"


class _NumberTexts:
    """Finds out whether all texts of a column write numbers, and no number is written in two ways: ``1.1`` and ``1.10``
    may be two versions, and ``007`` is not 7."""

    def __init__(self) -> None:
        self.is_plain = True  # Each text so far is a number.
        self._places: set[int] = set()  # Numbers of decimals.
        self._has_zeros = False  # Some end in a zero behind the point.
        self._is_long = False  # Some have more digits than SQLite's numbers keep.
        self._is_empty = True

    def add(self, values: list[Any]) -> None:
        if not self.is_plain:
            return
        for value in values:
            if value is None:
                continue
            match = _NUMBER.fullmatch(value)
            if match is None:
                self.is_plain = False
                return
            decimals = match[1]
            self._is_empty = False
            self._places.add(len(decimals or ""))
            self._has_zeros = self._has_zeros or (decimals is not None and decimals.endswith("0"))
            if len(value) > MAX_DIGITS:
                self._is_long = self._is_long or _is_long(value, decimals)

    @property
    def is_number(self) -> bool:
        return self.is_plain and not self._is_empty and (len(self._places) == 1 or not self._has_zeros)

    @property
    def affinity(self) -> str:
        if not self.is_number:
            return "TEXT"
        return f"TEXT COLLATE {EXACT}" if self._is_long else "NUMERIC"

    @property
    def decimals(self) -> int | None:
        """Return how many decimals each text has; None if their number differs."""
        return next(iter(self._places)) if len(self._places) == 1 else None


def _is_long(text: str, decimals: str | None) -> bool:
    if decimals is None:
        return not _SMALLEST <= int(text) <= _LARGEST if len(text) < MAX_DIGITS * 2 else True
    return len(text.replace(".", "").lstrip("-0")) > MAX_DIGITS


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


def _as_written(decimals: int | None, stored: bytes) -> str:
    """Return a number as the text that it was."""
    text = stored.decode("utf-8", "replace")
    try:
        number = Decimal(text)
    except InvalidOperation:  # of another part of a UNION
        return text
    if decimals is not None:
        return f"{number:.{decimals}f}"
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
