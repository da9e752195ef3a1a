"""Held results in this process's memory: nothing to set up, and gone when the process ends.

It is a SQLite database in memory, so that all that ``sqlite`` says of records, shares and expiry holds here too.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.stores.base import Store, StoreLimits, closed
from penstock.stores.sqlite import SqliteStore
from penstock.stores.sqlite_file import Database, make_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class MemoryStore(SqliteStore):
    """Hold results as ``SqliteStore`` does, in a database that has no file."""

    place = "memory"
    engine = ""
    is_apart = False

    def __init__(self, *, limits: StoreLimits, now: Callable[[], float]) -> None:
        Store.__init__(self, limits=limits, now=now)
        self._database = _DatabaseInMemory()


class _DatabaseInMemory(Database):
    """One connection, which is the database. Threads wait for each other while they use it."""

    def __init__(self) -> None:
        super().__init__(Path(MemoryStore.place))
        self.name = "the store in memory"
        self._using = threading.RLock()
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        make_tables(self._db)
        self._is_open = True

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        with self._using, self.errors():
            if not self._is_open:
                raise closed()
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def courtesy(self) -> Iterator[sqlite3.Connection]:
        with self.connection() as db:  # no other process can have locked it
            yield db

    @contextmanager
    def long_transaction(self) -> Iterator[sqlite3.Connection]:
        with self.transaction() as db:  # there is no log to copy
            yield db

    def changed(self) -> str:
        with self.connection() as db:
            return str(db.total_changes)

    def close(self) -> None:
        with self._using:
            self._is_open = False
            self._db.close()
