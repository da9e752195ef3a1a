"""Trees: every node is a row, with its path, its depth and its parent, wherever the tree begins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.json import whole
from penstock.core.json.index import reader
from penstock.core.json.lookup import value_at
from penstock.core.json.path import parse
from penstock.core.notice.facts import facts_of
from tests.kit.forms.facts import check_rows, column_of, main_of, names_of, reading_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = dict[str, Any]

shapes: st.SearchStrategy[Any] = st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=4), max_leaves=30)


def grown(shape: list[Any], edge: str, number: list[int]) -> Node:
    number[0] += 1
    own = {"name": f"node {number[0]}", "size": number[0] * 3}
    return {**own, edge: [grown(one, edge, number) for one in shape]}


def nodes(tree: list[Node], edge: str, start: str) -> Iterator[Node]:
    """The rows of a tree by plain recursion."""
    count = 0

    def walk(node: Node, path: str, depth: int, parent: int | None) -> Iterator[Node]:
        nonlocal count
        count += 1
        own = count
        yield {"_path": path, "_depth": depth, "_parent": parent, "name": node["name"], "size": node["size"]}
        for at, one in enumerate(node[edge]):
            yield from walk(one, f"{path if path != '.' else ''}.{edge}[{at}]", depth + 1, own)

    for at, root in enumerate(tree):
        yield from walk(root, f"{start}[{at}]" if start != "." or len(tree) > 1 else start, 0, None)


@given(st.lists(shapes, min_size=2, max_size=5), st.sampled_from(["children", "replies"]))
def test_every_node_of_a_tree_is_a_row(shape: list[Any], edge: str) -> None:
    forest = [grown([*one, [[]], [[]]], edge, [10 * at]) for at, one in enumerate(shape)]
    rows = list(nodes(forest, edge, ".roots"))
    depth = max(row["_depth"] for row in rows)
    reading = reading_of({"roots": forest})
    assert reading.form == "tree"
    assert reading.words == (
        f"a tree through .{edge}[]: {len(rows)} nodes, {len(forest)} roots, {depth + 1} levels deep"
    )
    check_rows(reading, rows)
    counts = [sum(row["_depth"] == level for row in rows) for level in range(depth + 1)]
    assert reading.facts[0] == "nodes by depth: " + " · ".join(f"{at} ×{many}" for at, many in enumerate(counts))
    assert reading.pages == ("roots",)


@given(shapes)
def test_a_tree_with_one_root_begins_there(shape: list[Any]) -> None:
    tree = grown([*shape, [[]]], "children", [0])
    rows = list(nodes([tree], "children", "."))
    reading = reading_of(tree)
    check_rows(reading, rows)
    assert f"{len(rows)} nodes, 1 root, " in reading.words
    assert reading.excerpts[0].lines[0] == f"node 1: {len(rows) - 1} node{'s' * (len(rows) != 2)} below"


def test_paths_of_nodes_lead_to_them() -> None:
    document = read(json.dumps({"a b": [grown([[[]], []], "kids", [0]), grown([[[[]]]], "kids", [50])], "x": 1}))
    for row in rows_of(read_form(document)):
        found = json.loads(value_at(document.index, reader(document.body), parse(row["_path"])))
        assert (found["name"], found["size"]) == (row["name"], row["size"])


def test_a_tree_below_something_else_begins_with_its_nodes() -> None:
    tree = {"version": 3, "by": "x", "children": [grown([[[]], [[]]], "children", [0])]}
    reading = reading_of(tree)
    assert main_of(reading).path == ".children[]"
    assert "5 nodes, 1 root, 3 levels deep" in reading.words
    assert reading.facts[-1] == "other fields: version=3 · by=x"


def test_chains_are_trees() -> None:
    chain: Node | None = None
    for value in range(40):
        chain = {"value": value, "label": f"l{value}", "next": chain}
    reading = reading_of(chain)
    assert reading.words == "a tree through .next: 40 nodes, 1 root, 40 levels deep"
    assert reading.facts[0].endswith("15 ×1 · +24 levels")
    assert [row["_parent"] for row in rows_of(reading)] == [None, *range(1, 40)]


def test_a_large_chain_has_one_root() -> None:
    chain: Node | None = None
    for value in range(30):
        chain = {"value": value, "text": "word " * 20_000, "next": chain, "last": "x" * 50_000}
    reading = reading_of(chain)
    assert reading.words == "a tree through .next: 30 nodes, 1 root, 30 levels deep"


def test_maps_of_nodes_are_edges() -> None:
    def folder(depth: int, path: str) -> Node:
        inside = {f"{n}/{path}": folder(depth - 1, f"{n}/{path}") for n in range(3)} if depth else {}
        return {"size": depth, "mode": "rwx", "entries": inside}

    reading = reading_of({"entries": {"0/": folder(4, "0/"), "1/": folder(3, "1/")}})
    assert "161 nodes, 2 roots, 5 levels deep" in reading.words
    assert main_of(reading).count == 161


def test_objects_with_a_type_that_hang_together_loosely_are_nodes_of_their_edges_only() -> None:
    def item(depth: int) -> Node:
        parts = [item(depth - 1), item(0)] if depth else []
        return {"type": "box", "note": {"type": "text", "by": {"type": "user"}}, "parts": parts}

    reading = reading_of([item(2), item(1)])
    assert reading.form == "tree"
    assert "through .parts[]" in reading.words


def test_objects_that_hold_each_other_once_are_no_tree() -> None:
    leaf = {"name": "n145", "size": 4}
    inner = {"name": "n422", "size": 6, "meta": {"name": "m", "size": 1, "a": [leaf]}}
    outer = {"name": "n619", "size": 5, "a": [{"name": "n848", "size": 6}, {"name": "n573", "size": 8}, inner]}
    assert reading_of([outer, {"name": "n101", "size": 6}]).form == "records"


def test_records_of_which_a_few_hold_one_of_their_kind_are_no_tree() -> None:
    details = [{"kind": "table", "rows": n, "text": "word " * 30} for n in range(40)]
    for one in details[:9]:
        one["debug"] = {"kind": "debug", "rows": 1, "text": "word " * 9}
    assert reading_of(details).form == "records"


def test_things_reached_through_the_same_field_that_have_other_fields_are_no_tree() -> None:
    def answer(n: int) -> Node:
        return {"node": {"id": f"c{n}", "author": {"login": "a"}, "body": f"words {n}", "createdAt": f"2026-01-{n:02}"}}

    threads = [
        {
            "node": {
                "id": f"d{n}",
                "number": n,
                "title": f"title {n}",
                "isAnswered": n % 2 == 0,
                "votes": n * 7 % 40,
                "author": {"login": "b"},
                "body": f"text {n}",
                "createdAt": "2026-01-01",
                "category": "abc"[n % 3],
                "comments": {"edges": [answer(m + 1) for m in range(n % 5)]},
            }
        }
        for n in range(40)
    ]
    reading = reading_of({"discussions": {"edges": threads}})
    assert (reading.form, main_of(reading).count, main_of(reading).path) == ("records", 40, ".discussions.edges")
    buckets = [
        {
            "key": f"service {n}",
            "doc_count": 60,
            "last_seen": {"value": f"2026-01-{n + 1:02}"},
            "by_status": {"buckets": [{"key": key, "doc_count": 20, "avg_ms": n} for key in ("ok", "slow", "failed")]},
        }
        for n in range(30)
    ]
    reading = reading_of({"took": 4, "aggregations": {"services": {"buckets": buckets}}})
    assert (reading.form, main_of(reading).count) == ("records", 30)
    assert column_of(main_of(reading), "doc_count").total == 30 * 60


def test_one_type_that_two_kinds_of_things_are_called_by_makes_no_tree() -> None:
    def conversation(n: int) -> Node:
        source = {"type": "conversation", "subject": f"subject {n}", "body": "word " * 9, "via": "mail"}
        return {"type": "conversation", "id": f"{n}", "state": "ab"[n % 2], "read": n % 3 == 0, "source": source}

    reading = reading_of({"type": "list", "conversations": [conversation(n) for n in range(40)]})
    assert (reading.form, main_of(reading).count) == ("records", 40)


def test_what_inner_nodes_have_too_is_not_added_up() -> None:
    def folder(name: str, depth: int) -> Node:
        inner = [folder(f"{name}/{n}", depth - 1) for n in range(3)] if depth else []
        own = {"bytes": 1 + depth} if not depth else {}
        return {"name": name, "files": 3**depth, **own, **({"children": inner} if inner else {})}

    main = main_of(reading_of(folder("a", 4)))
    adds_up = {one.name: one.adds_up for one in main.fields}
    assert (adds_up["files"], adds_up["bytes"]) == (False, True)


def test_modules_that_only_hold_lists_of_other_things_are_no_tree() -> None:
    def module(depth: int) -> Node:
        inner = {"child_modules": [module(depth - 1), module(depth - 1)]} if depth else {}
        resources = [{"type": "instance", "name": f"r{n}", "values": "word " * 30} for n in range(4)]
        return {"address": f"m{depth}", "resources": resources, **inner}

    changes = [{"address": f"a{n}", "action": "create", "after": "word " * 20} for n in range(30)]
    reading = reading_of({"planned": {"root": module(3)}, "changes": changes})
    assert reading.form == "records"
    assert main_of(reading).path == ".changes"


def test_the_upper_levels_are_shown_by_what_nodes_are_known_by() -> None:
    reading = reading_of([{**grown([[[]], []], "children", [n]), "name": None} for n in range(40)])
    [excerpt] = reading.excerpts
    assert excerpt.title == "top 2 levels, first 30 of 120 nodes"
    assert excerpt.lines[0] == ".[0]: 3 nodes below"
    assert excerpt.lines[1].startswith("  node ")
    unnamed = reading_of(
        [{"v": n, "w": 1, "c": [{"v": 2, "w": 1, "c": [{"v": 3, "w": 1, "c": []}]}]} for n in range(3)]
    )
    assert unnamed.excerpts[0].lines[:2] == (".[0]: 2 nodes below", "  .[0].c[0]: 1 node below")


def test_tables_beside_a_tree_are_kept() -> None:
    forest = [grown([[[]], [[], []]], "children", [n]) for n in range(20)]
    reading = reading_of({"scene": forest, "tags": [{"id": n, "tag": f"t{n}"} for n in range(5)]})
    assert [table.name for table in reading.tables] == ["items", "tags"]
    assert main_of(reading).count == 20 * 6


def test_columns_of_a_tree_are_scalars_and_what_is_nested_in_nodes() -> None:
    def node(depth: int) -> Node:
        inner = [node(depth - 1)] * 2 if depth else []
        return {"name": "n", "box": {"x": depth, "y": 1}, "tags": ["a"], "children": inner}

    reading = reading_of(node(3))
    assert names_of(main_of(reading)) == ["_path", "_depth", "_parent", "name", "box.x", "box.y"]


def test_a_tree_that_is_a_small_part_is_not_what_the_document_is() -> None:
    rows = [{"id": n, "text": "word " * 30} for n in range(40)]
    reading = reading_of({"rows": rows, "menu": grown([[[]], []], "children", [0])})
    assert reading.form == "records"


def test_objects_of_one_kind_that_hold_none_of_their_kind_are_no_tree() -> None:
    reading = reading_of([{"id": n, "user": {"id": n, "name": "x"}, "children": []} for n in range(9)])
    assert reading.form == "records"


def test_deep_nesting_is_read_whole() -> None:
    deep = '{"a": 1, "b": 2, "c": [' * 150 + "]}" * 150
    reading = reading_of(deep)
    assert "150 nodes, 1 root, 150 levels deep" in reading.words


def test_a_tree_in_the_nodes_of_a_tree_is_not_gone_through_for_ever() -> None:
    def note(depth: int) -> Node:
        return {"by": "x", "at": depth, "note": note(depth - 1) if depth else None}

    def node(depth: int) -> Node:
        return {"name": "n" * 90, "size": 1, "note": note(3), "children": [node(depth - 1)] * 2 if depth else []}

    reading = reading_of(node(4))
    assert "through .children[]: 31 nodes, 1 root, 5 levels deep" in reading.words


def test_a_tree_of_another_kind_in_every_node_is_not_taken_for_the_tree() -> None:
    def note(depth: int) -> Node:
        return {"text": "t", "replies": [note(depth - 1)] * 2 if depth else []}

    def node(depth: int) -> Node:
        return {"name": "word " * 9, "note": note(2), "children": [node(depth - 1) for _ in range(3)] if depth else []}

    assert "through .children[]: 40 nodes, 1 root, 4 levels deep" in reading_of(node(3)).words


def test_facts_of_tables_beside_a_tree_can_be_asked_for_when_the_tree_is_read() -> None:
    """Regression: values in arrays of such a table were let go of with those of the tree."""
    rows = [{"id": n, "tags": ["a", "bc"[n % 2]], "parts": [{"kind": "ab"[n % 2], "n": n}] * 2} for n in range(9)]
    reading = reading_of({"tree": [grown([[[], [[]]], [[[]]], []], "children", [n]) for n in range(40)], "rows": rows})
    assert reading.form == "tree"
    [beside] = [table for table in reading.tables if table.name == "rows"]
    told = "\n".join(fact.text for fact in facts_of(beside))
    assert "tags" in told
    assert "parts" in told


@pytest.mark.parametrize("is_kept", [True, False])
def test_columns_of_a_tree_are_those_of_its_nodes_even_if_the_first_are_a_list_above(
    monkeypatch: pytest.MonkeyPatch, *, is_kept: bool
) -> None:
    if not is_kept:
        monkeypatch.setattr(whole, "LARGEST_RETAINED", 0)
    forest = [grown([[[], [[]]], [[[]]], []], "children", [100 * at]) for at in (7, 0, 3)]
    check_rows(reading_of({"roots": forest}), list(nodes(forest, "children", ".roots")))
