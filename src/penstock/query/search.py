"""Search a held result for a text or a regular expression: how many matches there are, where, and the first of them.

Counts come first, because a reader who sees ten matches takes them for all. In JSON each match has the path of its
value and the item around it; in a text its line, and the lines before and after.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.budget import largest
from penstock.core.json import scan
from penstock.core.json.index import container_at, span_at
from penstock.core.json.path import parse
from penstock.core.reading.cut import cut_text
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.query.hits import find
from penstock.query.pattern import compiled
from penstock.query.show import Matches, MatchesInJson, MatchesInText, Region

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.budget import Room
    from penstock.core.json.path import Path
    from penstock.query.hits import Hits
    from penstock.query.source import Source

SECONDS: Final = 3.0  # for one search: 100 MB take less than one
MOST_SHOWN: Final = 200  # matches in one answer, more than any budget holds
MOST_CONTEXT: Final = 20  # lines before and after a match


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """``total`` matches (more than that, when not ``complete``), of which ``text`` shows some, after the counts."""

    total: int
    complete: bool
    start: int
    end: int
    text: str

    @property
    def has_more(self) -> bool:
        return self.end < self.total


def search(
    source: Source,
    pattern: str,
    *,
    room: Room,
    regex: bool = False,
    ignore_case: bool = False,
    context: int = 2,
    path: str | None = None,
    start: int = 0,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Found:
    """All matches counted, and those from the match number ``start`` shown, as many as the room holds."""
    if not 0 <= context <= MOST_CONTEXT or start < 0:
        raise CallerError(
            "context and start are out of range", do=f"give a context of 0 to {MOST_CONTEXT} lines, and a start from 0"
        )
    region = _region(source, parse(path or ""))
    in_json = not source.index.is_text
    with compiled(pattern, regex=regex, ignore_case=ignore_case, in_json=in_json) as ready:
        hits = find(ready, region.read, region.start, region.end, clock=clock, seconds=seconds)
    matches: Matches = (
        MatchesInJson(source.index, region, hits, context=context)
        if in_json
        else MatchesInText(region, hits, context=context)
    )
    counts = "\n".join((_headline(pattern, hits, case=not ignore_case), *matches.counts()))
    most = min(MOST_SHOWN, max(0, hits.total - start))

    number, text = _fill(counts, matches.show, start, most, room)
    if not number:
        number, text = _fill(counts, matches.name, start, most, room)
    return Found(
        total=hits.total,
        complete=hits.complete,
        start=start,
        end=start + number,
        text=cut_text(text, room.fits).text,
    )


def _fill(counts: str, show: Callable[[int, int], str], start: int, most: int, room: Room) -> tuple[int, str]:
    """As many matches as there is room for, and the text with them."""

    def text(number: int) -> str:
        if not number:
            return counts
        return f"{counts}\nshown: {start + 1:,} to {start + number:,}\n\n{show(start, start + number)}"

    number = largest(most, lambda number: room.fits(text(number)))
    return number, text(number)


def _headline(pattern: str, hits: Hits, *, case: bool) -> str:
    more = "" if hits.complete else "more than "
    noun = "match" if hits.total == 1 and hits.complete else "matches"
    note = " (upper and lower case are told apart)" if case and not hits.total else ""
    return f"{more}{hits.total:,} {noun} of {shorten(pattern)!r}{note}"


def _region(source: Source, path: Path) -> Region:
    """What is searched: all of the document, or what lies at a path, which may be a single value."""
    root = source.root()
    if not path:
        return Region(container=root, read=source.read, start=root.start, end=root.end)
    if source.index.is_text:
        raise CallerError("a text has no paths", do="search all of it, without a path")
    start, end = span_at(source.index, source.read, path)
    is_container = scan.is_container(source.read(start, start + 1))
    container = container_at(source.index, source.read, path if is_container else path[:-1])
    return Region(container=container, read=source.read, start=start, end=end)
