"""Rows that are arrays, and arrays of numbers: tables whose columns have no names of their own.

The names are those of the first row, as spreadsheets answer, or of an array next to the rows:
``{"columns": [...], "rows": [[...]]}``. Without names, ``[[t, v], ...]`` is a table with the columns ``c1`` and ``c2``.
The servers for Excel, Google Sheets, Prometheus, InfluxDB and Grafana answer in these forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.column_names import are_names, column_name, names_beside
from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.json_columns import unread
from penstock.core.forms.json_values import is_retained, retained
from penstock.core.forms.json_view import row_words
from penstock.core.forms.reading import with_fields
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.forms.structure import MAX_WIDTH
from penstock.core.forms.tree_nodes import dig
from penstock.core.json.path import EACH
from penstock.core.profile import Column

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading, Table

MIN_ROWS: Final = 3  # With fewer rows below it, the first row may differ from the others by chance.


def read(view: JsonView) -> Reading | None:
    """Read the main table if its rows are arrays or numbers."""
    if not view.tables:
        return None
    main, *others = view.tables
    if (grid := _grid(view, main)) is not None:
        facts = [f"the first of the {grid.count + 1:,} arrays names the columns"]
        return view.reading("columnar", row_words(grid, "rows"), [grid, *others], facts)
    own = [one for one in main.fields if one.path is not None and one.path.level < 0]
    if own and own[0].path is not None and own[0].path.path == (0,):
        named = _named(view, main, len(own))
        form = "rows" if named is None else "columnar"
        main = named or main
        return view.reading(form, row_words(main, "rows"), [main, *others])
    if [one.name for one in main.fields] == ["value"] and own[0].column.is_numeric:
        return view.reading("values", row_words(main, "values"), view.tables)
    return None


def _grid(view: JsonView, main: Table) -> Table | None:
    """Return the table of arrays of which the first names the columns. Other arrays may be shorter: their last cells
    are empty. The first names the others only if a column has numbers, booleans or times below a name that is none of
    these, and no name appears again in its own column."""
    spec = main.spec
    if not isinstance(spec, RowSpec) or spec.inner != (EACH,) or not is_retained(view.document):
        return None
    arrays: list[Any] = dig(retained(view.document), spec.outer)
    if len(arrays) <= MIN_ROWS or set(map(type, arrays)) != {list}:
        return None
    names = arrays[0]
    if not 1 < len(names) <= MAX_WIDTH or set(map(type, names)) != {str} or not are_names(list(map(str.strip, names))):
        return None
    if max(map(len, arrays)) > len(names):
        return None
    fields = tuple(unread(name, (at,)) for at, name in enumerate(names))
    columns = tuple(one.path for one in fields if one.path is not None)
    spec = RowSpec(outer=spec.outer, columns=columns, has_header=True)
    table = view.profiled(replace(main, count=len(arrays) - 1, fields=fields, spec=spec))
    below = [one.column for one in table.fields]
    if any(one.nested or name in (one.counts or ()) for name, one in zip(names, below, strict=True)):
        return None
    is_named = any(_is_data(one) and not _is_data(_column_of(name)) for name, one in zip(names, below, strict=True))
    return table if is_named else None


def _column_of(name: str) -> Column:
    column = Column()
    column.learn([name])
    return column


def _is_data(column: Column) -> bool:
    """Return True if a column has values that are no names: numbers, booleans, or times."""
    return bool(column.filled) and (str not in column.kinds or column.is_time or column.writes_numbers)


def _named(view: JsonView, main: Table, width: int) -> Table | None:
    """Return the table with the names of its last ``width`` columns, which are next to the rows."""
    assert isinstance(main.spec, RowSpec)
    if main.spec.inner == (EACH,):
        names = names_beside(view.document, view.structure, main.spec.outer, width)
    else:
        names = _names_inside(view, main.spec, width)
    context, own = main.fields[:-width], main.fields[-width:]
    if not names or not are_names([*(one.name for one in context), *names]):
        return None
    renamed = [
        msgspec.structs.replace(one, name=name, path=msgspec.structs.replace(one.path, name=name))
        for name, one in zip(names, own, strict=True)
        if one.path is not None
    ]
    return with_fields(main, [*context, *renamed])


def _names_inside(view: JsonView, spec: RowSpec, width: int) -> list[str]:
    """Return the names that are next to the rows in every series, if all series have the same names:
    ``{"columns": ["time", "usage"], "values": [[...]]}``."""
    above = spec.inner[:-2]
    if not above or not is_retained(view.document):
        return []
    place = dict(view.structure.places)[(*spec.outer, *above)]
    for name, inner in place.fields.items():
        if not inner.is_only(inner.arrays) or inner.arrays != place.count or inner.most != width:
            continue
        column = ColumnPath(name=name, path=(name,))
        series = RowSpec(outer=spec.outer, inner=above, columns=(column,))
        lists = JsonCells(view.document, series).columns([name])[name]
        names = [column_name(one) for one in lists[0]]
        if are_names(names) and all(one == lists[0] for one in lists):
            return names
    return []
