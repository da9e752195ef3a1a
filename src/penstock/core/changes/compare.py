"""Compare two versions of a document: all changes, in words and as JSON that a model reads.

    words, listed = compare_whole(old, new)
    # words: "3 rows added, 1 removed, 2 changed, 433 unchanged, told apart by .id"; listed: each change, as JSON

``unchanged`` is said of the same bytes alone. Everything that is listed, applied to the old version, gives the new one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from penstock.core.changes.cut import RowCut, Start, cut_rows, mark_of
from penstock.core.changes.lines import (
    LineCounts,
    LineEnds,
    LinesApart,
    count_changes,
    counts_of,
    split_both,
    text_changes,
)
from penstock.core.changes.spans import differing_spans
from penstock.core.changes.values import (
    Known,
    RowChanges,
    ValueChange,
    as_one,
    brief_changes,
    cut_changes,
    value_changes,
)
from penstock.core.json.path import KEY, Path, render
from penstock.core.json.scan import minify
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.text import counted, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.changes.steps import PartChange
    from penstock.core.changes.values import Value

UNCHANGED: Final = "unchanged"
CHANGED: Final = "changed, told by the action changes"
REWRITTEN: Final = "the same values, written differently"
LARGEST: Final = 33_554_432  # bytes of a version that is compared: both are in memory, as objects several times over
MOST_PARTS: Final = 2_000_000  # lines or values of a version: each may be an object of a hundred bytes
SOME: Final = 64  # bytes by which JSON is looked for in a text: to look for all of it takes longer than to compare it
MOST_LINES: Final = 40  # lines of a change that are one item of a page; longer ones become several

MOST_PLACES: Final = 64  # places of other JSON that differ, for which their values are compared at admission
SHORT_ROW: Final = 150  # bytes of a row, on average, below which the members of a map are too many to be compared

STYLED: Final = 512  # bytes that show how JSON is written,
SIGNS: Final = 4  # and signs among them: enough for one of each, and for the width of an indentation
_SIGNS = re.compile(rb"[\[{,:]\s*")
_CONTENT = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[^\s\[\]{},:"]+')
_VALUES = msgspec.json.Decoder(msgspec.Raw)

VersionKind = Literal["json", "values", "text", "binary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A document as it is compared: its bytes, and where it is JSON the part of them that is. ``rows`` leads to its
    main table, if the parts of one container are its rows."""

    raw: bytes
    kind: VersionKind
    body: bytes = b""
    rows: Path | None = None

    @property
    def around(self) -> tuple[bytes, bytes]:
        """Return the text before and behind the JSON; none where the JSON stands in a JSON string."""
        if self.raw is self.body:
            return b"", b""
        size, at = len(self.body), self.raw.find(self.body[:SOME])
        while at >= 0 and not self.raw.startswith(self.body, at):
            at = self.raw.find(self.body[:SOME], at + 1)
        return (b"", b"") if at < 0 else (self.raw[:at], self.raw[at + size :])

    @property
    def value(self) -> Value:
        """Return the JSON, or the values that stand one after the other."""
        return self.body.strip() if self.kind == "json" else _VALUES.decode_lines(self.body)

    @property
    def is_comparable(self) -> bool:
        if len(self.raw) <= MOST_PARTS:
            return True
        parts = self.raw.count(b"\n") if self.kind == "text" else self.body.count(b",")
        return len(self.raw) <= LARGEST and parts <= MOST_PARTS


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChanges:
    """Two versions of a text by lines, and the hunks that differ."""

    old: Sequence[bytes]
    new: Sequence[bytes]
    hunks: Sequence[PartChange]

    @classmethod
    def of(cls, old: bytes, new: bytes) -> TextChanges:
        was, now = split_both(old, new)
        return cls(old=was, new=now, hunks=text_changes(old, new))

    @property
    def words(self) -> str:
        return _line_words(counts_of(self.hunks, len(self.old), len(self.new)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that differs between two versions; ``verdict`` says it where it is one of the fixed words."""

    verdict: str = ""
    rows: RowChanges | None = None
    values: Sequence[ValueChange] = ()
    text: TextChanges | None = None
    around: Sequence[TextChanges] = field(default=())

    @property
    def words(self) -> str:
        """Return what differs, in one line of our own words and of paths."""
        if self.verdict:
            return self.verdict
        parts = [] if self.text is None else [self.text.words]
        if self.rows is not None:
            parts.append(_row_words(self.rows))
        if self.values:
            beside = " beside them" if self.rows is not None else ""
            parts.append(_value_words(self.values) + beside)
        parts += [f"in the text around the data {one.words}" for one in self.around if one.hunks]
        return "; ".join(parts)

    def listed(self) -> Iterator[bytes]:
        """Yield all changes, each as one line of JSON."""
        if self.rows is not None:
            yield from map(msgspec.json.encode, _row_items(self.rows))
        for one in self.values:
            yield from map(msgspec.json.encode, _value_items(one))
        for text in [*([] if self.text is None else [self.text]), *self.around]:
            yield from map(msgspec.json.encode, _line_items(text.old, text.new, text.hunks))


def compare_whole(old: Version, new: Version) -> tuple[str, bytes]:
    """Return all that differs, in words and as an array of JSON. Raises a ``CallerError`` for versions that are too
    large to be compared. JSON with half a character in it, which is found late in a large document, is compared as
    text."""
    try:
        changes = compare(old, new)
        return changes.words, b"[" + b",".join(changes.listed()) + b"]"
    except msgspec.MsgspecError:
        as_text = compare(*(Version(raw=one.raw, kind="text") for one in (old, new)))
        return as_text.words, b"[" + b",".join(as_text.listed()) + b"]"


def compare(old: Version, new: Version) -> Comparison:
    """Return all that differs. Raises a ``CallerError`` for versions that are too large to be compared."""
    for one in (old, new):
        if not one.is_comparable:
            raise CallerError(
                f"one of them has {len(one.raw):,} bytes, and very many lines or values",
                do=f"at most {LARGEST:,} bytes and {MOST_PARTS:,} lines or values are compared; "
                "compare the handles of what filter gives of both",
            )
    if (verdict := _verdict(old, new)) is not None:
        return Comparison(verdict=verdict)
    if new.kind == "text":
        return Comparison(text=TextChanges.of(old.raw, new.raw))
    cut = _cut(old, new)
    changes = cut_changes(cut) if isinstance(cut, RowCut) else None
    return _completed(old, new, changes or value_changes(*_written_alike(old, new), _rows(old, new)))


def _cut(old: Version, new: Version) -> RowCut | Start | None:
    """Return the rows in places that differ."""
    path = _rows(old, new)
    if path is None:
        return None
    if old.kind == new.kind == "values" and _are_alike(old, new):
        return cut_rows(old.body.strip(), new.body.strip(), None)
    was, now = _written_alike(old, new)
    return cut_rows(as_one(was), as_one(now), path)


def compare_briefly(old: Version, new: Version, table: Known | None = None) -> str:
    """Return what differs in words, in bounded work: where it takes more, what is the same, or no more than that it
    changed. ``table`` has what is known of the main table of the new version."""
    if (verdict := _verdict(old, new)) is not None:
        return verdict
    if new.kind == "text":
        return _line_words(count_changes(old.raw, new.raw, has_table=table is not None))
    cut, facts = _cut(old, new), table or Known()
    if isinstance(cut, Start):
        return f"{CHANGED}; the first {cut.same:,} of {cut.rows:,} rows are the same" if cut.same > 1 else CHANGED
    if cut is not None:
        changes = cut_changes(cut, facts.is_unique, brief=True)
        return CHANGED if changes is None else _completed(old, new, changes).words
    was, now = old.body, new.body
    spans = differing_spans(was, now, mark_of(now)) if _are_alike(old, new) else []
    is_much = spans is None or len(spans) > MOST_PLACES or facts.rows * SHORT_ROW > len(now)
    known = replace(facts, path=_rows(old, new))
    changes = None if is_much else brief_changes(*_written_alike(old, new), known)
    if changes is not None:
        return _completed(old, new, changes).words
    return f"{CHANGED}; but for {counted(len(spans), 'place')} all is the same" if spans else CHANGED


def _line_words(counts: LineCounts | LinesApart | LineEnds) -> str:
    """Count changed lines in words: ``12 lines added, 3 removed, 985 unchanged``, or where they were added if that is
    all; or what is the same, where they were not counted."""
    match counts:
        case LineEnds():
            return _same_ends(counts)
        case LinesApart():
            return f"{counted(counts.added, 'different line')} only in this one, {counts.removed:,} only in the earlier"
        case LineCounts(at_end=True) if counts.lines:
            return f"{counted(counts.added, 'line')} added at the end of {counts.lines:,}, which are unchanged"
    same = counts.lines - counts.removed
    return f"{counted(counts.added, 'line')} added, {counts.removed:,} removed, {same:,} unchanged"


def _same_ends(ends: LineEnds) -> str:
    """Say which lines at the beginning and at the end are the same."""
    first, last = f"the first {ends.first:,}", f"the last {ends.last:,}"
    both = " and ".join(words for words, count in ((first, ends.first), (last, ends.last)) if count > 1)
    return f"{CHANGED}; of {ends.lines:,} lines {both} are the same" if both else CHANGED


def _verdict(old: Version, new: Version) -> str | None:
    """Return what is said of versions that have no parts to compare."""
    if old.raw == new.raw:
        return UNCHANGED
    was, now = ("JSON" if one.kind in ("json", "values") else one.kind for one in (old, new))
    if was != now:
        return f"all of it: it was {was}, and is {now}"
    return f"all of it: other {now} data" if now == "binary" else None


def _written_alike(old: Version, new: Version) -> tuple[Value, Value]:
    """Return the JSON of both; without white space, if that is not the same in both."""
    was, now = old.value, new.value
    return (was, now) if _are_alike(old, new) else (minify(as_one(was)), minify(as_one(now)))


def _are_alike(old: Version, new: Version) -> bool:
    """Tell whether the JSON of both is written with the same white space, as its beginning tells."""
    return _style(old.body) == _style(new.body)


def _rows(old: Version, new: Version) -> Path | None:
    return new.rows if old.rows == new.rows else None


def _completed(old: Version, new: Version, changes: tuple[list[ValueChange], RowChanges | None]) -> Comparison:
    """Return the changes of JSON with those of the text around it."""
    values, rows = changes
    around = [TextChanges.of(one, other) for one, other in zip(old.around, new.around, strict=True)]
    if not values and not any(one.hunks for one in around) and (rows is None or rows.is_rewritten):
        return Comparison(verdict=REWRITTEN)
    return Comparison(rows=rows, values=values, around=around)


def _style(value: bytes) -> frozenset[bytes]:
    """Return how JSON is written, as its beginning tells: with which white space behind which signs, up to a level."""
    return frozenset(_SIGNS.findall(_CONTENT.sub(b"", value[:STYLED]))[:SIGNS])


def _minified(value: bytes) -> msgspec.Raw:
    return msgspec.Raw(minify(value))


def _row_words(rows: RowChanges) -> str:
    match = rows.alignment
    if match.is_open:
        words = f"{counted(len(match.added), 'row')} only in this one, {len(match.removed):,} only in the earlier, "
        return f"{words}{match.same:,} in both"
    changed = rows.count_changed()
    same = match.same + len(match.pairs) - changed
    words = f"{counted(len(match.added), 'row')} added, {len(match.removed):,} removed, {changed:,} changed, "
    words += f"{same:,} unchanged"
    if match.key is not None and changed:
        words += ", told apart by key" if match.key == (KEY,) else f", told apart by {shorten(render(match.key))}"
    return words + (", in another order" if match.moved else "")


def _value_words(values: Sequence[ValueChange]) -> str:
    texts = [one for one in values if one.hunks]
    if len(texts) == 1 == len(values):
        return f"in {shorten(render(texts[0].path))} {_text_changes(texts[0]).words}"
    moved = sum(one.is_moved for one in values)
    added = sum(one.old is None for one in values) - moved
    removed = sum(one.new is None for one in values) - moved
    changed = len(values) - added - removed - moved
    words = f"{counted(changed, 'value')} changed, {added:,} added, {removed:,} removed"
    return words + (f", {counted(moved, 'array')} in another order" if moved else "")


def _row_items(rows: RowChanges) -> Iterator[dict[str, Any]]:
    match, numbers, new_numbers = rows.alignment, rows.numbers, rows.new_numbers
    for one, other, changes in rows.changed():
        item: dict[str, Any] = {"op": "changed", "row": new_numbers[other] + 1}
        if numbers[one] != new_numbers[other]:
            item["was_row"] = numbers[one] + 1
        item |= {"key": rows.new_names[other]} if rows.new_names else _key_of(rows.new[other], match.key)
        inside = chain.from_iterable(map(_value_items, changes))
        yield {**item, "values": [{name: value for name, value in change.items() if name != "op"} for change in inside]}
    for at in match.added:
        named = {"key": rows.new_names[at]} if rows.new_names else {}
        yield {"op": "added", "row": new_numbers[at] + 1, **named, "now": _minified(rows.new[at])}
    for at in match.removed:
        named = {"key": rows.old_names[at]} if rows.old_names else {}
        yield {"op": "removed", "was_row": numbers[at] + 1, **named, "was": _minified(rows.old[at])}
    if match.moved:
        yield {"op": "moved", "note": "rows that are in both stand in another order"}


def _key_of(row: bytes, key: Path | None) -> dict[str, Any]:
    """Return the key of a row, as it stands there."""
    if key is None:
        return {}
    value = msgspec.Raw(row)
    for step in key:
        value = msgspec.json.decode(value, type=dict[str, msgspec.Raw])[str(step)]
    return {"key": value}


def _value_items(one: ValueChange) -> Iterator[dict[str, Any]]:
    path = render(one.path)
    if one.is_moved:
        yield {"op": "moved", "path": path, "note": "its items stand in another order"}
    elif one.hunks:
        text = _text_changes(one)
        yield from ({"path": path, **item} for item in _line_items(text.old, text.new, text.hunks))
    else:
        item: dict[str, Any] = {"op": "changed" if one.old and one.new else "added" if one.new else "removed"}
        item["path"] = path
        if one.old and one.new and one.old_path != one.path:
            item["was_path"] = render(one.old_path)
        item |= {} if one.old is None else {"was": _minified(one.old)}
        yield item | ({} if one.new is None else {"now": _minified(one.new)})


def _text_changes(one: ValueChange) -> TextChanges:
    """Return the changes of a text in a string by lines."""
    old, new = split_both(unquote_to_bytes(one.old or b""), unquote_to_bytes(one.new or b""))
    return TextChanges(old=old, new=new, hunks=one.hunks)


def _line_items(old: Sequence[bytes], new: Sequence[bytes], hunks: Sequence[PartChange]) -> Iterator[dict[str, Any]]:
    for hunk in hunks:
        for first in range(0, max(len(hunk.old), len(hunk.new)), MOST_LINES):
            was, now = (one[first : first + MOST_LINES] for one in hunk)
            item: dict[str, Any] = {"op": "changed" if was and now else "added" if now else "removed"}
            item |= {"line": now.start + 1} if now else {}
            item |= {"was_line": was.start + 1} if was and (not now or was.start != now.start) else {}
            item |= {"was": [_text(old[at]) for at in was]} if was else {}
            yield item | ({"now": [_text(new[at]) for at in now]} if now else {})


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")
