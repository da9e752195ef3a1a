"""Held results in one SQLite file: they survive a restart, and several processes can share them.

A record is a row in ``held`` and a row in ``blocks`` per block, written in one transaction. A block's number is the
record's number, the stream and its place in it, so that a page is one or two look-ups by primary key.
"""

from __future__ import annotations

from sqlite3 import sqlite_version
from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.errors import StoreError
from penstock.stores.base import Counts, Stats, Store, StoreLimits, Taken, next_victim, taken
from penstock.stores.handle import Key
from penstock.stores.listing import ListedResult, listed_metadata
from penstock.stores.record import Entry, Head, PackedRecord, StoredRecord, entry_of, read_head
from penstock.stores.sizes import COUNTED, MAX_ROWS, SizeKey, Sizes, oldest_day, others
from penstock.stores.sqlite_file import BLOCK_BITS, RECORD_BITS, Database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from penstock.stores.blocks import Frame

E = TypeVar("E")

LONG: Final = 4_194_304  # bytes of a record, as it is stored, behind which the log is not copied into place at once
PAGES_FREED: Final = 2_048  # pages (16 MB) that one sweep gives back to the disk, so that writers wait little for it

# 9e999 is infinity: what has no expiry is later than any time.
_GET = """
    SELECT id, handle, head, expires, stored, reads, last_read, seen FROM held
    WHERE owner = :owner AND handle = :handle AND ifnull(expires, 9e999) > :now"""
_LIST = """
    SELECT handle, head, expires, stored, reads, last_read, seen FROM held
    WHERE owner = :owner AND ifnull(expires, 9e999) > :now ORDER BY created DESC, id DESC"""
_LATEST = """
    SELECT handle FROM held WHERE owner = :owner AND call = :call AND call <> '' AND ifnull(expires, 9e999) > :now
    ORDER BY created DESC, id DESC LIMIT 1"""
_ALL = "SELECT owner, handle, head, expires, stored, reads, last_read, seen FROM held"
_LISTED = "SELECT owner, handle, head, expires, stored, reads, last_read FROM held"
_TOUCH = """
    UPDATE held SET reads = reads + 1, last_read = :now, used = :now, expires = ifnull(:expires, expires),
    seen = CAST(seen || :seen AS BLOB)
    WHERE owner = :owner AND handle = :handle AND ifnull(expires, 9e999) > :now"""
_DROP = "DELETE FROM held WHERE owner = :owner AND handle = :handle AND ifnull(expires, 9e999) > :now"
_STATS = "SELECT count(*), ifnull(sum(stored), 0) FROM held WHERE ifnull(expires, 9e999) > :now"
_TAKEN = "SELECT items, stored FROM taken WHERE within = 'all'"
_MOST_ITEMS = "SELECT name FROM taken WHERE within = ? ORDER BY items DESC LIMIT 2"
_MOST_STORED = "SELECT name FROM taken WHERE within = ? ORDER BY stored DESC LIMIT 2"
_OLDEST = "SELECT id FROM held WHERE share = ? ORDER BY used LIMIT 2"
_COUNT = """
    INSERT INTO counts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    calls = calls + excluded.calls, held = held + excluded.held, tokens_saved = tokens_saved + excluded.tokens_saved"""

_HAS_SIZE = "SELECT 1 FROM sizes WHERE day = ? AND server = ? AND tool = ? AND up_to = ?"
_ADD_SIZE = """
    INSERT INTO sizes VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
    held = held + excluded.held, tokens_in = tokens_in + excluded.tokens_in,
    tokens_out = tokens_out + excluded.tokens_out"""


