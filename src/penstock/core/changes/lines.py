"""Find the lines that differ between two texts. The hunks turn one into the other; they need not be the shortest way.

Most texts are gone through in step. In others, lines that both have exactly once are anchors, as in a patience diff:
the time grows with the lines, whatever is in them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import compress, count
from operator import lt, not_, sub
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.changes.steps import PartChange, in_step, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_SHIFTS: Final = 8  # places where a text may go on that lost its beginning
MOST_ROUNDS: Final = 16  # times that each line is looked at, on average; then what is left differs as a whole


def split_both(old: bytes, new: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines of two texts. Where one of them alone ends with a newline, it has an empty line more."""
    if old.endswith(b"\n") and new.endswith(b"\n"):
        old, new = old[:-1], new[:-1]
        return old.split(b"\n"), new.split(b"\n")
    return old.split(b"\n") if old else [], new.split(b"\n") if new else []


def line_changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[PartChange]:
    """Return the hunks in order; between them the lines are the same."""
    quick = quick_changes(old, new)
    if quick is not None:
        return quick
    hunks: list[PartChange] = []
    waiting = [PartChange(range(len(old)), range(len(new)))]
    left = MOST_ROUNDS * (len(old) + len(new))
    while waiting:
        one = trimmed(old, new, waiting.pop())
        if not one.old and not one.new:
            continue
        left -= len(one.old) + len(one.new)
        between = _between_anchors(old, new, one) if one.old and one.new and left > 0 else []
        if between:
            waiting += reversed(between)
        else:
            hunks.append(one)
    return hunks


def quick_changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[PartChange] | None:
    """Return the hunks where they are found in a fraction of the time, as those of most texts are; else None."""
    whole = trimmed(old, new)
    hunks = _at_once(old, new, whole)
    return _by_membership(old, new, whole) if hunks is None else hunks


def _at_once(old: Sequence[bytes], new: Sequence[bytes], whole: PartChange) -> list[PartChange] | None:
    """Return the hunks where one look at each line is enough."""
    if not whole.old or not whole.new:
        return [whole] if whole.old or whole.new else []
    hunks = in_step(old, new, whole)
    return _by_shift(old, new, whole) if hunks is None else hunks


class LineCounts(NamedTuple):
    """The number of lines added and removed, and whether all were added ``at_end``. Where it is not ``exact``, how many
    different lines only the new text has, and only the old one."""

    added: int
    removed: int
    at_end: bool = False
    exact: bool = True


def count_lines(old: Sequence[bytes], new: Sequence[bytes]) -> LineCounts:
    """Count what ``line_changes`` finds, in bounded time."""
    whole = trimmed(old, new)
    hunks = _at_once(old, new, whole)
    if hunks is not None:
        return counts_of(hunks, len(new))
    before, after = old[whole.old.start : whole.old.stop], new[whole.new.start : whole.new.stop]
    in_old = set(before)
    shared = in_old.intersection(after)
    if not shared:
        return LineCounts(len(after), len(before))
    kept_old, kept_new = list(map(shared.__contains__, before)), list(map(shared.__contains__, after))
    if list(compress(before, kept_old)) == list(compress(after, kept_new)):
        return LineCounts(kept_new.count(False), kept_old.count(False))
    come, gone = set(compress(after, map(not_, kept_new))), in_old - shared
    for both in (old[: whole.old.start], old[whole.old.stop :]):
        come.difference_update(both)
        gone.difference_update(both)
    return LineCounts(len(come), len(gone), exact=False)


def counts_of(hunks: Sequence[PartChange], lines: int) -> LineCounts:
    """Count the lines of all hunks of a text that has so many lines now."""
    added, removed = sum(len(one.new) for one in hunks), sum(len(one.old) for one in hunks)
    at_end = added > 0 and len(hunks) == 1 and not removed and hunks[0].new.stop == lines
    return LineCounts(added, removed, at_end=at_end)


def _by_shift(old: Sequence[bytes], new: Sequence[bytes], whole: PartChange) -> list[PartChange] | None:
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
            gone = PartChange(range(whole.old.start, at), range(start, start))
            come = PartChange(range(whole.old.stop, whole.old.stop), range(start + kept, whole.new.stop))
            return [one for one in (gone, come) if one.old or one.new]
        at += 1
    return None


def _by_membership(old: Sequence[bytes], new: Sequence[bytes], whole: PartChange) -> list[PartChange] | None:
    """Return the hunks where lines that both texts have follow each other in the same way in both; None elsewhere. Few
    texts need more."""
    before, after = old[whole.old.start : whole.old.stop], new[whole.new.start : whole.new.stop]
    in_new, in_old = list(map(set(after).__contains__, before)), list(map(set(before).__contains__, after))
    if list(compress(before, in_new)) != list(compress(after, in_old)):
        return None
    # How many lines of one text alone stand together, by how many lines of both stand before them.
    gone, come = (Counter(map(sub, compress(count(), map(not_, flags)), count())) for flags in (in_new, in_old))
    hunks, removed, added = [], whole.old.start, whole.new.start
    for before_it in sorted(gone.keys() | come.keys()):
        first, second = before_it + removed, before_it + added
        removed, added = removed + gone[before_it], added + come[before_it]
        hunks.append(PartChange(range(first, before_it + removed), range(second, before_it + added)))
    return hunks


def _between_anchors(old: Sequence[bytes], new: Sequence[bytes], one: PartChange) -> list[PartChange]:
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
            parts.append(PartChange(range(first, at), range(second, where)))
        first, second = at + 1, where + 1
    return [*parts, PartChange(range(first, one.old.stop), range(second, one.new.stop))]


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
    pairs, at = [], last[-1]
    while at >= 0:
        pairs.append((numbers[at], others[at]))
        at = before[at]
    return reversed(pairs)
