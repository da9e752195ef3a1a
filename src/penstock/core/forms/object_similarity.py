"""Tell which objects are alike: members of one map, nodes of one tree, or records with names for fields."""

from __future__ import annotations

import re
from collections import Counter, deque
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.json.path import EACH, KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from penstock.core.forms.structure import Place
    from penstock.core.json.path import Step

MANY_ALIKE: Final = 16  # objects that are of one kind, however they differ, where they have
FEW_ALIKE: Final = 2  # fields in common
COMPARED: Final = 40  # objects looked at to see whether they are alike
MANY_MEMBERS: Final = 12  # members of an object that are all alike make a map, whatever the keys look like,
MANY_SCALARS: Final = 40  # and scalars only if there are so many
SPARSE: Final = 0.3  # of the objects at a place have an average key, where each has keys of its own
MOST_TYPES: Final = 200  # types of objects in one document; more are names

# Keys that are data: numbers, paths, addresses, identifiers, sentences. Names have none of these.
_DATA = re.compile(r"[0-9]|.*(?:[/:\s#]|[0-9a-f]{8}|.{41})")
_TYPES: Final = ("type", "_type", "kind", "nodeType", "node_type", "tag", "@type", "__class__", "class", "op")

_leave: Final[Callable[[Any], None]] = deque[Any](maxlen=0).append


