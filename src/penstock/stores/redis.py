"""Held results on a Redis or Valkey server: several machines can share them, and the server expires them itself.

Blocks are sent first, in small pipelines, under a key that soon expires; then one script writes the head and the
books. A handle can be read when that script has run, and never before. See ``redis_scripts`` for the keys.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlencode

import redis
from redis import exceptions
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from penstock.errors import ConfigError, StoreError
from penstock.stores import redis_scripts as scripts
from penstock.stores.base import Counts, Limits, Stats, Store, closed, is_live, taken
from penstock.stores.blocks import BATCH, Frame, damaged
from penstock.stores.handle import Key
from penstock.stores.record import Entry, Found, Head, PackedRecord, entry_of, read_head
from penstock.stores.redis_deadline import punctual
from penstock.stores.url import TLS, Address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

TIMEOUT: Final = 5  # seconds for the server to answer; a commit with a large eviction takes a tenth of one
PAUSE: Final = 5.0  # seconds after a timeout in which nobody else waits for one: many callers would queue up behind it
CONNECT: Final = 1.5  # seconds for a connection: with the attempts below, an absent server is known within five
ATTEMPTS: Final = 2  # after the first, with growing pauses: enough for a server that restarts or fails over
UNFINISHED: Final = 600  # seconds until the server forgets blocks whose writer died before the commit

_FIELDS: Final = ("head", "expires", "stored", "reads", "last_read")
_ANOTHERS: Final = 2  # the answer to a commit when another one of the same handle was faster
_COUNTED: Final = ("calls", "held", "tokens_saved")


class RedisStore(Store):
    """Connect when it is first used, and again after any failure."""

    def __init__(self, address: Address, *, limits: Limits, now: Callable[[], float]) -> None:
        super().__init__(limits=limits, now=now)
        self._client: Any  # what redis-py says of its answers' types differs from version to version
        self._client, self.place = _client(address)
        self._prefix = address.options.get("prefix", "penstock")
        self._closed = threading.Event()
        self._hung: float | None = None  # until when nobody asks a server that did not answer in time
        self._commit = self._client.register_script(scripts.COMMIT)
        self._run_trim = self._client.register_script(scripts.TRIM)
        self._run_touch = self._client.register_script(scripts.TOUCH)
        self._run_drop = self._client.register_script(scripts.DROP)
        self._run_stats = self._client.register_script(scripts.STATS)

    def sweep(self) -> int:
        return int(self._run(self._run_trim, self.limits.max_bytes, self.limits.max_items))

    def stats(self) -> Stats:
        items, stored = self._run(self._run_stats)
        return Stats(items=items, stored=stored)

    def counts(self) -> Mapping[str, Counts]:
        with self._errors():
            found: dict[bytes, bytes] = self._client.hgetall(self._name("counts"))
        totals: dict[str, dict[str, int]] = {}
        for field, number in found.items():
            # Whatever else somebody put there is not ours to count.
            with suppress(ValueError):
                counted, _, tool = field.decode().partition(":")
                if counted in _COUNTED:
                    totals.setdefault(tool, {})[counted] = int(number)
        return {tool: Counts(**numbers) for tool, numbers in totals.items()}

    def close(self) -> None:
        self._closed.set()
        self._client.close()

    def _put(self, record: PackedRecord) -> None:
        with self._errors():
            name = self._name(*record.key)
            if self._client.hexists(name, "head"):
                raise taken()
            blocks = dict(_fields(record))
            try:
                self._send(name, blocks)
                done = self._call(
                    self._commit,
                    *(self.limits.max_bytes, self.limits.max_items, _member(record.key), repr(record.created)),
                    *(_number(record.expires), record.stored, record.head, len(blocks)),
                )
            except exceptions.RedisError as error:
                # A server that is out of memory has it back at once; from one that is gone it expires by itself.
                if not isinstance(error, exceptions.TimeoutError):
                    with suppress(exceptions.RedisError):
                        self._call(self._run_drop, _member(record.key))
                raise
        if done == _ANOTHERS:
            raise taken()
        if not done:
            raise StoreError(
                f"the store at {self.place} lost blocks while they were written",
                do="give it more memory, and a maxmemory-policy of noeviction",
            )

    def _send(self, name: str, blocks: dict[str, Frame]) -> None:
        fields = list(blocks)
        for at in range(0, len(fields), BATCH):
            pipeline = self._client.pipeline(transaction=True)
            pipeline.hset(name, mapping={field: blocks[field] for field in fields[at : at + BATCH]})
            pipeline.expire(name, UNFINISHED)
            pipeline.execute()

    def _find(self, key: Key) -> Found | None:
        name = self._name(*key)
        with self._errors():
            found = _read(key.handle, self._client.hmget(name, _FIELDS))
        if found is None or not is_live(found[0].meta.expires, self._now()):
            return None

        def fetch(stream: int, first: int, last: int) -> Sequence[Frame]:
            with self._errors():
                frames: list[bytes | None] = self._client.hmget(name, [_field(stream, at) for at in range(first, last)])
            return [frame for frame in frames if frame is not None]

        return Found(*found, fetch)

    def _touch(self, key: Key, expires: float | None) -> bool:
        return bool(self._run(self._run_touch, _member(key), _number(expires)))

    def _drop(self, key: Key) -> bool:
        return bool(self._run(self._run_drop, _member(key)))

    def _list(self, owner: str) -> tuple[Entry, ...]:
        with self._errors():
            handles = [
                handle.decode(errors="replace") for handle in self._client.zrevrange(self._name("of", owner), 0, -1)
            ]
            pipeline = self._client.pipeline(transaction=False)
            for handle in handles:
                pipeline.hmget(self._name(owner, handle), _FIELDS)
            found = [_listed(handle, fields) for handle, fields in zip(handles, pipeline.execute(), strict=True)]
        now = self._now()
        return tuple(one[0] for one in found if one is not None and is_live(one[0].meta.expires, now))

    def _everything(self) -> list[tuple[Key, Entry | None]]:
        with self._errors():
            members = [member.decode(errors="replace") for member in self._client.zrange(self._name("used"), 0, -1)]
            keys = [Key(*member.partition(":")[::2]) for member in members]
            pipeline = self._client.pipeline(transaction=False)
            for key in keys:
                pipeline.hmget(self._name(*key), _FIELDS)
            found = [_listed(key.handle, fields) for key, fields in zip(keys, pipeline.execute(), strict=True)]
        return [(key, None if one is None else one[0]) for key, one in zip(keys, found, strict=True)]

    def _add_counts(self, tool: str, counts: Counts) -> None:
        with self._errors():
            pipeline = self._client.pipeline(transaction=True)
            for counted in _COUNTED:
                pipeline.hincrby(self._name("counts"), f"{counted}:{tool}", getattr(counts, counted))
            pipeline.execute()

    def _name(self, *parts: str) -> str:
        return ":".join((self._prefix, *parts))

    def _run(self, script: Callable[..., Any], *values: Any) -> Any:
        with self._errors():
            return self._call(script, *values)

    def _call(self, script: Callable[..., Any], *values: Any) -> Any:
        return script(keys=[self._prefix], args=[repr(self._now()), *values])

    @contextmanager
    def _errors(self) -> Iterator[None]:
        if self._closed.is_set():
            raise closed()
        if self._hung is not None:
            now = time.monotonic()
            if now < self._hung:
                raise self._told(exceptions.TimeoutError("it did not answer in time just now"))
            self._hung = now + PAUSE  # one caller looks whether it answers again
        try:
            yield
            self._hung = None
        except (exceptions.RedisError, OSError, ValueError, AttributeError) as error:
            self._hung = time.monotonic() + PAUSE if isinstance(error, exceptions.TimeoutError) else None
            raise self._told(error) from error

    def _told(self, error: Exception) -> StoreError:
        # A connection that another thread closes under a call fails in many ways, and not only in the client's own.
        if self._closed.is_set():
            return closed()
        if isinstance(error, exceptions.AuthenticationError):
            return StoreError(f"the store at {self.place} refuses us", do="check its user and password")
        if isinstance(error, exceptions.ConnectionError | exceptions.TimeoutError):
            return StoreError(
                f"the store at {self.place} cannot be reached: {error}", do="look whether the server runs"
            )
        if "maxmemory" in str(error):
            return StoreError(
                f"the store at {self.place} is out of memory", do="raise its maxmemory, or lower the store's max_bytes"
            )
        # Before the server's own words a pipeline's error quotes the command, and handles are in it.
        words = str(error).rpartition(" caused error: ")[2]
        return StoreError(f"the store at {self.place} failed: {words}", do="look at the server's log")


def _client(address: Address) -> tuple[redis.Redis, str]:
    """Return a client, and the place it connects to, without the password."""
    parts = address.parts
    tls = urlencode({name: value for name, value in address.options.items() if name in TLS})
    try:
        if address.scheme == "unix":
            place, db = parts.path, ""
        else:
            unquote(parts.hostname or "").encode("idna")  # as the resolver does, which fails for a label too long
            place, db = f"{parts.hostname or 'localhost'}:{parts.port or 6379}", parts.path.strip("/")
        number = int(address.options.get("db", db) or 0)
        timeout = address.whole("timeout", TIMEOUT)
        client = redis.Redis.from_url(
            f"{parts.scheme}://{parts.netloc}{parts.path if address.scheme == 'unix' else ''}?{tls}",
            db=number,
            socket_timeout=timeout,
            socket_connect_timeout=min(timeout, CONNECT),
            retry=Retry(ExponentialBackoff(cap=1, base=0.05), ATTEMPTS, (exceptions.ConnectionError,)),
            protocol=2,  # understood by every server, and all that is needed here
        )
    except ValueError as error:  # its message may quote the URL
        raise ConfigError("the store's URL cannot be read", do="write it like redis://host:6379/0") from error
    pool = client.connection_pool
    pool.connection_class = punctual(pool.connection_class)
    return client, f"{address.scheme}://{place}/{number}"


def _member(key: Key) -> str:
    return f"{key.owner}:{key.handle}"


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _field(stream: int, number: int) -> str:
    return f"{stream}.{number}"


def _fields(record: PackedRecord) -> Iterator[tuple[str, Frame]]:
    for stream, packed in enumerate(record.streams):
        for number, frame in enumerate(packed.frames()):
            yield _field(stream, number), frame


def _listed(handle: str, fields: Sequence[Any]) -> tuple[Entry, Head] | None:
    """Skip a damaged record in a list. A caller that reads it by its handle gets the error."""
    try:
        return _read(handle, fields)
    except StoreError:
        return None


def _read(handle: str, fields: Sequence[Any]) -> tuple[Entry, Head] | None:
    written, expires, stored, reads, last_read = fields
    if written is None:
        return None
    head = read_head(written)
    try:
        entry = entry_of(
            handle,
            head,
            expires=float(expires) if expires else None,
            stored=int(stored),
            reads=int(reads),
            last_read=float(last_read) if last_read else None,
        )
    except (TypeError, ValueError) as error:  # not there, or not a number
        raise damaged() from error
    return entry, head
