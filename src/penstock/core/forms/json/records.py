"""Records: items of an array, members of a map, or all items of arrays of one kind, one row each.

The table has a column for every field, with dots for nested objects; ``key`` for members; and a few columns of the
items around the rows (``packages.name``). All other tables of JSON fall back to this form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.forms.json_view import row_words
from penstock.core.forms.path_counts import file_of
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading


def read(view: JsonView) -> Reading | None:
    """Read the main table, if there is one."""
    if not view.tables:
        return None
    main = view.tables[0]
    noun = "values" if [one.name for one in main.fields] == ["value"] else "records"
    file = file_of(main) if main.exact else None
    files = 0 if file is None else file.column.different or file.filled
    words = row_words(main, noun)
    if file is not None and files < file.filled:
        words += f", in {counted(files, 'file')}"
    return view.reading(noun, words, view.tables)
