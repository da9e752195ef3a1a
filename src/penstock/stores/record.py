"""A record on its way into a store, what a store tells of it, and the held result as it is read.

A record has four streams of bytes, each in blocks of its own: ``raw`` is the original, ``body`` the bytes that the
index refers to where they differ from it, ``index``, and ``answer``, which the client got for the original. A ``Head``
tells of all four and goes with the record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from penstock.core.plain import Plain
from penstock.errors import CallerError
from penstock.share import Share
from penstock.stores.blocks import Blocks, Frame, Packed, checksum, damaged, pack, verified
from penstock.stores.handle import Key, key_of

if TYPE_CHECKING:
    from penstock.core.json.buffer import Bytes
    from penstock.stores.index_cache import Recent

Stream = Literal["raw", "body"]
RAW, BODY, INDEX, ANSWER = range(4)
CHECKED: Final = b"\xc1"  # stands before a head that has a checksum behind it; MessagePack begins with no such byte

Streams = tuple[Packed, Packed, Packed, Packed]
FetchStream = Callable[[int, int, int], Sequence[Frame]]
"""Give the frames of a stream (``RAW``, ``BODY``, ``INDEX`` or ``ANSWER``) from one number to before another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The facts about a held result that need no reading of it. ``arguments`` is JSON, as the caller of the tool wrote
    it.

    ``expires`` is None for a result that is kept until it is dropped or evicted. ``source`` and ``filter`` say where a
    filtered result came from. ``call`` is a digest of the call that was answered, by which ``Store.latest`` finds it;
    it is empty for what no call gave. ``extra`` is whatever else the writer wants back; it is never looked into.
    """

    tool: str = ""
    arguments: bytes = b"{}"
    tokens: int = 0
    size: int = 0
    items: int = 0
    depth: int = 0
    kind: str = "text"
    created: float
    expires: float | None
    source: str | None = None
    filter: str | None = None
    call: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord:
    """A result to be held. ``body`` is None when the index refers to ``raw`` itself. ``answer`` is what the client got
    in its place, empty if that is not known. ``share`` is whose space it takes; None for the owner's own. ``packed`` is
    ``raw`` as it is written, where that was made before."""

    handle: str
    owner: str
    raw: Bytes
    body: Bytes | None = None
    index: bytes = b""
    answer: bytes = b""
    meta: Metadata
    share: Share | None = None
    packed: Packed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A held result in a list: ``meta`` with the expiry as it stands now, how often and when it was last read, and what
    readers have noted of the parts that they have ``seen``."""

    handle: str
    meta: Metadata
    stored: int
    reads: int = 0
    last_read: float | None = None
    seen: bytes = b""


class Head(Plain, frozen=True, kw_only=True):
    """The part of a record that a store reads first. ``sizes`` and that of the ``answer`` are in original bytes; no
    body means the raw one."""

    meta: Metadata
    sizes: tuple[int, int | None, int]
    answer: int = 0


class PackedRecord(Plain, frozen=True, kw_only=True):
    """A record ready to be written: all the work that needs neither a lock nor a connection is done."""

    key: Key
    share: str
    head: bytes
    streams: Streams
    created: float
    expires: float | None
    call: str = ""

    @property
    def stored(self) -> int:
        return len(self.head) + sum(packed.stored for packed in self.streams)


class StoredRecord(NamedTuple):
    """A record under its key, and the way to read its blocks."""

    entry: Entry
    head: Head
    fetch: FetchStream


