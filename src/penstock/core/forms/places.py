"""The exact structure of JSON: what stands at each place, learned from every value, a batch at a time.

A place is a path with its indexes left open: ``.items[].user.login`` is one place, however many items there are. It
knows how many values it has and of which types, the fields of its objects, the items of its arrays, and the facts of
its scalars. Values are learned place by place and not one by one, which is what makes exact cheaper than sampled.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, islice, repeat
from operator import is_not, itemgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.rows import dig
from penstock.core.json.index import BATCH, reader
from penstock.core.json.path import EACH, KEY, Path, Step
from penstock.core.profile import Column, by_class

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.json.index import Container

EXACT: Final = 16_777_216  # bytes up to which every value is learned; of a larger document some batches are
SAMPLED: Final = 4_194_304  # bytes learned of a larger document, at even distances
RETAINED: Final = 33_554_432  # bytes of values that are kept until the notice is written, about,
STRETCHES: Final = 32  # parts of a large document that tell how much memory its values take,
STRETCH: Final = 65_536  # bytes each
LARGEST_BATCH: Final = 8_388_608  # bytes of the values of a batch, about
LARGEST_RETAINED: Final = 8_388_608  # of a document that is no larger than this
MOST_PLACES: Final = 500  # places kept, the upper levels first; what lies at others is only known to be there
MOST_STEPS: Final = 4_000  # times that values are learned at a place: a tangled tree has places at many depths
WIDEST_ROW: Final = 100  # values of an array that may be a row with columns; longer ones are series
COMPARED: Final = 40  # objects looked at to see whether they are alike
SELDOM: Final = 8  # in fewer than one of so many objects a key is not looked for: they are asked which they have
DIFFERENT: Final = 8  # in more than one of so many, objects have keys of their own
MANY_MEMBERS: Final = 12  # members of an object that are all alike make a map, whatever the keys look like,
MANY_SCALARS: Final = 40  # and scalars only if there are so many
SPARSE: Final = 0.3  # of the objects at a place have an average key, where each has keys of its own
MOST_TYPES: Final = 200  # types of objects in one document; more are names
LONGEST_INTEGER: Final = 4_000  # digits that Python converts

# Keys that are data: numbers, paths, addresses, identifiers, sentences. Names have none of these.
_DATA = re.compile(r"[0-9]|.*(?:[/:\s#]|[0-9a-f]{8}|.{41})")
_MISSING: Final = object()
_TYPES: Final = ("type", "_type", "kind", "nodeType", "node_type", "tag", "@type", "__class__", "class", "op")


class Place:
    """All values at one place. ``route`` is the field or map through which its objects are reached."""

    __slots__ = (
        "above",
        "arrays",
        "count",
        "each",
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
        "positions",
        "route",
        "scalars",
        "types",
    )

    def __init__(self, above: Place | None = None, route: str = "", *, in_array: bool = False) -> None:
        self.above = above
        self.route = route
        self.in_array = in_array
        self.count = self.objects = self.arrays = self.items = 0
        self.fields: dict[str, Place] = {}
        self.more = False  # there are fields that are not kept
        self.keyed: Place | None = None  # the members, where the objects are maps
        self.keys: Column | None = None
        self.each: Place | None = None  # the items, where there are arrays
        self.positions: list[Column] | None = None  # the columns, where the arrays are rows of equal length
        self.fewest = self.most = 0  # items of an array, or members of a map
        self.scalars: Column | None = None
        self.types: tuple[str, set[str]] | None = None  # the field that says of what type an object is, and the types
        self.is_tree = False  # the objects hold objects of their own kind

    @property
    def column(self) -> Column:
        """The facts of the scalars; of none, where there are none."""
        return self.scalars or _NONE

    @property
    def filled(self) -> int:
        """How many values are not null."""
        return self.column.filled + self.objects + self.arrays

    def is_only(self, what: int) -> bool:
        """Whether all values but null are of one class: those of which there are so many."""
        return 0 < what == self.filled

    @property
    def inner(self) -> list[tuple[str | int, Place]]:
        """The places directly below, each with the step to it."""
        found: list[tuple[str | int, Place]] = list(self.fields.items())
        found += [(KEY, self.keyed)] if self.keyed is not None else []
        return found + ([(EACH, self.each)] if self.each is not None else [])


_NONE: Final = Column()


@dataclass(frozen=True, kw_only=True)
class Structure:
    """The places of a document. Unless ``exact``, they were learned from some of it."""

    root: Place
    exact: bool

    @cached_property
    def places(self) -> list[tuple[Path, Place]]:
        """Every place with the steps to it, parents first; each once, as trees lead back."""
        found: list[tuple[Path, Place]] = []
        seen = set[int]()
        waiting: list[tuple[Path, Place]] = [((), self.root)]
        while waiting:
            path, place = waiting.pop()
            if id(place) not in seen:
                seen.add(id(place))
                found.append((path, place))
                waiting += [((*path, step), one) for step, one in reversed(place.inner)]
        return found


def learn(document: Document) -> Structure:
    """Learn all places of a document that is JSON."""
    learner = _Learner()
    exact = len(document.body) <= EXACT
    containers = document.index.containers[:1] if is_retained(document) else document.index.containers
    known = {one.path for one in containers}
    for container in containers:
        place = learner.place_at(container.path)
        for parts, value in batches_of(document, container, known, most=None if exact else SAMPLED):
            learner.learn_parts(place, value, parts)
        learner.close(place, container)
    return Structure(root=learner.root, exact=exact)


def retained(document: Document) -> Any:
    """All values of a document that is retained; JSON values one after another are an array."""
    return document.once("value", lambda one: decode(one.index.containers[0].joined(reader(one.body))))


def is_retained(document: Document) -> bool:
    """Whether the values of a document are kept until its notice is written."""
    return len(document.body) <= LARGEST_RETAINED and document.once("values", _memory_of_values) <= RETAINED


def _memory_of_values(document: Document) -> int:
    """The bytes that the values of JSON take, about: a scalar as much as two pointers, and what stands in texts. Of a
    large document some stretches tell."""
    seen = body = document.body
    if len(body) > LARGEST_RETAINED:
        seen = b"".join(body[at : at + STRETCH] for at in range(0, len(body), max(1, len(body) // STRETCHES)))
    taken = len(seen) + 48 * seen.count(b",") + 64 * seen.count(b"[") + 200 * seen.count(b"{")
    return taken * len(body) // max(1, len(seen))


def batches_of(
    document: Document, container: Container, without: Collection[Path] = (), most: int | None = None
) -> Iterator[tuple[range, Any]]:
    """The parts of a container as values, a batch at a time; without those that are at certain paths, and no more than
    about ``most`` bytes of a document in all. A small document is decoded once, and its values are kept with it."""
    body = document.body
    if is_retained(document):
        yield range(container.count), dig(retained(document), container.path)
        return
    size = LARGEST_BATCH * len(body) // max(1, document.once("values", _memory_of_values))
    batches = list(container.batches(min(BATCH, size)))
    if most is not None and batches:
        batches = batches[:: -(-len(batches) // max(1, most * len(batches) // len(body)))]
    for parts in batches:
        for run in _runs(container, without, parts):
            yield run, decode(container.joined(reader(body), run))


def decode(text: bytes) -> Any:
    """JSON as Python values; a number that no float holds (1e999) is infinite, and one of too many digits a text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        import json  # noqa: PLC0415  (one result in many thousands has such a number)

        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= LONGEST_INTEGER else digits)


