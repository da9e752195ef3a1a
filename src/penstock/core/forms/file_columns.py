"""The column of a table that names files, and where they lie."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.core.forms.path_counts import PathCounts, file_facts

if TYPE_CHECKING:
    from penstock.core.forms.reading import Field, Table

_FILE = re.compile(
    r"(?i)(?:^|[._\]])(?:file_?(?:name|path)?|path|uri|relative_?path|abs(?:olute)?_?path|source_?file)$"
)
_URL = re.compile(r"(?i)(?:ur[li]|http|request|route|endpoint)[^.]*\.[^.]+$")  # the path of an address on the web
_ENDED = re.compile(r".*\.[A-Za-z]\w{0,9}")
_PATH = re.compile(r"(?:[\w.@~+-]+[/\\])*[\w.@~+() -]+\.[A-Za-z]\w{0,9}|(?:[\w.@~+() -]*/)+[\w.@~+() -]*|file:.*")


def file_of(table: Table) -> Field | None:
    """Return the column that names a file: its values look like paths, and its name says so, unless it is the only
    one."""
    for field in table.fields:
        if field.column.kinds.keys() != {str}:
            continue
        named = _FILE.search(field.name) is not None and _URL.search(field.name) is None
        if not (named or len(table.fields) == 1):
            continue
        values = field.column.values()
        if not values or not (named or _in_folders(values)):
            continue
        some = [str(value) for value, _ in values[:200]]
        like = sum(_PATH.fullmatch(one) is not None for one in some)
        if like * 10 < len(some) * 9 or field.filled * 2 <= table.count:
            continue
        if not all(one.startswith("/") for one in some) or any(_ENDED.fullmatch(one) for one in some):
            return field  # routes of a web server begin with a slash too, but none ends like a file
    return None


def facts_of_files(file: Field) -> list[str]:
    """Count how many rows there are in which folder and file; nothing where there are too many files to count."""
    files = PathCounts()
    files.add({str(value): count for value, count in file.column.values()})
    return file_facts(files) if files.counts else []


def _in_folders(values: list[tuple[Any, int]]) -> bool:
    """Tell whether most values have folders in them: a list of words could be names of files as well."""
    return sum("/" in str(value) or "\\" in str(value) for value, _ in values[:200]) * 2 > min(len(values), 200)
