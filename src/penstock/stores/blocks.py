"""Bytes in blocks: each is packed by itself, so that a page unpacks one or two of them and never the whole.

Blocks have a fixed size in original bytes; where a position lies is arithmetic. A frame of the block's length and four
bytes is the block itself and its checksum: what zstd hardly shrinks (an index, a picture) is kept plain, because
unpacking it would cost more than it saves. zstd's frames have a checksum of their own.
"""

from __future__ import annotations

import io
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Final
from zlib import crc32

from penstock.core.json.buffer import in_memory
from penstock.core.plain import Plain
from penstock.errors import StoreError
from penstock.stores.zstd import Compressor, ZstdError, decompress

if TYPE_CHECKING:
    from penstock.core.json.buffer import Bytes, Keep

BLOCK: Final = 65_536  # bytes; smaller ones pack worse, and of larger ones a page would unpack more than it shows
PLAIN: Final = 0.8  # of the block; a frame larger than this is not worth unpacking on every read
RECENT: Final = 4  # unpacked blocks kept by a reader: a page reads item by item, and lies in one or two of them
STRIPE: Final = 16 * BLOCK  # packed by one thread at a time: long enough to be worth handing over
THREADS: Final = min(4, os.cpu_count() or 1)
CHECKSUM: Final = 4  # bytes of CRC-32 behind a plain block; damage becomes an error, never other bytes
BATCH: Final = 16  # blocks fetched at once in a long read: 1 MB, enough to hide a network's delay

Frame = bytes | memoryview
Fetch = Callable[[int, int], Sequence[Frame]]
"""Give the frames from one number to before another; fewer than asked for when they are gone."""


class Packed(Plain, frozen=True, kw_only=True):
    """The frames of one run of bytes, one after the other: a list of them would take twice the memory."""

    size: int
    joined: Bytes
    ends: array[int]

    @property
    def stored(self) -> int:
        return len(self.joined)

    def frames(self, first: int, last: int) -> list[memoryview]:
        """Return the frames from one number to before another; fewer where there are no more."""
        last = min(last, len(self.ends))
        if first >= last:
            return []
        start, end = self._start(first), self.ends[last - 1]
        view = memoryview(self.joined)[start:end]
        return [view[self._start(at) - start : self.ends[at] - start] for at in range(first, last)]

    def __iter__(self) -> Iterator[memoryview]:
        for first in range(0, len(self.ends), BATCH):
            yield from self.frames(first, first + BATCH)

    def _start(self, number: int) -> int:
        return self.ends[number - 1] if number else 0


def pack(data: Bytes, keep: Keep = in_memory) -> Packed:
    """Pack bytes block by block; what is long, in several threads, as zstd lets go of the interpreter's lock. ``keep``
    joins the frames."""
    stripes = range(0, len(data), STRIPE)
    frames = partial(frames_of, memoryview(data))
    if len(stripes) < 2 or THREADS < 2:
        return _joined(len(data), map(frames, stripes), keep)
    with ThreadPoolExecutor(THREADS) as pool:
        return _joined(len(data), pool.map(frames, stripes), keep)


def frames_of(view: memoryview, start: int = 0) -> list[Frame]:
    """Pack the blocks of one stripe."""
    compressor = Compressor()
    frames: list[Frame] = []
    for at in range(start, min(start + STRIPE, len(view)), BLOCK):
        block = view[at : min(at + BLOCK, len(view))]
        frame = compressor.frame(block)
        frames.append(frame if len(frame) < len(block) * PLAIN else b"".join((block, checksum(block))))
    return frames


def _joined(size: int, stripes: Iterable[list[Frame]], keep: Keep) -> Packed:
    ends = array("Q")

    def frames() -> Iterator[bytes]:
        at = 0
        for frame in chain.from_iterable(stripes):
            at += len(frame)
            ends.append(at)
            yield bytes(frame)

    return Packed(joined=keep(frames()), size=size, ends=ends)


class Blocks:
    """Reads spans of packed bytes, wherever their frames are kept."""

    __slots__ = ("_block", "_fetch", "size")

    def __init__(self, size: int, fetch: Fetch) -> None:
        def block(number: int) -> bytes:
            return next(_unpacked(fetch, size, number, number + 1))

        self.size = size
        self._fetch = fetch
        # The cache is around a plain function: around a method it would tie reader and blocks into a cycle, and
        # their memory would wait for the garbage collector.
        self._block = lru_cache(maxsize=RECENT)(block)

    def read(self, start: int, end: int) -> bytes:
        """Return the original bytes from ``start`` to before ``end``, as a slice does."""
        start, end = max(0, start), min(end, self.size)
        if start >= end:
            return b""
        first, last = start // BLOCK, (end - 1) // BLOCK
        start -= first * BLOCK
        if first == last:
            return self._block(first)[start : end - first * BLOCK]
        if last - first < RECENT:
            return b"".join(self._block(number) for number in range(first, last + 1))[start : end - first * BLOCK]
        # A buffer that hands its bytes out without another copy: a result read whole may be hundreds of megabytes.
        whole = io.BytesIO()
        left = end - (first * BLOCK + start)
        for block in self._run(first, last + 1):
            left -= whole.write(memoryview(block)[start : start + left])
            start = 0
        return whole.getvalue()

    def has_frames(self, packed: Packed) -> bool:
        """Return True if these are the frames, of as many bytes. No more are fetched than up to those that differ."""
        if self.size != packed.size:
            return False
        spans = ((at, min(at + BATCH, len(packed.ends))) for at in range(0, len(packed.ends), BATCH))
        return all(list(map(bytes, self._fetch(*span))) == list(map(bytes, packed.frames(*span))) for span in spans)

    def _run(self, first: int, last: int) -> Iterator[bytes]:
        for at in range(first, last, BATCH):
            yield from _unpacked(self._fetch, self.size, at, min(at + BATCH, last))


def _unpacked(fetch: Fetch, size: int, first: int, last: int) -> Iterator[bytes]:
    frames = fetch(first, last)
    if len(frames) != last - first:
        raise StoreError(
            "the held result was removed while it was being read", do="make the original call again to have it anew"
        )
    for number, frame in enumerate(frames, first):
        length = min(BLOCK, size - number * BLOCK)
        try:
            yield verified(frame) if len(frame) == length + CHECKSUM else decompress(frame, length)
        except ZstdError as error:
            raise damaged() from error


def checksum(data: bytes | memoryview) -> bytes:
    return crc32(data).to_bytes(CHECKSUM, "little")


def verified(data: Frame) -> bytes:
    """Return the bytes before a checksum. Raises a ``StoreError`` if they are not what it was made of."""
    plain = bytes(data[:-CHECKSUM])
    if checksum(plain) != bytes(data[-CHECKSUM:]):
        raise damaged()
    return plain


def damaged() -> StoreError:
    return StoreError("the held result is damaged", do="make the original call again")
