"""Held results on Redis or Valkey: several machines can share them, and the server expires them itself.

Blocks are sent first, in small batches, under a key that soon expires; then the record is entered in the books; then
one script writes its head. A handle can be read when that script has run, and never before. See ``redis_keys`` for the
keys, ``redis_scripts`` for the books, and ``redis_client`` for the kinds of servers.
"""

from __future__ import annotations

import math
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from redis import exceptions

from penstock.errors import StoreError
from penstock.stores import redis_scripts as scripts
from penstock.stores.base import Counts, Stats, Store, StoreLimits, Taken, is_live, next_victim, taken
from penstock.stores.blocks import BATCH, Frame, damaged
from penstock.stores.handle import Key
from penstock.stores.listing import ListedResult, listed_metadata
from penstock.stores.record import Entry, Head, PackedRecord, StoredRecord, entry_of, read_head
from penstock.stores.redis_keys import Keys, key_of_member, member
from penstock.stores.redis_server import FAILURES, RedisServer
from penstock.stores.sizes import COUNTED, DAY, KEPT_DAYS, MAX_ROWS, SizeKey, Sizes, day_of, others

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from penstock.stores.url import Address

E = TypeVar("E")

UNFINISHED: Final = 600  # seconds until the server forgets blocks whose writer died before the commit

MOST_OF_CALL: Final = 8  # results of one call that are remembered: the newest may be dropped or evicted
CALL_KEPT: Final = 86_400  # seconds that they are, at least; a result may be kept longer each time it is read,
CALL_KEPT_LONG: Final = 30 * 86_400  # and of results that never expire

_FIELDS: Final = ("head", "expires", "stored", "reads", "last_read", "seen")
_ANOTHERS: Final = 2  # the answer to a commit when another one of the same handle was faster
_COUNTED: Final = ("calls", "held", "tokens_saved")


