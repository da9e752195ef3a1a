"""Put two versions of an array beside each other: the same items, changed ones, added and removed ones.

Items are the same by their bytes. Of the others those are one item, changed, that have the same key; or, where there
is no key, those that stand at the same places, if all do. What is left was added or removed.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from itertools import compress, count, islice, repeat
from operator import is_, lt, not_
from typing import TYPE_CHECKING, Final
from zlib import adler32

from penstock.core.changes.keys import find_key
from penstock.core.changes.steps import in_step, trimmed

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Left:
    """The items that are in one array only. ``places`` are the numbers of the same items in the old array by those in
    the new one: of all, or where these follow each other, of those beside what differs."""

    old: list[int]
    new: list[int]
    places: dict[int, int]


def align(
    old: Sequence[bytes],
    new: Sequence[bytes],
    *,
    is_unique: IsUnique | None = None,
    brief: bool = False,
    all_new: Sequence[bytes] | None = None,
) -> Alignment:
    """Return which items belong together. ``is_unique`` tells what is known of columns of the new ones. A ``brief``
    alignment has no pairs where many items differ. ``all_new`` are all items, where the new ones are some of them."""
    all_new = new if all_new is None else all_new
    left = _left(old, new)
    old_items, new_items = _items_at(old, left.old), _items_at(new, left.new)
    is_open = bool(brief and old_items and new_items and _is_much(old_items, new_items, all_new))
    key, pairs = None, dict[int, int]()
    if old_items and new_items and not is_open:
        match = find_key(old_items, new_items, all_new, is_unique)
        if match is not None:
            key = match.path
            there = dict(zip(match.old, left.old, strict=True))
            pairs = {at: there[one] for at, one in zip(left.new, match.new, strict=True) if one in there}
        elif left.old == left.new:
            pairs = dict(zip(left.new, left.old, strict=True))
    paired = set(pairs.values())
    in_order = [place for _, place in sorted((left.places | pairs).items())]
    return Alignment(
        pairs=tuple((place, at) for at, place in pairs.items()),
        added=tuple(at for at in left.new if at not in pairs) if pairs else tuple(left.new),
        removed=tuple(at for at in left.old if at not in paired) if pairs else tuple(left.old),
        same=len(new) - len(left.new),
        moved=not all(map(lt, in_order, islice(in_order, 1, None))),
        key=key,
        is_open=is_open,
    )


def _items_at(items: Sequence[bytes], numbers: list[int]) -> Sequence[bytes]:
    return items if len(numbers) == len(items) else list(map(items.__getitem__, numbers))


def _is_much(old: Sequence[bytes], new: Sequence[bytes], all_new: Sequence[bytes]) -> bool:
    """Tell whether items that differ are too many bytes to look for pairs in them."""
    size = sum(map(len, new))
    whole = size if new is all_new else sum(map(len, all_new))
    size += sum(map(len, old))
    return size > FEW and size * SHARE > whole


def _left(old: Sequence[bytes], new: Sequence[bytes]) -> _Left:
    """Return the items that are in one array only: those between which both go on alike, if none of them was moved, or
    those that are nowhere in the other."""
    whole = trimmed(old, new)
    hunks = in_step(old, new, whole)
    if hunks is not None:
        in_old, in_new = ([at for hunk in hunks for at in hunk[side]] for side in (0, 1))
        if {bytes(old[at]) for at in in_old}.isdisjoint(bytes(new[at]) for at in in_new):
            beside = {hunk.new.start - 1: hunk.old.start - 1 for hunk in hunks}
            return _Left(old=in_old, new=in_new, places=beside | {hunk.new.stop: hunk.old.stop for hunk in hunks})
    first, second = whole.old.start, whole.new.start
    numbers = _same_places(old[first : whole.old.stop], new[second : whole.new.stop])
    if numbers is None:
        return _Left(old=list(whole.old), new=list(whole.new), places={})
    places = {at: first + number for at, number in enumerate(numbers, second) if number is not None}
    taken = set(places.values())
    return _Left(
        old=list(compress(whole.old, map(not_, map(taken.__contains__, whole.old)))),
        new=list(compress(whole.new, map(is_, numbers, repeat(None)))),
        places=places,
    )


def _same_places(old: Sequence[bytes], new: Sequence[bytes]) -> list[int | None] | None:
    """Return the number of the same item among the old ones, for each of the new ones; None where there is none. Of
    several that are alike the first belong together. None if it is plain that no item is in both.

    Items are looked for by their checksums, which take a third of the time, and then compared. Those that share theirs
    with another of the same array are looked for by their bytes."""
    sums, new_sums = list(map(adler32, old)), list(map(adler32, new))
    if set(sums).isdisjoint(new_sums):
        return None
    places = dict(zip(sums, range(len(old)), strict=True))
    likely = map(places.get, new_sums)
    numbers = [None if at is None or old[at] != item else at for at, item in zip(likely, new, strict=True)]
    several = _several(sums) | _several(new_sums)
    there: dict[bytes, deque[int]] = {}
    for at in compress(count(), map(several.__contains__, sums)):
        there.setdefault(bytes(old[at]), deque()).append(at)
    for at in compress(count(), map(several.__contains__, new_sums)):
        waiting = there.get(bytes(new[at]))
        numbers[at] = waiting.popleft() if waiting else None
    return numbers


def _several(sums: list[int]) -> set[int]:
    """Return the numbers that are in a list several times."""
    if len(set(sums)) == len(sums):
        return set()
    return {one for one, times in Counter(sums).items() if times > 1}
