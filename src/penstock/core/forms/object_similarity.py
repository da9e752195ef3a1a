"""Decide which objects are alike: members of one map, nodes of one tree, or records with names for fields."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.tables.roles import is_kind, kind_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from penstock.core.forms.structure import Place

COMPARED: Final = 40  # So many objects or keys are compared, because more hardly change the decision.
MIN_MEMBERS: Final = (
    12  # An object of at least so many members that are all alike is a map, even if its keys are names.
)
MAX_TYPES: Final = 200  # A document has at most so many types of objects; more are names or ids.

# Keys that are data: numbers, paths, addresses, identifiers, sentences. Names have none of these.
_DATA = re.compile(r"[0-9]|.*(?:[/:\s#]|[0-9a-f]{8}|.{41})")


def all_objects(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the values if all of them are objects, else none."""
    objects = list(values)
    return objects if set(map(type, objects)) == {dict} else []


def kin_of(place: Place, key: str, objects: list[dict[str, Any]]) -> Place | None:
    """Return the place above whose objects these are like: reached through the same field, or with types in common."""
    kin: Place | None = place
    while kin is not None:
        if kin.fields and ((kin.route == key and _alike(kin, objects, key)) or _same_types(kin, objects, key)):
            kin.is_tree = True
            return kin
        kin = kin.above
    return None


def _alike(place: Place, objects: list[dict[str, Any]], key: str) -> bool:
    """Return True if two thirds of the fields of objects are fields of the objects at a place, and at least two, and if
    the objects have most of the usual fields there, except for the field that leads to them."""
    fields = Counter(chain.from_iterable(objects))
    common = [count for field, count in fields.items() if field in place.fields]
    if len(common) < 2 or sum(common) * 3 < sum(fields.values()) * 2:
        return False
    usual = {field for field, inner in place.fields.items() if inner.count * 2 >= place.objects} - {key}
    return len(usual & fields.keys()) * 4 >= len(usual) * 3


def _same_types(place: Place, objects: list[dict[str, Any]], key: str) -> bool:
    """Return True if all objects have a type, and some of them one that the objects at a place have. If there is only
    one type at the place, the objects have to be alike in other ways too."""
    if place.types is None:
        return False
    name, types = place.types
    cells = [one.get(name) for one in objects]
    is_same = None not in cells and any(isinstance(one, str) and one in types for one in cells)
    return is_same and (len(types) > 1 or _alike(place, objects, key))


def columns_of(place: Place, objects: list[dict[str, Any]], most: int) -> dict[str, list[Any]]:
    """Return the values of objects by their keys, each in the order of the objects that have it. Up to ``most`` keys
    are new at the place. The types of the objects are noted there."""
    columns = _even_columns(objects) or _uneven_columns(objects, place.fields, most)
    names = sorted(filter(is_kind, columns), key=kind_order) if place.types is None else [place.types[0]]
    for name in names:
        if len(column := columns.get(name, [])) == len(objects):
            texts = {one for one in column if type(one) is str}
            types = texts if place.types is None else texts | place.types[1]
            place.types = (name, types) if len(types) <= MAX_TYPES else None
            break
    return columns


def _even_columns(objects: list[dict[str, Any]]) -> dict[str, list[Any]] | None:
    """Return the columns of objects that all have the same keys, as most have. Return None for others."""
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
    for one in objects:  # row by row, as the values lie in memory
        for key, value in one.items():
            if key in columns:
                columns[key].append(value)
            elif key in known or most > 0:
                most -= key not in known
                columns[key] = [value]
    return columns


def are_data(keys: Collection[str]) -> bool:
    """Return True if at least four of five keys are written as data, not as names."""
    return sum(_DATA.match(key) is None for key in keys) * 5 <= len(keys)


def is_map(place: Place, objects: list[dict[str, Any]]) -> bool:
    """Return True if objects are maps from data to values of one kind, rather than records with named fields."""
    if place.in_array:
        return False
    some = objects[:COMPARED]
    names = list(islice(dict.fromkeys(chain.from_iterable(some)), COMPARED))
    with_data = are_data(names)
    if not names or (not with_data and len(some) > 1 and set(map(len, some)) == {len(names)}):
        return False  # The first of them have the same keys, which are names.
    values = [value for one in some for value in islice(one.values(), COMPARED)]
    if with_data:
        return _one_class(values) and (len(objects) > 1 or len(names) > 1 or isinstance(values[0], dict))
    if len(objects) > 1:  # Names are keys of a map if each object has others.
        keys = set().union(*objects)
        return _one_class(values) and sum(map(len, objects)) * 3 < len(keys) * len(objects)
    return len(objects[0]) >= MIN_MEMBERS and _one_kind(values)


def _one_class(values: list[Any]) -> bool:
    """Return True if values are all objects, all arrays, or all scalars of a type."""
    return len({float if type(value) is int else type(value) for value in values if value is not None}) == 1


def _one_kind(values: list[Any]) -> bool:
    """Return True if values could be those of one map: objects of which most have two fields in common, maps, arrays of
    these, or scalars of one type."""
    values = [value for value in values if value is not None]
    if not _one_class(values):
        return False
    if isinstance(values[0], list):
        return _one_kind([item for value in values for item in value[:2]] or [0])
    if not isinstance(values[0], dict):
        return True
    fields = Counter(chain.from_iterable(values))
    usual = [field for field, count in fields.items() if count * 2 >= len(values)]
    return len(usual) > 1 or _one_kind([item for value in values for item in islice(value.values(), 2)] or [0])
