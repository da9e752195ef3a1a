"""Matches as a reader sees them: counted by place, and each with what is around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from penstock.core.json import scan
from penstock.core.json.path import EACH, render
from penstock.core.json.strings import quote
from penstock.core.reading.indicator import Indicator
from penstock.core.reading.page_item import minified
from penstock.core.reading.scalar import shorten_scalar
from penstock.core.text import shorten
from penstock.core.toolkit.fields import Wanted, find_field, value_at
from penstock.query.place import Locator

if TYPE_CHECKING:
    from penstock.core.json.index import Container, Index, Read
    from penstock.query.hits import Hits
    from penstock.query.place import Place

MOST_LOCATED: Final = 5_000  # matches whose paths are counted: each takes some 20 microseconds
MOST_NAMED: Final = 8  # paths or files that are named with their counts
AROUND: Final = 100  # bytes before and after a match in a long value or line
SMALL_ITEM: Final = 400  # bytes of an item that is shown whole; of a larger one some fields, each cut short
MOST_FIELDS: Final = 12
LONG_FIELD: Final = 80  # bytes
LARGE_ITEM: Final = 262_144  # bytes of an item that is not looked into for its file
FILE: Final = Wanted(
    what="file",
    names=(("file", "filename", "filepath"), ("path", "relativepath", "fullpath"), ("uri", "url", "document")),
    ending=re.compile(r"(?i)(?:file|_path|filename)$"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """The part of a document that was searched, and the container that all of it lies in."""

    container: Container
    read: Read
    start: int
    end: int

    def around(self, start: int, end: int, first: int, last: int) -> str:
        """The text from ``first`` to ``last``, but only what is near to the match when that is long."""
        left, right = max(first, start - AROUND), min(last, end + AROUND, start + 4 * AROUND)
        text = self.read(left, right).decode("utf-8", "ignore")
        return f"{'…' if left > first else ''}{text}{'…' if right < last else ''}"


class Matches(Protocol):
    """The matches in one kind of document."""

    def counts(self) -> list[str]:
        """Lines that say how many matches are where."""

    def show(self, start: int, end: int) -> str:
        """These matches, each with what is around it."""

    def name(self, start: int, end: int) -> str:
        """These matches without what is around them, for when there is no room for it."""


class MatchesInText:
    """Lines with their numbers, the matching ones marked, as people know it from grep."""

    def __init__(self, region: Region, hits: Hits, *, context: int) -> None:
        self._region = region
        self._hits = hits
        self._context = context
        self._lines = region.container
        self._line_of = [bisect_right(self._lines.starts, start) - 1 for start in hits.starts]

    def counts(self) -> list[str]:
        lines = len(set(self._line_of))
        least = "" if self._hits.complete else "at least "  # the matches not counted may lie on the same lines
        return [f"on {least}{lines:,} of {self._lines.count:,} lines"] if lines else []

    def show(self, start: int, end: int) -> str:
        return self._text(start, end, self._context)

    def name(self, start: int, end: int) -> str:
        return self._text(start, end, 0)

    def _text(self, start: int, end: int, context: int) -> str:
        first_on_line: dict[int, int] = {}
        for match in range(start, end):
            first_on_line.setdefault(self._line_of[match], match)
        near = range(-context, context + 1)
        lines = {line + by for line in first_on_line for by in near if 0 <= line + by < self._lines.count}
        told: list[str] = []
        last = -1
        for line in sorted(lines):
            if told and line > last + 1 and context:
                told.append("--")
            told.append(self._told(line, first_on_line.get(line)))
            last = line
        return "\n".join(told)

    def _told(self, line: int, match: int | None) -> str:
        first, last = self._lines.starts[line], self._lines.starts[line + 1] - 1
        start, end = (first, first) if match is None else (self._hits.starts[match], self._hits.ends[match])
        return f"{line + 1}{'-' if match is None else ':'} {self._region.around(start, end, first, last)}"


class MatchesInJson:
    """Paths, each with the value that was found and the item that it belongs to."""

    def __init__(self, index: Index, region: Region, hits: Hits, *, context: int) -> None:
        self._region = region
        self._hits = hits
        self._context = context
        self._locator = Locator(index, region.container, region.read)
        self._block = cache(self._make_block)

    def counts(self) -> list[str]:
        places = [self._locator.locate(start) for start in self._hits.starts[:MOST_LOCATED]]
        by_path = Counter(_pattern(place) for place in places)
        told = [_tally("by path", by_path)] if places else []
        files = self._files(places)
        if files:
            told.append(_tally("by file", files))
        if len(places) < self._hits.total:
            told.append(f"(counted by place: the first {len(places):,})")
        return told

    def show(self, start: int, end: int) -> str:
        """Of matches in the same item only the last one shows it."""
        told = [self._block(match) for match in range(start, end)]
        lines: list[str] = []
        for (line, item), (_, following) in zip(told, (*told[1:], ("", "")), strict=True):
            lines.append(line)
            if item and item != following:
                lines.append(item)
        return "\n".join(lines)

    def name(self, start: int, end: int) -> str:
        return "\n".join(_named(self._locator.locate(at)) for at in self._hits.starts[start:end])

    def _make_block(self, match: int) -> tuple[str, str]:
        """The line for a match, and the line for the item that it is in."""
        start, end = self._hits.starts[match], self._hits.ends[match]
        place = self._locator.locate(start)
        found = self._region.around(start, end, place.start, max(place.end, end))
        if place.item is None or not self._context:
            return f"{_named(place)}: {found}", ""
        item = minified(self._region.read(*place.item))
        shown = _brief(item)
        value = "" if shown == item else f": {found}"  # an item that is shown whole shows the match in it
        return f"{_named(place)}{value}", f"  in {shown.decode('utf-8', 'replace')}"

    def _files(self, places: list[Place]) -> Counter[str]:
        """How many matches there are in which file, if the items tell their files."""
        items = [place.item for place in places if place.item and place.item[1] - place.item[0] <= LARGE_ITEM]
        values = {item: self._value(item) for item in dict.fromkeys(items)}
        field = find_field(list(values.values()), FILE, _is_name)
        names = (value_at(values[item], field) for item in items)
        return Counter(name for name in names if _is_name(name))

    def _value(self, item: tuple[int, int]) -> Any:
        try:
            return msgspec.json.decode(self._region.read(*item))
        except msgspec.MsgspecError:  # a number that Python cannot hold
            return None


def _brief(item: bytes) -> bytes:
    """An item, or its first fields, of which the long ones are cut and counted."""
    if len(item) <= SMALL_ITEM:
        return item
    keyed = item[:1] == b"{"
    fields = scan.members(item) if keyed else [("", value) for value in scan.items(item)]
    parts = [(quote(key) + b":" if keyed else b"") + _brief_value(value) for key, value in fields[:MOST_FIELDS]]
    if len(fields) > len(parts):
        parts.append(quote("…") + b":" if keyed else b"")
        parts[-1] += quote(f"[+{len(fields) - MOST_FIELDS:,} more]")
    return item[:1] + b",".join(parts) + item[-1:]


def _brief_value(value: bytes) -> bytes:
    if len(value) <= LONG_FIELD:
        return value
    return Indicator().mark(value) if scan.is_container(value) else shorten_scalar(value, LONG_FIELD)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 300


def _named(place: Place) -> str:
    return f"{shorten(render(place.path), 200)}{' (key)' if place.in_key else ''}"


def _pattern(place: Place) -> str:
    """The path with every index left open, so that all items of an array are one place."""
    path = tuple(EACH if isinstance(step, int) else step for step in place.path)
    return f"{shorten(render(path), 100)}{' (key)' if place.in_key else ''}"


def _tally(title: str, counts: Counter[str]) -> str:
    named = [f"{shorten(name, 100)} {number:,}" for name, number in counts.most_common(MOST_NAMED)]
    left = len(counts) - len(named)
    return f"{title}: {', '.join(named)}" + (f", and {left:,} more" if left else "")
