"""The index of a vault: one SQLite file beside the vault's data, with every note's text and its words for BM25.

It is a copy of what the files say and may be deleted at any time; a file that cannot be used is made anew.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from server_parts.sqlite import write_ahead
from vault_server.catalog import File, fold
from vault_server.notes import LARGEST, SUFFIXES, Note, decode, known, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from vault_server.scan import Seen

VERSION: Final = 2
BATCH: Final = 1_000  # files in one transaction: what a crash costs, and how long a search may have to wait
RAREST: Final = 2  # words that are asked for when all of them are common
WAIT: Final = 30.0  # seconds for another server that writes to the same index
COMMON: Final = 0.5  # a word in more than this share of all notes tells none from another, and BM25 gives it nothing

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER,
  is_note INTEGER, title TEXT, tags TEXT, front TEXT, wrong TEXT, head TEXT, body TEXT
);
CREATE INDEX IF NOT EXISTS notes ON files(is_note);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  title, tags, head, body, content='files', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS put AFTER INSERT ON files WHEN new.is_note BEGIN
  INSERT INTO words(rowid, title, tags, head, body) VALUES (new.id, new.title, new.tags, new.head, new.body);
END;
CREATE TRIGGER IF NOT EXISTS drop_ AFTER DELETE ON files WHEN old.is_note BEGIN
  INSERT INTO words(words, rowid, title, tags, head, body)
  VALUES ('delete', old.id, old.title, old.tags, old.head, old.body);
END;
"""
_SOME: Final = "SELECT * FROM files WHERE path IN (SELECT value FROM json_each(?))"
_NUMBERS: Final = "SELECT path, id FROM files WHERE path IN (SELECT value FROM json_each(?))"
_SCORES: Final = """
SELECT rowid, -bm25(words, 6, 4, 1, 1) AS score FROM words WHERE words MATCH ? ORDER BY score DESC, rowid LIMIT ?
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
    ignored: tuple[str, ...]


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

    def load(self) -> list[tuple[File, bytes]]:
        """Every file with its folded text."""
        return self._files("SELECT * FROM files", ())

    def load_some(self, paths: Iterable[str]) -> list[tuple[File, bytes]]:
        """The same of some files."""
        return self._files(_SOME, (json.dumps([*paths]),))

    def put(self, folder: Path, seen: Iterable[Seen], progress: Callable[[int], None]) -> None:
        """Read files and keep what they say, in place of what was kept of them before."""
        batch: list[tuple[Any, ...]] = []
        for number, one in enumerate(seen, 1):
            progress(number)
            batch.append(_row(folder, one))
            if len(batch) == BATCH:
                self._write(batch)
                batch.clear()
        self._write(batch)

    def forget(self, paths: Iterable[str]) -> None:
        """Drop what was kept of files that are no more."""
        with self._write_lock, self._writes:
            self._writes.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in paths])

    def text(self, file_id: int) -> str:
        """The text of a note as it was when it was read last."""
        with self._read_lock:
            row = self._reads.execute("SELECT head || body FROM files WHERE id = ?", (file_id,)).fetchone()
        return "" if row is None else row[0]

    def body(self, file_id: int) -> str:
        """The same without front matter."""
        with self._read_lock:
            row = self._reads.execute("SELECT body FROM files WHERE id = ?", (file_id,)).fetchone()
        return "" if row is None else row[0]

    def texts(self) -> dict[int, str]:
        """The text of every note, by the number of its file."""
        with self._read_lock:
            return dict(self._reads.execute("SELECT id, head || body FROM files WHERE is_note"))

    def ranked(self, words: list[str], limit: int, among: set[int] | None) -> Ranked:
        """The notes with any of the words, the best first; ``among`` some files only, or all of them."""
        with self._read_lock:
            notes = self._count("SELECT count(*) FROM files WHERE is_note")
            match_one = "SELECT count(*) FROM words WHERE words MATCH ?"
            how_many = {word: self._count(match_one, _quoted(word)) for word in words}
            present = [word for word in words if how_many[word]]
            telling = [word for word in present if how_many[word] <= notes * COMMON]
            asked = telling or sorted(present, key=how_many.__getitem__)[:RAREST] or words
            match = " OR ".join(map(_quoted, asked))
            if among is None:
                total = self._count(match_one, match)
                best = self._reads.execute(_SCORES, (match, limit)).fetchall()
            else:
                every = [row for row in self._reads.execute(_SCORES, (match, -1)) if row[0] in among]
                total, best = len(every), every[:limit]
        hits = tuple(Hit(id=number, score=score) for number, score in best)
        return Ranked(hits=hits, total=total, ignored=tuple(word for word in present if word not in asked))

    def _count(self, sql: str, *given: str) -> int:
        found: int = self._reads.execute(sql, given).fetchone()[0]
        return found

    def _write(self, batch: list[tuple[Any, ...]]) -> None:
        paths = json.dumps([row[0] for row in batch])
        with self._write_lock, self._writes:
            # A file keeps its number, so that another server on the same index still knows it.
            numbers = dict(self._writes.execute(_NUMBERS, (paths,)))
            self._writes.executemany("DELETE FROM files WHERE id = ?", [(number,) for number in numbers.values()])
            rows = [(numbers.get(row[0]), *row) for row in batch]
            self._writes.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _files(self, sql: str, given: tuple[str, ...]) -> list[tuple[File, bytes]]:
        with self._read_lock:
            return [_file(*row) for row in self._reads.execute(sql, given)]


def _row(folder: Path, seen: Seen) -> tuple[Any, ...]:
    text = ""
    is_note = seen.path.lower().endswith(SUFFIXES) and seen.size <= LARGEST
    if is_note:
        try:
            text = decode((folder / seen.path).read_bytes())
        except OSError:  # listed, but not ours to read
            is_note = False
    note = parse(text)
    front = msgspec.json.encode(note.frontmatter).decode()
    file = (seen.path, seen.size, seen.mtime_ns, seen.ctime_ns, is_note)
    title = note.title or seen.path.rpartition("/")[2].rpartition(".")[0]  # as Obsidian has it
    return *file, title, " ".join(note.tags), front, note.wrong, note.head, note.body


def _file(*row: Any) -> tuple[File, bytes]:
    number, path, size, mtime_ns, ctime_ns, is_note, title, tags, front, wrong, head, body = row
    note = Note(frontmatter=msgspec.json.decode(front), tags=tuple(tags.split()), title=title, wrong=wrong)
    file = File(
        id=number,
        path=path,
        size=size,
        mtime_ns=mtime_ns,
        is_note=bool(is_note),
        title=title,
        tags=note.tags,
        data=known(path, size, mtime_ns, ctime_ns, note),
    )
    return file, fold(head + body).encode("utf-8", "surrogatepass")


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=WAIT, check_same_thread=False)
    connection.execute("PRAGMA mmap_size = 1073741824")
    connection.execute("PRAGMA cache_size = -32000")
    return connection


def _opened(file: Path) -> sqlite3.Connection:
    connection = _connected(file)
    try:
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
