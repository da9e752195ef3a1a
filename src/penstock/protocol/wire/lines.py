"""Put chunks together to whole lines. A line that came in one chunk is that chunk: the relay writes the same object."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LARGE: Final = 1_000_000  # bytes; from here on a line is handed on in its parts, so that no relay thread joins it
KEPT: Final = 65_536  # bytes of the beginning and the end of a line that is too long: its id is in one of them
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


class LineBuffer:
    """Puts chunks together to lines, each with its newline. Parts are joined once, when the line is whole.

    ``limit`` is asked only once a line is large.
    """

    def __init__(self, limit: Callable[[], int], large: int = LARGE) -> None:
        self._limit = limit
        self._large = large
        self._parts: deque[bytes] = deque()
        self._size = 0
        self._head = b""  # of a line that is too long; then ``_parts`` has its end only
        self._kept = 0

    def feed(self, chunk: bytes) -> Sequence[Line]:
        """Take a chunk, and return the lines that it completes."""
        end = chunk.find(b"\n") + 1
        if end == len(chunk) <= self._large and not self._parts:
            return (chunk,) if chunk else ()
        if not end:
            self._keep(chunk)
            return ()
        lines: list[Line] = []
        start = 0
        while end:
            if self._parts or end - start > self._large:
                self._keep(chunk[start:end])
                lines.append(self._take())
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
        self._clear()
        return rest

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        self._kept += len(part)
        if self._head:
            if self._kept > SPARE:
                self._cut()
        elif self._size > self._large and self._size > self._limit():
            self._head = b"".join(_first(self._parts))[:KEPT]
            self._cut()

    def _cut(self) -> None:
        self._parts = deque(reversed(_first(reversed(self._parts))))
        self._kept = sum(map(len, self._parts))

    def _take(self) -> Line:
        parts, size, head = self._parts, self._size, self._head
        self._clear()
        if head:
            return TooLong(head=head, tail=b"".join(parts)[-KEPT:], size=size)
        if size > self._large:
            return LargeLine(parts=parts, size=size)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _clear(self) -> None:
        self._parts, self._size, self._head, self._kept = deque(), 0, b"", 0


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
