"""Shared by forms whose rows are files: the columns of a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms.path_counts import extensions_of, separator_of
from penstock.core.forms.text_cells import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.api import Columns

DERIVED: Final = ("name", "folder", "extension")  # Columns that only repeat a part of the path.


def path_columns(paths: Sequence[str]) -> Columns:
    """Return the columns ``path``, ``name``, ``folder`` (empty if the path is only a name) and ``extension`` (the end
    of a name after its last dot, if it is short and not a number), which is left out if no path has any."""
    separator = separator_of(paths)
    parts = [(path.rstrip(separator) or path).rpartition(separator) for path in paths]
    names = [name for _, _, name in parts]
    folders = [head or mark for head, mark, _ in parts]
    extensions = extensions_of(names)
    columns: Columns = {"path": list(paths), "name": names, "folder": folders}
    return {**columns, "extension": texts_of(extensions)} if any(extensions) else columns
