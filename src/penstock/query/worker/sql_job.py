"""One SQL query on held arrays, as tables of a database that exists for this query only, in memory.

The query can read these tables and call functions. Everything else is refused by SQLite's authorizer before it runs:
writing, other files, settings, extensions. What runs too long is interrupted, what grows too large is refused.
"""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing, contextmanager
from math import isinf
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.query.names import distinct, quoted
from penstock.query.worker.fault import Fault
from penstock.query.worker.sql_fault import explain, no_such_column
from penstock.query.worker.sql_table import Table, infinity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.questions import SqlQuestion

CHECKED_EVERY: Final = 20_000  # steps of SQLite's machine, a fraction of a millisecond: how often the clock is read
LEAST_LENGTH: Final = 16_777_216  # bytes of one value: enough for any JSON text that a query puts together

_LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500),  # matching takes time by a power of its percent signs
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
_ALLOWED: Final = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)
_REFUSED_FUNCTIONS: Final = frozenset(("load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"))
_QUOTED = re.compile(r"""'((?:[^']|'')*)'|"((?:[^"]|"")*)"|--[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL)


class SqlJob:
    """Rows come out as JSON objects on lines of their own."""

    def __init__(self, question: SqlQuestion) -> None:
        self._question = question
        self._database = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES, isolation_level=None)
        self._database.executescript("PRAGMA temp_store=MEMORY; PRAGMA journal_mode=OFF; PRAGMA trusted_schema=OFF;")
        self._tables = [Table(self._database, one.name, one.rows, question.sql) for one in question.tables]
        self._columns: list[str] = []
        self._rows = 0

    def feed(self, text: bytes, note: int, first: int) -> tuple[bytes, ...]:
        """Parts for the table of that number; ``first`` is the number of the first of them."""
        with self._explained():
            self._tables[note].load(text, first)
        return ()

    def finish(self) -> Iterator[bytes]:
        with closing(self._database), self._explained():
            self._settle()
            self._lock()
            yield from self._answer()

    def summary(self) -> dict[str, Any]:
        return {"count": self._rows, "columns": self._columns}

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of SQLite as faults that help to repair the query."""
        try:
            yield
        except sqlite3.Error as error:
            raise explain(error, self._tables, self._question.known, self._question.seconds) from None
        except UnicodeDecodeError:  # SQLite's message quotes what the query made, whatever bytes those are
            raise Fault(
                "SQL: an error, in words that are no text", do="look for bytes in it that are cast to text"
            ) from None

    def _settle(self) -> None:
        """All rows are in: give the tables their other names."""
        for table, asked in zip(self._tables, self._question.tables, strict=True):
            table.settle()
            for other in asked.others:
                view = f"CREATE VIEW {quoted(other)} AS SELECT * FROM {quoted(table.name)}"  # noqa: S608  # our own names
                self._database.execute(view)

    def _lock(self) -> None:
        """From here on only the caller's query runs."""
        deadline = time.monotonic() + self._question.seconds
        self._database.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")  # their first use needs more rights
        self._database.execute("PRAGMA query_only=ON")
        self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(LEAST_LENGTH, 2 * self._question.length))
        for limit, most in _LIMITS:
            self._database.setlimit(limit, most)
        self._database.set_progress_handler(lambda: time.monotonic() > deadline, CHECKED_EVERY)
        self._database.set_authorizer(_authorize)

    def _answer(self) -> Iterator[bytes]:
        sql = self._question.sql
        if (name := self._column_taken_for_text(sql)) is not None:
            raise no_such_column(name, self._tables)
        cursor = self._database.execute(sql)
        taken: set[str] = set()
        self._columns = [distinct(name, taken) for name, *_ in cursor.description or ()]
        for row in cursor:
            if self._rows == self._question.rows:
                raise Fault(
                    f"the query gives more than {self._question.rows:,} rows",
                    do="count or group them in SQL, or add LIMIT",
                )
            if self._rows:
                yield b"\n"
            self._rows += 1
            yield msgspec.json.encode(dict(zip(self._columns, map(_value, row), strict=True)))

    def _column_taken_for_text(self, sql: str) -> str | None:
        """A name in double quotes that no table has: SQLite would quietly take it for a text."""
        if '"' not in sql:
            return None
        program = self._database.execute(f"EXPLAIN {sql}")
        texts = {row[5] for row in program if row[1] == "String8"}
        literals = [(found[1], found[2]) for found in _QUOTED.finditer(sql)]
        plain = {text for text, _ in literals}
        names = (name.replace('""', '"') for _, name in literals if name is not None)
        return next((name for name in names if name in texts and name not in plain), None)


def _authorize(action: int, _first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
    if action not in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _REFUSED_FUNCTIONS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _value(value: Any) -> Any:
    """A value of an answer as JSON can say it."""
    if type(value) is float and isinf(value):
        return infinity(value)
    if type(value) is bytes:
        return f"x'{value.hex()}'"
    return value
