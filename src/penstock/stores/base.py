"""The contract of every store. Calls are synchronous, and safe from several threads at once.

A store fails with ``StoreError`` and nothing else; that something is not there is an answer (None, False), never an
error, and an outage is an error, never an answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from penstock.core.plain import Plain
from penstock.errors import StoreError
from penstock.spool import Spool
from penstock.stores.handle import Key, is_handle, key_of, owner_key
from penstock.stores.index_cache import Recent
from penstock.stores.record import Entry, Held, NewRecord, PackedRecord, StoredRecord, pack_record
from penstock.stores.sizes import SizeKey, Sizes, oldest_day, tidied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import IO, Self

    from penstock.core.json.buffer import Bytes
    from penstock.stores.listing import ListedResult

MAX_BYTES: Final = 1_073_741_824  # 1 GiB of packed blocks is two to three times as much in results
MAX_ITEMS: Final = 10_000  # bounds the time of a sweep when results are many and small

E = TypeVar("E")
K = TypeVar("K")
K_co = TypeVar("K_co", covariant=True)

PULSE: Final = 10.0  # seconds after which a store that cannot tell cheaply whether it was read counts as read
RECENT_INDEXES: Final = 8_388_608  # bytes: the indexes of a few results of 100 MB, or of many smaller ones


class StoreLimits(Plain, frozen=True, kw_only=True):
    """The space that a store may take, in packed bytes and in records. Beyond it the least recently used go, of the
    share that takes most: no caller can push out what others hold."""

    max_bytes: int = MAX_BYTES
    max_items: int = MAX_ITEMS


class Stats(Plain, frozen=True, kw_only=True):
    """The content of a store now, of all owners together; ``stored`` is in packed bytes."""

    items: int
    stored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The counts of one tool. No word of a result is in them."""

    calls: int = 0
    held: int = 0
    tokens_saved: int = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(
            calls=self.calls + other.calls,
            held=self.held + other.held,
            tokens_saved=self.tokens_saved + other.tokens_saved,
        )


