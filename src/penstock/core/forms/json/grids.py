"""Grids: rows that are arrays, of which the first names the columns, as spreadsheets answer.

Rows may be shorter than the first: their last cells are empty. That the first names the others is certain only where
some column has numbers, truths or times below its name, and no name stands again in its own column.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.json_view import row_words
from penstock.core.forms.reading import Field
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.forms.tree_nodes import dig
from penstock.core.forms.values import is_retained, retained
from penstock.core.json.path import EACH
from penstock.core.profile import Column

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading

WIDEST: Final = 200  # columns
LEAST_ROWS: Final = 3
SCALARS: Final = frozenset((str, int, float, bool, type(None)))


def read(view: JsonView) -> Reading | None:
    """Read the main table as a grid with a header."""
    main = view.tables[0] if view.tables else None
    spec = main.spec if main is not None else None
    if main is None or not isinstance(spec, RowSpec) or spec.inner != (EACH,) or not is_retained(view.document):
        return None
    arrays: list[list[Any]] = dig(retained(view.document), spec.outer)
    if len(arrays) <= LEAST_ROWS or set(map(type, arrays)) != {list} or not _are_names(arrays[0]):
        return None
    names = arrays[0]
    if max(map(len, arrays)) > len(names):
        return None
    below = [list(cells[1:]) for cells in zip_longest(*arrays)]
    if any(name in cells or not set(map(type, cells)) <= SCALARS for name, cells in zip(names, below, strict=True)):
        return None
    columns = [_learned(cells, len(names)) for cells in below]
    if not any(_is_data(one) and not _is_data(_learned([name], 1)) for name, one in zip(names, columns, strict=True)):
        return None
    paths = tuple(ColumnPath(name=name, path=(at,)) for at, name in enumerate(names))
    table = replace(
        main,
        count=len(arrays) - 1,
        fields=tuple(Field(name=one.name, column=column, path=one) for one, column in zip(paths, columns, strict=True)),
        spec=RowSpec(outer=spec.outer, columns=paths, has_header=True),
    )
    facts = [f"the first of the {len(arrays):,} arrays names the columns"]
    return view.reading("columnar", row_words(table, "rows"), [table, *view.tables[1:]], facts)


def _are_names(values: list[Any]) -> bool:
    """Return True if these are different texts, none of them empty."""
    if not 2 <= len(values) <= WIDEST or set(map(type, values)) != {str} or not all(map(str.strip, values)):
        return False
    return len({value.lower() for value in values}) == len(values)


def _learned(cells: list[Any], columns: int) -> Column:
    column = Column()
    column.learn(cells, range(len(cells)), columns)
    return column


def _is_data(column: Column) -> bool:
    """Return True if a column has what is no name: numbers, truths, or times."""
    return bool(column.filled) and (str not in column.kinds or column.is_time or column.writes_numbers)
