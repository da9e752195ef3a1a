"""Compare two versions of a document: what differs, in words and as JSON that a model reads.

    changes = compare(old, new)
    changes.words      # "+3 -1 ~2 rows, 433 unchanged, matched by .id"
    changes.listed()   # each change as one line of JSON

``unchanged`` means the same bytes. The listed changes, applied to the old version, give the new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Raw

from penstock.core.changes.lines import line_changes
from penstock.core.changes.row_pairs import MEMBERS, match_members, match_rows
from penstock.core.changes.value_changes import count_in_words, value_changes
from penstock.core.json.path import render
from penstock.core.json.scan import items, minify
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.changes.lines import LineChanges
    from penstock.core.changes.row_pairs import RowChanges
    from penstock.core.changes.value_changes import ValueChange
    from penstock.core.json.path import Path

UNCHANGED: Final = "unchanged"
REWRITTEN: Final = "the same values, written differently"
MAX_SIZE: Final = 33_554_432  # Bytes of a version. Both versions are in memory several times.
MAX_PARTS: Final = 2_000_000  # Lines or values of a version. Each of them may become an object of a hundred bytes.
MAX_LISTED_LINES: Final = 40  # Lines in one listed change, so that a long change can be divided into pages.

_VALUES: Final = msgspec.json.Decoder(Raw)

VersionKind = Literal["json", "values", "text", "binary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A document to compare. ``body`` is the JSON in it, if there is any; ``rows`` leads to its main table."""

    raw: bytes
    kind: VersionKind
    body: bytes = b""
    rows: Path | None = None

    @property
    def around(self) -> tuple[bytes, bytes]:
        """Return the text before and after the JSON. There is none if the JSON is in a JSON string."""
        if self.raw is self.body:
            return b"", b""
        before, found, after = self.raw.partition(self.body)
        return (before, after) if found else (b"", b"")

    @property
    def value(self) -> bytes:
        """Return the JSON without white space. Values that follow each other are the items of an array."""
        if self.kind == "json":
            return minify(self.body.strip())
        return minify(b"[" + b",".join(_VALUES.decode_lines(self.body)) + b"]")

    @property
    def is_comparable(self) -> bool:
        """Return True if the version is not too large to compare."""
        if len(self.raw) <= MAX_PARTS:
            return True
        parts = self.raw.count(b"\n") if self.kind == "text" else self.body.count(b",")
        return len(self.raw) <= MAX_SIZE and parts <= MAX_PARTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All differences between two versions. ``verdict`` replaces them if there is nothing to list."""

    verdict: str = ""
    rows: RowChanges | None = None
    values: Sequence[ValueChange] = ()
    text: LineChanges | None = None
    around: Sequence[LineChanges] = ()

    @property
    def words(self) -> str:
        """Return the differences in one line."""
        if self.verdict:
            return self.verdict
        parts = [] if self.text is None else [self.text.words]
        if self.rows is not None and self.rows.has_changes:
            parts.append(self.rows.words)
        if self.values:
            parts.append(count_in_words(self.values) + (" outside the rows" if self.rows is not None else ""))
        parts += [f"in the text around the data {text.words}" for text in self.around if text.hunks]
        return "; ".join(parts)

    def listed(self) -> Iterator[bytes]:
        """Yield all changes, each as one line of JSON."""
        rows = () if self.rows is None else _row_items(self.rows)
        values = chain.from_iterable(_value_items(change) for change in self.values)
        texts = [text for text in (self.text, *self.around) if text is not None]
        lines = chain.from_iterable(_line_items(text) for text in texts)
        for item in chain(rows, values, lines):
            yield msgspec.json.encode(item)


def compare(old: Version, new: Version) -> Comparison:
    """Return all differences. Raises a ``CallerError`` if the versions are too large to compare."""
    for version in (old, new):
        if not version.is_comparable:
            raise CallerError(
                f"one of the results has {len(version.raw):,} bytes, and very many lines or values",
                do=f"changes compares at most {MAX_SIZE:,} bytes and {MAX_PARTS:,} lines or values; "
                "filter both results, and compare the handles of what remains",
            )
    if (verdict := _verdict(old, new)) is not None:
        return Comparison(verdict=verdict)
    if new.kind == "text":
        return Comparison(text=line_changes(old.raw, new.raw))
    try:
        return _compare_json(old, new)
    except msgspec.MsgspecError:  # Half a surrogate pair in a name, which only the standard parser accepts.
        return Comparison(text=line_changes(old.raw, new.raw))


def _verdict(old: Version, new: Version) -> str | None:
    """Return a statement about versions that have no parts to compare."""
    if old.raw == new.raw:
        return UNCHANGED
    before, after = ("JSON" if version.kind in ("json", "values") else version.kind for version in (old, new))
    if before != after:
        return f"everything: it was {before}, and is {after}"
    return f"everything: other {after} data" if after == "binary" else None


def _compare_json(old: Version, new: Version) -> Comparison:
    before, after = old.value, new.value
    rows = _compare_rows(before, after, new.rows) if new.rows is not None and new.rows == old.rows else None
    if rows is None:
        changes, row_changes = list(value_changes(before, after)), None
    else:
        row_changes, rest, new_rest = rows
        changes = list(value_changes(rest, new_rest))
    around = [line_changes(one, other) for one, other in zip(old.around, new.around, strict=True)]
    has_others = bool(changes) or any(text.hunks for text in around)
    if not has_others and (row_changes is None or not row_changes.has_changes):
        return Comparison(verdict=REWRITTEN)
    return Comparison(rows=row_changes, values=changes, around=around)


def _compare_rows(old: bytes, new: bytes, path: Path) -> tuple[RowChanges, bytes, bytes] | None:
    """Compare the rows at a path. Also return the rest of both documents, and None if one has no rows there."""
    before, after = _take(old, path), _take(new, path)
    if before is None or after is None:
        return None
    (rows, rest), (new_rows, new_rest) = before, after
    kinds = rows[:1] + new_rows[:1]
    if kinds == b"[[":
        changes = match_rows(items(rows), items(new_rows))
    elif kinds == b"{{":
        changes = match_members(_members(rows), _members(new_rows))
    else:
        return None
    return changes, rest, new_rest


def _take(value: bytes, path: Path) -> tuple[bytes, bytes] | None:
    """Return the value at a path, and the document with null in its place. None if there is no value."""
    if not path:
        return value, b"null"
    step, *rest = path
    holder: Any = MEMBERS.decode(value) if value[:1] == b"{" else items(value) if value[:1] == b"[" else None
    try:
        inner = _take(bytes(holder[step]), tuple(rest))
    except (KeyError, IndexError, TypeError):
        return None
    if inner is None:
        return None
    holder[step] = Raw(inner[1])
    return inner[0], msgspec.json.encode(holder)


def _members(value: bytes) -> dict[str, bytes]:
    return {name: bytes(inner) for name, inner in MEMBERS.decode(value).items()}


def _row_items(rows: RowChanges) -> Iterator[dict[str, Any]]:
    for one, at in rows.changed:
        item: dict[str, Any] = {"op": "changed", "row": at + 1}
        if one != at:
            item["was_row"] = one + 1
        if (key := rows.key_of(at)) is not None:
            item["key"] = key
        inside = chain.from_iterable(_value_items(change) for change in value_changes(rows.old[one], rows.new[at]))
        item["values"] = [{name: value for name, value in change.items() if name != "op"} for change in inside]
        yield item
    for at in rows.added:
        named = {"key": rows.new_names[at]} if rows.new_names else {}
        yield {"op": "added", "row": at + 1, **named, "now": Raw(rows.new[at])}
    for at in rows.removed:
        named = {"key": rows.old_names[at]} if rows.old_names else {}
        yield {"op": "removed", "was_row": at + 1, **named, "was": Raw(rows.old[at])}
    if rows.is_reordered:
        yield {"op": "moved", "note": "rows that both results have are in another order"}


def _value_items(change: ValueChange) -> Iterator[dict[str, Any]]:
    path = render(change.path)
    if change.is_reordered:
        yield {"op": "moved", "path": path, "note": "its items are in another order"}
    elif change.lines is not None:
        yield from ({"path": path, **item} for item in _line_items(change.lines))
    else:
        item: dict[str, Any] = {"op": _operation(change.old is not None, change.new is not None), "path": path}
        if change.old is not None and change.new is not None and change.old_path != change.path:
            item["was_path"] = render(change.old_path)
        if change.old is not None:
            item["was"] = Raw(change.old)
        if change.new is not None:
            item["now"] = Raw(change.new)
        yield item


def _line_items(text: LineChanges) -> Iterator[dict[str, Any]]:
    for hunk in text.hunks:
        for first in range(0, max(len(hunk.old), len(hunk.new)), MAX_LISTED_LINES):
            was = hunk.old[first : first + MAX_LISTED_LINES]
            now = hunk.new[first : first + MAX_LISTED_LINES]
            item: dict[str, Any] = {"op": _operation(bool(was), bool(now))}
            if now:
                item["line"] = now.start + 1
            if was and (not now or was.start != now.start):
                item["was_line"] = was.start + 1
            if was:
                item["was"] = [_readable(text.old[at]) for at in was]
            if now:
                item["now"] = [_readable(text.new[at]) for at in now]
            yield item


def _operation(was: bool, now: bool) -> str:
    if was and now:
        return "changed"
    return "added" if now else "removed"


def _readable(line: bytes) -> str:
    return line.decode("utf-8", "replace")
