"""Which lines differ between two texts. What is found turns one text into the other; it need not be the shortest way.

Lines that both texts have exactly once are anchors, as in a patience diff: the time grows with the lines, whatever is
in them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import compress, count
from operator import lt, ne, not_, sub
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_SHIFTS: Final = 8  # places where a text may go on that lost its beginning
MOST_ROUNDS: Final = 16  # times that each line is looked at, on average; then what is left differs as a whole


class LineChange(NamedTuple):
    """Lines of the old text, by their numbers from 0, and the lines of the new one that stand in their place."""

    old: range
    new: range


def split_both(old: bytes, new: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines of two texts. Where one of them alone ends with a newline, it has an empty line more."""
    if old.endswith(b"\n") and new.endswith(b"\n"):
        old, new = old[:-1], new[:-1]
        return old.split(b"\n"), new.split(b"\n")
    return old.split(b"\n") if old else [], new.split(b"\n") if new else []


def line_changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[LineChange]:
    """Return the hunks in order; between them the lines are the same."""
    quick = quick_changes(old, new)
    if quick is not None:
        return quick
    found: list[LineChange] = []
    waiting = [LineChange(range(len(old)), range(len(new)))]
    left = MOST_ROUNDS * (len(old) + len(new))
    while waiting:
        one = _trimmed(old, new, waiting.pop())
        if not one.old and not one.new:
            continue
        left -= len(one.old) + len(one.new)
        between = _between_anchors(old, new, one) if one.old and one.new and left > 0 else []
        if between:
            waiting += reversed(between)
        else:
            found.append(one)
    return found


def quick_changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[LineChange] | None:
    """Return the hunks where they are found in a fraction of the time, as those of most texts are; else None."""
    whole = _trimmed(old, new, LineChange(range(len(old)), range(len(new))))
    if not whole.old or not whole.new:
        return [whole] if whole.old or whole.new else []
    return _by_shift(old, new, whole) or _by_membership(old, new, whole)


class LineCounts(NamedTuple):
    """The number of lines added and removed, and whether all were added ``at_end``. Where it is not ``exact``, how many
    different lines only the new text has, and only the old one."""

    added: int
    removed: int
    at_end: bool = False
    exact: bool = True


def count_lines(old: Sequence[bytes], new: Sequence[bytes]) -> LineCounts:
    """Count what ``line_changes`` finds, in bounded time."""
    whole = _trimmed(old, new, LineChange(range(len(old)), range(len(new))))
    if not whole.old or not whole.new:
        return counts_of([whole], len(new))
    if (found := _by_shift(old, new, whole)) is not None:
        return counts_of(found, len(new))
    before, after = old[whole.old.start : whole.old.stop], new[whole.new.start : whole.new.stop]
    in_old, in_new = set(before), set(after)
    kept_old, kept_new = list(map(in_new.__contains__, before)), list(map(in_old.__contains__, after))
    if list(compress(before, kept_old)) == list(compress(after, kept_new)):
        return LineCounts(kept_new.count(False), kept_old.count(False))
    both = (*old[: whole.old.start], *old[whole.old.stop :])
    return LineCounts(len(in_new.difference(in_old, both)), len(in_old.difference(in_new, both)), exact=False)


def counts_of(found: Sequence[LineChange], lines: int) -> LineCounts:
    """Count the lines of all changes of a text that has so many lines now."""
    added, removed = sum(len(one.new) for one in found), sum(len(one.old) for one in found)
    at_end = added > 0 and len(found) == 1 and not removed and found[0].new.stop == lines
    return LineCounts(added, removed, at_end=at_end)


