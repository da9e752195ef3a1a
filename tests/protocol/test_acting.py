"""Our second tool: listed after the first where it is switched on, and calls that we make ourselves to do its work."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.kit.protocol.playbook import (
    OURS,
    PlainRules,
    Playbook,
    answer,
    call,
    cancel,
    error,
    modern,
    notification,
    request,
    text,
    tool,
)

ACT = "act_on_cached_response"
ALL = ("export", "more", "drop")
DONE = b'{"content":[{"type":"text","text":"done"}]}'


@dataclass
class OwnCall:
    """A call that the gate needs."""

    tool: str = "list"
    arguments: dict[str, Any] = field(default_factory=lambda: {"cursor": "c1"})
    seconds: float | None = None
    done: int = 3
    most: int = 20
    message: str = "3 pages"


def acting(**rules: Any) -> Playbook:
    return Playbook(PlainRules(acts=ALL, **rules))


def begun(play: Playbook, key: Any = 1, call_on: OwnCall | None = None, **params: Any) -> dict[str, Any]:
    """Let a call of our tool need one of its own, and return that as the upstream hears it."""
    play.client(request(key, "tools/call", name=ACT, arguments={"action": "more"}, **params))
    play.call_on(call_on or OwnCall(), "work")
    sent: dict[str, Any] = json.loads(play.to_upstream.popleft())
    return sent


def test_it_is_listed_after_the_first_tool_and_only_where_it_is_switched_on() -> None:
    for rules, names in ((PlainRules(), [OURS]), (PlainRules(acts=("drop",)), [OURS, ACT])):
        with Playbook(rules) as play:
            play.asks(request(0, "tools/list"))
            play.upstream(answer(0, {"tools": [tool("theirs")]}))
            assert [one["name"] for one in play.heard()["result"]["tools"]] == ["theirs", *names]
            play.asks(request(1, "tools/list"))
            play.upstream(error(1, -32_601, "no such method"))
            assert [one["name"] for one in play.heard()["result"]["tools"]] == names


def test_a_call_of_it_goes_to_the_gate_and_to_the_upstream_where_it_is_off() -> None:
    with acting() as play:
        play.client(call(1, ACT, action="drop", cache_id="r_1"))
        assert play.acts[0].arguments == {"action": "drop", "cache_id": "r_1"}
        play.act(DONE)
        assert play.heard()["result"]["content"][0]["text"] == "done"
        play.client(modern(2, "tools/call", name=ACT))
        play.act(DONE)
        assert play.heard()["result"]["resultType"] == "complete"
    with Playbook() as play:
        play.asks(call(1, ACT, action="drop"))


def test_an_upstream_with_a_tool_of_its_name_keeps_it() -> None:
    with acting() as play:
        play.asks(request(0, "tools/list"))
        play.upstream(answer(0, {"tools": [tool(ACT)]}))
        assert [one["name"] for one in play.heard()["result"]["tools"]] == [ACT, OURS, f"{ACT}_2"]
        play.asks(call(1, ACT))
        play.client(call(2, f"{ACT}_2", action="drop"))
        assert len(play.acts) == 1
        play.acts.clear()


def test_a_call_of_our_own_has_an_id_of_its_own_and_its_response_goes_to_the_gate() -> None:
    with acting() as play:
        sent = begun(play)
        assert (sent["method"], sent["params"]) == ("tools/call", {"name": "list", "arguments": {"cursor": "c1"}})
        assert sent["id"] != 1
        play.upstream(answer(sent["id"], text("x" * 5_000)))
        back = play.acts[0]
        assert (back.work, json.loads(back.result), back.failure) == ("work", text("x" * 5_000), "")
        play.nobody_hears()
        play.act(DONE)
        assert play.heard()["id"] == 1


def test_a_request_of_the_modern_era_hands_its_marks_on_but_no_token() -> None:
    with acting() as play:
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": "p"}
        sent = begun(play, _meta=meta)
        assert sent["params"]["_meta"] == {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        play.to_client.clear()
        play.upstream(answer(sent["id"], text("")))
        play.acts.clear()


def test_progress_is_told_to_a_client_that_gave_a_token() -> None:
    with acting() as play:
        sent = begun(play, _meta={"progressToken": 7})
        told = play.heard()
        assert told["method"] == "notifications/progress"
        assert told["params"] == {"progressToken": 7, "progress": 3, "total": 20, "message": "3 pages"}
        play.upstream(answer(sent["id"], text("")))
        play.acts.clear()


@pytest.mark.parametrize("key", ["penstock-own-1", 1])
def test_our_id_is_never_the_client_s(key: Any) -> None:
    with acting() as play:
        play.asks(call("penstock-own-1", "theirs"))
        sent = begun(play, 5)
        assert sent["id"] not in ("penstock-own-1", 5)
        play.client(call(sent["id"], "theirs"))  # one that comes later is refused
        assert "already in use" in play.heard()["error"]["message"]
        play.upstream(answer(sent["id"], text("ours")))
        play.act(DONE)
        assert play.heard()["id"] == 5
        play.answers(answer("penstock-own-1", text("theirs")))


def test_an_error_comes_to_the_gate_in_words() -> None:
    with acting() as play:
        play.upstream(error(begun(play)["id"], -32_000, "too many requests"))
        assert play.acts[0].failure == "the server failed: too many requests"
        play.act(DONE)
        play.to_client.clear()


def test_a_call_of_our_own_that_is_cancelled_is_taken_back_and_its_response_reaches_nobody() -> None:
    with acting() as play:
        sent = begun(play)
        play.client(cancel(1))
        told = json.loads(play.to_upstream.popleft())
        assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", sent["id"])
        play.upstream(answer(sent["id"], text("late")))
        play.is_noted("that is not open")
        play.nobody_hears()


def test_a_cancellation_between_two_calls_ends_the_work() -> None:
    with acting() as play:
        play.upstream(answer(begun(play)["id"], text("")))
        play.client(cancel(1))
        play.call_on(OwnCall())
        play.nobody_hears()


def test_a_client_that_has_gone_ends_the_work_too() -> None:
    with acting() as play:
        sent = begun(play)
        told = [json.loads(one.line) for one in play.exchange.abandon(b"1", "gone")]  # type: ignore[union-attr,arg-type]
        assert [one["params"]["requestId"] for one in told] == [sent["id"]]
        assert not play.exchange.open_count


def test_a_call_of_our_own_is_overdue_by_its_own_limit_and_comes_to_the_gate() -> None:
    with acting() as play:
        sent = begun(play, call_on=OwnCall(seconds=5))
        play.wait(4)
        play.nobody_hears()
        play.wait(2)
        assert "has not answered list" in play.acts[0].failure
        assert json.loads(play.to_upstream.popleft())["params"]["requestId"] == sent["id"]
        play.act(DONE)
        assert play.heard()["id"] == 1


def test_an_upstream_that_ends_comes_to_the_gate_once() -> None:
    with acting() as play:
        begun(play)
        play.upstream_ends("exited")
        assert "exited" in play.acts[0].failure
        play.call_on(OwnCall())  # the gate tries once more
        assert "exited" in play.acts[0].failure
        play.act(DONE)
        assert play.heard()["id"] == 1


def test_an_answer_of_the_upstream_that_cannot_be_read_comes_to_the_gate() -> None:
    with acting() as play:
        sent = begun(play)
        play.upstream(b'{"id":"%b","result":{"content":[}]}}\n' % sent["id"].encode())
        assert "cannot be read" in play.acts[0].failure
        play.noise.clear()
        play.act(DONE)
        play.to_client.clear()


def test_messages_of_the_upstream_meanwhile_go_to_the_client() -> None:
    with acting() as play:
        sent = begun(play)
        play.answers(notification("notifications/message", level="info", data="page"))
        play.upstream(answer(sent["id"], text("")))
        play.acts.clear()


def test_resources_are_told_of_where_export_is_on_and_the_upstream_has_none() -> None:
    for acts, had, has in (
        (ALL, {"tools": {}}, {"tools": {}, "resources": {}}),
        (ALL, {"tools": {}, "resources": {"subscribe": True}}, {"tools": {}, "resources": {"subscribe": True}}),
        (("drop",), {"tools": {}}, {"tools": {}}),
    ):
        with Playbook(PlainRules(acts=acts)) as play:
            play.asks(request(0, "initialize"))
            play.upstream(answer(0, {"capabilities": had}))
            assert play.heard()["result"]["capabilities"] == has


def test_the_lists_of_an_upstream_without_resources_are_empty_and_of_another_as_they_are() -> None:
    with acting() as play:
        for method, empty in (("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")):
            play.asks(request(1, method))
            play.upstream(error(1, -32_601, "no such method"))
            play.client_hears({"jsonrpc": "2.0", "id": 1, "result": {empty: []}})
            play.asks(request(2, method))
            play.answers(answer(2, {empty: [{"uri": "file:///a"}]}))
    with Playbook() as play:
        play.asks(request(1, "resources/list"))
        play.answers(error(1, -32_601, "no such method"))


def test_a_resource_of_ours_is_read_at_the_gate_and_every_other_by_the_upstream() -> None:
    with acting() as play:
        play.asks(request(1, "resources/read", uri="file:///penstock://export/x"))
        play.client(request(2, "resources/read", uri="penstock://export/r_1/a.csv"))
        assert play.fetches[0].uri == "penstock://export/r_1/a.csv"
        play.read(b'{"contents":[]}')
        assert play.heard()["result"] == {"contents": []}
        play.client(request(3, "resources/read", uri="penstock://export/r_2/a.csv"))
        play._carry_out(play.exchange.missing(play.fetches.popleft(), "there is no such resource"))
        assert play.heard()["error"]["code"] == -32_002
    with Playbook() as play:
        play.asks(request(1, "resources/read", uri="penstock://export/r_1/a.csv"))
