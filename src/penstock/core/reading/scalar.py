"""One JSON scalar, shortened so that it can stand in a preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.json.strings import quote, unquote
from penstock.core.reading.cut import cut_text

if TYPE_CHECKING:
    from collections.abc import Callable

LONG_STRING: Final = 240  # characters of one string when room is short: enough to see what it is
MARKER: Final = "… [+{hidden} characters]"


def shorten_scalar(value: bytes, room: int | Callable[[str], bool] = LONG_STRING) -> bytes:
    """Return a scalar as it is, unless it is a long string (cut, with what is left out counted) or an absurdly long
    number.

    ``room`` is a number of characters, or tells whether a string fits.
    """
    if isinstance(room, int) and len(value) <= room:
        return value
    if value[:1] != b'"':
        return quote(f"[number of {len(value)} digits, truncated]") if len(value) > LONG_STRING else value
    text = unquote(value)
    cut = cut_text(text, room, marker=MARKER)
    return quote(cut.text) if cut.hidden else value
