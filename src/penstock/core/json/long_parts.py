"""The long parts of a very long line, lifted out of its JSON while the line is taken in: the text of the first block,
and the data in ``structuredContent``, wherever in the result they stand.

A text is turned into UTF-8 on the way (``long_text``), data stays in its bytes. In the place of each stands a mark, so
that the line is short; what is short itself, or no JSON, stays in the line.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from penstock.core.json import nesting, scan
from penstock.core.json.long_bytes import LongBytes, gathered
from penstock.core.json.long_text import HEAD as LONG_TEXT
from penstock.core.json.long_text import INSIDE, MARK, QUOTED_MARK, Sink, marks_in, put_back, quoted, take_string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from penstock.core.json.long_bytes import Bytes

NAME: Final = "penstock-lifted-this-data-6f0d2b81c5e94a37"
DATA_MARK: Final = b'{"%b":0}' % NAME.encode()
LONG_DATA: Final = 1_048_576  # bytes; shorter data stays in the line
ENDLESS: Final = 1 << 62

_PLAIN = re.compile(rb"[^\s,\]}]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LongParts:
    """Parts that were taken out of a line: the ``text`` that ``MARK`` stands for, and the ``data`` of ``DATA_MARK``."""

    text: Bytes | None = None
    data: Bytes | None = None

    def put_back(self, line: bytes) -> bytes:
        """Return the line with its parts in the places of their marks. The escapes of a text may be spelled otherwise
        than they came."""
        if self.data is None or (at := line.find(DATA_MARK)) < 0:
            return self._with_text(line)
        before, behind = self._with_text(line[:at]), self._with_text(line[at + len(DATA_MARK) :])
        return b"".join((before, gathered(self.data), behind))

    def _with_text(self, line: bytes) -> bytes:
        if self.text is None or QUOTED_MARK not in line:
            return line
        return put_back(line, self.text)


class PartSink(Sink, Protocol):
    """Takes one part of a line, piece by piece: a text by ``write``, or data."""

    def write_data(self, piece: bytes, /) -> object: ...

    def getvalue(self) -> bytes:
        """Return all that was written, in UTF-8; lone surrogates as ``surrogatepass`` writes them."""

    def done(self) -> Bytes:
        """Return the text."""

    def done_data(self) -> LongBytes | None:
        """Return the data; None for what belongs in the line: it is no JSON, or not that long."""


def lift_parts(chunks: Iterator[bytes], open_sink: Callable[[], PartSink]) -> tuple[bytes, LongParts | None]:
    """Lift the long parts out of a line, each into a sink of its own. Returns the line, and its parts; None if it has
    none. A sink is done before the next one is opened."""
    lifting = _Lifting(chunks, open_sink)
    line = lifting.take()
    return (line, lifting.parts) if lifting.parts != LongParts() else (line, None)


def begins_long(head: bytes) -> bool:
    """Return True if a line that begins so goes on inside a part that is lifted out, if it is long."""

    def refuse() -> PartSink:
        raise msgspec.DecodeError

    lifting = _Lifting(iter((head,)), refuse)
    lifting.take()
    return lifting.is_inside


class _Near(LongBytes):
    """The part of a line that is being looked at. ``forget`` lets go of what lies before a place."""

    most = ENDLESS

    def __init__(self, chunks: Iterator[bytes], first: bytes = b"") -> None:
        self._chunks = chunks
        self._bytes = bytearray(first)
        self._first = 0

    def read(self, start: int, end: int) -> bytes:
        while self._first + len(self._bytes) < end and (chunk := next(self._chunks, None)) is not None:
            self._bytes += chunk
        return bytes(memoryview(self._bytes)[max(0, start - self._first) : max(0, end - self._first)])

    @property
    def size(self) -> int:
        self.read(0, ENDLESS)
        return self._first + len(self._bytes)

    def forget(self, place: int) -> None:
        del self._bytes[: place - self._first]
        self._first = place

    def left(self) -> bytes:
        """Return what was taken of the chunks, and not forgotten."""
        return bytes(self._bytes)


class _Lifting:
    """Follows the members of a line, as far as it has to. What lies before ``_at`` is in the line or in a sink."""

    def __init__(self, chunks: Iterator[bytes], open_sink: Callable[[], PartSink]) -> None:
        self._chunks = chunks
        self._open_sink = open_sink
        self._near = _Near(chunks)
        self._at = 0
        self._line = BytesIO()
        self._marks: list[tuple[int, bytes]] = []  # where they are in the line
        self.parts = LongParts()
        self.is_inside = False

    def take(self) -> bytes:
        """Take the whole line, and return what is left of it."""
        with suppress(msgspec.DecodeError):  # no JSON from here on: to be found out by who reads the line
            self._members({"result": self._result})
        self._line.write(self._near.left())
        for chunk in self._chunks:
            self._line.write(chunk)
        line = self._line.getvalue()
        if marks_in(line, MARK) + marks_in(line, NAME) == len(self._marks):
            return line
        for at, mark in reversed(self._marks):  # the line says itself what a mark says
            line = line[:at] + self.parts.put_back(mark) + line[at + len(mark) :]
        self.parts = LongParts()
        return line

    def _result(self) -> None:
        self._members({"content": self._content, "structuredContent": self._data})

    def _content(self) -> None:
        if self._mark() != b"[":
            return self._skip()
        self._keep(self._at + 1)
        if self._mark() == b"{":
            self._members({"text": self._text})
        return self._container()

    def _members(self, takers: Mapping[str, Callable[[], None]]) -> None:
        """Go past an object; a member with one of these names is taken by what it says there."""
        if self._mark() != b"{":
            return self._skip()
        self._keep(self._at + 1)
        while self._mark() != b"}":
            name, value = scan.open_member(self._near, self._at)
            self._keep(value)
            takers.get(name, self._skip)()
        return self._keep(self._at + 1)

    def _skip(self) -> None:
        """Go past any value."""
        match self._mark():
            case b'"':
                self._keep(self._at + 1)
                self._string()
            case b"{" | b"[":
                self._keep(self._at + 1)
                self._container()
            case _:
                while plain := _PLAIN.match(self._near[self._at : self._at + scan.CHUNK]):
                    self._keep(self._at + plain.end())

    def _string(self) -> None:
        """Go past the rest of a string."""
        while piece := self._near[self._at : self._at + scan.CHUNK]:
            inside = INSIDE.match(piece)
            end = inside.end() if inside else 0
            if piece[end : end + 1] == b'"':
                return self._keep(self._at + end + 1)
            if not end:
                break
            self._keep(self._at + end)
        raise msgspec.DecodeError("a string that does not end")

    def _container(self) -> None:
        """Go past the rest of a container."""
        climb = nesting.Climb(self._near, self._at, ENDLESS, level=1)
        while (end := climb.advance_within()) is None:
            self._keep(climb.at)
        self._keep(end)

    def _text(self) -> None:
        """Lift a string, if it is long."""
        start = self._near[self._at : self._at + LONG_TEXT]
        inside = INSIDE.match(start, 1)
        is_short = start[:1] != b'"' or (inside is not None and start[inside.end() : inside.end() + 1] == b'"')
        if is_short or self.parts.text is not None:
            return self._skip()
        self.is_inside = True
        sink = self._open_sink()
        self._near.forget(self._at + 1)
        rest, is_closed = take_string(self._near.left(), self._chunks, sink)
        self._near, self._at = _Near(self._chunks, rest), 0
        if not is_closed:
            self._line.write(quoted(sink.getvalue())[:-1])
            raise msgspec.DecodeError("a string that does not end")
        self.is_inside = False
        self.parts = replace(self.parts, text=sink.done())
        self._put_mark(QUOTED_MARK)
        self._near.forget(1)
        self._at = 1
        return None

    def _data(self) -> None:
        """Lift a container, if it is long."""
        if self._mark() not in (b"{", b"[") or self.parts.data is not None:
            return self._skip()
        self.is_inside = True
        sink: PartSink | None = None
        climb = nesting.Climb(self._near, self._at + 1, ENDLESS, level=1)
        end = None
        while end is None:
            try:
                end = climb.advance_within()
            except msgspec.DecodeError:
                self._line.write(b"" if sink is None else sink.getvalue())
                raise
            if sink is not None or climb.at - self._at >= LONG_DATA:
                sink = sink or self._open_sink()
                self._pass_to(sink.write_data, climb.at)
        self.is_inside = False
        if sink is None:
            return self._keep(end)
        if (data := sink.done_data()) is None:
            self._line.write(sink.getvalue())
            return None
        self.parts = replace(self.parts, data=data)
        return self._put_mark(DATA_MARK)

    def _put_mark(self, mark: bytes) -> None:
        self._marks.append((self._line.tell(), mark))
        self._line.write(mark)

    def _mark(self) -> bytes:
        """Return the next byte that is not white space, and go there."""
        self._keep(scan.first_place(self._near, self._at))
        return self._near[self._at : self._at + 1]

    def _keep(self, end: int) -> None:
        self._pass_to(self._line.write, end)

    def _pass_to(self, write: Callable[[bytes], object], end: int) -> None:
        write(self._near[self._at : end])
        self._near.forget(end)
        self._at = end
