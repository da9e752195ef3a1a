"""One SQLite file that several threads and processes use at once: connections, tables, and errors in words."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from penstock.errors import StoreError
from penstock.stores.base import closed
from penstock.stores.state_folder import make_private, open_to_others

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLICATION: Final = 0x50454E53  # "PENS": tells our file from another program's
VERSION: Final = 6
MAGIC: Final = b"SQLite format 3\0"  # The first bytes of every SQLite database.
PATIENCE: Final = 15.0  # seconds to wait for another process to finish writing; the largest put takes about one
COURTESY: Final = 0.05  # seconds for what no answer depends on: a reader must not wait for a note that it has read
PAGE: Final = 8_192  # bytes; half the page overflows of the default, and less waste than larger pages leave
CACHE: Final = 512  # KiB of pages that each connection keeps: a block is read once, so more only takes memory
IDLE: Final = 4  # connections kept for the next threads: more were in use at once by chance, and may be so no more
LOG: Final = 2_048  # pages (16 MB) of log before they are copied into place: a sweep does it, or else a put has to
BLOCK_BITS: Final = 20  # of a block's number: 2**20 blocks of 64 KB are far beyond any result
RECORD_BITS: Final = 22  # two more, for the stream

# A record's number is never used twice (AUTOINCREMENT), so that a reader which outlives its record can never come
# upon the blocks of another owner. The triggers keep blocks, records and sums together, whichever process writes.
# ``taken`` has the space that records take: in all, by group of shares, and by share within a group. With them a put
# costs the same whether the store has ten records or a million. The first 16 digits of a share's name are its group's.
# 22 is ``RECORD_BITS``.
SCHEMA: Final = (
    """CREATE TABLE held (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        handle TEXT NOT NULL,
        created REAL NOT NULL,
        expires REAL,
        used REAL NOT NULL,
        stored INTEGER NOT NULL,
        reads INTEGER NOT NULL DEFAULT 0,
        last_read REAL,
        head BLOB NOT NULL,
        share TEXT NOT NULL DEFAULT '',
        seen BLOB NOT NULL DEFAULT x'',
        call TEXT NOT NULL DEFAULT '',
        UNIQUE (owner, handle)
    )""",
    "CREATE INDEX held_by_use ON held (share, used)",
    "CREATE INDEX held_by_call ON held (owner, call, created) WHERE call <> ''",
    "CREATE INDEX held_by_expiry ON held (expires) WHERE expires IS NOT NULL",
    "CREATE TABLE blocks (id INTEGER PRIMARY KEY, frame BLOB NOT NULL)",
    """CREATE TABLE taken (
        within TEXT NOT NULL, name TEXT NOT NULL, items INTEGER NOT NULL, stored INTEGER NOT NULL,
        PRIMARY KEY (within, name)
    ) WITHOUT ROWID""",
    "CREATE INDEX taken_items ON taken (within, items)",
    "CREATE INDEX taken_stored ON taken (within, stored)",
    """CREATE TRIGGER held_new AFTER INSERT ON held BEGIN
        INSERT INTO taken
        VALUES ('all', '', 1, new.stored), ('groups', substr(new.share, 1, 16), 1, new.stored),
            (substr(new.share, 1, 16), new.share, 1, new.stored)
        ON CONFLICT DO UPDATE SET items = items + excluded.items, stored = stored + excluded.stored;
    END""",
    """CREATE TRIGGER held_gone AFTER DELETE ON held BEGIN
        DELETE FROM blocks WHERE id >= old.id << 22 AND id < (old.id + 1) << 22;
        INSERT INTO taken
        VALUES ('all', '', -1, -old.stored), ('groups', substr(old.share, 1, 16), -1, -old.stored),
            (substr(old.share, 1, 16), old.share, -1, -old.stored)
        ON CONFLICT DO UPDATE SET items = items + excluded.items, stored = stored + excluded.stored;
        DELETE FROM taken WHERE within = 'groups' AND name = substr(old.share, 1, 16) AND items = 0;
        DELETE FROM taken WHERE within = substr(old.share, 1, 16) AND name = old.share AND items = 0;
    END""",
    """CREATE TABLE counts (
        tool TEXT PRIMARY KEY, calls INTEGER NOT NULL, held INTEGER NOT NULL, tokens_saved INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE sizes (
        day INTEGER NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, up_to INTEGER NOT NULL,
        calls INTEGER NOT NULL, held INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
        PRIMARY KEY (day, server, tool, up_to)
    ) WITHOUT ROWID""",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)

_ANOTHER = "give the store's URL another path, or move the file away (and its -wal and -shm) and a new one is made"
_CAUSES: Final = {
    sqlite3.SQLITE_CORRUPT: ("is damaged", _ANOTHER),
    sqlite3.SQLITE_NOTADB: ("is not a SQLite database", _ANOTHER),
    sqlite3.SQLITE_READONLY: ("can only be read", "make the file and its folder writable, or give another path"),
    sqlite3.SQLITE_PERM: ("may not be used", "make the file and its folder writable, or give another path"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "make the file and its folder writable, or give another path"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "free some space, or lower the store's max_bytes"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "look at the disk and its quotas, or give another path"),
    sqlite3.SQLITE_BUSY: (
        "has been locked by another process for too long",
        "look which process holds it, or give each process a file of its own",
    ),
}


_LOG = logging.getLogger("penstock.stores")

Identity = tuple[int, int] | None  # of a file: its device and its number there; None while there is none


class Database:
    """Lend connections. One thread uses each at a time, and an error closes it, which undoes its work."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = f"the store's file {path}"  # in errors
        self._lock = threading.Lock()
        self._free: list[sqlite3.Connection] = []
        self._identity: Identity = None
        self._closed = False
        self._is_warned = False

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection on which each statement commits by itself."""
        with self.errors():
            db, identity = self._borrow()
            try:
                yield db
            except BaseException:
                db.close()
                raise
            self._give_back(db, identity)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what goes wrong into a ``StoreError``."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._store_error(getattr(error, "sqlite_errorcode", 0), error) from error
        except UnicodeDecodeError as error:  # SQLite quotes the damaged bytes, and Python cannot read its message
            raise self._store_error(sqlite3.SQLITE_CORRUPT, error) from error
        except OverflowError as error:
            raise StoreError(f"{self.name} cannot take so large a number", do="give one within 64 bits") from error
        except OSError as error:
            raise StoreError(
                f"{self.name} cannot be used: {error.strerror}",
                do="make its folder writable, or give the store's URL another path",
            ) from error

    @contextmanager
    def courtesy(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for a write that is given up soon if another process has locked the file."""
        with self.connection() as db:
            _wait(db, COURTESY)
            yield db
            _wait(db, PATIENCE)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection whose statements all happen, or none. It has the right to write from the start: a reader
        that becomes a writer half-way could be refused."""
        with self.connection() as db:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")

    @contextmanager
    def long_transaction(self) -> Iterator[sqlite3.Connection]:
        """Lend the same for so much that the log would be copied into place when it commits: a thread does that
        afterwards, while the answer is on its way."""
        with self.connection() as db:
            db.execute("PRAGMA wal_autocheckpoint = 0")
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
            db.execute(f"PRAGMA wal_autocheckpoint = {LOG}")
        threading.Thread(target=self._copy_log, name="penstock-log", daemon=True).start()

    def _copy_log(self) -> None:
        with suppress(StoreError), self.connection() as db:  # a later commit does what fails here
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def changed(self) -> str:
        """Return a word that is another one after any process has written to the file or its log."""
        states = []
        for name in (self.path, self.path.with_name(self.path.name + "-wal")):
            try:
                status = os.stat(name)
            except OSError:  # there is none yet, or no log any more
                states.append("none")
            else:
                states.append(f"{status.st_ino} {status.st_mtime_ns} {status.st_size}")
        return " ".join(states)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._forget_free()

    def _borrow(self) -> tuple[sqlite3.Connection, Identity]:
        with self._lock:
            if self._closed:
                raise closed()
            # When our file was moved away or replaced, our connections still write to the old one, which is lost.
            if self._identity != self._identify():
                self._forget_free()
            if not self._free:
                self._free.append(self._connect())
                self._identity = self._identify()
            return self._free.pop(), self._identity

    def _give_back(self, db: sqlite3.Connection, identity: Identity) -> None:
        with self._lock:
            if not self._closed and identity == self._identity and len(self._free) < IDLE:
                self._free.append(db)
                return
        db.close()

    def _forget_free(self) -> None:
        while self._free:
            self._free.pop().close()

    def _identify(self) -> Identity:
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def _is_database(self) -> bool:
        """Return False for a file that is certainly not a store: then its mode is not our business."""
        try:
            with open(self.path, "rb") as file:
                return file.read(len(MAGIC)) in (b"", MAGIC)
        except OSError:
            return False

    def _connect(self) -> sqlite3.Connection:
        make_private(self.path)
        if not self._is_warned and self._is_database() and (mode := open_to_others(self.path)):
            self._is_warned = True
            _LOG.warning("the store's file %s can be read by others (mode %s): chmod 600 it", self.path, mode)
        db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            # NORMAL: what was committed survives the death of the process. Only a power failure may take back the
            # last commits, and results that are held for half an hour are not worth a disk flush each.
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(f"PRAGMA cache_size = -{CACHE}")
            db.execute(f"PRAGMA wal_autocheckpoint = {LOG}")
            db.execute(f"PRAGMA journal_size_limit = {LOG * PAGE}")
            self._check(db)
        except BaseException:
            db.close()
            raise
        return db

    def _check(self, db: sqlite3.Connection) -> None:
        # In one transaction: between two looks of its own another process may have made the file ours.
        db.execute("BEGIN")
        try:
            signature = _one(db, "PRAGMA application_id"), _one(db, "PRAGMA user_version")
            taken = _one(db, "SELECT count(*) FROM sqlite_master")
        finally:
            db.execute("ROLLBACK")
        if signature == (APPLICATION, VERSION):
            return
        if signature[0] == APPLICATION:
            raise StoreError(
                f"{self.name} was written by another version of Penstock",
                do=f"use that version, or {_ANOTHER}",
            )
        if signature != (0, 0) or taken:
            raise StoreError(f"{self.name} belongs to another program", do=_ANOTHER)
        self._make(db)

    def _make(self, db: sqlite3.Connection) -> None:
        db.execute(f"PRAGMA page_size = {PAGE}")
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # so that a sweep can give space back to the disk
        _write_ahead(db)
        db.execute("BEGIN IMMEDIATE")
        if _one(db, "PRAGMA user_version") == 0:  # else another process was faster
            make_tables(db)
        db.execute("COMMIT")

    def _store_error(self, code: int, error: Exception) -> StoreError:
        what, do = _CAUSES.get(code & 0xFF, (f"failed: {error}", _ANOTHER))
        return StoreError(f"{self.name} {what}", do=do)


def make_tables(db: sqlite3.Connection) -> None:
    """Create the tables of an empty store."""
    for statement in SCHEMA:
        db.execute(statement)


def _write_ahead(db: sqlite3.Connection) -> None:
    """Turn the write-ahead log on. If two processes create the file at once, SQLite refuses one of them at once."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.005)
        else:
            return


def _wait(db: sqlite3.Connection, seconds: float) -> None:
    db.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")


def _one(db: sqlite3.Connection, statement: str) -> int:
    number: int = db.execute(statement).fetchone()[0]
    return number
