"""``@budgeted``: functions of any kind, whoever calls them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any, assert_type

from penstock.config import Config
from penstock.gate import Gate
from penstock.middleware.decorator import budgeted
from penstock.stores import open_store
from tests.kit.answers import head_of

ROWS = [{"id": n, "note": f"note {n} " * 8} for n in range(2_000)]


def bounded(**given: Any) -> budgeted:
    return budgeted(**{"store": "memory:", "max_tokens": 2_000, **given})


def notice(result: dict[str, Any]) -> Any:
    return head_of(result)


def test_sync_and_async_functions_stay_what_they_are() -> None:
    tool = bounded()

    @tool
    def rows(number: int) -> list[dict[str, Any]]:
        """All of them."""
        return ROWS[:number]

    @tool
    async def later(number: int) -> list[dict[str, Any]]:
        await asyncio.sleep(0)
        return ROWS[:number]

    assert_type(rows(3), dict[str, Any])  # of both the type checker knows what they return, and their parameters
    assert_type(asyncio.run(later(3)), dict[str, Any])
    assert rows.__name__ == "rows"
    assert rows.__doc__ == "All of them."
    assert notice(rows(3)) == ROWS[:3]
    assert notice(asyncio.run(later(3))) == ROWS[:3]
    assert notice(rows(2_000))["metadata"]["item_count"] == 2_000
    assert notice(asyncio.run(later(2_000)))["metadata"]["item_count"] == 2_000


def test_what_was_held_is_read_by_both_ways_of_fetching() -> None:
    tool = bounded()
    held = notice(tool(lambda: ROWS)())
    asked = {"action": "filter", "cache_id": held["cache_id"], "jq_filter": ".[7].id"}
    assert notice(tool.fetch(asked))["result"] == notice(asyncio.run(tool.fetch_async(asked)))["result"]
    assert tool.definition["name"] == "fetch_cached_response"


def test_the_call_to_repeat_when_a_result_has_expired_has_all_arguments_by_name() -> None:
    now = [0.0]
    gate = Gate(open_store("memory:"), Config(max_tokens=2_000, ttl=60), now=lambda: now[0])
    tool = budgeted(gate=gate)

    @tool
    def search(query: str, limit: int = 5_000, **other: Any) -> list[dict[str, Any]]:
        return ROWS

    held = notice(search("x", limit=9, where="here"))
    now[0] = 61
    gone = tool.fetch({"action": "info", "cache_id": held["cache_id"]})["content"][0]["text"]
    assert '{"query": "x", "limit": 9, "where": "here"}' in gone


def test_a_caller_reads_nothing_that_another_asked_for() -> None:
    caller = "alice"
    tool = bounded(caller=lambda: caller)
    held = notice(tool(lambda: ROWS)())
    assert not tool.fetch({"action": "info", "cache_id": held["cache_id"]}).get("isError")
    caller = "bob"
    assert tool.fetch({"action": "info", "cache_id": held["cache_id"]})["isError"]


def test_data_of_any_kind_becomes_a_result() -> None:
    tool = bounded()
    result = {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}
    assert tool(lambda: result)() is result
    assert tool(lambda: "words")()["content"][0]["text"] == "words"
    assert tool(lambda: b"caf\xc3\xa9 \xff")()["content"][0]["text"].startswith("café ")
    assert "2026" in tool(lambda: {"at": datetime(2026, 1, 1, tzinfo=UTC)})()["content"][0]["text"]
    assert notice(tool(lambda: {"of": {1, 2} and object})())["of"].startswith("<class")


def test_a_configuration_can_be_given_whole_with_settings_on_top() -> None:
    tool = budgeted(config=Config(store="memory:", max_tokens=50_000), max_tokens=2_000)
    assert notice(tool(lambda: ROWS)())["type"] == "buffered_response"
