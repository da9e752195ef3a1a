"""Put chunks together to whole messages. A line that came in one chunk is that chunk: the relay writes the same object.

A message that comes in parts is gathered in a spool: in memory, or in a file if it is very long. From a file it comes
as a view of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from penstock.errors import StoreError
from penstock.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LARGE: Final = 1_000_000  # Bytes of a line that takes long to handle: leave it to a thread.
KEPT: Final = 65_536  # Bytes of the beginning and the end of a line that is not kept: its id is in one of them.
STEP: Final = 4_194_304  # Bytes between two reports of how a message grows.


class TooLong(msgspec.Struct, frozen=True, kw_only=True):
    """The rest of a message above the limit: its beginning, its end, and how long it was. The words of a ``failure``
    say if it was lost for another reason."""

    head: bytes
    tail: bytes
    size: int
    failure: str = ""


Line = bytes | memoryview | TooLong


class Grew(Protocol):
    """Hears of a message that is long, and not whole yet."""

    def __call__(self, head: bytes, size: int, /) -> object:
        """Note that a message which begins with ``head`` has come to so many bytes."""


class Arriving:
    """One message that arrives in parts. ``limit`` is asked once it is large, ``grew`` is called after each step."""

    def __init__(self, limit: Callable[[], int], new_spool: Callable[[], Spool], grew: Grew | None = None) -> None:
        self._limit = limit
        self._spool: Spool | None = new_spool()  # None once the message is not kept
        self._grew = grew
        self._due = STEP
        self._failure = ""
        self._head = b""
        self._tail = b""  # of a message that is not kept
        self.size = 0

    @property
    def is_in_file(self) -> bool:
        """Return True if no more of the message stays in memory."""
        return self._spool is None or self._spool.is_in_file

    def add(self, part: bytes) -> None:
        """Take the next part."""
        self.size += len(part)
        if len(self._head) < KEPT:
            self._head += part[: KEPT - len(self._head)]
        if self._spool is None:
            self._tail = (self._tail + part)[-KEPT:]
            return
        try:
            self._spool.append(part)
        except StoreError as error:
            self._drop(part, str(error))
        if self.size > LARGE and self.size > self._limit():
            self._drop(part, "")
        elif self._grew is not None and self.size >= self._due:
            self._due = self.size - self.size % STEP + STEP
            self._grew(self._head, self.size)

    def done(self) -> Line:
        """Return the whole message."""
        if self._spool is None:
            return TooLong(head=self._head, tail=self._tail, size=self.size, failure=self._failure)
        try:
            whole = self._spool.done()
        except StoreError as error:
            self._drop(b"", str(error))
            return self.done()
        return whole if isinstance(whole, bytes) else memoryview(whole)

    def _drop(self, part: bytes, failure: str) -> None:
        if self._spool is not None:
            self._tail = part[-KEPT:] if failure else self._spool.tail(KEPT)
            self._spool.close()
        self._spool, self._failure = None, self._failure or failure


class LineBuffer:
    """Puts chunks together to lines, each with its newline."""

    def __init__(
        self, limit: Callable[[], int], *, new_spool: Callable[[], Spool] = Spool, grew: Grew | None = None
    ) -> None:
        self._limit = limit
        self._new_spool = new_spool
        self._grew = grew
        self._line: Arriving | None = None  # that is not whole yet

    def feed(self, chunk: bytes) -> Sequence[Line]:
        """Take a chunk, and return the lines that it completes."""
        end = chunk.find(b"\n") + 1
        if end == len(chunk) <= LARGE and self._line is None:
            return (chunk,) if chunk else ()
        lines: list[Line] = []
        start = 0
        while end:
            lines.append(self._completed(chunk[start:end]))
            start, end = end, chunk.find(b"\n", end) + 1
        if start < len(chunk):
            self._open().add(chunk[start:])
        return lines

    def rest(self) -> Line | None:
        """Return what came after the last newline, at the end of the input, with a newline. None of a long line without
        the end of a JSON object: the writer has ended in the middle of it."""
        if self._line is None:
            return None
        rest = self._completed(b"\n")
        is_cut = isinstance(rest, memoryview) and not bytes(rest[-KEPT:]).rstrip().endswith(b"}")
        return None if is_cut or isinstance(rest, TooLong) else rest

    def _completed(self, part: bytes) -> Line:
        if self._line is None and len(part) <= LARGE:
            return part
        line = self._open()
        self._line = None
        line.add(part)
        return line.done()

    def _open(self) -> Arriving:
        if self._line is None:
            self._line = Arriving(self._limit, self._new_spool, self._grew)
        return self._line
