"""Nodes of a tree: all of them in the order of the document, and the ways that lead to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.rows import RowSpec
from penstock.core.forms.tree_nodes import dig, nodes_in, way_text
from penstock.core.json.path import EACH, KEY, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

leaves: st.SearchStrategy[Any] = st.none() | st.integers(0, 9) | st.just([]) | st.just({"x": 1})
trees = st.recursive(
    leaves,
    lambda inner: (
        st.fixed_dictionaries({"type": st.sampled_from("ab")}, optional={"in": inner, "more": inner})
        | st.fixed_dictionaries({"children": st.lists(inner, max_size=3)})
        | st.lists(inner, max_size=3)
    ),
    max_leaves=20,
)


def hanging(node: Any, depth: int = 0) -> Iterator[tuple[int, Any]]:
    """A node, and all that hang in it as ``children`` or in the members of ``in``."""
    yield depth, node
    children = node.get("children")
    for inner in children if isinstance(children, list) else []:
        if isinstance(inner, dict):
            yield from hanging(inner, depth + 1)
    members = node.get("in")
    for inner in members.values() if isinstance(members, dict) else []:
        if isinstance(inner, dict):
            yield from hanging(inner, depth + 1)


@given(st.lists(trees, max_size=4), st.integers(0, 9))
def test_objects_that_edges_lead_to_are_nodes_with_their_ways_and_parents(values: list[Any], before: int) -> None:
    values = json.loads(json.dumps(values))  # No object is in two places.
    spec = RowSpec(kind="tree", edges=(("children", EACH), ("in", KEY)))
    truth = [pair for one in values if isinstance(one, dict) for pair in hanging(one)]
    ways, depths, parents, nodes = nodes_in(values, spec, 3, before)
    assert list(map(id, nodes)) == [id(node) for _, node in truth]
    assert depths == [depth for depth, _ in truth]
    for way, depth, parent, node in zip(ways, depths, parents, nodes, strict=True):
        first, *rest = parse(way_text(way))
        assert isinstance(first, int)
        assert dig(values, (first - 3, *rest)) is node
        assert (parent is None) == (depth == 0)
        if parent is not None:
            above = parent - 1 - before
            assert depths[above] == depth - 1
            assert parse(way_text(way))[: len(parse(way_text(ways[above])))] == parse(way_text(ways[above]))
