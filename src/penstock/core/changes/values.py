"""Compare two JSON values: what was added, removed and changed, and where.

Values are compared as they are written: ``1`` is not ``1.0``, and no digit of a large number is lost. White space, the
order of an object's members, and the way in which a text is escaped make no difference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Final
from zlib import adler32

import msgspec
from msgspec import Raw

from penstock.core.changes.cut import take_members, take_rows
from penstock.core.changes.lines import text_changes
from penstock.core.changes.rows import Alignment, align
from penstock.core.json.path import KEY
from penstock.core.json.scan import items, minify
from penstock.core.json.strings import unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from penstock.core.changes.cut import RowCut
    from penstock.core.changes.keys import IsUnique
    from penstock.core.changes.steps import PartChange
    from penstock.core.json.path import Path, Step

    Value = bytes | list[Raw]
    """One value, or several that stand one after the other, which are compared as the items of an array."""

MOST_ROWS: Final = 1 << 40  # rows that can be numbered
MOST_LEVELS: Final = 32  # levels that are looked into; what lies deeper differs as a whole
MOST_TIMES: Final = 8  # times that all bytes are read; then what is left differs as a whole
BRIEF_TIMES: Final = 2  # the same in a brief comparison
LONG_TEXT: Final = 200  # bytes from which on a text of several lines is compared line by line
ITEM_TIMES: Final = 2  # times that all bytes of items could be read in the time that it takes to put them side by side
PAIR: Final = 400  # bytes that could be read in the time that it takes to compare two short values
FREE: Final = 65_536  # bytes that are read in any case: what is small may be deep
FEW: Final = 16  # members of a map that changed, which are always compared in pairs;
SHARE: Final = 4  # else one in so many may have changed
SUM: Final = 0xFFFF  # the half of an Adler-32 checksum that is the sum of all bytes, whatever their order

_MEMBERS = msgspec.json.Decoder(dict[str, Raw])  # values are not copied: most of them are only compared
_ITEMS = msgspec.json.Decoder(list[Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """One difference. ``path`` leads to it: in the old value if it was removed, else in the new one, and ``old_path``
    in the old one. ``old`` and ``new`` are JSON, None where there is nothing. ``hunks`` are the lines that differ,
    where both are long texts; ``is_moved`` tells that items at the path stand in another order, and nothing else."""

    path: Path
    old_path: Path
    old: bytes | None = None
    new: bytes | None = None
    hunks: tuple[PartChange, ...] = ()
    is_moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChanges:
    """Two versions of the rows of a document, and which of them belong together. Members of a map have their keys as
    ``old_names`` and ``new_names``. Where they are only some rows, ``numbers`` and ``new_numbers`` are theirs."""

    old: Sequence[bytes]
    new: Sequence[bytes]
    alignment: Alignment
    numbers: Sequence[int] = range(MOST_ROWS)
    new_numbers: Sequence[int] = range(MOST_ROWS)
    old_names: Sequence[str] = ()
    new_names: Sequence[str] = ()

    def changed(self) -> Iterator[tuple[int, int, tuple[ValueChange, ...]]]:
        """Yield the pairs of rows that differ in value, and how."""
        walk = _Walk(sum(map(len, self.old)) + sum(map(len, self.new)))
        for (one, other), old, new in zip(self.alignment.pairs, *self._minified_pairs(), strict=True):
            changes = tuple(walk.pair(Raw(old), Raw(new)))
            if changes or _has_others(old, new):
                yield one, other, changes or (ValueChange(path=(), old_path=(), old=old, new=new),)

    def count_changed(self) -> int:
        """Return how many rows differ in value."""
        return sum(map(_differ, *self._minified_pairs()))

    @property
    def is_rewritten(self) -> bool:
        """Return whether no row differs in value, and all stand where they did."""
        rows = self.alignment
        if rows.added or rows.removed or rows.moved:
            return False
        return not any(_differ(minify(self.old[one]), minify(self.new[other])) for one, other in rows.pairs)

    def _minified_pairs(self) -> tuple[list[bytes], list[bytes]]:
        """Return the rows that are pairs, without white space."""
        pairs = self.alignment.pairs
        return _minified(self.old[one] for one, _ in pairs), _minified(self.new[other] for _, other in pairs)


def _minified(rows: Iterable[bytes]) -> list[bytes]:
    """Take the white space out of many rows at once."""
    return items(minify(_array(rows)))


def _array(values: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _differ(old: bytes, new: bytes) -> bool:
    """Tell whether two rows without white space differ in value."""
    return old != new and (_has_others(old, new) or not same_value(old, new))


def _has_others(old: bytes, new: bytes) -> bool:
    """Tell at once that two values without white space differ, where they are not made of the same bytes in any order:
    members in another order are. Escapes are looked at one by one. The same key twice in an object counts, though no
    value differs."""
    is_other = len(old) != len(new) or (adler32(old) ^ adler32(new)) & SUM
    return bool(is_other) and b"\\" not in old and b"\\" not in new


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The known facts about the rows of a document: their path, how many the new one has, and what ``is_unique`` tells
    of their columns."""

    path: Path | None = None
    rows: int = 0
    is_unique: IsUnique | None = None


