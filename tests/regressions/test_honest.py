"""A notice cannot be taken for data, what it offers works, and nothing that was read is held again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.kit.answers import head_of
from tests.kit.gateway import FETCH
from tests.kit.regressions import results as answers
from tests.kit.regressions.reading import BUDGET, fetch, notice, tokens

if TYPE_CHECKING:
    from tests.kit.gateway import Running


@pytest.mark.parametrize("tool", ["records", "text", "blocks", "fails", "both"])
def test_the_notice_comes_first_and_says_that_this_is_not_the_whole(gateway: Running, tool: str) -> None:
    result = gateway.call(tool)
    told = head_of(result)
    assert told["type"] == "buffered_response"
    assert ". Below: " in told["message"]
    assert told["metadata"]["would_exceed_limit"] is True


@pytest.mark.parametrize("tool", ["records", "text", "blocks", "fails", "both"])
def test_every_call_that_a_notice_offers_names_a_listed_tool_and_runs_verbatim(gateway: Running, tool: str) -> None:
    listed = [one["name"] for one in gateway.request("tools/list", {"cursor": "page 2"})["tools"]]
    told = notice(gateway.call(tool))
    assert told["next"]
    for call in told["next"]:
        assert call["tool"] in listed
        result = gateway.call(call["tool"], **call["arguments"])
        assert "isError" not in result, call
    for call in told.get("suggestions", []):
        assert call["tool"] in (tool, FETCH)
        if call["tool"] == FETCH:
            assert "isError" not in gateway.call(FETCH, **call["arguments"]), call


@pytest.mark.parametrize("tool", ["records", "text"])
def test_what_was_read_is_never_held_again(gateway: Running, tool: str) -> None:
    handle = notice(gateway.call(tool))["cache_id"]
    before = head_of(gateway.text(FETCH, action="list"))
    for arguments in (
        {"action": "get", "max_length": 10_000_000},
        {"action": "get_page", "page_tokens": 1_000_000},
        {"action": "search", "pattern": "e", "context": 100},
        {"action": "outline", "depth": 100},
    ):
        result = gateway.call(FETCH, cache_id=handle, **arguments)
        assert '"type":"buffered_response"' not in result["content"][0]["text"], arguments
        assert tokens(result) <= BUDGET
    assert head_of(gateway.text(FETCH, action="list"))["total"] == before["total"]


def test_the_whole_set_is_counted_in_one_call(gateway: Running) -> None:
    """Models cannot count across pages."""
    handle = notice(gateway.call("records"))["cache_id"]
    wanted = Counter(row["town"] for row in answers.rows())
    by_filter = fetch(
        gateway, handle, "filter", jq_filter="group_by(.town) | map({key: .[0].town, value: length}) | from_entries"
    )
    assert by_filter["result"] == wanted
    by_sql = fetch(gateway, handle, "sql", sql="SELECT town, count(*) AS n FROM items GROUP BY town ORDER BY town")
    assert {row["town"]: row["n"] for row in by_sql["result"]} == wanted
