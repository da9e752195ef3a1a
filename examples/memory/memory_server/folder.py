"""The files that every session sees: cut into chunks once, and again when they change."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory_server.chunks import CODE, DATA, PROSE, pieces
from memory_server.library import Draft, memory_for, now, put, touch

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memory_server.database import Database

LARGEST: Final = 4_000_000  # bytes; a larger file is a dump, and thousands of chunks of it would drown the others
BATCH: Final = 200  # files in one transaction: how long others wait to write
SUFFIXES: Final = PROSE | CODE | DATA

_UP_TO_DATE: Final = "SELECT 1 FROM files WHERE memory = ? AND source = ? AND size = ? AND mtime_ns = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A file as it lies in the folder."""

    source: str
    size: int
    mtime_ns: int


class Folder:
    """A folder and its memory."""

    def __init__(
        self, database: Database, root: Path, *, refresh_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.root = root.resolve()
        self.name = str(self.root)
        self._database = database
        self._refresh_seconds = refresh_seconds
        self._clock = clock
        self._looked: float | None = None
        self._lock = threading.Lock()

    def refresh(self, report: Callable[[int, int], None] | None = None) -> None:
        """Read what has changed, unless another call looked a moment ago. One looks; others wait for what it finds.
        ``report`` is called with how many files were read, of how many, after each batch."""
        with self._lock:
            if self._looked is None or self._clock() - self._looked >= self._refresh_seconds:
                self._read({seen.source: seen for seen in scan(self.root)}, report)
                self._looked = self._clock()

    def _read(self, seen: dict[str, Seen], report: Callable[[int, int], None] | None = None) -> None:
        with self._database.write() as connection:
            memory = memory_for(connection, "folder", self.name, now())
            known = {
                row["source"]: (row["size"], row["mtime_ns"])
                for row in connection.execute("SELECT * FROM files WHERE memory = ?", (memory,))
            }
        changed = [one for one in seen.values() if known.get(one.source) != (one.size, one.mtime_ns)]
        gone = [source for source in known if source not in seen]
        for start in range(0, len(changed), BATCH):
            texts = [(one, _text(self.root, one)) for one in changed[start : start + BATCH]]
            with self._database.write() as connection:
                for one, text in texts:
                    _replace(connection, memory, one, text)
                touch(connection, memory, now())
            if report is not None:
                report(min(start + BATCH, len(changed)), len(changed))
        if gone:
            with self._database.write() as connection:
                for source in gone:
                    _forget(connection, memory, source)
                touch(connection, memory, now())


def scan(root: Path) -> Iterator[Seen]:
    """Yield text files, in the order of their paths. What is hidden, or a link out of the folder, is not ours to
    show."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(names):
            if name.startswith(".") or os.path.splitext(name)[1].lower() not in SUFFIXES:
                continue
            path = os.path.join(folder, name)
            source = os.path.relpath(path, root).replace(os.sep, "/")
            try:
                source.encode()  # a name in another encoding can be neither stored nor shown
                stat = os.lstat(path)
            except (OSError, UnicodeEncodeError):
                continue
            if not os.path.islink(path) and stat.st_size <= LARGEST:
                yield Seen(source=source, size=stat.st_size, mtime_ns=stat.st_mtime_ns)


def _text(root: Path, seen: Seen) -> str:
    try:
        return (root / seen.source).read_bytes().decode("utf-8", "replace")
    except OSError:  # gone meanwhile, or not ours to read: a file without text
        return ""


def _replace(connection: sqlite3.Connection, memory: int, seen: Seen, text: str) -> None:
    if connection.execute(_UP_TO_DATE, (memory, seen.source, seen.size, seen.mtime_ns)).fetchone():
        return  # another server on the same folder was faster
    _forget(connection, memory, seen.source)
    for position, piece in enumerate(one for one in pieces(text) if not one.text.isspace()):
        put(connection, memory, Draft(text=piece.text, title=piece.title, source=seen.source), position)
    connection.execute("INSERT INTO files VALUES (?, ?, ?, ?)", (memory, seen.source, seen.size, seen.mtime_ns))


def _forget(connection: sqlite3.Connection, memory: int, source: str) -> None:
    connection.execute("DELETE FROM chunks WHERE memory = ? AND source = ?", (memory, source))
    connection.execute("DELETE FROM files WHERE memory = ? AND source = ?", (memory, source))
