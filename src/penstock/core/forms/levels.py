"""Depth and parent of each row of an indented text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import LONGEST_LINE, Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_UPPER: Final = 12  # At most 12 lines of the upper levels are shown.
MAX_COUNTED: Final = 16  # At most 16 levels are counted one by one, which takes a third of the time.
MAX_DEPTH: Final = 8  # Lines of at most 8 levels are shown.


@dataclass(slots=True)
class Levels:
    """Find depth and parent of rows by their indentation."""

    count: int = 0
    depths: Counter[int] = field(default_factory=Counter)
    upper: list[list[tuple[int, str]]] = field(default_factory=lambda: [[] for _ in range(MAX_DEPTH)])
    _indents: list[int] = field(default_factory=lambda: [-1])
    _rows: list[int | None] = field(default_factory=lambda: [None])

    def place(self, indents: Iterable[int]) -> tuple[list[int], list[int | None]]:
        """Take the indentation of the next rows; their depths, and the rows that are their parents."""
        opened, rows, count = self._indents, self._rows, self.count
        depths: list[int] = []
        parents: list[int | None] = []
        for indent in indents:
            if indent > opened[-1]:
                opened.append(indent)
            else:
                while True:
                    rows.pop()
                    if opened[-2] < indent:
                        break
                    opened.pop()
                opened[-1] = indent
            depths.append(len(opened) - 2)
            parents.append(rows[-1])
            count += 1
            rows.append(count)
        self.count = count
        levels = set(depths)  # a few of them are counted one by one in a third of the time
        self.depths.update({depth: depths.count(depth) for depth in levels} if len(levels) <= MAX_COUNTED else depths)
        return depths, parents

    def keep(self, depths: list[int], numbers: Sequence[int], lines: Sequence[str]) -> None:
        """Keep the first lines of each upper level, to show them."""
        wanted = {depth for depth, kept in enumerate(self.upper) if len(kept) < MAX_UPPER}
        for at in [at for at, depth in enumerate(depths) if depth in wanted]:
            if len(kept := self.upper[depths[at]]) < MAX_UPPER:
                kept.append((numbers[at], lines[at][:LONGEST_LINE]))

    def excerpts(self) -> tuple[Excerpt, ...]:
        """Return the lines of as many upper levels as fit, or the first ones of the uppermost."""
        levels, total = 0, 0
        while levels < MAX_DEPTH and self.depths[levels] and total + self.depths[levels] <= MAX_UPPER:
            total += self.depths[levels]
            levels += 1
        lines = sorted(line for level in self.upper[: levels or 1] for line in level)
        if not levels:
            title = f"first {len(lines)} of {self.depths[0]:,} lines of the top level"
        else:
            title = f"top {levels} levels" if levels > 1 else "top level"
        return Excerpt.of(title, lines)
