"""Rule out what has times in one place of its lines and is no log: listings, histories, tables, maps."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from penstock.core.forms.log_walk import MOST, NEARLY_ALL

if TYPE_CHECKING:
    from penstock.core.forms.log_walk import Walk

_COMMIT = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{7,40}[\s|].*\n?")  # and what follows it
_LISTED = re.compile(r"(?:[0-9]+\s+)?\S*")  # a file, perhaps after its size


def is_log(walk: Walk, stamp: str, before: list[str]) -> bool:
    """Tell logs from listings, histories, maps, and numbers that are no times; ``before`` are the pieces before the
    stamp."""
    if stamp == "clock":
        return "level" in walk.roles and "word before" not in before
    rests = [rest.strip() for rest in walk.rests()]
    if all_match(_COMMIT, walk.lines) or all_match(_COMMIT, rests):
        return False
    if not {"level", "source", "method", "pairs", "priority"}.isdisjoint(walk.roles):
        return True
    if stamp == "epoch":
        # A bare number of ten digits is often an id: it counts as a time beside other fields, or with decimals.
        return walk.roles.count("word") > 1 or "." in walk.lines[0][: walk.at[0]]
    is_listing = all_match(_LISTED, rests) or sum(map(bool, rests)) < MOST * len(rests)
    is_list = before == ["word before"] and walk.values[0] == "-"
    is_map = walk.pieces == ["mark"] and walk.lines[0][walk.at[0] - 1] == ":"
    return not (is_listing or is_list or is_map)


def delimiter_of(walk: Walk) -> str:
    """Return what follows right after the stamp, if it is what tables have between their cells."""
    followed = Counter(rest.lstrip(" ")[:1] for rest in walk.rests())
    delimiter, count = followed.most_common(1)[0]
    return delimiter if delimiter in "\t|,;" and count == len(walk.lines) else ""


def is_table(walk: Walk, delimiter: str, first: str, before: list[str]) -> bool:
    """Tell whether all lines have the same number of cells. A log may have them too: its last cell is a text of some
    words, and it has no header."""
    cells = [line.count(delimiter) for line in walk.lines] if delimiter else [0]
    if not cells[0] or cells.count(cells[0]) < NEARLY_ALL * len(cells):
        return False
    if first not in walk.lines and first.count(delimiter) == cells[0]:
        return True
    texts = sum(" " in line[line.rindex(delimiter) :].strip(f"{delimiter} \n") for line in walk.lines)
    return "level" not in walk.roles and (delimiter != "|" or before != [] or texts < MOST * len(walk.lines))


def all_match(pattern: re.Pattern[str], texts: list[str]) -> bool:
    return sum(pattern.fullmatch(text) is not None for text in texts) >= NEARLY_ALL * len(texts)
