"""Calls that are made ahead: after the list of tools, for no client, and never in the way of one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.protocol.playbook import PlainRules, Playbook, answer, call, modern, request

if TYPE_CHECKING:
    from penstock.protocol.commands import Act

TOOLS = [{"name": "rows", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]
LISTED = {"tools": TOOLS}


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """A call as the gate needs it."""

    tool: str = "rows"
    arguments: dict[str, Any] = field(default_factory=lambda: {"q": 1})
    seconds: float | None = 10.0
    done: int = 0
    most: int = 1
    message: str = ""


def listed(play: Playbook, key: int = 1, *, line: bytes = b"") -> None:
    play.asks(line or request(key, "tools/list"))
    play.upstream(answer(key, LISTED))
    assert "tools" in play.heard()["result"]


def ahead(play: Playbook) -> Act:
    """The gate makes its call, and the upstream hears it."""
    act = play.call_on(Ahead(), "work")
    assert act.warms
    return act


def sent(play: Playbook) -> Any:
    return json.loads(play.to_upstream.popleft())


def test_the_calls_begin_with_the_last_page_of_the_first_list() -> None:
    with Playbook(PlainRules(warms=("rows",))) as play:
        play.asks(request(1, "tools/list"))
        play.upstream(answer(1, {**LISTED, "nextCursor": "2"}))
        play.to_client.clear()
        assert not play.acts
        listed(play, 2)
        ahead(play)
        assert sent(play)["params"] == {"name": "rows", "arguments": {"q": 1}}
        listed(play, 3)  # and never again


def test_without_the_setting_nothing_is_called() -> None:
    with Playbook() as play:
        listed(play)


def test_no_client_hears_of_them_and_none_waits_for_them() -> None:
    with Playbook(PlainRules(warms=("rows",))) as play:
        listed(play)
        ahead(play)
        assert play.exchange.open_count == 0
        play.upstream(answer(sent(play)["id"], {"content": []}))
        assert play.acts[0].work == "work"
        assert json.loads(play.acts[0].result) == {"content": []}
        play.act(b"{}")
        play.nobody_hears()


@pytest.mark.parametrize("how", ["late", "ended", "error"])
def test_a_call_that_fails_is_told_to_the_gate_alone(how: str) -> None:
    with Playbook(PlainRules(warms=("rows",))) as play:
        listed(play)
        ahead(play)
        key = sent(play)["id"]
        if how == "late":
            play.wait(11)
            assert sent(play)["method"] == "notifications/cancelled"
        elif how == "ended":
            play.upstream_ends()
        else:
            play.upstream(json.dumps({"jsonrpc": "2.0", "id": key, "error": {"code": 1, "message": "no"}}).encode())
        assert play.acts[0].failure
        play.act(b"{}")
        play.nobody_hears()


def test_a_mistake_of_ours_is_a_line_of_the_log() -> None:
    with Playbook(PlainRules(warms=("rows",))) as play:
        listed(play)
        play._carry_out(play.exchange.fail(play.acts.popleft().request, "a fault"))
        play.is_noted("a fault")


def test_a_call_of_such_a_tool_asks_the_gate_first_and_goes_on_in_the_same_bytes() -> None:
    with Playbook(PlainRules(warms=("rows",))) as play:
        for line in (call(1, "rows", q=1), request(2, "tools/call", name="rows"), b" " + call(3, "rows", q=2)):
            play.client(line)
            play.fill(play.resolutions[0].arguments)
            play.upstream_hears(line)
        play.asks(call(4, "another"))


def test_in_the_modern_era_the_calls_have_what_the_clients_request_has() -> None:
    with Playbook(PlainRules(warms=("rows",))) as play:
        listed(play, line=modern(1, "tools/list"))
        act = ahead(play)
        assert act.client == "a modern client"
        assert sent(play)["params"]["_meta"] == json.loads(modern(1, "x"))["params"]["_meta"]
