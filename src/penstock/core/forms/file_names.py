"""Names of files in a text: how they look, what they end with, and the columns of a path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.forms.text_cells import texts_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from penstock.core.forms.api import Columns

DERIVED: Final = ("name", "folder", "extension")  # Columns that only repeat a part of the path.
# Patterns of the place in a file that a line of text begins with (``src/a.py:12:``).
FILE: Final = r"(?:[A-Za-z]:(?=[\\/]))?+(?![0-9]+:)[^\s:][^:\n]{0,4094}+"
# A time of day, after a date or with seconds: `app.log.2026-05-16_13:53:08`, `[01/Jan/2026:10:11:12`.
NO_TIME: Final = (
    r"(?!(?:(?<=[^A-SU-Za-z0-9.][0-2]\d)|(?<=[^A-SU-Za-z0-9.]\d)):[0-5]\d:[0-5]\d(?!\d)"
    r"|:[0-2]\d:[0-5]\d:[0-5]\d(?!\d))"
)
# Endings by which names without a folder are those of files.
FILE_ENDING = re.compile(
    r"py|pyi|js|jsx|ts|tsx|mjs|c|h|cc|cpp|hpp|cs|java|kt|go|rs|rb|php|sh|bat|ps1|pl|r|sql|html|htm|css|scss|"
    r"vue|svelte|md|rst|txt|csv|tsv|json|jsonl|yaml|yml|xml|toml|ini|cfg|conf|log|lock|env|png|jpg|jpeg|gif|"
    r"svg|webp|ico|bmp|tif|pdf|doc|docx|xls|xlsx|ppt|pptx|zip|tar|gz|bz2|xz|7z|jar|whl|mp3|mp4|wav|avi|mov|mkv|"
    r"ttf|woff|woff2|proto|ipynb|tf|gradle|properties|swift|scala|dart|lua|ex|exs|erl|hs|clj|m|mm",
    re.IGNORECASE,
)
# What has a folder, or an extension with a letter, and no mark of code or markup.
_FILE_NAME = re.compile(r"[^/\\]*+[/\\].|.*\.[0-9_]*[A-Za-z][A-Za-z0-9_+-]{0,9}$")
_ODD = re.compile(r"['\"<>|;{}=*?]|, ")
_EXTENSIONS = re.compile(r"^(?:[^\n]+\.(?![0-9]+\n)([A-Za-z0-9]{1,12})|[^\n]*)\n", re.MULTILINE)


def is_file_name(text: str) -> bool:
    """Return True if a text looks like the name of a file."""
    return _FILE_NAME.match(text) is not None and not _ODD.search(text)


def separator_of(paths: Collection[str]) -> str:
    """Return what stands between the names of these paths: a slash, or a backslash where none has a slash."""
    return "\\" if not any("/" in path for path in paths) and any("\\" in path for path in paths) else "/"


def extensions_of(names: Iterable[str]) -> list[str]:
    """Return the end of each name after its last dot, if that is an extension: short, letters and digits, and not only
    digits, which are rather a version. Otherwise an empty text."""
    return _EXTENSIONS.findall("\n".join([*(name.replace("\n", "/") for name in names), ""]))


def folder_and_name(path: str, separator: str) -> tuple[str, str]:
    """Split a path. The folder of a path that is only a name is empty."""
    head, mark, name = path.rpartition(separator)
    return head or mark, name


def path_columns(paths: Sequence[str]) -> Columns:
    """Return the columns ``path``, ``name``, ``folder`` (empty if the path is only a name) and ``extension`` (the end
    of a name after its last dot, if it is short and not a number), which is left out if no path has any."""
    separator = separator_of(paths)
    parts = [folder_and_name(path.rstrip(separator) or path, separator) for path in paths]
    names = [name for _, name in parts]
    extensions = extensions_of(names)
    columns: Columns = {"path": list(paths), "name": names, "folder": [folder for folder, _ in parts]}
    return {**columns, "extension": texts_of(extensions)} if any(extensions) else columns
