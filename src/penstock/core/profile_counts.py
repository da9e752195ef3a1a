"""Count the different values of a column, until they are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.profile_values import FIRST, all_differ, none_stands_out

if TYPE_CHECKING:
    from collections import Counter

FEW: Final = 64  # values that differ where it is worth to see whether all do
MANY: Final = 32_768  # values of which none stands out that are not counted: that takes as long as to read them
REPEATED: Final = 8  # times the limit, where values repeat: those are the columns that divide the data


def count_more(counts: Counter[Any], values: list[Any], filled: int, limit: int, *, hidden: bool) -> int | None:
    """Count values, with which so many are filled; those that are ``hidden`` by their hashes. None, unless they are too
    many different ones: then there are more than the number that is returned. Of a column of names some tell."""
    if len(values) > max(limit, 2 * FIRST) and not hidden and all_differ(values):
        return max(len(counts), len(set(values[:FIRST]))) - 1
    if len(values) > MANY and not hidden and (different := none_stands_out(values)):
        return max(len(counts), different) - 1
    for start in (0, FIRST) if len(values) > FIRST else (0,):
        some = values[start : None if start else FIRST]
        once = {} if counts or hidden or len(set(some[:FEW])) < min(FEW, len(some)) else dict.fromkeys(some, 1)
        if len(once) == len(some):
            dict.update(counts, once)  # no value is there twice: told in half of the time that counting them takes
        else:
            counts.update(map(hash, some) if hidden else some)
        seen = filled - (0 if start else max(0, len(values) - FIRST))
        if len(counts) > limit * (1 if len(counts) * 2 > seen else REPEATED):
            return len(counts) - 1
    return None
