"""Records: items of an array, members of a map, or all items of arrays of one kind, one row each.

The table has a column for every field, with dots for nested objects; ``key`` for members; and a few columns of the
items around the rows (``packages.name``). All other tables of JSON fall back to this form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.forms.json_view import row_words

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading


def read(view: JsonView) -> Reading | None:
    """Read the main table, if there is one."""
    if not view.tables:
        return None
    main = view.tables[0]
    noun = "values" if [one.name for one in main.fields] == ["value"] else "records"
    return view.reading(noun, row_words(main, noun), view.tables)
