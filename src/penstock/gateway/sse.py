"""Put chunks together to server-sent events, each with the very bytes it came in.

All events put together are the stream: an event is relayed as it came, and only one that carries a large result is
written anew, with its id, its type and its comments. The data of a very long one may be handed on while it arrives.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.protocol.wire.lines import KEPT, LONG, STEP, TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.protocol.wire.lines import Inflow, Watcher

STREAM_SECONDS: Final = 1.0  # for an upstream to open a stream, once for each
MESSAGE: Final = (b"", b"message")  # types of events that carry one
LOOK_BACK: Final = 3  # bytes of the chunk before in which the end of an event may begin

# How an event begins whose data is its last field so far: the fields before it, and ``data``.
_DATA = re.compile(rb"((?:(?!data)[^\r\n]+(?:\r\n|\n|\r(?!\n)))*+)data: ?")
_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")


class Event(msgspec.Struct, frozen=True, gc=False):
    """One event with the blank line that ends it. Of one that is ``taken`` a watcher has the data."""

    raw: bytes
    taken: bool = False

    @property
    def data(self) -> bytes | None:
        """Return what it carries; None for a comment or a bare id."""
        if b"data" not in self.raw:
            return None
        lines = [_value(line) for line in self.raw.splitlines() if _is(line, b"data")]
        return b"\n".join(lines) if lines else None

    @property
    def has_id(self) -> bool:
        """Return True if a client can ask for what comes after it."""
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
    the beginning and the end are kept. An event whose data a ``watcher`` took over comes out without it."""

    def __init__(self, limit: Callable[[], int], watcher: Watcher | None = None) -> None:
        self._limit = limit
        self._watcher = watcher
        self._tail = b""
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""  # of an event that is too long; then ``_parts`` has its end only
        self._begin = b""  # of one that grows
        self._due = STEP  # bytes of it at the next report
        self._is_offered = False
        self._inflow: Inflow | None = None  # that takes its data,
        self._is_whole = False  # and has all of its first line; then ``_parts`` has what follows
        self._fields = b""  # before the data

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
        self._size += len(part)
        if self._inflow is not None and not self._is_whole:
            end = _line_end(part)
            self._is_whole = end < len(part)
            self._inflow.put(part[:end])
            part = part[end:]
        if part:
            self._parts.append(part)
        if self._head:
            self._parts = [b"".join(self._parts)[-KEPT:]]
        elif (len(self._parts) > 1 or self._inflow is not None) and self._size > self._limit():
            tail = b"" if self._inflow is None else self._inflow.drop()
            whole = b"".join(self._parts)
            self._head, self._parts = self._begin or whole[:KEPT], [(tail + whole)[-KEPT:]]
            self._inflow = None
        elif self._watcher is not None and self._size >= self._due:
            self._report(self._watcher)

    def _report(self, watcher: Watcher) -> None:
        """Tell the watcher how the data grows, and let it take over what is long, and on one line so far."""
        self._due = self._size - self._size % STEP + STEP
        if not self._begin:
            self._begin = _head(self._parts)
        opening = _DATA.match(self._begin)
        if opening is None:
            return
        head = self._begin[opening.end() :]
        watcher.grew(head, self._size - opening.end())
        if self._is_offered or self._size < LONG:
            return
        self._is_offered = True
        data = list(_behind(self._parts, opening.end()))
        if any(_line_end(part) < len(part) for part in data) or (inflow := watcher.take(head)) is None:
            return
        self._inflow, self._fields, self._parts = inflow, opening[1], []
        for part in data:
            inflow.put(part)

    def _event(self) -> Event | TooLong:
        parts, size, head, inflow, fields = self._parts, self._size, self._head, self._inflow, self._fields
        self._clear()
        whole = parts[0] if len(parts) == 1 else b"".join(parts)
        if head:
            return TooLong(head=head, tail=whole, size=size)
        if inflow is None:
            return Event(whole)
        for line in whole.splitlines(keepends=True):
            if _is(line.rstrip(b"\r\n"), b"data"):
                inflow.put(b" " + _value(line.rstrip(b"\r\n")))
            else:
                fields += line
        if any(_is(line, b"event") and _value(line) not in MESSAGE for line in fields.splitlines()):
            inflow.drop()
        else:
            inflow.end()
        return Event(fields, taken=True)

    def _clear(self) -> None:
        self._parts, self._size, self._head, self._begin, self._due = [], 0, b"", b"", STEP
        self._inflow, self._is_offered, self._is_whole, self._fields = None, False, False, b""


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
    """Return True if a line is a field of this name."""
    return line.startswith(name) and line[len(name) : len(name) + 1] in (b"", b":")


def _value(line: bytes) -> bytes:
    value = line.partition(b":")[2]
    return value[1:] if value[:1] == b" " else value


def _head(parts: list[bytes]) -> bytes:
    """Return the beginning of an event."""
    head = b""
    for part in parts:
        head += part[: KEPT - len(head)]
        if len(head) == KEPT:
            break
    return head


def _behind(parts: list[bytes], start: int) -> Iterator[bytes]:
    """Yield parts from a place on."""
    for part in parts:
        if start < len(part):
            yield part[start:]
        start = max(0, start - len(part))


def _line_end(part: bytes) -> int:
    """Return where the first line of a part ends; its length if nowhere."""
    ends = [at for at in (part.find(b"\n"), part.find(b"\r")) if at >= 0]
    return min(ends, default=len(part))
