"""The exact structure of JSON: what stands at each place.

A place is a path with its indexes left open: ``.items[].user.login`` is one place, however many items there are. It
knows how many values it has and of which types, the fields of its objects, the items of its arrays, and the facts of
its scalars.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from weakref import ref

from penstock.core.json.path import EACH, KEY, Path
from penstock.core.profile import Column

MAX_WIDTH: Final = 100  # An array of more scalars is a series, and no row with columns.


class Place:
    """All values at one place. ``route`` is the field or map through which its objects are reached."""

    __slots__ = (
        "__weakref__",
        "_above",
        "arrays",
        "count",
        "each",
        "example_row",
        "fewest",
        "fields",
        "in_array",
        "is_tree",
        "items",
        "keyed",
        "keys",
        "more",
        "most",
        "objects",
        "route",
        "scalars",
        "types",
    )

    def __init__(self, above: Place | None = None, route: str = "", *, in_array: bool = False) -> None:
        self._above = ref(above) if above is not None else None  # weak, so that no places wait for the collector
        self.route = route
        self.in_array = in_array
        self.count = self.objects = self.arrays = self.items = 0
        self.fields: dict[str, Place] = {}
        self.more = False  # there are fields that are not kept
        self.keyed: Place | None = None  # the members, where the objects are maps
        self.keys: Column | None = None
        self.each: Place | None = None  # the items, where there are arrays
        self.example_row: list[Any] = []  # one of the arrays
        self.fewest = self.most = 0  # items of an array, or members of a map
        self.scalars: Column | None = None
        self.types: tuple[str, set[str]] | None = None  # the field that says of what type an object is, and the types
        self.is_tree = False  # the objects hold objects of their own kind

    @property
    def above(self) -> Place | None:
        return self._above() if self._above is not None else None

    @property
    def column(self) -> Column:
        """Return the facts of the scalars; of none, where there are none."""
        return self.scalars or _NONE

    @property
    def filled(self) -> int:
        """Return how many values are not null."""
        return self.objects + self.arrays + (0 if self.scalars is None else self.scalars.filled)

    def is_only(self, what: int) -> bool:
        """Return True if all values but null are of one class: those of which there are so many."""
        return 0 < what == self.filled

    @property
    def is_rows(self) -> bool:
        """Return True if most values are arrays of scalars that all have the same length, as rows of a table have."""
        each = self.each
        is_in_list = self.in_array and not (self.above is not None and self.above.in_array)
        is_even = each is not None and each.is_only(each.column.filled) and 1 < self.fewest == self.most <= MAX_WIDTH
        return is_in_list and is_even and self.arrays * 2 > self.count

    def count_arrays(self, count: int, lengths: set[int]) -> None:
        """Count arrays that have these lengths."""
        self.fewest = min(lengths) if not self.arrays else min(self.fewest, *lengths)
        self.most = max(self.most, *lengths)
        self.arrays += count

    @property
    def inner(self) -> list[tuple[str | int, Place]]:
        """Return the places directly below, each with the step to it."""
        parts: list[tuple[str | int, Place]] = list(self.fields.items())
        parts += [(KEY, self.keyed)] if self.keyed is not None else []
        return parts + ([(EACH, self.each)] if self.each is not None else [])


_NONE: Final = Column()


@dataclass(frozen=True, kw_only=True)
class Structure:
    """The places of a document of ``size`` bytes. Unless ``exact``, only some of its values were profiled."""

    root: Place
    size: int
    exact: bool

    def untie(self) -> None:
        """Cut all places from each other."""
        for _, place in self.places:
            place.fields = {}
            place.each = place.keyed = None

    @cached_property
    def places(self) -> list[tuple[Path, Place]]:
        """Return every place with the steps to it, parents first; each once, as trees lead back."""
        places: list[tuple[Path, Place]] = []
        seen = set[int]()
        waiting: list[tuple[Path, Place]] = [((), self.root)]
        while waiting:
            path, place = waiting.pop()
            if id(place) not in seen:
                seen.add(id(place))
                places.append((path, place))
                waiting += [((*path, step), one) for step, one in reversed(place.inner)]
        return places

    @cached_property
    def weights(self) -> dict[int, int]:
        """Return the bytes of the values at each place and below it, about, by the id of the place. Encoded data weighs
        nothing: no question is about it."""
        weights: dict[int, int] = {}
        for _, place in reversed(self.places):  # Those below a place come before it.
            columns = [place.scalars, place.keys]
            own = 2 * (place.objects + place.arrays) + sum(one.weight for one in columns if one is not None)
            weights[id(place)] = weights.get(id(place), 0) + own
            if (above := place.above) is not None:
                weights[id(above)] = weights.get(id(above), 0) + weights[id(place)]
        return weights
