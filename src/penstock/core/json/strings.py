"""Texts as JSON strings and back."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

# Bytes of a long string that are turned into text at a time; the C library maps blocks of four times that anew.
PIECE: Final = 65_536

_TEXT = msgspec.json.Decoder(str)
_HIGH = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}")  # the first half of a surrogate pair
_LONGEST_ESCAPE: Final = 12  # bytes: both halves of a pair
_QUOTE, _BACKSLASH, _U = b'"\\u'


def quote(text: str) -> bytes:
    """Return a text as a JSON string, for showing: what UTF-8 cannot carry is replaced."""
    return msgspec.json.encode(text.encode("utf-8", "replace").decode())


def quote_exactly(text: str) -> bytes:
    """Write a text as a JSON string that reads back as the same text. Of its characters only lone surrogates become
    escapes: as an escape a character costs several tokens, which no count of the text has in it."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace")


def unquote(literal: bytes) -> str:
    """Return the text of a JSON string; the standard parser takes the lone surrogates that msgspec refuses."""
    try:
        return msgspec.json.decode(literal, type=str)
    except msgspec.DecodeError:
        return str(json.loads(literal))


def unquote_to_bytes(literal: bytes) -> bytes:
    """Return the text of a JSON string in UTF-8, lone surrogates as ``surrogatepass`` writes them.

    It is made piece by piece: as a ``str`` a long text would take four bytes a character for one emoji in it, and
    nothing else could run while it is made.
    """
    at, end = 1, len(literal) - 1
    text = BytesIO()
    while end - at > PIECE:
        piece = literal[at : at + PIECE]
        cut = whole_part(piece)
        text.write(unescape(piece[:cut]))
        at += cut
    text.write(unescape(literal[at:end]))
    return text.getvalue()


def pieces_of(data: bytes | memoryview) -> Iterator[bytes]:
    """Cut data into pieces that are read at a time."""
    return (bytes(data[at : at + PIECE]) for at in range(0, len(data), PIECE))


def unescape(piece: bytes) -> bytes:
    """Return what stands between the quotes of a JSON string, in UTF-8. ``ValueError`` if it cannot stand there."""
    try:
        return unquote_strictly(b'"%b"' % piece)
    except ValueError:
        return unescape_loosely(piece).encode("utf-8", "surrogatepass")


def unescape_loosely(piece: bytes) -> str:
    """Return what stands between the quotes of a JSON string, lone surrogates among it, which msgspec refuses."""
    text: str = json.loads((b'"%b"' % piece).decode("utf-8", "surrogatepass"))
    return text


def unescape_inside(room: bytearray, start: int, end: int) -> str:
    """Return the text of a part of a JSON string, read where it stands, without a copy: for that time there are quotes
    around it. The one before it stays, in the place of what was read already. ``ValueError`` if it is no such part, or
    has lone surrogates."""
    before = room[end]
    room[start - 1] = room[end] = _QUOTE
    try:
        return _TEXT.decode(memoryview(room)[start - 1 : end + 1])
    finally:
        room[end] = before


def unquote_strictly(literal: bytes | memoryview) -> bytes:
    """Return the text of a JSON string in UTF-8. ``ValueError`` if it is none, or has lone surrogates."""
    return _TEXT.decode(literal).encode()


def whole_part(piece: bytes | bytearray, start: int = 0, end: int | None = None) -> int:
    """Return where the part of a piece of a JSON string ends that can be read without what follows: an escape, a
    surrogate pair or a character that may go on behind the end is left over. The piece, from ``start`` to before
    ``end``, must not begin inside one."""
    end = stop = len(piece) if end is None else end
    if (escape := _last_escape(piece, start, end)) >= 0 and not _is_closed(piece, escape, end):
        before = _last_escape(piece, start, escape) if escape + 6 > end else -1  # else it is a first half itself
        pair = before == escape - 6 and _HIGH.match(piece, before)
        return before if pair else escape
    while stop > start and piece[stop - 1] & 0xC0 == 0x80 and end - stop < 3:
        stop -= 1
    return stop - 1 if stop > start and piece[stop - 1] >= 0xC0 else end


def _last_escape(piece: bytes | bytearray, start: int, end: int) -> int:
    """Return where the last escape before ``end`` begins, if that is near; else -1."""
    last = piece.rfind(b"\\", max(start, end - _LONGEST_ESCAPE), end)
    if last < 0:
        return -1
    run = 1
    while last - run >= start and piece[last - run] == _BACKSLASH:
        run += 1
    return last if run % 2 else last - 1


def _is_closed(piece: bytes | bytearray, escape: int, end: int) -> bool:
    """Return True if the escape ends before ``end``, and nothing that follows can change what it says."""
    if escape + 1 == end or piece[escape + 1] != _U:
        return escape + 2 <= end
    return escape + 6 <= end and not (escape + 6 == end and _HIGH.match(piece, escape))
