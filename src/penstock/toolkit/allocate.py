"""One budget shared out among named sections of items, such as 60/30/10 for primary, related and relationships.

An overhead (for what the answer says around the items) and a safety margin come off first. Each section may fill its
share; what it does not use flows on to the next, and what is left at the end flows back to the first section that
still has items. In each section the most important items come first (of equals, the first); the ones that are
shown keep the order they were given in.

With pages, what does not fit goes to a later page, whole: every item is on exactly one page, and each page shows at
least one. Only an item that is larger than a whole page is cut, to its section's share and what else is free. Without
pages there is one page, and the first item of each section that does not fit is cut into what is left of the section's
share. Where nothing may be cut, an item that does not fit is hidden. Hidden items are counted.

For any measure, on every page the measures of the shown texts, the overhead and the safety margin sum to no more than
the budget. (A text that was cut to nothing need not be written, and counts 0.) What is written between items belongs
to the overhead, or into the measure. A caller whose measure of a whole may be more than the sum of its parts, as a
bound of tokens can be, counts the finished answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, inf, isnan
from typing import TYPE_CHECKING, Any, Final, Required, TypedDict, Unpack

from penstock.core.key_style import Style, render
from penstock.core.reading.cut import MARKER, cut_text
from penstock.core.text import shorten
from penstock.core.tokens.count import count
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable

SHARES: Final = {"primary": 0.6, "related": 0.3, "relationships": 0.1}
SAFETY: Final = 200  # tokens for what the caller did not foresee: a longer name, one more line in the header
LEAST_OVERHEAD, MOST_OVERHEAD = 500, 1_000  # tokens of a header and of the JSON around the items: 5 % of the budget
MOST_EXACT: Final = 2**50  # tokens; a share of more, taken in floats, would not be whole tokens any more
MOST_SHARED: Final = 1.0001  # shares such as 0.1 + 0.2 + 0.7 do not sum to 1 exactly in floats
CUT_FLOOR: Final = 10  # an item larger than a page gets at least a tenth of one, even in a section with no share


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
    """One page. ``hidden_items`` are those that are on no page at all."""

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
        """Return True if the reader misses something that no other page has."""
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
        names = ("estimated_tokens", "budget", "page", "total_pages", "has_more", "total_items", "shown_items",
                 "cut_items", "hidden_items", "truncated")  # fmt: skip
        of_section = ("name", "share", "allotted", "used", "shown", "total")
        report = {name: getattr(self, name) for name in names}
        report["sections"] = [
            render({name: getattr(section, name) for name in of_section}, style) for section in self.sections
        ]
        return render(report, style)


class Settings(TypedDict, total=False):
    """The arguments of ``allocate_pages``."""

    budget: Required[int]
    shares: Mapping[str, float]
    overhead: int | None
    safety: int
    page_size: int | None
    paginate: bool
    truncate: bool
    marker: str
    profile: str
    measure: Callable[[str], int] | None


def allocate(
    sections: Mapping[str, Sequence[Item | str]], *, page: int = 1, **settings: Unpack[Settings]
) -> Allocation:
    """Fill a page of the sections within the budget. The other arguments are those of ``allocate_pages``."""
    _check_number("page", page, least=1)
    pages = allocate_pages(sections, **settings)
    if page <= len(pages):
        return pages[page - 1]
    return replace(pages[0], page=page, sections=tuple(replace(one, items=()) for one in pages[0].sections))


def allocate_pages(
    sections: Mapping[str, Sequence[Item | str]],
    *,
    budget: int,
    shares: Mapping[str, float] = SHARES,
    overhead: int | None = None,
    safety: int = SAFETY,
    page_size: int | None = None,
    paginate: bool = True,
    truncate: bool = True,
    marker: str = MARKER,
    profile: str = "claude",
    measure: Callable[[str], int] | None = None,
) -> list[Allocation]:
    """Fill all pages of the sections, each within the budget.

    ``shares``     sections that are not named in it share equally what the named ones leave.
    ``overhead``   5 % of the budget, between 500 and 1,000, when not given; as that is a guess, it and the safety
                   margin then take no more than half of a small budget. A given one is set aside in full if there is
                   room.
    ``page_size``  the most items of one page.
    ``paginate``   off: one page, and what does not fit is hidden.
    ``truncate``   off: nothing is cut.
    ``measure``    what a text costs; else the upper bound of its tokens by the profile.
    """
    _check_number("budget", budget, least=1)
    _check_number("safety", safety, least=0)
    if page_size is not None:
        _check_number("page_size", page_size, least=1)
    overhead, safety = _set_aside(budget, overhead, safety)
    available = budget - overhead - safety
    cost = measure or (lambda text: count(text, profile).upper)
    items_by_section = {name: _items(name, entries) for name, entries in _mapping("sections", sections).items()}
    shared = _shares(_mapping("shares", shares), list(items_by_section))
    queues = [
        Queue.of(items, floor(min(available, MOST_EXACT) * shared[name]), cost)
        for name, items in items_by_section.items()
    ]
    for queue in queues if not truncate else ():
        queue.order = [place for place in queue.order if queue.costs[place] <= available]

    slots = sum(len(queue.order) for queue in queues) if page_size is None else page_size
    pages: list[PageDraft] = []
    while not pages or (paginate and any(queue.waiting for queue in queues)):
        page = PageDraft(left=available, slots=slots, places=[[] for _ in queues])
        if truncate and not paginate:
            page.stretch(queues, cost, marker)
        else:
            page.fill_with_wholes(queues)
        pages.append(page)

    items = sum(len(items) for items in items_by_section.values())
    placed = sum(len(places) for page in pages for places in page.places)
    return [
        Allocation(
            sections=tuple(
                Section(
                    name=name,
                    share=shared[name],
                    allotted=queue.allotted,
                    total=len(items_by_section[name]),
                    items=tuple(queue.shown(place, cost, marker) for place in sorted(places, key=lambda one: one[0])),
                )
                for name, queue, places in zip(items_by_section, queues, page.places, strict=True)
            ),
            budget=budget,
            overhead=overhead,
            safety=safety,
            page=number,
            total_pages=len(pages),
            hidden_items=items - placed,
        )
        for number, page in enumerate(pages, 1)
    ]


PagePlace = tuple[int, int | None]  # an item's number in its section, and the room that it is cut into, if it is


@dataclass(slots=True, kw_only=True)
class Queue:
    """The items of a section that wait for a page, in the order of ``order``; ``at`` is the next."""

    allotted: int
    items: list[Item]
    costs: list[int]
    order: list[int]
    at: int = 0

    @classmethod
    def of(cls, items: list[Item], allotted: int, measure: Callable[[str], int]) -> Queue:
        order = sorted(range(len(items)), key=lambda index: -_weight(items[index]))
        return cls(allotted=allotted, items=items, costs=[measure(item.text) for item in items], order=order)

    @property
    def waiting(self) -> int:
        return len(self.order) - self.at

    @property
    def cost(self) -> int:
        return self.costs[self.order[self.at]]

    @property
    def text(self) -> str:
        return self.items[self.order[self.at]].text

    def shown(self, place: PagePlace, measure: Callable[[str], int], marker: str) -> AllocatedItem:
        """Return an item as it is on its page."""
        index, room = place
        item = self.items[index]
        if room is None:
            return AllocatedItem(item=item, index=index, text=item.text, tokens=self.costs[index])
        cut = cut_text(item.text, lambda text: measure(text) <= room, marker)
        tokens = measure(cut.text) if cut.text else 0
        return AllocatedItem(item=item, index=index, text=cut.text, tokens=tokens, hidden=cut.hidden)


@dataclass(slots=True, kw_only=True)
class PageDraft:
    """A page that is being filled: the tokens and the items that it still has room for, and its places by section."""

    left: int
    slots: int
    places: list[list[PagePlace]]

    def take(self, section: int, queue: Queue, cost: int, *, cut: bool = False) -> None:
        self.places[section].append((queue.order[queue.at], cost if cut else None))
        queue.at += 1
        self.left -= cost
        self.slots -= 1

    def fill(self, section: int, queue: Queue, room: int) -> int:
        """Take items as long as they fit whole, and return what they use. None is skipped for a less important one."""
        used = 0
        while queue.waiting and self.slots and queue.cost <= min(room - used, self.left):
            used += queue.cost
            self.take(section, queue, queue.cost)
        return used

    def fill_with_wholes(self, queues: list[Queue]) -> None:
        """Take items that are not cut unless they are larger than a page. At least one, if any is left.

        The first item of the first section that has any may exceed its share: else it would wait until the sections
        behind it have run out.
        """
        available, carry, leading = self.left, 0, True
        for section, queue in enumerate(queues):
            room = min(queue.allotted + carry, self.left)
            used = 0
            if queue.waiting and self.slots:
                reserve = max(room, available // CUT_FLOOR, 1)
                if queue.cost > available and reserve <= self.left:
                    used = reserve
                    self.take(section, queue, reserve, cut=True)
                elif leading and queue.cost <= available:
                    used = queue.cost
                    self.take(section, queue, used)
                leading = False
            used += self.fill(section, queue, room - used)
            carry = max(0, room - used)
        for section, queue in enumerate(queues):
            self.fill(section, queue, self.left)
        self._widen()

    def _widen(self) -> None:
        """Give what is still free to the first item that has to be cut."""
        for places in self.places:
            for number, (index, room) in enumerate(places):
                if room is not None:
                    places[number] = index, room + self.left
                    return

    def stretch(self, queues: list[Queue], measure: Callable[[str], int], marker: str) -> None:
        """Take whole items, then in each section the next one, cut into what is left of the share."""
        spares: list[int] = []
        kept: list[bool] = []
        carry = 0
        for section, queue in enumerate(queues):
            room = queue.allotted + carry
            spare = room - self.fill(section, queue, room)
            carry = 0 if queue.waiting else spare
            spares.append(spare if queue.waiting else 0)
            kept.append(bool(queue.waiting and self.slots))  # a place for the item that is cut
            self.slots -= kept[-1]
        pool = self.left - sum(spares)
        for section, (queue, spare) in enumerate(zip(queues, spares, strict=True)):
            pool += spare
            self.slots += kept[section]
            pool -= self.fill(section, queue, pool)
            # A cut that shows less of the item than the marker is long would say less than it costs.
            if queue.waiting and self.slots and measure(queue.text[: len(marker) + 1] + marker) <= pool:
                self.take(section, queue, pool, cut=True)
                pool = 0
        self._widen()


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
