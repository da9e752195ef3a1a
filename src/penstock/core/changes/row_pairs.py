"""Compare two versions of a table: which rows are the same, changed, added or removed.

Rows with the same content are the same row. Of the others, two are versions of one row if they have the same key: a
column that identifies the rows of both tables. Without such a column, rows at the same position are versions of one
row if all other rows stayed where they were. The remaining rows were added or removed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Raw

from penstock.core.changes.lines import common_ends
from penstock.core.changes.words import signed_counts
from penstock.core.json.path import KEY, render
from penstock.core.json.scan import items
from penstock.core.json.strings import quote_exactly, unquote
from penstock.core.tables.roles import KEY_ROLES, named_role
from penstock.core.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.core.json.path import Path

MAX_LEVELS: Final = 32  # Levels of nesting in which the order of members makes no difference. Python recurses for each.
MAX_KEY_LEVELS: Final = 3  # Levels of objects in which a key is looked for, such as ``metadata.uid``.
MAX_KEY_SIZE: Final = 255  # Bytes of a key. Longer texts are contents.

MEMBERS: Final = msgspec.json.Decoder(dict[str, Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChanges:
    """Two versions of a table. ``changed``, ``added`` and ``removed`` have the positions of rows, from 0.

    ``is_reordered`` is True if rows that both versions have do not follow each other as before. ``key`` is the column
    that identifies changed rows; ``old_names`` and ``new_names`` are those of rows that are members of a map.
    """

    old: Sequence[bytes]
    new: Sequence[bytes]
    changed: Sequence[tuple[int, int]] = ()
    added: Sequence[int] = ()
    removed: Sequence[int] = ()
    is_reordered: bool = False
    key: Path | None = None
    old_names: Sequence[str] = ()
    new_names: Sequence[str] = ()

    @property
    def has_changes(self) -> bool:
        """Return True if any row differs or moved."""
        return bool(self.changed or self.added or self.removed or self.is_reordered)

    def key_of(self, at: int) -> str | Raw | None:
        """Return what identifies a row of the new version: its name in a map, or the value of its key column."""
        if self.new_names:
            return self.new_names[at]
        value = None if self.key is None else _value_at(self.new[at], self.key)
        return None if value is None else Raw(value)

    @property
    def words(self) -> str:
        """Count the changes in words."""
        same = len(self.new) - len(self.added) - len(self.changed)
        words = f"{signed_counts('row', len(self.added), len(self.removed), len(self.changed))}, {same:,} unchanged"
        if self.changed and self.key is not None:
            words += f", matched by {'key' if self.key == (KEY,) else shorten(render(self.key))}"
        return words + (", in another order" if self.is_reordered else "")


def match_rows(old: Sequence[bytes], new: Sequence[bytes]) -> RowChanges:
    """Compare two arrays of minified JSON values."""
    first, last = common_ends(old, new)
    pairs = {at: at for at in range(first)}
    pairs |= {len(new) - at: len(old) - at for at in range(last, 0, -1)}
    old_left, new_left = _pair_equal(range(first, len(old) - last), range(first, len(new) - last), pairs, old, new)
    if old_left and new_left:
        plain_old = {at: canonical(old[at]) for at in old_left}
        plain_new = {at: canonical(new[at]) for at in new_left}
        old_left, new_left = _pair_equal(old_left, new_left, pairs, plain_old, plain_new)
    found = _with_versions_paired(RowChanges(old=old, new=new, added=new_left, removed=old_left))
    pairs |= {other: one for one, other in found.changed}
    in_order = [place for _, place in sorted(pairs.items())]
    return replace(found, is_reordered=any(one > other for one, other in pairwise(in_order)))


def _pair_equal(
    old_left: Sequence[int],
    new_left: Sequence[int],
    pairs: dict[int, int],
    old: Sequence[bytes] | Mapping[int, bytes],
    new: Sequence[bytes] | Mapping[int, bytes],
) -> tuple[list[int], list[int]]:
    """Add pairs of equal rows to ``pairs``, new position to old. Return the positions of the rows that remain."""
    waiting: defaultdict[bytes, deque[int]] = defaultdict(deque)
    for at in old_left:
        waiting[old[at]].append(at)
    remaining = []
    for at in new_left:
        if same := waiting.get(new[at]):
            pairs[at] = same.popleft()
        else:
            remaining.append(at)
    return sorted(at for places in waiting.values() for at in places), remaining


def _with_versions_paired(found: RowChanges) -> RowChanges:
    """Return the changes with added and removed rows paired if they are versions of one row."""
    if not found.added or not found.removed:
        return found
    by_key = _best_key(found)
    if by_key is not None:
        return by_key
    if found.added == found.removed:
        return replace(found, changed=[(at, at) for at in found.added], added=(), removed=())
    return found


def _best_key(found: RowChanges) -> RowChanges | None:
    """Pair rows by a column that identifies the rows of both versions: the first that at least half of the rows share
    that could be pairs, or else the one that most share."""
    best: RowChanges | None = None
    enough = min(len(found.added), len(found.removed)) / 2
    for path in _key_columns(found.old[found.removed[0]]):
        paired = _paired_by(path, found)
        if paired is not None and (best is None or len(paired.changed) > len(best.changed)):
            best = paired
        if best is not None and len(best.changed) >= enough:
            break
    return best


def _paired_by(path: Path, found: RowChanges) -> RowChanges | None:
    """Pair added and removed rows that have the same key. None if there are none, or if the key does not identify all
    rows of both versions."""
    removed = _places_by_key(found.old, found.removed, path)
    added = _places_by_key(found.new, found.added, path)
    if removed is None or added is None or removed.keys().isdisjoint(added):
        return None
    every_old = _places_by_key(found.old, range(len(found.old)), path)
    every_new = _places_by_key(found.new, range(len(found.new)), path)
    if every_old is None or every_new is None:
        return None
    in_both = [key for key in added if key in removed]
    left_old = set(found.removed) - {removed[key] for key in in_both}
    left_new = set(found.added) - {added[key] for key in in_both}
    pairs = [(removed[key], added[key]) for key in in_both]
    return replace(found, changed=pairs, added=sorted(left_new), removed=sorted(left_old), key=path)


def _key_columns(row: bytes) -> list[Path]:
    """Return the columns of a row whose names say that they identify it, the best first."""
    paths = [path for path in _scalar_paths(row, ()) if named_role(str(path[-1])) in KEY_ROLES]

    def rank(path: Path) -> tuple[int, int]:
        role = named_role(str(path[-1]))
        return KEY_ROLES.index(role) if role is not None else len(KEY_ROLES), len(path)

    return sorted(paths, key=rank)


def _scalar_paths(value: bytes, path: Path) -> Iterator[Path]:
    if value[:1] != b"{" or len(path) == MAX_KEY_LEVELS:
        return
    for name, inner in MEMBERS.decode(value).items():
        if _is_key(bytes(inner)):
            yield (*path, name)
        else:
            yield from _scalar_paths(bytes(inner), (*path, name))


def _is_key(value: bytes) -> bool:
    """Return True if a value can identify a row: a short text or a whole number."""
    if len(value) > MAX_KEY_SIZE:
        return False
    return value[:1] == b'"' or value.removeprefix(b"-").isdigit()


def _places_by_key(rows: Sequence[bytes], places: Sequence[int], path: Path) -> dict[bytes, int] | None:
    """Return the positions of rows by their values at a path; None if the values do not identify these rows."""
    by_key: dict[bytes, int] = {}
    for at in places:
        key = _value_at(rows[at], path)
        if key is None or not _is_key(key) or key in by_key:
            return None
        by_key[key] = at
    return by_key


def _value_at(row: bytes, path: Path) -> bytes | None:
    value = row
    for step in path:
        if value[:1] != b"{":
            return None
        inner = MEMBERS.decode(value).get(str(step))
        if inner is None:
            return None
        value = bytes(inner)
    return value


def match_members(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> RowChanges:
    """Compare two maps whose members are rows."""
    old_names, new_names = list(old), list(new)
    places = {name: at for at, name in enumerate(old_names)}
    in_both = [(places[name], at) for at, name in enumerate(new_names) if name in old]
    old_rows, new_rows = list(old.values()), list(new.values())
    return RowChanges(
        old=old_rows,
        new=new_rows,
        changed=[(one, at) for one, at in in_both if not same_value(old_rows[one], new_rows[at])],
        added=[at for at, name in enumerate(new_names) if name not in old],
        removed=[at for at, name in enumerate(old_names) if name not in new],
        key=(KEY,),
        old_names=old_names,
        new_names=new_names,
    )


def same_value(old: bytes, new: bytes) -> bool:
    """Return True if two minified values are the same, however their texts are escaped and their members ordered."""
    return old == new or canonical(old) == canonical(new)


def canonical(value: bytes, levels: int = MAX_LEVELS) -> bytes:
    """Return a minified value with sorted members and without unusual escapes. Numbers stay as they are written."""
    if value[:1] == b'"':
        return quote_exactly(unquote(value)) if b"\\" in value else value
    if value[:1] not in (b"{", b"[") or not levels:
        return value
    if value[:1] == b"[":
        return b"[" + b",".join(canonical(item, levels - 1) for item in items(value)) + b"]"
    members = sorted(MEMBERS.decode(value).items())
    written = [quote_exactly(name) + b":" + canonical(bytes(inner), levels - 1) for name, inner in members]
    return b"{" + b",".join(written) + b"}"
