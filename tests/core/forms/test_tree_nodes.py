"""Nodes of a tree: all of them in the order of the document, and the ways that lead to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.rows import RowSpec
from penstock.core.forms.tree_nodes import Nodes, dig, way_text, with_inner
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


def typed(value: Any, depth: int = 0) -> Iterator[tuple[int, Any]]:
    """All objects with a type, by themselves."""
    if isinstance(value, dict):
        if "type" in value:
            yield depth, value
        for inner in value.values():
            yield from typed(inner, depth + ("type" in value))
    elif isinstance(value, list):
        for inner in value:
            yield from typed(inner, depth)


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


def check(nodes: Nodes, value: Any, truth: list[tuple[int, Any]], first: int = 0, before: int = 0) -> None:
    assert list(map(id, nodes.objects)) == [id(node) for _, node in truth]
    assert nodes.depths == [depth for depth, _ in truth]
    for at, way in reversed(list(enumerate(nodes[at] for at in range(len(nodes.objects))))):
        path = parse(way_text(way))
        inside = (path[0] - first, *path[1:]) if first and isinstance(path[0], int) else path
        assert dig(value, inside) is nodes.objects[at]
        parent = nodes.parents[at]
        assert (parent is None) == (nodes.depths[at] == 0)
        if parent is not None:
            assert nodes.depths[parent - 1 - before] == nodes.depths[at] - 1
            assert path[: len(parse(way_text(nodes[parent - 1 - before])))] == parse(
                way_text(nodes[parent - 1 - before])
            )


@given(trees, st.integers(0, 9))
def test_every_object_with_a_type_is_a_node_and_its_way_leads_to_it(value: Any, before: int) -> None:
    value = json.loads(json.dumps(value))  # no object is in two places
    tree = value if isinstance(value, list) else {"root": value}
    first = 5 if isinstance(tree, list) else 0
    nodes = Nodes(RowSpec(kind="tree", typed="type"), tree, first, before)
    check(nodes, tree, list(typed(tree)), first, before)
    if isinstance(value, dict):
        check(Nodes(RowSpec(kind="tree", typed="type"), value, 0, 0), value, list(typed(value)))


def on_the_way(value: Any) -> tuple[bool, set[str]]:
    """Whether there is an object with a type in a value, and the fields that lead to one."""
    if isinstance(value, list):
        inner = [on_the_way(one) for one in value]
        return any(has for has, _ in inner), set().union(*(fields for _, fields in inner))
    if not isinstance(value, dict):
        return False, set()
    below = {key: on_the_way(one) for key, one in value.items()}
    leading = {key for key, (has, _) in below.items() if has}
    return "type" in value or bool(leading), leading.union(*(fields for _, fields in below.values()))


@given(trees)
def test_nodes_are_the_same_where_only_the_fields_that_lead_to_some_are_followed(value: Any) -> None:
    tree = {"root": json.loads(json.dumps(value)), "beside": {"x": {"y": []}}}
    _, through = on_the_way(tree)
    check(Nodes(RowSpec(kind="tree", typed="type", through=tuple(through)), tree, 0, 0), tree, list(typed(tree)))


@given(st.lists(trees, max_size=4))
def test_what_the_edges_lead_to_are_nodes(values: list[Any]) -> None:
    values = json.loads(json.dumps(values))
    several = RowSpec(kind="tree", edges=(("children", EACH), ("in", KEY)))
    roots = [one for one in values if isinstance(one, dict)]
    check(Nodes(several, values, 0, 0), values, [pair for one in roots for pair in hanging(one)])
    only = Nodes(RowSpec(kind="tree", edges=(("children", EACH),)), values, 3, 7)
    for at, way in enumerate(only[at] for at in range(len(only.objects))):
        path = parse(way_text(way))
        assert isinstance(path[0], int)
        assert dig(values, (path[0] - 3, *path[1:])) is only.objects[at]


@given(st.lists(trees, max_size=4))
def test_objects_come_with_all_that_hang_in_them(values: list[Any]) -> None:
    values = json.loads(json.dumps(values))
    roots = [one for one in values if isinstance(one, dict)]
    truth = [id(node) for one in roots for _, node in hanging(one)]
    assert sorted(map(id, with_inner(roots, {"children": EACH, "in": KEY}))) == sorted(truth)
    chain = {"next": {"next": {"next": None}}, "other": {}}
    assert with_inner([chain], {"next": "next"}) == [chain, chain["next"], {"next": None}]
