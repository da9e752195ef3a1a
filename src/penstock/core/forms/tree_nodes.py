"""The nodes of a tree in JSON values: objects that hang in each other, and the ways to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.json.path import EACH, KEY, Path, Step, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from penstock.core.forms.rows import RowSpec

Way = tuple["Way", Step] | None  # the steps to a node, the last one first: nodes share their beginnings


class Nodes:
    """The nodes of a tree, parents before their children, in the order of the document: ``objects``, the depth of each
    from 0, and the row of its parent from 1. As a sequence, the ways to them, which are looked for when one is asked
    for: of few nodes it is told."""

    def __init__(self, spec: RowSpec, value: Any, first: int, count: int) -> None:
        """Take ``value``, whose first item has the number ``first``; ``count`` nodes are in the batches before."""
        self.objects: list[Any] = []
        self.depths: list[int] = []
        self.parents: list[int | None] = []
        self._spec = spec
        self._batch = value, first, count
        self._ways: dict[int, Way] = {}
        if spec.typed is not None:
            self._walk_typed(value, spec.typed, count)
        else:
            self._walk_edges([one for _, one in reached(value, spec.inner, None)], count)

    def __iter__(self) -> Iterator[Way]:
        return map(self.__getitem__, range(len(self.objects)))

    def __getitem__(self, at: int) -> Way:
        ways, objects = self._ways, self.objects
        if not ways:
            ways.update(self._top())
        climbed = [at]
        while id(objects[climbed[-1]]) not in ways:
            climbed.append((self.parents[climbed[-1]] or 0) - 1 - self._batch[2])
        for above in reversed(climbed[1:]):
            ways.update(self._below(objects[above], ways[id(objects[above])]))
        return ways[id(objects[at])]

    def _top(self) -> Iterator[tuple[int, Way]]:
        """Return the ways to the nodes that hang in no other."""
        value, first, _ = self._batch
        start: Way = None
        for step in self._spec.outer:
            start = (start, step)
        if self._spec.typed is None:
            return ((id(one), way) for way, one in reached(value, self._spec.inner, start, first))
        if type(value) is dict and self._spec.typed in value:
            return iter([(id(value), start)])
        return self._typed_below(value, start, self._spec.typed, first)

    def _below(self, node: Any, way: Way) -> Iterator[tuple[int, Way]]:
        """Return the ways to the nodes that hang in a node."""
        if self._spec.typed is not None:
            return self._typed_below(node, way, self._spec.typed)
        return ((id(one), inner) for edge in self._spec.edges for inner, one in reached(node, edge, way))

    def _typed_below(self, value: Any, way: Way, typed: str, first: int = 0) -> Iterator[tuple[int, Way]]:
        waiting = [(way, value)]
        while waiting:
            way, value = waiting.pop()
            parts: Iterable[tuple[Step, Any]] = value.items() if type(value) is dict else enumerate(value, first)
            first = 0
            for step, one in parts:
                if type(one) is dict and typed in one:
                    yield id(one), (way, step)
                elif type(one) is dict or type(one) is list:
                    waiting.append(((way, step), one))

    def _walk_typed(self, value: Any, typed: str, count: int) -> None:
        """Find all objects with a certain field, in what lies ``through`` the fields that lead to some; in all, where
        these are not known."""
        objects, depths, parents = self.objects, self.depths, self.parents
        through = frozenset(self._spec.through)
        is_leaf = through.isdisjoint if through else _never
        left: list[tuple[Iterator[Any], int, int | None]] = []
        parts: Iterator[Any] = iter((value,))
        depth, parent = 0, None
        while True:
            for one in parts:
                kind = type(one)
                if kind is dict:
                    if typed in one:
                        objects.append(one)
                        depths.append(depth)
                        parents.append(parent)
                        if is_leaf(one):
                            continue
                        left.append((parts, depth, parent))
                        depth, parent = depth + 1, count + len(objects)
                    elif is_leaf(one):
                        continue
                    else:
                        left.append((parts, depth, parent))
                    parts = iter([one[key] for key in one if key in through]) if through else iter(one.values())
                    break
                if kind is list:
                    left.append((parts, depth, parent))
                    parts = iter(one)
                    break
            else:
                if not left:
                    return
                parts, depth, parent = left.pop()

    def _walk_edges(self, roots: list[Any], count: int) -> None:
        """Find all objects that the edges of the tree lead to."""
        objects, depths, parents = self.objects, self.depths, self.parents
        edges = self._spec.edges
        only = edges[0][0] if len(edges) == 1 and edges[0][1:] == (EACH,) else None
        left: list[tuple[Iterator[Any], int, int | None]] = []
        parts, depth, parent = iter(roots), 0, None
        while True:
            for one in parts:
                if type(one) is not dict:
                    continue
                objects.append(one)
                depths.append(depth)
                parents.append(parent)
                if only is not None:
                    inside = one.get(only)
                else:
                    inside = [
                        inner
                        for edge in edges
                        if edge[0] in one or type(edge[0]) is int
                        for _, inner in reached(one, edge, None)
                    ]
                if inside and type(inside) is list:
                    left.append((parts, depth, parent))
                    parts, depth, parent = iter(inside), depth + 1, count + len(objects)
                    break
            else:
                if not left:
                    return
                parts, depth, parent = left.pop()


def _never(_: Any) -> bool:
    return False


def with_inner(objects: list[Any], edges: Mapping[str, Step]) -> list[Any]:
    """Return objects with all that hang in them, in the order of the document, as they lie in memory. ``edges`` are the
    fields with objects of their kind: alone, or in an array (EACH) or a map (KEY)."""
    nodes: list[Any] = []
    left: list[Iterator[Any]] = []
    is_leaf = edges.keys().isdisjoint
    parts = iter(objects)
    while True:
        for one in parts:
            if type(one) is not dict:
                continue
            nodes.append(one)
            if is_leaf(one):
                continue
            inside: list[Any] = []
            for key in filter(edges.__contains__, one):
                value, edge = one[key], edges[key]
                if type(value) is dict:
                    inside += value.values() if edge == KEY else () if edge == EACH else (value,)
                elif edge == EACH and type(value) is list:
                    inside += value
            if inside:
                left.append(parts)
                parts = iter(inside)
                break
        else:
            if not left:
                return nodes
            parts = left.pop()


def way_text(way: Way) -> str:
    """Return the way to a node as a path."""
    steps: list[Step] = []
    while way is not None:
        way, step = way
        steps.append(step)
    return render(tuple(reversed(steps)))


def dig(value: Any, path: Path) -> Any:
    """Return what lies at a path in a value, or None."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
    return value


def reached(value: Any, steps: Path, way: Way, first: int = 0) -> list[tuple[Way, Any]]:
    """Return the objects that steps lead to, with the ways to them."""
    pairs = [(way, value)]
    for step in steps:
        if step == EACH:
            pairs = [((way, at), item) for way, one in pairs if type(one) is list for at, item in enumerate(one, first)]
        elif step == KEY:
            pairs = [((way, key), item) for way, one in pairs if type(one) is dict for key, item in one.items()]
        else:
            pairs = [((way, step), inner) for way, one in pairs if (inner := dig(one, (step,))) is not None]
        first = 0
    return [pair for pair in pairs if type(pair[1]) is dict]
