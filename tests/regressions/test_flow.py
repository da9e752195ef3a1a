"""Everything that passes between client and server passes, in order and in time, beside large results too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, MODERN
from tests.kit.regressions import results as answers
from tests.kit.regressions.reading import notice
from tests.kit.waiting import until

if TYPE_CHECKING:
    from tests.kit.gateway import Running


def test_a_line_of_more_than_16_mib_is_a_line_like_any_other(gateway: Running) -> None:
    """24 MB; tests/gateway/test_passing.py has 50 MB, both ways."""
    told = notice(gateway.call("huge"))
    assert told["metadata"]["total_bytes"] == 24_000_000
    assert gateway.text("small") == "small"


def test_one_large_result_does_not_hold_up_the_small_ones_behind_it(gateway: Running) -> None:
    large = gateway.ask_tool("huge")
    small = [gateway.ask_tool("small") for _ in range(5)]
    order: list[int] = []

    def are_there() -> bool:
        order[:] = [one["id"] for one in gateway.messages() if one.get("id") in (large, *small) and "method" not in one]
        return len(order) == 6

    assert until(are_there)
    assert order == [*small, large]


def test_logs_progress_sampling_and_elicitation_pass_both_ways(gateway: Running) -> None:
    seen = len(gateway.messages())
    key = gateway.ask("tools/call", {"name": "steps", "arguments": {}, "_meta": {"progressToken": "p/1"}})

    def said(method: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            found[:] = [one for one in gateway.messages()[seen:] if one.get("method") == method]
            return bool(found)

        assert until(is_there), method
        return found[0]

    assert said("notifications/message")["params"]["data"] == "working"
    assert said("notifications/progress")["params"]["progressToken"] == "p/1"
    sampled = {"jsonrpc": "2.0", "id": said("sampling/createMessage")["id"], "result": {"model": "m"}}
    gateway.send(json.dumps(sampled).encode() + b"\n")
    elicited = {"jsonrpc": "2.0", "id": said("elicitation/create")["id"], "error": {"code": -1, "message": "no"}}
    gateway.send(json.dumps(elicited).encode() + b"\n")
    heard = head_of(gateway.answer(key)["result"])
    assert heard == [sampled, elicited]


def test_a_cancel_reaches_the_server(gateway: Running) -> None:
    key = gateway.ask_tool("waits")
    gateway.cancel(key)
    assert gateway.text("small") == "small"  # the server goes on once it has heard the cancel


def test_all_pages_of_the_list_pass_and_our_tool_stands_once_at_its_end(gateway: Running) -> None:
    first = gateway.request("tools/list")
    second = gateway.request("tools/list", {"cursor": first["nextCursor"]})
    assert first["tools"] == answers.tools()[:2]
    assert second["tools"][:-1] == answers.tools()[2:]
    assert second["tools"][-1]["name"] == FETCH
    assert gateway.request("tools/list") == first


def test_an_error_of_the_protocol_stays_one(gateway: Running) -> None:
    told = gateway.answer(gateway.ask_tool("error"))
    assert told["error"] == {"code": -32602, "message": "bad town", "data": {"town": 7}}
    assert "result" not in told
    assert gateway.answer(gateway.ask("no/such/method"))["error"] == {"code": -32601, "message": "Method not found"}


def test_a_client_of_the_modern_era_finds_its_way_to_a_server_of_the_legacy_one(gateway: Running) -> None:
    """It is told that the server does not know its greeting, falls back to initialize, and sees the tools."""
    told = gateway.answer(gateway.ask("server/discover", {"_meta": MODERN}))
    assert told["error"]["code"] == -32601
    assert gateway.open()["serverInfo"]["name"] == "told"
    assert [tool["name"] for tool in gateway.request("tools/list")["tools"]] == ["tool0", "tool1"]
