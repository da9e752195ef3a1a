"""Items of several sections on pages of one room, as full as can be, with every word of every item exactly once.

A section may fill its share of a page with whole items; one that has run out leaves its share to the next. What is then
still free goes to the first section that has more. An item is begun on one page and goes on on the next only where
much of a page would stay empty, or where it is larger than a page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock import allocate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Position = tuple[tuple[int, int], ...]  # of each section: the next item, and the character at which it goes on
EMPTY: Final = 0.04  # of a page that may stay empty before an item is begun that does not fit
LEAST: Final = 40  # tokens that are worth the beginning of an item; its heading alone has half of them
WIDEST: Final = 32  # characters a token: no text of words has as many
AIM: Final = 0.97  # of the room is what a guess of an item's end is to take
GUESSES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An item on a page, or the characters of it from ``start`` to ``end``; ``text`` is what is written of it."""

    section: int
    index: int
    start: int
    end: int
    text: str
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The items that wait for pages. ``whole`` has the sections whose items are never parted; ``marker`` stands where
    an item goes on elsewhere, and ``heading`` gives what is written before the rest of one."""

    texts: Sequence[Sequence[str]]
    shares: Sequence[float]
    costs: Sequence[Sequence[int]]
    whole: frozenset[int]
    measure: Callable[[str], int]
    marker: str
    heading: Callable[[int, int], str]

    def start(self) -> Position:
        """Return where the first page begins."""
        return tuple((0, 0) for _ in self.texts)

    def waiting(self, position: Position) -> int:
        """Count the items that are not yet shown to their end."""
        return sum(len(texts) - index for texts, (index, _) in zip(self.texts, position, strict=True))

    def fill(self, position: Position, room: int, most: int, *, parts_items: bool) -> tuple[list[Part], Position]:
        """Fill the next page, of so much room and at most so many items; and tell where the page behind it begins."""
        page = _Page(shelf=self, at=[list(one) for one in position], left=room, most=most)
        carry = 0
        for section, share in enumerate(self.shares):
            allowed = int(room * share) + carry
            used = page.take(section, min(allowed, page.left))
            carry = 0 if page.waits(section) else allowed - used
        for section in range(len(self.texts)):
            page.take(section, page.left)
            if parts_items and page.left > max(LEAST, room * EMPTY) and section not in self.whole:
                page.begin(section)
        if not page.parts and (left := [section for section in range(len(self.texts)) if page.waits(section)]):
            page.move_on(left[0], begins=parts_items and left[0] not in self.whole)
        return page.parts, tuple((index, offset) for index, offset in page.at)


@dataclass(slots=True, kw_only=True)
class _Page:
    shelf: Shelf
    at: list[list[int]]
    left: int
    most: int
    parts: list[Part] = field(default_factory=list)

    def waits(self, section: int) -> bool:
        return self.at[section][0] < len(self.shelf.texts[section])

    def take(self, section: int, room: int) -> int:
        """Take items, or what is left of one, as long as they fit; say what they use."""
        used = 0
        while self.waits(section) and len(self.parts) < self.most:
            index, offset = self.at[section]
            text = self.shelf.texts[section][index]
            rest = text if not offset else self.shelf.heading(section, index) + text[offset:]
            too_long = offset and len(rest) > (room - used) * WIDEST
            cost = (
                self.shelf.costs[section][index]
                if not offset
                else self.shelf.measure(rest)
                if not too_long
                else room + 1
            )
            if cost > room - used:
                break
            used += cost
            self._add(section, Part(section=section, index=index, start=offset, end=len(text), text=rest, is_last=True))
        self.left -= used
        return used

    def move_on(self, section: int, *, begins: bool) -> None:
        """Take something, room or not: a page without any item would be followed by another."""
        index, offset = self.at[section]
        text = self.shelf.texts[section][index]
        if begins and len(text) - offset > 1:
            self.left = max(self.left, LEAST)
            self.begin(section)
        elif begins or offset or section in self.shelf.whole:
            self._add(
                section,
                Part(section=section, index=index, start=offset, end=len(text), text=text[offset:], is_last=True),
            )

    def begin(self, section: int) -> None:
        """Take as much of the next item as there is room for, to the end of a word."""
        if not self.waits(section) or len(self.parts) >= self.most:
            return
        index, offset = self.at[section]
        text = self.shelf.texts[section][index]
        heading = self.shelf.heading(section, index) if offset else ""
        density = len(text) / self.shelf.costs[section][index]
        start, kept = beginning(heading, text[offset:], self.left, density, self.shelf.measure, self.shelf.marker)
        if 0 < kept < len(text) - offset:
            self.left = 0
            part = Part(section=section, index=index, start=offset, end=offset + kept, text=start, is_last=False)
            self._add(section, part)

    def _add(self, section: int, part: Part) -> None:
        self.parts.append(part)
        self.at[section] = [part.index + 1, 0] if part.is_last else [part.index, part.end]


def beginning(  # noqa: PLR0917
    heading: str, text: str, room: int, density: float, measure: Callable[[str], int], marker: str
) -> tuple[str, int]:
    """Cut as much of a text as has room, to the end of a word, with a heading and a marker; and tell how many
    characters of it that is. ``density`` is how many a token has: the end is guessed from it, tried, and mended."""
    length = int(room * density * AIM)
    for _ in range(GUESSES):
        length = max(1, min(length, len(text) - 1))
        used = measure(heading + text[:length] + marker)
        if used <= room and (used > room * AIM * AIM or length >= len(text) - 1):
            break
        length = int(length * room / used * AIM)
    while length > 1 and measure(heading + text[:length] + marker) > room:
        length //= 2
    length = max(1, min(length, len(text)))
    most = length + len(marker)
    plan = allocate({"text": [text]}, shares={"text": 1}, budget=most, overhead=0, safety=0, marker=marker, measure=len)
    hidden = plan.sections[0].items[0].hidden
    # A sign with thousands of marks on it is parted, and so is what is as short as the marker.
    kept = len(text) - hidden if 0 < hidden < len(text) else length
    return heading + text[:kept] + marker.format(hidden=len(text) - kept), kept
