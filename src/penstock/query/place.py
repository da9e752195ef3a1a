"""What a position in JSON is: its path, whether it is in a key, and the item of an array that it lies in."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.json import scan
from penstock.core.json.index import Container, Index, Read, reader, split_value

if TYPE_CHECKING:
    from penstock.core.json.path import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """``start`` and ``end`` are those of the scalar or key at ``path``, or of the container between whose parts the
    position lies. ``item`` are the bounds of the innermost array item around it that has parts of its own."""

    path: Path
    start: int
    end: int
    in_key: bool = False
    item: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A container whose own positions are ``base`` less than those of the document."""

    container: Container
    read: Read
    base: int

    def has(self, position: int) -> bool:
        return self.base + self.container.start <= position < self.base + self.container.end


class Locator:
    """Finds places one after the other; what was opened for one is used again for the next."""

    def __init__(self, index: Index, container: Container, read: Read) -> None:
        self._index = index
        self._way = [_Opened(container=container, read=read, base=0)]
        self._leaf: Place | None = None

    def locate(self, position: int) -> Place:
        # Many matches in one long string: it is looked up once, as each look reads all of it.
        if self._leaf is not None and self._leaf.start <= position < self._leaf.end:
            return self._leaf
        while len(self._way) > 1 and not self._way[-1].has(position):
            self._way.pop()
        while True:
            place = self._step(self._way[-1], position)
            if isinstance(place, Place):
                return place
            self._way.append(place)

    def _step(self, opened: _Opened, position: int) -> Place | _Opened:
        """The place, if it is a direct part of the opened container; else the container to open next."""
        container, base = opened.container, opened.base
        number = bisect_right(container.starts, position - base) - 1
        path, start, end = container.path, base + container.start, base + container.end
        if not 0 <= number < container.count:
            return Place(path=path, start=start, end=end, item=self._item())
        part = container.item(opened.read, number)
        at = base + container.starts[number]
        if position >= at + len(part):
            return Place(path=path, start=start, end=end, item=self._item())
        keyed = container.kind == "object"
        value = scan.member_value(part) if keyed else part
        path = (*path, _key(container, number, part) if keyed else number)
        at += len(part) - len(value)
        if position < at:
            return Place(path=path, start=at - (len(part) - len(value)), end=at, in_key=True, item=self._item())
        if not scan.is_container(value):
            self._leaf = Place(path=path, start=at, end=at + len(value), item=self._item())
            return self._leaf
        return self._open(path, value, at, opened)

    def _open(self, path: Path, value: bytes, at: int, above: _Opened) -> _Opened:
        known = self._index.container(path)
        if known is not None and above.base == 0 and known.start == at:
            return _Opened(container=known, read=above.read, base=0)
        return _Opened(container=split_value(value, path), read=reader(value), base=at)

    def _item(self) -> tuple[int, int] | None:
        """The innermost opened container that is an item of an array."""
        for above, below in zip(self._way[-2::-1], self._way[:0:-1], strict=True):
            if above.container.kind != "object":
                return below.base + below.container.start, below.base + below.container.end
        return None


def _key(container: Container, number: int, part: bytes) -> str:
    if container.keys is not None:
        return container.keys[number]
    return scan.members(b"{" + part + b"}")[0][0]
