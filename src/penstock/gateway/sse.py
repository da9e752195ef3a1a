"""Put chunks together to server-sent events, each with the very bytes it came in.

All events put together are the stream: an event is relayed as it came, and only one that carries a large result is
written anew, with its id, its type and its comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.protocol.wire.lines import KEPT, TooLong

if TYPE_CHECKING:
    from collections.abc import Callable

STREAM_SECONDS: Final = 1.0  # for an upstream to open a stream, once for each
LOOK_BACK: Final = 3  # bytes of the chunk before in which the end of an event may begin

_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")


class Event(msgspec.Struct, frozen=True, gc=False):
    """One event with the blank line that ends it."""

    raw: bytes

    @property
    def data(self) -> bytes | None:
        """Return what it carries; None for a comment or a bare id."""
        if b"data" not in self.raw:
            return None
        lines = [_value(line) for line in self.raw.splitlines() if _is(line, b"data")]
        return b"\n".join(lines) if lines else None

    @property
    def has_id(self) -> bool:
        """Return whether a client can ask for what comes after it."""
        return b"id" in self.raw and any(_is(line, b"id") for line in self.raw.splitlines())

    def carrying(self, data: bytes) -> bytes:
        """Write the same event with other data."""
        made: list[bytes] = []
        is_there = False
        for line in self.raw.splitlines(keepends=True):
            if not _is(line.rstrip(b"\r\n"), b"data"):
                made.append(line)
            elif not is_there:
                is_there = True
                end = line[len(line.rstrip(b"\r\n")) :]
                made.append(b"".join(b"data: %b%b" % (one, end) for one in data.split(b"\n")))
        return b"".join(made)


class Events:
    """Puts chunks together to events. ``limit`` is asked only once an event is longer than a chunk; of one above it
    the beginning and the end are kept."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._tail = b""
        self._head = b""  # of an event that is too long; then ``_parts`` has its end only

    def feed(self, chunk: bytes) -> list[Event | TooLong]:
        """Take a chunk, and return the events that it completes."""
        events: list[Event | TooLong] = []
        window, before, start = self._tail + chunk, len(self._tail), 0
        for found_at in _ends(window):
            end = found_at - before  # never in the chunk before: there it would have been found
            self._keep(chunk[start:end])
            events.append(self._event())
            start = end
        rest = chunk[start:]
        self._tail = rest[-LOOK_BACK:] if start else window[-LOOK_BACK:]
        if rest:
            self._keep(rest)
        return events

    def rest(self) -> bytes:
        """Return what came after the last event, at the end of the stream; nothing of an event that was too long."""
        rest = b"" if self._head else b"".join(self._parts)
        self._clear()
        self._tail = b""
        return rest

    def _keep(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._head:
            self._parts = [b"".join(self._parts)[-KEPT:]]
        elif len(self._parts) > 1 and self._size > self._limit():
            whole = b"".join(self._parts)
            self._head, self._parts = whole[:KEPT], [whole[-KEPT:]]

    def _event(self) -> Event | TooLong:
        parts, size, head = self._parts, self._size, self._head
        self._clear()
        whole = parts[0] if len(parts) == 1 else b"".join(parts)
        return TooLong(head=head, tail=whole, size=size) if head else Event(whole)

    def _clear(self) -> None:
        self._parts, self._size, self._head = [], 0, b""


def event(data: bytes) -> bytes:
    """Write a new event."""
    return b"event: message\ndata: " + data.rstrip(b"\n") + b"\n\n"


def _ends(window: bytes) -> list[int]:
    """Return where events end. Nearly all of a long one has no carriage return, and then this is a search for two
    bytes."""
    if b"\r" in window:
        return [blank.end() for blank in _END.finditer(window)]
    ends: list[int] = []
    at = window.find(b"\n\n")
    while at >= 0:
        ends.append(at + 2)
        at = window.find(b"\n\n", at + 2)
    return ends


def _is(line: bytes, name: bytes) -> bool:
    """Tell whether a line is a field of this name."""
    return line.startswith(name) and line[len(name) : len(name) + 1] in (b"", b":")


def _value(line: bytes) -> bytes:
    value = line.partition(b":")[2]
    return value[1:] if value[:1] == b" " else value
