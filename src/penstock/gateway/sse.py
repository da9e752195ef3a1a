"""Put chunks together to server-sent events, each with the very bytes it came in.

All events put together are the stream: an event is relayed as it came, and only one that carries a large result is
written anew, with its id, its type and its comments. The data of a very long one is a view of a file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.protocol.wire.lines import Arriving, TooLong
from penstock.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.protocol.wire.lines import Grew

MAX_FIELDS: Final = 65_536  # Bytes of an event besides its message. Real ids, types and comments are far shorter.
STREAM_SECONDS: Final = 1.0  # for an upstream to open a stream, once for each
MESSAGE: Final = (b"", b"message")  # types of events that carry one
LOOK_BACK: Final = 3  # bytes of the chunk before in which the end of an event may begin

# How an event begins whose data is its last field so far: the fields before it, and ``data``.
_DATA = re.compile(rb"((?:(?!data)[^\r\n]+(?:\r\n|\n|\r(?!\n)))*+)data: ?")
_LINE_END = re.compile(rb"[\r\n]")
_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")


class Event(msgspec.Struct, frozen=True, gc=False):
    """One event with the blank line that ends it. If its data is ``long``, ``raw`` has none in its place."""

    raw: bytes
    long: memoryview | None = None

    @property
    def data(self) -> bytes | memoryview | None:
        """Return what it carries; None for a comment or a bare id."""
        if self.long is not None:
            return self.long
        if b"data" not in self.raw:
            return None
        lines = [_value(line) for line in self.raw.splitlines() if _is(line, b"data")]
        return b"\n".join(lines) if lines else None

    @property
    def has_id(self) -> bool:
        """Return True if a client can ask for what comes after it."""
        return b"id" in self.raw and any(_is(line, b"id") for line in self.raw.splitlines())

    def carrying(self, data: bytes) -> bytes:
        """Write the same event with other data, and without its other fields if they exceed ``MAX_FIELDS``."""
        made: list[bytes] = []
        is_there = False
        fields = 0
        for line in self.raw.splitlines(keepends=True):
            if not _is(line.rstrip(b"\r\n"), b"data"):
                fields += len(line)
                made.append(line)
            elif not is_there:
                is_there = True
                end = line[len(line.rstrip(b"\r\n")) :]
                made.append(b"".join(b"data: %b%b" % (one, end) for one in data.split(b"\n")))
        return b"".join(made) if fields <= MAX_FIELDS else event(data)


class Events:
    """Puts chunks together to events. ``limit`` is asked only once an event is large; of one above it the beginning and
    the end are kept. ``grew`` hears how the data of a long one grows."""

    def __init__(
        self, limit: Callable[[], int], *, new_spool: Callable[[], Spool] = Spool, grew: Grew | None = None
    ) -> None:
        self._limit = limit
        self._new_spool = new_spool
        self._grew = grew
        self._tail = b""
        self._arriving: Arriving | None = None  # an event that is not whole yet

    @property
    def is_in_file(self) -> bool:
        """Return True if no more of the event that is arriving stays in memory."""
        return self._arriving is not None and self._arriving.is_in_file

    def feed(self, chunk: bytes) -> list[Event | TooLong]:
        """Take a chunk, and return the events that it completes."""
        events: list[Event | TooLong] = []
        window, before, start = self._tail + chunk, len(self._tail), 0
        for found_at in _ends(window):
            end = found_at - before  # never in the chunk before: there it would have been found
            events.append(self._completed(chunk[start:end]))
            start = end
        rest = chunk[start:]
        self._tail = rest[-LOOK_BACK:] if start else window[-LOOK_BACK:]
        if rest:
            self._open().add(rest)
        return events

    def rest(self) -> bytes:
        """Return what came after the last event, at the end of the stream; nothing of an event that was too long, or so
        long that it is in a file."""
        rest = b"" if self._arriving is None else self._arriving.done()
        self._arriving, self._tail = None, b""
        return rest if isinstance(rest, bytes) else b""

    def _completed(self, part: bytes) -> Event | TooLong:
        if self._arriving is None:
            return Event(part)
        self._arriving.add(part)
        whole = self._arriving.done()
        self._arriving = None
        return whole if isinstance(whole, TooLong) else Event(whole) if isinstance(whole, bytes) else _long(whole)

    def _open(self) -> Arriving:
        if self._arriving is None:
            self._arriving = Arriving(self._limit, self._new_spool, self._data_grew)
        return self._arriving

    def _data_grew(self, head: bytes, size: int) -> None:
        opening = _DATA.match(head)
        if self._grew is not None and opening is not None:
            self._grew(head[opening.end() :], size - opening.end())


def _long(raw: memoryview) -> Event:
    """Return an event that is in a file, with its data there; in memory if its data has several lines."""
    opening = _DATA.match(raw)
    if opening is None:
        return Event(bytes(raw))
    end = _LINE_END.search(raw, opening.end())
    stop = len(raw) if end is None else end.start()
    after = bytes(raw[stop:])
    if any(_is(line, b"data") for line in after.splitlines()):
        return Event(bytes(raw))
    return Event(b"".join((opening[1], b"data:", after)), raw[opening.end() : stop])


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