class Held:
    """A held result, read by parts. It stays readable while the record is there; reading it does not touch it."""

    __slots__ = ("_answer", "_body", "_index", "_name", "_raw", "_recent", "entry")

    def __init__(self, key: Key, record: StoredRecord, recent: Recent) -> None:
        self.entry = record.entry
        raw, body, index = record.head.sizes
        self._raw = Blocks(raw, partial(record.fetch, RAW))
        self._body = self._raw if body is None else Blocks(body, partial(record.fetch, BODY))
        self._index = Blocks(index, partial(record.fetch, INDEX))
        self._answer = Blocks(record.head.answer, partial(record.fetch, ANSWER))
        self._recent = recent
        self._name = (key, record.head.meta.created, index)

    @property
    def meta(self) -> Metadata:
        return self.entry.meta

    @property
    def owner_key(self) -> str:
        """Return the digest that stands for its owner."""
        return self._name[0].owner

    @property
    def index(self) -> bytes:
        """Return the index. It is fetched when it is first needed: metadata and text windows do without it."""
        return self._recent.get(self._name, lambda: self._index.read(0, self._index.size))

    @property
    def answer(self) -> bytes:
        """Return what the client got in place of the result; empty if that was not kept."""
        return self._answer.read(0, self._answer.size)

    @property
    def has_own_body(self) -> bool:
        """Return True if the index refers to other bytes than those that came."""
        return self._body is not self._raw

    def size(self, stream: Stream = "raw") -> int:
        return self._of(stream).size

    def read(self, start: int, end: int, stream: Stream = "raw") -> bytes:
        """Return the bytes from ``start`` to before ``end``, unpacking only the blocks that they lie in."""
        return self._of(stream).read(start, end)

    def reader(self, stream: Stream = "body") -> Callable[[int, int], bytes]:
        """Return the function with which the core reads parts."""
        return self._of(stream).read

    def is_packed_as(self, packed: Packed) -> bool:
        """Return True if the original was packed to these frames, so that it has the same bytes. False means nothing:
        another version of zstd may pack them differently."""
        return self._raw.has_frames(packed)

    def _of(self, stream: Stream) -> Blocks:
        return self._raw if stream == "raw" else self._body


def pack_record(record: NewRecord) -> PackedRecord:
    """Pack a record. Raises for a record that cannot be written, or whose handle is not one."""
    key = key_of(record.owner, record.handle)
    if key is None:
        raise CallerError("this is not a handle", do="make one with new_handle()")
    head = Head(
        meta=record.meta,
        sizes=(len(record.raw), None if record.body is None else len(record.body), len(record.index)),
        answer=len(record.answer),
    )
    try:
        encoded = msgspec.msgpack.encode(head)
    except (TypeError, ValueError, OverflowError) as error:  # a lone surrogate, an object, an integer past 64 bits
        raise CallerError(
            f"the metadata cannot be written: {error}", do="give plain values: text, numbers, lists, dicts"
        ) from error
    expires = record.meta.expires
    if not (_is_time(record.meta.created) and (expires is None or _is_time(expires))):
        raise CallerError(
            "the metadata cannot be written: a time is no finite number",
            do="give created and expires in seconds, or expires as None",
        )
    return PackedRecord(
        key=key,
        share=(record.share or Share(record.owner)).key,
        head=CHECKED + encoded + checksum(encoded),
        streams=(record.packed or pack(record.raw), pack(record.body or b""), pack(record.index), pack(record.answer)),
        created=record.meta.created,
        expires=expires,
        call=record.meta.call,
    )


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def plain_head(written: bytes) -> bytes:
    """Return the MessagePack of a head. Raises a ``StoreError`` if it is not what its checksum was made of."""
    if written[:1] != CHECKED:
        raise damaged()
    return verified(written[1:])


def read_head(written: bytes) -> Head:
    """Read the head as it was written. Raises a ``StoreError`` if it is damaged."""
    try:
        return msgspec.msgpack.decode(plain_head(written), type=Head)
    except msgspec.MsgspecError as error:
        raise damaged() from error


def entry_of(
    handle: str, head: Head, *, expires: float | None, stored: int, reads: int, last_read: float | None, seen: bytes
) -> Entry:
    meta = head.meta if head.meta.expires == expires else replace(head.meta, expires=expires)
    return Entry(handle=handle, meta=meta, stored=stored, reads=reads, last_read=last_read, seen=seen)