def value_changes(old: Value, new: Value, rows: Path | None = None) -> tuple[list[ValueChange], RowChanges | None]:
    """Return all differences of two values, and apart from them those of the rows at a path, if there are rows in
    both."""
    walk = _Walk(_size(old) + _size(new), Known(path=rows))
    return list(walk.changes(old, new)), walk.rows


def brief_changes(old: Value, new: Value, known: Known) -> tuple[list[ValueChange], RowChanges | None] | None:
    """Return the same in bounded time: rows without pairs where many differ, and None where there is too much to
    read."""
    walk = _Walk(_size(old) + _size(new), known, times=BRIEF_TIMES)
    changes = list(walk.changes(old, new))
    return None if walk.is_exhausted else (changes, walk.rows)


def cut_changes(
    cut: RowCut, is_unique: IsUnique | None = None, *, brief: bool = False
) -> tuple[list[ValueChange], RowChanges | None] | None:
    """Return the same for rows that were cut out of two documents, and for what is around them. None where a ``brief``
    comparison has too much to read there."""
    times = BRIEF_TIMES if brief else MOST_TIMES
    walk = _Walk(sum(map(len, cut.around)), Known(is_unique=is_unique), times=times)
    rows = walk.aligned(cut.old, cut.new, all_new=cut.all_new)
    match = replace(rows.alignment, same=rows.alignment.same + cut.same)
    rows = replace(rows, alignment=match, numbers=cut.numbers, new_numbers=cut.new_numbers)
    changes = list(walk.pair(Raw(cut.around[0]), Raw(cut.around[1]))) if cut.around[0] else []
    return None if brief and walk.is_exhausted else (changes, rows)


def _size(value: Value) -> int:
    return sum(map(len, value)) if isinstance(value, list) else len(value)


def as_one(value: Value) -> bytes:
    """Return values that stand one after the other as an array."""
    return _array(value) if isinstance(value, list) else value


def same_value(old: bytes, new: bytes) -> bool:
    """Tell whether two values are the same, however they are written."""
    return next(_Walk(len(old) + len(new)).pair(Raw(old), Raw(new)), None) is None


_UNKNOWN: Final = Known()


class _Walk:
    """One comparison. What it may read is bounded; ``rows`` are found on the way."""

    def __init__(self, size: int, known: Known = _UNKNOWN, *, times: int = MOST_TIMES) -> None:
        self._left = FREE + times * size
        self._known = known
        self._is_brief = times < MOST_TIMES
        self.rows: RowChanges | None = None

    @property
    def is_exhausted(self) -> bool:
        return self._left < 0

    def changes(self, old: Value, new: Value) -> Iterator[ValueChange]:
        """Yield what differs between two values."""
        if isinstance(old, list) and isinstance(new, list):
            return self._items(old, new, (), ())
        was, now = as_one(old), as_one(new)
        envelope, other = take_rows(was, self._known.path or ()), take_rows(now, self._known.path or ())
        if envelope is None or other is None:
            return self._around_members(was, now)
        self.rows = self.aligned(envelope[0], other[0], all_new=other[0])
        self._known = _UNKNOWN
        return self.pair(Raw(envelope[1]), Raw(other[1]))

    def _around_members(self, was: bytes, now: bytes) -> Iterator[ValueChange]:
        """Yield what differs between two documents; the members of the map with the rows are taken out of them."""
        path = self._known.path or ()
        old, new = take_members(was, path), take_members(now, path)
        if old is None or new is None:
            return self.pair(Raw(was), Raw(now))
        self.rows = _by_member(old[0], new[0], brief=self._is_brief)
        self._known = _UNKNOWN
        return self.pair(Raw(old[1]), Raw(new[1]))

    def pair(self, old: Raw, new: Raw, path: Path = (), old_path: Path = ()) -> Iterator[ValueChange]:
        """Yield what differs between two values at these paths."""
        kinds = _first(old) + _first(new)
        if old == new and not (self._leads_to_rows(path) and kinds in (b"{{", b"[[")):
            return
        self._left -= len(old) + len(new) + PAIR
        may_enter = len(path) < MOST_LEVELS and not self.is_exhausted
        if kinds == b"{{" and may_enter:
            yield from self._members(_MEMBERS.decode(old), _MEMBERS.decode(new), path, old_path)
        elif kinds == b"[[" and may_enter:
            yield from self._items(_ITEMS.decode(old), _ITEMS.decode(new), path, old_path)
        else:
            yield from _whole_change(bytes(old), bytes(new), path, old_path)

    def _leads_to_rows(self, path: Path) -> bool:
        return self._known.path is not None and path == self._known.path[: len(path)]

    def _next_step(self, path: Path) -> Step | None:
        """Return the step from a path to the rows; None where none leads there."""
        rows = self._known.path or ()
        return rows[len(path)] if len(path) < len(rows) and self._leads_to_rows(path) else None

    def _members(
        self, old: Mapping[str, Raw], new: Mapping[str, Raw], path: Path, old_path: Path
    ) -> Iterator[ValueChange]:
        if path == self._known.path:
            self.rows = _by_member(old, new, brief=self._is_brief)
            return
        to_rows = self._next_step(path)
        for key, value in old.items():
            if key not in new:
                yield ValueChange(path=(*old_path, key), old_path=(*old_path, key), old=bytes(value))
        for key, value in new.items():
            before = old.get(key)
            if before is None:
                yield ValueChange(path=(*path, key), old_path=(*old_path, key), new=bytes(value))
            elif before != value or key == to_rows:
                yield from self.pair(before, value, (*path, key), (*old_path, key))

    def _items(self, old: list[Raw], new: list[Raw], path: Path, old_path: Path) -> Iterator[ValueChange]:
        is_main = path == self._known.path
        self._left -= ITEM_TIMES * (_size(old) + _size(new))
        if self._is_brief and self.is_exhausted:
            return
        rows = self.aligned(old, new, all_new=new if is_main else None)
        if is_main:
            self.rows = rows
        else:
            yield from self._item_changes(rows, path, old_path)

    def aligned(
        self, old: Sequence[bytes], new: Sequence[bytes], *, all_new: Sequence[bytes] | None = None
    ) -> RowChanges:
        """Put two versions of an array beside each other; without white space where items differ in that alone. Of the
        main rows ``all_new`` are all, where only some are compared."""
        is_main = all_new is not None
        unique = self._known.is_unique if is_main else None
        match = align(old, new, is_unique=unique, brief=self._is_brief and is_main, all_new=all_new)
        if not match.is_open and _share_values(old, new, match):
            old, new = _minified(old), _minified(new)
            match = align(old, new, all_new=all_new)
        return RowChanges(old=old, new=new, alignment=match)

    def _item_changes(self, items: RowChanges, path: Path, old_path: Path) -> Iterator[ValueChange]:
        match = items.alignment
        for at in match.removed:
            yield ValueChange(path=(*old_path, at), old_path=(*old_path, at), old=bytes(items.old[at]))
        for at in match.added:
            yield ValueChange(path=(*path, at), old_path=(*old_path, at), new=bytes(items.new[at]))
        for one, other in match.pairs:
            yield from self.pair(Raw(items.old[one]), Raw(items.new[other]), (*path, other), (*old_path, one))
        if match.moved:
            yield ValueChange(path=path, old_path=old_path, is_moved=True)


