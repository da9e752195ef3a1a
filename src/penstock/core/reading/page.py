"""Pages of whole items: how many there are is known before the first is read, and all together are the items.

``paginate`` lays down where pages begin; ``page`` reads one of them. An item larger than a page is alone on its page
and cut inside, and the page says so.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.budget import NO_LIMIT, Room, largest
from penstock.core.json import scan
from penstock.core.json.path import Path, parse, render
from penstock.core.json.strings import quote
from penstock.core.key_style import Style, camel
from penstock.core.key_style import render as render_names
from penstock.core.plain import Plain
from penstock.core.reading.page_frame import Frame, minified, project, shorten_item
from penstock.core.text import shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.json.index import Container, Read

EXACT: Final = 1_048_576  # bytes; up to here every page is counted when it is laid down, above by samples
TOLERANCE: Final = 1.25  # times its room that a page may take where samples misjudged it, before items in it are cut
GUESSES: Final = 4  # of where a counted page ends, each from what the one before cost
AIM: Final = 0.92  # of its room is what a guess is to take,
FULL: Final = 0.8  # and this much is enough
OPENING_RATE: Final = 0.5  # tokens a byte, before any were counted
PROBES: Final = 192  # places where a large container's density is measured: 8 ms, whatever its size
PROBE: Final = 512  # bytes read at each
LEAST_BIAS: Final = 0.1  # of what probes say; no white space is worth more
SAFETY: Final = 1.15  # pages laid down from samples are this much smaller, as density varies between the probes
LONG_PATH: Final = 400  # characters of a path that a page tells; keys may be of any length
MOST_CUT: Final = 3  # items named that are shown only in part; the note counts them all


class Pages(Plain, frozen=True, kw_only=True):
    """The beginning of each page of a container; the last entry of ``firsts`` is the number of items.

    ``room`` is for the items alone, when what stands around them has taken its part.
    """

    room: Room
    frame: Frame
    firsts: array[int]

    @property
    def total_pages(self) -> int:
        return len(self.firsts) - 1

    def containing(self, item: int) -> int:
        """Return the number of the page (from 1) on which an item stands."""
        return bisect_right(self.firsts, item, hi=max(1, self.total_pages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: its items in their original bytes, and where they stand among all. ``cut`` has the indexes of items
    that are shown only in part."""

    path: Path
    number: int
    total_pages: int
    start_index: int
    end_index: int
    total: int
    items: tuple[bytes, ...]
    keyed: bool = False
    cut: tuple[int, ...] = ()

    @property
    def has_more(self) -> bool:
        return self.end_index < self.total

    @property
    def shown(self) -> str:
        """Return how much is on this page, and how much is still to come."""
        return shown_text(self.start_index, self.end_index, self.total)

    def pagination(self, style: Style = "snake") -> dict[str, Any]:
        fields: dict[str, Any] = {
            "path": shorten(render(self.path), LONG_PATH),
            "page": self.number,
            "total_pages": self.total_pages,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "total": self.total,
            "has_more": self.has_more,
            "note": self.shown,
        }
        if self.cut:
            fields["cut_items"] = list(self.cut[:MOST_CUT])
            fields["note"] += f"; {len(self.cut)} shown in part: read them by path or as text"
        return render_names(fields, style)


def shown_text(first: int, last: int, total: int) -> str:
    """Write ``shown 41-80 of 439``, counted from 1, as people count."""
    if last <= first:
        return f"past the end: there are {total}" if total and first >= total else f"shown none of {total}"
    return f"shown {first + 1}-{last} of {total}"


def paginate(container: Container, read: Read, room: Room, frame: Frame | None = None) -> Pages:
    """Lay down the pages of a container so that each fits the room, its frame included."""
    frame = frame or Frame()
    inner = _inside(container.path, container.count, room, frame)
    is_counted = container.size <= EXACT
    firsts = _counted(container, read, inner) if is_counted else array("Q", (0, *_sampled_ends(container, read, inner)))
    return Pages(room=inner, frame=frame, firsts=firsts)