class Store(ABC):
    """Holds results. ``place`` says where, for messages and logs, without any password; ``engine`` by what software of
    this machine, where its version matters."""

    place: str
    engine: str = ""
    is_apart: bool = True  # What it holds is not in this process's memory: what is on its way there may be in a file,
    folder: str | None = None  # in this folder, or in the system's own.

    def __init__(self, *, limits: StoreLimits, now: Callable[[], float]) -> None:
        self.limits = limits
        self._now = now
        self._recent = Recent(RECENT_INDEXES)

    def open_file(self) -> IO[bytes] | None:
        """Open a file without a name for bytes on their way into the store; None if it keeps everything in memory."""
        return TemporaryFile(dir=self.folder) if self.is_apart else None

    def keep(self, parts: Iterator[bytes]) -> Bytes:
        """Join pieces: in memory, or in such a file. Raises a ``StoreError`` if the disk is full."""
        spool = Spool(self.open_file)
        for part in parts:
            spool.append(part)
        return spool.done()

    def put(self, record: NewRecord) -> None:
        """Hold a result. When this returns, the record is committed and can be read; when it raises, none of it can.

        Expired records go first, then the least recently used of the largest share, until the new one has room.
        """
        packed = pack_record(record)
        if packed.stored > self.limits.max_bytes:
            raise StoreError(
                f"the result takes {packed.stored:,} bytes, and the whole store may take {self.limits.max_bytes:,}",
                do="raise the store's max_bytes, or narrow the call",
            )
        self._put(packed)

    def get(self, owner: str, handle: str) -> Held | None:
        """Return the held result, or None if the handle is unknown, foreign, expired, evicted or dropped."""
        key = key_of(owner, handle)
        record = None if key is None else self._find(key)
        return None if key is None or record is None else Held(key, record, self._recent)

    def latest(self, owner: str, call: str) -> Held | None:
        """Return the newest result that an owner holds of a call (``Metadata.call``), or None. Reading it does not
        touch it."""
        handles = self._latest(owner_key(owner), call) if call else ()
        return next((held for handle in handles if (held := self.get(owner, handle)) is not None), None)

    def touch(self, owner: str, handle: str, *, expires: float | None = None, seen: bytes = b"") -> bool:
        """Note that a result was read, and let it expire at another time if one is given; False if it is not there.
        ``seen`` is put behind what ``Entry.seen`` has already, whichever process has written that.

        This writes. A reader whose store can only be read still has its answer, so let no answer depend on it.
        """
        key = key_of(owner, handle)
        return key is not None and self._touch(key, expires, seen)

    def drop(self, owner: str, handle: str) -> bool:
        """Delete a result. False if it was not there."""
        key = key_of(owner, handle)
        return key is not None and self._drop(key)

    def purge(self, *, tool: str | None = None, before: float | None = None) -> Stats:
        """Drop what is held of all owners, or only of one tool, or only what was made before a time. Returns how much
        went. For the operator of the store: no caller of a tool comes here."""
        self.sweep()
        items = stored = 0
        for key, entry in self._everything():
            if entry is None:  # damaged: it can be dropped, but not told apart
                matches = tool is None and before is None
            else:
                meta = entry.meta
                matches = (tool is None or meta.tool == tool) and (before is None or meta.created < before)
            if matches and self._drop(key):
                items += 1
                stored += 0 if entry is None else entry.stored
        return Stats(items=items, stored=stored)

    def list(self, owner: str) -> tuple[Entry, ...]:
        """Return what an owner holds, the newest first."""
        return self._list(owner_key(owner))

    def all(self, extra: type[E]) -> Sequence[ListedResult[E]]:
        """Return what is held of all owners, the newest first, with the part of ``Metadata.extra`` that a type names;
        what is damaged is left out. It changes nothing. For the user who runs the store: no caller of a tool comes
        here, nor to ``look`` and ``remove``."""
        now = self._now()
        live = [one for one in self._all_listed(extra) if is_live(one.expires, now)]
        return sorted(live, key=lambda one: one.meta.created, reverse=True)

    def look(self, handle: str) -> Held | None:
        """Return the held result of whichever owner, or None if there is none. Nothing notes that it was read."""
        for key in self._keys_of(handle) if is_handle(handle) else ():
            if (record := self._find(key)) is not None:
                return Held(key, record, self._recent)
        return None

    def remove(self, handle: str) -> bool:
        """Delete the held result of whichever owner. False if there is none."""
        keys = self._keys_of(handle) if is_handle(handle) else ()
        return sum(map(self._drop, keys)) > 0

    def pulse(self) -> str:
        """Return a word that is another one after anything was held, read, removed or counted. It is cheap, and may
        change more often than that."""
        return f"{self.stats()} {sorted(self.counts().items(), key=str)} {self._now() // PULSE:.0f}"

    @abstractmethod
    def sweep(self) -> int:
        """Remove expired results, and those over the limits. Returns how many. Only space depends on it."""

    @abstractmethod
    def stats(self) -> Stats:
        """Return how much is held."""

    def add_counts(self, tool: str, *, calls: int = 0, held: int = 0, tokens_saved: int = 0) -> None:
        """Add to a tool's counters, which outlive the results."""
        # A name with a lone surrogate can be counted, but neither SQLite nor Redis could write it.
        name = tool.encode("utf-8", "replace").decode()
        self._add_counts(name, Counts(calls=calls, held=held, tokens_saved=tokens_saved))

    @abstractmethod
    def counts(self) -> Mapping[str, Counts]:
        """Return the counters by tool."""

    def tools_with_results(self) -> frozenset[str]:
        """Return the tools that returned a stored result at any time, by the counters."""
        return frozenset(tool for tool, counts in self.counts().items() if counts.held)

    def add_sizes(self, sizes: Mapping[SizeKey, Sizes]) -> None:
        """Add to the sizes by day, server, tool and class: a day is added whole, or not at all if this raises. Days
        that are no longer kept go; names that a full day has no row for are counted together."""
        kept = {key: one for key, one in tidied(sizes).items() if key.day >= oldest_day(self._now())}
        if kept:
            self._add_sizes(kept)

    def sizes(self, since: int = 0) -> Mapping[SizeKey, Sizes]:
        """Return the sizes of all days that are kept, or of those since a day."""
        return self._sizes(max(since, oldest_day(self._now())))

    @abstractmethod
    def close(self) -> None:
        """Close files and connections. Any later call raises ``StoreError``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def _put(self, record: PackedRecord) -> None: ...

    @abstractmethod
    def _find(self, key: Key) -> StoredRecord | None: ...

    @abstractmethod
    def _latest(self, owner: str, call: str) -> Iterable[str]:
        """Return the handle of the newest live record of a call, if there is one. Of a store that cannot tell which
        live, the newest few."""

    @abstractmethod
    def _touch(self, key: Key, expires: float | None, seen: bytes) -> bool: ...

    @abstractmethod
    def _drop(self, key: Key) -> bool: ...

    @abstractmethod
    def _list(self, owner: str) -> tuple[Entry, ...]: ...

    @abstractmethod
    def _everything(self) -> Sequence[tuple[Key, Entry | None]]:
        """Return all records of all owners; without an entry where the head is damaged."""

    @abstractmethod
    def _all_listed(self, extra: type[E]) -> Iterable[ListedResult[E]]:
        """Return the same as a list shows them, the expired ones as well, without those that are damaged."""

    @abstractmethod
    def _keys_of(self, handle: str) -> Sequence[Key]:
        """Return the keys of a handle, live or not: one for each owner, which is one owner at most but for tests."""

    @abstractmethod
    def _add_counts(self, tool: str, counts: Counts) -> None: ...

    @abstractmethod
    def _add_sizes(self, sizes: Mapping[SizeKey, Sizes]) -> None: ...

    @abstractmethod
    def _sizes(self, since: int) -> Mapping[SizeKey, Sizes]: ...


class Taken(Plain, frozen=True, kw_only=True):
    """The space that records take of a store."""

    items: int = 0
    stored: int = 0


class Books(Protocol[K_co]):
    """The space that the records of a store take, by share and by group of shares."""

    def total(self) -> Taken:
        """Return the space that all records take together."""

    def groups(self, *, by_bytes: bool) -> Iterable[str]:
        """Return groups of shares, the largest first."""

    def shares(self, group: str, *, by_bytes: bool) -> Iterable[str]:
        """Return the shares of a group, the largest first."""

    def records(self, share: str) -> Iterable[K_co]:
        """Return records of a share, the least recently used first."""


def next_victim(books: Books[K], limits: StoreLimits, keep: K | None = None) -> K | None:
    """Return the record that a store evicts next: the least recently used one of the largest share of the largest
    group. None if the limits hold. The record to ``keep`` is the new one: another process's clock may run ahead."""
    total = books.total()
    by_bytes = total.stored > limits.max_bytes
    if not by_bytes and total.items <= limits.max_items:
        return None
    for group in books.groups(by_bytes=by_bytes):
        for share in books.shares(group, by_bytes=by_bytes):
            for record in books.records(share):
                if record != keep:
                    return record
    return None


def is_live(expires: float | None, now: float) -> bool:
    return expires is None or expires > now


def taken() -> StoreError:
    return StoreError("the store already holds this handle", do="make another one with new_handle()")


def closed() -> StoreError:
    return StoreError("the store is closed", do="open it again")
