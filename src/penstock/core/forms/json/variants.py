"""Records that have one field each, which says what they are: ``{"finding": {...}}``, ``{"config": {...}}``.

Scanners write their messages in this form, one a line, as ``govulncheck -json`` does. Each kind of record gets a table
of its own next to the table of all records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.forms.json_columns import free_name, own_columns
from penstock.core.forms.json_view import row_words
from penstock.core.forms.reading import Table
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.json.path import render
from penstock.core.text import tally

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading


def read(view: JsonView) -> Reading | None:
    """Read the main table as records of several kinds, if each of them has one field with an object."""
    if not view.tables:
        return None
    rows = view.rows_place
    if not rows.is_only(rows.objects) or len(rows.fields) < 2:
        return None
    kinds = rows.fields
    is_one_each = sum(inner.objects for inner in kinds.values()) == rows.objects
    if not is_one_each or not all(inner.is_only(inner.objects) and inner.fields for inner in kinds.values()):
        return None
    main, *others = view.tables
    spec = main.spec
    assert isinstance(spec, RowSpec)
    taken = {one.name.lower() for one in view.tables}
    tables = []
    for name, inner in kinds.items():
        fields = own_columns(inner, set())
        columns = tuple(
            ColumnPath(name=one.name, path=(name, *one.path.path)) for one in fields if one.path is not None
        )
        steps = (*spec.inner, name)
        tables.append(
            Table(
                name=free_name(name, [name], taken),
                noun="",
                count=inner.count,
                fields=tuple(fields),
                spec=RowSpec(outer=spec.outer, inner=steps, columns=columns),
                path=render((*spec.outer, *steps)),
                exact=main.exact,
            )
        )
    tables.sort(key=lambda one: -one.count)
    facts = [f"each row has one field: {tally([(one.name, one.count) for one in tables], 8)}"]
    return view.reading("variants", row_words(main, "records"), [main, *tables, *others], facts)
