"""Chunks in, whole lines out. A line that came in one chunk is that chunk: the same bytes object is written on.

A large line can be read while it is still arriving: see ``Intake``.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LARGE: Final = 1_000_000  # bytes; from here on a line is handed on in its parts, so that no relay thread joins it
KEPT: Final = 65_536  # bytes of the beginning and the end of a line that is too long: its id is in one of them
SPARE: Final = 4 * KEPT  # bytes of such a line that are let pile up, so that its end is not cut off anew at each part


class LargeLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line in the parts it came in; whoever takes it may empty ``parts`` to free them one by one."""

    parts: deque[bytes]
    size: int


class TooLong(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of a line above the limit: its beginning, its end, and how long it was."""

    head: bytes
    tail: bytes
    size: int


Line = bytes | LargeLine | TooLong


class Intake(Protocol):
    """Takes the parts of one large line as they arrive, instead of ``Lines``."""

    def put(self, part: bytes) -> None: ...

    def end(self, *, is_whole: bool) -> None:
        """No more parts come: the line has ended, or (not ``is_whole``) it is above the limit and is dropped."""
        ...


class Lines:
    """Puts chunks together to lines, each with its newline. Parts are joined once, when the line is whole.

    ``limit`` is asked only once a line is large. ``take_in`` is then asked whether it reads this line, by its
    beginning; the line is left out here if it gives an ``Intake``.
    """

    def __init__(
        self, limit: Callable[[], int], large: int = LARGE, take_in: Callable[[bytes], Intake | None] = lambda _: None
    ) -> None:
        self._limit = limit
        self._large = large
        self._take_in = take_in
        self._intake: Intake | None = None
        self._is_offered = False  # to ``take_in``
        self._parts: deque[bytes] = deque()
        self._size = 0
        self._head = b""  # of a line that is too long or taken in elsewhere; then ``_parts`` has its end only
        self._kept = 0

    def feed(self, chunk: bytes) -> Sequence[Line]:
        """The lines that this chunk completes."""
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
                lines += self._take()
            else:
                lines.append(chunk[start:end])
            start, end = end, chunk.find(b"\n", end) + 1
        if start < len(chunk):
            self._keep(chunk[start:])
        return lines

    def rest(self) -> bytes:
        """What came after the last newline, but for a line that was too long: its end alone is no message. Nothing
        more will come."""
        rest = b"" if self._head else b"".join(self._parts)
        if self._intake is not None:
            self._intake.end(is_whole=True)
        self._clear()
        return rest

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        self._kept += len(part)
        if self._intake is not None:
            if self._size > self._limit():
                self._intake.end(is_whole=False)
                self._intake = None
            else:
                self._intake.put(part)
        if self._head:
            if self._kept > SPARE:
                self._cut()
        elif self._size > self._large and (self._size > self._limit() or self._is_taken_in()):
            self._head = self._beginning()
            self._cut()

    def _is_taken_in(self) -> bool:
        """Whether the line that has become large is read elsewhere from now on; asked once a line."""
        if not self._is_offered:
            self._is_offered = True
            if (intake := self._take_in(self._beginning())) is not None:
                for part in self._parts:
                    intake.put(part)
            self._intake = intake
        return self._intake is not None

    def _beginning(self) -> bytes:
        return b"".join(_first(self._parts))[:KEPT]

    def _cut(self) -> None:
        self._parts = deque(reversed(_first(reversed(self._parts))))
        self._kept = sum(map(len, self._parts))

    def _take(self) -> Sequence[Line]:
        """The line that is whole now; none if it was taken in elsewhere."""
        parts, size, head, intake = self._parts, self._size, self._head, self._intake
        self._clear()
        if intake is not None:
            intake.end(is_whole=True)
            return ()
        if head:
            return (TooLong(head=head, tail=b"".join(parts)[-KEPT:], size=size),)
        if size > self._large:
            return (LargeLine(parts=parts, size=size),)
        return (parts[0] if len(parts) == 1 else b"".join(parts),)

    def _clear(self) -> None:
        self._parts, self._size, self._head, self._kept = deque(), 0, b"", 0
        self._intake, self._is_offered = None, False


def _first(parts: Iterable[bytes]) -> list[bytes]:
    """As many parts as have ``KEPT`` bytes together."""
    found: list[bytes] = []
    size = 0
    for part in parts:
        found.append(part)
        size += len(part)
        if size >= KEPT:
            break
    return found
