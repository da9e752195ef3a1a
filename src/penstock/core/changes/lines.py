"""Compare two texts line by line."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from operator import eq
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.changes.words import signed_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_ALIGNED: Final = 4_000_000  # Pairs of lines that difflib compares: 2,000 lines in each text take up to a second.


class ChangedLines(NamedTuple):
    """Lines of the old text, by their numbers from 0, and the lines of the new text that replace them."""

    old: range
    new: range


class LineChanges(NamedTuple):
    """Two versions of a text by lines, and the hunks that differ.

    ``is_aligned`` is False if the texts have too many moved lines to align them. Then one hunk spans all lines between
    the first and the last difference.
    """

    old: Sequence[bytes]
    new: Sequence[bytes]
    hunks: Sequence[ChangedLines]
    is_aligned: bool = True

    @property
    def words(self) -> str:
        """Count the changed lines in words."""
        if not self.is_aligned:
            changed = self.hunks[0].new
            return f"lines {changed.start + 1}-{changed.stop} of {len(self.new)} differ, partly by their order"
        added = sum(len(hunk.new) for hunk in self.hunks)
        removed = sum(len(hunk.old) for hunk in self.hunks)
        place = " at the end" if self._only_grew else ""
        return f"{signed_counts('line', added, removed)}{place}, {len(self.new) - added:,} unchanged"

    @property
    def _only_grew(self) -> bool:
        return len(self.hunks) == 1 and not self.hunks[0].old and self.hunks[0].new.stop == len(self.new)


def line_changes(old: bytes, new: bytes) -> LineChanges:
    """Return the lines that differ between two texts."""
    old_lines, new_lines = _split_both(old, new)
    first, last = common_ends(old_lines, new_lines)
    old_middle = range(first, len(old_lines) - last)
    new_middle = range(first, len(new_lines) - last)
    if not old_middle and not new_middle:
        return LineChanges(old_lines, new_lines, ())
    pairs = _aligned(old_lines[first : old_middle.stop], new_lines[first : new_middle.stop])
    if pairs is None:
        return LineChanges(old_lines, new_lines, (ChangedLines(old_middle, new_middle),), is_aligned=False)
    shifted = ((first + one, first + other) for one, other in pairs)
    hunks = tuple(_between(shifted, ChangedLines(old_middle, new_middle)))
    return LineChanges(old_lines, new_lines, hunks)


def _split_both(old: bytes, new: bytes) -> tuple[list[bytes], list[bytes]]:
    """Split two texts into lines. A final line break that both have ends the last line of both."""
    if old.endswith(b"\n") and new.endswith(b"\n"):
        return old[:-1].split(b"\n"), new[:-1].split(b"\n")
    return (old.split(b"\n") if old else []), (new.split(b"\n") if new else [])


def common_ends(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, int]:
    """Return how many parts are equal at the start of two lists, and how many at the end of what follows."""
    first = sum(1 for _ in takewhile(bool, map(eq, old, new)))
    old_rest, new_rest = old[first:], new[first:]
    last = sum(1 for _ in takewhile(bool, map(eq, reversed(old_rest), reversed(new_rest))))
    return first, last


def _aligned(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]] | None:
    """Return the positions of equal lines in both lists, in rising order; None if too many lines were moved.

    Lines that only one list has are changes in any case. Of the others, lines that appear once in each list are
    anchors. If the anchors are in the same order, which is usual, only the few lines between two of them remain to be
    aligned.
    """
    shared = set(old).intersection(new)
    old_places = [at for at, line in enumerate(old) if line in shared]
    new_places = [at for at, line in enumerate(new) if line in shared]
    old_shared, new_shared = [old[at] for at in old_places], [new[at] for at in new_places]
    anchors = _anchors(old_shared, new_shared)
    gaps = list(_between(anchors, ChangedLines(range(len(old_shared)), range(len(new_shared)))))
    if sum(len(gap.old) * len(gap.new) for gap in gaps) > MAX_ALIGNED:
        return None
    inside = [pair for gap in gaps if gap.old and gap.new for pair in _pairs_inside(gap, old_shared, new_shared)]
    return [(old_places[one], new_places[other]) for one, other in sorted([*anchors, *inside])]


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return the positions of lines that appear once in each list; none if they are not in the same order."""
    old_counts, new_counts = Counter(old), Counter(new)
    places = {line: at for at, line in enumerate(old) if old_counts[line] == new_counts[line] == 1}
    pairs = [(places[line], at) for at, line in enumerate(new) if line in places]
    return pairs if all(one < other for (one, _), (other, _) in pairwise(pairs)) else []


def _pairs_inside(gap: ChangedLines, old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    matcher = SequenceMatcher(
        None, old[gap.old.start : gap.old.stop], new[gap.new.start : gap.new.stop], autojunk=False
    )
    blocks = matcher.get_matching_blocks()
    first, second = gap.old.start, gap.new.start
    return [(first + one + at, second + other + at) for one, other, size in blocks for at in range(size)]


def _between(pairs: Iterable[tuple[int, int]], whole: ChangedLines) -> Iterator[ChangedLines]:
    """Yield the parts of a hunk between pairs of equal lines."""
    old_start, new_start = whole.old.start, whole.new.start
    for one, other in (*pairs, (whole.old.stop, whole.new.stop)):
        if one > old_start or other > new_start:
            yield ChangedLines(range(old_start, one), range(new_start, other))
        old_start, new_start = one + 1, other + 1
