"""Go through two lists in step: which of their parts are the same, and which stand in the place of which.

Where few parts differ, one look at each of them is enough: a few parts behind a difference both lists go on alike.
"""

from __future__ import annotations

from itertools import compress, count, islice
from operator import ne
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

FARTHEST: Final = 8  # parts of both lists behind a difference, in all, after which they have to go on alike
FEW: Final = 16  # hunks that are looked for in any case,
SHARE: Final = 16  # and one more for so many steps

# How many parts of either list to leave out: few before many, and of one list alone before some of both.
_GAPS: Final = sorted(
    ((old, total - old) for total in range(1, FARTHEST + 1) for old in range(total + 1)),
    key=lambda gap: (sum(gap), min(gap)),
)


class PartChange(NamedTuple):
    """Parts of the old list, by their numbers from 0, and the parts of the new one that stand in their place."""

    old: range
    new: range


def common_start(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Return how many parts are the same at the beginning."""
    return next(compress(count(), map(ne, old, new)), min(len(old), len(new)))


def trimmed(old: Sequence[bytes], new: Sequence[bytes], whole: PartChange | None = None) -> PartChange:
    """Return a hunk, or both lists, without the parts that are the same at the beginning and at the end."""
    in_old, in_new = whole or (range(len(old)), range(len(new)))
    before, after = old[in_old.start : in_old.stop], new[in_new.start : in_new.stop]
    first = common_start(before, after)
    stop = first - 1 if first else None
    last = common_start(before[:stop:-1], after[:stop:-1])
    return PartChange(
        range(in_old.start + first, in_old.stop - last),
        range(in_new.start + first, in_new.stop - last),
    )


def in_step(old: Sequence[bytes], new: Sequence[bytes], whole: PartChange) -> list[PartChange] | None:
    """Return the hunks of this one in order, between which all parts are the same; None where too much differs."""
    stops = whole.old.stop, whole.new.stop
    old_parts, new_parts = islice(old, whole.old.start, stops[0]), islice(new, whole.new.start, stops[1])
    first, second = whole.old.start, whole.new.start  # where the steps begin, beside what was left out meanwhile
    hunks: list[PartChange] = []
    for steps in compress(count(), map(ne, old_parts, new_parts)):
        at, other = first + steps, second + steps
        gap = _gap(old, new, at, other, stops)
        if gap is None or len(hunks) >= FEW + steps // SHARE:
            return None
        gone, come = gap
        hunks.append(PartChange(range(at, at + gone), range(other, other + come)))
        next(islice(old_parts, gone, gone), None)  # on to the parts that are the same, which are behind it now
        next(islice(new_parts, come, come), None)
        first, second = first + gone, second + come
    steps = min(stops[0] - first, stops[1] - second)
    rest = PartChange(range(first + steps, stops[0]), range(second + steps, stops[1]))
    return [*hunks, rest] if rest.old or rest.new else hunks


def _gap(
    old: Sequence[bytes], new: Sequence[bytes], at: int, other: int, stops: tuple[int, int]
) -> tuple[int, int] | None:
    """Return how many parts of either list to leave out, for both to go on with the same part."""
    for gone, come in _GAPS:
        if at + gone < stops[0] and other + come < stops[1] and old[at + gone] == new[other + come]:
            return gone, come
    return None