def _first(value: Raw) -> bytes:
    """Return the first byte of a value, which tells its kind."""
    return memoryview(value)[:1].tobytes()


def _whole_change(old: bytes, new: bytes, path: Path, old_path: Path) -> Iterator[ValueChange]:
    """Yield the change of a value as a whole, or of a text by its lines; nothing where a text is only written
    differently."""
    if old[:1] != b'"' or new[:1] != b'"':
        yield ValueChange(path=path, old_path=old_path, old=old, new=new)
    elif (was := unquote_to_bytes(old)) != (now := unquote_to_bytes(new)):
        yield ValueChange(path=path, old_path=old_path, old=old, new=new, hunks=_hunks(was, now))


def _share_values(old: Sequence[bytes], new: Sequence[bytes], rows: Alignment) -> bool:
    """Tell whether an item that was removed is the same as one that was added, but for white space."""
    if not rows.removed or not rows.added:
        return False
    removed = set(_minified(old[at] for at in rows.removed))
    return not removed.isdisjoint(_minified(new[at] for at in rows.added))


def _by_member(old: Mapping[str, Raw], new: Mapping[str, Raw], *, brief: bool) -> RowChanges:
    """Put two versions of a map beside each other, by the keys of its members. A ``brief`` comparison has no pairs
    where many differ."""
    in_both = list(filter(old.__contains__, new))
    changed = list(compress(in_both, map(ne, map(old.__getitem__, in_both), map(new.__getitem__, in_both))))
    places, new_places = (dict(zip(one, range(len(one)), strict=True)) for one in (old, new))
    pairs = tuple((places[key], new_places[key]) for key in changed)
    added = tuple(at for key, at in new_places.items() if key not in old) if len(in_both) < len(new) else ()
    removed = tuple(at for key, at in places.items() if key not in new) if len(in_both) < len(old) else ()
    is_open = brief and len(pairs) > FEW and len(pairs) * SHARE > len(new)
    if is_open:
        added, removed, pairs = (*added, *(at for _, at in pairs)), (*removed, *(at for at, _ in pairs)), ()
    alignment = Alignment(
        pairs=pairs,
        added=added,
        removed=removed,
        same=len(in_both) - len(changed),
        key=(KEY,),
        is_open=is_open,
    )
    was, now = list(old.values()), list(new.values())
    return RowChanges(old=was, new=now, alignment=alignment, old_names=list(old), new_names=list(new))


def _hunks(old: bytes, new: bytes) -> tuple[PartChange, ...]:
    """Return the lines that differ between two long texts; none of short ones, which are shown whole."""
    if len(old) + len(new) < LONG_TEXT or b"\n" not in old + new:
        return ()
    return tuple(text_changes(old, new))
