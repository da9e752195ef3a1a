"""The parts of one long line between the thread that reads them and the one that handles them.

Some megabytes may wait in memory; then the reader waits, and the upstream feels it in its pipe. Responses behind the
line wait with it: to put what is too much into a file, and to read it back, would take time from the line itself. An
event loop cannot wait: it offers parts, and reads on when there is room again. Once the other thread has given up, what
still comes is let go, but for the end of the line: the id of the response may be there.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from penstock.protocol.wire.lines import KEPT, LONG

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence

    from penstock.protocol.commands import Command

WAITING: Final = 4_194_304  # bytes that an event loop lets wait, beside those that came before the line was long
MOST_WAITING: Final = 33_554_432  # bytes that a thread lets wait: with them a line of 50 MB is read without a pause
RECEIVING: Final = 33_554_432  # bytes of memory that receiving one line takes, about


class DroppedError(Exception):
    """The line will not come to its end: it is too long, or the upstream has ended."""


class ChunkInflow:
    """The parts of a line that begins with ``head``. ``size`` counts the bytes that have come."""

    def __init__(self, head: bytes, has_room: Callable[[], None] = lambda: None) -> None:
        """Take parts. ``has_room`` is called, in the other thread, when more may be offered."""
        self.head = head
        self._says_room = has_room
        self._is_full = False
        self.size = 0
        self._changed = threading.Condition()
        self._parts: deque[bytes] = deque()
        self._waiting = 0
        self._most = LONG + WAITING
        self._tail = b""
        self._ended = self._dropped = self._left = False

    # The thread that reads

    def put(self, part: bytes) -> None:
        """Hand on a part; wait until there is room for it."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting < MOST_WAITING or self._left)
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
            self._parts.append(part)
            self._waiting += len(part)
        self._changed.notify_all()

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
            self._make_room()
            self._changed.wait_for(lambda: self._ended)
            return self._tail

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: bool(self._parts or self._ended))
            if self._dropped:
                raise DroppedError
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


class OfferedInflow(Protocol):
    """Takes parts without waiting."""

    def offer(self, part: bytes) -> bool:
        """Hand on a part. Returns whether more may come at once."""
        ...

    def end(self) -> None: ...

    def drop(self) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivingLine:
    """A line that is handled while it arrives: what takes its parts, and the commands once it is whole."""

    inflow: OfferedInflow
    commands: asyncio.Future[Sequence[Command]]


class PausingInflow:
    """The same for an event loop: ``pause`` is called when the upstream has to wait."""

    def __init__(self, inflow: OfferedInflow, pause: Callable[[], None]) -> None:
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
