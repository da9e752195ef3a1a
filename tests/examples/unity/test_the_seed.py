"""The specification's four patterns of use and seven scenarios, over standard input and output."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from tests.kit import usage_patterns as patterns
from tests.kit.answers import head_of
from tests.kit.examples.client import FETCH
from tests.kit.examples.samples.unity import make_sample

from penstock import Gate, count, load, open_store
from penstock.middleware.fastmcp import PenstockMiddleware
from unity_server.app import CONFIG, build, find_log
from unity_server.project import Project
from unity_server.tools import Parts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.unity_client import Talk

THRESHOLD = 20_000
HALF_HOUR = 1_800
COLLIDERS = '.hierarchy | map(select(.componentNames | contains(["Collider"])))'


@pytest.fixture(scope="module")
def island(talk: Talk) -> Any:
    """The notice of the hierarchy of 20,880 objects."""
    return talk.held("manage_scene", action="get_hierarchy")


@pytest.fixture(scope="module")
def villages(talk: Talk) -> Any:
    """The notice of a hierarchy that is held and quick to read whole."""
    return talk.held("manage_scene", action="get_hierarchy", max_depth=2)


# The four patterns, word for word


def test_a_held_answer_is_read_whole_by_its_handle(talk: Talk, villages: Any) -> None:
    first = patterns.direct_access(talk.fetch_cached_response, villages)["data"]
    parts = []
    start: int | None = 0
    while start is not None:
        answer = talk.call(FETCH, cache_id=villages["cache_id"], action="get", start_index=start)
        parts.append(answer.text)
        start = answer.data["data"]["next_index"]
    whole = json.loads("".join(parts))
    assert first["total_length"] == sum(map(len, parts))
    assert whole["success"] is True
    assert whole["total"] == len(whole["hierarchy"]) == villages["metadata"]["item_count"]


def test_names_are_taken_out_of_a_held_hierarchy_without_reading_it(talk: Talk, island: Any) -> None:
    names = patterns.filtered_access(talk.fetch_cached_response, island["cache_id"])
    assert names["cached"] is True
    assert names["metadata"]["item_count"] == 20_880
    first = talk.filtered(island["cache_id"], "[.hierarchy[].name][:4]")
    assert first["result"] == ["Main Camera", "Directional Light", "Terrain", "Villages"]


def test_info_tells_the_pages_and_each_of_them_can_be_processed(talk: Talk, villages: Any) -> None:
    pages = patterns.paginated_processing(talk.fetch_cached_response, villages["cache_id"])
    rows = []
    for told in pages:
        assert told["scene"] == "Assets/Scenes/Island.unity"  # the fields beside the list are kept
        assert (told["_pagination"]["field"], told["_pagination"]["total_pages"]) == ("hierarchy", len(pages))
        assert told["hierarchy"]  # no call of the loop is for nothing
        rows += told["hierarchy"]
    assert len(rows) == villages["metadata"]["item_count"]


def test_a_filter_with_a_large_result_is_held_and_filtered_again(talk: Talk, island: Any) -> None:
    names = patterns.chained_filtering(talk.fetch_cached_response, island["cache_id"])
    assert names["metadata"]["item_count"] == 16_985
    first = talk.filtered(island["cache_id"], COLLIDERS, cache_filtered_result=True)
    tags = talk.filtered(first["cache_id"], '[.[] | select(.tag == "NPC") | .name] | group_by(.) | map(length)')
    assert tags["result"] == [44] * 15  # fifteen villagers in each of 44 villages
    third = talk.filtered(first["cache_id"], 'map(select(.tag == "Building"))')
    count_of_houses = talk.filtered(third["cache_id"], "length")
    assert count_of_houses == {"cached": False, "result": 1_320}


def test_the_arguments_of_the_patterns_are_in_the_input_schema(talk: Talk) -> None:
    properties = next(tool for tool in talk.tools() if tool.name == FETCH).input_schema["properties"]
    assert {"cache_id", "action", "jq_filter", "page", "page_size_kb", "cache_filtered_result"} <= properties.keys()
    assert properties["page_size_kb"]["type"] == "integer"


# Scenarios 1 and 2: below and above the threshold


def test_an_answer_below_the_threshold_comes_as_it_is(talk: Talk) -> None:
    told = talk.told("manage_scene", action="get_hierarchy", scene="Menu")
    assert told["success"] is True
    assert [row["name"] for row in told["hierarchy"]][3:7] == [
        "New Game", "Continue", "Options: sound & light", "Quit",
    ]  # fmt: skip
    assert "cache_id" not in told


@pytest.mark.parametrize(
    ("tool", "arguments", "items"),
    [
        ("manage_scene", {"action": "get_hierarchy"}, 20_880),
        ("manage_gameobject", {"action": "find", "search_method": "by_component", "search_term": "*Collider"}, 16_985),
        ("read_console", {}, 2_403),
    ],
)
def test_an_answer_above_the_threshold_is_held(talk: Talk, tool: str, arguments: dict[str, Any], items: int) -> None:
    notice = talk.held(tool, **arguments)
    known = notice["metadata"]
    assert notice["tool"] == tool
    assert (notice["success"], notice["cached"]) == (True, True)
    data = notice["data"]
    assert data["cache_id"] == notice["cache_id"]
    assert known["token_limit"] == THRESHOLD < data["estimated_tokens"] == known["total_tokens"]
    assert data["size_kb"] == known["total_bytes"] / 1_024
    assert FETCH in data["usage_hint"]
    assert known["would_exceed_limit"] is True
    assert known["item_count"] == items
    assert known["total_bytes"] > 500_000
    assert known["expires_in_s"] == HALF_HOUR


def test_every_call_that_a_notice_names_works(talk: Talk) -> None:
    for tool, arguments in (
        ("manage_scene", {"action": "get_hierarchy", "max_depth": 2}),
        ("manage_gameobject", {"action": "find", "search_method": "by_tag", "search_term": "NPC"}),
        ("read_console", {"types": ["warning"]}),
    ):
        notice = talk.held(tool, **arguments)
        for call in [*notice["next"], *notice["suggestions"]]:
            assert not talk.call(call["tool"], **call["arguments"]).is_error, call


def test_what_a_notice_suggests_is_answered_below_the_limit_and_not_held_again(talk: Talk, island: Any) -> None:
    notices = [island, talk.held("read_console", types=["warning"])]
    suggestions = [one for notice in notices for one in notice["suggestions"]]
    assert len(suggestions) >= 2
    for call in suggestions:
        answer = talk.call(call["tool"], **call["arguments"])
        assert not answer.data.get("cached"), call
        assert answer.tokens <= THRESHOLD


def test_a_notice_suggests_a_part_of_the_tree_by_its_path(talk: Talk, villages: Any) -> None:
    calls = [call for call in villages["suggestions"] if call["tool"] == "manage_scene"]
    assert calls[0]["arguments"]["path"] == "/Villages"
    told = talk.told("manage_scene", **calls[0]["arguments"])
    assert {row["path"].split("/")[1] for row in told["hierarchy"]} == {"Villages"}


def test_info_names_the_call_that_was_held_and_counts_how_often_it_was_read(talk: Talk) -> None:
    handle = talk.held("read_console", types=["log"])["cache_id"]
    info = talk.data(handle, "info")["metadata"]
    assert (info["tool"], info["params"]) == ("read_console", {"types": ["log"]})
    again = talk.data(handle, "info")["metadata"]
    assert again["access_count"] == info["access_count"] + 1


# Scenario 3: pages of various sizes


@pytest.mark.parametrize("kilobytes", [4, 10, 50])
def test_pages_of_any_size_put_together_are_the_items(talk: Talk, villages: Any, kilobytes: int) -> None:
    rows: list[Any] = []
    for told in talk.pages(villages["cache_id"], page_size_kb=kilobytes):
        assert told["_pagination"]["start_index"] == len(rows)
        rows += told["hierarchy"]
        assert told["_pagination"]["end_index"] == len(rows)
        assert len(json.dumps(told, separators=(",", ":"))) <= kilobytes * 1_024
    assert len({row["fileID"] for row in rows}) == len(rows) == villages["metadata"]["item_count"]


def test_a_page_past_the_end_is_empty_and_tells_the_total(talk: Talk, villages: Any) -> None:
    told = talk.data(villages["cache_id"], "get_page", page=99_999)
    assert told["hierarchy"] == []
    assert told["_pagination"]["total"] == villages["metadata"]["item_count"]


# Scenarios 4 and 5: filters with small and with large results


def test_a_filter_with_a_small_result_is_answered_at_once(talk: Talk, island: Any) -> None:
    program = "[.hierarchy[] | select(.parentID == null) | {name, childCount}]"
    told = talk.filtered(island["cache_id"], program)
    assert told["result"][3] == {"name": "Villages", "childCount": 44}


def test_a_filtered_result_remembers_where_it_comes_from(talk: Talk, island: Any) -> None:
    handle = talk.filtered(island["cache_id"], COLLIDERS)["cache_id"]
    info = talk.data(handle, "info")["metadata"]
    assert (info["source_cache_id"], info["jq_filter"]) == (island["cache_id"], COLLIDERS)
    listed = talk.told(FETCH, action="list")["data"]["results"]
    assert any(one["cache_id"] == handle and one["source"] == island["cache_id"] for one in listed)


def test_a_large_filtered_result_that_is_not_to_be_held_comes_in_pages(talk: Talk, island: Any) -> None:
    told = talk.filtered(island["cache_id"], ".hierarchy[].name", cache_filtered_result=False)
    assert told["_pagination"]["total"] == 20_880
    assert "Main Camera" in told["result"]


# Scenario 6: expiry after 30 minutes


def test_a_held_answer_can_be_read_for_half_an_hour_and_no_longer(tmp_path: Path) -> None:
    make_sample(tmp_path / "island", objects=700)
    project = Project(tmp_path / "island")
    moment = [1_000_000.0]
    config = load(CONFIG)
    gate = Gate(open_store("memory:", now=lambda: moment[0]), config, now=lambda: moment[0])
    server = build(Parts(project=project, log=find_log(project.folder)), PenstockMiddleware(config=config, gate=gate))

    async def ask() -> None:
        async with Client(server) as client:

            async def call(tool: str, **arguments: Any) -> tuple[bool, str]:
                result = await client.call_tool(tool, arguments, raise_on_error=False)
                assert result.content[0].type == "text"
                return result.is_error, result.content[0].text

            handle = head_of((await call("manage_scene", action="get_hierarchy"))[1])["cache_id"]
            moment[0] += HALF_HOUR - 1
            is_error, text = await call(FETCH, cache_id=handle, action="info")
            assert (is_error, json.loads(text)["data"]["metadata"]["expires_in_s"]) == (False, 1)
            moment[0] += 2
            is_error, text = await call(FETCH, cache_id=handle, action="info")
            assert is_error
            assert 'repeat the call: manage_scene {"action": "get_hierarchy"}' in json.loads(text)["message"]

    try:
        asyncio.run(ask())
    finally:
        gate.close()


# Scenario 7: wrong handles and malformed requests


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"cache_id": "6e0b0a3e-1111-4f0e-9c57-0d3f0a5c2b77", "action": "get"}, "there is no held result"),
        ({"cache_id": "../../etc/passwd", "action": "get_page"}, "there is no held result"),
        ({"action": "filter", "jq_filter": "."}, "cache_id"),
        ({"cache_id": "HANDLE", "action": "filter"}, "jq_filter is missing"),
        ({"cache_id": "HANDLE", "action": "filter", "jq_filter": ".hierarchy["}, "jq"),
        ({"cache_id": "HANDLE", "action": "filter", "jq_filter": ".hierarchy.name"}, "Cannot index array"),
        ({"cache_id": "HANDLE", "action": "get_page", "page": 0}, "page"),
        ({"cache_id": "HANDLE", "action": "get_page", "path": ".hierarchi"}, "hierarchy"),
        ({"cache_id": "HANDLE", "action": "erase"}, "no action"),
    ],
    ids=str,
)
def test_a_wrong_handle_or_request_is_an_error_that_says_why(
    talk: Talk, villages: Any, arguments: dict[str, Any], says: str
) -> None:
    given = {name: villages["cache_id"] if value == "HANDLE" else value for name, value in arguments.items()}
    text = talk.refused(FETCH, **given)
    assert says in text
    assert len(text) < 1_024


# What holds for all of them


def test_the_tools_are_listed_with_the_fetch_tool_last(talk: Talk) -> None:
    tools = talk.tools()
    assert [tool.name for tool in tools] == ["manage_scene", "manage_gameobject", "read_console", FETCH]
    assert all(tool.annotations.read_only_hint for tool in tools)
    for tool in tools[:3]:
        assert all(one.get("description") for one in tool.input_schema["properties"].values())


def test_no_answer_costs_more_than_the_threshold(talk: Talk, island: Any) -> None:
    handle = island["cache_id"]
    for tool, arguments in (
        ("manage_scene", {"action": "get_hierarchy"}),
        ("manage_scene", {"action": "get_info"}),
        ("manage_gameobject", {"action": "find", "search_term": "*"}),
        ("manage_gameobject", {"action": "get", "target": "/Villages/Village 1/Trees"}),
        ("read_console", {"include_stacktrace": False}),
        ("read_console", {"count": 70}),
        (FETCH, {"cache_id": handle, "action": "get", "max_length": 1_000_000}),
        (FETCH, {"cache_id": handle, "action": "get_page", "page_size_kb": 10_000}),
        (FETCH, {"cache_id": handle, "action": "filter", "jq_filter": "."}),
        (FETCH, {"cache_id": handle, "action": "outline", "depth": 5}),
        (FETCH, {"cache_id": handle, "action": "search", "pattern": "Crate"}),
    ):
        answer = talk.call(tool, **arguments)
        assert not answer.is_error
        assert sum(count(text).upper for text in answer.texts) <= THRESHOLD
