"""The question of a call (``_ask``) goes to the gate. The upstream does not see it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.act.question import INSTRUCTIONS
from penstock.protocol.rules import RelayRules
from tests.kit.protocol.playbook import LONG, OURS, PlainRules, Playbook, answer, call, request, text, tool

RULES = PlainRules(takes_questions=True, asked=("search",))
SQL = "SELECT 1"


def arguments_sent(play: Playbook) -> Any:
    return json.loads(play.to_upstream.popleft())["params"]["arguments"]


def listed(play: Playbook, *tools: dict[str, Any]) -> dict[str, Any]:
    play.asks(request("list", "tools/list"))
    play.upstream(answer("list", {"tools": list(tools)}))
    return {one["name"]: one for one in play.heard()["result"]["tools"]}


@pytest.mark.parametrize("result", [text("small"), text(LONG)], ids=["small", "large"])
def test_question_goes_to_the_gate_with_any_result(result: Any) -> None:
    with Playbook(RULES) as play:
        play.client(call(1, "search", q="x", _ask=SQL))
        assert arguments_sent(play) == {"q": "x"}
        play.upstream(answer(1, result))
        admit = play.admissions.popleft()
        assert (json.loads(admit.ask), admit.arguments) == (SQL, {"q": "x"})
        play._carry_out(play.exchange.admitted(admit, bytes(admit.view.inner)))
        assert play.heard()["result"] == result


def test_call_with_nothing_but_a_question_is_sent_with_empty_arguments() -> None:
    with Playbook(RULES) as play:
        play.client(call(1, "search", _ask=SQL))
        assert arguments_sent(play) == {}
        play.upstream(answer(1, text("x")))
        assert play.admissions.popleft().ask


def test_other_bytes_of_the_arguments_stay_as_they_came() -> None:
    arguments = b'{"a":1.0,"_ask":"x","b":1e2}'
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s","arguments":' + arguments + b"}}\n"
    with Playbook(RULES) as play:
        play.client(line)
        assert b'"arguments":{"a":1.0,"b":1e2}' in play.to_upstream.popleft()


def test_tool_with_such_an_argument_of_its_own_keeps_it() -> None:
    schema = {"type": "object", "properties": {"_ask": {"type": "integer"}}}
    with Playbook(RULES) as play:
        assert listed(play, {**tool("search"), "inputSchema": schema})["search"]["inputSchema"] == schema
        play.client(call(1, "search", _ask=5))
        play.upstream_hears_the_same()
        play.upstream(answer(1, text("x")))
        play.client_hears_the_same()


@pytest.mark.parametrize("rules", [PlainRules(), RelayRules()], ids=["off", "relay"])
def test_question_stays_in_the_call_if_the_setting_is_off(rules: Any) -> None:
    with Playbook(rules) as play:
        play.client(call(1, "search", _ask=SQL))
        play.upstream_hears_the_same()
        play.upstream(answer(1, text("x")))
        play.client_hears_the_same()


def test_batch_sends_each_call_without_its_question() -> None:
    one, two = (json.loads(call(number, "search", n=number, _ask=SQL)) for number in (1, 2))
    three = json.loads(call(3, "search", n=3))
    with Playbook(RULES) as play:
        play.client(json.dumps([one, two, three]).encode() + b"\n")
        sent = json.loads(play.to_upstream.popleft())
        assert [each["params"]["arguments"] for each in sent] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_error_response_passes_as_it_came() -> None:
    with Playbook(RULES) as play:
        play.client(call(1, "search", _ask=SQL))
        play.to_upstream.popleft()
        play.upstream(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}\n')
        play.client_hears_the_same()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False},
    ],
)
def test_tools_that_are_asked_list_the_argument_and_others_do_not(schema: dict[str, Any]) -> None:
    with Playbook(RULES) as play:
        tools = listed(play, {**tool("search"), "inputSchema": schema}, {**tool("other"), "inputSchema": schema})
        assert tools["other"]["inputSchema"] == schema
        changed = tools["search"]["inputSchema"]
        asked = changed["properties"].pop("_ask")
        assert (asked["type"], changed["properties"]) == ("string", schema.get("properties", {}))
        assert {**changed, "properties": 0} == {**schema, "properties": 0}
        assert "_ask" in tools[OURS]["description"]


@pytest.mark.parametrize("schema", [None, 5, {"type": "object", "properties": 5}])
def test_schema_that_cannot_be_extended_stays_as_it_is(schema: Any) -> None:
    with Playbook(RULES) as play:
        assert listed(play, {**tool("search"), "inputSchema": schema})["search"]["inputSchema"] == schema


def test_instructions_of_the_server_come_before_ours() -> None:
    with Playbook(PlainRules(takes_questions=True, instructs_questions=True)) as play:
        introductions: list[dict[str, Any]] = [{}, {"instructions": "Be brief."}, {"instructions": None}]
        for number, own in enumerate(introductions):
            play.asks(request(number, "initialize"))
            play.upstream(answer(number, {"capabilities": {"tools": {}}, **own}))
            words = play.heard()["result"]["instructions"]
            assert words == ("Be brief.\n\n" if own.get("instructions") else "") + INSTRUCTIONS
