"""Put two versions of an array beside each other: the same items, changed ones, added and removed ones.

Items are the same by their bytes. Of the others those are one item, changed, that have the same key; or, where there
is no key, those that stand at the same places, if all do. What is left was added or removed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from operator import lt
from typing import TYPE_CHECKING, Final

from penstock.core.changes.keys import find_key
from penstock.core.changes.lines import common_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.changes.keys import IsUnique
    from penstock.core.json.path import Path

FEW: Final = 65_536  # bytes of items that differ, for which pairs are always looked for;
SHARE: Final = 4  # else one byte in so many may differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The items of two arrays that belong together, by their numbers from 0. ``pairs`` differ, ``same`` is how many do
    not; ``moved`` tells that items which are in both do not follow each other as before. ``key`` is what pairs have in
    common; None if they only stand at the same place. Where it ``is_open``, added and removed items may be pairs."""

    pairs: tuple[tuple[int, int], ...] = ()
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    same: int = 0
    moved: bool = False
    key: Path | None = None
    is_open: bool = False


def align(
    old: Sequence[bytes],
    new: Sequence[bytes],
    all_new: bytes,
    *,
    is_unique: IsUnique | None = None,
    brief: bool = False,
) -> Alignment:
    """Return which items belong together. ``all_new`` is the array that the new items are of, ``is_unique`` tells what
    is known of its columns. A ``brief`` alignment has no pairs where many items differ."""
    first, last = common_ends(old, new)
    in_old, in_new = range(first, len(old) - last), range(first, len(new) - last)
    places = _same_places(old[first : in_old.stop], new[first : in_new.stop], first)
    taken = set(places)
    old_left = [at for at in in_old if at not in taken]
    new_left = [at for at, place in zip(in_new, places, strict=True) if place is None]
    both = len(new) - len(new_left)
    key = None
    old_items, new_items = [old[at] for at in old_left], [new[at] for at in new_left]
    size = sum(map(len, old_items)) + sum(map(len, new_items))
    is_open = bool(brief and old_left and new_left and size > max(FEW, len(all_new) // SHARE))
    if old_left and new_left and not is_open:
        found = find_key(old_items, new_items, all_new, is_unique)
        if found is not None:
            key = found.path
            there = dict(zip(found.old, old_left, strict=True))
            for at, value in zip(new_left, found.new, strict=True):
                places[at - first] = there.get(value)
        elif old_left == new_left:
            for at in new_left:
                places[at - first] = at
    pairs = [(place, at) for at in new_left if (place := places[at - first]) is not None]
    paired = {place for place, _ in pairs}
    in_order = [place for place in places if place is not None]
    return Alignment(
        pairs=tuple(pairs),
        added=tuple(at for at in new_left if places[at - first] is None),
        removed=tuple(at for at in old_left if at not in paired),
        same=both,
        moved=not all(map(lt, in_order, in_order[1:])),
        key=key,
        is_open=is_open,
    )


def _same_places(old: Sequence[bytes], new: Sequence[bytes], first: int) -> list[int | None]:
    """Return the number of the same item among the old ones, for each of the new ones; None where there is none. Of
    several that are alike the first belong together."""
    places = dict(zip(reversed(old), range(first + len(old) - 1, first - 1, -1), strict=True))
    found = list(map(places.get, new))
    hits = [place for place in found if place is not None]
    if len(places) == len(old) and len(set(hits)) == len(hits):
        return found
    there: dict[bytes, deque[int]] = {}
    for at, item in enumerate(old, first):
        there.setdefault(item, deque()).append(at)
    return [waiting.popleft() if (waiting := there.get(item)) else None for item in new]