def first_page(container: Container, read: Read, room: Room, frame: Frame, hard: Room) -> Page:
    """Return the first page alone, as it will be when all are laid down; how many there are is only a guess."""
    inner = _inside(container.path, container.count, room, frame)
    last = 0
    if container.count and container.size <= EXACT:
        last, _ = _counted_page(container, read, inner, 0, OPENING_RATE / max(1, inner.tokens))
    elif container.count:
        last = next(_sampled_ends(container, read, inner))
    pages = Pages(room=inner, frame=frame, firsts=array("Q", [0, last] if last else [0]))
    first = page(container, read, pages, 1, hard=hard)
    guess = -(-container.count // last) if last else 0
    return replace(first, total_pages=guess)


@lru_cache(maxsize=64)  # it is the same for all pages of a container
def _inside(path: Path, most: int, room: Room, frame: Frame) -> Room:
    """Return the room for the items themselves, when the frame and the longest ``_pagination`` have taken theirs."""
    longest = Page(
        path=path,
        number=most,
        total_pages=most,
        start_index=most,
        end_index=most,
        total=most,
        items=(),
        cut=(most,) * (1 + MOST_CUT if most > MOST_CUT else 1),
    )
    left = room.less(render_page(longest, frame))
    # The bound of a whole can be a little wider than those of its parts together.
    return left.limited(tokens=left.tokens - left.tokens // 32)


def _counted(container: Container, read: Read, room: Room) -> array[int]:
    """Find where pages begin that are counted one by one."""
    firsts = array("Q", [0])
    rate = OPENING_RATE / max(1, room.tokens)
    while firsts[-1] < container.count:
        count, rate = _counted_page(container, read, room, firsts[-1], rate)
        firsts.append(firsts[-1] + count)
    return firsts


def _counted_page(container: Container, read: Read, room: Room, first: int, rate: float) -> tuple[int, float]:
    """Count how many items fit from ``first`` on, one at least, and which part of the room a byte of them took.

    Where a page ends is guessed from the ``rate`` of the page before: most guesses are good, and halving would count
    every page several times.
    """
    items: list[bytes] = []
    fit, over = 0, container.count - first + 1  # the most items that were seen to fit, the fewest that did not
    for _ in range(GUESSES):
        reached = bisect_right(container.starts, container.starts[first] + AIM / rate, lo=first) - 1 - first
        guess = min(max(fit + 1, reached), over - 1)
        items += (_item(container, read, number) for number in range(first + len(items), first + guess))
        load = room.load(b",".join(items[:guess]))
        rate = load / container.span(first, first + guess)
        if load > 1:
            over = guess
        else:
            fit = guess
        if FULL <= load <= 1 or fit + 1 >= over:
            break
    if not fit:
        fit = largest(over - 1, lambda count: room.load(b",".join(items[:count])) <= 1)
    return max(1, fit), rate


def _sampled_ends(container: Container, read: Read, room: Room) -> Iterator[int]:
    """Find where each page of a large container ends, one after the other, from what bytes cost at some places of it;
    no more is probed than the pages that are asked for need."""
    loads = _Loads(container, read, room)
    end = 0
    while end < container.count:
        end = loads.reach(end)
        yield end


class _Loads:
    """The share of the room that the bytes of a container take, by probes: ``sums`` are the loads of all stretches
    before each, as far as they were probed; within a stretch they grow in proportion."""

    def __init__(self, container: Container, read: Read, room: Room) -> None:
        self.container = container
        self.read = read
        self.room = room
        self.begin, self.end = container.starts[0], container.starts[-1]
        self.stride = -(-(self.end - self.begin) // PROBES)
        self.scale = SAFETY * _bias(container, read, room)
        self.starts = range(self.begin, self.end, self.stride)
        self.loads: list[float] = []
        self.sums = array("d", [0.0])

    def reach(self, first: int) -> int:
        """Return the item before which a page that begins at ``first`` ends; it has one item at least."""
        starts, sums = self.container.starts, self.sums
        stretch, rest = divmod(starts[first] - self.begin, self.stride)
        while len(sums) < stretch + 2:
            self._probe()
        wanted = 1 + sums[stretch] + (sums[stretch + 1] - sums[stretch]) * rest / self.stride
        while sums[-1] <= wanted and len(sums) <= len(self.starts):
            self._probe()
        reached = bisect_right(sums, wanted, lo=stretch) - 1
        if reached >= len(sums) - 1:
            return self.container.count
        byte = self.begin + (reached + (wanted - sums[reached]) / (sums[reached + 1] - sums[reached])) * self.stride
        # An item belongs to the page when it ends before that byte: when the next one begins no later.
        return max(first + 1, bisect_right(starts, byte, lo=first) - 1)

    def _probe(self) -> None:
        """Add up one stretch more. Between two probes anything may lie, but most often something like them: the densest
        of three counts."""
        number = len(self.sums) - 1
        for at in self.starts[len(self.loads) : number + 2]:
            middle = at + max(0, min(self.stride, self.end - at) - PROBE) // 2
            probe = self.read(middle, min(middle + PROBE, self.end))
            self.loads.append(self.room.load(probe) * self.scale * self.stride / len(probe))
        self.sums.append(self.sums[-1] + max(self.loads[max(0, number - 1) : number + 2]))


def _bias(container: Container, read: Read, room: Room) -> float:
    """Rate how much whole items cost beside their bytes probe by probe: less, as they are shown without white space and
    the bound of a short text is wider; or more, as each line of text gets quotes. The dearest of three places
    counts."""
    return max(_bias_at(container, read, room, container.count * place // 3) for place in range(3))


def _bias_at(container: Container, read: Read, room: Room, first: int) -> float:
    start = container.starts[first]
    last = bisect_right(container.starts, start + 16 * PROBE) - 1
    if last <= first:  # an item larger than this is alone on its page, whatever it costs
        return LEAST_BIAS
    raw = read(start, container.starts[last])
    apart = sum(room.cost(raw[at : at + PROBE]) for at in range(0, len(raw), PROBE))
    together = room.cost(b",".join(_item(container, read, number) for number in range(first, last)))
    return max(LEAST_BIAS, together / max(1, apart))


def projected(container: Container, read: Read, fields: Sequence[str]) -> bytes:
    """Return a container whose items have only these fields, as JSON: pages of it hold as many as have room."""
    wanted = [parse(name) for name in fields]
    items = b",".join(_item(container, read, at, wanted) for at in range(container.count))
    return b"{" + items + b"}" if container.kind == "object" else b"[" + items + b"]"


def page(
    container: Container,
    read: Read,
    pages: Pages,
    number: int = 1,
    *,
    hard: Room | None = None,
    fields: Sequence[str] = (),
) -> Page:
    """Read page ``number`` (from 1). Past the end it is empty, with the totals.

    ``hard`` is the most that the page may cost at all: where samples misjudged the density, a page may exceed its own
    room by a quarter, with every item whole, but never this. ``fields`` keeps only these fields of each item.
    """
    if number < 1:
        raise CallerError(f"page is {number}", do="pages count from 1")
    total_pages = pages.total_pages
    beyond = number > total_pages
    first = container.count if beyond else pages.firsts[number - 1]
    last = container.count if beyond else pages.firsts[number]
    wanted = [parse(name) for name in fields]
    items = [_item(container, read, at, wanted) for at in range(first, last)]
    limit = pages.room
    if len(items) != 1 and hard is not None:
        wider = replace(limit, tokens=int(limit.tokens * TOLERANCE), size=int(min(NO_LIMIT, limit.size * TOLERANCE)))
        inside = _inside(container.path, container.count, hard, pages.frame)
        limit = wider.limited(tokens=inside.tokens, size=inside.size)
    shortened, cut = _within(items, limit, keyed=container.kind == "object")
    return Page(
        path=container.path,
        number=number,
        total_pages=total_pages,
        start_index=first,
        end_index=last,
        total=container.count,
        items=tuple(shortened),
        keyed=container.kind == "object",
        cut=tuple(first + at for at in cut),
    )


def _item(container: Container, read: Read, at: int, wanted: Sequence[Path] = ()) -> bytes:
    part = container.item(read, at)
    if container.kind == "lines":
        return quote(part.decode("utf-8", "replace"))
    part = minified(part, keyed=container.kind == "object")
    value = scan.member_value(part) if wanted and container.kind == "object" else part
    if wanted and value[:1] == b"{":
        return part[: len(part) - len(value)] + project(value, wanted)
    return part


def _within(items: list[bytes], limit: Room, *, keyed: bool) -> tuple[list[bytes], list[int]]:
    """Return the items as they are if they fit together, else with the large ones cut inside."""
    if limit.fits(b",".join(items)):
        return items, []
    share = limit.limited(tokens=limit.tokens // len(items), size=limit.size // len(items))
    large = [at for at, item in enumerate(items) if not share.fits(item)]
    cut = set(large)
    left = limit.less(*(item for at, item in enumerate(items) if at not in cut))
    share = replace(left, tokens=left.tokens // max(1, len(large)), size=left.size // max(1, len(large)))
    shortened = list(items)
    for at in large:
        shortened[at] = shorten_item(items[at], share, keyed=keyed)
    if limit.fits(b",".join(shortened)):
        return shortened, large
    note = quote(f"[{len(items)} items, too dense for one page: read one by its path, or as text]")
    return [b'"":' + note if keyed else note], list(range(len(items)))


def render_page(page: Page, frame: Frame, style: Style = "snake") -> bytes:
    """Return a page as one JSON text: ``{"items": [...], "_pagination": {...}}``, or the object that the frame
    keeps."""
    opening, closing = (b"{", b"}") if page.keyed else (b"[", b"]")
    pagination = page.pagination(style)
    if frame.omitted:
        pagination[camel("omitted_fields") if style == "camel" else "omitted_fields"] = frame.omitted
    return frame.render(opening + b",".join(page.items) + closing, msgspec.json.encode(pagination))
