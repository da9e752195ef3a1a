"""The one long text of a very long line, lifted out of its JSON while the line is taken in.

Most large results are one text: a JSON string of many megabytes inside an envelope of a hundred bytes. ``lift`` takes
the line chunk by chunk, turns that string into UTF-8 on the way, and leaves a mark in its place. The line is then
short, and at no time are the line, the string and the text in memory together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from penstock.core.json.long_bytes import gathered
from penstock.core.json.strings import (
    PIECE,
    quote_exactly,
    unescape_inside,
    unescape_loosely,
    unquote_strictly,
    whole_part,
)

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterator

    from penstock.core.json.long_bytes import Bytes

MARK: Final = "penstock-lifted-this-text-6f0d2b81c5e94a37"
QUOTED_MARK: Final = b'"%b"' % MARK.encode()
FIRST: Final = 4_096  # bytes; the text of a result that is one text begins within these,
AT_ONCE: Final = 8_388_608  # bytes of a line whose text is read at once, in some ten milliseconds
LONGEST_TAIL: Final = 128  # bytes behind the text of a result that has nothing but a flag beside it
HEAD: Final = 8_192  # and a string that has no end within these is long: longer than any remark on other data

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:(")|\\?\Z)', re.DOTALL)
_TAIL = re.compile(rb'"[ \t\r\n}\]]*+(?:,[ \t\r\n]*+"isError"[ \t\r\n]*+:[ \t\r\n]*+(?:true|false)[ \t\r\n}]*+)?+\Z')
_COLON = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+")
INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_ESCAPED_SIGN = re.compile(rb"\\u00([2-7][0-9a-fA-F])")


class Sink(Protocol):
    """Takes a text piece by piece; each has at most ``PIECE`` bytes."""

    def write(self, piece: str, /) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifted:
    """A line, and the text that ``MARK`` stands for in it; without a text the line is as it came.

    A text that turns out to be no JSON string at all is put back as well as it can be: nothing of it is lost, but its
    escapes may be spelled otherwise.
    """

    line: bytes
    text: Bytes | None = None


def drained(chunks: deque[bytes]) -> Iterator[bytes]:
    """Yield chunks from the left, so that each can be freed once it was read."""
    while chunks:
        yield chunks.popleft()


class _Memory:
    """Takes a text into memory."""

    def __init__(self) -> None:
        self._bytes = BytesIO()

    def write(self, piece: str) -> None:
        self._bytes.write(piece.encode("utf-8", "surrogatepass"))

    def getvalue(self) -> bytes:
        return self._bytes.getvalue()


def lift(chunks: Iterator[bytes]) -> Lifted:
    """Lift the text out of a line. ``chunks`` may still be arriving: each is taken when the ones before are done."""
    text = _Memory()
    head = _gather(chunks, HEAD)
    start = long_text(head[:HEAD])
    if start is None:
        return Lifted(line=_line(head, b"", chunks))
    rest, is_closed = take_string(head[start:], chunks, text)
    head = head[:start]
    if not is_closed:
        return Lifted(line=_line(head[:-1] + quoted(text.getvalue())[:-1], rest, chunks))
    line = _line(head + MARK.encode(), rest, chunks)
    if marks_in(line) > 1:
        return Lifted(line=head[:-1] + quoted(text.getvalue()) + line[len(head) + len(MARK) + 1 :])
    return Lifted(line=line, text=text.getvalue())


def lift_at_once(line: bytes) -> Lifted | None:
    """Lift the text out of a line that is in memory, if the line is not too long and the text its last long string."""
    start = long_text(line[:HEAD]) if len(line) <= AT_ONCE else None
    tail = _TAIL.search(line, max(0, len(line) - LONGEST_TAIL))
    if start is None or tail is None:
        return None
    try:
        text = unquote_strictly(memoryview(line)[start - 1 : tail.start() + 1])
    except ValueError:  # half an emoji, or another string at the end
        return None
    short = line[:start] + MARK.encode() + line[tail.start() :]
    return Lifted(line=short, text=text) if marks_in(short) == 1 else None


def put_back(line: bytes, text: Bytes) -> bytes:
    """Return the line with its text in the place of the mark. Its escapes may be spelled otherwise than they came."""
    return line.replace(QUOTED_MARK, quoted(gathered(text)), 1)


def long_text(head: bytes) -> int | None:
    """Return where the inside a long string begins that is the value of a ``text``, in the first ``HEAD`` bytes of
    JSON."""
    end = 0
    named = False
    for string in _STRING.finditer(head if len(head) >= HEAD else b""):
        if string.start() >= FIRST:
            break
        if string[1] is None:
            return string.start() + 1 if named and _COLON.fullmatch(head, end, string.start()) else None
        end, named = string.end(), string[0] == b'"text"'
    return None


def take_string(rest: bytes, chunks: Iterator[bytes], text: Sink) -> tuple[bytes, bool]:
    """Write a string to ``text``. Returns what is left of the chunks that were taken, and whether the string ends where
    that begins: if not, it has no end, or is no JSON string from there on."""
    room = bytearray(PIECE + 2)  # quotes around a piece: one room for all, as a new one each time would be mapped anew
    view = memoryview(room)
    size = 0  # bytes in the room
    for chunk in chain((rest,), chunks):
        part = memoryview(chunk)
        while part:
            taken = min(len(part), PIECE - size)
            view[1 + size : 1 + size + taken] = part[:taken]
            part = part[taken:]
            size += taken
            if size == PIECE:
                cut = whole_part(room, 1, 1 + size)
                if (left := _take_piece(room, cut, text)) is not None:
                    return b"".join((left[0], view[cut : 1 + size], part)), left[1]
                size += 1 - cut
                room[1 : 1 + size] = room[cut : cut + size]
    left = _take_piece(room, 1 + size, text)
    return left or (b"", False)


def _take_piece(room: bytearray, end: int, text: Sink) -> tuple[bytes, bool] | None:
    """Write the piece in the room, up to ``end``, to ``text``. Returns what is left of it if the string ends there, or
    is none any more, and which of both."""
    try:
        text.write(unescape_inside(room, 1, end))
    except ValueError:
        piece = bytes(room[1:end])
        stop = _end(piece)
        try:
            text.write(unescape_loosely(piece[:stop]))
        except ValueError:
            return piece, False
        return None if stop is None else (piece[stop:], True)
    return None


def _end(piece: bytes) -> int | None:
    inside = INSIDE.match(piece)
    return inside.end() if inside and piece[inside.end() : inside.end() + 1] == b'"' else None


def _gather(chunks: Iterator[bytes], least: int) -> bytes:
    """Return the next chunks, as many as have this many bytes together, or all that are left."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size >= least:
            break
    return b"".join(parts)


def _line(opening: bytes, rest: bytes, chunks: Iterator[bytes]) -> bytes:
    """Return a line from its beginning and what is still to come, without holding the chunks and the line together."""
    line = BytesIO()
    line.write(opening)
    line.write(rest)
    for chunk in chunks:
        line.write(chunk)
    return line.getvalue()


def quoted(text: bytes) -> bytes:
    return quote_exactly(text.decode("utf-8", "surrogatepass"))


def marks_in(line: bytes, mark: str = MARK) -> int:
    """Return how many strings in a line may be a mark, however they are spelled."""
    if b"\\u00" in line:
        line = _ESCAPED_SIGN.sub(lambda sign: bytes((int(sign[1], 16),)), line)
    return line.count(mark.encode())
