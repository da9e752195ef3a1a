"""Search a held result for a text or a regular expression: how many matches there are, where, and the first of them.

Counts come first, because a reader who sees ten matches takes them for all. In JSON each match has the path of its
value and the fields that name its item; in a text its line and what that lies under. Several matches on one line are
one entry. A string at a path is searched as the text that it is, with lines of its own.
"""

from __future__ import annotations

import time
from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from penstock.core.answer.notice import encode
from penstock.core.budget import largest
from penstock.core.forms.reading import TextSpec
from penstock.core.json import scan
from penstock.core.json.index import index_lines, reader
from penstock.core.json.lookup import container_at, span_at
from penstock.core.json.path import closed_part, leads_to, parse_open, render
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.reading.cut import cut_text
from penstock.core.reading.page import shown_text
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.query.search.hits import Hits, find
from penstock.query.search.json_place import Locator
from penstock.query.search.pattern import RegexWorkers, compiled
from penstock.query.search.show_lines import Lines
from penstock.query.search.show_matches import MatchesInJson, MatchesInText, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.budget import Room
    from penstock.core.json.path import Path
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.query.source import Source

SECONDS: Final = 3.0  # for one search: 100 MB take less than one
MOST_CONTEXT: Final = 20  # lines before and after a match
LONG_PATH: Final = 200  # characters of the path that was searched
MOST_PLACED: Final = 25_000  # matches whose paths are compared with that of a search: some half a second
SHARE: Final = 3  # the counts by place may take one part in so many of the room


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """Return the region to search: the whole document, or what lies at a path, which may be a single value."""

    pattern: str
    regex: bool = False
    ignore_case: bool | None = None  # None: in any case only if nothing matches as it is written
    word: bool = False
    context: int = 0
    path: str | None = None
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """``total`` matches (at least, when not ``complete``). ``text`` shows those from ``start`` to before ``end``, and
    ``about`` has the counts, which go before it."""

    total: int
    complete: bool
    start: int
    end: int
    about: dict[str, Any]
    text: str

    @property
    def has_more(self) -> bool:
        return self.end < self.total


class _Matches(Protocol):
    def counts(self) -> dict[str, Any]: ...
    def entries(self, start: int) -> Sequence[Any]: ...
    def show(self, entries: Any) -> str: ...
    def name(self, entries: Any) -> str: ...


def search(
    source: Source,
    query: SearchQuery,
    *,
    room: Room,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
    sandbox: Callable[[], Sandbox] | None = None,
) -> SearchResult:
    """Count all matches, and show as many from the match number ``start`` on as the room holds beside the counts.
    ``sandbox`` gives the workers that run regular expressions where RE2 is not installed."""
    for name, number in (("context", query.context), ("start", query.start)):
        if number < 0:
            raise CallerError(f"{name} is {number}", do="give a whole number from 0")
    path = parse_open(query.path or "")
    region, hits = find_hits(source, query, clock=clock, seconds=seconds, sandbox=sandbox)
    is_in_any_case = not hits.total and query.ignore_case is None
    if is_in_any_case:
        region, hits = find_hits(
            source, replace(query, ignore_case=True), clock=clock, seconds=seconds, sandbox=sandbox
        )
    matches = _matches_in(source, closed_part(path), query, region, hits)
    about = _about(path, hits, matches.counts(), room)
    if is_in_any_case and hits.total:
        about["note"] = "no match in this case; these match without regard to case"
    if query.context > MOST_CONTEXT:
        about["context"] = f"{MOST_CONTEXT} lines, the most"
    left = room.less(
        encode({**about, "shown": shown_text(hits.total, hits.total + 1, 2 * hits.total + 2), "next_start": hits.total})
    )
    entries = matches.entries(query.start)
    number = largest(len(entries), lambda number: left.fits(matches.show(entries[:number])))
    text = matches.show(entries[:number])
    if entries and not number:
        number = largest(len(entries), lambda number: left.fits(matches.name(entries[:number])))
        text = matches.name(entries[:number]) if number else ""
    end = entries[number - 1].last if number else query.start
    return SearchResult(
        total=hits.total,
        complete=hits.complete,
        start=query.start,
        end=end,
        about=about | _range_members(query.start, end, hits.total),
        text=cut_text(text or _nothing(query, hits), left.fits).text,
    )


