"""Sessions and their chunks: store, read, forget."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memory_server.chunks import address_of, kind_of, links_in, name_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from memory_server.database import Database


_PUT: Final = """
INSERT INTO chunks (memory, source, position, address, name, kind, title, text, importance)
VALUES (:memory, :source, :position, :address, :name, :kind, :title, :text, :importance) RETURNING id
"""
_WEIGH: Final = "UPDATE chunks SET importance = ? WHERE id = ? AND importance <> ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A chunk to be stored. ``links`` are names of sources and titles, beside the links that its text has;
    ``importance`` is how many times it counts beside a usual one."""

    text: str
    title: str = ""
    source: str = ""
    kind: str = ""
    links: tuple[str, ...] = ()
    importance: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The number of each chunk, in the order given; ``known`` are those that were there already."""

    ids: tuple[int, ...]
    known: int
    total: int


def now() -> str:
    """Return the time, as it is shown."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Library:
    """The chunks that sessions have stored."""

    def __init__(self, database: Database, clock: Callable[[], str] = now) -> None:
        self.database = database
        self._clock = clock

    def store(self, session: str, chunks: Sequence[Draft]) -> Stored:
        """Store all chunks or none. One that the session has already, word for word, is not stored twice, but gets the
        importance that is given now."""
        moment = self._clock()
        ids, known, weighed = [], 0, 0
        with self.database.write() as connection:
            memory = memory_for(connection, "session", session, moment)
            for chunk in chunks:
                same = _same(connection, memory, chunk)
                known += same is not None
                if same is not None:
                    weighed += connection.execute(_WEIGH, (chunk.importance, same, chunk.importance)).rowcount
                ids.append(_put_next(connection, memory, chunk) if same is None else same)
            if known < len(chunks) or weighed:
                touch(connection, memory, moment)
            row = connection.execute("SELECT count(*) FROM chunks WHERE memory = ?", (memory,)).fetchone()
        return Stored(ids=tuple(ids), known=known, total=row[0])

    def forget(self, session: str, numbers: Sequence[int] | None) -> tuple[list[int], int]:
        """Delete chunks of a session, or all of it where no numbers are given. Returns what is gone, and how many
        chunks are left."""
        with self.database.write() as connection:
            row = connection.execute(
                "SELECT id FROM memories WHERE kind = 'session' AND name = ?", (session,)
            ).fetchone()
            if row is None:
                return [], 0
            memory = row["id"]
            where = "memory = ?" if numbers is None else "memory = ? AND id IN (SELECT value FROM json_each(?))"
            parameters = (memory,) if numbers is None else (memory, json.dumps(list(numbers)))
            gone = [one["id"] for one in connection.execute(f"SELECT id FROM chunks WHERE {where}", parameters)]  # noqa: S608
            connection.executemany("DELETE FROM chunks WHERE id = ?", [(number,) for number in gone])
            left: int = connection.execute("SELECT count(*) FROM chunks WHERE memory = ?", (memory,)).fetchone()[0]
            if numbers is None:
                connection.execute("DELETE FROM memories WHERE id = ?", (memory,))
            elif gone:
                touch(connection, memory, self._clock())
        return gone, left

    def text(self, session: str, folder: str, number: int) -> str | None:
        """Return the text of a chunk, if the session sees it."""
        with self.database.read() as connection:
            seen = [row["id"] for row in visible(connection, session, folder)]
            row = connection.execute("SELECT memory, text FROM chunks WHERE id = ?", (number,)).fetchone()
        return row["text"] if row is not None and row["memory"] in seen else None

    def some(self, session: str, folder: str) -> int | None:
        """Return the number of a chunk that the session sees, for an example; None where it sees none."""
        with self.database.read() as connection:
            seen = json.dumps([row["id"] for row in visible(connection, session, folder)])
            row = connection.execute(
                "SELECT min(id) AS id FROM chunks WHERE memory IN (SELECT value FROM json_each(?))", (seen,)
            ).fetchone()
        number: int | None = row["id"]
        return number


def memory_for(connection: sqlite3.Connection, kind: str, name: str, moment: str) -> int:
    """Return the number of a memory, which is made when there is none."""
    connection.execute(
        "INSERT OR IGNORE INTO memories (kind, name, created, updated) VALUES (?, ?, ?, ?)",
        (kind, name, moment, moment),
    )
    row = connection.execute("SELECT id FROM memories WHERE kind = ? AND name = ?", (kind, name)).fetchone()
    number: int = row["id"]
    return number


def visible(connection: sqlite3.Connection, session: str, folder: str) -> list[sqlite3.Row]:
    """Return the memories that a session sees: its own, if it has stored anything, and the folder's."""
    return connection.execute(
        "SELECT * FROM memories WHERE (kind, name) IN (VALUES ('session', ?), ('folder', ?))", (session, folder)
    ).fetchall()


def touch(connection: sqlite3.Connection, memory: int, moment: str) -> None:
    """Tell that a memory has changed."""
    connection.execute("UPDATE memories SET revision = revision + 1, updated = ? WHERE id = ?", (moment, memory))


def put(connection: sqlite3.Connection, memory: int, chunk: Draft, position: int) -> int:
    """Write a chunk, and what it links to."""
    source = chunk.source or chunk.title
    row = {
        "memory": memory,
        "source": chunk.source,
        "position": position,
        "address": address_of(source),
        "name": name_of(chunk.source) if chunk.source else chunk.title.casefold(),
        "kind": chunk.kind or kind_of(source),
        "title": chunk.title,
        "text": chunk.text,
        "importance": chunk.importance,
    }
    number: int = connection.execute(_PUT, row).fetchone()["id"]
    targets = dict.fromkeys((*map(address_of, chunk.links), *links_in(chunk.text, source)))
    connection.executemany("INSERT INTO links VALUES (?, ?)", [(number, target) for target in targets if target])
    return number


def _put_next(connection: sqlite3.Connection, memory: int, chunk: Draft) -> int:
    """Store a chunk behind the last one of the same source; what has no source is in the order in which it came."""
    row = connection.execute(
        "SELECT coalesce(max(position) + 1, 0) FROM chunks WHERE memory = ? AND source = ?", (memory, chunk.source)
    ).fetchone()
    return put(connection, memory, chunk, row[0])


def _same(connection: sqlite3.Connection, memory: int, chunk: Draft) -> int | None:
    row = connection.execute(
        "SELECT id FROM chunks WHERE memory = ? AND source = ? AND title = ? AND text = ?",
        (memory, chunk.source, chunk.title, chunk.text),
    ).fetchone()
    return None if row is None else row["id"]