class RedisStore(Store):
    """Connect when it is first used, and again after any failure."""

    def __init__(self, address: Address, *, limits: StoreLimits, now: Callable[[], float]) -> None:
        super().__init__(limits=limits, now=now)
        self._keys = Keys.of(address)
        self._server = RedisServer(address)
        self.place = self._server.place

    def sweep(self) -> int:
        with self._open():
            expired = self._run(scripts.FORGET_EXPIRED, self._keys.books)
            return int(expired) + self._evict()

    def stats(self) -> Stats:
        with self._open():
            totals = self._totals()
        return Stats(items=totals.items, stored=totals.stored)

    def counts(self) -> Mapping[str, Counts]:
        with self._open() as client:
            fields: dict[bytes, bytes] = client.hgetall(self._keys.counts)
        totals: dict[str, dict[str, int]] = {}
        for field, number in fields.items():
            # What another program put there is not ours to count.
            with suppress(ValueError):
                counted, _, tool = field.decode().partition(":")
                if counted in _COUNTED:
                    totals.setdefault(tool, {})[counted] = int(number)
        return {tool: Counts(**numbers) for tool, numbers in totals.items()}

    def close(self) -> None:
        self._server.close()

    def _put(self, record: PackedRecord) -> None:
        name = self._keys.record(record.key)
        with self._open() as client:
            if client.hexists(name, "head"):
                raise taken()
            try:
                blocks = self._send(name, record)
                self._enter(record)
                self._enter_call(record)
                self._commit(name, record, blocks)
                self._server.replicate(*self._written(name))
            except _TakenError:
                raise taken() from None
            except (*FAILURES, StoreError) as error:
                # A server that is out of memory has it back at once; from one that is gone it expires by itself.
                if not isinstance(error, exceptions.TimeoutError):
                    with suppress(*FAILURES):
                        self._remove(record.key)
                raise

    def _send(self, name: str, record: PackedRecord) -> int:
        """Write all blocks. Returns how many."""
        blocks = list(_fields(record))
        for at in range(0, len(blocks), BATCH):
            batch = [part for block in blocks[at : at + BATCH] for part in block]
            if not self._server.run(scripts.SEND, name, UNFINISHED, *batch):
                raise _TakenError
        return len(blocks)

    def _enter(self, record: PackedRecord) -> None:
        """Enter a record in the books, and evict others if the limits need it. A record that never expires is entered
        for a while, and for good by its commit, which may not come."""
        expires = self._now() + UNFINISHED if record.expires is None else record.expires
        values = repr(record.created), repr(expires), record.stored, record.share
        self._run(scripts.NOTE, self._keys.books, member(record.key), *values)
        self._evict(keep=record.key)

    def _enter_call(self, record: PackedRecord) -> None:
        """Remember which call a record is of. What is said of it is looked up before it is believed: it may be gone."""
        if not record.call:
            return
        name = self._keys.call(record.key.owner, record.call)
        kept = CALL_KEPT_LONG if record.expires is None else max(CALL_KEPT, math.ceil(record.expires - self._now()))
        pipeline = self._server.client.pipeline(transaction=False)
        pipeline.zadd(name, {record.key.handle: record.created})
        pipeline.zremrangebyrank(name, 0, -1 - MOST_OF_CALL)
        pipeline.expire(name, kept)
        pipeline.execute()

    def _commit(self, name: str, record: PackedRecord, blocks: int) -> None:
        values = repr(record.created), _number(record.expires), record.stored, record.share
        done = self._run(scripts.COMMIT, name, record.head, *values, blocks)
        if done == _ANOTHERS:
            raise _TakenError
        if not done:
            raise StoreError(
                f"the store at {self.place} lost blocks while they were written",
                do="give it more memory, and a maxmemory-policy of noeviction",
            )
        if record.expires is None:
            self._server.client.zrem(self._keys.book("expiry"), member(record.key))

    def _written(self, name: str) -> tuple[str, ...]:
        """Return a hash on each node that a put writes to."""
        return (self._keys.book("replicated"), name) if self._server.is_cluster else (name,)

    def _totals(self) -> Taken:
        """Return the space that all records take. Expired ones leave the books first."""
        items, stored = self._run(scripts.STATS, self._keys.books)
        return Taken(items=items, stored=stored)

    def _evict(self, keep: Key | None = None) -> int:
        """Evict records until the limits hold. Returns how many."""
        books = _RedisBooks(self._server.client, self._keys, self._totals)
        evicted = 0
        while (victim := next_victim(books, self.limits, keep)) is not None:
            self._remove(victim)
            evicted += 1
        return evicted

    def _each(self, send: Callable[[Any, Key], Any], keys: Iterable[Key]) -> list[Any]:
        """Send one command for each key together: a Cluster's client divides them among the nodes."""
        pipeline = self._server.client.pipeline(transaction=False)
        for key in keys:
            send(pipeline, key)
        answers: list[Any] = pipeline.execute()
        return answers

    def _remove(self, key: Key) -> bool:
        was_live = self._run(scripts.DROP, self._keys.record(key))
        self._run(scripts.FORGET, self._keys.books, member(key))
        return bool(was_live)

    def _find(self, key: Key) -> StoredRecord | None:
        name = self._keys.record(key)
        with self._open() as client:
            record = _read(key.handle, client.hmget(name, _FIELDS))
        if record is None or not is_live(record[0].meta.expires, self._now()):
            return None

        def fetch(stream: int, first: int, last: int) -> Sequence[Frame]:
            with self._open() as client:
                frames: list[bytes | None] = client.hmget(name, [_field(stream, at) for at in range(first, last)])
            return [frame for frame in frames if frame is not None]

        return StoredRecord(*record, fetch)

    def _latest(self, owner: str, call: str) -> list[str]:
        with self._open() as client:
            handles: list[bytes] = client.zrevrange(self._keys.call(owner, call), 0, -1)
        return [handle.decode(errors="replace") for handle in handles]

    def _touch(self, key: Key, expires: float | None, seen: bytes) -> bool:
        with self._open():
            values = self._run(scripts.TOUCH, self._keys.record(key), _number(expires), seen)
            if values is None:
                return False
            # Also enters it again, where a failover lost the last lines of the books.
            self._run(scripts.NOTE, self._keys.books, member(key), *values)
        return True

    def _drop(self, key: Key) -> bool:
        with self._open():
            return self._remove(key)

    def _list(self, owner: str) -> tuple[Entry, ...]:
        with self._open() as client:
            handles = client.zrevrange(self._keys.book("of", owner), 0, -1)
            entries = self._listed([Key(owner, handle.decode(errors="replace")) for handle in handles])
        now = self._now()
        return tuple(entry for _, entry in entries if entry is not None and is_live(entry.meta.expires, now))

    def _everything(self) -> list[tuple[Key, Entry | None]]:
        with self._open() as client:
            return self._listed([key_of_member(written) for written in client.hkeys(self._keys.book("sizes"))])

    def _listed(self, keys: list[Key]) -> list[tuple[Key, Entry | None]]:
        answers = self._each(lambda pipeline, key: pipeline.hmget(self._keys.record(key), _FIELDS), keys)
        return [(key, _entry(key.handle, fields)) for key, fields in zip(keys, answers, strict=True)]

    def _all_listed(self, extra: type[E]) -> Iterator[ListedResult[E]]:
        with self._open() as client:
            keys = [key_of_member(written) for written in client.hkeys(self._keys.book("sizes"))]
            answers = self._each(lambda pipeline, key: pipeline.hmget(self._keys.record(key), _FIELDS[:-1]), keys)
        for key, fields in zip(keys, answers, strict=True):
            written, *rest = fields
            meta = None if written is None else listed_metadata(written, extra)
            with suppress(TypeError, ValueError):  # of a number that is none: it is damaged
                if meta is not None:
                    yield ListedResult(key=key, meta=meta, **_numbers(*rest))

    def _keys_of(self, handle: str) -> list[Key]:
        with self._open() as client:
            keys = [key_of_member(written) for written in client.hkeys(self._keys.book("sizes"))]
        return [key for key in keys if key.handle == handle]

    def _add_counts(self, tool: str, counts: Counts) -> None:
        with self._open():
            numbers = [part for name in _COUNTED for part in (f"{name}:{tool}", getattr(counts, name))]
            self._server.run(scripts.COUNT, self._keys.counts, *numbers)

    def _add_sizes(self, sizes: Mapping[SizeKey, Sizes]) -> None:
        with self._open():
            for day in sorted({key.day for key in sizes}):
                rows = [
                    value
                    for key, one in sizes.items()
                    if key.day == day
                    for value in (_row(key), _row(others(key)), *(getattr(one, name) for name in COUNTED))
                ]
                self._server.run(scripts.SIZES, self._keys.sizes(day), (KEPT_DAYS + 1) * DAY, MAX_ROWS, *rows)

    def _sizes(self, since: int) -> Mapping[SizeKey, Sizes]:
        days = range(since, day_of(self._now()) + 2)  # a day ahead: the clock of another machine may be
        with self._open() as client:
            pipeline = client.pipeline(transaction=False)
            for day in days:
                pipeline.hgetall(self._keys.sizes(day))
            answers: list[dict[bytes, bytes]] = pipeline.execute()
        numbers_by_key: dict[SizeKey, dict[str, int]] = {}
        for day, fields in zip(days, answers, strict=True):
            for field, number in fields.items():
                with suppress(ValueError):  # not ours
                    name, up_to, server, tool = field.decode().split("\0")
                    if name in COUNTED:
                        numbers_by_key.setdefault(SizeKey(day, server, tool, int(up_to)), {})[name] = int(number)
        return {key: Sizes(**numbers) for key, numbers in numbers_by_key.items()}

    def _run(self, script: str, key: str, *values: Any) -> Any:
        return self._server.run(script, key, repr(self._now()), *values)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """Lend the client, and turn its failures into a ``StoreError``."""
        with self._server.errors():
            yield self._server.client


