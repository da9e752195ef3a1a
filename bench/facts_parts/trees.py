"""Find the nodes of a tree in JSON, by the way from a node to those below it or by the field that all nodes have."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.facts_parts.paths import EACH, MEMBER, Step, read_path, write_step

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = re.compile(
    r"a tree (?:of objects with (?P<typed>.+?)|through (?P<edges>.+?)): [\d,]+ nodes?, "
    r"[\d,]+ roots?, [\d,]+ levels? deep"
)


@dataclass(slots=True, kw_only=True)
class Node:
    """A node, where it is, how deep, the number of its parent from 1, and how many nodes are below it."""

    value: dict[str, Any]
    path: str
    depth: int
    parent: int | None
    below: int = 0
    inner: list[Node] = field(default_factory=list)


def nodes_of(data: Any, words: str, path: str) -> list[Node]:
    """All nodes, parents before their children, in the order of the document. ``words`` tell how they hang together,
    ``path`` where the roots are."""
    found = _WORDS.match(words)
    if found is None:
        return []
    ways = (found["edges"] or "").split(" and ")
    edges = [read_path(edge) for edge in ways if edge.startswith(".")]
    typed = found["typed"]
    nodes: list[Node] = []

    def below(value: Any, where: str) -> list[tuple[str, dict[str, Any]]]:
        if typed:
            return list(_having(value, where, typed))
        return [one for edge in edges for one in _reached(value, edge, where)]

    if typed:
        starts = [("", data)] if isinstance(data, dict) and typed in data else below(data, "")
    else:
        starts = list(_reached(data, read_path(path), ""))
    stack: list[tuple[str, dict[str, Any], int, int | None]] = [
        (where, one, 0, None) for where, one in reversed(starts)
    ]
    while stack:
        where, value, depth, parent = stack.pop()
        nodes.append(
            Node(value=value, path=where if where.startswith(".") else f".{where}", depth=depth, parent=parent)
        )
        number = len(nodes)
        stack += [(inner, one, depth + 1, number) for inner, one in reversed(below(value, where))]
    for node in reversed(nodes):
        if node.parent is not None:
            nodes[node.parent - 1].below += node.below + 1
    return nodes


def _reached(value: Any, steps: tuple[Step, ...], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if not steps:
        if isinstance(value, dict):
            yield where, value
        return
    step = steps[0]
    if step is EACH:
        parts: list[tuple[Step, Any]] = list(enumerate(value)) if isinstance(value, list) else []
    elif step is MEMBER:
        parts = list(value.items()) if isinstance(value, dict) else []
    else:
        parts = [(step, value[step])] if isinstance(value, dict) and step in value else []
    for one, inner in parts:
        yield from _reached(inner, steps[1:], where + write_step(one))


def _having(value: Any, where: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The nearest objects below a value that have a field."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in parts:
        at = where + write_step(step)
        if isinstance(inner, dict) and name in inner:
            yield at, inner
        else:
            yield from _having(inner, at, name)
