"""Depth truncation: the upper levels of JSON, and in place of the lower ones a mark that counts what is behind it.

``outline`` cuts everything below a depth. ``outline_within`` opens containers breadth first for as long as the room
lasts, so that a tree shows its upper levels whole before any of its lower ones. Scalars are copied byte for byte.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.budget import Room, largest
from penstock.core.json import nesting, scan
from penstock.core.json.strings import quote
from penstock.core.plain import Plain
from penstock.core.reading.cut import shorten_scalar
from penstock.core.reading.indicator import DEFAULT_DEPTH, Indicator
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container, Read

LEVELS: Final = "[+{levels} levels truncated]"
MOST_OPENED: Final = 2_000  # containers; more than any preview can hold, and the work it may cost
MOST_LEVELS: Final = 40  # levels opened; a tree is read by path from there on, and rendering recurses
MOST_SCALARS: Final = 20  # scalars shown of one array, before the rest is counted
MOST_MEMBERS: Final = 40  # members shown of one object when room is short; a wider object is a map


class Outline(Plain, frozen=True, kw_only=True):
    """Outlined JSON, the levels it shows and the levels that are behind its marks."""

    text: bytes
    depth: int
    levels_hidden: int

    @property
    def note(self) -> str:
        """Return the note for a tree that was cut as a whole; empty when nothing was cut."""
        return LEVELS.format(levels=self.levels_hidden) if self.levels_hidden else ""


def outline(value: bytes, max_depth: int = DEFAULT_DEPTH, indicator: Indicator | None = None) -> Outline:
    """Cut every container below ``max_depth`` levels. Array lengths above it are preserved."""
    total = nesting.depth(value)
    depth = min(total, max(0, max_depth))
    if depth == total:
        return Outline(text=value, depth=total, levels_hidden=0)
    if total > scan.MAX_DEPTH:  # no parser takes this apart
        return Outline(text=quote(LEVELS.format(levels=total)), depth=0, levels_hidden=total)
    try:
        text = _cut(value, depth, indicator or Indicator())
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CallerError("this is not JSON, so it has no levels", do="read it as text") from None
    return Outline(text=text, depth=depth, levels_hidden=total - depth)


def _cut(value: bytes, levels: int, indicator: Indicator) -> bytes:
    if not scan.is_container(value):
        return value
    if levels == 0:
        return indicator.mark(value)
    # Plain loops: a generator would take a second stack frame at each of up to 400 levels.
    parts: list[bytes] = []
    if value[:1] == b"[":
        for item in scan.items(value):
            parts.append(_cut(item, levels - 1, indicator))  # noqa: PERF401
        return b"[" + b",".join(parts) + b"]"
    for key, inner in scan.members(value):
        parts.append(quote(key) + b":" + _cut(inner, levels - 1, indicator))
    return b"{" + b",".join(parts) + b"}"


class _Node:
    """A container on the way to being opened. ``parts`` are its keys (or None) with scalars or nodes. It is rendered
    again and again while others are opened, so all that does not change is made once."""

    def __init__(self, kind: str, level: int, value: bytes) -> None:
        self.kind = kind
        self.level = level
        self.value = value
        self.parts: list[tuple[str | None, bytes | _Node]] = []

    @cached_property
    def members(self) -> list[tuple[str, bytes]]:
        return scan.members(self.value)

    @cached_property
    def count(self) -> int:
        """Return how many parts there are; of most containers no caller asks."""
        return scan.count_items(self.value) if self.kind == "Array" else len(self.members)

    @cached_property
    def mark(self) -> bytes:
        """Return what stands for the container while it is closed."""
        return Indicator().render(self.kind, self.count, "items" if self.kind == "Array" else "properties", self.value)

    @cached_property
    def pieces(self) -> list[bytes | _Node]:
        """Return the parts that may be rendered, once it is open: members with their keys, and scalars as they are
        written there. Of an array these are few scalars."""
        if self.kind == "Object":
            return [_piece(part) for _, part in self.parts[:MOST_MEMBERS]]
        pieces: list[bytes | _Node] = []
        scalars = 0
        for _, part in self.parts:
            scalars += isinstance(part, bytes)
            if scalars > MOST_SCALARS:
                break
            pieces.append(_piece(part))
        return pieces

    @cached_property
    def heads(self) -> list[bytes]:
        """Return what stands before the members of an object that may be rendered."""
        return [quote(key or "") + b":" for key, _ in self.parts[:MOST_MEMBERS]]


def _piece(part: bytes | _Node) -> bytes | _Node:
    return part if isinstance(part, _Node) else shorten_scalar(part)


def outline_within(container: Container, read: Read, room: Room, max_depth: int = MOST_LEVELS) -> Outline:
    """Open the container's parts breadth first while the room lasts, and no deeper than ``max_depth`` levels. What
    stays closed is counted by its mark."""
    root = _open_container(container, read)
    order: list[_Node] = []
    known: dict[int, bool] = {}  # numbers of opened containers of which it was seen whether they fit
    opening = _breadth_first(root, min(max_depth, MOST_LEVELS))

    def text(opened: int) -> bytes:
        return _render(root, set(map(id, order[:opened])))

    def fits(opened: int) -> bool:
        if opened not in known:
            known[opened] = room.fits(text(opened))
        return known[opened]

    # Twice as many each time: most large containers fill the room with the first few of thousands of parts.
    while fits(len(order)) and (more := list(islice(opening, max(1, len(order))))):
        order += more
    opened = largest(len(order), fits)
    depth = max((node.level for node in order[:opened]), default=0)
    levels = 1 + max((nesting.depth(part.value) for _, part in root.parts if isinstance(part, _Node)), default=0)
    return Outline(text=text(opened), depth=depth, levels_hidden=levels - depth)


def _breadth_first(root: _Node, levels: int) -> Iterator[_Node]:
    waiting = deque([root])
    for _ in range(MOST_OPENED):
        if not waiting:
            return
        node = waiting.popleft()
        if node is not root:
            _open_value(node)
        yield node
        if node.level < levels:
            seen = node.parts if node.kind == "Array" else node.parts[:MOST_MEMBERS]  # others are never rendered
            waiting.extend(part for _, part in seen if isinstance(part, _Node))


def _open_container(container: Container, read: Read) -> _Node:
    keyed = container.kind == "object"
    root = _Node("Object" if keyed else "Array", 1, b"")
    root.count = container.count
    for number in range(min(container.count, MOST_OPENED)):
        part = container.item(read, number)
        if keyed:
            root.parts.append((scan.member_key(part), _node_or_scalar(scan.member_value(part), 2)))
        elif container.kind == "lines":
            root.parts.append((None, quote(part.decode("utf-8", "replace"))))
        else:
            root.parts.append((None, _node_or_scalar(part, 2)))
    return root


def _open_value(node: _Node) -> None:
    if node.kind == "Array":
        node.parts = [(None, _node_or_scalar(item, node.level + 1)) for item in scan.items(node.value)[:MOST_OPENED]]
    else:
        node.parts = [(key, _node_or_scalar(value, node.level + 1)) for key, value in node.members]


def _node_or_scalar(value: bytes, level: int) -> bytes | _Node:
    if not scan.is_container(value):
        return value
    return _Node("Array" if value[:1] == b"[" else "Object", level, value)


def _render(node: _Node, opened: set[int]) -> bytes:
    if id(node) not in opened:
        return node.mark
    return _render_object(node, opened) if node.kind == "Object" else _render_array(node, opened)


def _render_object(node: _Node, opened: set[int]) -> bytes:
    parts = [
        head + (piece if isinstance(piece, bytes) else _render(piece, opened))
        for head, piece in zip(node.heads, node.pieces, strict=True)
    ]
    if node.count > len(parts):
        parts.append(f'"…":"[+{node.count - len(parts)} properties, truncated]"'.encode())
    return b"{" + b",".join(parts) + b"}"


def _render_array(node: _Node, opened: set[int]) -> bytes:
    """Render items from the front: opened containers, and a few scalars. The rest is one mark with its count."""
    parts: list[bytes] = []
    for piece in node.pieces:
        if isinstance(piece, _Node) and id(piece) not in opened:
            break
        parts.append(piece if isinstance(piece, bytes) else _render(piece, opened))
    if node.count > len(parts):
        parts.append(f'"[+{node.count - len(parts)} items, truncated]"'.encode())
    return b"[" + b",".join(parts) + b"]"
