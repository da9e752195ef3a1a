"""Find the rows of listings of files again: paths, ls, tree."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.facts_parts.texts import Text

_LS = re.compile(
    r"([bcdlps-][rwxsStT-]{9})[+@.]? +\d+ (\S+) +(\S+) +(\d+) "
    r"([A-Z][a-z]{2} +\d+ +[\d:]+|\d{4}-\d\d-\d\d \d\d:\d\d) (.*)"
)
_BRANCH = re.compile(r"((?:[│|\u00a0 ] {3}|│\u00a0\u00a0 |    )*)(?:├── |└── |\|-- |`-- |\+-- )(.*)")


def paths(found: Text, text: str, words: str) -> Text:
    """A path a line."""
    del text
    if "block" in words:
        return found
    rows = [line for line in found.lines if line.strip()]
    if sum(line.startswith("/") for line in rows) * 100 > len(rows) * 98:
        rows = [line for line in rows if line.startswith("/")]  # others are words of the tool
    if any(line.endswith(":") for line in rows):
        return found
    names = [one.rstrip("/").rpartition("/")[2] for one in rows]
    folders = {one.rpartition("/")[0] for one in rows}
    held = {one for one in rows if one.rstrip("/") in folders}
    found.numbers |= {"paths": len(rows), "folders that others lie in": len(held)}
    found.tallies["by file"] = Counter(rows)
    return found.take(len(rows), {"path": rows, "name": names})


def listing(found: Text, text: str, words: str) -> Text:
    """What ``ls -l`` says of files, folder by folder."""
    del text, words
    rows = [(number, one) for number, line in enumerate(found.lines, 1) if (one := _LS.fullmatch(line)) is not None]
    rows = [one for one in rows if one[1][6] not in (".", "..")]
    if not rows:
        return found
    files = [int(one[4]) for _, one in rows if one[1][0] != "d"]
    folders = len(rows) - len(files) or len({line for line in found.lines if line.endswith(":")})
    plain = sum(one[1][0] == "-" for _, one in rows)
    found.numbers |= {"folders": folders, "files": plain, "size of files": sum(files), "size of all": sum(files)}
    columns: dict[str, list[Any]] = {
        "line": [number for number, _ in rows],
        "mode": [one[1] for _, one in rows],
        "owner": [one[2] for _, one in rows],
        "group_name": [one[3] for _, one in rows],
        "size": [int(one[4]) for _, one in rows],
        "is_dir": [one[1].startswith("d") for _, one in rows],
    }
    return found.take(len(rows), columns)


def tree(found: Text, text: str, words: str) -> Text:
    """Entries behind branches."""
    del text, words
    rows = [one for line in found.lines if (one := _BRANCH.fullmatch(line)) is not None]
    depths = [len(one[1]) // 4 + 1 for one in rows]
    if sum(line.lstrip(" |").startswith("+-- ") for line in found.lines) * 4 > len(found.lines):  # npm ls, in ASCII
        rows = [one for line in found.lines if (one := re.fullmatch(r"((?:[| ] )*)[+`]-- (.*)", line)) is not None]
        depths = [len(one[1]) // 2 + 1 for one in rows]
    holding = sum(after > depth for depth, after in pairwise(depths))
    found.tallies["by depth"] = Counter(str(depth) for depth in depths)
    found.numbers |= {"entries": len(rows), "with entries below them": holding, "without": len(rows) - holding}
    found.numbers["levels deep"] = max(depths, default=0)
    return found.take(len(rows), {})


READERS: Final[dict[str, Callable[[Text, str, str], Text]]] = {
    "paths": paths,
    "listing": listing,
    "file_tree": tree,
}
