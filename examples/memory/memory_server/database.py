"""The SQLite file. A memory is a session, or a folder that all sessions see; both have chunks.

One connection writes and one reads, each behind a lock, as calls come in on several threads. Other servers may use the
same file: a writer waits for its turn, and a reader sees the file as it was when it began.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from memory_server.words import spaced
from penstock import ConfigError, StoreError
from server_parts.sqlite import write_ahead

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLICATION: Final = 0x70656E6D  # "penm": tells our file from another program's
VERSION: Final = 5
WAIT: Final = 30.0  # seconds for another server that writes to the same file

_SCHEMA: Final = """
CREATE TABLE memories (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 0,
  created TEXT NOT NULL, updated TEXT NOT NULL, UNIQUE (kind, name)
);
CREATE TABLE files (
  memory INTEGER NOT NULL, source TEXT NOT NULL, size INTEGER, mtime_ns INTEGER, PRIMARY KEY (memory, source)
) WITHOUT ROWID;
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, memory INTEGER NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL,
  address TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
  importance REAL NOT NULL DEFAULT 1
);
CREATE INDEX by_source ON chunks (memory, source, position);
CREATE INDEX by_address ON chunks (memory, address);
CREATE INDEX by_name ON chunks (memory, name);
CREATE TABLE links (chunk INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY (chunk, target)) WITHOUT ROWID;
CREATE INDEX by_target ON links (target);
CREATE VIRTUAL TABLE words USING fts5(
  title, source, text, content='', tokenize='porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER put AFTER INSERT ON chunks BEGIN
  INSERT INTO words (rowid, title, source, text)
  VALUES (new.id, spaced(new.title), spaced(new.source), spaced(new.text));
END;
CREATE TRIGGER remove AFTER DELETE ON chunks BEGIN
  INSERT INTO words (words, rowid, title, source, text)
  VALUES ('delete', old.id, spaced(old.title), spaced(old.source), spaced(old.text));
  DELETE FROM links WHERE chunk = old.id;
END;
"""


class Database:
    """The file, opened. A caller says whether it is to write or to read."""

    def __init__(self, file: Path) -> None:
        """Open the file, or make it. A file that is not ours is left as it is: it may be all that a user knows."""
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._writer = _connected(file)
            _prepare(self._writer, file)
            self._reader = _connected(file)
        except sqlite3.Error as error:
            raise ConfigError(
                f"{file}: cannot be used: {error}", do="move it away, or name another folder with --data"
            ) from None
        self._writing, self._reading = threading.Lock(), threading.Lock()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction: all that is written in it is kept, or nothing of it."""
        with self._writing, _transaction(self._writer, "BEGIN IMMEDIATE"):
            yield self._writer

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction in which all that is read is of one moment."""
        with self._reading, _transaction(self._reader, "BEGIN"):
            yield self._reader

    def close(self) -> None:
        """Let go of the file."""
        with self._writing, self._reading:
            self._writer.close()
            self._reader.close()


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    try:
        connection.execute(begin)
        try:
            yield
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise StoreError(f"the memory could not be used: {error}", do="nothing was changed; try again") from error


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=WAIT, check_same_thread=False, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.create_function("spaced", 1, spaced, deterministic=True)
    return connection


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    write_ahead(connection, WAIT)
    connection.execute("BEGIN IMMEDIATE")  # two servers that start at once: one makes the tables, the other finds them
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        is_new = application == 0 and not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if is_new:
            for statement in _statements():
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        elif (application, version) != (APPLICATION, VERSION):
            raise ConfigError(
                f"{file}: is no memory of this server, or of another version",
                do="move it away, or name another folder with --data",
            )
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _statements() -> Iterator[str]:
    """Yield the schema one statement at a time: ``executescript`` would end the transaction."""
    statement = ""
    for line in _SCHEMA.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
