"""The chunks that a task needs.

Primary chunks have the task's words: ranked by BM25, times the importance that was given to them, with a bonus for the
kind of text that the type of task is about. What is last here is left out first.
Related ones are linked with a primary chunk, or stand before or behind it. Relationships are all links and
neighbourhoods among the chunks that were found.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memory_server.library import visible
from memory_server.words import any_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from memory_server.database import Database

BACKWARD: Final = 20  # chunks that link to one; more of them are an index, and say little about it
BONUS: Final = 1.5
KINDS: Final[dict[str, tuple[str, ...]]] = {
    "general": (),
    "development": ("code",),
    "debugging": ("code", "data"),
    "documentation": ("prose",),
    "research": ("prose",),
}  # what the chunks are that a type of task is mostly about

_VISIBLE: Final = "memory IN (SELECT value FROM json_each(:memories))"
# A word in a title says most of what a chunk is about, then one in the name of its file.
_COUNT: Final = f"""
SELECT count(*) FROM words JOIN chunks ON chunks.id = words.rowid WHERE words MATCH :match AND {_VISIBLE}
"""  # noqa: S608  (no text of a caller is in it)
_BEST: Final = f"""
SELECT chunks.*,
  -bm25(words, 4, 2, 1) * importance * iif(kind IN (SELECT value FROM json_each(:kinds)), {BONUS}, 1) AS score
FROM words JOIN chunks ON chunks.id = words.rowid WHERE words MATCH :match AND {_VISIBLE}
ORDER BY score DESC, chunks.id LIMIT :most
"""  # noqa: S608
_TARGETS: Final = "SELECT * FROM links WHERE chunk IN (SELECT value FROM json_each(?)) ORDER BY chunk, target"
# Two searches, as an OR would go through all chunks of a memory for each link.
LINKED: Final = f"""
SELECT * FROM chunks WHERE id = (
  SELECT id FROM (
    SELECT id, address, position FROM chunks WHERE {_VISIBLE} AND address = :target
    UNION ALL SELECT id, address, position FROM chunks WHERE {_VISIBLE} AND name = :target
  ) ORDER BY address <> :target, position, id LIMIT 1
)
"""  # noqa: S608
_LINKING: Final = f"""
SELECT chunks.* FROM links JOIN chunks ON chunks.id = links.chunk
WHERE links.target IN (:address, :name) AND {_VISIBLE} ORDER BY chunks.id LIMIT {BACKWARD}
"""  # noqa: S608
_BESIDE: Final = "SELECT * FROM chunks WHERE memory = ? AND source = ? AND position IN (?, ?) ORDER BY position"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A chunk that was found, and why."""

    id: int
    memory: int
    source: str
    position: int
    address: str
    name: str
    kind: str
    title: str
    text: str
    importance: float = 1.0
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The chunks that belong to a task. ``matching`` counts all chunks with a word of the task, ``revision`` the
    changes so far."""

    primary: tuple[Chunk, ...]
    related: tuple[Chunk, ...]
    relationships: tuple[str, ...]
    matching: int
    own_chunks: int
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A task, and the memories to search for it."""

    session: str
    folder: str
    words: tuple[str, ...]
    task_type: str
    max_chunks: int
    auto_expand: bool


def revisions(database: Database, wanted: Wanted) -> tuple[tuple[int, int], ...]:
    """Return the state of the memories that a task is searched in: it changes with what is stored."""
    with database.read() as connection:
        rows = visible(connection, wanted.session, wanted.folder)
    return tuple((row["id"], row["revision"]) for row in rows)


