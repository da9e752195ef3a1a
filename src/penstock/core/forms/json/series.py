"""Series: an array of numbers, or rows that are arrays of one length, with the places of their extremes.

``[[t, v], ...]`` is a table with the columns ``c1`` and ``c2``, or with the names next to it:
``{"columns": [...], "rows": [[...]]}``. The servers for Prometheus, InfluxDB and Grafana answer in this form.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.column_names import are_names, column_name, names_beside
from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.json_view import row_words
from penstock.core.forms.reading import Field, Table
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.forms.times import NARROW, epoch_text
from penstock.core.forms.values import is_retained
from penstock.core.json.path import EACH
from penstock.core.profile_values import FLOATS
from penstock.core.text import plain

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading

MOST_WRITTEN: Final = 100_000  # Numbers in texts that are compared, which takes 20 ms.
MOST_NAMED: Final = 4  # Cells that name the series of a row.


def read(view: JsonView) -> Reading | None:
    """Read the main table as a series, if its rows are arrays or numbers."""
    if not view.tables:
        return None
    main = view.tables[0]
    own = [one for one in main.fields if one.path is not None and one.path.level < 0]
    if own and own[0].path is not None and own[0].path.path == (0,):
        return _arrays(view, main, own)
    if [one.name for one in main.fields] == ["value"] and own[0].column.is_numeric:
        facts = _extremes(view, main, own[0]) if _is_numbered(view, main) else []
        return view.reading("values", row_words(main, "values"), view.tables, facts)
    return None


def _arrays(view: JsonView, main: Table, own: list[Field]) -> Reading:
    """Read rows that are arrays of one length."""
    spec = main.spec
    assert isinstance(spec, RowSpec)
    is_only = spec.inner == (EACH,)
    beside = names_beside(view.document, view.structure, spec.outer, len(own)) if is_only else _names_inside(view, main)
    context = main.fields[: -len(own)]
    if not are_names([one.name for one in context] + beside):
        beside = []
    if beside:
        own = [
            Field(name=name, column=one.column, path=ColumnPath(name=name, path=one.path.path))
            for name, one in zip(beside, own, strict=True)
            if one.path is not None
        ]
        columns = tuple(one.path for one in (*context, *own) if one.path is not None)
        main = replace(main, fields=(*context, *own), spec=msgspec.structs.replace(spec, columns=columns))
    tables = [main, *view.tables[1:]]
    if beside and is_only:
        return view.reading("columnar", row_words(main, "rows"), tables)
    facts = [line for field in own for line in _extremes(view, main, field)] if _is_numbered(view, main) else []
    return view.reading("rows", row_words(main, "rows"), tables, facts)


def _names_inside(view: JsonView, main: Table) -> list[str]:
    """Return the names that are next to the rows in every series, if all series have the same names:
    ``{"columns": ["time", "usage"], "values": [[...]]}``."""
    spec = main.spec
    assert isinstance(spec, RowSpec)
    above = spec.inner[:-2]
    if not above or not is_retained(view.document):
        return []
    width = sum(one.path is not None and one.path.level < 0 for one in main.fields)
    place = dict(view.structure.places)[(*spec.outer, *above)]
    for name, inner in place.fields.items():
        if not inner.is_only(inner.arrays) or inner.arrays != place.count or inner.most != width:
            continue
        column = ColumnPath(name=name, path=(name,))
        cells = JsonCells(view.document, RowSpec(outer=spec.outer, inner=above, columns=(column,))).columns([name])
        lists = cells[name]
        names = [column_name(one) for one in lists[0]]
        if are_names(names) and all(one == lists[0] for one in lists):
            return names
    return []


def _is_numbered(view: JsonView, table: Table) -> bool:
    """Return True if the values were profiled with the numbers of their rows. Those of several large arrays were
    not."""
    is_plain = isinstance(table.spec, RowSpec) and table.spec.is_plain
    return is_plain or is_retained(view.document) or len(view.document.index.containers) == 1


def _extremes(view: JsonView, main: Table, field: Field) -> list[str]:
    """Find the rows with the least and the greatest number of a series, counted from 1, and name them: the columns from
    around the row name the series, and its first cell names the point. Times are passed over."""
    column = field.column
    if column.is_numeric and column.least is not None and column.greatest is not None:
        ends = [(one.value, one.row) for one in (column.least, column.greatest)]
    elif column.writes_numbers and column.filled <= MOST_WRITTEN:
        cells = view.cells(main).columns([field.name])[field.name]
        ends = [(one, cells.index(one)) for one in _ends([one for one in cells if one is not None])]
    else:
        return []
    if all(epoch_text(value) for value, _ in ends) and float(ends[0][0]) * NARROW > float(ends[1][0]):
        return []
    names = [one.name for one in main.fields if one.path is not None and one.path.level >= 0][:MOST_NAMED]
    first = next(one for one in main.fields if one.name not in names)  # This is the time most often.
    names += [first.name] if first is not field else []
    owners = view.cells(main).rows([row for _, row in ends], names) if names else [[], []]
    parts = [
        f"{plain(value)} in row {row + 1:,}{_owner(names, owner)}"
        for (value, row), owner in zip(ends, owners, strict=True)
    ]
    return [f"{plain(field.name)}: least {parts[0]}, greatest {parts[1]}"]


def _ends(texts: list[str]) -> list[str]:
    """Return the least and the greatest of texts that write numbers. As floats several may be the same."""
    numbers = FLOATS.decode(f"[{','.join(texts)}]")
    ends: list[str] = []
    for end in (min, max):
        extreme = end(numbers)
        ends.append(end({text for text, one in zip(texts, numbers, strict=True) if one == extreme}, key=Decimal))
    return ends


def _owner(names: list[str], cells: list[Any]) -> str:
    """Name the series and the point of a row by some of its cells."""
    parts = [f"{plain(name)} {plain(cell)}" for name, cell in zip(names, cells, strict=True) if cell is not None]
    return f" ({' · '.join(parts)})" if parts else ""
