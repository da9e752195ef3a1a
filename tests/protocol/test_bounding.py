"""What goes to the gate and what does not: the methods that are bounded, errors, tasks, and what is around them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kit.protocol.playbook import (
    HUGE,
    LONG,
    OURS,
    PlainRules,
    Playbook,
    answer,
    call,
    error,
    line,
    packed,
    request,
    text,
)


def test_a_result_up_to_the_floor_passes_unread_and_is_counted() -> None:
    with Playbook(PlainRules(floors={"t": 100})) as play:
        small = json.dumps(text("x" * 100)).replace(" ", "")
        room = 100 - len(small) + 100
        for size, admitted in ((room, False), (room + 1, True)):
            play.asks(call(1, "t"))
            play.upstream(answer(1, text("x" * size)))
            assert bool(play.admissions) is admitted
            if admitted:
                play.decide()
            play.client_hears(answer(1, text("x" * size)))
    assert play.exchange.passed.take() == {("", "t", 250): (1, 100)}


def test_what_the_gate_lets_pass_is_the_line_that_came() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        line = b' { "result" : {"content":[{"type":"text","text":"' + LONG.encode() + b'"}]} , "id" : 1 }\r\n'
        play.upstream(line)
        admit = play.admissions[0]
        play.decide()
        assert play.to_client.popleft() is line
        assert admit.view.inner == packed(text(LONG))


def test_a_stand_in_takes_the_place_of_the_result_alone() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        result = json.dumps(text(LONG)).encode()
        play.upstream(b'{"x":[1,  2],"result":' + result + b',"id":1,"jsonrpc":"2.0"}\n')
        play.decide(b'{"content":[]}')
        play.client_hears(b'{"x":[1,  2],"result":{"content":[]},"id":1,"jsonrpc":"2.0"}\n')


@pytest.mark.parametrize(
    ("method", "params", "result"),
    [
        ("resources/list", {}, {"resources": [{"uri": LONG}]}),
        ("prompts/list", {}, {"prompts": [{"name": LONG}]}),
        ("completion/complete", {}, {"completion": {"values": [LONG]}}),
        ("tasks/list", {}, {"tasks": [{"taskId": LONG}]}),
        ("x/unknown", {}, {"content": [LONG]}),
        ("tasks/get", {"taskId": "1"}, {"taskId": "1", "status": "working", "a": "x" * 100, "b": "x" * 140}),
    ],
)
def test_what_is_no_payload_passes_as_it_is(method: str, params: dict[str, Any], result: Any) -> None:
    with Playbook(PlainRules(bytes_unread=0)) as play:
        play.asks(request(1, method, **params))
        play.answers(answer(1, result))


STEPS: list[tuple[str, Any]] = [
    ("tools/call", {"resultType": "input_required", "inputRequests": {"a": LONG}}),
    ("tools/call", {"resultType": "task", "taskId": "1", "statusMessage": LONG}),
    ("tools/call", {"resultType": "of tomorrow", "content": [LONG], "half": "\ud83d"}),
    ("tools/call", {"resultType": None, "content": [LONG]}),
    ("tools/call", {"task": {"taskId": "1", "statusMessage": LONG + "\ud83d"}}),
    ("tools/call", {"task": {"taskId": "1", "statusMessage": LONG}}),
    ("resources/read", {"resultType": "input_required", "inputRequests": LONG, "requestState": "s"}),
    ("prompts/get", {"resultType": "input_required", "inputRequests": LONG, "requestState": "s"}),
    ("tasks/get", {"taskId": "1", "status": "input_required", "inputRequests": {"a": LONG}}),
]


@pytest.mark.parametrize(("method", "result"), STEPS)
def test_a_step_of_the_protocol_that_the_gate_passes_is_the_line_that_came(method: str, result: Any) -> None:
    with Playbook(PlainRules(bytes_unread=0)) as play:
        play.asks(request(1, method, name="t", uri="a:b", taskId="1"))
        play.upstream(answer(1, result))
        assert play.admissions[0].view.inner == packed(result)
        play.decide()
        play.client_hears(answer(1, result))


@pytest.mark.parametrize(
    ("method", "result"),
    [
        *STEPS,
        ("tools/call", text(LONG)),
        ("tools/call", text(LONG, isError=True)),
        ("tools/call", {"structuredContent": {"a": LONG}}),
        ("tools/call", {"task": {}, "structuredContent": {"a": LONG}}),
        ("tools/call", {"resultType": "complete", "content": [], "unknown": LONG}),
        ("tools/call", LONG),
        ("tools/call", [LONG]),
        ("tools/call", {"content": LONG, "half": "\ud83d"}),
        ("tasks/result", text(LONG, _meta={"io.modelcontextprotocol/related-task": {"taskId": "1"}})),
        ("tasks/get", {"taskId": "1", "status": "completed", "result": text(LONG)}),
        ("tasks/get", {"taskId": "1", "status": "completed", "result": LONG}),
        ("tasks/get", {"taskId": "1", "status": "working", "statusMessage": LONG}),
        ("tasks/get", {"taskId": "1", "status": "failed", "error": {"code": 1, "message": LONG}}),
        ("tasks/get", {"taskId": "1", "status": "completed", "result": text("x"), "unknown": LONG}),
        ("tasks/get", LONG),
        ("resources/read", {"contents": [{"uri": "a:b", "text": LONG}]}),
        ("resources/read", {"contents": [{"uri": "a:b", "blob": LONG}]}),
        ("resources/read", {"contents": [{"uri": "a:" + LONG, "text": ""}]}),
        ("resources/read", {"contents": [{"uri": "a:b", "text": "c", "_meta": {"m": LONG}}]}),
        ("resources/read", {"contents": [{"uri": "a:b", "text": "c"}], "unknown": LONG}),
        ("resources/read", {"contents": [{"uri": "a:b", "text": "c"}], "ttlMs": LONG}),
        ("resources/read", {"contents": [], "unknown": LONG}),
        ("resources/read", {"contents": LONG}),
        ("resources/read", {"contents": [LONG]}),
        ("resources/read", {"nothing": LONG}),
        ("resources/read", LONG),
        ("prompts/get", {"messages": [{"role": "user", "content": {"type": "text", "text": LONG}}]}),
        ("prompts/get", {"messages": [{"role": LONG, "content": {"type": "text", "text": "x"}}]}),
        ("prompts/get", {"messages": [{"role": "user", "content": {"type": "text", "text": "x"}, "more": LONG}]}),
        ("prompts/get", {"messages": [{"role": "user", "content": [{"type": "text", "text": LONG}]}]}),
        ("prompts/get", {"messages": [], "description": LONG}),
        ("prompts/get", {"messages": [LONG]}),
        ("prompts/get", {"messages": {"a": LONG}}),
        ("prompts/get", [LONG]),
    ],
)
def test_all_that_is_long_in_an_answer_is_shown_to_the_gate(method: str, result: Any) -> None:
    with Playbook() as play:
        play.asks(request(1, method, name="t", uri="a:b", taskId="1"))
        play.upstream(answer(1, result))
        assert LONG.encode() in play.admissions[0].view.inner
        play.hold()
        heard = play.heard()
        assert set(heard) == {"jsonrpc", "id", "result"}
        assert LONG not in json.dumps(heard)
        assert "r_1" in json.dumps(heard)


def test_errors_above_the_floor_keep_their_code() -> None:
    with Playbook() as play:
        for number, more in enumerate(({}, {"data": {"trace": [HUGE]}})):
            play.asks(request(number, "completion/complete" if number else "tools/call", name="t"))
            play.upstream(error(number, -32_001, f"it broke: {HUGE}", **more))
            admit = play.admissions[0]
            assert admit.tool == ("completion/complete" if number else "t")
            told = json.loads(bytes(admit.view.inner))
            assert told == {
                "content": [],
                "structuredContent": {"code": -32_001, "message": f"it broke: {HUGE}", **more},
                "isError": True,
            }
            play.hold()
            heard = play.heard()["error"]
            assert heard["code"] == -32_001
            assert heard["message"].startswith("it broke: yyy")
            assert "held" in heard["message"]
            assert len(heard["message"]) < 400
            assert heard["data"]["cache_id"] == "r_1"


def test_an_error_that_the_gate_lets_pass_is_the_line_that_came() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(error(1, 5, LONG))
        play.decide()
        play.client_hears(error(1, 5, LONG))


def test_a_small_error_passes_even_where_everything_is_held() -> None:
    with Playbook(PlainRules(bytes_unread=0)) as play:
        play.asks(call(1, "t"))
        play.answers(error(1, -32_602, "no such argument"))


@pytest.mark.parametrize(
    "wrong", [LONG, [LONG], {"code": LONG, "message": [LONG]}, {"message": LONG}, {"code": 1, "data": LONG}]
)
def test_an_error_of_an_odd_form_becomes_a_plain_one(wrong: Any) -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(line({"id": 1, "error": wrong}))
        play.hold()
        heard = play.heard()["error"]
        assert isinstance(heard["code"], int)
        assert "held" in heard["message"]
        assert len(json.dumps(heard)) < 800


def test_an_empty_result_beside_an_error_is_an_error() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(line({"id": 1, "result": None, "error": {"code": 5, "message": LONG}}))
        assert play.admissions[0].view.member == "error"
        play.hold()
        assert play.heard()["error"]["code"] == 5


@pytest.mark.parametrize("around", ["unknown", "error", "id", "result"])
def test_what_is_long_around_an_answer_does_not_go_along(around: str) -> None:
    """Members that no client looks for, an error beside a result, the same member twice."""
    junk = json.dumps({"junk": HUGE}).encode()
    with Playbook() as play:
        for size in (5, 500):
            play.asks(call(1, "t"))
            result = json.dumps(text("z" * size)).encode()
            play.upstream(b'{"' + around.encode() + b'":' + junk + b',"id":1,"result":' + result + b"}\n")
            while play.admissions:
                play.decide()
            play.client_hears({"jsonrpc": "2.0", "id": 1, "result": text("z" * size)})


@pytest.mark.parametrize("size", [5, 500])
@pytest.mark.parametrize("member", ["result", "error"])
def test_a_message_with_a_method_and_an_answer_is_a_response(member: str, size: int) -> None:
    value = text("z" * size) if member == "result" else {"code": 1, "message": "z" * size}
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(line({"jsonrpc": "2.0", "id": 1, "method": "ping", member: value}))
        while play.admissions:
            play.decide()
        play.client_hears({"jsonrpc": "2.0", "id": 1, member: value})


def test_a_notification_with_a_result_is_not_a_message() -> None:
    with Playbook() as play:
        play.upstream(line({"jsonrpc": "2.0", "method": "notifications/x", "result": text(HUGE)}))
        assert play.noise.popleft()


def test_what_is_long_around_a_task_that_still_runs_does_not_go_along() -> None:
    task = {"taskId": "1", "status": "working"}
    with Playbook(PlainRules(bytes_unread=0)) as play:
        play.asks(request(1, "tasks/get", taskId="1"))
        play.upstream(line({"id": 1, "unknown": HUGE, "result": task}))
        play.client_hears({"jsonrpc": "2.0", "id": 1, "result": task})


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("resources/read", '{"contents":%s,"contents":[{"uri":"a:b","text":"x"}]}'),
        ("resources/read", '{"contents":[{"uri":"a:b","text":%s,"text":"x"}]}'),
        ("resources/read", '{"resultType":%s,"resultType":"input_required","inputRequests":{}}'),
        ("prompts/get", '{"messages":%s,"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}'),
        ("prompts/get", '{"messages":[{"role":"user","content":%s,"content":{"type":"text","text":"x"}}]}'),
        ("tasks/get", '{"taskId":"1","status":"completed","result":%s,"result":{"content":[]}}'),
        ("tasks/get", '{"taskId":"1","status":%s,"status":"working"}'),
    ],
)
def test_a_member_that_a_later_one_overrides_is_shown_to_the_gate_too(method: str, result: str) -> None:
    whole = (result % json.dumps(LONG)).encode()
    with Playbook() as play:
        for decide in (play.decide, play.hold):
            play.asks(request(1, method, name="t", uri="a:b", taskId="1"))
            play.upstream(b'{"jsonrpc":"2.0","id":1,"result":' + whole + b"}\n")
            assert LONG.encode() in play.admissions[0].view.inner
            decide()
        play.client_hears(b'{"jsonrpc":"2.0","id":1,"result":' + whole + b"}\n")
        heard = json.dumps(play.heard())
        assert LONG not in heard
        assert "r_1" in heard


def test_of_a_repeated_member_the_last_one_is_judged_and_replaced() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(b'{"id":1,"result":{"content":[]},"result":' + json.dumps(text(LONG)).encode() + b"}\n")
        play.decide(b'{"content":["held"]}')
        play.client_hears(b'{"id":1,"result":{"content":[]},"result":{"content":["held"]}}\n')


def test_an_answer_that_is_read_by_the_standard_parser_alone_is_bounded_too() -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(b'{"id":1,"x":"\\ud83d","result":' + json.dumps(text(LONG)).encode() + b"}\n")
        play.decide(b'{"content":[]}')
        play.client_hears(b'{"id":1,"x":"\\ud83d","result":{"content":[]}}\n')


@pytest.mark.parametrize(
    "broken",
    [
        b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 50_000 + b"]" * 50_000 + b"}\n",
        b'{"result":{"content":[{"type":"text","text":"a\tb"}]},"jsonrpc":"2.0","id":1}\n',
        b'{"id":1,"error":{"code":1,"message":\'single quotes\'}}\r\n',
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error_at_once(broken: bytes) -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(broken)
        assert play.noise.popleft() is broken
        play.client_hears_failure(1, "cannot be read")
        play.upstream(broken)
        assert play.noise.popleft() is broken


@pytest.mark.parametrize(
    "broken",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"te\n',
        b'{"id":1,"level":"info","msg":\'up\'}\n',
        b'{"id":2,"result":nothing}\n',
    ],
)
def test_half_an_answer_or_what_may_be_none_is_noise(broken: bytes) -> None:
    with Playbook() as play:
        play.asks(call(1, "t"))
        play.upstream(broken)
        assert play.noise.popleft() is broken
        play.answers(answer(1, text("x")))


def test_a_request_nested_too_deeply_is_refused_at_once() -> None:
    deep = b"[" * 50_000 + b"]" * 50_000
    with Playbook() as play:
        play.client(b'{"jsonrpc":"2.0","id":"d","method":"tools/call","params":' + deep + b"}\n")
        play.client_hears_failure("d", "nested too deeply", code=-32_600)
        play.asks(b'{"id":"q","result":' + deep + b"}\n")
        play.asks(b'{"method":"x","params":' + deep + b"}\n")


def test_our_own_answers_are_not_bounded_again() -> None:
    with Playbook() as play:
        play.client(call(1, OURS))
        play.read(packed(text(HUGE)))
        play.client_hears(answer(1, text(HUGE)))
