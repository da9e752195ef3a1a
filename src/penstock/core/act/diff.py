"""Show the changes of a text as a small diff: the lines that changed, by their numbers, long ones cut around the
change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.json.splice import Splice, splice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

AROUND: Final = 60  # characters of a long line before the change, and behind it
LONG: Final = 240  # characters of a line, or of several that changed together, that are shown whole
MOST_LINES: Final = 4  # lines of one side of a change


def changes(text: bytes, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield each change: the number of its first line, then the lines before and after it."""
    number, counted = 1, 0
    for group in _groups(text, splices):
        start, end = text.rfind(b"\n", 0, group[0].start) + 1, text.find(b"\n", group[-1].end)
        number += text.count(b"\n", counted, start)
        counted = start
        old = text[start : end if end >= 0 else len(text)]
        moved = [Splice(one.start - start, one.end - start, one.new) for one in group]
        first = moved[0].start
        last = moved[-1].end + sum(len(one.new) - (one.end - one.start) for one in moved)  # in the new text
        sides = [("-", old, moved[-1].end), ("+", splice(old, moved), last)]
        lines = [f"{sign}{line}" for sign, side, end in sides for line in _lines(side, first, end)]
        yield "\n".join((f"@@ line {number:,} @@", *lines))


def count_changes(text: bytes, splices: Sequence[Splice]) -> int:
    """Return how many changes ``changes`` yields."""
    return sum(1 for _ in _groups(text, splices))


def _groups(text: bytes, splices: Sequence[Splice]) -> Iterator[list[Splice]]:
    """Yield the splices that touch the same lines together."""
    group: list[Splice] = []
    for one in splices:
        if group and text.find(b"\n", group[-1].end, one.start) >= 0:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _lines(side: bytes, first: int, last: int) -> list[str]:
    """Return the lines of one side of a change that lies between two places; what is cut is counted."""
    middle = side[first:last].decode("utf-8", "replace")
    # Enough of what stands around it, and perhaps half a character.
    before = side[max(0, first - LONG * 4) : first].decode("utf-8", "ignore")
    behind = side[last : last + LONG * 4].decode("utf-8", "ignore")
    if len(before) + len(middle) + len(behind) > LONG:
        before = f"…{before[-AROUND:]}" if len(before) > AROUND else before
        behind = f"{behind[:AROUND]}…" if len(behind) > AROUND else behind
        cut = len(middle) - LONG
        middle = f"{middle[: LONG // 2]}…({cut:,} more characters)…{middle[-LONG // 2 :]}" if cut > 0 else middle
    lines = f"{before}{middle}{behind}".split("\n")
    left = len(lines) - MOST_LINES
    return lines if left <= 0 else [*lines[:MOST_LINES], f"… {left:,} more lines"]
