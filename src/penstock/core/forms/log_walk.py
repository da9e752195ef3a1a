"""Read some lines of a log side by side, piece by piece, as long as nearly all of them have the same pieces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.forms.log_pieces import matcher, piece

if TYPE_CHECKING:
    from collections.abc import Callable

NEARLY_ALL: Final = 0.9  # share of the lines that have what belongs to the layout: some lines are always different
MOST: Final = 0.6  # share of the lines that have a level, or what a rule of thumb asks for
GOLDEN: Final = 0.618033988749895  # its multiples spread evenly and without a period

Match = re.Match[str]


def spread(lines: list[str], count: int) -> list[str]:
    """Return some of the lines, the first and others from all over; never every tenth, say, as lines may repeat so
    too."""
    if len(lines) <= count:
        return lines
    return [lines[at] for at in sorted({int(number * GOLDEN % 1 * len(lines)) for number in range(count)})]


class Walk:
    """Lines, each with its newline, how far each has been read, and the pieces that all of them had so far."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = [0] * len(lines)
        self.pieces: list[str] = []
        self.roles: list[str] = []
        self.values: list[str] = []  # of these roles, on the first line

    def take(self, name: str, share: float = NEARLY_ALL, fits: Callable[[list[Match]], bool] = lambda _: True) -> bool:
        """Go on after a piece if this share of the lines has it next; those that do not are left behind."""
        match = matcher(name).match
        misses = int(len(self.lines) * (1 - share) + 1e-9)
        hits: list[Match] = []
        for line, at in zip(self.lines, self.at, strict=True):
            hit = match(line, at)
            if hit is not None:
                hits.append(hit)
            elif misses:
                misses -= 1
            else:
                return False
        if not hits or not fits(hits):
            return False
        self.lines = [hit.string for hit in hits]
        self.at = [hit.end() for hit in hits]
        self.pieces.append(name)
        self.roles += piece(name).roles
        self.values += hits[0].groups("")
        return True

    def drop(self) -> None:
        """Leave the last piece to the message; the places are not needed any more."""
        count = len(piece(self.pieces.pop()).roles)
        del self.roles[len(self.roles) - count :], self.values[len(self.values) - count :]

    def rests(self) -> list[str]:
        return [line[at:] for line, at in zip(self.lines, self.at, strict=True)]
