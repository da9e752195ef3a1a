"""Read JSON that is small enough to be decoded at once.

The parser takes a megabyte in a few milliseconds. To follow the brackets of the same bytes, as the index of JSON has to
that takes too much memory as objects, takes ten times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.json import index as indexing
from penstock.core.json import nesting, scan
from penstock.core.json.decimals import ExactDecoder, read_decimal

if TYPE_CHECKING:
    from penstock.core.json.buffer import Bytes
    from penstock.core.json.index import Container

RETAINED: Final = 33_554_432  # bytes of values that are kept until the notice is written, about,
LARGEST_RETAINED: Final = 8_388_608  # of a document that is no larger than this
STRETCHES: Final = 32  # parts of a large document that tell how much memory its values take,
STRETCH: Final = 65_536  # bytes each
LONGEST_INTEGER: Final = 4_000  # digits that Python converts

_VALUES = ExactDecoder()


def is_small(body: Bytes, memory: int) -> bool:
    """Return True if JSON is read at once, and its values kept; ``memory`` is what ``memory_of`` said of it."""
    return len(body) <= LARGEST_RETAINED and memory <= RETAINED


def memory_of(body: Bytes, signs: bytes | None = None) -> int:
    """Return the bytes that the values of JSON take, about: a scalar as much as two pointers, and what stands in texts.
    Of a large document some stretches tell. ``signs`` are those of the body, where they are known."""
    if len(body) <= LARGEST_RETAINED:
        seen = body[:]
    else:
        seen = b"".join(body[at : at + STRETCH] for at in range(0, len(body), max(1, len(body) // STRETCHES)))
    signs = nesting.signs_of(seen) if signs is None else signs
    taken = len(seen) + 48 * signs.count(b",") + 64 * signs.count(b"[") + 200 * signs.count(b"{")
    return taken * len(body) // max(1, len(seen))


def read_json(body: bytes) -> Any:
    """Return the value of a JSON array or object; None when the data is neither."""
    start, _ = scan.bounds(body)
    if not scan.is_container(body[start : start + 1]):
        return None
    try:
        return _VALUES.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        pass
    try:
        scan.check(body)  # the standard parser takes what is no JSON, too
        return decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def decode(text: bytes) -> Any:
    """Decode JSON to Python values. A decimal that no double keeps, or an integer of too many digits, is its text."""
    try:
        return _VALUES.decode(text)
    except msgspec.MsgspecError:
        import json  # noqa: PLC0415  (one result in many thousands has such a number)

        return json.loads(text, parse_int=_read_integer, parse_float=read_decimal)


def _read_integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_INTEGER else digits


def decode_values(body: bytes, root: Container) -> Any:
    """Decode JSON values that stand one after the other, as an array."""
    try:
        return _VALUES.decode_lines(body)
    except msgspec.MsgspecError:
        return decode(root.joined(indexing.reader(body)))
