"""One budget shared out among named sections of items, such as 60/30/10 for primary, related and relationships.

An overhead (for what the answer says around the items) and a safety margin come off first. Each section may fill its
share; what it does not use flows on to the next, and what is left at the end flows back to the first section that
still has items. In each section the most important items come first (of equals, the first); the ones that are
shown keep the order they were given in.

With pages, what does not fit goes to a later page, whole: every item is on exactly one page, so that all pages
together show all items, and each page shows at least one. Only an item that is larger than a whole page is cut, to
its section's share and what else is free. Without pages there is one page, and the first item of each section that
does not fit is cut into what is left of the section's share; the others are hidden, and counted.

What is kept, for any measure: on every page the measures of the shown texts, the overhead and the safety margin sum
to no more than the budget. (A text that was cut to nothing need not be written, and counts 0.) So does the joined
text, for a measure by which a whole is no more than the sum of its parts: bytes are exactly that, tokens are but
for the odd one at a seam. (A whole that is large enough to be sampled may still have a wider bound than its parts:
a caller held to that bound counts the finished answer.) What is written between items belongs to the overhead, or
into the measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf, isnan
from typing import TYPE_CHECKING, Any, Final

from penstock.core.reading.cut import MARKER, cut_text
from penstock.core.text import shorten
from penstock.core.tokens.count import count
from penstock.core.toolkit.key_style import Meta, Style, render
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable


SHARES: Final = {"primary": 0.6, "related": 0.3, "relationships": 0.1}
SAFETY: Final = 200  # tokens for what the caller did not foresee: a longer name, one more line in the header
LEAST_OVERHEAD, MOST_OVERHEAD = 500, 1_000  # tokens of a header and of the JSON around the items: 5 % of the budget
MOST_EXACT: Final = 2**50  # tokens; a share of more, taken in floats, would not be whole tokens any more
MOST_SHARED: Final = 1.0001  # shares such as 0.1 + 0.2 + 0.7 do not sum to 1 exactly in floats
CUT_FLOOR: Final = 10  # an item larger than a page gets at least a tenth of one, even in a section with no share

PagePlace = tuple[int, int | None]  # an item's number in its section, and the room that it is cut into, if it is
Page = list[list[PagePlace]]  # places for each queue


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
        return self.order[self.at - 1], room

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
        for number, (index, room) in enumerate(places):
            if room is not None:
                places[number] = index, room + left
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A text to be shown. The higher its importance (none is 0), the later it is cut or left out.

    ``key`` is the caller's own: an id, or the record that the text was made of.
    """

    text: str
    importance: float | None = None
    key: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocatedItem:
    """An item on a page: which one of its section (``index``), and its text, whole or with its end cut off."""

    item: Item
    index: int
    text: str
    tokens: int
    hidden: int = 0

    @property
    def cut(self) -> bool:
        return self.hidden > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The allotment of one section, its use on this page, and its items: shown here, and in all."""

    name: str
    share: float
    allotted: int
    total: int
    items: tuple[AllocatedItem, ...]

    @property
    def shown(self) -> int:
        return len(self.items)

    @property
    def used(self) -> int:
        return sum(item.tokens for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """One page of the sections, and its report.

    ``overhead``, ``safety``  what was really set aside, in tokens.
    ``hidden_items``          items that are on no page at all.
    """

    sections: tuple[Section, ...]
    budget: int
    overhead: int
    safety: int
    page: int
    total_pages: int
    hidden_items: int

    @property
    def total_items(self) -> int:
        return sum(section.total for section in self.sections)

    @property
    def shown_items(self) -> int:
        return sum(section.shown for section in self.sections)

    @property
    def cut_items(self) -> int:
        return sum(item.cut for section in self.sections for item in section.items)

    @property
    def truncated(self) -> bool:
        """Return whether the reader misses something that no other page has."""
        return self.cut_items > 0 or self.hidden_items > 0

    @property
    def has_more(self) -> bool:
        return self.page < self.total_pages

    @property
    def estimated_tokens(self) -> int:
        """Return what this page costs with its overhead; the safety margin is on top of it."""
        return self.overhead + sum(section.used for section in self.sections)

    def render(self, style: Style = "snake") -> dict[str, Any]:
        """Return the report for an answer, without the texts."""
        report = Meta(
            estimated_tokens=self.estimated_tokens,
            budget=self.budget,
            page=self.page,
            total_pages=self.total_pages,
            has_more=self.has_more,
            total_items=self.total_items,
            shown_items=self.shown_items,
            cut_items=self.cut_items,
            hidden_items=self.hidden_items,
            truncated=self.truncated,
            sections=[
                Meta(
                    name=section.name,
                    share=section.share,
                    allotted=section.allotted,
                    used=section.used,
                    shown=section.shown,
                    total=section.total,
                )
                for section in self.sections
            ],
        )
        return render(report, style)


def allocate(
    sections: Mapping[str, Sequence[Item | str]],
    *,
    budget: int,
    shares: Mapping[str, float] = SHARES,
    overhead: int | None = None,
    safety: int = SAFETY,
    page: int = 1,
    paginate: bool = True,
    truncate: bool = True,
    marker: str = MARKER,
    profile: str = "claude",
    measure: Callable[[str], int] | None = None,
) -> Allocation:
    """Fill a page of the sections within the budget.

    ``shares``    sections that are not named in it share equally what the named ones leave.
    ``overhead``  5 % of the budget, between 500 and 1,000, when not given; as that is a guess, it and the safety margin
                  then take no more than half of a small budget. A given one is set aside in full if there is room.
    ``paginate``  off: one page, and what does not fit is hidden.
    ``truncate``  off: only items that are larger than a page are cut. With pages it makes no difference.
    ``measure``   what a text costs; else the upper bound of its tokens by the profile.
    """
    _check_number("budget", budget, least=1)
    _check_number("page", page, least=1)
    _check_number("safety", safety, least=0)
    overhead, safety = _set_aside(budget, overhead, safety)
    available = budget - overhead - safety
    cost = measure or (lambda text: count(text, profile).upper)
    items_by_section = {name: _items(name, entries) for name, entries in _mapping("sections", sections).items()}
    shared = _shares(_mapping("shares", shares), list(items_by_section))
    queues = [
        _queue(items, floor(min(available, MOST_EXACT) * shared[name]), cost)
        for name, items in items_by_section.items()
    ]

    cut_to_fit = truncate and not paginate
    pages = [stretched_page(queues, available, cost, marker) if cut_to_fit else page_of_wholes(queues, available)]
    while paginate and any(queue.waiting for queue in queues):
        pages.append(page_of_wholes(queues, available))
    chosen = pages[page - 1] if page <= len(pages) else [[] for _ in queues]

    filled = []
    for (name, items), queue, places in zip(items_by_section.items(), queues, chosen, strict=True):
        allocated = tuple(
            _allocated_item(items[place[0]], place, queue.costs[place[0]], cost, marker)
            for place in sorted(places, key=lambda place: place[0])
        )
        filled.append(
            Section(name=name, share=shared[name], allotted=queue.allotted, total=len(items), items=allocated)
        )
    return Allocation(
        sections=tuple(filled),
        budget=budget,
        overhead=overhead,
        safety=safety,
        page=page,
        total_pages=len(pages),
        hidden_items=sum(queue.waiting for queue in queues),
    )


def _queue(items: list[Item], allotted: int, measure: Callable[[str], int]) -> Queue:
    return Queue(
        allotted=allotted,
        texts=[item.text for item in items],
        costs=[measure(item.text) for item in items],
        order=sorted(range(len(items)), key=lambda index: -_weight(items[index])),
    )


def _allocated_item(
    item: Item, place: PagePlace, cost: int, measure: Callable[[str], int], marker: str
) -> AllocatedItem:
    index, room = place
    if room is None:
        return AllocatedItem(item=item, index=index, text=item.text, tokens=cost)
    cut = cut_text(item.text, lambda text: measure(text) <= room, marker)
    tokens = measure(cut.text) if cut.text else 0
    return AllocatedItem(item=item, index=index, text=cut.text, tokens=tokens, hidden=cut.hidden)


def _mapping(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise CallerError(f"{name} is no mapping by names", do='write it like {"primary": ...}')
    return value


def _items(name: str, entries: Any) -> list[Item]:
    if isinstance(entries, str | bytes) or not isinstance(entries, Sequence):
        raise CallerError(f"the section {shorten(name)!r} is no list", do="give a list of texts or items")
    items: list[Any] = [Item(text=entry) if isinstance(entry, str) else entry for entry in entries]
    for index, item in enumerate(items):
        is_sound = isinstance(item, Item) and isinstance(item.text, str)
        if not is_sound or not isinstance(item.importance, int | float | None):
            raise CallerError(
                f"entry {index} of the section {shorten(name)!r} is neither a text nor an item",
                do='write it like "text" or Item(text="text", importance=0.5)',
            )
    return items


def _weight(item: Item) -> float:
    """Return how important something is; not a number is the least. (Only a float is asked: ``isnan`` fails on an
    integer of 400 digits.)"""
    importance = item.importance or 0
    return -inf if type(importance) is float and isnan(importance) else importance


def _shares(shares: Mapping[str, Any], names: list[str]) -> dict[str, float]:
    """Return each section's share; they sum to at most 1."""
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= MOST_SHARED:
            raise CallerError(f"the share of {shorten(name)!r} is not between 0 and 1", do="give a part of 1, like 0.6")
    if sum(shares.values()) > MOST_SHARED:
        raise CallerError(f"the shares sum to {sum(shares.values()):.4g}", do="make them sum to 1 or less")
    named = {name: shares[name] for name in names if name in shares}
    shared = sum(named.values())
    rest = max(0.0, 1 - shared) / max(1, len(names) - len(named))
    return {name: named.get(name, rest) / max(1.0, shared) for name in names}


def _set_aside(budget: int, overhead: int | None, safety: int) -> tuple[int, int]:
    """Return the overhead and the safety margin, made smaller in proportion where the budget is too small for both."""
    if overhead is None:
        overhead = min(max(budget // 20, LEAST_OVERHEAD), MOST_OVERHEAD)
        most = budget // 2
    else:
        _check_number("overhead", overhead, least=0)
        most = budget - 1
    wanted = overhead + safety
    if wanted <= most:
        return overhead, safety
    return overhead * most // wanted, safety * most // wanted


def _check_number(name: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise CallerError(f"{name} is no whole number of {least} or more", do="give one")
