"""Put chunks together to whole lines. A line that came in one chunk is that chunk: the relay writes the same object.

A very long line may be handed on while it arrives: a ``Watcher`` is told how it grows, and may take over its parts.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LARGE: Final = 1_000_000  # bytes; from here on a line is handed on in its parts, so that no relay thread joins it
KEPT: Final = 65_536  # bytes of the beginning and the end of a line that is too long: its id is in one of them
STEP: Final = 4_194_304  # bytes between two reports of how a line grows
LONG: Final = (
    4 * STEP
)  # bytes of a line from which on it may be handed on while it arrives: no text in it is learned whole
SPARE: Final = 4 * KEPT  # bytes of such a line that are let pile up, so that its end is not cut off anew at each part


class LargeLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line in the parts it came in. The thread that handles it may empty ``parts``, to free them one by one."""

    parts: deque[bytes]
    size: int


class TooLong(msgspec.Struct, frozen=True, kw_only=True):
    """The rest of a line above the limit: its beginning, its end, and how long it was."""

    head: bytes
    tail: bytes
    size: int


Line = bytes | LargeLine | TooLong


class Inflow(Protocol):
    """Takes the parts of a line that is still arriving."""

    def put(self, part: bytes) -> None: ...

    def end(self) -> None:
        """Take note that the line is whole, or that no more will come of it."""

    def drop(self) -> bytes:
        """Drop what came, but for the last ``KEPT`` bytes, which are returned: the line is too long."""


class Watcher(Protocol):
    """Hears of a line that is long, and not whole yet. ``head`` is how it begins."""

    def grew(self, head: bytes, size: int) -> None:
        """Take note that it has come to so many bytes: after each ``STEP``."""

    def take(self, head: bytes) -> Inflow | None:
        """Return what takes its parts from now on, those that have come included; None to have it as a line."""


class LineBuffer:
    """Puts chunks together to lines, each with its newline. Parts are joined once, when the line is whole.

    ``limit`` is asked only once a line is large. What a ``watcher`` takes over comes out as no line.
    """

    def __init__(self, limit: Callable[[], int], large: int = LARGE, watcher: Watcher | None = None) -> None:
        self._limit = limit
        self._large = large
        self._watcher = watcher
        self._inflow: Inflow | None = None  # that takes the parts of this line
        self._begin = b""  # how the line begins that it takes
        self._due = STEP  # bytes of this line at the next report
        self._parts: deque[bytes] = deque()
        self._size = 0
        self._head = b""  # of a line that is too long; then ``_parts`` has its end only
        self._kept = 0

    def feed(self, chunk: bytes) -> Sequence[Line]:
        """Take a chunk, and return the lines that it completes."""
        end = chunk.find(b"\n") + 1
        if end == len(chunk) <= self._large and not self._size:
            return (chunk,) if chunk else ()
        if not end:
            self._keep(chunk)
            return ()
        lines: list[Line] = []
        start = 0
        while end:
            if self._size or end - start > self._large:
                self._keep(chunk[start:end])
                if (line := self._take()) is not None:
                    lines.append(line)
            else:
                lines.append(chunk[start:end])
            start, end = end, chunk.find(b"\n", end) + 1
        if start < len(chunk):
            self._keep(chunk[start:])
        return lines

    def rest(self) -> bytes:
        """Return what came after the last newline, at the end of the input; nothing of a line that was too long, since
        its end alone is no message."""
        rest = b"" if self._head else b"".join(self._parts)
        if self._inflow is not None:
            self._inflow.end()
        self._clear()
        return rest

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._inflow is not None and self._size <= self._limit():
            self._inflow.put(part)
        else:
            self._parts.append(part)
            self._kept += len(part)
        if self._head:
            if self._kept > SPARE:
                self._cut()
        elif self._size > self._large and self._size > self._limit():
            self._head = self._begin or b"".join(_first(self._parts))[:KEPT]
            if self._inflow is not None:
                self._parts.appendleft(self._inflow.drop())
                self._inflow = None
            self._cut()
        elif self._watcher is not None and self._size >= self._due:
            self._report(self._watcher)

    def _report(self, watcher: Watcher) -> None:
        """Tell the watcher how the line grows, and let it take over a long one."""
        head = self._begin or b"".join(_first(self._parts))[:KEPT]
        self._due = self._size - self._size % STEP + STEP
        watcher.grew(head, self._size)
        if self._begin or self._size < LONG:
            return
        self._begin = head
        self._inflow = watcher.take(head)
        while self._inflow is not None and self._parts:
            self._inflow.put(self._parts.popleft())

    def _cut(self) -> None:
        self._parts = deque(reversed(_first(reversed(self._parts))))
        self._kept = sum(map(len, self._parts))

    def _take(self) -> Line | None:
        parts, size, head, inflow = self._parts, self._size, self._head, self._inflow
        self._clear()
        if inflow is not None:
            inflow.end()
            return None
        if head:
            return TooLong(head=head, tail=b"".join(parts)[-KEPT:], size=size)
        if size > self._large:
            return LargeLine(parts=parts, size=size)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _clear(self) -> None:
        self._parts, self._size, self._head, self._kept = deque(), 0, b"", 0
        self._inflow, self._begin, self._due = None, b"", STEP


def _first(parts: Iterable[bytes]) -> list[bytes]:
    """Return the first parts that have ``KEPT`` bytes together."""
    first: list[bytes] = []
    size = 0
    for part in parts:
        first.append(part)
        size += len(part)
        if size >= KEPT:
            break
    return first
