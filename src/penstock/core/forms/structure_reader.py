"""Learn the places of a JSON document from every value, a batch at a time.

Values are learned place by place and not one by one, which is what makes exact cheaper than sampled.
"""

from __future__ import annotations

from itertools import chain, compress, islice, repeat
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.object_similarity import (
    COMPARED,
    all_objects,
    are_data,
    columns_of,
    is_map,
    kin_of,
    ways_back,
)
from penstock.core.forms.structure import Place, Structure
from penstock.core.forms.tree_nodes import with_inner
from penstock.core.forms.values import batches_of, is_retained, retained
from penstock.core.json.path import EACH
from penstock.core.json.scan import open_member
from penstock.core.profile import Column
from penstock.core.row_numbers import Numbers
from penstock.core.value_classes import MIXED, NESTED, by_nesting, only_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.json.index import Container
    from penstock.core.json.path import Path, Step
    from penstock.core.row_numbers import RowNumbers

EXACT: Final = 16_777_216  # bytes up to which every value is learned; of a larger document some batches are
SAMPLED: Final = 1_048_576  # bytes learned of a larger document, at even distances
MOST_PLACES: Final = 320  # places kept, the upper levels first; what lies at others is only known to be there
AT_ONCE: Final = 1_048_576  # bytes of a document whose trees are learned at once; of others a level fits the cache
MOST_STEPS: Final = 4_000  # times that values are learned at a place: a tangled tree has places at many depths
SCALARS: Final = frozenset((str, int, float, bool))
_EMPTY: Final[dict[bytes, Any]] = {b"{": {}, b"[": [], b'"': "", b"t": True, b"f": False, b"n": None}
_Values = tuple[type | None, list[Any], "RowNumbers"]  # values with their rows, and the type that all have, if known
FEW_COLUMNS: Final = 3  # of rows that are asked for each cell: a list of all cells would take longer
WIDEST_ROW: Final = 100  # values of an array that may be a row with columns; longer ones are series


def read_structure(document: Document) -> Structure:
    """Learn all places of a document that is JSON."""
    learner = _Learner(keep=is_retained(document), at_once=len(document.body) <= AT_ONCE)
    exact = len(document.body) <= EXACT
    if is_retained(document):
        value = retained(document)
        learner.learn_parts(learner.root, value, range(len(value)))
        learner.close(learner.root, len(value), is_object=isinstance(value, dict))
        return Structure(root=learner.root, size=len(document.body), exact=exact)
    known = {one.path for one in document.index.containers}
    for container in document.index.containers:
        place = learner.place_at(container.path)
        if container.kind == "object":
            learner.open_map(place, _heads(document, container))
        items = place.items
        for parts, value in batches_of(document, container, known, most=None if exact else SAMPLED):
            learner.learn_parts(place, value, parts)
        if not exact:  # the others were counted
            place.items = items + container.count - sum(path[:-1] == container.path for path in known if path)
        learner.close(place, container.count, container.path, is_object=container.kind == "object")
    return Structure(root=learner.root, size=len(document.body), exact=exact)


def _heads(document: Document, container: Container) -> dict[str, Any]:
    """Return the first members of a large object, each with an empty value of the type that it has."""
    heads: dict[str, Any] = {}
    for number in range(min(container.count, COMPARED)):
        key, value = open_member(document.body, container.starts[number])
        heads[key] = _EMPTY.get(document.body[value : value + 1], 0)
    return heads


