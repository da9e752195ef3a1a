"""Texts as JSON strings and back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.json.buffer import in_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.buffer import Bytes

PIECE: Final = 65_536  # Bytes of a long string that are turned into text at a time.

_TEXT = msgspec.json.Decoder(str)
_HIGH = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}")  # the first half of a surrogate pair
_LONGEST_ESCAPE: Final = 12  # bytes: both halves of a pair
_BACKSLASH, _U = b"\\u"


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
    """Return the text of a JSON string in UTF-8, lone surrogates as ``surrogatepass`` writes them."""
    return in_memory(unescaped(literal, 1, len(literal) - 1))


def unescaped(data: Bytes | memoryview, start: int, end: int) -> Iterator[bytes]:
    """Yield what stands between the quotes of a JSON string in UTF-8, piece by piece: as a ``str`` a long text would
    take four bytes a character for one emoji in it, and nothing else could run while it is made."""
    while end - start > PIECE:
        piece = bytes(data[start : start + PIECE])
        cut = whole_part(piece)
        yield unescape(piece[:cut])
        start += cut
    yield unescape(bytes(data[start:end]))


def unescape(piece: bytes) -> bytes:
    """Return what stands between the quotes of a JSON string, in UTF-8. ``ValueError`` if it cannot stand there."""
    try:
        return unquote_strictly(b'"%b"' % piece)
    except ValueError:
        text: str = json.loads((b'"%b"' % piece).decode("utf-8", "surrogatepass"))  # takes lone surrogates
        return text.encode("utf-8", "surrogatepass")


def unquote_strictly(literal: bytes) -> bytes:
    """Return the text of a JSON string in UTF-8. ``ValueError`` if it is none, or has lone surrogates."""
    return _TEXT.decode(literal).encode()


def whole_part(piece: bytes, start: int = 0, end: int | None = None) -> int:
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


def _last_escape(piece: bytes, start: int, end: int) -> int:
    """Return where the last escape before ``end`` begins, if that is near; else -1."""
    last = piece.rfind(b"\\", max(start, end - _LONGEST_ESCAPE), end)
    if last < 0:
        return -1
    run = 1
    while last - run >= start and piece[last - run] == _BACKSLASH:
        run += 1
    return last if run % 2 else last - 1


def _is_closed(piece: bytes, escape: int, end: int) -> bool:
    """Return True if the escape ends before ``end``, and nothing that follows can change what it says."""
    if escape + 1 == end or piece[escape + 1] != _U:
        return escape + 2 <= end
    return escape + 6 <= end and not (escape + 6 == end and _HIGH.match(piece, escape))
