"""Any JSON as a tree: its upper levels first, with a few parts of every container, and counts for all the rest.

The tree is opened in fixed steps: breadth first, three parts of each array or map; then again with ten; and so on. The
preview is what was opened up to the last step that fits, so a bigger room never shows less.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.budget import Room, largest
from penstock.core.json import scan
from penstock.core.json.strings import quote
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import (
    CUT,
    MOST_PARSED,
    array_of,
    cell,
    closed,
    count_of,
    counted,
    fields,
    keyed,
    object_of,
    reach,
    sized,
    small,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

ROUNDS: Final = (3, 10, 40, 160, 640, 2_000)  # parts opened of one container, in one round after the other
MOST_FIELDS: Final = 24  # fields of an object that are shown together; a wider object is a map, whose members are alike
MOST_PARTS: Final = 3_000  # parts shown in all: at 10 bytes each that is several times the usual preview
MOST_LEVELS: Final = 24  # levels opened; nobody reads a preview that is deeper
MOST_WORK: Final = 8_388_608  # bytes split into parts, all levels together; what is behind that is told by its size
LONG_TEXT: Final = 160  # characters of one string
INLINE: Final = 32  # bytes of a small container that is shown as it is: the mark in its place would not be shorter

State = dict[int, int]  # how many parts are shown of each node that is open


def tree(subject: Subject, room: Room) -> Preview | None:
    """Show the whole document from the root down, as deep as fits."""
    root, main = subject.index.root, subject.main
    if root is None or main is None or root.kind == "lines":
        return None
    planted = subject.once("tree", lambda subject: _Planted(subject, root, main))
    steps = subject.once("tree steps", lambda _: planted.steps())
    depth = subject.document.depth
    added = root.kind == "records"  # lines of JSON are shown as an array, which is a level of its own

    def text(state: State) -> bytes:
        outline = _render(planted.root, state)
        return object_of([("levels", quote(f"{scan.depth(outline) - added} of {depth} shown")), ("outline", outline)])

    state = _opened(steps, reach(room), lambda state: room.fits(text(state)))
    if not state:
        return None
    made = text(state)
    return Preview(
        text=made.decode(),
        style="tree",
        shown=Shown(path=main.path, start=0, end=planted.shown_of_main(state), total=main.count),
        headline=f"{_headline(root)}, {counted(depth, 'level')} deep",
        depth=scan.depth(made) - 1 - added,
    )


def _headline(root: Container) -> str:
    match root.kind:
        case "object":
            return f"an object with {counted(root.count, 'field')}"
        case "records":
            return f"{root.count:,} lines of JSON"
    return f"an array of {counted(root.count, 'item')}"


def _opened(steps: list[_Step], limit: int, fits: Callable[[State], bool]) -> State:
    """The state after as many steps as fit, and after a part of the next one. What is longer than ``limit`` for
    certain is not even tried."""

    def after(count: int) -> State:
        return {id(step.node): step.parts for step in steps[:count]}

    count = largest(len(steps), lambda count: steps[count - 1].least <= limit and fits(after(count)))
    state = after(count)
    if count < len(steps):
        node, parts = steps[count].node, steps[count].parts
        before = state.get(id(node), 0)
        more = largest(parts - before - 1, lambda more: fits(state | {id(node): before + more}))
        if more:
            state[id(node)] = before + more
    return state


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A node is opened, or opened further, to show so many parts; ``least`` is the least length of all that is then
    shown."""

    node: _Node
    parts: int
    least: int


@dataclass(slots=True, kw_only=True, eq=False)
class _Node:
    """A container. ``mark`` stands for it while it is closed; ``part`` makes its parts if it ``opens``."""

    kind: str
    count: int
    mark: bytes
    opens: bool
    part: Callable[[int], _Part]
    made: list[_Part] = field(default_factory=list)

    def parts(self, most: int) -> list[_Part]:
        self.made.extend(self.part(at) for at in range(len(self.made), min(most, self.count)))
        return self.made[:most]


_Part = tuple[str, bytes | _Node]  # a key, if there is one, and a scalar or a node