class SqliteStore(Store):
    """Open the file when it is first used, and again after any failure: a repaired disk needs no restart."""

    engine = f"SQLite {sqlite_version}"

    def __init__(self, path: Path, *, limits: StoreLimits, now: Callable[[], float]) -> None:
        super().__init__(limits=limits, now=now)
        self.place = str(path)
        self.folder = str(path.parent)
        self._database = Database(path)

    def sweep(self) -> int:
        with self._database.transaction() as db:
            gone = self._trim(db)
        with self._database.connection() as db:
            # As a script: ``execute`` would stop after the first page.
            db.executescript(f"BEGIN IMMEDIATE; PRAGMA incremental_vacuum({PAGES_FREED}); COMMIT")
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return gone

    def stats(self) -> Stats:
        with self._database.connection() as db:
            items, stored = db.execute(_STATS, {"now": self._now()}).fetchone()
        return Stats(items=items, stored=stored)

    def counts(self) -> Mapping[str, Counts]:
        with self._database.connection() as db:
            rows = db.execute("SELECT tool, calls, held, tokens_saved FROM counts").fetchall()
        return {tool: Counts(calls=calls, held=held, tokens_saved=saved) for tool, calls, held, saved in rows}

    def close(self) -> None:
        self._database.close()

    def _put(self, record: PackedRecord) -> None:
        is_long = record.stored > LONG
        with self._database.long_transaction() if is_long else self._database.transaction() as db:
            added = db.execute(
                "INSERT INTO held (owner, handle, share, created, expires, used, stored, head, call)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (
                    *record.key,
                    record.share,
                    record.created,
                    record.expires,
                    self._now(),
                    record.stored,
                    record.head,
                    record.call,
                ),
            )
            if not added.rowcount:
                raise taken()
            number = added.lastrowid or 0
            db.executemany("INSERT INTO blocks VALUES (?, ?)", _rows(number, record))
            self._trim(db, keep=number)

    def _find(self, key: Key) -> StoredRecord | None:
        with self._database.connection() as db:
            row = db.execute(_GET, self._values(key)).fetchone()
        if row is None:
            return None
        number, *columns = row
        entry, head = _read(columns)

        def fetch(stream: int, first: int, last: int) -> list[Frame]:
            start = _block(number, stream)
            with self._database.connection() as db:
                rows = db.execute(
                    "SELECT frame FROM blocks WHERE id >= ? AND id < ? ORDER BY id", (start + first, start + last)
                )
                return [frame for (frame,) in rows]

        return StoredRecord(entry, head, fetch)

    def _latest(self, owner: str, call: str) -> list[str]:
        with self._database.connection() as db:
            rows = db.execute(_LATEST, {"owner": owner, "call": call, "now": self._now()}).fetchall()
        return [handle for (handle,) in rows]

    def _touch(self, key: Key, expires: float | None, seen: bytes) -> bool:
        with self._database.courtesy() as db:
            return db.execute(_TOUCH, {**self._values(key), "expires": expires, "seen": seen}).rowcount > 0

    def _drop(self, key: Key) -> bool:
        with self._database.connection() as db:
            return db.execute(_DROP, self._values(key)).rowcount > 0

    def _list(self, owner: str) -> tuple[Entry, ...]:
        with self._database.connection() as db:
            rows = db.execute(_LIST, {"owner": owner, "now": self._now()}).fetchall()
        return tuple(_read(row)[0] for row in rows)

    def purge(self, *, tool: str | None = None, before: float | None = None) -> Stats:
        """Purge as every store does; then the file is written anew, so that no byte of what went stays on the disk."""
        gone = super().purge(tool=tool, before=before)
        with self._database.connection() as db:
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def _everything(self) -> list[tuple[Key, Entry | None]]:
        with self._database.connection() as db:
            rows = db.execute(_ALL).fetchall()
        return [(Key(owner, columns[0]), _listed(columns)) for owner, *columns in rows]

    def _all_listed(self, extra: type[E]) -> Iterator[ListedResult[E]]:
        with self._database.connection() as db:
            rows = db.execute(_LISTED).fetchall()
        for owner, handle, written, expires, stored, reads, last_read in rows:
            if (meta := listed_metadata(written, extra)) is not None:
                key = Key(owner, handle)
                yield ListedResult(key=key, meta=meta, expires=expires, stored=stored, reads=reads, last_read=last_read)

    def _keys_of(self, handle: str) -> list[Key]:
        with self._database.connection() as db:
            return [Key(*row) for row in db.execute("SELECT owner, handle FROM held WHERE handle = ?", (handle,))]

    def pulse(self) -> str:
        """Return a text that every write to the store changes, as the files tell it."""
        return self._database.changed()

    def _add_counts(self, tool: str, counts: Counts) -> None:
        with self._database.courtesy() as db:
            db.execute(_COUNT, (tool, counts.calls, counts.held, counts.tokens_saved))

    def _add_sizes(self, sizes: Mapping[SizeKey, Sizes]) -> None:
        with self._database.courtesy() as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("DELETE FROM sizes WHERE day < ?", (oldest_day(self._now()),))
            rows = {day: _number_of_rows(db, day) for day in {key.day for key in sizes}}
            for key, one in sizes.items():
                counted = key
                if not db.execute(_HAS_SIZE, key).fetchone():
                    counted = key if rows[key.day] < MAX_ROWS else others(key)
                    rows[key.day] += 1
                db.execute(_ADD_SIZE, (*counted, one.calls, one.held, one.tokens_in, one.tokens_out))
            db.execute("COMMIT")

    def _sizes(self, since: int) -> Mapping[SizeKey, Sizes]:
        with self._database.connection() as db:
            rows = db.execute("SELECT * FROM sizes WHERE day >= ?", (since,)).fetchall()
        return {SizeKey(*row[:4]): Sizes(**dict(zip(COUNTED, row[4:], strict=True))) for row in rows}

    def _values(self, key: Key) -> dict[str, Any]:
        return {"owner": key.owner, "handle": key.handle, "now": self._now()}

    def _trim(self, db: sqlite3.Connection, keep: int | None = None) -> int:
        """Remove expired records, then evict others until the limits hold."""
        gone = db.execute("DELETE FROM held WHERE expires <= ?", (self._now(),)).rowcount
        books = _SqliteBooks(db)
        while (victim := next_victim(books, self.limits, keep)) is not None:
            db.execute("DELETE FROM held WHERE id = ?", (victim,))
            gone += 1
        return gone


