"""Filling pages, item by item, from the queues of several sections that share one room.

A page is a list of places for each queue. ``allocate`` says what the room is, and cuts the texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

CUT_FLOOR: Final = 10  # an item larger than a page gets at least a tenth of one, even in a section with no share


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlace:
    """An item's place on a page: whole, or cut into a room."""

    index: int
    room: int | None = None


Page = list[list[PagePlace]]


@dataclass(slots=True, kw_only=True)
class Queue:
    """The items of a section that wait for a page, in the order of ``order``; ``at`` is the next."""

    allotted: int
    texts: list[str]
    costs: list[int]
    order: list[int]
    at: int = 0

    @property
    def waiting(self) -> int:
        return len(self.order) - self.at

    @property
    def cost(self) -> int:
        return self.costs[self.order[self.at]]

    @property
    def text(self) -> str:
        return self.texts[self.order[self.at]]

    def take(self, room: int | None = None) -> PagePlace:
        self.at += 1
        return PagePlace(index=self.order[self.at - 1], room=room)

    def fill(self, room: int, places: list[PagePlace]) -> int:
        """Take items as long as they fit whole, and say what they use. None is skipped for a less important one."""
        used = 0
        while self.waiting and self.cost <= room - used:
            used += self.cost
            places.append(self.take())
        return used


def page_of_wholes(queues: list[Queue], available: int) -> Page:
    """Return the next page of items that are not cut unless they are larger than a page. At least one, if any is left.

    The first item of the first section that has any may exceed its share: else it would wait until the sections
    behind it have run out.
    """
    page: Page = [[] for _ in queues]
    left, carry, leading = available, 0, True
    for queue, places in zip(queues, page, strict=True):
        room = min(queue.allotted + carry, left)
        used = 0
        if queue.waiting:
            reserve = max(room, available // CUT_FLOOR, 1)
            if queue.cost > available and reserve <= left:
                places.append(queue.take(reserve))
                used = reserve
            elif leading:
                used = queue.cost
                places.append(queue.take())
            leading = False
            used += queue.fill(room - used, places)
        left -= used
        carry = max(0, room - used)
    for queue, places in zip(queues, page, strict=True):
        left -= queue.fill(left, places)
    _widen(page, left)
    return page


def _widen(page: Page, left: int) -> None:
    """Give what is still free to the first item that has to be cut."""
    for places in page:
        for number, place in enumerate(places):
            if place.room is not None:
                places[number] = PagePlace(index=place.index, room=place.room + left)
                return


def stretched_page(queues: list[Queue], available: int, measure: Callable[[str], int], marker: str) -> Page:
    """Return the only page: whole items, then in each section the next one, cut into what is left of the share."""
    page: Page = [[] for _ in queues]
    spares: list[int] = []
    left, carry = available, 0
    for queue, places in zip(queues, page, strict=True):
        room = queue.allotted + carry
        used = queue.fill(room, places)
        left -= used
        carry = 0 if queue.waiting else room - used
        spares.append(room - used if queue.waiting else 0)
    pool = left - sum(spares)
    for queue, places, spare in zip(queues, page, spares, strict=True):
        pool += spare
        pool -= queue.fill(pool, places)
        # A cut that shows less of the item than the marker is long would say less than it costs.
        if queue.waiting and measure(queue.text[: len(marker) + 1] + marker) <= pool:
            places.append(queue.take(pool))
            pool = 0
    return page