def all_objects(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the values, if all of them are objects; else none. Most often the first tells."""
    objects: list[dict[str, Any]] = []
    for one in values:
        if type(one) is not dict:
            return []
        objects.append(one)
    return objects


def kin_of(place: Place, key: str, objects: list[dict[str, Any]]) -> Place | None:
    """Return the place above whose objects these are like: reached through the same field, or with types in common."""
    kin: Place | None = place
    while kin is not None:
        if kin.fields and ((kin.route == key and _alike(kin, objects, key)) or _same_types(kin, objects, key)):
            kin.is_tree = True
            return kin
        kin = kin.above
    return None


def ways_back(place: Place) -> dict[str, Step]:
    """Return the fields of a place that lead back to it: alone, through an array (EACH) or through a map (KEY)."""
    ways: dict[str, Step] = {}
    for key, inner in place.fields.items():
        if inner is place:
            ways[key] = key
        elif inner.each is place or inner.keyed is place:
            ways[key] = EACH if inner.each is place else KEY
    return ways


def _alike(place: Place, objects: Iterable[dict[str, Any]], key: str) -> bool:
    """Return True if objects have most of their fields in common with those of a place, and these with them: of the
    fields that most have there, but for the one that leads to the objects."""
    fields = Counter(chain.from_iterable(objects))
    common = sum(count for field, count in fields.items() if field in place.fields)
    if len(place.fields.keys() & fields.keys()) < 2 or common * 3 < sum(fields.values()) * 2:
        return False
    usual = {field for field, inner in place.fields.items() if inner.count * 2 >= place.objects} - {key}
    return len(usual & fields.keys()) * 4 >= len(usual) * 3


def _same_types(place: Place, objects: list[dict[str, Any]], key: str) -> bool:
    """Return True if objects say of themselves that they are of a type that the objects of a place are of. Where these
    are all of one type, that is no more than a name."""
    if place.types is None:
        return False
    name, types = place.types
    cells = [one.get(name) for one in objects]
    is_same = None not in cells and any(isinstance(one, str) and one in types for one in cells)
    return is_same and (len(types) > 1 or _alike(place, objects, key))


def columns_of(place: Place, objects: list[dict[str, Any]], most: int) -> dict[str, list[Any]]:
    """Return the values of objects by their keys, each in the order of the objects that have it; of keys that are not
    known yet no more than ``most``. What types the objects say that they are is noted at their place."""
    columns = _even_columns(objects) or _uneven_columns(objects, place.fields, most)
    _note_types(place, len(objects), columns)
    return columns


def _even_columns(objects: list[dict[str, Any]]) -> dict[str, list[Any]] | None:
    """Return the columns of objects that all have the same keys, as most have; None for others."""
    first = objects[0]
    if not first or objects[-1].keys() != first.keys() or set(map(len, objects)) != {len(first)}:
        return None
    rows: Iterable[Any] = map(itemgetter(*first), objects)
    try:
        cells = list(rows if len(first) == 1 else chain.from_iterable(rows))
    except KeyError:
        return None
    return {key: cells[at :: len(first)] for at, key in enumerate(first)}


def _uneven_columns(objects: list[dict[str, Any]], known: Collection[str], most: int) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    take: dict[str, Callable[[Any], None]] = {}
    for one in objects:  # row by row, as the values lie in memory
        for key, value in one.items():
            try:
                take[key](value)
            except KeyError:
                if key in known or most > 0:
                    most -= key not in known
                    columns[key] = [value]
                    take[key] = columns[key].append
                else:
                    take[key] = _leave
    return columns


def _note_types(place: Place, objects: int, columns: dict[str, list[Any]]) -> None:
    """Note of what types the objects say that they are, if all of them do."""
    for name in _TYPES if place.types is None else (place.types[0],):
        if len(column := columns.get(name, [])) == objects:
            texts = {one for one in _different(column) if type(one) is str}
            known = place.types[1] if place.types is not None else set[str]()
            place.types = (name, known | texts) if len(texts) <= MOST_TYPES else None
            return


def _different(values: list[Any]) -> Iterable[Any]:
    """Return each of some values once; all of them, where there are arrays and objects among them."""
    try:
        return set(values)
    except TypeError:
        return values


def are_data(keys: Collection[str]) -> bool:
    """Return True if keys are data and no names, by how most of them are written: four of five."""
    names = 0
    for key in keys:
        names += _DATA.match(key) is None
        if names * 5 > len(keys):
            return False
    return True


def is_map(place: Place, objects: list[dict[str, Any]]) -> bool:
    """Return True if objects are maps from data to values of one kind, rather than records with named fields."""
    if place.in_array:
        return False
    some = objects[:COMPARED]
    names = list(islice(dict.fromkeys(chain.from_iterable(some)), COMPARED))
    with_data = are_data(names)
    if not names or (not with_data and len(some) > 1 and set(map(len, some)) == {len(names)}):
        return False  # the first of them have the same keys, which are names
    values = [value for one in some for value in islice(one.values(), COMPARED)]
    if with_data:
        return _one_class(values) and (len(objects) > 1 or len(names) > 1 or isinstance(values[0], dict))
    if len(objects) > 1:
        if not _one_class(values):
            return False
        keys = set().union(*objects)
        return len(keys) > MANY_MEMBERS and sum(map(len, objects)) < SPARSE * len(keys) * len(objects)
    scalars = not isinstance(values[0], dict | list)
    return len(objects[0]) >= (MANY_SCALARS if scalars else MANY_MEMBERS) and _one_kind(values)


def _one_class(values: list[Any]) -> bool:
    """Return True if values are all objects, all arrays, or all scalars of a type."""
    return len({float if type(value) is int else type(value) for value in values if value is not None}) == 1


def _share_fields(fields: Counter[str], objects: int) -> bool:
    """Return True if many objects have a few fields in common, as things of several kinds that say what they are do."""
    return objects >= MANY_ALIKE and sum(count * 4 >= objects * 3 for count in fields.values()) >= FEW_ALIKE


def _one_kind(values: list[Any]) -> bool:
    """Return True if values could be those of one map: objects with fields in common, maps, arrays of these, or
    scalars of one type."""
    values = [value for value in values if value is not None]
    if not _one_class(values):
        return False
    if isinstance(values[0], list):
        return _one_kind([item for value in values for item in value[:2]] or [0])
    if not isinstance(values[0], dict):
        return True
    fields = Counter(chain.from_iterable(values))
    common = sum(count for count in fields.values() if count * 2 >= len(values))
    if common * 2 >= sum(fields.values()) or _share_fields(fields, len(values)):
        return True
    return len(fields) > len(values) and _one_kind([item for value in values for item in islice(value.values(), 2)])
