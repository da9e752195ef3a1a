"""The nodes of a tree in JSON values: objects that lead to each other, and the ways to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.json.path import EACH, KEY, Path, Step, render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.rows import RowSpec

Way = tuple["Way", Step] | None  # the steps to a node, the last one first: nodes share their beginnings


def nodes_in(
    value: Any, spec: RowSpec, first: int = 0, count: int = 0
) -> tuple[list[Way], list[int], list[int | None], list[Any]]:
    """Return the ways to the nodes of a tree, the depth of each from 0, the row of its parent from 1, and the nodes.

    Parents come before their children, in the order of the document. ``value`` is a batch of parts,
    of which the first has the number ``first``; ``count`` nodes are in the batches before.
    """
    ways: list[Way] = []
    depths: list[int] = []
    parents: list[int | None] = []
    nodes: list[Any] = []
    start: Way = None
    for step in spec.outer:
        start = (start, step)
    waiting: list[tuple[Iterator[tuple[Way, Any]], int | None]] = [
        (iter(reached(value, spec.inner, start, first)), None)
    ]
    while waiting:
        siblings, parent = waiting[-1]
        for way, node in siblings:
            ways.append(way)
            depths.append(len(waiting) - 1)
            parents.append(parent)
            nodes.append(node)
            below = [pair for edge in spec.edges if edge[0] in node for pair in reached(node, edge, way)]
            if below:
                waiting.append((iter(below), count + len(nodes)))
                break
        else:
            waiting.pop()
    return ways, depths, parents, nodes


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
