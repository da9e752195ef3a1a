"""Which parts of a held result were read: ranges of bytes, each a few bytes long, and the rows that lie in them.

A range is noted when a page or a window is shown, behind those that were noted before: stores append, so that two
readers at once lose nothing. What is read again is not noted again.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.json.index import Container, Read

RAW, BODY = 0, 1  # the bytes that came, and those that paths and pages refer to where they are others
MAX_BYTES: Final = 65_536  # of all ranges of a result, 3,855 of them: a result read in smaller pieces is not told of
MOST_SHOWN: Final = 6  # ranges that are told; more are counted
SHORT: Final = 1_024  # bytes behind a range that may be nothing but what stands between two parts
_RANGE: Final = struct.Struct(">BQQ")


class Range(NamedTuple):
    """Positions from ``start`` to before ``end``."""

    start: int
    end: int


def noted(seen: bytes, stream: int, start: int, end: int) -> bytes:
    """Return what to note of a range: nothing if it is known, or empty, or if too much was noted already."""
    if start >= end or len(seen) >= MAX_BYTES or any(a <= start and end <= b for a, b in ranges(seen, stream)):
        return b""
    return _RANGE.pack(stream, start, end)


def ranges(seen: bytes, stream: int) -> list[Range]:
    """Return the ranges that were noted for a stream of bytes, in order and joined where they touch."""
    whole = len(seen) - len(seen) % _RANGE.size
    found = (one[1:] for one in _RANGE.iter_unpack(seen[:whole]) if one[0] == stream)
    return _joined(sorted(Range(start, end) for start, end in found))


def rows_read(container: Container, read: Read, found: Iterable[Range]) -> list[Range]:
    """Return the parts of a container that lie whole in ranges of its bytes, as ranges of their numbers from 0."""
    rows = []
    for start, end in found:
        first = bisect_left(container.starts, start, hi=container.count)
        last = bisect_left(container.starts, end + 1, lo=first) - 1  # the part that begins at or before the end
        if last < container.count and 0 <= container.starts[last + 1] - end <= SHORT:
            last += not read(end, container.starts[last + 1]).strip(b", \t\r\n")
        rows.append(Range(first, min(last, container.count)))
    return _joined([one for one in rows if one.start < one.end])


def unseen(rows: Sequence[Range], count: int) -> list[Range]:
    """Return the ranges of rows that are not among those that were read."""
    edges = [0, *(edge for one in rows for edge in one), count]
    return [Range(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def told(rows: Sequence[Range]) -> str:
    """Write ranges of rows as people count them, as ``1-80, 412``."""
    parts = [f"{one.start + 1:,}" if one.end - one.start == 1 else f"{one.start + 1:,}-{one.end:,}" for one in rows]
    left = len(parts) - MOST_SHOWN
    return ", ".join([*parts[:MOST_SHOWN], *([f"{left:,} more ranges"] if left > 0 else [])])


def size(rows: Iterable[Range]) -> int:
    """Return how many rows there are in ranges."""
    return sum(one.end - one.start for one in rows)


def _joined(found: Iterable[Range]) -> list[Range]:
    joined: list[Range] = []
    for one in found:
        if joined and one.start <= joined[-1].end:
            joined[-1] = Range(joined[-1].start, max(joined[-1].end, one.end))
        else:
            joined.append(one)
    return joined
