"""Bytes that are packed while they still arrive, and can be read from the first of them on.

One thread writes, one packs, and one may follow: it reads behind the writer, and what it asks for it gets as soon as
that has come. Only a few megabytes are in memory as they came; what the follower wants that lies further back is
unpacked. The writer waits for the other two when it is too far ahead of them.
"""

from __future__ import annotations

import threading
from array import array
from typing import TYPE_CHECKING, Final

from penstock.stores.blocks import STRIPE, Blocks, Packed, PackedBytes, frames_of

if TYPE_CHECKING:
    from typing import Any

    from penstock.stores.spool import Spool

AHEAD: Final = 12  # stripes, of a megabyte each, that the writer may be ahead of the others
BEHIND: Final = 2  # stripes before the one that the follower has come to that stay in memory: it looks back so far


class AbandonedError(Exception):
    """The writer gave up: what it has written is no result."""


class ArrivingBytes(PackedBytes):
    """A result on its way into a store. ``close`` ends it, ``abandon`` throws it away."""

    def __init__(self, most: int, spool: Spool, *, follows: bool = False) -> None:
        """Start to pack. ``most`` is how many bytes may come. With ``follows`` a thread reads behind the writer, until
        ``stop_following``."""
        self.most = most
        self._spool = spool
        self._ends = array("Q")
        self._changed = threading.Condition()
        self._stripes: dict[int, bytes] = {}  # by number, as they came
        self._open: list[bytes] = []  # pieces of the stripe that is being written
        self._open_size = 0
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
        while self._open_size + len(piece) >= STRIPE:
            room = STRIPE - self._open_size
            stripe = b"".join((*self._open, piece[:room]))
            self._open, self._open_size = [], 0
            self._push(stripe)
            piece = piece[room:]
        self._open.append(piece)
        self._open_size += len(piece)

    def close(self) -> None:
        """Say that all bytes were written, and wait until all are packed. Raises if they could not be."""
        if self._open_size:
            self._push(b"".join(self._open))
            self._open, self._open_size = [], 0
        with self._changed:
            self._closed = True
            self._blocks = Blocks(self._written, self._fetch)  # those before take the last block for a whole one
            self._changed.notify_all()
        self._packing.join()
        self._check()

    def abandon(self, error: BaseException | None = None) -> None:
        """Drop what was written; all who read get an error."""
        with self._changed:
            self._failure = self._failure or error or AbandonedError("the writer gave up")
            self._stripes.clear()
            self._changed.notify_all()
        self._packing.join()
        self._spool.close()

    def learn(self, facts: dict[str, Any]) -> None:
        """Take what was learned of the bytes on the way."""
        self._facts = facts

    def _push(self, stripe: bytes) -> None:
        with self._changed:
            number = self._written // STRIPE
            self._changed.wait_for(lambda: self._failure is not None or self._has_room(number))
            self._check()
            self._stripes[number] = stripe
            self._written += len(stripe)
            self._changed.notify_all()

    def _has_room(self, number: int) -> bool:
        return number - self._packed < AHEAD and not (self._follows and number - self._wanted // STRIPE >= AHEAD)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    # The thread that packs

    def _pack(self) -> None:
        try:
            while (stripe := self._next()) is not None:
                frames = frames_of(memoryview(stripe))
                self._spool.append(b"".join(frames))
                with self._changed:
                    at = self._ends[-1] if self._ends else 0
                    for frame in frames:
                        at += len(frame)
                        self._ends.append(at)
                    self._packed += 1
                    self._forget()
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001  (of the disk, or the memory: the writer raises it)
            with self._changed:
                self._failure = self._failure or error
                self._changed.notify_all()

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._failure is not None or self._packed in self._stripes or self._closed)
            return None if self._failure is not None else self._stripes.get(self._packed)

    def _forget(self) -> None:
        """Let go of stripes that are packed, and that the follower has left behind."""
        kept = self._wanted // STRIPE - BEHIND if self._follows else self._packed
        for number in [one for one in self._stripes if one < min(kept, self._packed)]:
            del self._stripes[number]

    # Who reads

    @property
    def size(self) -> int:
        with self._changed:
            self._wanted = max(self._wanted, self.most)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._failure is not None or self._closed)
            self._check()
            return self._written

    def read(self, start: int, end: int) -> bytes:
        """Return a span, when it has come."""
        with self._changed:
            if not self._closed:
                self._wanted = max(self._wanted, end)
                self._forget()
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._failure is not None or self._closed or self._written >= end)
            self._check()
            end = min(end, self._written)
            if start >= end:
                return b""
            first, last = start // STRIPE, (end - 1) // STRIPE
            stripes = [self._stripes.get(number) for number in range(first, last + 1)]
            blocks = self._blocks
        parts = []
        for number, stripe in enumerate(stripes, first):
            base = number * STRIPE
            if stripe is None:
                parts.append(blocks.read(max(start, base), min(end, base + STRIPE)))
            else:
                parts.append(stripe[max(start - base, 0) : end - base])
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def stop_following(self) -> None:
        """Say that no thread reads behind the writer any more."""
        with self._changed:
            self._follows = False
            self._forget()
            self._changed.notify_all()

    @property
    def learned(self) -> dict[str, Any]:
        return self._facts

    @property
    def packed(self) -> Packed:
        """Return the frames of all bytes, once they are closed; before that, of those that are packed."""
        return Packed(size=self._written, joined=self._spool, ends=self._ends)

    def _fetch(self, first: int, last: int) -> list[memoryview]:
        return self.packed.frames(first, last)
