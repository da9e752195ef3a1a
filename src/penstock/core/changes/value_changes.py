"""Compare two JSON values: which parts were added, removed and changed, and where.

Numbers are compared as they are written: ``1`` is not ``1.0``, and no digit of a large number is lost. White space, the
order of an object's members and the way in which a text is escaped make no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.changes.lines import line_changes
from penstock.core.changes.row_pairs import MAX_LEVELS, MEMBERS, match_rows, same_value
from penstock.core.changes.words import signed_counts
from penstock.core.json.path import render
from penstock.core.json.scan import items
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.text import counted, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.changes.lines import LineChanges
    from penstock.core.json.path import Path

MIN_LINES: Final = 4  # Line breaks in a string from which on it is compared as a text. A shorter one is shown whole.


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """One difference. ``path`` leads to it in the new value, or in the old one if it was removed.

    ``old`` and ``new`` are JSON, and None where there is nothing. ``lines`` are the changes of a long text.
    ``is_reordered`` means that the items at the path are in another order and otherwise the same.
    """

    path: Path
    old_path: Path
    old: bytes | None = None
    new: bytes | None = None
    lines: LineChanges | None = None
    is_reordered: bool = False


def value_changes(old: bytes, new: bytes, path: Path = (), old_path: Path = ()) -> Iterator[ValueChange]:
    """Yield what differs between two minified values."""
    if old == new:
        return
    kinds = old[:1] + new[:1]
    if kinds in (b"{{", b"[[") and len(path) >= MAX_LEVELS:
        if not same_value(old, new):
            yield ValueChange(path=path, old_path=old_path, old=old, new=new)
    elif kinds == b"{{":
        yield from _member_changes(old, new, path, old_path)
    elif kinds == b"[[":
        yield from _item_changes(old, new, path, old_path)
    elif kinds == b'""':
        yield from _text_changes(old, new, path, old_path)
    else:
        yield ValueChange(path=path, old_path=old_path, old=old, new=new)


def _member_changes(old: bytes, new: bytes, path: Path, old_path: Path) -> Iterator[ValueChange]:
    before, after = MEMBERS.decode(old), MEMBERS.decode(new)
    for name, value in before.items():
        if name not in after:
            gone = (*old_path, name)
            yield ValueChange(path=gone, old_path=gone, old=bytes(value))
    for name, value in after.items():
        earlier = before.get(name)
        if earlier is None:
            yield ValueChange(path=(*path, name), old_path=(*old_path, name), new=bytes(value))
        else:
            yield from value_changes(bytes(earlier), bytes(value), (*path, name), (*old_path, name))


def _item_changes(old: bytes, new: bytes, path: Path, old_path: Path) -> Iterator[ValueChange]:
    rows = match_rows(items(old), items(new))
    for at in rows.removed:
        gone = (*old_path, at)
        yield ValueChange(path=gone, old_path=gone, old=rows.old[at])
    for at in rows.added:
        yield ValueChange(path=(*path, at), old_path=(*old_path, at), new=rows.new[at])
    for one, at in rows.changed:
        yield from value_changes(rows.old[one], rows.new[at], (*path, at), (*old_path, one))
    if rows.is_reordered:
        yield ValueChange(path=path, old_path=old_path, is_reordered=True)


def _text_changes(old: bytes, new: bytes, path: Path, old_path: Path) -> Iterator[ValueChange]:
    before, after = unquote_to_bytes(old), unquote_to_bytes(new)
    if before == after:
        return
    is_long = min(before.count(b"\n"), after.count(b"\n")) >= MIN_LINES
    lines = line_changes(before, after) if is_long else None
    yield ValueChange(path=path, old_path=old_path, old=old, new=new, lines=lines)


def count_in_words(changes: Sequence[ValueChange]) -> str:
    """Count the changes in words. The only change of all, in a long text, is counted in lines."""
    if len(changes) == 1 and changes[0].lines is not None:
        return f"in {shorten(render(changes[0].path))} {changes[0].lines.words}"
    reordered = sum(change.is_reordered for change in changes)
    added = sum(change.old is None for change in changes) - reordered
    removed = sum(change.new is None for change in changes) - reordered
    changed = len(changes) - added - removed - reordered
    parts = [signed_counts("value", added, removed, changed)] if added or removed or changed else []
    parts += [f"{counted(reordered, 'array')} in another order"] if reordered else []
    return ", ".join(parts)