class _Planted:
    """The tree of a document, of which only the nodes that are looked at exist."""

    def __init__(self, subject: Subject, root: Container, main: Container) -> None:
        self.read = subject.read
        self.containers = {one.path: one for one in subject.index.containers}
        self.work = MOST_WORK
        self.main = main
        self.main_node: _Node | None = None
        self.root = self._container(root, 1)

    def steps(self) -> list[_Step]:
        steps: list[_Step] = []
        shown: State = {}
        total = least = 0
        for most in ROUNDS:
            waiting = deque([self.root])
            hidden = False
            while waiting and total < MOST_PARTS:
                node = waiting.popleft()
                is_record = node.kind == "{" and node.count <= MOST_FIELDS
                parts = node.count if is_record else min(node.count, most)
                if parts > shown.get(id(node), -1):
                    new = node.parts(parts)[shown.get(id(node), 0) :]
                    total += len(new)
                    least += sum(2 if isinstance(part, _Node) else len(part) for _, part in new)
                    steps.append(_Step(node=node, parts=parts, least=least))
                    shown[id(node)] = parts
                hidden = hidden or parts < node.count
                waiting.extend(part for _, part in node.parts(parts) if isinstance(part, _Node) and part.opens)
            if not hidden:
                break
        return steps

    def shown_of_main(self, state: State) -> int:
        """How many parts of the main container are open. As long as anything is hidden they are not taken for all."""
        node = self.main_node
        if node is None or id(node) not in state:
            return 0
        shown = sum(not isinstance(part, _Node) or id(part) in state for _, part in node.parts(state[id(node)]))
        return shown if _is_whole(self.root, state) else min(shown, node.count - 1)

    def _container(self, container: Container, level: int) -> _Node:
        """The node of a container that is indexed, and need not be read to be split."""
        kind = "{" if container.kind == "object" else "["
        node = _Node(
            kind=kind,
            count=container.count,
            mark=quote(closed(kind, container.count)),
            part=lambda at: self._part_of_container(container, at, level + 1),
            opens=level <= MOST_LEVELS,
        )
        if container is self.main:
            self.main_node = node
        return node

    def _part_of_container(self, container: Container, at: int, level: int) -> _Part:
        if container.kind == "array":
            step: str | int = at
        else:
            step = container.keys[at] if container.keys is not None else ""
        inner = self.containers.get((*container.path, step))
        # A path may lead to another value than this one: keys can occur twice.
        if inner is not None and container.starts[at] <= inner.start < container.starts[at + 1]:
            return str(step), self._container(inner, level)
        part = container.item(self.read, at)
        key, value = keyed(part) if container.kind == "object" else ("", part)
        return key, self._value(value, level)

    def _value(self, value: bytes, level: int) -> bytes | _Node:
        if not scan.is_container(value):
            return cell(value, LONG_TEXT)
        if compact := small(value, INLINE):
            return compact
        kind = value[:1].decode()
        self.work -= len(value)
        known = self.work >= 0 and len(value) <= MOST_PARSED
        count = count_of(value) if known else 0
        split: list[tuple[str, bytes]] = []

        def part(at: int) -> _Part:
            if not split:
                split.extend(fields(value).items() if kind == "{" else (("", item) for item in scan.items(value)))
            key, inner = split[at]
            return key, self._value(inner, level + 1)

        mark = quote(closed(kind, count) if known else sized(value))
        return _Node(kind=kind, count=count, mark=mark, opens=known and level <= MOST_LEVELS, part=part)


def _render(node: _Node, state: State) -> bytes:
    if id(node) not in state:
        return node.mark
    parts = node.parts(state[id(node)])
    shown = [(key, _render(part, state) if isinstance(part, _Node) else part) for key, part in parts]
    more = node.count - len(parts)
    if node.kind == "{":
        rest = [("…", quote(f"+{counted(more, 'field')}"))] if more else []
        return object_of([*shown, *rest]) or b"{}"
    return array_of([text for _, text in shown] + ([quote(f"+{counted(more, 'item')}")] if more else []))


def _is_whole(node: _Node, state: State) -> bool:
    parts = node.parts(state.get(id(node), 0))
    if len(parts) < node.count or id(node) not in state:
        return False
    return all(_is_whole(part, state) if isinstance(part, _Node) else CUT not in part for _, part in parts)
