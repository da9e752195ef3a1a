"""Find what a position in JSON is: its path, whether it is in a key, and the item of an array that it lies in."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.json import scan
from penstock.core.json.index import Container, Index, Read, reader, split_value
from penstock.core.json.path import EACH, render_step

if TYPE_CHECKING:
    from penstock.core.json.path import Path, Step

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPlace:
    """``start`` and ``end`` are those of the scalar or key at ``path``, or of the container between whose parts the
    position lies; of a key, ``value`` is what it leads to. ``pattern`` is the path with every index left open. ``item``
    are the bounds of the innermost array item around it that has parts of its own, ``depth`` the length of the path to
    that item. ``row`` are the bounds of the outermost one."""

    path: Path
    pattern: str
    start: int
    end: int
    value: Span | None = None
    is_scalar: bool = False
    item: Span | None = None
    row: Span | None = None
    depth: int = 0

    @property
    def in_key(self) -> bool:
        return self.value is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A container whose own positions are ``base`` less than those of the document. ``pattern``, ``item`` and ``row``
    are those of all places in it: they are made once, as paths may have hundreds of steps."""

    container: Container
    read: Read
    base: int
    pattern: str
    item: Span | None
    row: Span | None
    depth: int

    def has(self, position: int) -> bool:
        return self.base + self.container.start <= position < self.base + self.container.end


class Locator:
    """Finds places one after the other; what was opened for one is used again for the next."""

    def __init__(self, index: Index, container: Container, read: Read) -> None:
        self._index = index
        pattern = "".join(map(_open_step, container.path))
        self._way = [_Opened(container=container, read=read, base=0, pattern=pattern, item=None, row=None, depth=0)]
        self._leaf: JsonPlace | None = None

    def locate(self, position: int) -> JsonPlace:
        # Many matches in one long string: it is looked up once, as each look reads all of it.
        if self._leaf is not None and self._leaf.start <= position < self._leaf.end:
            return self._leaf
        while len(self._way) > 1 and not self._way[-1].has(position):
            self._way.pop()
        while True:
            place = self._step(self._way[-1], position)
            if isinstance(place, JsonPlace):
                return place
            self._way.append(place)

    def _step(self, above: _Opened, position: int) -> JsonPlace | _Opened:
        """Return the place, if it is a direct part of the opened container; else the container to open next."""
        container, base = above.container, above.base
        number = bisect_right(container.starts, position - base) - 1
        if not 0 <= number < container.count:
            return _between(above)
        step: Step = container.key(above.read, number) if container.kind == "object" else number
        path = (*container.path, step)
        known = self._index.container(path) if base == 0 else None
        at = base + container.starts[number]
        if known is not None and position < known.end:  # what is large is not read to look into it
            if position < known.start:
                return _place(above, path, (at, known.start), value=(known.start, known.end))
            return _opened(above, known, above.read, 0)
        return self._part(above, number, path, position)

    def _part(self, above: _Opened, number: int, path: Path, position: int) -> JsonPlace | _Opened:
        """Find the place in a part of a container, which has to be read for it."""
        container = above.container
        at = above.base + container.starts[number]
        part = container.item(above.read, number)
        if position >= at + len(part):
            return _between(above)
        value = scan.member_value(part) if container.kind == "object" else part
        key_at, at = at, at + len(part) - len(value)
        if position < at:
            return _place(above, path, (key_at, at), value=(at, at + len(value)))
        if not scan.is_container(value):
            self._leaf = _place(above, path, (at, at + len(value)), is_scalar=True)
            return self._leaf
        return _opened(above, split_value(value, path), reader(value), at)


def _between(above: _Opened) -> JsonPlace:
    """Return the place between the parts of a container."""
    container, base = above.container, above.base
    return JsonPlace(
        path=container.path,
        pattern=_rooted(above.pattern),
        start=base + container.start,
        end=base + container.end,
        item=above.item,
        row=above.row,
        depth=above.depth,
    )


def _place(above: _Opened, path: Path, span: Span, *, value: Span | None = None, is_scalar: bool = False) -> JsonPlace:
    return JsonPlace(
        path=path,
        pattern=_rooted(above.pattern + _open_step(path[-1])),
        start=span[0],
        end=span[1],
        value=value,
        is_scalar=is_scalar,
        item=above.item,
        row=above.row,
        depth=above.depth,
    )


def _opened(above: _Opened, container: Container, read: Read, base: int) -> _Opened:
    """Open a container inside another; if that is an array, it is an item."""
    item, row, depth = above.item, above.row, above.depth
    if above.container.kind != "object":
        item, depth = (base + container.start, base + container.end), len(container.path)
        row = row or item
    pattern = above.pattern + _open_step(container.path[-1])
    return _Opened(container=container, read=read, base=base, pattern=pattern, item=item, row=row, depth=depth)


def _open_step(step: Step) -> str:
    return render_step(EACH if isinstance(step, int) else step)


def _rooted(pattern: str) -> str:
    return pattern if pattern.startswith(".") else f".{pattern}"
