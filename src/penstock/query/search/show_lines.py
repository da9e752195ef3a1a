"""Show lines of a text in which something was found: with their numbers, what they lie under, and what is around them.

    in # Guide > ## Install
    411- a line before
    412: the line with the match
    413 ×3: one with three of them

A line of up to 400 characters is shown whole. Of a longer one what is near the match is shown, and the bytes left out
on either side are counted.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from penstock.query.search.parents import parents_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.json.index import Container, Read
    from penstock.query.search.parents import Parents

WHOLE: Final = 400  # characters of a line or value that is shown whole
AROUND: Final = 160  # bytes before and after a match that are shown of a longer one
LONG_MATCH: Final = 240  # bytes of a match that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class LineMatch:
    """A line (from 0) with matches: where the first of them lies, and how many there are."""

    line: int
    start: int
    end: int
    count: int


class Lines:
    """The lines of one text. ``form`` is what it was read as."""

    def __init__(self, container: Container, read: Read, form: str) -> None:
        self.container = container
        self.read = read
        self.form = form
        self._parents: Callable[[int], Parents] | None = None
        self._text = cache(self._make_text)

    def line_of(self, position: int) -> int:
        return bisect_right(self.container.starts, position) - 1

    def under(self, line: int) -> Parents:
        """Return what a line lies under, the outermost first."""
        if self._parents is None:
            self._parents = cache(parents_for(self.form, self.container, self.read))
        return self._parents(line)

    def show(self, matches: Sequence[LineMatch], context: int) -> Iterator[str]:
        """Return the lines with matches, each after what it lies under, and ``context`` lines around them."""
        by_line = {match.line: match for match in matches}
        near = range(-context, context + 1)
        numbers = sorted({line + by for line in by_line for by in near if 0 <= line + by < self.container.count})
        last = -1
        parents: Parents = ()
        for number in numbers:
            if last >= 0 and number > last + 1 and context:
                yield "--"
            match = by_line.get(number)
            if match is not None and (under := self.under(number)) != parents:
                parents = under
                yield f"in {' > '.join(parents)}" if parents else "at the top level"
            if match is None:
                yield f"{number + 1}- {self._text(number, None)}"
            else:
                times = f" ×{match.count:,}" if match.count > 1 else ""
                yield f"{number + 1}{times}: {self._text(number, match)}"
            last = number

    def _make_text(self, line: int, match: LineMatch | None) -> str:
        first, last = self.container.starts[line], self.container.starts[line + 1] - 1
        start, end = (first, first) if match is None else (match.start, match.end)
        return around(self.read, first, last, start, end)


def around(read: Read, first: int, last: int, start: int, end: int) -> str:
    """Return the text between two positions, whole if it is short; else what is near the match from ``start`` to
    ``end``."""
    if last - first <= 4 * WHOLE:
        text = read(first, last).decode("utf-8", "replace")
        if len(text) <= WHOLE:
            return text.removesuffix("\r")
    left = max(first, start - AROUND)
    right = min(last, max(min(end, start + LONG_MATCH) + AROUND, left + WHOLE))
    left = max(first, min(left, right - WHOLE))
    left, right = _character(read, first, left, -1), _character(read, last, right, 1)
    before = f"[+{left - first:,} bytes]…" if left > first else ""
    after = f"…[+{last - right:,} bytes]" if right < last else ""
    return before + read(left, right).decode("utf-8", "replace") + after


def _character(read: Read, bound: int, at: int, step: int) -> int:
    """Return the nearest beginning of a character, from a position on towards the bound."""
    for _ in range(4):
        if at == bound or read(at, at + 1)[0] & 0xC0 != 0x80:
            return at
        at += step
    return at
