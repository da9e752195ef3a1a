"""Chunks by what they mean, beside the words they have: an option.

A chunk has one vector, of its title and the beginning of its text; those that are missing are made before a search.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Final

from server_parts.meaning import BEGINNING, MODEL

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from memory_server.database import Database
    from server_parts.meaning import Model

BATCH: Final = 256  # chunks in one transaction: how long others wait to write
PART: Final = 4_096  # vectors that are in memory at once

_VISIBLE: Final = "memory IN (SELECT value FROM json_each(:memories))"
_WITHOUT: Final = f"""
SELECT chunks.id, title, substr(text, 1, {BEGINNING}) AS text FROM chunks
LEFT JOIN vectors ON vectors.chunk = chunks.id AND model = :model
WHERE {_VISIBLE} AND vectors.chunk IS NULL LIMIT {BATCH}
"""  # noqa: S608  (no text of a caller is in it)
_VECTORS: Final = f"""
SELECT chunk, vector FROM vectors JOIN chunks ON chunks.id = chunk WHERE {_VISIBLE} AND model = :model AND chunk > :last
ORDER BY chunk LIMIT {PART}
"""  # noqa: S608
_PUT: Final = "INSERT OR REPLACE INTO vectors SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?)"


class Meaning:
    """The vectors of chunks."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._filling = threading.Lock()

    def fill(self, database: Database, memories: list[int]) -> None:
        """Make the vectors that chunks of some memories lack. One that was deleted meanwhile gets none."""
        arguments = {"memories": json.dumps(memories), "model": MODEL}
        with self._filling:
            while True:
                with database.read() as connection:
                    rows = connection.execute(_WITHOUT, arguments).fetchall()
                if not rows:
                    return
                packed = self._model.packed([f"{row['title']}. {row['text']}".lower() for row in rows])
                with database.write() as connection:
                    values = [(row["id"], MODEL, one, row["id"]) for row, one in zip(rows, packed, strict=True)]
                    connection.executemany(_PUT, values)

    def alike(self, connection: sqlite3.Connection, task: str, memories: str) -> dict[int, float]:
        """Return the numbers of chunks that are about what a task is about, and how much."""
        return dict(self._model.alike(task, _parts(connection, memories)))


def _parts(connection: sqlite3.Connection, memories: str) -> Iterator[tuple[list[int], bytes]]:
    last = -1
    while rows := connection.execute(_VECTORS, {"memories": memories, "model": MODEL, "last": last}).fetchall():
        last = rows[-1]["chunk"]
        yield [row["chunk"] for row in rows], b"".join(row["vector"] for row in rows)
