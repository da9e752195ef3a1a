"""Profile all places of a JSON document, a batch of values at a time.

Values are profiled place by place and not one by one, which makes exact profiles as fast as those of a sample.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.json_values import batches_of, is_retained, is_sampled, retained
from penstock.core.forms.object_similarity import COMPARED, all_objects, are_data, columns_of, is_map, kin_of
from penstock.core.forms.structure import MAX_WIDTH, Place, Structure
from penstock.core.json.scan import open_member
from penstock.core.profile import MAX_COUNTED, Column
from penstock.core.value_classes import by_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.document import Document
    from penstock.core.json.index import Container
    from penstock.core.json.path import Path, Step

MAX_PLACES: Final = 320  # Places are kept, upper levels first. Of others only their existence is known.
_EMPTY: Final[dict[bytes, Any]] = {b"{": {}, b"[": [], b'"': "", b"t": True, b"f": False, b"n": None}


def read_structure(document: Document) -> Structure:
    """Profile all places of a document that is JSON."""
    reader = _Reader(keep=is_retained(document))
    exact = not is_sampled(document)
    if is_retained(document):
        value = retained(document)
        reader.read_parts(reader.root, value)
        reader.close(reader.root, len(value), is_object=isinstance(value, dict))
        return Structure(root=reader.root, size=len(document.body), exact=exact)
    known = {one.path for one in document.index.containers}
    for container in document.index.containers:
        place = reader.place_at(container.path)
        if container.kind == "object":
            reader.open_map(place, _heads(document, container))
        items = place.items
        for _, value in batches_of(document, container, known, sampled=not exact):
            reader.read_parts(place, value)
        if not exact:  # The other items were counted.
            place.items = items + container.count - sum(path[:-1] == container.path for path in known if path)
        reader.close(place, container.count, container.path, is_object=container.kind == "object")
    return Structure(root=reader.root, size=len(document.body), exact=exact)


def _heads(document: Document, container: Container) -> dict[str, Any]:
    """Return the first members of a large object, each with an empty value of the type that it has."""
    heads: dict[str, Any] = {}
    for number in range(min(container.count, COMPARED)):
        key, value = open_member(document.body, container.starts[number])
        heads[key] = _EMPTY.get(document.body[value : value + 1], 0)
    return heads


class _Reader:
    """Profiles values at places, upper levels first. Objects and arrays wait by place, so that no nesting is too deep
    and all that leads to one place is profiled together."""

    def __init__(self, *, keep: bool) -> None:
        self.root = Place()
        self.places = self.columns = 1
        self._keep = keep  # The document keeps the values, so columns may refer to them.
        self._waiting: dict[int, tuple[Place, list[Any]]] = {}

    def read_parts(self, place: Place, value: Any) -> None:
        """Profile some parts of a container: items, or members."""
        if not value:
            return
        if isinstance(value, dict):
            self._read_objects(place, [value])
        else:
            self._read_items(place, value)
        while self._waiting:
            waiting, nested = self._waiting.pop(next(iter(self._waiting)))
            for kinds, some in by_class(nested):
                if dict in kinds:
                    waiting.objects += len(some)
                    self._read_objects(waiting, some)
                else:
                    self._read_arrays(waiting, some)

    def open_map(self, place: Place, heads: dict[str, Any]) -> None:
        """Make a place one of maps, if the keys of an object too large to be seen at once are data."""
        if are_data(heads) and is_map(place, [heads]):
            place.keyed, place.keys = self._new(place, place.route), Column()

    def close(self, place: Place, count: int, path: Path = (), *, is_object: bool) -> None:
        """Count a container of so many parts that were profiled."""
        place.count += 1
        if is_object:
            place.objects += 1
            place.most = max(place.most, count)
        else:
            place.count_arrays(1, {count})
        if path:
            self._count_part(self.place_at(path[:-1]), path[-1])

    def _count_part(self, place: Place, step: Step) -> None:
        """Count a container where it is, because it was left out when the parts next to it were profiled."""
        if isinstance(step, int):
            place.items += 1
        elif place.keys is not None:
            place.keys.learn([step], self.columns, keep=self._keep)

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

    def _read(self, place: Place, values: list[Any]) -> None:
        """Profile the scalars at a place. Objects and arrays wait."""
        place.count += len(values)
        for kinds, some in by_class(values):
            if dict in kinds or list in kinds:
                self._waiting.setdefault(id(place), (place, []))[1].extend(some)
                continue
            if place.scalars is None:
                place.scalars = Column()
                self.columns += 1
            place.scalars.learn_class(kinds, some, self.columns, keep=self._keep)

    def _read_objects(self, place: Place, objects: list[dict[str, Any]]) -> None:
        if place.keyed is None and not place.fields and is_map(place, objects):
            place.keyed, place.keys = self._new(place, place.route), Column()
        if place.keyed is not None and place.keys is not None:
            place.most = max(place.most, *map(len, objects))
            place.keys.learn(list(chain.from_iterable(objects)), self.columns, keep=self._keep)
            self._read(place.keyed, list(chain.from_iterable(map(dict.values, objects))))
            return
        if self.places >= MAX_PLACES and not place.fields:
            place.more = place.more or any(objects)
            return
        most = max(0, MAX_PLACES - self.places) + 1  # one that is not kept, to know that there are more
        for key, values in columns_of(place, objects, most).items():
            child = place.fields.get(key)
            if child is None and self.places >= MAX_PLACES:
                place.more = True
                continue
            self._read(child or self._field(place, key, values), values)

    def _read_arrays(self, place: Place, arrays: list[list[Any]]) -> None:
        """Profile the items of arrays. Those of rows are profiled column by column, because most columns have one type.
        Few of their values are counted, because a table of these rows profiles each column again."""
        place.count_arrays(len(arrays), set(map(len, arrays)))
        place.example_row = arrays[0][:MAX_WIDTH]
        items = list(chain.from_iterable(arrays))
        width = place.most
        are_rows = place.in_array and 1 < place.fewest == width <= MAX_WIDTH
        if not are_rows or not {dict, list}.isdisjoint(map(type, items)):
            self._read_items(place, items)
            return
        place.items += len(items)
        each = self._each(place)
        each.count += len(items)
        each.scalars = each.scalars or Column()
        for at in range(width):
            each.scalars.learn(items[at::width], MAX_COUNTED)

    def _read_items(self, place: Place, items: list[Any]) -> None:
        if items:
            place.items += len(items)
            self._read(self._each(place), items)

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