def _runs(container: Container, without: Collection[Path], parts: range) -> Iterator[range]:
    """The parts without those that are at certain paths."""
    first = parts.start
    for number in parts if len(without) > 1 else ():
        step = number if container.kind != "object" else container.keys[number] if container.keys is not None else ""
        if (*container.path, step) in without:
            yield range(first, number)
            first = number + 1
    yield range(first, parts.stop)


class _Learner:
    """Learns values at places, those of the upper levels first. What waits is kept by place and not called for: no
    nesting is too deep, and all that leads to one place is learned together."""

    def __init__(self) -> None:
        self.root = Place()
        self.places = self.columns = 1
        self.steps = 0
        self._waiting: dict[int, tuple[Place, list[Any], Sequence[int]]] = {}

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
            waiting, values, rows = self._waiting.pop(next(iter(self._waiting)))
            self._learn(waiting, values, rows)

    def close(self, place: Place, container: Container) -> None:
        """Count a container whose parts were learned."""
        place.count += 1
        if container.kind == "object":
            place.objects += 1
            place.most = max(place.most, container.count)
        else:
            self._count_arrays(place, [container.count])
        if container.path:
            self._count_part(self.place_at(container.path[:-1]), container.path[-1])

    def _count_part(self, place: Place, step: Step) -> None:
        """Count a container where it lies: it was left out when the parts beside it were learned."""
        if isinstance(step, int):
            place.items += 1
        elif place.keys is not None:
            place.keys.learn([step], [place.keys.rows], self.columns)

    def place_at(self, path: Path) -> Place:
        """The place of a container of the index."""
        place = self.root
        for step in path:
            if isinstance(step, int):
                place = self._each(place)
            elif place.keyed is not None:
                place = place.keyed
            else:
                place = place.fields.get(step) or self._field(place, step, [])
        return place

    def _wait(self, place: Place, values: list[Any], rows: Sequence[int]) -> None:
        known = self._waiting.get(id(place))
        self._waiting[id(place)] = (
            (place, values, rows) if known is None else (place, [*known[1], *values], [*known[2], *rows])
        )

    def _learn(self, place: Place, values: list[Any], rows: Sequence[int]) -> None:
        self.steps += 1
        place.count += len(values)
        for kinds, some, numbers in by_class(values, rows):
            if dict in kinds:
                place.objects += len(some)
                self._learn_objects(place, some, numbers)
            elif list in kinds:
                self._learn_arrays(place, some, numbers)
            else:
                if place.scalars is None:
                    place.scalars = Column()
                    self.columns += 1
                place.scalars.learn_class(kinds, some, numbers, self.columns)

    def _learn_objects(self, place: Place, objects: list[dict[str, Any]], rows: Sequence[int]) -> None:
        keys = _keys_of(objects)
        rows = rows if isinstance(rows, range) else list(rows)
        if place.keyed is None and not place.fields and _is_map(place, objects, keys):
            place.keyed, place.keys = self._new(place, place.route), Column()
        if place.keyed is not None and place.keys is not None:
            widest = max(map(len, objects))
            place.most = max(place.most, widest)
            members = list(chain.from_iterable(one.values() for one in objects))
            numbers = range(place.keys.rows, place.keys.rows + len(members))
            place.keys.learn(list(chain.from_iterable(objects)), numbers, self.columns)
            self._wait(place.keyed, members, numbers)
            return
        _note_types(place, objects, keys)
        where = _places_of(objects, [key for key, count in keys.items() if count * SELDOM < len(objects)])
        for key in keys:
            child = place.fields.get(key)
            if child is None:
                if self.places >= MOST_PLACES or self.steps >= MOST_STEPS:
                    place.more = True
                    continue
                child = self._field(place, key, objects)
            if keys[key] == len(objects):
                self._wait(child, list(map(itemgetter(key), objects)), rows)
            elif (some := where.get(key)) is not None:
                self._wait(child, [objects[at][key] for at in some], [rows[at] for at in some])
            else:
                found = [one.get(key, _MISSING) for one in objects]
                there = list(map(is_not, found, repeat(_MISSING)))
                self._wait(child, list(compress(found, there)), list(compress(rows, there)))

    def _learn_arrays(self, place: Place, arrays: list[list[Any]], rows: Sequence[int]) -> None:
        lengths = list(map(len, arrays))
        first = self._count_arrays(place, lengths)
        is_row = place.in_array and not (place.above and place.above.in_array)
        even = is_row and (first or place.positions) and 1 < place.fewest == place.most <= WIDEST_ROW
        if even and {dict, list}.isdisjoint(map(type, chain.from_iterable(arrays))):
            place.positions = place.positions or [Column() for _ in arrays[0]]
            for at, column in enumerate(place.positions):
                column.learn(list(map(itemgetter(at), arrays)), rows, self.columns)
            place.items += sum(lengths)
            return
        if place.positions:  # the arrays differ after all: what was learned as columns belongs to all items
            each = self._each(place)
            each.scalars = each.scalars or Column()
            for column in place.positions:
                each.count += column.rows
                each.scalars.merge(column)
            place.positions = None
        items = list(chain.from_iterable(arrays))
        if items:
            self._wait(self._each(place), items, range(place.items, place.items + len(items)))
            place.items += len(items)

    def _count_arrays(self, place: Place, lengths: list[int]) -> bool:
        """Count arrays; True for the first of a place."""
        first = not place.arrays
        place.arrays += len(lengths)
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

    def _field(self, place: Place, key: str, objects: Sequence[dict[str, Any]]) -> Place:
        """A new place for a field; or the way back to a place above, if its objects are of the same kind."""
        child = place.fields[key] = self._new(place, key)
        values = [one[key] for one in objects[:COMPARED] if type(one.get(key)) in (dict, list)]
        some = [value for value in values if isinstance(value, dict)]
        items = [item for value in values if isinstance(value, list) for item in islice(value, COMPARED)]
        if some and (kin := _kin(place, key, some)) is not None:
            place.fields[key] = kin
        elif objects_inside := _all_objects(items):
            child.each = _kin(place, key, objects_inside)
        elif (inner := _all_objects(one for value in some for one in value.values())) and (
            kin := _kin(place, key, inner)
        ) is not None:
            child.keyed, child.keys = kin, Column()
        return place.fields[key]


