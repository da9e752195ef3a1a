"""Lists of paths, one on a line.

Servers that return it: mcp-ripgrep (``list-files``), the reference filesystem server (``search_files``), and shell
servers (``find``, ``git ls-files``).

A list is one of paths if all begin at a root (``/``, ``./``, ``C:\\``), or if all have a folder or a usual ending, and
endings recur: names of packages, addresses and types of media have no such endings.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from penstock.core.forms.engine import Style, StyleParser, line_form
from penstock.core.forms.file_names import FILE_ENDING, extensions_of, path_columns

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch
    from penstock.core.forms.engine import Texts

MIN_PATHS: Final = 5  # Fewer lines may be anything.
MIN_KNOWN: Final = 0.9  # Share of the paths without a root that have a folder or a usual ending.
MIN_ENDINGS: Final = 0.4  # Share of the paths without a root that have an ending. Names of packages have none.
MIN_PER_ENDING: Final = 5  # Files for one ending, on average, not counting the first MAX_RARE_ENDINGS.
MAX_RARE_ENDINGS: Final = 20

_PART: Final = r"[^\s/\\<>|\"={};:*?()]"  # a character of a path without marks of code or markup
_ROOTED: Final = r"(?P<path>(?P<root>\.{0,2}/(?!/)|~/|[A-Za-z]:[\\/]|\\\\(?=\w)|\.(?=\n))[^\n:]{0,4096}+)(?=\n)"
_RELATIVE: Final = rf"(?P<path>(?![-#+!&@])(?P<folder>(?:{_PART}++[/\\]){{1,40}}+)?+{_PART}*+)(?=\n)"


class PathParser(StyleParser):
    """Reads paths into their columns."""

    __slots__ = ()

    def read(self, lines: list[str]) -> Batch:
        batch = StyleParser.read(self, lines)
        columns = batch.get("items")
        return {"items": {"line": columns["line"], **path_columns(columns["path"])}} if columns else {}


def _names(columns: Texts) -> list[str]:
    return [path.replace("\\", "/").rpartition("/")[2] for path in columns["path"]]


def _are_rooted(columns: Texts) -> bool:
    """Return True if most paths are different, and most names have no blank: text may begin with a slash, too."""
    names = _names(columns)
    return len(set(columns["path"])) * 2 >= len(names) and sum(" " in name for name in names) * 2 <= len(names)


def _are_relative(columns: Texts) -> bool:
    """Return True if nearly all paths have a folder or a usual ending, and their endings recur. Paths that come twice
    are those of something else."""
    paths, folders, endings = columns["path"], columns["folder"], extensions_of(_names(columns))
    known = sum(bool(folder or FILE_ENDING.fullmatch(end)) for folder, end in zip(folders, endings, strict=True))
    counts = Counter(filter(None, endings))
    recur = len(counts) * MIN_PER_ENDING <= counts.total() + MAX_RARE_ENDINGS
    are_files = known >= MIN_KNOWN * len(paths) and counts.total() >= MIN_ENDINGS * len(paths)
    return len(set(paths)) == len(paths) and are_files and recur


FORM: Final = line_form(
    "paths",
    "a list of paths",
    Style(
        name="rooted",
        pattern=_ROOTED,
        noun="paths",
        least=MIN_PATHS,
        unfit=100,
        fits=_are_rooted,
        what="a list of {rows}",
    ),
    Style(
        name="relative",
        pattern=_RELATIVE,
        noun="paths",
        least=MIN_PATHS,
        unfit=100,
        fits=_are_relative,
        what="a list of {rows}",
    ),
    parser=PathParser,
    reads_items=True,
)
