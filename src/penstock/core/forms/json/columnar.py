"""Arrays next to each other as the columns of a table: ``{"time": [1, 2, 3], "value": [0.5, 0.7, 0.4]}``.

The weather server of Open-Meteo answers with hourly values in this form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms.json_tables import MIN_SHARE
from penstock.core.forms.json_view import row_words
from penstock.core.forms.reading import Field, Table
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.json.path import EACH, render

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading
    from penstock.core.forms.structure import Place

MIN_ROWS: Final = 8  # Arrays of fewer items may have the same length by chance.


def read(view: JsonView) -> Reading | None:
    """Read an object with two or more arrays of scalars of one length, which are most of the document."""
    for steps, place in view.structure.places:
        if EACH in steps or place.objects != 1:
            continue
        arrays = {name: one for name, one in place.fields.items() if _is_column(one)}
        lengths = {one.items for one in arrays.values()}
        if len(arrays) < 2 or len(lengths) > 1 or max(lengths) < MIN_ROWS:
            continue
        if sum(map(view.share, arrays.values())) < MIN_SHARE:
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
        return view.reading("columnar", row_words(table, "rows"), [table])
    return None


def _is_column(place: Place) -> bool:
    """Return True if there is one array, which has only scalars."""
    each = place.each
    return place.arrays == place.count == 1 and each is not None and each.count == each.column.filled
