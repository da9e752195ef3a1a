"""JSON with the escapes of its strings decoded, and the way back from that text to the bytes of the document.

Search and replace work on the decoded text, so they match what strings say. The way a server escapes strings makes no
difference.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from penstock.core.json.strings import unescape, whole_part
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STEP: Final = 1_024  # Bytes that are decoded at once on the way to a place. Nearer to it, each escape is looked at.

# JSON has these characters in its syntax only. In a string they are escaped.
_SYNTAX: Final = ((b'"', b'\\"'), (b"\n", b"\\n"), (b"\r", b"\\r"), (b"\t", b"\\t"))
_HIDDEN: Final = b"\\u0000"
_HIDE: Final = bytes.maketrans(b"".join(byte for byte, _ in _SYNTAX), bytes(len(_SYNTAX)))
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u....|.)", re.DOTALL)


def decoded(data: bytes, *, hide_syntax: bool = False) -> bytes:
    """Return JSON with each escape replaced by its character. ``data`` may be a piece, if it cuts no escape in two.

    With ``hide_syntax``, quotes around strings and line breaks and tabs between values are NUL bytes. A search for
    a quote then finds only the quotes that strings contain.
    """
    if b"\\" not in data:
        return data.translate(_HIDE) if hide_syntax else data
    # Written like this, all of the data is the content of one JSON string, which the parser decodes at once.
    content = data.replace(b"\\\\", b"\\u005c").replace(b'\\"', b"\\u0022")
    for byte, escape in _SYNTAX:
        content = content.replace(byte, _HIDDEN if hide_syntax else escape)
    return unescape(content)


def positions(data: bytes, places: Iterable[int]) -> Iterator[int]:
    """Yield the position in ``data`` for each of these ascending places in ``decoded(data)``."""
    at = reached = 0  # A position, and its place.
    for place in places:
        while place - reached > STEP:
            end = whole_part(data, at, at + STEP)
            reached += len(decoded(data[at:end]))
            at = end
        while (slash := data.find(b"\\", at, at + place - reached)) >= 0:
            escape = next(_ESCAPE.finditer(data, slash))
            reached += slash - at + _decoded_size(escape[0])
            at = escape.end()
        if reached > place:
            raise CallerError("a match begins or ends inside a character", do="find whole characters")
        at += place - reached
        reached = place
        yield at


@lru_cache(maxsize=4_096)
def _decoded_size(escape: bytes) -> int:
    return len(unescape(escape))
