"""Columns for the items of short arrays that have the same length in every row: a point is a time and a value.

    "value": [1788220800, "0.4"]                                     value[0], value[1]
    "keys": ["red shoes", "https://example.org/", "MOBILE"]          keys[0], keys[1], keys[2]
    "cells": [{"value": "20260901"}, {"value": "Japan"}]             cells[0].value, cells[1].value

Arrays whose items may be in any order (labels, tags) stay arrays.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.column_names import names_beside
from penstock.core.forms.json_columns import dotted
from penstock.core.forms.reading import Field
from penstock.core.forms.rows import ColumnPath, RowSpec, dig_each
from penstock.core.profile import Column

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Table
    from penstock.core.forms.structure import Place
    from penstock.core.json.path import Path

LONGEST: Final = 6  # Items of an array that become columns; longer arrays are lists.
LEAST: Final = 8  # Fewer arrays than these may have the same length by accident.
_NUMBER: Final = float  # The type of integers as well.


def with_array_columns(view: JsonView, table: Table) -> Table:
    """Return a table with a column for each item of these arrays, under the names next to the rows if there are any.
    SQL still has the arrays themselves if a query names them."""
    spec = table.spec
    assert isinstance(spec, RowSpec)
    taken = {one.name for one in table.fields}
    fields: list[Field] = []
    for field in table.fields:
        fields += _split(view, table, field, taken) or [field]
    columns = tuple(one.path for one in fields if one.path is not None)
    return replace(table, fields=tuple(fields), spec=msgspec.structs.replace(spec, columns=columns))


def _split(view: JsonView, table: Table, field: Field, taken: set[str]) -> list[Field]:
    """Return the columns that the items of arrays are. Return none if the items may be in any order, unless they are
    objects and the names of the columns are next to the rows."""
    place, path, spec = field.place, field.path, table.spec
    inner = _way_to_scalar(place) if place is not None else None
    if place is None or path is None or not path.path or inner is None or not isinstance(spec, RowSpec):
        return []
    word = field.name.rpartition(".")[2]
    names = names_beside(view.document, view.structure, spec.outer, place.most, word)
    arrays = view.cells(table).columns([field.name])[field.name]
    steps: list[Path] = [(at, *inner) for at in range(place.most)]
    columns = [dig_each(arrays, step) for step in steps]
    has_schema = bool(inner) and bool(names)
    if not has_schema and not (_are_apart(columns) and _repeat(columns)):
        return []
    if not names or not taken.isdisjoint(names):
        names = [dotted((field.name, *step)) for step in steps]
    taken |= set(names)
    fields = []
    for name, step, values in zip(names, steps, columns, strict=True):
        column = Column()
        column.learn(values, range(len(values)), len(columns), keep=True)
        fields.append(Field(name=name, column=column, path=ColumnPath(name=name, path=(*path.path, *step))))
    return fields


def _way_to_scalar(place: Place) -> Path | None:
    """Return the way from an item of arrays of one length to the only scalar that it has. Return None for other
    arrays."""
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
    """Return True if the items of arrays differ by their place: numbers and texts do. So do numbers if those in one
    place are all greater than those in another, and texts if none is in two places."""
    values = [{one for one in column if one is not None} for column in columns]
    kinds = [frozenset(_NUMBER if type(one) in (int, float) else type(one) for one in some) for some in values]
    if len(columns) == 1 or len(set(kinds)) > 1 or len(kinds[0]) != 1:
        return len(columns) == 1 or all(len(one) == 1 for one in kinds)
    pairs = combinations(values, 2)
    if kinds[0] == {_NUMBER}:
        return all(max(one) < min(other) or max(other) < min(one) for one, other in pairs)
    return all(one.isdisjoint(other) for one, other in pairs)


def _repeat(columns: list[list[Any]]) -> bool:
    """Return True if some place has texts that repeat, or if not all places have texts."""
    is_text = all(type(one) is str for column in columns for one in column if one is not None)
    return len(columns) == 1 or not is_text or any(len(set(column)) * 2 <= len(column) for column in columns)