class _Learner:
    """Learns values at places, those of the upper levels first. What waits is kept by place and not called for: no
    nesting is too deep, and all that leads to one place is learned together."""

    def __init__(self, *, keep: bool, at_once: bool) -> None:
        self.root = Place()
        self.places = self.columns = 1
        self.steps = 0
        self._known: Place | None = None  # the place whose objects need not be learned again
        self._at_once = at_once  # all nodes of a tree are learned together, and not level by level
        self._keep = keep  # The document keeps the values, so columns may refer to them.
        self._waiting: dict[int, tuple[Place, list[_Values]]] = {}

    def learn_parts(self, place: Place, value: Any, parts: range) -> None:
        """Take some parts of a container: items, or members."""
        if not value:
            return
        if isinstance(value, dict):
            self._learn_objects(place, [value], range(1))
        else:
            place.items += len(value)
            self._wait(self._each(place), value, parts)
        while self._waiting:
            waiting, learned = self._waiting.pop(next(iter(self._waiting)))
            for only, values, numbers in learned if len(learned) == 1 else _by_type(learned):
                self._learn(waiting, values, numbers, only)

    def open_map(self, place: Place, heads: dict[str, Any]) -> None:
        """Make a place one of maps, if the keys of an object too large to be seen at once are data."""
        if are_data(heads) and is_map(place, [heads]):
            place.keyed, place.keys = self._new(place, place.route), Column()

    def close(self, place: Place, count: int, path: Path = (), *, is_object: bool) -> None:
        """Count a container of so many parts that were learned."""
        place.count += 1
        if is_object:
            place.objects += 1
            place.most = max(place.most, count)
        else:
            self._count_arrays(place, 1, {count})
        if path:
            self._count_part(self.place_at(path[:-1]), path[-1])

    def _count_part(self, place: Place, step: Step) -> None:
        """Count a container where it lies: it was left out when the parts beside it were learned."""
        if isinstance(step, int):
            place.items += 1
        elif place.keys is not None:
            place.keys.learn([step], [place.keys.rows], self.columns, keep=self._keep)

    def place_at(self, path: Path) -> Place:
        """Return the place of a container of the index."""
        place = self.root
        for step in path:
            if isinstance(step, int):
                place = self._each(place)
            elif place.keyed is not None:
                place = place.keyed
            else:
                place = place.fields.get(step) or self._field(place, step)
        return place

    def _wait(self, place: Place, values: list[Any], rows: RowNumbers, only: type | None = None) -> None:
        """Have values learned later; ``only`` is the type of all, where that is known."""
        if place is self._known:
            values = [one for one in values if type(one) is not dict]
            rows = range(len(values))
            if not values:
                return
        _, waiting = self._waiting.setdefault(id(place), (place, []))
        waiting.append((only, values, rows))

    def _learn(self, place: Place, values: list[Any], rows: RowNumbers, only: type | None) -> None:
        self.steps += 1
        place.count += len(values)
        for kinds, some, numbers in by_nesting(values, rows, only):
            if dict in kinds:
                place.objects += len(some)
                self._learn_objects(place, some, numbers)
            elif list in kinds:
                self._learn_arrays(place, some, numbers)
            else:
                self._learn_scalars(place, kinds, some, numbers)

    def _learn_scalars(self, place: Place, kinds: dict[type, int], values: list[Any], rows: RowNumbers) -> None:
        if place.scalars is None:
            place.scalars = Column()
            self.columns += 1
        place.scalars.learn_scalars(kinds, values, rows, self.columns, keep=self._keep)

    def _learn_objects(self, place: Place, objects: list[dict[str, Any]], rows: RowNumbers) -> None:
        if place.keyed is None and not place.fields and is_map(place, objects):
            place.keyed, place.keys = self._new(place, place.route), Column()
        if place.keyed is not None and place.keys is not None:
            place.most = max(place.most, *map(len, objects))
            members = list(chain.from_iterable(map(dict.values, objects)))
            added = range(place.keys.rows, place.keys.rows + len(members))
            place.keys.learn(list(chain.from_iterable(objects)), added, self.columns, keep=self._keep)
            self._wait(place.keyed, members, added)
            return
        if self.places >= MOST_PLACES and not place.fields:
            place.more = place.more or any(objects)
            return
        back = ways_back(place) if place.is_tree and self._at_once else {}
        if back:
            place.count -= len(objects)
            place.objects -= len(objects)
            objects = with_inner(objects, back)
            place.count += len(objects)
            place.objects += len(objects)
        if place.is_tree:  # of what hangs in a tree no row is told, and those above are not followed level by level
            rows = range(len(objects))
        most = max(0, MOST_PLACES - self.places) + 1  # one that is not kept, to know that there are more
        for key, values in columns_of(place, objects, most).items():
            child = place.fields.get(key)
            if child is not None and key in back:
                self._learn_known(place, child, values, back[key])
                continue
            if child is None and (self.places >= MOST_PLACES or self.steps >= MOST_STEPS):
                place.more = True
                continue
            only = only_type(values)
            child = child or self._field(place, key, () if only in SCALARS else values)
            numbers = rows if len(values) == len(objects) else Numbers(_having, rows, objects, key)
            if only in SCALARS:  # nothing is below, so it need not wait for others
                child.count += len(values)
                self._learn_scalars(child, {only: len(values)}, values, numbers)
            else:
                self._wait(child, values, numbers, only or MIXED)

    def _learn_known(self, place: Place, child: Place, values: list[Any], step: Step) -> None:
        """Learn what leads back to a place whose objects are known already."""
        kind = list if step == EACH else dict
        some = [one for one in values if type(one) is kind]
        if len(some) < len(values):
            others = [one for one in values if type(one) is not kind]
            self._wait(child, others, range(len(others)))
        if child is not place and some:
            self._known = place
            self._learn(child, some, range(len(some)), kind)
            self._known = None

    def _learn_arrays(self, place: Place, arrays: list[list[Any]], rows: RowNumbers) -> None:
        first = self._count_arrays(place, len(arrays), set(map(len, arrays)))
        is_row = place.in_array and not (place.above and place.above.in_array)
        even = is_row and (first or place.positions) and 1 < place.fewest == place.most <= WIDEST_ROW
        cells = _cells(arrays, place.most) if even and NESTED.isdisjoint(map(type, arrays[0])) else []
        types = list(map(only_type, cells))
        if cells and not any(_has_nested(one, some) for one, some in zip(types, cells, strict=True)):
            place.positions = place.positions or [Column() for _ in cells]
            for column, some, only in zip(place.positions, cells, types, strict=True):
                column.learn(some, rows, self.columns, only or MIXED, keep=self._keep)
            place.items += len(arrays) * place.most
            return
        items = list(chain.from_iterable(arrays))
        if place.positions:  # the arrays differ after all: what was learned as columns belongs to all items
            each = self._each(place)
            each.scalars = each.scalars or Column()
            for column in place.positions:
                each.count += column.rows
                each.scalars.merge(column)
            place.positions = None
        if items:
            self._wait(self._each(place), items, range(place.items, place.items + len(items)))
            place.items += len(items)

    def _count_arrays(self, place: Place, count: int, lengths: set[int]) -> bool:
        """Count arrays that have these lengths; True for the first of a place."""
        first = not place.arrays
        place.arrays += count
        shortest, longest = min(lengths), max(lengths)
        place.fewest = shortest if first else min(place.fewest, shortest)
        place.most = max(place.most, longest)
        return first

    def _each(self, place: Place) -> Place:
        if place.each is None:
            place.each = self._new(place, place.route, in_array=True)
        return place.each

    def _new(self, above: Place, route: str, *, in_array: bool = False) -> Place:
        self.places += 1
        return Place(above, route, in_array=in_array)

    def _field(self, place: Place, key: str, values: Sequence[Any] = ()) -> Place:
        """Return a new place for a field; or the way back to a place above, if its objects are of the same kind."""
        child = place.fields[key] = self._new(place, key)
        if not values:
            return child
        nested = [value for value in values[:COMPARED] if type(value) is dict or type(value) is list]
        if not nested:
            return child
        some = [value for value in nested if type(value) is dict]
        items = [item for value in nested if type(value) is list for item in islice(value, COMPARED)]
        if some and (kin := kin_of(place, key, some)) is not None:
            place.fields[key] = kin
        elif objects_inside := all_objects(items):
            child.each = kin_of(place, key, objects_inside)
        elif (inner := all_objects(one for value in some for one in value.values())) and (
            kin := kin_of(place, key, inner)
        ) is not None:
            child.keyed, child.keys = kin, Column()
        return place.fields[key]