def _all_objects(values: Iterable[Any]) -> list[dict[str, Any]]:
    """The values, if all of them are objects; else none."""
    found = list(values)
    return found if all(isinstance(one, dict) for one in found) else []


def _kin(place: Place, key: str, objects: list[dict[str, Any]]) -> Place | None:
    """The place above whose objects these are like: reached through the same field, or with types in common."""
    found: Place | None = place
    while found is not None:
        if found.fields and ((found.route == key and _alike(found, objects)) or _same_types(found, objects)):
            found.is_tree = True
            return found
        found = found.above
    return None


def _alike(place: Place, objects: Iterable[dict[str, Any]]) -> bool:
    """Whether objects have most of their fields in common with those of a place."""
    fields = Counter(chain.from_iterable(objects))
    common = sum(count for field, count in fields.items() if field in place.fields)
    return len(place.fields.keys() & fields.keys()) > 1 and common * 3 >= sum(fields.values()) * 2


def _same_types(place: Place, objects: list[dict[str, Any]]) -> bool:
    """Whether objects say of themselves that they are of a type that the objects of a place are of."""
    if place.types is None:
        return False
    name, types = place.types
    found = [one.get(name) for one in objects]
    return None not in found and any(isinstance(one, str) and one in types for one in found)


def _note_types(place: Place, objects: list[dict[str, Any]], keys: dict[str, int]) -> None:
    """Note of what types the objects say that they are, if all of them do."""
    for name in _TYPES if place.types is None else (place.types[0],):
        if keys.get(name) == len(objects):
            found = {one[name] for one in objects if isinstance(one[name], str)}
            known = place.types[1] if place.types is not None else set[str]()
            place.types = (name, known | found) if len(found) <= MOST_TYPES else None
            return


