"""JSON that only a lenient parser takes, made readable for a strict one without moving a byte.

JavaScript servers cut texts in the middle of an emoji and send half of it, as an escape or as bytes; Python servers
send NaN and Infinity; .NET begins with a byte order mark. A strict parser finds the places of all parts in the mended
copy, and the bytes that are relayed and held are those of the original, at the same places.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

BOM: Final = b"\xef\xbb\xbf"

_HALVES = re.compile(
    rb"\\(?:u([dD][89abAB][0-9a-fA-F]{2})(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|u[dD][c-fC-F]..|.)", re.DOTALL
)
_RAW_HALVES = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_NO_NUMBERS = re.compile(rb'"(?:[^"\\]|\\.)*"|NaN|-?Infinity', re.DOTALL)
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_BETWEEN = b" \t\r\n,"


def mended(data: bytes) -> bytes:
    """Return the data with everything that a strict parser refuses replaced by as many bytes that it takes. The same
    object if there is nothing of the kind; what is no JSON at all stays so."""
    made = data
    if made.startswith(BOM):
        made = b"   " + made[3:]
    if b"\\u" in made:
        made = _HALVES.sub(_whole, made)
    if b"\xed" in made:
        made = _RAW_HALVES.sub(b"???", made)
    if b"NaN" in made or b"Infinity" in made:
        made = _NO_NUMBERS.sub(_number, made)
    return data if made == data else made


def item_spans(data: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """Find where the items of the array ``data[start:end]`` begin and end. Raises unless it is one, for a strict
    parser."""
    spans = []
    at = start + 1
    for item in _ITEMS.decode(memoryview(data)[start:end]):
        while data[at] in _BETWEEN:
            at += 1
        spans.append((at, at + len(item)))
        at += len(item)
    return spans


def _whole(escape: re.Match[bytes]) -> bytes:
    """Return an escape as it is, unless it is half of a pair."""
    text = escape[0]
    is_half = len(text) == 6 and text[2:3] in b"dD" and text[3:4] not in b"01234567"
    return rb"\ufffd" if is_half else text


def _number(token: re.Match[bytes]) -> bytes:
    text = token[0]
    return text if text[:1] == b'"' else b"1".ljust(len(text), b"0")
