"""Keep from one job to the next: the tables of held results, and texts that were turned into JSON.

A worker that keeps anything is asked by one owner only, until its process ends: the pool sees to that, and says which
results to forget. A job without a key leaves nothing here.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from penstock.query.sandbox.worker.sql_functions import add_functions
from penstock.query.sandbox.worker.sql_table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.query.sandbox.jobs import SqlTable


class ResultTables:
    """The tables of one held result, in memory."""

    def __init__(self) -> None:
        self.connection = connect()
        self._tables: dict[str, Table] = {}

    def __del__(self) -> None:
        """Close the database with its last reader, also behind a query that failed: from 3.13 on Python warns else."""
        self.connection.close()

    def table(self, table: SqlTable) -> Table:
        """Return the table by that name, which may not be loaded yet."""
        if table.name not in self._tables:
            self._tables[table.name] = Table(self.connection, table)
        return self._tables[table.name]

    @property
    def size(self) -> int:
        """Return the bytes that the tables take."""
        (pages,), (size,) = (self.connection.execute(f"PRAGMA page_{what}").fetchone() for what in ("count", "size"))
        return int(pages * size)


class Shelf:
    """The kept databases and texts by the keys of their results."""

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}
        self._databases: dict[str, ResultTables] = {}
        self._sizes: dict[str, int] = {}  # of the databases that no question has opened since they were measured

    def database(self, key: str) -> ResultTables:
        """Return the database of a result; one without a key is new, and not kept."""
        if not key:
            return ResultTables()
        self._sizes.pop(key, None)
        if key not in self._databases:
            self._databases[key] = ResultTables()
        return self._databases[key]

    def forget(self, keys: Iterable[str]) -> None:
        """Close the databases of some results, and let go of their texts."""
        for key in keys:
            self.texts.pop(key, None)
            self._sizes.pop(key, None)
            if (database := self._databases.pop(key, None)) is not None:
                database.connection.close()

    def sizes(self) -> dict[str, int]:
        """Return the bytes that each result takes. Only what the last question opened is measured, of hundreds kept."""
        for key in self._databases.keys() - self._sizes.keys():
            self._sizes[key] = self._databases[key].size
        sizes = {key: len(text) for key, text in self.texts.items()}
        for key, size in self._sizes.items():
            sizes[key] = sizes.get(key, 0) + size
        return sizes


def connect() -> sqlite3.Connection:
    """Return an empty database in memory, whose columns tell their declared types."""
    connection = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES, isolation_level=None)
    connection.executescript("PRAGMA temp_store=MEMORY; PRAGMA journal_mode=OFF; PRAGMA trusted_schema=OFF;")
    connection.execute(
        "PRAGMA legacy_alter_table=ON"
    )  # a table that gets another name for a query changes nothing else
    add_functions(connection)
    return connection
