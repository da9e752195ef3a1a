"""Count what is in which files: by folder, by extension.

Folders are chosen so that they divide the data: one that holds most of it is told by the folders in it. The parts share
no file: ``src/core/`` is all that lies below it, ``src/*`` only what lies directly in it.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from penstock.core.tables.roles import FILES, WEB, is_named
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from penstock.core.forms.reading import Field, Table


MOST_PATHS: Final = 50_000  # different paths that are counted: about 8 MB; of more only "more than" is told
LARGE: Final = 5  # a folder that holds more than a fifth of all is divided,
MOST_DIVISIONS: Final = 40  # so many at most: as deep as folders are nested
MOST_NAMED: Final = 5  # folders, files or extensions that each fact lists
LONGEST_BASE: Final = 200  # characters of the folder that all paths have in common
NO_EXTENSION: Final = "no extension"
# Endings by which names without a folder are those of files.
FILE_ENDING = re.compile(
    r"py|pyi|js|jsx|ts|tsx|mjs|c|h|cc|cpp|hpp|cs|java|kt|go|rs|rb|php|sh|bat|ps1|pl|r|sql|html|htm|css|scss|"
    r"vue|svelte|md|rst|txt|csv|tsv|json|jsonl|yaml|yml|xml|toml|ini|cfg|conf|log|lock|env|png|jpg|jpeg|gif|"
    r"svg|webp|ico|bmp|tif|pdf|doc|docx|xls|xlsx|ppt|pptx|zip|tar|gz|bz2|xz|7z|jar|whl|mp3|mp4|wav|avi|mov|mkv|"
    r"ttf|woff|woff2|proto|ipynb|tf|gradle|properties|swift|scala|dart|lua|ex|exs|erl|hs|clj|m|mm",
    re.IGNORECASE,
)

# What has a folder, or an extension with a letter, and no mark of code or markup.
_FILE_NAME: Final = re.compile(r"[^/\\]*+[/\\].|.*\.[0-9_]*[A-Za-z][A-Za-z0-9_+-]{0,9}$")
_ODD = re.compile(r"['\"<>|;{}=*?]|, ")
_EXTENSIONS = re.compile(r"^(?:[^\n]+\.(?![0-9]+\n)([A-Za-z0-9]{1,12})|[^\n]*)\n", re.MULTILINE)
_ENDED = re.compile(r".*\.[A-Za-z]\w{0,9}")
_PATH = re.compile(r"(?:[\w.@~+-]+[/\\])*[\w.@~+() -]+\.[A-Za-z]\w{0,9}|(?:[\w.@~+() -]*/)+[\w.@~+() -]*|file:.*")


class PathCounts:
    """Counts by path, exact up to ``MOST_PATHS`` different ones, then given up: ``complete`` tells."""

    __slots__ = ("complete", "counts")

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.complete = True

    def add(self, paths: Iterable[str] | Mapping[str, int]) -> None:
        """Count one for each path, or what a mapping says."""
        if self.complete:
            self.counts.update(paths)
            self.complete = len(self.counts) <= MOST_PATHS
            if not self.complete:
                self.counts.clear()

    def amount(self, noun: str) -> str:
        """Write ``89 files``, or ``more than 50,000 files``."""
        return counted(len(self.counts), noun) if self.complete else f"more than {MOST_PATHS:,} {noun}s"

    def folders(self) -> Counter[str]:
        """Return the counts by folder, where the paths are those of files."""
        separator = separator_of(self.counts)
        parts = [path.rpartition(separator) for path in self.counts]
        return self._summed([head or mark for head, mark, _ in parts])

    def extensions(self) -> Counter[str]:
        """Return the counts by extension, where the paths are those of files."""
        separator = separator_of(self.counts)
        names = [path.rpartition(separator)[2] for path in self.counts]
        return self._summed([extension or NO_EXTENSION for extension in extensions_of(names)])

    def _summed(self, groups: list[str]) -> Counter[str]:
        """Return the counts by the group of each path."""
        sums: dict[str, int] = {}
        for group, count in zip(groups, self.counts.values(), strict=True):
            sums[group] = sums.get(group, 0) + count
        return Counter(sums)


def folder_fact(folders: Mapping[str, int]) -> list[str]:
    """Return the line that tells the folders, if there is more than one. What all have in common is told once."""
    parts, base = divide(folders), base_of(folders)
    if len(parts) < 2:
        return []
    return [f"by folder{_below(base)}: {tally([(part[len(base) :], count) for part, count in parts], MOST_NAMED)}"]


def _below(base: str) -> str:
    return f" below {plain(base, LONGEST_BASE)}" if base else ""


def extension_fact(extensions: Counter[str]) -> list[str]:
    """Return the line that tells the extensions, if there are several."""
    return [f"by extension: {tally(extensions.most_common(), MOST_NAMED)}"] if len(extensions) > 1 else []


def base_of(folders: Collection[str]) -> str:
    """Return the folder that all these are, or lie in, with a separator at its end; empty where there is none."""
    separator = separator_of(folders)
    names = [_ended(folder, separator) for folder in folders] or [""]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    common = "".join(one for one, _ in same)
    return common[: common.rfind(separator) + 1]


def divide(folders: Mapping[str, int]) -> list[tuple[str, int]]:
    """Split a tree of folders, given with what lies directly in each: the parts share nothing, the largest first."""
    separator = separator_of(folders)
    direct: dict[str, int] = {}
    for folder, count in folders.items():
        ended = _ended(folder, separator)
        direct[ended] = direct.get(ended, 0) + count
    total, base = sum(direct.values()), base_of(folders)
    large = total / LARGE
    parts = {base: list(direct)}
    sizes = {base: total}
    for _ in range(MOST_DIVISIONS):
        divisible = [
            part
            for part, inside in parts.items()
            if sizes[part] > large and any(folder not in (part, part[:-1]) for folder in inside)
        ]
        if not divisible:
            break
        part = max(divisible, key=sizes.__getitem__)
        for folder in parts.pop(part):
            # Names of folders end with the separator, so no folder has the name of what lies directly in another.
            inner = f"{part}*" if folder == part else folder[: folder.index(separator, len(part)) + 1]
            parts.setdefault(inner, []).append(folder)
            sizes[inner] = sizes.get(inner, 0) + direct[folder]
    return sorted(((part, sizes[part]) for part in parts if sizes[part]), key=lambda one: -one[1])


def is_file_name(text: str) -> bool:
    """Return True if a text looks like the name of a file."""
    return _FILE_NAME.match(text) is not None and not _ODD.search(text)


def separator_of(paths: Collection[str]) -> str:
    """Return what stands between the names of these paths: a slash, or a backslash where none has a slash."""
    return "\\" if not any("/" in path for path in paths) and any("\\" in path for path in paths) else "/"


def _ended(folder: str, separator: str) -> str:
    return folder.rstrip(separator) + separator if folder else ""


def extensions_of(names: Iterable[str]) -> list[str]:
    """Return what follows the last dot of each name, if that is an extension: short, letters and digits, and not only
    digits, which are rather a version; else an empty text."""
    every = [*names, ""]
    text = "\n".join(every)
    if text.count("\n") >= len(every):  # a name has a line break in it
        text = "\n".join([name.replace("\n", "/") for name in every])
    return _EXTENSIONS.findall(text)


def file_of(table: Table) -> Field | None:
    """Return the column that names a file, unless a column ``folder`` counts the folders. Routes of a web server and
    places in a tree begin with a slash too, but few of them end like files."""
    if table.field("folder") is not None:
        return None
    for field in paths_of(table):
        some = [str(value) for value, _ in field.column.values()[:200]]
        ended = sum(_ENDED.fullmatch(one) is not None for one in some)
        if ended * 2 >= len(some) or not all(one.startswith("/") for one in some):
            return field
    return None


def paths_of(table: Table) -> Iterator[Field]:
    """Yield the columns of paths: their values look like some, and their name says so, unless it is the only one."""
    for field in table.fields:
        if not field.column.are_all(str) or field.filled * 2 <= table.count:
            continue
        named = is_named(field.name, (*FILES, "uri")) and not is_named(field.name.rpartition(".")[0], WEB)
        if not (named or len(table.fields) == 1):
            continue
        values = field.column.values()
        if not values or not (named or _in_folders(values)):
            continue
        some = values[:200]
        like = sum(_PATH.fullmatch(str(value)) is not None for value, _ in some)
        if like * 10 >= len(some) * 9:
            yield field


def facts_of_files(file: Field) -> list[str]:
    """Count how many rows there are in which folder, and by extension; nothing if too many files are to be counted."""
    files = PathCounts()
    files.add({str(value): count for value, count in file.column.values()})
    if not files.counts:
        return []
    return [*folder_fact(files.folders()), *extension_fact(files.extensions())]


def _in_folders(values: list[tuple[Any, int]]) -> bool:
    """Return True if most values have folders in them: a list of words could be names of files as well."""
    return sum("/" in str(value) or "\\" in str(value) for value, _ in values[:200]) * 2 > min(len(values), 200)
