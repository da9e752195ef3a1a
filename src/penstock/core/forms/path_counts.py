"""Rows by the folder and by the extension of the file that they name.

Folders are chosen so that they divide the data: one that holds most of it is told by the folders in it. The parts share
no file: ``src/core/`` is all that lies below it, ``src/*`` only what lies directly in it.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from penstock.core.forms.file_names import extensions_of, folder_and_name, separator_of
from penstock.core.tables.roles import FILES, WEB, is_named
from penstock.core.text import plain, tally

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from penstock.core.forms.reading import Field, Table


MAX_PARTS: Final = 5  # A folder that holds more than one in 5 of all rows is divided into the folders in it.
MAX_DIVISIONS: Final = 40  # At most 40 folders are divided. Folders that are nested deeper are told as one.
MAX_NAMED: Final = 5  # A fact lists at most 5 folders or extensions.
MAX_BASE: Final = 200  # A fact shows at most 200 characters of the folder that all paths have in common.
MAX_SEEN: Final = 200  # Whether a column has paths is judged by its 200 most frequent values.

_ENDED = re.compile(r".*\.[A-Za-z]\w{0,9}")
_PATH = re.compile(r"(?:[\w.@~+-]+[/\\])*[\w.@~+() -]+\.[A-Za-z]\w{0,9}|(?:[\w.@~+() -]*/)+[\w.@~+() -]*|file:.*")


def file_of(table: Table) -> Field | None:
    """Return the column that names a file, unless a column ``folder`` counts the folders. Routes of a web server and
    places in a tree begin with a slash too, but few of them end like files."""
    if table.field("folder") is not None:
        return None
    for field in paths_of(table):
        some = [str(value) for value, _ in field.column.values()[:MAX_SEEN]]
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
        some = [str(value) for value, _ in field.column.values()[:MAX_SEEN]]
        if not some or not (named or _in_folders(some)):
            continue
        like = sum(_PATH.fullmatch(value) is not None for value in some)
        if like * 10 >= len(some) * 9:
            yield field


def _in_folders(some: list[str]) -> bool:
    """Return True if most values have folders in them: a list of words could be names of files as well."""
    return sum("/" in value or "\\" in value for value in some) * 2 > len(some)


def facts_of_files(file: Field) -> list[str]:
    """Count how many rows there are in which folder, and by extension; nothing if too many files are to be counted."""
    return path_facts({str(value): count for value, count in file.column.values()})


def path_facts(counts: Mapping[str, int]) -> list[str]:
    """Return the lines that tell paths, counted, by folder and by extension. A line of one part is left out."""
    separator = separator_of(counts)
    parts = [folder_and_name(path, separator) for path in counts]
    by_folder, by_extension = Counter[str](), Counter[str]()
    extensions = extensions_of([name for _, name in parts])
    for (folder, _), extension, count in zip(parts, extensions, counts.values(), strict=True):
        by_folder[folder] += count
        by_extension[extension or "no extension"] += count
    facts = []
    base, divided = base_of(by_folder), divide(by_folder)
    if len(divided) > 1:
        below = f" below {plain(base, MAX_BASE)}" if base else ""
        named = [(part[len(base) :], count) for part, count in divided]
        facts.append(f"by folder{below}: {tally(named, MAX_NAMED)}")
    if len(by_extension) > 1:
        facts.append(f"by extension: {tally(by_extension.most_common(), MAX_NAMED)}")
    return facts


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
    direct = Counter[str]()
    for folder, count in folders.items():
        direct[_ended(folder, separator)] += count
    parts: dict[str, dict[str, int]] = {base_of(folders): direct}
    for _ in range(MAX_DIVISIONS):
        sizes = {part: sum(inside.values()) for part, inside in parts.items()}
        divisible = [
            part for part, inside in parts.items() if any(folder not in (part, part[:-1]) for folder in inside)
        ]
        part = max(divisible, key=sizes.__getitem__, default="")
        if not divisible or sizes[part] * MAX_PARTS <= direct.total():
            break
        for folder, count in parts.pop(part).items():
            # Names of folders end with the separator, so no folder has the name of what lies directly in another.
            inner = f"{part}*" if folder == part else folder[: folder.index(separator, len(part)) + 1]
            parts.setdefault(inner, {})[folder] = count
    counted = [(part, sum(inside.values())) for part, inside in parts.items()]
    return sorted((one for one in counted if one[1]), key=lambda one: -one[1])


def _ended(folder: str, separator: str) -> str:
    return folder.rstrip(separator) + separator if folder else ""
