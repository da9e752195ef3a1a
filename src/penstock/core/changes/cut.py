"""Take the rows out of a JSON document, however deep they lie: what stands around them is left as a small document of
its own. Of two documents only those rows are cut out that stand in places where these differ; the others are counted.

The rows of the new document are split in one reading. Those of the old one are read in the places that differ alone:
all around them is the same in both, and where such a place is whole rows in the old document too, it has no others.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from penstock.core.changes.keys import decoder_at, is_nameable
from penstock.core.changes.spans import FREE, DifferingSpan, common_end, common_start, differing_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.json.path import Path


BESIDE: Final = 24  # bytes before the rows by which their beginning is looked for, and behind them their end
PLACE_WORK: Final = 10_000  # bytes for each span: the rows there are read, too
SHARE: Final = 4  # one byte in so many may stand in spans that both documents have rows in
HEAD: Final = 64  # bytes of a row in which its first name stands
MARKED: Final = 65_536  # bytes that show whether JSON is written in lines,
LONG_LINE: Final = 500  # bytes each, at most
NEAR: Final = 512  # bytes behind the first row in which the second begins
BLANK: Final = b" \t\r\n"
VALUES: Final = msgspec.json.Decoder(Raw)

_ITEMS = msgspec.json.Decoder(list[Raw])


class RowsIn(NamedTuple):
    """The rows of a document, from where to where they stand in it, and what stands between any two of them."""

    rows: list[Raw]
    start: int
    stop: int
    between: bytes


def take_rows(document: bytes, path: Path) -> tuple[list[Raw], bytes] | None:
    """Return the items of the array at a path, and the document with an empty array in their place; None where there is
    no array of objects, or where not the same stands between all of them."""
    places = rows_in(document, path) if path else None
    if places is None or not bytes(places.rows[0]).startswith(b"{"):
        return None
    return places.rows, document[: places.start] + document[places.stop :]


def take_members(document: bytes, path: Path) -> tuple[dict[str, Raw], bytes] | None:
    """Return the members of the map at a path, and the document with an empty map in its place; None where there is
    none, or where not the same stands between all of them."""
    members = _at(document, path, dict[str, Raw]) if path else None
    if not members or len(members) < 2:
        return None
    keys, values = list(members), list(members.values())
    at = document.find(bytes(values[0]))
    start = document.rfind(b"{", 0, at) + 1
    behind = at + len(values[0])
    stop = document.rfind(bytes(values[-1])) + len(values[-1])
    names = [len(key.encode()) for key in keys[:2]]
    between = document.find(bytes(values[1]), behind) - behind - names[1]  # bytes that are no name, nor a value
    written = sum(map(len, values)) + len("".join(keys).encode()) + at - start - names[0] + between * (len(keys) - 1)
    if start + written != stop:
        return None
    around = document[:start] + document[stop:]
    return (members, around) if _at(around, path, dict[str, Raw]) == {} else None


def rows_in(document: bytes, path: Path | None) -> RowsIn | None:
    """Return where the items of the array at a path stand, or without a path values one after the other; None where
    they are fewer than two, or where not the same stands between all of them."""
    rows = VALUES.decode_lines(document) if path is None else rows_at(document, path)
    if rows is None or len(rows) < 2:
        return None
    first = bytes(rows[0])
    start = document.find(first)
    behind = document[start + len(first) : start + len(first) + NEAR]
    between = behind[: behind.find(bytes(rows[1])[:1])]
    if between.strip(BLANK) != (b"" if path is None else b","):
        return None
    # Rows that were split stand there, from the beginning of the array on: it has no others.
    written = between.join(rows)
    if not document.startswith(written, start) or not begins_at(document, start, path):
        return None
    return RowsIn(rows, start, start + len(written), between)


def begins_at(document: bytes, start: int, path: Path | None) -> bool:
    """Tell whether the array at a path begins right before a place, or nothing but white space stands before it."""
    before = document[:start]
    return not before.strip(BLANK) if path is None else rows_at(before + b"]" + b"}" * len(path), path) == []


def rows_at(document: bytes, path: Path) -> list[Raw] | None:
    """Return the items of the array at a path; None if there is none."""
    value = _at(document, path, list[Raw])
    return value if isinstance(value, list) else None


def _at(document: bytes, path: Path, kind: Any) -> Any:
    """Return the value at a path, if it is of this kind; else None, or what is not set."""
    if not all(map(is_nameable, path)):
        return None
    try:
        value = decoder_at(path, kind).decode(document)
        for _ in path:
            value = value.one
    except (msgspec.MsgspecError, AttributeError):
        return None
    return value


class RowCut(NamedTuple):
    """The rows of two documents in places that differ, with something between two places that no row is, and their
    numbers. ``same`` is how many more rows there are in both, ``all_new`` are all rows of the new document, and
    ``around`` is what stands around the rows of both."""

    old: list[Raw]
    new: list[Raw]
    numbers: list[int]
    new_numbers: list[int]
    same: int
    all_new: list[Raw]
    around: tuple[bytes, bytes]


class Start(NamedTuple):
    """The number of rows that are the same at the beginning, and of all rows of the new document."""

    same: int
    rows: int


class _Place(NamedTuple):
    """A place that differs: the first row and the last of the new document, and bytes of the old one."""

    first: int
    last: int
    start: int
    stop: int


def cut_rows(old: bytes, new: bytes, path: Path | None) -> RowCut | Start | None:
    """Return the rows in places that differ: of an array at a path, or of values one after the other if there is none.
    Where too much differs, how many rows are the same at the beginning. None where rows cannot be told from the
    rest. Neither document has white space at its ends."""
    known = rows_in(new, path)
    bounds = None if known is None else _bounds(old, new, path, known)
    if known is None or bounds is None:
        return None
    was, now = old[bounds[0] : bounds[1]], new[known.start : known.stop]
    around = old[: bounds[0]] + old[bounds[1] :], new[: known.start] + new[known.stop :]
    starts = list(accumulate(map(len(known.between).__add__, map(len, known.rows)), initial=0))
    starts[-1] = len(now)
    spans = differing_spans(was, now, _mark_of_rows(known), PLACE_WORK, most=max(FREE, len(now) // SHARE))
    if spans is None:
        return Start(max(0, bisect_right(starts, common_start(was, now)) - 1), len(known.rows))
    cut = RowCut([], [], [], [], 0, known.rows, around)
    try:
        for place in _places([_trimmed(was, now, one) for one in spans], now, starts):
            _take(cut, place, was[place.start : place.stop], is_array=path is not None)
    except msgspec.MsgspecError:
        return None
    return cut._replace(same=len(known.rows) - len(cut.new))  # what stands between will be counted as the same


def _bounds(old: bytes, new: bytes, path: Path | None, known: RowsIn) -> tuple[int, int] | None:
    """Return from where to where the rows of the old document stand, if the same stands beside them there. That they
    end there is seen when they are read."""
    if path is None:
        return 0, len(old)
    before = new[max(0, known.start - BESIDE) : known.start]
    closing = new.index(b"]", known.stop) + 1
    start = old.find(before) + len(before)
    ends = (old.rfind(new[known.stop : end], start) for end in (closing + BESIDE, closing))
    stop = next((one for one in ends if one >= 0), -1)
    return (start, stop) if stop >= 0 and begins_at(old, start, path) else None


def _take(cut: RowCut, place: _Place, part: bytes, *, is_array: bool) -> None:
    """Take the rows of a place, and something behind them that tells it from the next one."""
    gap = Raw(b'"\\u0000%d"' % place.first)
    rows = _ITEMS.decode(b"[" + part + b"]") if is_array else VALUES.decode_lines(part)
    first = place.first + len(cut.old) - len(cut.new)
    cut.old.extend([*rows, gap])
    cut.new.extend([*cut.all_new[place.first : place.last + 1], gap])
    cut.numbers.extend(range(first, first + len(rows) + 1))
    cut.new_numbers.extend(range(place.first, place.last + 2))


def mark_of(value: bytes) -> bytes:
    """Return what parts of JSON begin with: a new line, if it has many, or an object."""
    return b"\n" if value.count(b"\n", 0, MARKED) > min(len(value), MARKED) // LONG_LINE else b"{"


def _mark_of_rows(known: RowsIn) -> bytes:
    """Return what stands before each row but the first, from the end of the row before it up to its first name. Objects
    inside of rows may begin with the same name, but do not stand there."""
    head = bytes(known.rows[1])[:HEAD]
    return bytes(known.rows[0])[-1:] + known.between + head[: head.find(b":") + 1 if head.startswith(b"{") else 1]


def _trimmed(old: bytes, new: bytes, span: DifferingSpan) -> DifferingSpan:
    """Return a span without the bytes that are the same at its ends."""
    was, now = old[span.start : span.stop], new[span.new_start : span.new_stop]
    first = common_start(was, now)
    last = common_end(was, now, min(len(was), len(now)) - first)
    return DifferingSpan(span.start + first, span.stop - last, span.new_start + first, span.new_stop - last)


def _places(spans: Sequence[DifferingSpan], new: bytes, starts: Sequence[int]) -> list[_Place]:
    """Return the rows that spans touch or stand beside; ``starts`` are theirs, and the end of the last. Spans that
    touch the same rows are one place."""
    places: list[_Place] = []
    for span in spans:
        first = bisect_right(starts, span.new_start, 0, len(starts) - 1) - 1
        last = bisect_right(starts, span.new_stop, 0, len(starts) - 1) - 1
        if span.new_stop > _end(new, starts, last):
            last += 1
        start = starts[first] + span.start - span.new_start
        if places and first <= places[-1].last:
            before = places.pop()
            first, last, start = before.first, max(last, before.last), before.start
        places.append(_Place(first, last, start, _end(new, starts, last) + span.stop - span.new_stop))
    return places


def _end(new: bytes, starts: Sequence[int], number: int) -> int:
    """Return the end of a row, before the comma and the white space behind it."""
    behind = starts[number + 1]
    tail = new[max(starts[number], behind - NEAR) : behind]
    return behind - len(tail) + len(tail.rstrip(BLANK + b","))