def _matches_in(source: Source, path: Path, query: SearchQuery, region: Region, hits: Hits) -> _Matches:
    """Return what shows matches: those of a text, or of the string at a path as the text that it is, or of JSON."""
    context = min(query.context, MOST_CONTEXT)
    if region.container.kind == "lines":
        lines = Lines(region.container, region.read, _form_at(source, path))
        return MatchesInText(lines, hits, context=context)
    return MatchesInJson(source, region, hits, context=context)


def find_hits(
    source: Source,
    query: SearchQuery,
    *,
    clock: Callable[[], float],
    seconds: float,
    sandbox: Callable[[], Sandbox] | None = None,
) -> tuple[Region, Hits]:
    """Find all matches, and the part of the document that was searched."""
    path = parse_open(query.path or "")
    region = _region(source, closed_part(path))
    workers = None if sandbox is None else RegexWorkers(sandbox=sandbox, share=source.share)
    options = {"regex": query.regex, "ignore_case": bool(query.ignore_case), "word": query.word}
    with compiled(query.pattern, in_json=region.container.kind != "lines", workers=workers, **options) as ready:
        hits = find(ready, region.read, region.start, region.end, clock=clock, seconds=seconds)
    return region, hits if path == closed_part(path) else _hits_at(source, region, hits, path)


def _hits_at(source: Source, region: Region, hits: Hits, path: Path) -> Hits:
    """Return the matches at or below one of the values that a path with open steps stands for."""
    if region.container.kind == "lines":
        raise CallerError(f"{shorten(render(closed_part(path)))} is a text, which has no items", do="search all of it")
    locator = Locator(source.index, region.container, region.read)
    starts, ends = array("Q"), array("Q")
    looked_at = zip(hits.starts[:MOST_PLACED], hits.ends[:MOST_PLACED], strict=True)
    for start, end in looked_at:
        if leads_to(path, locator.locate(start).path):
            starts.append(start)
            ends.append(end)
    return Hits(starts=starts, ends=ends, complete=hits.complete and hits.total <= MOST_PLACED)


def _region(source: Source, path: Path) -> Region:
    """Return what is searched: all of the document, or what lies at a path, which may be a single value."""
    root = source.root()
    if not path:
        return Region(container=root, read=source.read, start=root.start, end=root.end)
    if source.index.is_text:
        raise CallerError("a text has no paths", do="search all of it, without a path")
    start, end = span_at(source.index, source.read, path)
    first = source.read(start, start + 1)
    if first == b'"':
        text = unquote_to_bytes(source.read(start, end))
        lines = index_lines(text).root
        if lines is not None:
            return Region(container=lines, read=reader(text), start=0, end=len(text))
    container = container_at(source.index, source.read, path if scan.is_container(first) else path[:-1])
    return Region(container=container, read=source.read, start=start, end=end)


def _form_at(source: Source, path: Path) -> str:
    """Return the form that a text was read as."""
    specs = (table.rows for table in source.tables if isinstance(table.rows, TextSpec))
    return next((spec.form for spec in specs if spec.path == path), "lines")


def _about(path: Path, hits: Hits, counts: dict[str, Any], room: Room) -> dict[str, Any]:
    """Write what goes before the matches: how many there are, and where. Without room for all places the rarest are
    left out."""
    about: dict[str, Any] = {"total": hits.total, "complete": hits.complete}
    if not hits.complete:
        about["note"] = f"at least {hits.total:,} matches: counting stopped there"
    if path:
        about["path"] = shorten(render(path), LONG_PATH)
    if not hits.complete and "lines" in counts:
        counts = {**counts, "at_least_lines": counts["lines"]}
        del counts["lines"]
    share = room.limited(tokens=room.tokens // SHARE, size=room.size // SHARE)
    while counts and not share.fits(encode({**about, **counts})):
        counts.popitem()
    return about | counts


def _range_members(start: int, end: int, total: int) -> dict[str, Any]:
    members: dict[str, Any] = {"shown": shown_text(start, end, total).removeprefix("shown ")}
    return members | {"next_start": end} if start < end < total else members


def _nothing(query: SearchQuery, hits: Hits) -> str:
    """Write the words for an answer without matches."""
    if hits.total:
        return "no more matches" if query.start >= hits.total else "no match has room in this answer"
    hint = " (case-sensitive by ignore_case: false)" if query.ignore_case is False else " in any case"
    if not query.regex and any(sign in query.pattern for sign in ("|", ".*", "\\")):
        hint += "; this was searched as plain text, give regex: true for a pattern"
    return f"no match for {shorten(query.pattern)!r}{hint}"
