"""Bytes that are packed while they still arrive, and can be read from the first of them on.

One thread writes, one packs, and one may follow: it reads behind the writer, and what it asks for it gets as soon as
that has come. Only the last few megabytes are in memory as they came, in a ring that is written over and over; what the
follower wants that lies further back is unpacked. The writer waits for the other two when it is too far ahead of them.
"""

from __future__ import annotations

import threading
from array import array
from mmap import mmap
from typing import TYPE_CHECKING, Final

from penstock.stores.blocks import STRIPE, Blocks, Packed, PackedBytes, frames_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from penstock.stores.spool import Spool

STRIPES: Final = 14  # in the ring, of a megabyte each
RING: Final = STRIPES * STRIPE
BEHIND: Final = 2  # stripes before the one that the follower has come to that stay in the ring: it looks back so far


def _unheard(_: int) -> None:
    """Tell no other process of a stripe."""


class AbandonedError(Exception):
    """The writer gave up: what it has written is no result."""


class ArrivingBytes(PackedBytes):
    """A result on its way into a store. ``close`` ends it, ``abandon`` throws it away."""

    def __init__(
        self,
        most: int,
        spool: Spool,
        *,
        follows: bool = False,
        ring: mmap | None = None,
        announce: Callable[[int], None] | None = None,
    ) -> None:
        """Start to pack. ``most`` is how many bytes may come. With ``follows`` a thread reads behind the writer, until
        ``stop_following``. Another process may read in the ``ring``: ``announce`` is called with the size of each
        stripe that is written there, and with 0 at the end."""
        self.most = most
        self._spool = spool
        self._ends = array("Q")
        self._changed = threading.Condition()
        self._ring: memoryview | None = memoryview(mmap(-1, RING) if ring is None else ring)
        self._announce = announce or _unheard
        self._open_size = 0  # bytes of the stripe that is being written
        self._written = 0  # bytes, in whole stripes
        self._packed = 0  # stripes
        self._wanted = 0  # bytes that the follower has come to
        self._follows = follows
        self._closed = False
        self._failure: BaseException | None = None
        self._facts: dict[str, Any] = {}
        self._blocks = Blocks(most + STRIPE, self._fetch)
        self._packing = threading.Thread(target=self._pack, name="penstock-packing", daemon=True)
        self._packing.start()

    # The writer

    def write(self, piece: bytes) -> None:
        """Add bytes at the end. Raises what kept the other threads from taking them."""
        rest = memoryview(piece)
        while rest:
            ring = self._room()
            part = rest[: STRIPE - self._open_size]
            start = (self._written + self._open_size) % RING
            ring[start : start + len(part)] = part
            self._open_size += len(part)
            rest = rest[len(part) :]
            if self._open_size == STRIPE:
                self._push()

    def close(self) -> None:
        """Say that all bytes were written, and wait until all are packed. Raises if they could not be."""
        if self._open_size:
            self._push()
        with self._changed:
            self._closed = True
            self._blocks = Blocks(self._written, self._fetch)  # those before take the last block for a whole one
            self._announce(0)
            self._changed.notify_all()
        self._packing.join()
        self._check()
        self._forget()

    def abandon(self, error: BaseException | None = None) -> None:
        """Drop what was written; all who read get an error."""
        with self._changed:
            self._failure = self._failure or error or AbandonedError("the writer gave up")
            self._announce(0)
            self._changed.notify_all()
        self._packing.join()
        self._spool.close()
        with self._changed:
            self._ring = None

    def learn(self, facts: dict[str, Any]) -> None:
        """Take what was learned of the bytes on the way."""
        self._facts = facts

    def _room(self) -> memoryview:
        """Wait until the stripe that is written has a place in the ring."""
        if not self._open_size:
            with self._changed:
                self._changed.wait_for(lambda: self._failure is not None or self._has_room())
        self._check()
        assert self._ring is not None
        return self._ring

    def _has_room(self) -> bool:
        before = self._written // STRIPE - STRIPES  # the stripe that has been there
        return before < self._packed and not (self._follows and before >= self._wanted // STRIPE - BEHIND)

    def _push(self) -> None:
        with self._changed:
            self._written += self._open_size
            self._announce(self._open_size)
            self._open_size = 0
            self._changed.notify_all()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    # The thread that packs

    def _pack(self) -> None:
        try:
            while (stripe := self._next()) is not None:
                frames = frames_of(stripe)
                self._spool.append(b"".join(frames))
                with self._changed:
                    at = self._ends[-1] if self._ends else 0
                    for frame in frames:
                        at += len(frame)
                        self._ends.append(at)
                    self._packed += 1
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001  (of the disk, or the memory: the writer raises it)
            with self._changed:
                self._failure = self._failure or error
                self._changed.notify_all()

    def _next(self) -> memoryview | None:
        with self._changed:
            start = self._packed * STRIPE
            self._changed.wait_for(lambda: self._failure is not None or start < self._written or self._closed)
            end = min(start + STRIPE, self._written)
            return self._ring_span(start, end) if self._failure is None and start < end else None

    def _ring_span(self, start: int, end: int) -> memoryview:
        """Return a span of one stripe that is in the ring."""
        assert self._ring is not None
        return self._ring[start % RING : start % RING + end - start]

    def _forget(self) -> None:
        """Let go of the ring when no thread reads in it any more."""
        with self._changed:
            if self._closed and not self._follows and not self._packing.is_alive():
                self._ring = None
                self._announce = _unheard  # which may hold the ring as well

    # Who reads

    @property
    def size(self) -> int:
        with self._changed:
            self.came_to(self.most)
            self._changed.wait_for(lambda: self._failure is not None or self._closed)
            self._check()
            return self._written

    def read(self, start: int, end: int) -> bytes:
        """Return a span, when it has come."""
        with self._changed:
            if not self._closed:
                self.came_to(end)
                self._changed.wait_for(lambda: self._failure is not None or self._closed or self._written >= end)
            self._check()
            end = min(end, self._written)
            near = self._first_in_ring(start)
            places = range(near - near % STRIPE + STRIPE, end, STRIPE)
            spans = zip((near, *places), (*places, end), strict=True) if near < end else ()
            parts = [bytes(self._ring_span(*span)) for span in spans]
            blocks = self._blocks
        if start < min(near, end):
            parts.insert(0, blocks.read(start, min(near, end)))
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _first_in_ring(self, start: int) -> int:
        """Return the first place from ``start`` on that is still in the ring. All before it is packed."""
        if self._ring is None:
            return self._written
        return max(start, min(self._written // STRIPE + 1 - STRIPES, self._packed) * STRIPE)

    def came_to(self, place: int) -> None:
        """Take note of how far the follower has come."""
        with self._changed:
            self._wanted = max(self._wanted, place)
            self._changed.notify_all()

    def stop_following(self) -> None:
        """Say that no thread reads behind the writer any more."""
        with self._changed:
            self._follows = False
            self._changed.notify_all()
        self._forget()

    @property
    def learned(self) -> dict[str, Any]:
        return self._facts

    @property
    def packed(self) -> Packed:
        """Return the frames of all bytes, once they are closed; before that, of those that are packed."""
        return Packed(size=self._written, joined=self._spool, ends=self._ends)

    def _fetch(self, first: int, last: int) -> list[memoryview]:
        return self.packed.frames(first, last)
