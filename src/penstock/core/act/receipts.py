"""Notes the parts of a held result that calls have read: ranges of bytes, and the rows that lie in them.

A range is noted when a page or a window is shown, behind those that were noted before: stores append, so that two
readers at once lose nothing. What is read again is not noted again as a range. Before the ranges of a call stands the
call itself, with its words; these take a bounded space of their own, so that they never crowd out ranges.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.text import counted
from penstock.core.text import ranges_text as in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.json.index import Container, Read

RAW, BODY = 0, 1  # the bytes that came, and those that paths and pages refer to where they are others
AGAIN: Final = 0x20  # on top of a stream: a range that was known already, read again by a call
CALL, WORDS = 0x10, 0x11  # a call, and sixteen bytes of its words; a reader of earlier versions passes them over
MAX_BYTES: Final = 65_536  # of all ranges of a result, 3,855 of them: read in smaller pieces, a result has no more
MAX_CALLS: Final = 32_768  # bytes of calls, their words and what they read again; some 200 calls with a query each
MOST_WORDS: Final = 480  # bytes of the words of one call: a query of a few lines
MOST_RANGES: Final = 6  # ranges that are written out; more are counted
SHORT: Final = 1_024  # bytes behind a range that may be nothing but what stands between two parts
_RANGE: Final = struct.Struct(">BQQ")
_CALL: Final = struct.Struct(">BQIHH")  # the time in milliseconds, the bytes of the answer, of the words, and flags
_FAILED: Final = 1
_OURS: Final = frozenset((CALL, WORDS, AGAIN | RAW, AGAIN | BODY))


class Range(NamedTuple):
    """Positions from ``start`` to before ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCall:
    """A call that read a result: when, its action and arguments in ``words``, the bytes of its answer, whether that was
    an error, and the ranges that it showed, by stream. ``time`` is None for ranges that an earlier version noted, and
    ``words`` are empty where there was no more room for them."""

    time: float | None = None
    words: str = ""
    size: int = 0
    failed: bool = False
    ranges: tuple[tuple[int, Range], ...] = ()


def noted(seen: bytes, stream: int, start: int, end: int) -> bytes:
    """Return what to note of a range: nothing if it is known, or empty, or if too much was noted already."""
    if start >= end or is_full(seen) or any(a <= start and end <= b for a, b in ranges(seen, stream)):
        return b""
    return _RANGE.pack(stream, start, end)


def noted_again(seen: bytes, stream: int, start: int, end: int) -> bytes:
    """Return what to note of a range that is known: that the call read it, too; nothing without room for that."""
    if start >= end or _calls_size(seen) >= MAX_CALLS:
        return b""
    return _RANGE.pack(AGAIN | stream, start, end)


def noted_call(seen: bytes, call: ReadCall, ranges: bytes) -> bytes:
    """Return what to note of a call, and behind it ``ranges``, which were noted of those that it has shown.
    Without room for its words it stands there without, if it has shown anything new: else its ranges would look like
    those of the call before."""
    words = call.words.encode("utf-8", "replace")[:MOST_WORDS]
    if _calls_size(seen + ranges) + len(words) >= MAX_CALLS:
        words = b""
        if all(tag in _OURS for tag in ranges[:: _RANGE.size]):
            return b""
    flags = _FAILED if call.failed else 0
    head = _CALL.pack(CALL, round((call.time or 0) * 1_000), min(call.size, 2**32 - 1), len(words), flags)
    parts = (bytes((WORDS,)) + words[at : at + 16].ljust(16, b"\0") for at in range(0, len(words), 16))
    return head + b"".join(parts) + ranges


def is_full(seen: bytes) -> bool:
    """Return True if more ranges were read than are kept, so that the unread rows are no longer known."""
    return len(seen) - _calls_size(seen) >= MAX_BYTES


def _calls_size(seen: bytes) -> int:
    """Return the bytes of calls, without the ranges that they have read first."""
    tags = seen[:: _RANGE.size]
    return sum(map(tags.count, _OURS)) * _RANGE.size


def calls(seen: bytes) -> list[ReadCall]:
    """Return the calls that read a result, in order, with what each has shown."""
    read_calls: list[ReadCall] = []
    words, ranges, length = bytearray(), list[tuple[int, Range]](), 0

    def close(call: ReadCall | None) -> None:
        if call is not None:
            read_calls.append(
                replace(call, words=bytes(words[:length]).decode("utf-8", "ignore"), ranges=tuple(ranges))
            )
        words.clear()
        ranges.clear()

    call: ReadCall | None = None
    for at in range(0, len(seen) - len(seen) % _RANGE.size, _RANGE.size):
        tag = seen[at]
        if tag == CALL:
            close(call)
            _, time, size, length, flags = _CALL.unpack_from(seen, at)
            call = ReadCall(time=time / 1_000, size=size, failed=bool(flags & _FAILED))
        elif tag == WORDS:
            words += seen[at + 1 : at + _RANGE.size]
        elif tag & ~AGAIN in (RAW, BODY):
            call = call or ReadCall()
            _, start, end = _RANGE.unpack_from(seen, at)
            ranges.append((tag & ~AGAIN, Range(start, end)))
    close(call)
    return read_calls


def ranges(seen: bytes, stream: int) -> list[Range]:
    """Return the ranges that were noted for a stream of bytes, in order and joined where they touch."""
    whole = len(seen) - len(seen) % _RANGE.size
    spans = (one[1:] for one in _RANGE.iter_unpack(seen[:whole]) if one[0] == stream)
    return joined(sorted(Range(start, end) for start, end in spans))


def rows_read(container: Container, read: Read, spans: Iterable[Range]) -> list[Range]:
    """Return the parts of a container that lie whole in ranges of its bytes, as ranges of their numbers from 0."""
    rows = []
    for start, end in spans:
        first = bisect_left(container.starts, start, hi=container.count)
        last = bisect_left(container.starts, end + 1, lo=first) - 1  # the part that begins at or before the end
        if last < container.count and 0 <= container.starts[last + 1] - end <= SHORT:
            last += not read(end, container.starts[last + 1]).strip(b", \t\r\n")
        rows.append(Range(first, min(last, container.count)))
    return joined([one for one in rows if one.start < one.end])


def unseen(rows: Sequence[Range], count: int) -> list[Range]:
    """Return the ranges of rows that are not among those that were read."""
    edges = [0, *(edge for one in rows for edge in one), count]
    return [Range(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]


def ranges_text(rows: Sequence[Range]) -> str:
    """Write ranges of rows as people count them, as ``1-80, 412``."""
    more = f", +{counted(len(rows) - MOST_RANGES, 'range')}" if len(rows) > MOST_RANGES else ""
    return in_words(rows[:MOST_RANGES]) + more


def size(rows: Iterable[Range]) -> int:
    """Return how many rows there are in ranges."""
    return sum(one.end - one.start for one in rows)


def joined(spans: Iterable[Range]) -> list[Range]:
    """Return ranges, which are in order, joined where they touch."""
    made: list[Range] = []
    for one in spans:
        if made and one.start <= made[-1].end:
            made[-1] = Range(made[-1].start, max(made[-1].end, one.end))
        else:
            made.append(one)
    return made
