"""The index of a vault: one SQLite file beside the vault's data, with what is known of every file, the folded text of
every note for substrings, and its words for BM25.

It is a copy of what the files say and may be deleted at any time; a file that cannot be used is made anew. Texts stay
on the disk: a search reads through them, and what it shows it reads from the notes themselves.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from server_parts.sqlite import write_ahead
from vault_server import elements
from vault_server.catalog import File, fold
from vault_server.notes import LARGEST, SUFFIXES, decode, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

VERSION: Final = 5
BATCH: Final = 1_000  # files in one transaction: what a crash costs, and how long a search may have to wait
BATCH_BYTES: Final = 2_000_000  # of their texts, which are in memory until then
RAREST: Final = 2  # words that are asked for when all of them are common
WAIT: Final = 30.0  # seconds for another server that writes to the same index
COMMON: Final = 0.5  # a word in more than this share of all notes tells none from another, and BM25 gives it nothing
# English words of a question that are about no subject: in a title they would weigh more than what is asked for.
OF_QUESTIONS: Final = frozenset(
    (
        *("a", "an", "and", "are", "at", "be", "by", "can", "did", "do", "does", "for", "from", "how", "i", "in", "is"),
        *("it", "me", "my", "of", "on", "or", "our", "should", "that", "the", "their", "there", "this", "to", "was"),
        *("we", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your"),
    )
)
PAGE_BYTES: Final = 16_384  # most notes lie on one page, and are read in one piece
CACHE_KIB: Final = 4_096  # of pages in memory for each connection; the system keeps the rest of the file

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER,
  is_note INTEGER, tags TEXT, title TEXT, front BLOB, fields BLOB, wrong TEXT, links BLOB, items BLOB
);
CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, title TEXT, tags TEXT, body TEXT);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  title, tags, body, content='texts', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS put AFTER INSERT ON texts BEGIN
  INSERT INTO words(rowid, title, tags, body) VALUES (new.id, new.title, new.tags, new.body);
END;
CREATE TRIGGER IF NOT EXISTS drop_ AFTER DELETE ON texts BEGIN
  INSERT INTO words(words, rowid, title, tags, body) VALUES ('delete', old.id, old.title, old.tags, old.body);
END;
CREATE TRIGGER IF NOT EXISTS drop_all AFTER DELETE ON files BEGIN
  DELETE FROM texts WHERE id = old.id;
END;
"""
_PUT: Final = "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_NUMBERS: Final = "SELECT path, id FROM files WHERE path IN (SELECT value FROM json_each(?))"
_SCORES: Final = """
SELECT rowid, -bm25(words, 6, 4, 1) AS score FROM words WHERE words MATCH ? ORDER BY score DESC, rowid LIMIT ?
"""  # a word in the title says most of what a note is about, then one in a tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A note that answers a question, and how well."""

    id: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The best notes, how many there are in all, and the words that tell none of them from another."""

    hits: tuple[Hit, ...]
    total: int
    ignored: tuple[str, ...] = ()


class Index:
    """One connection that writes and one that reads, so that a search does not wait for a refresh."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._writes = _opened(file)
        except sqlite3.OperationalError:  # locked, or no room on the disk: the file may be good
            raise
        except sqlite3.DatabaseError:  # half written by a machine that went down, or another program's file
            _remove(file)
            self._writes = _opened(file)
        self._reads = _connected(file)
        self._write_lock, self._read_lock = threading.Lock(), threading.Lock()

    def close(self) -> None:
        """Let go of the file."""
        with self._write_lock, self._read_lock:
            self._writes.close()
            self._reads.close()

    def load(self) -> list[File]:
        """Load every file."""
        columns = "id, path, size, mtime_ns, ctime_ns, is_note, tags"
        with self._read_lock:
            return [_file(*row) for row in self._reads.execute(f"SELECT {columns} FROM files")]  # noqa: S608  (names of our own)

    def put(self, folder: Path, seen: Iterable[File], progress: Callable[[int], None]) -> list[File]:
        """Read files and keep what they say, in place of what was kept of them before. Returns what is known now."""
        written: list[File] = []
        batch: list[Entry] = []
        size = 0
        for number, one in enumerate(seen, 1):
            progress(number)
            batch.append(_row(folder, one))
            size += one.size
            if len(batch) == BATCH or size > BATCH_BYTES:
                written += self.write(batch)
                batch.clear()
                size = 0
        written += self.write(batch)
        if len(written) > BATCH:  # many: a search would read them out of the log for a long time
            with self._write_lock:
                self._writes.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return written

    def forget(self, paths: Iterable[str]) -> None:
        """Drop what was kept of files that are no more."""
        with self._write_lock, self._writes:
            self._writes.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in paths])

    def containing(self, folded: str) -> dict[int, int]:
        """Return the numbers of the notes that have a folded text in theirs, each with how often."""
        needle = folded.encode("utf-8", "surrogatepass")
        with self._read_lock:
            rows = self._reads.execute("SELECT id, CAST(body AS BLOB) FROM texts")
            return {number: body.count(needle) for number, body in rows if needle in body}

    def column(self, name: str) -> dict[int, bytes]:
        """Return what the files have in a column, by their numbers. A query reads a whole column at once, as it mostly
        goes through all notes."""
        sql = f"SELECT id, {name} FROM files WHERE is_note AND {name} IS NOT NULL"  # noqa: S608  (a name of our own)
        with self._read_lock:
            return dict(self._reads.execute(sql).fetchall())

    def titles(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the titles of some files; empty for a file without one."""
        sql = "SELECT id, title FROM files WHERE id IN (SELECT value FROM json_each(?))"
        with self._read_lock:
            return dict(self._reads.execute(sql, (json.dumps([*numbers]),)).fetchall())

    def fields(self) -> Counter[str]:
        """Count the notes that have each field."""
        every = {**self.column("front"), **self.column("fields")}
        return Counter(name for fields in every.values() for name in msgspec.json.decode(fields))

    def ranked(self, words: list[str], limit: int, among: set[int] | None) -> Ranked:
        """Find the notes with any of the words, the best first; ``among`` some files only, or all of them."""
        with self._read_lock:
            notes = self._count("SELECT count(*) FROM texts")
            match_one = "SELECT count(*) FROM words WHERE words MATCH ?"
            how_many = {word: self._count(match_one, _quoted(word)) for word in words}
            present = [word for word in words if how_many[word]]
            telling = [word for word in present if how_many[word] <= notes * COMMON and word not in OF_QUESTIONS]
            searched = telling or sorted(present, key=how_many.__getitem__)[:RAREST] or words
            match = " OR ".join(map(_quoted, searched))
            if among is None:
                total = self._count(match_one, match)
                best = self._reads.execute(_SCORES, (match, limit)).fetchall()
            else:
                every = [row for row in self._reads.execute(_SCORES, (match, -1)) if row[0] in among]
                total, best = len(every), every[:limit]
        hits = tuple(Hit(id=number, score=score) for number, score in best)
        return Ranked(hits=hits, total=total, ignored=tuple(word for word in present if word not in searched))

    def _count(self, sql: str, *parameters: str) -> int:
        number: int = self._reads.execute(sql, parameters).fetchone()[0]
        return number

    def write(self, batch: list[Entry]) -> list[File]:
        """Keep what some files say, in one transaction."""
        written: list[File] = []
        paths = json.dumps([row.file[0] for row in batch])
        with self._write_lock, self._writes:
            # A file keeps its number, so that another server on the same index still knows it.
            numbers = dict(self._writes.execute(_NUMBERS, (paths,)))
            self._writes.executemany("DELETE FROM files WHERE id = ?", [(number,) for number in numbers.values()])
            for row in batch:
                number = self._writes.execute(_PUT, (numbers.get(row.file[0]), *row.file)).lastrowid
                if row.text is not None:
                    self._writes.execute("INSERT INTO texts VALUES (?, ?, ?, ?)", (number, *row.text))
                written.append(_file(number or 0, *row.file[:6]))
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file as it is written: a row for each table. ``file`` has all columns but the number; ``text`` is None for a
    file that is not a note."""

    file: tuple[Any, ...]
    text: tuple[str, str, str] | None


def _row(folder: Path, seen: File) -> Entry:
    text = ""
    is_note = seen.path.lower().endswith(SUFFIXES) and seen.size <= LARGEST
    if is_note:
        try:
            with open(f"{folder}/{seen.path}", "rb") as file:
                text = decode(file.read())
        except OSError:  # listed, but not ours to read
            is_note = False
    note = parse(text)
    tags = " ".join(note.tags)
    inline = elements.inline_fields(note.body)
    known = (
        tags,
        note.title,
        msgspec.json.encode(note.frontmatter),
        msgspec.json.encode({**inline, **note.frontmatter}) if inline else None,  # front matter comes first
        note.wrong or None,
        _packed(elements.links(text)),
        _packed(elements.items(text)),
    )
    title = note.title or seen.path.rpartition("/")[2].rpartition(".")[0]  # as Obsidian has it
    return Entry(
        file=(seen.path, seen.size, seen.mtime_ns, seen.ctime_ns, is_note, *known),
        text=(fold(title), fold(tags), fold(text)) if is_note else None,
    )


def _packed(value: Any) -> bytes | None:
    return msgspec.json.encode(value) if value else None


def _file(*row: Any) -> File:
    number, path, size, mtime_ns, ctime_ns, is_note, tags = row
    return File(
        id=number, path=path, size=size, mtime_ns=mtime_ns, ctime_ns=ctime_ns, is_note=bool(is_note), tags=_split(tags)
    )


@lru_cache(maxsize=4_096)  # the same few tags in many notes: one tuple for all of them
def _split(tags: str) -> tuple[str, ...]:
    return tuple(sys.intern(tag) for tag in tags.split())


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=WAIT, check_same_thread=False)
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return connection


def _opened(file: Path) -> sqlite3.Connection:
    connection = _connected(file)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a file that is made now
        write_ahead(connection, WAIT)
        connection.execute("PRAGMA synchronous = NORMAL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError(f"an index of version {version}")
        if version == 0:
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        connection.execute("SELECT count(*) FROM files").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _remove(file: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