class _RedisBooks:
    """The space of each share as the server's books have it, and its records in the order of use."""

    def __init__(self, client: Any, keys: Keys, total: Callable[[], Taken]) -> None:
        self._client = client
        self._keys = keys
        self.total = total

    def groups(self, *, by_bytes: bool) -> Iterator[str]:
        """Return the two largest groups of shares: the new record may be the only one of the largest."""
        return self._largest(_measure(by_bytes=by_bytes))

    def shares(self, group: str, *, by_bytes: bool) -> Iterator[str]:
        """Return the two largest shares of a group."""
        return (group + part for part in self._largest(_measure(by_bytes=by_bytes), group))

    def records(self, share: str) -> Iterator[Key]:
        """Return the two least recently used records of a share."""
        return (key_of_member(written) for written in self._client.zrange(self._keys.book("used", share), 0, 1))

    def _largest(self, *book: str) -> Iterator[str]:
        return (name.decode() for name in self._client.zrevrange(self._keys.book(*book), 0, 1))


def _measure(*, by_bytes: bool) -> str:
    return "bytes" if by_bytes else "items"


class _TakenError(Exception):
    """Another writer has put the same handle."""


def _row(key: SizeKey) -> str:
    """Return what a row of sizes is called in its day; a name has no NUL."""
    return f"\0{key.up_to}\0{key.server}\0{key.tool}"


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _field(stream: int, number: int) -> str:
    return f"{stream}.{number}"


def _fields(record: PackedRecord) -> Iterator[tuple[str, Frame]]:
    for stream, packed in enumerate(record.streams):
        for number, frame in enumerate(packed):
            yield _field(stream, number), frame


def _entry(handle: str, fields: Sequence[Any]) -> Entry | None:
    """Skip a damaged record in a list. A caller that reads it by its handle gets the error."""
    try:
        record = _read(handle, fields)
    except StoreError:
        return None
    return None if record is None else record[0]


def _numbers(expires: Any, stored: Any, reads: Any, last_read: Any) -> dict[str, Any]:
    """Return the fields of a record that change. Raises a ``TypeError`` or ``ValueError`` for one that is no number."""
    return {
        "expires": float(expires) if expires else None,
        "stored": int(stored),
        "reads": int(reads),
        "last_read": float(last_read) if last_read else None,
    }


def _read(handle: str, fields: Sequence[Any]) -> tuple[Entry, Head] | None:
    written, expires, stored, reads, last_read, seen = fields
    if written is None:
        return None
    head = read_head(written)
    try:
        entry = entry_of(handle, head, **_numbers(expires, stored, reads, last_read), seen=seen or b"")
    except (TypeError, ValueError) as error:  # not there, or not a number
        raise damaged() from error
    return entry, head
