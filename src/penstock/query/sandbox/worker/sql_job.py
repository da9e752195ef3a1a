"""One SQL query on the tables of held results, which stay loaded for the next one.

The query can read these tables and call functions. Everything else is refused by SQLite's authorizer before it runs:
writing, other files, settings, extensions. What runs too long is interrupted, what grows too large is refused. A query
on several results, or one that names results as schemas, gets copies of their tables in a database of its own.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from math import isinf
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.sql_text import in_quotes, quoted
from penstock.query.sandbox.worker.fault import Fault
from penstock.query.sandbox.worker.shelf import ResultTables, connect
from penstock.query.sandbox.worker.sql_column import infinity
from penstock.query.sandbox.worker.sql_fault import explain
from penstock.query.sandbox.worker.sql_meaning import Meaning
from penstock.query.sandbox.worker.sql_notes import Notes
from penstock.query.sandbox.worker.sql_ties import tie_note
from penstock.query.sql.names import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.sandbox.jobs import SqlQuery, SqlTable
    from penstock.query.sandbox.worker.shelf import Shelf

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


class SqlJob:
    """Rows come out as JSON objects on lines of their own, as many as have room in the answer; all are counted."""

    def __init__(self, query: SqlQuery, shelf: Shelf) -> None:
        self._query = query
        self._shelf = shelf
        self._databases = [shelf.database(source.key) for source in query.sources]
        self._tables = [
            database.table(table)
            for database, source in zip(self._databases, query.sources, strict=True)
            for table in source.tables
        ]
        single = {
            id(table): number for number, table in reversed([*enumerate(self._tables)])
        }  # a result may come twice
        self._lacking = [number for number in sorted(single.values()) if self._tables[number].lacks(query.sql)]
        self._columns: list[str] = []
        self._notes: list[str] = []
        self._rows = self._sent = 0
        with self._explained(), self._loading():
            for number in self._lacking:
                self._tables[number].begin(query.sql)

    @property
    def wanted(self) -> list[int]:
        """Return the numbers of the tables whose rows have to be sent."""
        return self._lacking

    def feed(self, text: bytes, note: int, first: int) -> tuple[bytes, ...]:
        """Take parts for the table of that number; ``first`` is the number of the first of them."""
        with self._explained(), self._loading():
            self._tables[note].load(text, first)
        return ()

    def finish(self) -> Iterator[bytes]:
        with self._explained():
            with self._loading():
                for number in self._lacking:
                    self._tables[number].settle()
            opened = self._copied() if self._query.schemas else self._opened(self._databases[0])
            with opened as database, self._locked(database):
                yield from self._answer(database)

    def summary(self) -> dict[str, Any]:
        return {"count": self._rows, "sent": self._sent, "columns": self._columns, "notes": self._notes}

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise errors of SQLite as faults that help to repair the query."""
        try:
            yield
        except sqlite3.Error as error:
            raise explain(error, self._tables, self._query) from None
        except UnicodeDecodeError:  # SQLite's message quotes what the query made, whatever bytes those are
            raise Fault(
                "SQL: an error, in words that are no text", do="look for bytes in it that are cast to text"
            ) from None

    @contextmanager
    def _loading(self) -> Iterator[None]:
        """Open one transaction for a step of a load. A step that fails leaves no half of a table behind."""
        connections = dict.fromkeys(one.connection for one in self._databases)
        try:
            for one in connections:
                one.execute("BEGIN")
            yield
            for one in connections:
                one.execute("COMMIT")
        except BaseException:
            self._shelf.forget(source.key for source in self._query.sources)
            raise

    @contextmanager
    def _opened(self, database: ResultTables) -> Iterator[sqlite3.Connection]:
        """Return the database of the one result, whose tables have the names that the query calls them by."""
        connection = database.connection
        [source] = self._query.sources
        for table in source.tables:
            _give_names(connection, "main", table)
        try:
            yield connection
        finally:
            for table in source.tables:
                _take_names(connection, "main", table)

    @contextmanager
    def _copied(self) -> Iterator[sqlite3.Connection]:
        """Return a database with a copy of each result, as a schema of the name that the query calls it by."""
        with closing(connect()) as connection:
            for source, database in zip(self._query.sources, self._databases, strict=True):
                connection.execute(f"ATTACH ':memory:' AS {in_quotes(source.schema)}")
                if source.tables:  # an empty database has no pages to copy
                    connection.deserialize(database.connection.serialize(), name=source.schema)
                for table in source.tables:
                    _give_names(connection, source.schema, table)
            for name, text in self._query.guards.items():
                connection.execute(f"CREATE TEMP VIEW {in_quotes(name)} AS {text}")
            yield connection

    @contextmanager
    def _locked(self, database: sqlite3.Connection) -> Iterator[None]:
        """Let only the caller's query run."""
        deadline = time.monotonic() + self._query.seconds
        database.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")  # their first use needs more rights
        database.execute("PRAGMA query_only=ON")
        limits = ((sqlite3.SQLITE_LIMIT_LENGTH, max(LEAST_LENGTH, 2 * self._query.length)), *_LIMITS)
        before = [(limit, database.setlimit(limit, most)) for limit, most in limits]
        database.set_progress_handler(lambda: time.monotonic() > deadline, CHECKED_EVERY)
        database.set_authorizer(_authorize)
        try:
            yield
        finally:
            database.set_authorizer(None)
            database.set_progress_handler(None, 0)
            for limit, most in before:
                database.setlimit(limit, most)
            database.execute("PRAGMA query_only=OFF")

    def _answer(self, database: sqlite3.Connection) -> Iterator[bytes]:
        meaning = Meaning(self._query.sql, self._tables)
        sql = meaning.settle(database)
        with closing(database.execute(sql)) as cursor:
            taken: set[str] = set()
            self._columns = [distinct(name, taken) for name, *_ in cursor.description or ()]
            yield from self._lines(cursor)
        self._notes = [*meaning.notes, *self._written(database, sql)]

    def _written(self, database: sqlite3.Connection, sql: str) -> list[str]:
        """Return what is to be said about an answer. The answer stays right if there is no time to ask for it."""
        names = [
            in_quotes(source.schema) + "." + quoted(table.spoken[0]) if source.schema else quoted(table.spoken[0])
            for source in self._query.sources
            for table in source.tables
        ]
        try:
            notes = Notes(database, sql, list(zip(names, self._tables, strict=True))).write()
        except sqlite3.Error:
            notes = []
        return [*notes, *filter(None, [tie_note(database, sql, self._columns, self._rows)])]

    def _lines(self, cursor: sqlite3.Cursor) -> Iterator[bytes]:
        room = self._query.output
        for row in cursor:
            if self._rows == self._query.rows:
                raise Fault(
                    f"the query gives more than {self._query.rows:,} rows",
                    do="count or group them in SQL, or add LIMIT",
                )
            if room > 0:
                line = msgspec.json.encode(dict(zip(self._columns, map(_value, row), strict=True)))
                room -= len(line) + 1
                if room >= 0:
                    yield line if not self._sent else b"\n" + line
                    self._sent += 1
                elif not self._sent:
                    raise Fault(
                        f"the first row of the answer has {len(line):,} bytes, more than {self._query.output:,}",
                        do="select fewer columns, or a part of a text with substr()",
                    )
            self._rows += 1


