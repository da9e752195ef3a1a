"""Held results in this process's memory: nothing to set up, and gone when the process ends."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from penstock.stores.base import Counts, Ledger, Stats, Store, StoreLimits, closed, is_live, next_victim, taken
from penstock.stores.listing import ListedResult, checked_metadata
from penstock.stores.record import Entry, Head, PackedRecord, StoredRecord, Streams, entry_of, read_head
from penstock.stores.sizes import MAX_ROWS, SizeKey, Sizes, oldest_day, others

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from penstock.stores.handle import Key

E = TypeVar("E")


@dataclass(slots=True, kw_only=True)
class _Kept:
    """A record, and its members that change."""

    head: Head
    share: str
    streams: Streams
    stored: int
    expires: float | None
    reads: int = 0
    seen: bytes = b""
    last_read: float | None = None


class MemoryStore(Store):
    """Records under one lock, of each share in the order of use. Packing and unpacking happen outside of the lock."""

    place = "memory"
    is_apart = False

    def __init__(self, *, limits: StoreLimits, now: Callable[[], float]) -> None:
        super().__init__(limits=limits, now=now)
        self._lock = threading.Lock()
        self._closed = False
        self._all: dict[Key, _Kept] = {}
        self._of_call: dict[tuple[str, str], dict[Key, None]] = {}  # by owner and call, the oldest first
        self._books = _MemoryBooks()
        self._soonest = math.inf  # nothing expires before this, so that most puts need not look at everything
        self._counts: dict[str, Counts] = {}
        self._by_day: dict[int, dict[SizeKey, Sizes]] = {}

    def sweep(self) -> int:
        with self._open():
            return self._trim()

    def stats(self) -> Stats:
        with self._open():
            now = self._now()
            live = [kept.stored for kept in self._all.values() if is_live(kept.expires, now)]
            return Stats(items=len(live), stored=sum(live))

    def counts(self) -> Mapping[str, Counts]:
        with self._open():
            return dict(self._counts)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._all.clear()
            self._of_call.clear()

    @contextmanager
    def _open(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise closed()
            yield

    def _put(self, record: PackedRecord) -> None:
        with self._open():
            if record.key in self._all:
                raise taken()
            self._all[record.key] = _Kept(
                head=read_head(record.head),
                share=record.share,
                streams=record.streams,
                stored=record.stored,
                expires=record.expires,
            )
            if record.call:
                self._of_call.setdefault((record.key.owner, record.call), {})[record.key] = None
            self._books.enter(record.share, record.key, record.stored)
            self._soonest = min(self._soonest, math.inf if record.expires is None else record.expires)
            self._trim(keep=record.key)

    def _find(self, key: Key) -> StoredRecord | None:
        with self._open():
            kept = self._live(key)
            if kept is None:
                return None
            streams = kept.streams
            return StoredRecord(
                _entry(key, kept), kept.head, lambda stream, first, last: streams[stream].frames(first, last)
            )

    def _latest(self, owner: str, call: str) -> list[str]:
        with self._open():
            keys = self._of_call.get((owner, call), {})
            live = [key for key in keys if self._live(key) is not None]
            newest = max(reversed(live), key=lambda key: self._all[key].head.meta.created, default=None)
            return [] if newest is None else [newest.handle]

    def _touch(self, key: Key, expires: float | None, seen: bytes) -> bool:
        with self._open():
            kept = self._live(key)
            if kept is None:
                return False
            kept.last_read = self._now()
            kept.reads += 1
            kept.seen += seen
            if expires is not None:
                kept.expires = expires
                self._soonest = min(self._soonest, expires)
            self._books.use(kept.share, key)
            return True

    def _drop(self, key: Key) -> bool:
        with self._open():
            if self._live(key) is None:
                return False
            self._remove(key)
            return True

    def _list(self, owner: str) -> tuple[Entry, ...]:
        with self._open():
            now = self._now()
            mine = [(key, kept) for key, kept in self._all.items() if key.owner == owner and is_live(kept.expires, now)]
            mine.sort(key=lambda one: one[1].head.meta.created, reverse=True)
            return tuple(_entry(key, kept) for key, kept in mine)

    def _everything(self) -> list[tuple[Key, Entry | None]]:
        with self._open():
            return [(key, _entry(key, kept)) for key, kept in self._all.items()]

    def _all_listed(self, extra: type[E]) -> list[ListedResult[E]]:
        with self._open():
            return [
                ListedResult(
                    key=key,
                    meta=meta,
                    expires=kept.expires,
                    stored=kept.stored,
                    reads=kept.reads,
                    last_read=kept.last_read,
                )
                for key, kept in self._all.items()
                if (meta := checked_metadata(kept.head.meta, extra)) is not None
            ]

    def _keys_of(self, handle: str) -> list[Key]:
        with self._open():
            return [key for key in self._all if key.handle == handle]

    def _add_counts(self, tool: str, counts: Counts) -> None:
        with self._open():
            self._counts[tool] = self._counts.get(tool, Counts()).plus(counts)

    def _add_sizes(self, sizes: Mapping[SizeKey, Sizes]) -> None:
        with self._open():
            oldest = oldest_day(self._now())
            for gone in [day for day in self._by_day if day < oldest]:
                del self._by_day[gone]
            for key, one in sizes.items():
                rows = self._by_day.setdefault(key.day, {})
                counted = key if key in rows or len(rows) < MAX_ROWS else others(key)
                rows[counted] = rows.get(counted, Sizes()).plus(one)

    def _sizes(self, since: int) -> Mapping[SizeKey, Sizes]:
        with self._open():
            return {key: one for day, rows in self._by_day.items() if day >= since for key, one in rows.items()}

    def _live(self, key: Key) -> _Kept | None:
        kept = self._all.get(key)
        return kept if kept is not None and is_live(kept.expires, self._now()) else None

    def _remove(self, key: Key) -> None:
        kept = self._all.pop(key)
        self._books.remove(kept.share, key, kept.stored)
        if call := kept.head.meta.call:
            of_call = self._of_call[key.owner, call]
            del of_call[key]
            if not of_call:
                del self._of_call[key.owner, call]

    def _trim(self, keep: Key | None = None) -> int:
        """Remove expired records, then evict others until the limits hold."""
        before, now = len(self._all), self._now()
        if self._soonest <= now:
            for key in [key for key, kept in self._all.items() if not is_live(kept.expires, now)]:
                self._remove(key)
            times = (kept.expires for kept in self._all.values())
            self._soonest = min((expires for expires in times if expires is not None), default=math.inf)
        while (victim := next_victim(self._books, self.limits, keep)) is not None:
            self._remove(victim)
        return before - len(self._all)


class _MemoryBooks(Ledger):
    """The space of each share, and its records in the order of use."""

    def __init__(self) -> None:
        super().__init__()
        self._used: dict[str, OrderedDict[Key, None]] = {}

    def enter(self, share: str, key: Key, stored: int) -> None:
        """Add a record as the one that was used last."""
        self.add(share, 1, stored)
        self._used.setdefault(share, OrderedDict())[key] = None

    def remove(self, share: str, key: Key, stored: int) -> None:
        """Remove a record."""
        self.add(share, -1, -stored)
        del self._used[share][key]
        if not self._used[share]:
            del self._used[share]

    def use(self, share: str, key: Key) -> None:
        """Note that a record was used."""
        self._used[share].move_to_end(key)

    def records(self, share: str) -> Iterable[Key]:
        """Return the records of a share, the least recently used first."""
        return self._used[share]


def _entry(key: Key, kept: _Kept) -> Entry:
    return entry_of(
        key.handle,
        kept.head,
        expires=kept.expires,
        stored=kept.stored,
        reads=kept.reads,
        seen=kept.seen,
        last_read=kept.last_read,
    )