def _by_type(parts: list[_Values]) -> Iterator[_Values]:
    """Join values that come from several places, those of one type each: they need not be told apart again."""
    alike: dict[type | None, list[_Values]] = {}
    for only, values, rows in parts:
        alike.setdefault(only or only_type(values), []).append((only, values, rows))
    for only, some in alike.items():
        rows = Numbers(chain.from_iterable, [rows for _, _, rows in some])
        yield only, list(chain.from_iterable(values for _, values, _ in some)), rows


def _cells(arrays: list[list[Any]], width: int) -> list[list[Any]]:
    """Return the columns of arrays that all have as many items. Those of wide ones are cut out of all items."""
    if width <= FEW_COLUMNS:
        return [[array[at] for array in arrays] for at in range(width)]
    items = list(chain.from_iterable(arrays))
    return [items[at::width] for at in range(width)]


def _has_nested(only: type | None, values: list[Any]) -> bool:
    """Return True if there are arrays or objects among values, which all have one type if one is given."""
    return only in NESTED if only is not None else not NESTED.isdisjoint(map(type, values))


def _having(rows: RowNumbers, objects: list[dict[str, Any]], key: str) -> Iterator[int]:
    """Return the rows of those objects that have a key."""
    return compress(rows, map(dict.__contains__, objects, repeat(key)))