def _give_names(connection: sqlite3.Connection, schema: str, table: SqlTable) -> None:
    """Let a table have the names that a query calls it by: one is the table's own, with rowid, others are views."""
    name, *others = table.spoken
    if name != table.name:
        connection.execute(f"ALTER TABLE {in_quotes(schema)}.{in_quotes(table.name)} RENAME TO {in_quotes(name)}")
    for other in others:
        view = f"CREATE VIEW {in_quotes(schema)}.{in_quotes(other)} AS SELECT * FROM {in_quotes(name)}"  # noqa: S608  # our own
        connection.execute(view)


def _take_names(connection: sqlite3.Connection, schema: str, table: SqlTable) -> None:
    name, *others = table.spoken
    for other in others:
        connection.execute(f"DROP VIEW IF EXISTS {in_quotes(schema)}.{in_quotes(other)}")
    if name != table.name:
        connection.execute(f"ALTER TABLE {in_quotes(schema)}.{in_quotes(name)} RENAME TO {in_quotes(table.name)}")


def _authorize(action: int, _first: str | None, second: str | None, _database: str | None, _by: str | None) -> int:
    if action not in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _REFUSED_FUNCTIONS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _value(value: Any) -> Any:
    """Return a value of an answer as JSON can say it."""
    if type(value) is float and isinf(value):
        return infinity(value)
    if type(value) is bytes:
        return f"x'{value.hex()}'"
    return value
