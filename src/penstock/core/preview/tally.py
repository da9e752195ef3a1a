"""How many entries of a log have which level, and which errors are of one kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.preview.cells import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from penstock.core.preview.levels import Level

MOST_ALIKE: Final = 3_000  # entries compared to find those that are alike, in about 20 ms

_VARIABLE = re.compile(
    rb"0[xX][0-9A-Fa-f]+|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{12,}|[0-9]+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Which entries have which level, the most serious first. ``seen`` entries were looked at of ``total``."""

    levels: tuple[tuple[Level, list[int]], ...]
    seen: int
    total: int

    @classmethod
    def of(cls, found: Iterable[tuple[Level, list[int]]], *, seen: int, total: int) -> Tally:
        """Levels may come in several spellings."""
        merged: dict[Level, list[int]] = {}
        for level, numbers in found:
            merged.setdefault(level, []).extend(numbers)
        levels = sorted(merged.items(), key=lambda one: (one[0].rank, one[0].name))
        return cls(levels=tuple((level, sorted(numbers)) for level, numbers in levels), seen=seen, total=total)

    @property
    def exact(self) -> bool:
        return self.seen == self.total

    @property
    def about(self) -> str:
        return "" if self.exact else "about "

    @property
    def errors(self) -> int:
        return self._scaled(sum(len(numbers) for level, numbers in self.levels if level.is_error))

    def counts(self) -> dict[str, int]:
        """The number of entries by level; those without one are counted last."""
        told = {level.name: self._scaled(len(numbers)) for level, numbers in self.levels}
        without = self._scaled(self.seen - sum(len(numbers) for _, numbers in self.levels))
        return {**told, "no level": without} if without else told

    def notable(self) -> tuple[str, list[int]]:
        """What to call the entries worth showing, and where they are: errors, or where there are none, warnings."""
        errors = [number for level, numbers in self.levels if level.is_error for number in numbers]
        if errors:
            return "error", errors
        return "warning", [number for level, numbers in self.levels if level.is_warning for number in numbers]

    def _scaled(self, number: int) -> int:
        return number if self.exact else round(number * self.total / self.seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Errors of one kind under the first of them: how many there are, and the last. ``complete`` when all entries
    were compared."""

    noun: str
    times: Mapping[int, int]
    last: Mapping[int, int]
    complete: bool

    @property
    def more(self) -> str:
        return "" if self.complete else "+"

    def left(self, chosen: Container[int], noun: str) -> str:
        """What kinds there are beside the chosen ones; nothing when there are none."""
        left = [times for first, times in self.times.items() if first not in chosen]
        if not left:
            return ""
        return f"{counted(len(left), 'more kind')} of {self.noun}, {counted(sum(left), noun)}{self.more}"


def kinds(tally: Tally, told: Callable[[int], bytes]) -> Kinds:
    """Put those notable entries together that differ in numbers only. ``told`` gives an entry's text."""
    noun, numbers = tally.notable()
    firsts: dict[bytes, int] = {}
    times: dict[int, int] = {}
    last: dict[int, int] = {}
    for number in numbers[:MOST_ALIKE]:
        first = firsts.setdefault(_VARIABLE.sub(b"#", told(number)), number)
        times[first] = times.get(first, 0) + 1
        last[first] = number
    return Kinds(noun=noun, times=times, last=last, complete=tally.exact and len(numbers) <= MOST_ALIKE)
