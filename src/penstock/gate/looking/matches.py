"""Finds a pattern in a held result, with the text around each match and its place in that text."""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.core.json.path import render
from penstock.query.search.json_place import Locator
from penstock.query.search.search import SECONDS, find_hits

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.gate.held import HeldReader
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.query.search.hits import Hits
    from penstock.query.search.search import SearchQuery
    from penstock.query.search.show_matches import Region

MOST: Final = 200  # places of one answer
AROUND: Final = 200  # bytes shown before the first match of a place, and behind the last
LONG: Final = 600  # bytes of a place that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedPlaces:
    """``total`` matches (at least, when not ``complete``), and the places of those from ``start`` to before ``end``:
    the line, or the path and the row of the main table; the text, and where in it the matches lie, in characters."""

    total: int
    complete: bool
    start: int
    end: int
    places: list[dict[str, Any]]


def matched_places(
    opened: HeldReader, query: SearchQuery, workers: Callable[[], Sandbox] | None = None
) -> MatchedPlaces:
    """Search a held result as the model does. Raises what the model is told for a pattern that is wrong."""
    source = opened.source_of(None)
    region, hits = find_hits(source, query, clock=time.monotonic, seconds=SECONDS, sandbox=workers)
    if region.container.kind == "lines":
        places, end = _lines(region, hits, query.start)
    else:
        places, end = _values(opened, region, hits, query.start)
    return MatchedPlaces(total=hits.total, complete=hits.complete, start=query.start, end=end, places=places)


def _lines(region: Region, hits: Hits, start: int) -> tuple[list[dict[str, Any]], int]:
    places: list[dict[str, Any]] = []
    starts, at = region.container.starts, start
    while at < hits.total and len(places) < MOST:
        line = bisect_right(starts, hits.starts[at]) - 1
        first, last = at, _behind(hits, at, starts[line + 1])
        text = _text_of(region, hits, range(first, last), (starts[line], starts[line + 1] - 1))
        places.append({"line": line + 1, **text})
        at = last
    return places, at


def _values(opened: HeldReader, region: Region, hits: Hits, start: int) -> tuple[list[dict[str, Any]], int]:
    places: list[dict[str, Any]] = []
    locator, main, at = Locator(opened.index, region.container, region.read), opened.main, start
    while at < hits.total and len(places) < MOST:
        place = locator.locate(hits.starts[at])
        first, last = at, _behind(hits, at, place.end)
        row = bisect_right(main.starts, hits.starts[at])
        match: dict[str, Any] = {"path": render(place.path), "key": place.in_key}
        match |= {"row": row} if main.kind != "lines" and main.start < hits.starts[at] < main.end else {}
        places.append({**match, **_text_of(region, hits, range(first, last), (place.start, place.end))})
        at = last
    return places, at


def _behind(hits: Hits, at: int, end: int) -> int:
    """Return the number of the first match that begins at ``end`` or later; the next one at least."""
    at += 1
    while at < hits.total and hits.starts[at] < end:
        at += 1
    return at


def _text_of(region: Region, hits: Hits, some: range, span: tuple[int, int]) -> dict[str, Any]:
    """Return the text of a place, or of a long one what is near its first match, with the marks in characters."""
    (begin, end), first = span, some[0]
    left = begin if end - begin <= LONG else max(begin, hits.starts[first] - AROUND)
    right = min(end, max(hits.ends[first] + AROUND, left + LONG))
    right = max(right, min(hits.ends[first], left + 2 * LONG))
    data = region.read(left, right)
    marks = [
        [_characters(data, hits.starts[one] - left), _characters(data, hits.ends[one] - left)]
        for one in some
        if hits.starts[one] < right
    ]
    return {
        "text": data.decode("utf-8", "replace"),
        "marks": marks,
        "before": left - begin,
        "behind": end - right,
        "count": len(some),
    }


def _characters(data: bytes, position: int) -> int:
    return len(data[:position].decode("utf-8", "replace"))
