"""What the server was made for: two scenarios, the form of a buffered response, and the success metrics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples.client import FETCH
from tests.kit.examples.code_client import Talk

from code_server.app import build
from code_server.folder import Folder
from code_server.search import search
from code_server.settings import SHIPPED, load_settings
from penstock import count

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 25_000
# Searches as a model makes them: some for a common word, some for a rare one.
SEARCHES = ("useState", "const", "return", "formatAmount", "readOnly", "panel-kit", "record_event", "Zone7", "nowhere")


def buffered(talk: Talk, tool: str, **arguments: Any) -> dict[str, Any]:
    told: dict[str, Any] = talk.references(**arguments) if tool == "get_references" else talk.told(tool, **arguments)
    assert told["type"] == "buffered_response"
    return told


def test_a_large_search_is_answered_with_its_figures_and_a_refined_one_with_its_matches(talk: Talk) -> None:
    told = buffered(talk, "search_text", query="useState")
    assert told["message"].startswith("Found 312 matches across 89 files (8")
    assert "The preview shows the first 3" in told["message"]
    assert 80_000 < told["metadata"]["totalTokens"] < 90_000
    refined = talk.call("search_text", query="useState", includes=["src/components/**"])
    assert 6_000 < count(refined.texts[0]).tokens < 10_000
    assert {match["file"].rpartition("/")[0] for match in refined.data["matches"]} == {"src/components"}
    assert refined.data["totalMatches"] == len(refined.data["matches"]) == 27


def test_symbols_that_nest_twelve_deep_are_cut_at_their_depth_although_they_would_fit(talk: Talk) -> None:
    told = buffered(talk, "get_document_symbols", path="services/nested.py")
    assert told["message"] == "22 symbols, nested 12 levels deep. The preview shows 4 levels [+8 levels truncated]"
    assert told["metadata"]["maxDepth"] == 12
    assert told["metadata"]["truncatedAtDepth"] == 4
    assert told["metadata"]["wouldExceedLimit"] is False
    symbol, names = told["preview"]["symbols"][0], []
    while isinstance(symbol, dict):
        names.append(symbol["name"])
        symbol = symbol["children"] if isinstance(symbol["children"], str) else symbol["children"][0]
    assert names == ["Zone1", "Zone2", "Zone3", "Zone4"]
    assert symbol == "[+8 levels truncated]"
    path = ".symbols[0]" + ".children[0]" * 11 + ".name"
    deepest = talk.told(FETCH, cache_id=told["bufferId"], action="filter", jq_filter=path)
    assert deepest["result"] == "berth"


def test_a_buffered_response_has_every_field_of_the_specification(talk: Talk) -> None:
    told = buffered(talk, "search_text", query="useState")
    figures = told["metadata"]
    assert {"totalTokens", "totalBytes", "itemCount", "maxDepth", "truncatedAtDepth"} <= figures.keys()
    assert figures["totalMatches"] == figures["itemCount"] == 312
    assert figures["fileCount"] == 89
    assert figures["wouldExceedLimit"] is True
    assert figures["tokenLimit"] == LIMIT
    assert all(isinstance(one, str) for one in figures["suggestedRefinements"])
    assert any('Add "includes":' in one for one in figures["suggestedRefinements"])
    assert told["bufferId"] == told["cache_id"]
    assert len(told["preview"]["firstMatches"]) == 3
    assert len(told["preview"]["topFiles"]) == 5


@pytest.mark.parametrize(
    ("tool", "arguments", "depth"),
    [
        ("search_text", {"query": "useState"}, 2),
        ("get_document_symbols", {"path": "services/nested.py"}, 4),
        ("get_references", {"path": "services/events.py", "symbol": "record_event"}, 3),
        ("get_diagnostics", {"path": "services/legacy"}, 3),
    ],
)
def test_each_tool_has_its_own_depth(talk: Talk, tool: str, arguments: dict[str, Any], depth: int) -> None:
    told = buffered(talk, tool, **arguments)
    assert told["metadata"]["truncatedAtDepth"] == depth
    assert told["metadata"]["maxDepth"] > depth
    assert "truncated]" in json.dumps(told["preview"])


def test_what_a_preview_cuts_is_counted_in_its_place(talk: Talk) -> None:
    first = buffered(talk, "search_text", query="useState")["preview"]["firstMatches"][0]
    assert first["text"] == 'import { useState } from "react";'
    assert first["context"] == "[Object: 2 properties, truncated]"


@pytest.mark.parametrize(
    ("tool", "arguments", "key"),
    [
        ("search_text", {"query": "useState"}, "matches"),
        ("get_references", {"path": "services/events.py", "symbol": "record_event"}, "references"),
        ("get_diagnostics", {"path": "services/legacy"}, "diagnostics"),
    ],
)
def test_the_buffer_gives_back_every_item(talk: Talk, tool: str, arguments: dict[str, Any], key: str) -> None:
    told = buffered(talk, tool, **arguments)
    page, items = 1, []
    while True:
        answer = talk.told(FETCH, cache_id=told["bufferId"], action="get_page", page=page, page_tokens=20_000)
        items += answer[key]
        if not answer["_pagination"]["has_more"]:
            break
        page += 1
    assert len(items) == told["metadata"]["totalMatches"]
    assert len({json.dumps(item) for item in items}) == len(items)
    query = "SELECT count(DISTINCT file) AS files FROM items"
    files = talk.told(FETCH, cache_id=told["bufferId"], action="sql", sql=query)["result"]
    assert files == [{"files": told["metadata"]["fileCount"]}]


def test_a_buffer_is_read_by_bufferid_as_an_argument(talk: Talk) -> None:
    handle = buffered(talk, "search_text", query="useState")["bufferId"]
    assert talk.told(FETCH, bufferId=handle, action="info")["cache_id"] == handle
    assert talk.told(FETCH, bufferId=handle, jq_filter=".matches | length")["result"] == 312
    assert len(talk.told(FETCH, bufferId=handle, action="get_page", page="2")["matches"]) > 1


def test_every_call_that_a_buffered_response_names_works_and_fits(talk: Talk) -> None:
    for tool, arguments in (
        ("search_text", {"query": "useState"}),
        ("get_document_symbols", {"path": "services/nested.py"}),
        ("get_references", {"path": "services/events.py", "symbol": "record_event"}),
        ("get_diagnostics", {"path": "services/legacy"}),
    ):
        told = buffered(talk, tool, **arguments)
        assert told["next"]
        for call in (*told["next"], *told["suggestions"]):
            answer = talk.follow(call)
            assert not answer.is_error
            assert '"type":"buffered_response"' not in answer.texts[0]
            assert answer.tokens < LIMIT


def test_a_folder_that_a_search_is_about_is_not_left_out_and_a_few_matches_are_offered(code: Path) -> None:
    (code / "src").mkdir()
    (code / "src" / "main.js").write_text("const brine = brines(1, 2, 3);\n" * 2_000)
    (code / "notes.txt").write_text("brine\n")
    with Talk(server=build(Folder(root=code), load_settings(SHIPPED))) as own:
        told = buffered(own, "search_text", query="brine")
        assert not [one for one in told["suggestions"] if "excludes" in one["arguments"]]
        few = next(one for one in told["suggestions"] if one["tool"] == "search_text")
        limit = few["arguments"]["limit"]
        assert 1 <= limit < 200
        assert few["why"] == f"the first {limit} of 2,001 matches"
        assert len(own.follow(few).data["matches"]) == limit


def test_a_folder_with_most_of_the_matches_is_offered_to_be_left_out(code: Path) -> None:
    for name, lines in (("app/node_modules/lib.js", 1_500), ("app/main.js", 200), ("main.js", 5)):
        (code / name).parent.mkdir(parents=True, exist_ok=True)
        (code / name).write_text("const brine = brines(1, 2, 3);\n" * lines)
    with Talk(server=build(Folder(root=code), load_settings(SHIPPED))) as own:
        told = buffered(own, "search_text", query="brine")
        assert told["metadata"]["suggestedRefinements"][0].startswith('Add "excludes":["node_modules/"]')
        assert "1,500 of the 1,705 matches are there" in told["metadata"]["suggestedRefinements"][0]
        answer = own.follow(told["suggestions"][0])
        assert '"type":"buffered_response"' not in answer.texts[0]
        assert {one["file"] for one in json.loads(answer.texts[0])["matches"]} <= {"app/main.js", "main.js"}
        assert (
            own.told("search_text", query="brine", includes="main.js", excludes="app/**", limit="7")["totalMatches"]
            == 5
        )


def test_the_code_of_a_project_itself_is_not_offered_to_be_left_out(code: Path) -> None:
    for name, lines in (("shop/main.js", 1_200), ("shop/vendor/lib.js", 300), ("tests/main.js", 400)):
        (code / name).parent.mkdir(parents=True, exist_ok=True)
        (code / name).write_text("const brine = brines(1, 2, 3);\n" * lines)
    with Talk(server=build(Folder(root=code), load_settings(SHIPPED))) as own:
        told = buffered(own, "search_text", query="brine")
        assert not [one for one in told["suggestions"] if "excludes" in one["arguments"]]
        assert any(1 <= one["arguments"].get("limit", 0) < 200 for one in told["suggestions"])


def test_a_buffer_lives_for_a_minute(talk: Talk) -> None:
    assert buffered(talk, "search_text", query="useState")["metadata"]["expiresInMs"] == 60_000


def test_a_buffer_that_has_expired_names_the_call_to_repeat(code: Path) -> None:
    (code / "long.py").write_text("x = 1  # a tide\n" * 2_000)
    moment = 1_000.0
    with Talk(server=build(Folder(root=code), load_settings(SHIPPED), now=lambda: moment)) as own:
        told = buffered(own, "search_text", query="tide")
        moment += 59
        assert own.told(FETCH, cache_id=told["bufferId"], action="info")["cache_id"] == told["bufferId"]
        moment += 2
        gone = own.refused(FETCH, cache_id=told["bufferId"], action="info")
    assert 'search_text {"query": "tide"}' in gone


def test_searches_of_more_than_100_000_tokens_are_handled(talk: Talk) -> None:
    told = talk.call("search_text", query="const")
    assert told.data["metadata"]["totalTokens"] > 400_000
    assert told.tokens < 3_000


def test_no_answer_overflows_and_a_search_costs_less_than_half_of_what_it_did(talk: Talk, data: Path) -> None:
    """The specification asks for 60 % fewer tokens a search, and 90 % fewer overflows."""
    folder = Folder(root=(data / "sample").resolve())
    before = [count(json.dumps(search(folder, query, limit=5_000))).tokens for query in SEARCHES]
    answers = [talk.call("search_text", query=query) for query in SEARCHES]
    after = [count(answer.texts[0]).tokens for answer in answers]
    assert sum(tokens > LIMIT for tokens in before) >= 4
    assert not any(answer.tokens > LIMIT for answer in answers)
    assert sum(after) <= 0.4 * sum(before)
    for one, other, answer in zip(before, after, answers, strict=True):
        if one < LIMIT // 2:  # nothing is lost where nothing has to be
            assert "buffered_response" not in answer.texts[0]
            assert other <= one


def test_nothing_is_lost_for_a_search_that_is_buffered(talk: Talk, data: Path) -> None:
    expected = search(Folder(root=(data / "sample").resolve()), "formatAmount", limit=5_000)
    told = buffered(talk, "search_text", query="formatAmount")
    text, start = "", 0
    while True:
        answer = talk.call(FETCH, cache_id=told["bufferId"], action="get", start_index=start, max_length=40_000)
        text += answer.text
        if not answer.data["has_more"]:
            break
        start = answer.data["next_index"]
    assert json.loads(text) == expected
