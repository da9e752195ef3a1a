"""Columns for the items of short arrays that have the same length in every row: a point is a time and a value.

    "value": [1788220800, "0.4"]                             value[0], value[1]
    "cells": [{"value": "20260901"}, {"value": "Japan"}]     the names in "headers": [{"name": "date"}, ...]

Arrays whose items may be in any order (labels, tags) stay arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms.column_names import names_beside
from penstock.core.forms.json_columns import dotted, unread
from penstock.core.forms.reading import with_fields
from penstock.core.forms.rows import RowSpec

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Field, Table
    from penstock.core.forms.structure import Place
    from penstock.core.json.path import Path
    from penstock.core.profile import Column

MAX_ITEMS: Final = 6  # Items of an array become columns if there are at most so many; longer arrays are lists.
MIN_ARRAYS: Final = 8  # Fewer arrays than these may have the same length by chance.


def with_array_columns(view: JsonView, table: Table) -> Table:
    """Return a table with a column for each item of these arrays, under the names next to the rows if there are any.
    SQL still has the arrays themselves if a query names them."""
    taken = {one.name for one in table.fields}
    fields: list[Field] = []
    for field in table.fields:
        fields += _split(view, table, field, taken) or [field]
    return with_fields(table, fields)


def _split(view: JsonView, table: Table, field: Field, taken: set[str]) -> list[Field]:
    """Return the columns that the items of arrays are. Return none if the items may be in any order, unless they are
    objects and the names of the columns are next to the rows."""
    place, path = field.place, field.path
    inner = _way_to_scalar(place) if place is not None else None
    if place is None or path is None or not path.path or inner is None:
        return []
    word = field.name.rpartition(".")[2]
    assert isinstance(table.spec, RowSpec)
    names = names_beside(view.document, view.structure, table.spec.outer, place.most, word)
    steps: list[Path] = [(at, *inner) for at in range(place.most)]
    has_schema = bool(inner) and bool(names)
    if not names or not taken.isdisjoint(names):
        names = [dotted((field.name, *step)) for step in steps]
    split = [unread(name, (*path.path, *step)) for name, step in zip(names, steps, strict=True)]
    made = list(view.profiled(with_fields(table, split)).fields)
    if not has_schema and not _differ([one.column for one in made]):
        return []
    taken |= set(names)
    return made


def _way_to_scalar(place: Place) -> Path | None:
    """Return the way from an item of arrays of one length to the only scalar that it has. Return None for other
    arrays."""
    each = place.each
    if each is None or place.arrays < MIN_ARRAYS or not place.is_only(place.arrays):
        return None
    if not 0 < place.fewest == place.most <= MAX_ITEMS:
        return None
    if each.is_only(each.column.filled):
        return ()
    [(name, inner), *more] = each.fields.items() if each.is_only(each.objects) and each.fields else [("", each)]
    is_only = not more and not each.more and place.most > 1 and inner.is_only(inner.column.filled)
    return (name,) if is_only else None


def _differ(columns: list[Column]) -> bool:
    """Return True if each place has values of one type, and not all places of the same."""
    kinds = {frozenset("number" if one.is_numeric else kind for kind in one.kinds) for one in columns}
    return len(kinds) > 1 and all(len(kind) == 1 for kind in kinds)
