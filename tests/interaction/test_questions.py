"""Questions about held results of real servers: jq, SQL and search agree with what Python computes from the whole."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.interaction.conversation import FETCH
from tests.kit.interaction.held import notice_of, tokens_of, told, windows

if TYPE_CHECKING:
    from tests.kit.interaction.large import Servers


def ask(servers: Servers, name: str, **arguments: Any) -> dict[str, Any]:
    one = servers.ask(name)
    return told(one.wire, cache_id=notice_of(one.through)["cache_id"], **arguments)


def whole(servers: Servers, name: str) -> Any:
    return json.loads(servers.ask(name).text)


def test_a_filter_over_records_gives_what_python_gives(servers: Servers) -> None:
    program = "map(select(.paid)) | group_by(.town) | map({key: .[0].town, value: map(.amount) | add}) | from_entries"
    answer = ask(servers, "records", action="filter", jq_filter=program)
    sums: Counter[str] = Counter()
    for row in whole(servers, "records"):
        sums[row["town"]] += row["amount"] * row["paid"]
    assert answer["result"] == dict(sums)


def test_an_aggregate_over_records_gives_what_python_gives(servers: Servers) -> None:
    sql = "SELECT state, count(*) AS n, max(amount) AS most FROM items GROUP BY state ORDER BY state"
    answer = ask(servers, "records", action="sql", sql=sql)
    rows = whole(servers, "records")
    by_state = {state: [row["amount"] for row in rows if row["state"] == state] for state in {r["state"] for r in rows}}
    assert answer["result"] == [{"state": s, "n": len(a), "most": max(a)} for s, a in sorted(by_state.items())]


def test_the_arrays_of_one_graph_are_joined(servers: Servers) -> None:
    sql = (
        'SELECT e.entityType AS kind, count(*) AS n FROM entities e JOIN relations r ON r."to" = e.name '
        "GROUP BY kind ORDER BY kind"
    )
    answer = ask(servers, "graph", action="sql", sql=sql)
    graph = whole(servers, "graph")
    kinds = {entity["name"]: entity["entityType"] for entity in graph["entities"]}
    counted = Counter(kinds[relation["to"]] for relation in graph["relations"])
    assert answer["result"] == [{"kind": kind, "n": n} for kind, n in sorted(counted.items())]


def test_results_of_two_calls_are_joined(servers: Servers) -> None:
    graph, nodes = servers.ask("graph"), servers.ask("nodes")
    handles = {"g": notice_of(graph.through)["cache_id"], "n": notice_of(nodes.through)["cache_id"]}
    sql = "SELECT count(*) AS n FROM g.entities JOIN n.entities USING (name)"
    answer = told(graph.wire, action="sql", cache_id=handles, sql=sql)
    assert answer["result"] == [{"n": len(json.loads(nodes.text)["entities"])}]


def test_a_tree_is_counted_by_a_filter(servers: Servers) -> None:
    program = '[.. | objects | select(.type == "file")] | length'
    files = servers.ask("tree").text.count('"type": "file"')
    assert ask(servers, "tree", action="filter", jq_filter=program)["result"] == files


def test_the_entries_of_a_log_are_filtered_counted_and_searched(servers: Servers) -> None:
    lines = servers.ask("log").text.split("\r\n")
    errors = sum(" ERROR " in line for line in lines)
    program = 'map(select(.level == "ERROR")) | length'
    assert ask(servers, "log", action="filter", jq_filter=program)["result"] == errors
    sql = "SELECT count(*) AS n FROM items WHERE level = 'ERROR'"
    assert ask(servers, "log", action="sql", sql=sql)["result"] == [{"n": errors}]
    assert ask(servers, "log", action="search", pattern=" ERROR ")["total"] == errors


def test_the_files_of_a_diff_are_found_by_search(servers: Servers) -> None:
    files = servers.ask("diff").text.count("\ndiff --git ")
    answer = ask(servers, "diff", action="search", pattern="^diff --git ", regex=True)
    assert answer["total"] == files


def test_a_filtered_result_too_large_is_held_under_a_handle_of_its_own(servers: Servers) -> None:
    one = servers.ask("records")
    arguments = {"cache_id": notice_of(one.through)["cache_id"], "action": "filter", "jq_filter": "map({id, note})"}
    reply = one.wire.call(FETCH, arguments)
    assert tokens_of(reply.result) <= 5_000
    handle = notice_of(reply)["cache_id"]
    assert handle != arguments["cache_id"]
    rows = [{"id": row["id"], "note": row["note"]} for row in json.loads(one.text)]
    assert json.loads(windows(one.wire, handle)) == rows


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"action": "filter", "jq_filter": ".[] | .amount.net"}, "jq"),
        ({"action": "sql", "sql": "SELECT amuont FROM items"}, "amount"),
        ({"action": "get_page", "path": ".nowhere"}, "nowhere"),
        ({"action": "get_pages"}, "get_page"),
        ({"action": "info", "cache_id": "r_aaaaaaaaaaaaaaaaaaaaaa"}, "no held result"),
    ],
)
def test_a_wrong_question_is_a_tool_error_of_few_words(servers: Servers, arguments: dict[str, Any], word: str) -> None:
    one = servers.ask("records")
    reply = one.wire.call(FETCH, {"cache_id": notice_of(one.through)["cache_id"], **arguments})
    assert reply.result["isError"] is True
    assert word in reply.texts[0]
    assert len(reply.line) < 1_200


def test_what_is_held_is_listed_and_described(servers: Servers) -> None:
    one = servers.ask("records")
    handle = notice_of(one.through)["cache_id"]
    assert handle in {entry["cache_id"] for entry in told(one.wire, action="list")["results"]}
    info = told(one.wire, action="info", cache_id=handle)
    assert info["item_count"] == len(json.loads(one.text))
    assert told(one.wire, action="outline", cache_id=handle, path=".[7]")["outline"] == json.loads(one.text)[7]