def retrieve(database: Database, wanted: Wanted) -> Retrieval:
    """Find it, all of one moment."""
    with database.read() as connection:
        rows = visible(connection, wanted.session, wanted.folder)
        search = Search(connection=connection, memories=json.dumps([row["id"] for row in rows]))
        primary, matching = search.primary(wanted)
        related = search.related(primary, wanted.max_chunks) if wanted.auto_expand else []
        own = [row["id"] for row in rows if row["kind"] == "session"]
        return Retrieval(
            primary=tuple(primary),
            related=tuple(related),
            relationships=tuple(search.relationships([*primary, *related])),
            matching=matching,
            own_chunks=search.size(own),
            revision=sum(row["revision"] for row in rows),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Some memories, to be asked."""

    connection: sqlite3.Connection
    memories: str
    _links: dict[str, sqlite3.Row | None] = field(default_factory=dict)

    def size(self, memories: list[int]) -> int:
        """Count the chunks of some memories."""
        chunks: int = self.connection.execute(
            "SELECT count(*) FROM chunks WHERE memory IN (SELECT value FROM json_each(?))", (json.dumps(memories),)
        ).fetchone()[0]
        return chunks

    def primary(self, wanted: Wanted) -> tuple[list[Chunk], int]:
        """Find the best chunks with any of the words, and count those that have one."""
        parameters = {
            "match": any_of(list(wanted.words)),
            "memories": self.memories,
            "kinds": json.dumps(KINDS[wanted.task_type]),
            "most": wanted.max_chunks,
        }
        best = self.connection.execute(_BEST, parameters).fetchall()
        top = max((row["score"] for row in best), default=0.0) or 1.0
        matching: int = self.connection.execute(_COUNT, parameters).fetchone()[0]
        return [_chunk(row, f"relevance {row['score'] / top:.2f}") for row in best], matching

    def related(self, primary: list[Chunk], most: int) -> list[Chunk]:
        """Find what the primary chunks lead to: what is more important first, of equals that of the best chunk, and
        links before neighbours."""
        chunks: dict[int, Chunk] = {}
        taken = {chunk.id for chunk in primary}
        for near in (self._linked, self._beside):
            for chunk in primary:
                for other in near(chunk):
                    if other.id not in taken:
                        taken.add(other.id)
                        chunks[other.id] = other
        return sorted(chunks.values(), key=lambda chunk: -chunk.importance)[:most]

    def _linked(self, chunk: Chunk) -> Iterator[Chunk]:
        for row in self.connection.execute(_TARGETS, (json.dumps([chunk.id]),)).fetchall():
            linked = self._link(row["target"])
            if linked is not None and linked["id"] != chunk.id:
                yield _chunk(linked, f"linked from c{chunk.id}")
        parameters = {"address": chunk.address, "name": chunk.name, "memories": self.memories}
        if chunk.address or chunk.name:
            for row in self.connection.execute(_LINKING, parameters).fetchall():
                yield _chunk(row, f"links to {chunk.source or chunk.title}")

    def _link(self, target: str) -> sqlite3.Row | None:
        if target not in self._links:
            parameters = {"target": target, "memories": self.memories}
            self._links[target] = self.connection.execute(LINKED, parameters).fetchone()
        return self._links[target]

    def _beside(self, chunk: Chunk) -> Iterator[Chunk]:
        parameters = (chunk.memory, chunk.source, chunk.position - 1, chunk.position + 1)
        for row in self.connection.execute(_BESIDE, parameters).fetchall():
            yield _chunk(row, f"{'before' if row['position'] < chunk.position else 'after'} c{chunk.id}")

    def relationships(self, chunks: list[Chunk]) -> Iterator[str]:
        """Yield all links and neighbourhoods among some chunks, each told once: a line for each chunk, which costs half
        of what a line for each link does."""
        by_address: dict[str, Chunk] = {}
        for chunk in chunks:
            by_address.setdefault(chunk.address, chunk)
        for chunk in chunks:
            by_address.setdefault(chunk.name, chunk)
        places = {(chunk.memory, chunk.source, chunk.position): chunk for chunk in chunks}
        targets: dict[int, dict[int, None]] = {}
        ids = json.dumps([chunk.id for chunk in chunks])
        for row in self.connection.execute(_TARGETS, (ids,)).fetchall():
            linked = by_address.get(row["target"])
            if linked is not None and linked.id != row["chunk"]:
                targets.setdefault(row["chunk"], {})[linked.id] = None
        for chunk in chunks:
            linked_to = ", ".join(f"c{other}" for other in targets.get(chunk.id, ()))
            behind = places.get((chunk.memory, chunk.source, chunk.position + 1))
            parts = [f"links to {linked_to}"] if linked_to else []
            parts += [f"is followed by c{behind.id}"] if behind is not None else []
            if parts:
                yield f"c{chunk.id} {'; '.join(parts)}"


def _chunk(row: sqlite3.Row, why: str) -> Chunk:
    return Chunk(**{name: row[name] for name in row.keys() if name != "score"}, why=why)  # noqa: SIM118  (a Row, no dict)
