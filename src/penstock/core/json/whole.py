"""Read JSON that is small enough to be decoded at once: its values, how deep they are, where its parts lie.

The parser takes a megabyte in a few milliseconds. To follow the brackets of the same bytes, as the index of JSON has to
that takes too much memory as objects, takes ten times as long.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from penstock.core.json import index as indexing
from penstock.core.json import scan
from penstock.core.json.index import Container, Index

RETAINED: Final = 33_554_432  # bytes of values that are kept until the notice is written, about,
LARGEST_RETAINED: Final = 8_388_608  # of a document that is no larger than this
STRETCHES: Final = 32  # parts of a large document that tell how much memory its values take,
STRETCH: Final = 65_536  # bytes each
LONGEST_INTEGER: Final = 4_000  # digits that Python converts

_LINES = msgspec.json.Decoder()


def is_small(body: bytes, memory: int) -> bool:
    """Tell whether JSON is read at once, and its values kept; ``memory`` is what ``memory_of`` said of it."""
    return len(body) <= LARGEST_RETAINED and memory <= RETAINED


def memory_of(body: bytes, signs: bytes | None = None) -> int:
    """The bytes that the values of JSON take, about: a scalar as much as two pointers, and what stands in texts. Of a
    large document some stretches tell. ``signs`` are those of the body, where they are known."""
    seen = body
    if len(body) > LARGEST_RETAINED:
        seen = b"".join(body[at : at + STRETCH] for at in range(0, len(body), max(1, len(body) // STRETCHES)))
    signs = scan.signs_of(seen) if signs is None else signs
    taken = len(seen) + 48 * signs.count(b",") + 64 * signs.count(b"[") + 200 * signs.count(b"{")
    return taken * len(body) // max(1, len(seen))


def read_json(body: bytes, signs: bytes) -> tuple[Index, Any] | None:
    """The index and the value of a JSON array or object; None when the data is neither, or nested too deep. ``signs``
    are what ``signs_of`` gave."""
    start, end = scan.bounds(body)
    if not scan.is_container(body[start : start + 1]):
        return None
    try:
        containers = tuple(indexing.split_large(body, start, end))
        return _indexed(body, containers, decode(body), signs)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def read_values(body: bytes, signs: bytes) -> tuple[Index, Any] | None:
    """The same for JSON values that stand one after the other: those are an array."""
    root = indexing.split_values(body)
    return None if root is None else _indexed(body, (root,), decode_values(body, root), signs)


def _indexed(body: bytes, containers: tuple[Container, ...], value: Any, signs: bytes) -> tuple[Index, Any] | None:
    depth = scan.depth_of(signs)
    return None if depth > scan.MAX_DEPTH else (Index(size=len(body), depth=depth, containers=containers), value)


def decode(text: bytes) -> Any:
    """JSON as Python values; a number that no float holds (1e999) is infinite, and one of too many digits a text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        import json  # noqa: PLC0415  (one result in many thousands has such a number)

        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= LONGEST_INTEGER else digits)


def decode_values(body: bytes, root: Container) -> Any:
    """JSON values that stand one after the other, as an array."""
    try:
        return _LINES.decode_lines(body)
    except msgspec.MsgspecError:
        return decode(root.joined(indexing.reader(body)))
