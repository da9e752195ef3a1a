"""Series and columns: arrays of numbers, arrays of rows that are arrays, and objects whose fields are columns.

``{"columns": [...], "rows": [[...]]}`` gives a table with these columns; ``{"time": [...], "value": [...]}`` one with a
column for each array; ``[[t, v], ...]`` one with ``c1`` and ``c2``, or with the names that stand beside it.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.nodes import dig
from penstock.core.forms.places import Place
from penstock.core.forms.positions import name_of_column
from penstock.core.forms.reading import Field, Table
from penstock.core.forms.records import words_of
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.forms.times import NARROW, epoch_text
from penstock.core.forms.values import is_retained, retained
from penstock.core.json.index import reader
from penstock.core.json.lookup import value_at
from penstock.core.json.path import EACH, Path, render
from penstock.core.json.whole import decode
from penstock.core.profile_values import FLOATS
from penstock.core.text import plain

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading

MOST_OF: Final = 0.5  # of the document is in the arrays side by side
MOST_WRITTEN: Final = 100_000  # numbers in texts that are compared: 20 ms
MOST_NAMED: Final = 4  # cells that name the series of a row
LEAST_ROWS: Final = 8  # equally long arrays side by side that are shorter are lists of their own


def read(view: JsonView) -> Reading | None:
    """Read the main table as a series, or arrays side by side as columns."""
    return _side_by_side(view) or _rows(view) or _numbers(view)


def _rows(view: JsonView) -> Reading | None:
    """Return rows that are arrays of equal length."""
    if not view.tables:
        return None
    main = view.tables[0]
    own = [one for one in main.fields if one.path is not None and one.path.level < 0]
    spec = main.spec
    if not isinstance(spec, RowSpec) or not own or own[0].path is None or own[0].path.path != (0,):
        return None
    names = _names(view, spec.outer, len(main.fields)) if spec.inner == (EACH,) else None
    if names is None:
        main = _named(view, main, spec, own)
        own = list(main.fields[-len(own) :])
        facts = [line for field in own for line in _extremes(view, main, field)]
        tables = [main, *view.tables[1:]]
        return view.reading("rows", words_of(main, "rows"), tables, facts if _is_numbered(view, main) else [])
    paths = tuple(ColumnPath(name=name, path=(at,)) for at, name in enumerate(names))
    fields = tuple(
        Field(name=path.name, column=field.column, path=path) for path, field in zip(paths, main.fields, strict=True)
    )
    table = replace(main, fields=fields, spec=RowSpec(outer=spec.outer, columns=paths))
    return view.reading("columnar", words_of(table, "rows"), [table, *view.tables[1:]])


def _named(view: JsonView, main: Table, spec: RowSpec, own: list[Field]) -> Table:
    """Return rows with the names that stand beside them in every series: ``{"columns": ["time", "usage"], "values":
    [[...]]}``."""
    above = spec.inner[:-2]
    place = dict(view.structure.places)[(*spec.outer, *above)] if above and is_retained(view.document) else Place()
    others = {one.name.lower() for one in main.fields} - {one.name for one in own}
    for field, inner in place.fields.items():
        if not (inner.is_only(inner.arrays) and inner.arrays == place.count and inner.most == len(own)):
            continue
        column = ColumnPath(name=field, path=(field,))
        cells = JsonCells(view.document, RowSpec(outer=spec.outer, inner=above, columns=(column,))).columns([field])
        names = [name_of_column(one) for one in cells[field][0]]
        is_set = all(names) and len({name.lower() for name in names} - others) == len(names)
        if is_set and all(one == cells[field][0] for one in cells[field]):
            paths = [ColumnPath(name=name, path=(at,)) for at, name in enumerate(names)]
            made = [Field(name=path.name, column=one.column, path=path) for path, one in zip(paths, own, strict=True)]
            fields = (*main.fields[: -len(own)], *made)
            columns = tuple(one.path for one in fields if one.path is not None)
            return replace(main, fields=fields, spec=msgspec.structs.replace(spec, columns=columns))
    return main


def _names(view: JsonView, outer: Path, width: int) -> list[str] | None:
    """Return the names of the columns of rows: as many distinct texts, in an array beside the rows or one object
    further."""
    place: Place | None = view.structure.root
    for step in outer[:-1]:
        place = place.fields.get(str(step)) if place is not None else None
    if place is None or not outer:
        return None
    near = {name: inner for name, inner in place.fields.items() if name != outer[-1]}
    beside: list[tuple[Path, Place]] = [((name,), inner) for name, inner in near.items()]
    beside += [((name, deeper), one) for name, inner in near.items() for deeper, one in inner.fields.items()]
    for path, inner in beside:
        if inner.arrays == 1 and inner.items == width:
            entries = _value_at(view.document, (*outer[:-1], *path))
            names = [name_of_column(one) for one in entries]
            if all(names) and len({name.lower() for name in names}) == width:
                return names
    return None


def _value_at(document: Document, path: Path) -> Any:
    if is_retained(document):
        return dig(retained(document), path)
    return decode(value_at(document.index, reader(document.body), path))


def _side_by_side(view: JsonView) -> Reading | None:
    """Return an object with two or more arrays of scalars of one length, which are most of the document."""
    for steps, place in view.structure.places:
        if EACH in steps or place.objects != 1 or len(place.fields) < 2:
            continue
        arrays = {name: one for name, one in place.fields.items() if _is_column(one)}
        lengths = {one.items for one in arrays.values()}
        if len(arrays) < 2 or len(lengths) > 1 or max(lengths) < LEAST_ROWS:
            continue
        if sum(map(view.share, arrays.values())) < MOST_OF:
            continue
        fields = []
        for name, one in arrays.items():
            column = one.each.column if one.each is not None else one.column
            fields.append(Field(name=name, column=column, path=ColumnPath(name=name, path=(name,))))
        spec = RowSpec(outer=steps, kind="columns", columns=tuple(one.path for one in fields if one.path is not None))
        table = Table(
            name="items",
            noun="",
            count=max(lengths),
            fields=tuple(fields),
            spec=spec,
            path=render(steps),
            exact=view.structure.exact,
        )
        return view.reading("columnar", words_of(table, "rows"), [table])
    return None


def _is_column(place: Place) -> bool:
    each = place.each
    return place.arrays == place.count == 1 and each is not None and each.count == each.column.filled


def _numbers(view: JsonView) -> Reading | None:
    """Return an array of numbers, with where its extremes are."""
    main = view.tables[0] if view.tables else None
    if main is None or [one.name for one in main.fields] != ["value"] or not main.fields[0].column.is_numeric:
        return None
    facts = _extremes(view, main, main.fields[0]) if _is_numbered(view, main) else []
    return view.reading("values", words_of(main, "values"), view.tables, facts)


def _is_numbered(view: JsonView, table: Table) -> bool:
    """Tell whether values were learned with the numbers of their rows: those of several large arrays are not."""
    is_plain = isinstance(table.spec, RowSpec) and table.spec.is_plain
    return is_plain or is_retained(view.document) or len(view.document.index.containers) == 1


def _extremes(view: JsonView, main: Table, field: Field) -> list[str]:
    """Find where the least and the greatest number of a series are, counted from 1, and of what: what the row lies in
    names the series, its first cell the point. Times are passed over."""
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
    first = next(one for one in main.fields if one.name not in names)  # most often the time
    names += [first.name] if first is not field else []
    whose = view.cells(main).rows([row for _, row in ends], names) if names else [[], []]
    parts = [
        f"{plain(value)} in row {row + 1:,}{_owner(names, owner)}"
        for (value, row), owner in zip(ends, whose, strict=True)
    ]
    return [f"{plain(field.name)}: least {parts[0]}, greatest {parts[1]}"]


def _ends(texts: list[str]) -> list[str]:
    """Return the least and the greatest of texts that write numbers; as floats several may be the same."""
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
