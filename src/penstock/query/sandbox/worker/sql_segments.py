"""The rows of a table while they are loaded: one segment after the other, each a table with columns and types of its
own, and in the end the one table of them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.sql_text import in_quotes

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from penstock.query.sandbox.worker.sql_column import Column

ROW: Final = "_rowid_"  # SQLite's name for the number of a row, which no column may take


class Segments:
    """Takes rows for the table of a name. ``add`` needs all columns that are known, and those that the rows fill."""

    def __init__(self, database: sqlite3.Connection, name: str) -> None:
        self._database = database
        self._name = name
        self._segments: list[tuple[str, str]] = []  # the name of each, and the names of its columns
        self._declared: list[str] = []  # the columns of the last one

    def add(self, columns: Sequence[Column], filled: Sequence[Column], rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows: each its number, then its cells in the filled columns."""
        declared = [column.loaded_as for column in columns]
        if not self._segments or declared != self._declared:
            name = f"{self._name} {len(self._segments) + 1}"  # No table of a result has a blank in its name.
            self._create(name, declared)
            self._segments.append((name, _listed(columns)))
            self._declared = declared
        name, _ = self._segments[-1]
        marks = ",?" * len(filled)
        insert = f"INSERT INTO {in_quotes(name)} ({_listed(filled)}) VALUES (?{marks})"  # noqa: S608  # our own names
        self._database.executemany(insert, rows)

    def close(self, columns: Sequence[Column]) -> None:
        """Make the one table, with the columns and types that all rows together have."""
        declared = [column.declaration for column in columns]
        if len(self._segments) == 1 and declared == self._declared:
            self._database.execute(f"ALTER TABLE {in_quotes(self._segments[0][0])} RENAME TO {in_quotes(self._name)}")
            return
        self._create(self._name, declared)
        for name, listed in self._segments:
            copy = f"INSERT INTO {in_quotes(self._name)} ({listed}) SELECT {listed} FROM {in_quotes(name)}"  # noqa: S608
            self._database.execute(copy)
            self._database.execute(f"DROP TABLE {in_quotes(name)}")

    def _create(self, name: str, declared: Sequence[str]) -> None:
        self._database.execute(f"CREATE TABLE {in_quotes(name)} ({', '.join(declared)})")


def _listed(columns: Sequence[Column]) -> str:
    return ",".join((ROW, *(in_quotes(column.name) for column in columns)))