class _SqliteBooks:
    """The space of each share, and its records in the order of use. Two of each are enough: the new record may be the
    only one of the largest share."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def total(self) -> Taken:
        """Return the space that all records take."""
        row = self._db.execute(_TAKEN).fetchone()
        return Taken() if row is None else Taken(items=row[0], stored=row[1])

    def groups(self, *, by_bytes: bool) -> list[str]:
        """Return the two largest groups of shares."""
        return self.shares("groups", by_bytes=by_bytes)

    def shares(self, group: str, *, by_bytes: bool) -> list[str]:
        """Return the two largest shares of a group."""
        return self._first(_MOST_STORED if by_bytes else _MOST_ITEMS, group)

    def records(self, share: str) -> list[int]:
        """Return the two least recently used records of a share."""
        return self._first(_OLDEST, share)

    def _first(self, query: str, name: str) -> list[Any]:
        return [value for (value,) in self._db.execute(query, (name,)).fetchall()]


def _number_of_rows(db: sqlite3.Connection, day: int) -> int:
    number: int = db.execute("SELECT count(*) FROM sizes WHERE day = ?", (day,)).fetchone()[0]
    return number


def _block(number: int, stream: int) -> int:
    return number << RECORD_BITS | stream << BLOCK_BITS


def _rows(number: int, record: PackedRecord) -> Iterator[tuple[int, Frame]]:
    for stream, packed in enumerate(record.streams):
        yield from enumerate(packed, _block(number, stream))


def _listed(columns: Any) -> Entry | None:
    try:
        return _read(columns)[0]
    except StoreError:
        return None


def _read(columns: Any) -> tuple[Entry, Head]:
    handle, written, expires, stored, reads, last_read, seen = columns
    head = read_head(written)
    return entry_of(handle, head, expires=expires, stored=stored, reads=reads, last_read=last_read, seen=seen), head
