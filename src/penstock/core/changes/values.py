"""What differs between two JSON values: what was added, removed and changed, and where.

Values are compared as they are written: ``1`` is not ``1.0``, and no digit of a large number is lost. White space, the
order of an object's members, and the way in which a text is escaped make no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from zlib import adler32

import msgspec
from msgspec import Raw

from penstock.core.changes.lines import LineChange, line_changes, split_both
from penstock.core.changes.rows import Alignment, align
from penstock.core.json.path import KEY
from penstock.core.json.scan import is_container, items, minify
from penstock.core.json.strings import unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.core.changes.keys import IsUnique
    from penstock.core.json.path import Path

MOST_LEVELS: Final = 32  # levels that are looked into; what lies deeper differs as a whole
MOST_TIMES: Final = 8  # times that all bytes are read; then what is left differs as a whole
BRIEF_TIMES: Final = 3  # the same in a brief comparison
LONG_TEXT: Final = 200  # bytes from which on a text of several lines is compared line by line
FREE: Final = 65_536  # bytes that are read in any case: what is small may be deep
SUM: Final = 0xFFFF  # the half of an Adler-32 checksum that is the sum of all bytes, whatever their order

_MEMBERS = msgspec.json.Decoder(dict[str, Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """One difference. ``path`` leads to it: in the old value if it was removed, else in the new one, and ``old_path``
    in the old one. ``old`` and ``new`` are JSON, None where there is nothing. ``hunks`` are the lines that differ,
    where both are long texts; ``is_moved`` tells that items at the path stand in another order, and nothing else."""

    path: Path
    old_path: Path
    old: bytes | None = None
    new: bytes | None = None
    hunks: tuple[LineChange, ...] = ()
    is_moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChanges:
    """Two versions of the rows of a document, and which of them belong together. Members of a map have their keys as
    ``old_names`` and ``new_names``."""

    old: Sequence[bytes]
    new: Sequence[bytes]
    alignment: Alignment
    old_names: Sequence[str] = ()
    new_names: Sequence[str] = ()

    def changed(self) -> Iterator[tuple[int, int, tuple[ValueChange, ...]]]:
        """Yield the pairs of rows that differ in value, and how."""
        walk = _Walk(sum(map(len, self.old)) + sum(map(len, self.new)))
        for one, other in self.alignment.pairs:
            old, new = minify(self.old[one]), minify(self.new[other])
            found = tuple(walk.pair(old, new))
            if found or _has_others(old, new):
                yield one, other, found or (ValueChange(path=(), old_path=(), old=old, new=new),)

    def count_changed(self) -> int:
        """Return how many rows differ in value."""
        return sum(map(self._is_changed, self.alignment.pairs))

    @property
    def is_rewritten(self) -> bool:
        """Return whether no row differs in value, and all stand where they did."""
        found = self.alignment
        return not (found.added or found.removed or found.moved or any(map(self._is_changed, found.pairs)))

    def _is_changed(self, pair: tuple[int, int]) -> bool:
        old, new = minify(self.old[pair[0]]), minify(self.new[pair[1]])
        return old != new and (_has_others(old, new) or not same_value(old, new))


def _has_others(old: bytes, new: bytes) -> bool:
    """Tell at once that two values without white space differ, where they are not made of the same bytes in any order:
    members in another order are. Escapes are looked at one by one. The same key twice in an object counts, though no
    value differs."""
    is_other = len(old) != len(new) or (adler32(old) ^ adler32(new)) & SUM
    return bool(is_other) and b"\\" not in old and b"\\" not in new


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The known facts about the rows of a document: their path, the items of both versions if they were split already,
    and what ``is_unique`` tells of columns of the new ones."""

    path: Path | None = None
    items: tuple[list[bytes] | None, list[bytes] | None] = (None, None)
    is_unique: IsUnique | None = None


def value_changes(old: bytes, new: bytes, rows: Path | None = None) -> tuple[list[ValueChange], RowChanges | None]:
    """Return all differences of two values, and apart from them those of the rows at a path, if there are rows in
    both."""
    walk = _Walk(len(old) + len(new), Known(path=rows))
    return list(walk.pair(old, new)), walk.rows


def brief_changes(old: bytes, new: bytes, known: Known) -> tuple[list[ValueChange], RowChanges | None] | None:
    """Return the same in bounded time: rows without pairs where many differ, and None where there is too much to
    read."""
    walk = _Walk(len(old) + len(new), known, times=BRIEF_TIMES)
    found = list(walk.pair(old, new))
    return None if walk.is_exhausted else (found, walk.rows)


