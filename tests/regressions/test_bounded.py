"""Nothing leaves above its budget, in whatever part of an answer it stands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.gateway import FETCH, MODERN
from tests.kit.regressions import results as answers
from tests.kit.regressions.reading import BUDGET, fetch, notice, tokens, windows

if TYPE_CHECKING:
    from tests.kit.gateway import Running

# A client that takes a mebibyte and no more, whatever it is.
CLAUDE_DESKTOP = {**MODERN, "io.modelcontextprotocol/clientInfo": {"name": "claude-ai", "version": "1"}}
GREEDY: tuple[dict[str, Any], ...] = (
    {"action": "get", "max_length": 10_000_000},
    {"action": "get_page", "page_tokens": 1_000_000},
    {"action": "get_page", "page_size_kb": 100_000},
    {"action": "filter", "jq_filter": "."},
    {"action": "filter", "jq_filter": ".", "cache_filtered_result": False},
    {"action": "sql", "sql": "SELECT * FROM items"},
    {"action": "search", "pattern": "e", "context": 100},
    {"action": "outline", "depth": 100},
    {"action": "info"},
    {"action": "list"},
)


@pytest.mark.parametrize("tool", ["both", "structured"])
def test_structured_content_does_not_pass_beside_a_text_that_is_cut(gateway: Running, tool: str) -> None:
    result = gateway.call(tool)
    assert "structuredContent" not in result
    assert tokens(result) <= BUDGET
    assert notice(result)["metadata"]["item_count"] in (answers.ROWS, 1)


def test_structured_content_can_be_read_to_its_end(gateway: Running) -> None:
    handle = notice(gateway.call("structured"))["cache_id"]
    counted = fetch(gateway, handle, "filter", jq_filter='[.. | objects | select(has("town"))] | length')
    assert counted["result"] == answers.ROWS


def test_two_hundred_small_blocks_are_bounded_together_and_none_is_lost(gateway: Running) -> None:
    result = gateway.call("blocks")
    assert tokens(result) <= BUDGET
    whole = windows(gateway, notice(result)["cache_id"])
    for number in range(200):
        assert f"{number} " + "word " * 300 in whole


def test_an_error_of_a_tool_is_bounded_and_stays_an_error(gateway: Running) -> None:
    result = gateway.call("fails")
    assert result["isError"] is True
    assert tokens(result) <= BUDGET
    assert windows(gateway, notice(result)["cache_id"]) == "Traceback\n" + answers.text()


def test_an_error_that_fits_passes_as_it_is(gateway: Running) -> None:
    assert gateway.call("fails briefly") == {"content": [{"type": "text", "text": "no such town"}], "isError": True}


def test_a_resource_is_bounded_and_can_be_read_to_its_end(gateway: Running) -> None:
    result = gateway.request("resources/read", {"uri": "file:///a"})
    assert tokens(result) <= BUDGET
    assert "file:///a" in {entry["uri"] for entry in result["contents"]}
    whole = windows(gateway, notice(result)["cache_id"])
    assert json.loads(whole) == answers.rows()


def test_a_prompt_is_bounded_and_can_be_read_to_its_end(gateway: Running) -> None:
    result = gateway.request("prompts/get", {"name": "p"})
    assert tokens(result) <= BUDGET
    assert result["description"] == "d"
    assert windows(gateway, notice(result)["cache_id"]) == "Consider:\n" + answers.text()


def test_a_picture_above_the_limit_is_neither_text_nor_lost(gateway: Running) -> None:
    result = gateway.request("tools/call", {"name": "picture", "_meta": CLAUDE_DESKTOP})
    assert tokens(result) <= BUDGET
    stub = result["content"][1]["text"]
    assert len(stub) < 200
    handle = re.search(r"image/png, 1,200,000 bytes.* held as (r_[\w-]+)", stub)
    assert handle
    given = gateway.call(FETCH, action="get", cache_id=handle[1])  # as a client without such a limit
    picture = next(one for one in given["content"] if one["type"] == "image")
    assert picture == {"type": "image", "data": answers.picture(1_200_000), "mimeType": "image/png"}


def test_a_small_picture_passes_as_it_is(gateway: Running) -> None:
    icon = {"type": "image", "data": answers.picture(900), "mimeType": "image/png"}
    assert gateway.call("icon") == {"content": [icon]}


@pytest.mark.parametrize("tool", ["records", "text", "blocks"])
def test_reading_what_was_held_is_bounded_however_much_is_asked_for(gateway: Running, tool: str) -> None:
    handle = notice(gateway.call(tool))["cache_id"]
    for asked in GREEDY:
        result = gateway.call(FETCH, cache_id=handle, **asked)
        assert tokens(result) <= BUDGET, asked
