"""Columns for the items of short arrays that are as long in every row: a point is a time and a value, and no list.

    "value": [1788220800, "0.4"]                                     value[0], value[1]
    "keys": ["red shoes", "https://example.org/", "MOBILE"]          keys[0], keys[1], keys[2]
    "dimensionValues": [{"value": "20260901"}, {"value": "Japan"}]   dimensionValues[0].value, dimensionValues[1].value

Arrays of which each item may stand anywhere (labels, tags) stay arrays.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.nodes import dig
from penstock.core.forms.reading import Field
from penstock.core.forms.rows import ColumnPath, RowSpec, dig_each
from penstock.core.forms.tables import dotted
from penstock.core.profile import Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.json_cells import JsonCells
    from penstock.core.forms.places import Place
    from penstock.core.forms.reading import Table
    from penstock.core.json.path import Path

LONGEST: Final = 6  # items of an array whose items are columns
BEGINNING: Final = 5  # letters that the name of arrays and that of their headers have in common
NAMES: Final = ("name", "title", "label", "field", "key", "id", "text")  # where a column that is an object has its name
TRIED: Final = 40  # arrays that most often tell that their items may stand anywhere
LEAST: Final = 8  # arrays: fewer may be as long by accident
_NUMBER: Final = float  # stands for integers as well


def with_positions(table: Table, cells: JsonCells, whole: Any) -> Table:
    """Return a table with a column for each item of such arrays, by the names that stand beside the rows in the
    ``whole`` document. SQL has the arrays themselves where a query names them."""
    spec = table.spec if isinstance(table.spec, RowSpec) else RowSpec()
    if not any(one.place is not None and one.place.arrays and _inner(one.place) is not None for one in table.fields):
        return table
    fields: list[Field] = []
    headers = _headers(dig(whole, spec.outer[:-1])) if spec.outer else []
    taken = {one.name for one in table.fields}
    for field in table.fields:
        names = _names(field, headers)
        made = _named(list(_split(field, cells, is_headed=bool(names))), names, taken)
        fields += made or [field]
    columns = tuple(one.path for one in fields if one.path is not None)
    return replace(table, fields=tuple(fields), spec=msgspec.structs.replace(spec, columns=columns))


def _headers(beside: Any) -> list[tuple[str, list[str]]]:
    """Return the arrays of objects that have names, beside rows or one object further: ``schema.fields``."""
    near = list(beside.items()) if isinstance(beside, dict) else []
    near += [pair for _, one in near if isinstance(one, dict) for pair in one.items()]
    lists = [(key, one) for key, one in near if isinstance(one, list) and 1 < len(one) <= LONGEST]
    made = [(key, [name_of_column(one) for one in some if isinstance(one, dict)]) for key, some in lists]
    return [(key, names) for key, names in made if all(names)]


def _names(field: Field, headers: list[tuple[str, list[str]]]) -> list[str]:
    """Return as many names as arrays have items: the first there are, or those whose array begins as these do."""
    own = field.name.rpartition(".")[2][:BEGINNING]
    most = field.place.most if field.place is not None and field.place.arrays else 0
    fitting = [names for _, names in sorted(headers, key=lambda one: not one[0].startswith(own)) if len(names) == most]
    return next((names for names in fitting if len({name.lower() for name in names}) == most), [])


def _named(made: list[Field], names: list[str], taken: set[str]) -> list[Field]:
    """Return columns under their names, where no other column has one of these."""
    if not made or not names or not taken.isdisjoint(names):
        return made
    taken |= set(names)
    return [
        Field(name=name, column=one.column, path=one.path and msgspec.structs.replace(one.path, name=name))
        for name, one in zip(names, made, strict=True)
    ]


def name_of_column(value: Any) -> str:
    """Return the name of a column: a text, or that of an object that describes it."""
    if isinstance(value, dict):
        value = next((value[name] for name in NAMES if isinstance(value.get(name), str)), "")
    return value if isinstance(value, str) else ""


def _split(field: Field, cells: JsonCells, *, is_headed: bool) -> Iterator[Field]:
    """Yield the columns that the items of arrays are; none where these may stand anywhere, unless they are objects of
    which headers tell the names."""
    place, path = field.place, field.path
    if place is None or path is None or not path.path or (inner := _inner(place)) is None:
        return
    arrays = cells.columns([field.name])[field.name]
    steps: list[Path] = [(at, *inner) for at in range(place.most)]
    is_known = bool(inner) and is_headed
    some = list(islice((one for one in arrays if one is not None), TRIED))
    if not is_known and not _are_apart([dig_each(some, one) for one in steps]):
        return
    columns = [dig_each(arrays, one) for one in steps]
    if is_known or (_are_apart(columns) and _repeat(columns)):
        for step, values in zip(steps, columns, strict=True):
            name = dotted((field.name, *step))
            column = Column()
            column.learn(values, range(len(values)), len(columns), later=True)
            yield Field(name=name, column=column, path=ColumnPath(name=name, path=(*path.path, *step)))


def _inner(place: Place) -> Path | None:
    """Return the way from an item of arrays of one length to the only scalar that it has; None for other arrays."""
    each = place.each
    if each is None or place.arrays < LEAST or not place.is_only(place.arrays):
        return None
    if not 0 < place.fewest == place.most <= LONGEST:
        return None
    if each.is_only(each.column.filled):
        return ()
    [(name, inner), *more] = each.fields.items() if each.is_only(each.objects) and each.fields else [("", each)]
    is_only = not more and not each.more and place.most > 1 and inner.is_only(inner.column.filled)
    return (name,) if is_only else None


def _are_apart(columns: list[list[Any]]) -> bool:
    """Tell whether the items of arrays differ by where they stand: numbers and texts do, as do numbers of which those
    in one place are all greater than those in another, and texts of which none stands in two places."""
    values = [{one for one in column if one is not None} for column in columns]
    kinds = [frozenset(_NUMBER if type(one) in (int, float) else type(one) for one in some) for some in values]
    if len(columns) == 1 or len(set(kinds)) > 1 or len(kinds[0]) != 1:
        return len(columns) == 1 or all(len(one) == 1 for one in kinds)
    pairs = combinations(values, 2)
    if kinds[0] == {_NUMBER}:
        return all(max(one) < min(other) or max(other) < min(one) for one, other in pairs)
    return all(one.isdisjoint(other) for one, other in pairs)


def _repeat(columns: list[list[Any]]) -> bool:
    """Tell whether texts stand in one place again and again, where all places have texts."""
    is_text = all(type(one) is str for column in columns for one in column if one is not None)
    return len(columns) == 1 or not is_text or any(len(set(column)) * 2 <= len(column) for column in columns)