def same_value(old: bytes, new: bytes) -> bool:
    """Tell whether two values are the same, however they are written."""
    return next(_Walk(len(old) + len(new)).pair(old, new), None) is None


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

    def pair(self, old: bytes, new: bytes, path: Path = (), old_path: Path = ()) -> Iterator[ValueChange]:
        """Yield what differs between two values at these paths."""
        if old == new and not (self._leads_to_rows(path) and is_container(new)):
            return
        self._left -= len(old) + len(new)
        kinds = old[:1] + new[:1]
        may_enter = len(path) < MOST_LEVELS and not self.is_exhausted
        if kinds == b"{{" and may_enter:
            yield from self._members(old, new, path, old_path)
        elif kinds == b"[[" and may_enter:
            yield from self._items(old, new, path, old_path)
        elif kinds != b'""':
            yield ValueChange(path=path, old_path=old_path, old=old, new=new)
        elif (was := unquote_to_bytes(old)) != (now := unquote_to_bytes(new)):
            yield ValueChange(path=path, old_path=old_path, old=old, new=new, hunks=_hunks(was, now))

    def _leads_to_rows(self, path: Path) -> bool:
        return self._known.path is not None and path == self._known.path[: len(path)]

    def _members(self, old: bytes, new: bytes, path: Path, old_path: Path) -> Iterator[ValueChange]:
        was, now = _MEMBERS.decode(old), _MEMBERS.decode(new)
        if path == self._known.path:
            self.rows = _by_member(was, now)
            return
        for key, value in was.items():
            if key not in now:
                yield ValueChange(path=(*old_path, key), old_path=(*old_path, key), old=bytes(value))
        for key, value in now.items():
            if key not in was:
                yield ValueChange(path=(*path, key), old_path=(*old_path, key), new=bytes(value))
            else:
                yield from self.pair(bytes(was[key]), bytes(value), (*path, key), (*old_path, key))

    def _items(self, old: bytes, new: bytes, path: Path, old_path: Path) -> Iterator[ValueChange]:
        is_main = path == self._known.path
        split = self._known.items if is_main else (None, None)
        was, now = split[0] or items(old), split[1] or items(new)
        unique = self._known.is_unique if is_main else None
        found = align(was, now, new, is_unique=unique, brief=self._is_brief and is_main)
        if not found.is_open and _share_values(was, now, found):
            was, now = list(map(minify, was)), list(map(minify, now))
            found = align(was, now, new)
        if is_main:
            self.rows = RowChanges(old=was, new=now, alignment=found)
            return
        for at in found.removed:
            yield ValueChange(path=(*old_path, at), old_path=(*old_path, at), old=was[at])
        for at in found.added:
            yield ValueChange(path=(*path, at), old_path=(*old_path, at), new=now[at])
        for one, other in found.pairs:
            yield from self.pair(was[one], now[other], (*path, other), (*old_path, one))
        if found.moved:
            yield ValueChange(path=path, old_path=old_path, is_moved=True)


def _share_values(old: Sequence[bytes], new: Sequence[bytes], found: Alignment) -> bool:
    """Tell whether an item that was removed is the same as one that was added, but for white space."""
    removed = {minify(old[at]) for at in found.removed}
    return not removed.isdisjoint(minify(new[at]) for at in found.added)


def _by_member(old: Mapping[str, Raw], new: Mapping[str, Raw]) -> RowChanges:
    """Put two versions of a map beside each other, by the keys of its members."""
    places = dict(zip(old, range(len(old)), strict=True))
    in_both = [(places[key], at) for at, key in enumerate(new) if key in old]
    was, now = list(map(bytes, old.values())), list(map(bytes, new.values()))
    pairs = tuple((one, other) for one, other in in_both if was[one] != now[other])
    alignment = Alignment(
        pairs=pairs,
        added=tuple(at for at, key in enumerate(new) if key not in old),
        removed=tuple(at for at, key in enumerate(old) if key not in new),
        same=len(in_both) - len(pairs),
        key=(KEY,),
    )
    return RowChanges(old=was, new=now, alignment=alignment, old_names=list(old), new_names=list(new))


def _hunks(old: bytes, new: bytes) -> tuple[LineChange, ...]:
    """Return the lines that differ between two long texts; none of short ones, which are shown whole."""
    if len(old) + len(new) < LONG_TEXT or b"\n" not in old + new:
        return ()
    return tuple(line_changes(*split_both(old, new)))
