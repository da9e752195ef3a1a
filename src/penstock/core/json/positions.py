"""Ascending positions in a document, in little memory: where the parts of a container begin.

Four bytes a position are much beside items of two bytes. Where the parts are tiny, only every 64th position is kept
whole, and of the others the distance to the one before, in one byte.
"""

from __future__ import annotations

from array import array
from itertools import accumulate, islice
from operator import sub
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GROUP: Final = 64  # positions between two that are kept whole: adding up so many bytes takes half a microsecond
MANY: Final = 16_384  # positions; fewer are never packed
TINY: Final = 16  # bytes from one position to the next, on average, below which they are packed
FARTHEST: Final = 255  # bytes from one position to the next: what one byte can tell


class Positions:
    """A sequence of ascending numbers, to index, iterate and bisect."""

    __slots__ = ("_count", "_steps", "_whole")

    def __init__(self, whole: array[int], steps: bytes | bytearray = b"", count: int | None = None) -> None:
        """Take all positions in ``whole``, or with ``steps`` every 64th of ``count``."""
        self._whole = whole
        self._steps = steps
        self._count = len(whole) if count is None else count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> int:
        if not self._steps:
            return self._whole[number]
        number = number + self._count if number < 0 else number
        if not 0 <= number < self._count:
            raise IndexError(number)
        group = number // GROUP
        return self._whole[group] + sum(self._steps[group * GROUP : number])

    def __iter__(self) -> Iterator[int]:
        if not self._steps:
            yield from self._whole
            return
        for group, at in enumerate(self._whole):
            yield at
            for step in self._steps[group * GROUP : min(group * GROUP + GROUP, self._count) - 1]:
                at += step  # noqa: PLW2901
                yield at

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Positions) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def widest(self) -> int:
        """Return the longest way from one position to the next."""
        if self._steps:
            return max(self._steps)
        return max(map(sub, islice(self._whole, 1, None), self._whole), default=0)

    def dump(self) -> tuple[str, bytes, bytes, int]:
        """Return the positions as plain values, for a store."""
        return self._whole.typecode, self._whole.tobytes(), bytes(self._steps), self._count

    @classmethod
    def load(cls, code: str, whole: bytes, steps: bytes, count: int) -> Positions:
        return cls(array(code, whole), steps, count)


class Collector:
    """Takes positions in their order, some at a time, and packs them while they are many and close to each other."""

    def __init__(self, size: int) -> None:
        """Begin without positions. ``size`` is that of the document: four bytes a position while they are enough."""
        self._whole = array("I" if size < 2**32 else "Q")
        self._steps: bytearray | None = None
        self._count = 0
        self._last = 0

    def add(self, first: int, steps: Sequence[int] = ()) -> None:
        """Take the position ``first``, and those to which the steps lead from there."""
        if self._steps is not None and max(first - self._last, max(steps, default=0)) > FARTHEST:
            every = Positions(self._whole, self._steps, self._count)
            self._whole, self._steps = array(self._whole.typecode, every), None
        if self._steps is None:
            places = accumulate(steps, initial=first)
            if len(steps) < MANY:  # from a list they are taken in half the time, which has to be made first
                self._whole.fromlist(list(places))
            else:
                self._whole.extend(places)
            self._count = len(self._whole)
            if self._count >= MANY and self._whole[-1] - self._whole[0] < TINY * self._count:
                self._pack()
        else:
            self._pack_more(first, bytes(iter(steps)))

    def done(self) -> Positions:
        return Positions(self._whole, self._steps or b"", self._count)

    def _pack(self) -> None:
        every = self._whole
        steps = array("Q", map(sub, islice(every, 1, None), every))
        if max(steps, default=0) <= FARTHEST:
            self._whole, self._steps, self._count = array(every.typecode), bytearray(), 0
            self._pack_more(every[0], bytes(iter(steps)))

    def _pack_more(self, first: int, steps: bytes) -> None:
        if self._count:
            cast("bytearray", self._steps).append(first - self._last)
        cast("bytearray", self._steps).extend(steps)
        at, done = first, 0
        for due in range(-self._count % GROUP, len(steps) + 1, GROUP):
            at += sum(steps[done:due])
            done = due
            self._whole.append(at)
        self._count += len(steps) + 1
        self._last = at + sum(steps[done:])
