"""Find the lines that differ between two texts. The hunks turn one into the other; they need not be the shortest way.

Most texts are compared by blocks of bytes. In others, lines that both have exactly once are anchors, as in a patience
diff: the time grows with the lines, whatever is in them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import compress, count
from operator import lt, not_, sub
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.changes.spans import FREE, SPAN_WORK, common_end, common_start, differing_spans
from penstock.core.changes.steps import PartChange, in_step, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.changes.spans import DifferingSpan

MOST_SHIFTS: Final = 8  # places where a text may go on that lost its beginning
TABLE_WORK: Final = 1_800  # bytes for each span of a text with a table, the columns of which are read at admission
LEAST_WORK: Final = 300  # the same where there is time
LONG: Final = 400  # bytes of a line, on average, from which on lines are looked up one by one,
LONG_IN_TABLE: Final = 200  # and of one in a text with a table
SHARE: Final = 8  # one byte in so many may stand in spans, the lines of which are looked at one by one
MOST_ROUNDS: Final = 16  # times that each line is looked at, on average; then what is left differs as a whole


def split_both(old: bytes, new: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines of two texts. Where one of them alone ends with a newline, it has an empty line more."""
    if old.endswith(b"\n") and new.endswith(b"\n"):
        old, new = old[:-1], new[:-1]
        return old.split(b"\n"), new.split(b"\n")
    return old.split(b"\n") if old else [], new.split(b"\n") if new else []


class _Texts(NamedTuple):
    """Two texts, each line of which has a newline before it, but for the first ``skipped`` one, which is the same in
    both. ``closed`` is 1 where both end with a newline, which begins no line."""

    old: bytes
    new: bytes
    skipped: int
    closed: int

    @classmethod
    def of(cls, old: bytes, new: bytes) -> _Texts:
        closed = old.endswith(b"\n") and new.endswith(b"\n")
        head = old[: old.find(b"\n") + 1]
        if head and new.startswith(head):
            return cls(old, new, 1, closed)
        return cls(b"\n" + old if old else b"", b"\n" + new if new else b"", 0, closed)

    @property
    def new_lines(self) -> int:
        return self.skipped + self.new.count(b"\n") - self.closed


def text_changes(old: bytes, new: bytes) -> list[PartChange]:
    """Return the hunks of lines of two texts, as ``split_both`` has them, in order."""
    texts = _Texts.of(old, new)
    spans = differing_spans(texts.old, texts.new, b"\n", LEAST_WORK, closed=texts.closed)
    return line_changes(*split_both(old, new)) if spans is None else list(_hunks(texts, spans))


def _hunks(texts: _Texts, spans: Sequence[DifferingSpan]) -> Iterator[PartChange]:
    """Yield the lines that differ in spans by their numbers."""
    line, at, ahead = texts.skipped, 0, 0  # lines before a place of the old text, and how many more the new one has
    for one in spans:
        line += texts.old.count(b"\n", at, one.start)
        removed, added = _sizes(texts, one)
        for hunk in _inside(texts, one, removed, added):
            first, second = line + hunk.old.start, line + ahead + hunk.new.start
            yield PartChange(range(first, first + len(hunk.old)), range(second, second + len(hunk.new)))
        line, at, ahead = line + removed, one.stop, ahead + added - removed


def _sizes(texts: _Texts, span: DifferingSpan) -> tuple[int, int]:
    """Return how many lines of both texts a span has."""
    return texts.old.count(b"\n", span.start, span.stop), texts.new.count(b"\n", span.new_start, span.new_stop)


def _inside(texts: _Texts, span: DifferingSpan, removed: int, added: int) -> Sequence[PartChange]:
    """Return the lines that differ in a span, which has so many of both texts."""
    if min(removed, added) <= 1:
        return [PartChange(range(removed), range(added))]
    was, now = texts.old[span.start : span.stop], texts.new[span.new_start : span.new_stop]
    return line_changes(was.split(b"\n")[1:], now.split(b"\n")[1:])


def line_changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[PartChange]:
    """Return the hunks in order; between them the lines are the same."""
    whole = trimmed(old, new)
    if not whole.old or not whole.new:
        return [whole] if whole.old or whole.new else []
    for quick in (in_step, _by_shift, _by_membership):  # in a fraction of the time, as those of most texts are found
        if (known := quick(old, new, whole)) is not None:
            return known
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


class LineCounts(NamedTuple):
    """The number of lines added and removed, of how many that there were, and whether all were added ``at_end``."""

    added: int
    removed: int
    lines: int
    at_end: bool = False


class LinesApart(NamedTuple):
    """The number of different lines that only the new text has, and that only the old one has."""

    added: int
    removed: int


class LineEnds(NamedTuple):
    """The number of lines that are the same at the beginning and at the end of two texts, and of all of the new one."""

    first: int
    last: int
    lines: int


def count_changes(old: bytes, new: bytes, *, has_table: bool = False) -> LineCounts | LinesApart | LineEnds:
    """Count what ``text_changes`` finds, in bounded work. Where it takes more, how many lines only one of both has, if
    lines are long; else what is the same at both ends. A text that ``has_table`` may take more."""
    texts = _Texts.of(old, new)
    work = TABLE_WORK if has_table else SPAN_WORK
    spans = differing_spans(texts.old, texts.new, b"\n", work, closed=texts.closed)
    # How many bytes stand in spans that both texts have lines in, which are looked at one by one.
    inner = sum(min(one.stop - one.start, one.new_stop - one.new_start) for one in spans or ())
    if spans is not None and inner <= max(FREE, len(new) // SHARE):
        return _counts(texts, spans)
    lines = texts.new_lines
    if len(new) >= lines * (LONG_IN_TABLE if has_table else LONG):
        before, after = map(set, split_both(old, new))
        return LinesApart(len(after - before), len(before - after))
    first = common_start(texts.old, texts.new)
    last = common_end(texts.old, texts.new, min(len(texts.old), len(texts.new)) - first)
    return LineEnds(
        max(0, texts.new.count(b"\n", 0, first) - 1 + texts.skipped),
        max(0, texts.new.count(b"\n", len(texts.new) - last) - texts.closed),
        lines,
    )


def _counts(texts: _Texts, spans: Sequence[DifferingSpan]) -> LineCounts:
    """Count what ``_hunks`` has."""
    added = removed = 0
    for one in spans:
        gone, come = _sizes(texts, one)
        if min(gone, come) > 1:
            hunks = _inside(texts, one, gone, come)
            gone, come = sum(len(hunk.old) for hunk in hunks), sum(len(hunk.new) for hunk in hunks)
        added, removed = added + come, removed + gone
    last = spans[-1]
    at_end = len(spans) == 1 and last.start == last.stop and last.new_stop == len(texts.new) - texts.closed
    return LineCounts(added, removed, texts.new_lines - added + removed, at_end=at_end)


def counts_of(hunks: Sequence[PartChange], lines: int, new_lines: int) -> LineCounts:
    """Count the lines of all hunks of a text that had so many lines, and has so many now."""
    added, removed = sum(len(one.new) for one in hunks), sum(len(one.old) for one in hunks)
    at_end = added > 0 and len(hunks) == 1 and not removed and hunks[0].new.stop == new_lines
    return LineCounts(added, removed, lines, at_end=at_end)


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
