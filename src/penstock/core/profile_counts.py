"""Count the different values of a column, until they are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.profile_values import FIRST, all_differ

if TYPE_CHECKING:
    from collections import Counter

FEW: Final = 64  # values that differ where it is worth to see whether all do
REPEATED: Final = 8  # times the limit, where values repeat: those are the columns that divide the data
FEW_TEXTS: Final = 6  # different texts that are looked for one by one


def count_more(counts: Counter[Any], values: list[Any], filled: int, limit: int, *, hidden: bool) -> int | None:
    """Count values, with which so many are filled; those that are ``hidden`` by their hashes. None, unless they are too
    many different ones: then there are more than the number that is returned. Of a column of names some tell."""
    if len(values) > max(limit, 2 * FIRST) and not hidden and all_differ(values):
        return max(len(counts), len(set(values[:FIRST]))) - 1
    for start, stop in ((0, FIRST), (FIRST, len(values))):
        some = values[start:stop]
        if 0 < len(counts) <= FEW_TEXTS and some and type(some[0]) is str and not hidden:
            again = {value: some.count(value) for value in counts}
            if sum(again.values()) == len(some):  # no value is new, and each is counted in a tenth of the time
                counts.update(again)
                continue
        once = {} if counts or hidden or len(set(some[:FEW])) < FEW else dict.fromkeys(some, 1)
        if len(once) == len(some):
            dict.update(counts, once)  # no value is there twice: told in half of the time that counting them takes
        else:
            counts.update(map(hash, some) if hidden else some)
        seen = filled - max(0, len(values) - stop)
        if len(counts) > limit * (1 if len(counts) * 2 > seen else REPEATED):
            return len(counts) - 1
    return None