def _by_shift(old: Sequence[bytes], new: Sequence[bytes], whole: LineChange) -> list[LineChange] | None:
    """Return the hunks where lines were only taken from the beginning and put to the end, as in the tail of a log."""
    after = new[whole.new.start : whole.new.stop]
    at = whole.old.start
    for _ in range(MOST_SHIFTS):
        try:
            at = old.index(after[0], at, whole.old.stop)
        except ValueError:
            break
        kept = whole.old.stop - at
        if kept * 2 >= min(len(whole.old), len(after)) and old[at : whole.old.stop] == after[:kept]:
            start = whole.new.start
            gone = LineChange(range(whole.old.start, at), range(start, start))
            come = LineChange(range(whole.old.stop, whole.old.stop), range(start + kept, whole.new.stop))
            return [one for one in (gone, come) if one.old or one.new]
        at += 1
    return None


def _by_membership(old: Sequence[bytes], new: Sequence[bytes], whole: LineChange) -> list[LineChange] | None:
    """Return the hunks where lines that both texts have follow each other in the same way in both; None elsewhere. Few
    texts need more."""
    before, after = old[whole.old.start : whole.old.stop], new[whole.new.start : whole.new.stop]
    in_new, in_old = list(map(set(after).__contains__, before)), list(map(set(before).__contains__, after))
    if list(compress(before, in_new)) != list(compress(after, in_old)):
        return None
    # How many lines of one text alone stand together, by how many lines of both stand before them.
    gone, come = (Counter(map(sub, compress(count(), map(not_, flags)), count())) for flags in (in_new, in_old))
    found, removed, added = [], whole.old.start, whole.new.start
    for before_it in sorted(gone.keys() | come.keys()):
        first, second = before_it + removed, before_it + added
        removed, added = removed + gone[before_it], added + come[before_it]
        found.append(LineChange(range(first, before_it + removed), range(second, before_it + added)))
    return found


def common_start(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Return how many parts are the same at the beginning."""
    return next(compress(count(), map(ne, old, new)), min(len(old), len(new)))


def common_ends(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, int]:
    """Return how many parts are the same at the beginning, and of the others how many at the end."""
    first = common_start(old, new)
    stop = first - 1 if first else None
    return first, common_start(old[:stop:-1], new[:stop:-1])


def _trimmed(old: Sequence[bytes], new: Sequence[bytes], one: LineChange) -> LineChange:
    """Return a hunk without the lines that are the same at its beginning and at its end."""
    first, last = common_ends(old[one.old.start : one.old.stop], new[one.new.start : one.new.stop])
    return LineChange(
        range(one.old.start + first, one.old.stop - last), range(one.new.start + first, one.new.stop - last)
    )


def _between_anchors(old: Sequence[bytes], new: Sequence[bytes], one: LineChange) -> list[LineChange]:
    """Return the parts of a hunk between its anchors; none where it has no anchors."""
    before, after = old[one.old.start : one.old.stop], new[one.new.start : one.new.stop]
    there = dict(zip(before, one.old, strict=True))
    in_old, in_new = Counter(before), Counter(after)
    shared = {line for line in in_old.keys() & in_new.keys() if in_old[line] == in_new[line] == 1}
    if not shared:
        return []
    parts, first, second = [], one.old.start, one.new.start
    wheres = [at for at, line in zip(one.new, after, strict=True) if line in shared]
    for at, where in _rising([there[new[where]] for where in wheres], wheres):
        if at != first or where != second:
            parts.append(LineChange(range(first, at), range(second, where)))
        first, second = at + 1, where + 1
    return [*parts, LineChange(range(first, one.old.stop), range(second, one.new.stop))]


def _rising(numbers: list[int], others: list[int]) -> Iterator[tuple[int, int]]:
    """Return the most pairs of both lists of which both numbers rise; the others rise already."""
    if all(map(lt, numbers, numbers[1:])):
        return zip(numbers, others, strict=True)
    ends: list[int] = []  # the least number with which so many pairs can end,
    last: list[int] = []  # which pair has it,
    before: list[int] = []  # and the pair before each pair
    for at, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            last.append(at)
        else:
            ends[length], last[length] = number, at
    found, at = [], last[-1]
    while at >= 0:
        found.append((numbers[at], others[at]))
        at = before[at]
    return reversed(found)