def _is_map(place: Place, objects: list[dict[str, Any]], keys: dict[str, int]) -> bool:
    """Whether objects are maps from data to values of one kind, rather than records with named fields."""
    if place.in_array or not keys:
        return False
    names = list(islice(keys, COMPARED))
    values = [value for one in objects[:COMPARED] for value in islice(one.values(), COMPARED)]
    if sum(_DATA.match(key) is not None for key in names) * 5 >= len(names) * 4:
        return _one_class(values) and (len(objects) > 1 or len(keys) > 1 or isinstance(values[0], dict))
    if len(objects) > 1:
        sparse = sum(keys.values()) < SPARSE * len(keys) * len(objects)
        return sparse and len(keys) > MANY_MEMBERS and _one_class(values)
    scalars = not isinstance(values[0], dict | list)
    return len(keys) >= (MANY_SCALARS if scalars else MANY_MEMBERS) and _one_kind(values)


def _keys_of(objects: list[dict[str, Any]]) -> dict[str, int]:
    """The keys of objects, each with how many have it. Most objects at a place have the same."""
    if len(objects) == 1:
        return dict.fromkeys(objects[0], 1)
    alike = Counter(map(tuple, objects))
    if len(alike) * DIFFERENT > len(objects):
        return Counter(chain.from_iterable(objects))
    keys: dict[str, int] = {}
    for names, count in alike.items():
        for name in names:
            keys[name] = keys.get(name, 0) + count
    return keys


def _places_of(objects: list[dict[str, Any]], keys: list[str]) -> dict[str, list[int]]:
    """Which objects have each of these keys, which only some of them have."""
    where: dict[str, list[int]] = {key: [] for key in keys}
    for at, one in enumerate(objects) if keys else ():
        for key in where.keys() & one.keys():
            where[key].append(at)
    return where


def _one_class(values: list[Any]) -> bool:
    """Whether values are all objects, all arrays, or all scalars of a type."""
    return len({float if type(value) is int else type(value) for value in values if value is not None}) == 1


def _one_kind(values: list[Any]) -> bool:
    """Whether values could be those of one map: objects with fields in common or maps themselves, arrays of such, or
    scalars of a type."""
    values = [value for value in values if value is not None]
    if not _one_class(values):
        return False
    if isinstance(values[0], list):
        return _one_kind([item for value in values for item in value[:2]] or [0])
    if not isinstance(values[0], dict):
        return True
    fields = Counter(chain.from_iterable(values))
    common = sum(count for count in fields.values() if count * 2 >= len(values))
    if common * 2 >= sum(fields.values()):
        return True
    return len(fields) > len(values) and _one_kind([item for value in values for item in islice(value.values(), 2)])
