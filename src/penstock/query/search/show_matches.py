"""Matches as a reader sees them: counted by place, and each with what it belongs to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.reading import TextSpec
from penstock.core.json import scan
from penstock.core.json.index import index_lines, reader
from penstock.core.json.path import render
from penstock.core.json.strings import unescape
from penstock.core.ranking import find_field, value_at
from penstock.core.tables.roles import Role, named_role
from penstock.query.search.json_place import Locator
from penstock.query.search.key_fields import key_fields
from penstock.query.search.parents import MOST_HEADED, Regions
from penstock.query.search.show_lines import WHOLE, LineMatch, Lines, around

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.json.index import Container, Read
    from penstock.query.search.hits import Hits
    from penstock.query.search.json_place import JsonPlace
    from penstock.query.source import Source

MOST_ENTRIES: Final = 200  # lines and values with matches in one answer, more than any budget holds
MOST_LOCATED: Final = 2_000  # matches that are counted by place: each takes some 20 microseconds
MOST_NAMED: Final = 8  # paths, files or headings that are named with their counts
LARGE_ITEM: Final = 262_144  # bytes of an item that is not looked into for its file and its key fields
LONG_PATH: Final = 200  # characters of a path that are shown
_FILE = re.compile(r"[^/\\]\.[A-Za-z]\w{0,7}\Z")  # a name with an extension: routes and branches have none


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """The part of a document that is searched, and the container that all of it lies in."""

    container: Container
    read: Read
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEntry:
    """A line to show. ``last`` is the number behind that of its last match."""

    last: int
    match: LineMatch


class MatchesInText:
    """Lines with their numbers, as people know it from grep, under what they lie under."""

    def __init__(self, lines: Lines, hits: Hits, *, context: int) -> None:
        self._lines = lines
        self._hits = hits
        self._context = context

    def counts(self) -> dict[str, Any]:
        """Count how many lines have matches, and under which headings, or in which regions of a page."""
        figures: dict[str, Any] = {"lines": self._hits.lines, "of_lines": self._lines.container.count}
        if self._lines.form not in ("markdown", "snapshot") or not self._hits.total:
            return figures
        starts = self._hits.starts[:MOST_LOCATED]
        if self._lines.form == "snapshot":
            first = self._lines.container.start
            end = min(self._lines.container.end, first + MOST_HEADED)
            regions = Regions(self._lines.read(first, end))
            counts = Counter(regions.of(start - first) for start in starts if start < end)
            return {**figures, **_named_counts("region", counts, counts.total(), self._hits)}
        headings = Counter(" > ".join(self._lines.under(self._lines.line_of(start))) for start in starts)
        return {**figures, **_named_counts("heading", headings, len(starts), self._hits)}

    def entries(self, start: int) -> list[LineEntry]:
        """Return the lines with matches from the match number ``start`` on, each once."""
        entries: list[LineEntry] = []
        starts, ends = self._hits.starts, self._hits.ends
        last = start
        while last < len(starts) and len(entries) < MOST_ENTRIES:
            first, line = last, self._lines.line_of(starts[last])
            end = self._lines.container.starts[line + 1]
            while last < len(starts) and starts[last] < end:
                last += 1
            match = LineMatch(line=line, start=starts[first], end=ends[first], count=last - first)
            entries.append(LineEntry(last=last, match=match))
        return entries

    def show(self, entries: Sequence[LineEntry]) -> str:
        return "\n".join(self._lines.show([entry.match for entry in entries], self._context))

    def name(self, entries: Sequence[LineEntry]) -> str:
        """Return the numbers of the lines alone, for when there is no room for them."""
        return "lines " + ", ".join(f"{entry.match.line + 1}" for entry in entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueEntry:
    """A value, a key, or a line of a text in a string, with matches."""

    last: int
    place: JsonPlace
    match: LineMatch
    text: _StringText | None = None


class _StringText:
    """The text of a string, with its own lines. Positions in the document are turned into those in the text from one
    to the next, so that a long string is read once."""

    def __init__(self, literal: bytes, start: int, form: str) -> None:
        self._literal = literal
        self._start = start + 1
        self._at = self._reached = 0  # in the literal behind its quote, and in the text
        text = unescape(literal[1:-1])
        container = index_lines(text).root if text else None
        self.lines = None if container is None else Lines(container, reader(text), form)

    @property
    def has_lines(self) -> bool:
        return self.lines is not None and self.lines.container.count > 1

    def position(self, position: int) -> int:
        """Return the position in the text for one in the document."""
        wanted = max(0, min(position - self._start, len(self._literal) - 2))
        if wanted < self._at:
            self._at = self._reached = 0
        self._reached += len(unescape(self._literal[1 + self._at : 1 + wanted]))
        self._at = wanted
        return self._reached


class MatchesInJson:
    """Paths, each with the value that was found and the fields that name the item it belongs to."""

    def __init__(self, source: Source, region: Region, hits: Hits, *, context: int) -> None:
        self._source = source
        self._region = region
        self._hits = hits
        self._context = context
        self._locator = Locator(source.index, region.container, region.read)
        self._keys = cache(self._key_fields)
        self._forms = {table.rows.path: table.rows.form for table in source.tables if isinstance(table.rows, TextSpec)}

    def counts(self) -> dict[str, Any]:
        """Count how many matches are at which paths, with every index left open, and in which files."""
        if not self._hits.total:
            return {}
        places = [self._locator.locate(start) for start in self._hits.starts[:MOST_LOCATED]]
        by_path = Counter(place.pattern + (" (key)" if place.in_key else "") for place in places)
        figures = _named_counts("path", by_path, len(places), self._hits)
        if files := self._files(places):
            figures |= _named_counts("file", files, len(places), self._hits)
        return figures

    def entries(self, start: int) -> list[ValueEntry]:
        """Return the values with matches from the match number ``start`` on, and each line of a long text by itself."""
        entries: list[ValueEntry] = []
        starts, ends = self._hits.starts, self._hits.ends
        last, text, of = start, None, -1
        while last < len(starts) and len(entries) < MOST_ENTRIES:
            first, place = last, self._locator.locate(starts[last])
            if of != place.start:
                of, text = place.start, self._text(place)
            if text is None or text.lines is None:
                match = LineMatch(line=0, start=starts[first], end=ends[first], count=0)
                last = self._behind(last, place.end)
            else:
                at, end = text.position(starts[first]), text.position(ends[first])
                match = LineMatch(line=text.lines.line_of(at), start=at, end=end, count=0)
                stop = text.lines.container.starts[match.line + 1]
                last += 1
                while last < len(starts) and starts[last] < place.end and text.position(starts[last]) < stop:
                    last += 1
            match = LineMatch(line=match.line, start=match.start, end=match.end, count=last - first)
            entries.append(ValueEntry(last=last, place=place, match=match, text=text))
        return entries

    def show(self, entries: Sequence[ValueEntry]) -> str:
        """Write values with their matches. Of several lines of one value only the first has the path before it, and of
        several values of one item only the first has the fields of the item."""
        lines: list[str] = []
        item = None
        for _, group in groupby(entries, key=lambda entry: entry.place.start):
            some = list(group)
            place = some[0].place
            keys = "" if place.item is None or place.item == item else self._keys(place)
            item = place.item
            lines += self._show_value(some, keys)
        return "\n".join(lines)

    def name(self, entries: Sequence[ValueEntry]) -> str:
        """Return the paths alone, for when there is no room for what is there."""
        return "\n".join(_path(entry.place) for entry in entries)

    def _show_value(self, entries: list[ValueEntry], keys: str) -> Iterator[str]:
        place, text, match = entries[0].place, entries[0].text, entries[0].match
        times = f" ×{match.count:,}" if match.count > 1 else ""
        where = f"{_path(place)}{f' ({keys})' if keys else ''}"
        if text is not None and text.lines is not None and text.has_lines:
            yield f"{where}, lines of {text.lines.container.count:,}:"
            yield from (f"  {line}" for line in text.lines.show([entry.match for entry in entries], self._context))
        elif text is not None and text.lines is not None:
            read, lines = text.lines.read, text.lines.container
            yield f"{where}{times}: {around(read, lines.start, lines.end, match.start, match.end)}"
        elif place.value is not None:
            yield f"{where}{times}: {self._value_text(*place.value)}"
        else:
            yield f"{where}{times}: {around(self._region.read, place.start, place.end, match.start, match.end)}"

    def _behind(self, match: int, end: int) -> int:
        """Return the number of the first match that begins at ``end`` or later; the next one at least."""
        match += 1
        while match < self._hits.total and self._hits.starts[match] < end:
            match += 1
        return match

    def _text(self, place: JsonPlace) -> _StringText | None:
        if not place.is_scalar or self._region.read(place.start, place.start + 1) != b'"':
            return None
        literal = self._region.read(place.start, place.end)
        return _StringText(literal, place.start, self._forms.get(place.path, "lines"))

    def _value_text(self, start: int, end: int) -> str:
        """Show the value of a key; of a large container only its type and size."""
        if end - start <= WHOLE or not scan.is_container(self._region.read(start, start + 1)):
            return around(self._region.read, start, end, start, start)
        kind = "array" if self._region.read(start, start + 1) == b"[" else "object"
        return f"[{kind} of {end - start:,} bytes]"

    def _key_fields(self, place: JsonPlace) -> str:
        if place.item is None or place.row is None:
            return ""
        item = self._value(place.item)
        row = item if place.row == place.item else self._value(place.row)
        return key_fields(row, item, place.path[place.depth :])

    def _files(self, places: list[JsonPlace]) -> Counter[str]:
        """Count how many matches there are in which file, if the items tell their files."""
        items = [place.item for place in places if place.item]
        values = {item: self._value(item) for item in dict.fromkeys(items)}
        field = find_field(list(values.values()), _of_files, _is_name)
        names = [name for name in (value_at(values[item], field) for item in items) if _is_name(name)]
        are_files = any(map(_FILE.search, names)) and not any("://" in name for name in names)
        return Counter(names if are_files else ())

    def _value(self, item: tuple[int, int]) -> Any:
        """Return an item as an object; None for one that is large, or has a number that Python cannot hold."""
        if item[1] - item[0] > LARGE_ITEM:
            return None
        try:
            return msgspec.json.decode(self._region.read(*item))
        except msgspec.MsgspecError:
            return None


def _of_files(name: str) -> int | None:
    return 0 if named_role(name) is Role.PATH else None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 300


def _path(place: JsonPlace) -> str:
    return f"{_shortened(render(place.path), LONG_PATH)}{' (key)' if place.in_key else ''}"


def _shortened(text: str, limit: int) -> str:
    """Cut the middle out of a text that is too long: the end of a path says most."""
    return text if len(text) <= limit else f"{text[: limit // 3]}…{text[-limit * 2 // 3 :]}"


def _named_counts(what: str, counts: Counter[str], counted: int, hits: Hits) -> dict[str, Any]:
    """Count matches by place, the most frequent first. The name says so, where only the first matches were counted."""
    named = {_shortened(name, LONG_PATH // 2): number for name, number in counts.most_common(MOST_NAMED)}
    if left := counts.total() - sum(named.values()):
        named[f"in {len(counts) - len(named):,} others"] = left
    name = f"by_{what}" if counted == hits.total and hits.complete else f"first_{counted}_by_{what}"
    return {name: named}
