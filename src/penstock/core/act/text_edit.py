"""Replace parts of a text as splices, also of a text that is a JSON string: its other escapes stay as they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.core.json.splice import Splice
from penstock.core.json.strings import quote_exactly, unescape
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u....|.)", re.DOTALL)


def literal_splices(text: bytes, find: bytes, new: bytes) -> Iterator[Splice]:
    """Yield a splice for each place where ``find`` stands, none overlapping another."""
    at = text.find(find)
    while at >= 0:
        yield Splice(at, at + len(find), new)
        at = text.find(find, at + len(find))


def in_json_string(literal: bytes, splices: Sequence[Splice]) -> list[Splice]:
    """Return the splices of a text as splices of the JSON string that it stands in, quotes included."""
    wanted = sorted({place for one in splices for place in (one.start, one.end)})
    places = dict(zip(wanted, _places(literal, wanted), strict=True))
    escaped = (quote_exactly(one.new.decode("utf-8", "surrogatepass"))[1:-1] for one in splices)
    return [Splice(places[one.start], places[one.end], new) for one, new in zip(splices, escaped, strict=True)]


def _places(literal: bytes, wanted: Sequence[int]) -> Iterator[int]:
    """Yield where in a JSON string each of these places of its text is."""
    escapes = _ESCAPE.finditer(literal, 1, len(literal) - 1)
    escape = next(escapes, None)
    shift = 1  # bytes by which a place in the string is behind the same place in the text
    for place in wanted:
        while escape is not None and escape.start() < place + shift:
            grown = len(escape[0]) - len(unescape(escape[0]))
            if place + shift < escape.start() + len(escape[0]) - grown:
                raise CallerError("the change begins or ends inside of a character", do="find whole characters")
            shift += grown
            escape = next(escapes, None)
        yield place + shift
