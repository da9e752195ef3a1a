"""The parts of one long line between the thread that reads them and the one that handles them.

Other responses come behind that line in the same pipe, so the reader does not wait for the other thread: what is too
much for the memory goes to a file without a name. Where there is none, because results are held in memory, it waits,
and the upstream feels it. An event loop cannot wait: it offers parts, and reads on when there is room again. Once the
other thread has given up, what still comes is let go, but for the end of the line: the id of the response may be there.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from penstock.protocol.wire.lines import KEPT, LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.stores.spool import Spool

WAITING: Final = 4_194_304  # bytes that may wait in memory, beside those that came before the line was known to be long
MOST_WAITING: Final = 33_554_432  # bytes that may wait in memory where there is no spool, or not yet
PART: Final = 262_144  # bytes that are read back at a time
RECEIVING: Final = 33_554_432  # bytes of memory that receiving one line takes, about


class DroppedError(Exception):
    """The line will not come to its end: it is too long, or the upstream has ended."""


class ChunkInflow:
    """The parts of a line that begins with ``head``. ``size`` counts the bytes that have come."""

    def __init__(
        self,
        head: bytes,
        spool: Callable[[], Spool | None] | None = None,
        *,
        has_room: Callable[[], None] = lambda: None,
    ) -> None:
        """Take parts. ``spool`` makes what takes those that are too many for the memory, where they stay while it makes
        none; without it the reader waits. ``has_room`` is called, in the other thread, when more may be offered."""
        self.head = head
        self._says_room = has_room
        self._is_full = False
        self._make_spool = spool
        self._spool: Spool | None = None
        self._read = 0  # bytes of the spool
        self.size = 0
        self._changed = threading.Condition()
        self._parts: deque[bytes] = deque()
        self._waiting = 0
        self._most = LONG + WAITING
        self._tail = b""
        self._ended = self._dropped = self._left = False
        self._failure: OSError | None = None

    # The thread that reads

    def put(self, part: bytes) -> None:
        """Hand on a part; wait until there is room for it, if there is no spool."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_room or self._left)
            self._take(part)

    def offer(self, part: bytes) -> bool:
        """Hand on a part without waiting. Returns whether more may come; if not, ``has_room`` is called in time."""
        with self._changed:
            self._take(part)
            self._is_full = not (self._left or self._ended) and self._waiting >= self._most
            return not self._is_full

    def _take(self, part: bytes) -> None:
        self.size += len(part)
        self._tail = part[-KEPT:] if len(part) >= KEPT else (self._tail + part)[-KEPT:]
        if not self._left:
            self._keep(part)
        self._changed.notify_all()

    @property
    def _has_room(self) -> bool:
        return self._spool is not None or self._waiting < MOST_WAITING

    def _keep(self, part: bytes) -> None:
        if self._make_spool is not None and (self._spooled or self._waiting >= self._most):
            try:
                self._spool = self._spool or self._make_spool()
                if self._spool is not None:
                    self._spool.append(part)
                    return
            except OSError as error:  # the disk is full: the other thread answers with that
                self._failure = error
                self._left = True
                return
        self._parts.append(part)
        self._waiting += len(part)

    @property
    def _spooled(self) -> int:
        return 0 if self._spool is None else len(self._spool) - self._read

    def end(self) -> None:
        """End the line. Without the end of a JSON object it is none: the upstream died in the middle of it."""
        with self._changed:
            self._ended = True
            self._dropped = self._dropped or not self._tail.rstrip().endswith(b"}")
            self._changed.notify_all()

    def drop(self) -> bytes:
        """Drop the line, and return how it ended so far."""
        with self._changed:
            self._ended = self._dropped = True
            self._make_room()
            return self._tail

    # The thread that handles

    def __iter__(self) -> Iterator[bytes]:
        """Yield the parts as they come. Raises ``DroppedError`` when there will be no end."""
        while (part := self._next()) is not None:
            yield part

    def drain(self) -> bytes:
        """Give up: wait until the line has ended, and return how it ends."""
        with self._changed:
            self._left = True
            self._parts.clear()
            self._waiting = 0
            if self._spool is not None:
                self._spool.close()
                self._spool = None
            self._make_room()
            self._changed.wait_for(lambda: self._ended)
            return self._tail

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: bool(self._parts or self._spooled or self._failure or self._ended))
            if self._dropped:
                raise DroppedError
            if self._failure is not None:
                raise self._failure
            if self._spool is not None and not self._parts and self._spooled:
                return self._next_spooled(self._spool)
            if not self._parts:
                return None
            part = self._parts.popleft()
            self._waiting -= len(part)
            self._most = max(WAITING, min(self._most, self._waiting + WAITING))
            if self._waiting <= self._most // 2:
                self._make_room()
            self._changed.notify_all()
            return part

    def _make_room(self) -> None:
        self._changed.notify_all()
        if self._is_full:
            self._is_full = False
            self._says_room()

    def _next_spooled(self, spool: Spool) -> bytes:
        part = spool.read(self._read, self._read + PART)
        self._read += len(part)
        if not self._spooled:
            spool.close()
            self._read = 0
        return part


class PausingInflow:
    """The same for an event loop: ``pause`` is called when the upstream has to wait."""

    def __init__(self, inflow: ChunkInflow, pause: Callable[[], None]) -> None:
        self._inflow = inflow
        self._pause = pause

    def put(self, part: bytes) -> None:
        """Hand on a part."""
        if not self._inflow.offer(part):
            self._pause()

    def end(self) -> None:
        """End the line."""
        self._inflow.end()

    def drop(self) -> bytes:
        """Drop the line, and return how it ended so far."""
        return self._inflow.drop()
