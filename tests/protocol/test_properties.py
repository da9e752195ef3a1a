"""Whatever either side says, nothing raises, no request is answered twice, and none is left without an answer once the
upstream has ended. What the gate does not change is the same when it is put back."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from penstock.gate.outcome import Admission
from penstock.protocol.commands import Admit, Fetch
from penstock.protocol.payloads import open_error, open_result
from penstock.protocol.wire import jsonrpc
from tests.kit.protocol.playbook import OURS, PlainRules, Playbook, packed, stand_in_of
from tests.kit.strategies import clean_text, layouts

METHODS = ["tools/call", "tools/list", "initialize", "server/discover", "resources/read", "prompts/get", "tasks/get"]
METHODS += ["tasks/result", "ping", "notifications/cancelled", "notifications/progress", "notifications/tasks", "x"]

any_text = st.text(st.characters(exclude_categories=()), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(any_text, inner, max_size=2),
    max_leaves=4,
)
ids = st.sampled_from([1, 2, 3, "1", "a", "é", None, 1.0, 1.5, True, [1]])
blocks = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "image", "resource"])}, optional={"text": any_text})
    | values,
    max_size=3,
)
# Parts of results and parameters of all methods, so that many of them mean something.
parts = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([OURS, "t"]) | values,
        "arguments": values,
        "requestId": ids,
        "progressToken": ids,
        "taskId": st.sampled_from(["1", "2"]) | values,
        "task": values,
        "status": st.just("completed"),
        "statusMessage": any_text,
        "result": st.fixed_dictionaries({"content": blocks}) | values,
        "error": values,
        "inputRequests": values,
        "content": blocks | values,
        "structuredContent": values,
        "contents": st.lists(
            st.fixed_dictionaries({"uri": any_text}, optional={"text": any_text, "blob": any_text}) | values, max_size=3
        )
        | values,
        "messages": st.lists(
            st.fixed_dictionaries(
                {
                    "role": st.sampled_from(["user", "assistant", "x"]),
                    "content": blocks.map(lambda all_: (all_ or [0])[0]),
                }
            )
            | values,
            max_size=3,
        )
        | values,
        "description": any_text | values,
        "tools": st.lists(
            st.fixed_dictionaries({"name": any_text}, optional={"outputSchema": values}) | values, max_size=3
        )
        | values,
        "nextCursor": any_text | values,
        "capabilities": values,
        "serverInfo": values,
        "ttlMs": values,
        "cacheScope": values,
        "resultType": st.sampled_from(["complete", "input_required"]) | values,
        "_meta": values,
        "unknown": values,
    },
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0"),
        "id": ids,
        "method": st.sampled_from(METHODS) | st.sampled_from(METHODS[:8]) | values,
        "params": parts | values,
        "result": parts | values,
        "error": st.fixed_dictionaries({"code": st.sampled_from([-32601, 1]), "message": any_text}) | values,
        "more": values,
    },
)


@st.composite
def written(draw: st.DrawFn, of: st.SearchStrategy[Any]) -> bytes:
    """JSON in one of several layouts, with halves of emoji as escapes or as they are, and with NaN."""
    return json.dumps(draw(of), **draw(layouts)).encode("utf-8", "surrogatepass")


json_lines = written(messages | st.lists(messages | values, max_size=4))


@st.composite
def broken_lines(draw: st.DrawFn) -> bytes:
    """A line with some of its bytes replaced or left out."""
    line = bytearray(draw(json_lines))
    for _ in range(draw(st.integers(1, 3))):
        if line:
            at = draw(st.integers(0, len(line) - 1))
            line[at : at + draw(st.integers(0, 4))] = draw(st.binary(max_size=3))
    return bytes(line)


said = st.tuples(
    st.sampled_from(["client", "upstream"]),
    (json_lines | broken_lines() | st.binary(max_size=40)).map(lambda data: data.replace(b"\n", b" ") + b"\n"),
)


def requests_in(line: bytes) -> list[bytes]:
    """The keys of the requests in a line of the client."""
    message = jsonrpc.decode(line)
    found = [message] if message is not None else [jsonrpc.decode(one) for one in jsonrpc.batch(line) or ()]
    return [
        jsonrpc.key_of(one.id)
        for one in found
        if one is not None and isinstance(one.method, str) and isinstance(one.id, Raw)
    ]


def answers_in(line: bytes) -> list[bytes]:
    batch = jsonrpc.batch(line)
    decoded = [jsonrpc.decode(one) for one in ([line] if batch is None else batch)]
    return [
        jsonrpc.key_of(one.id) for one in decoded if one is not None and one.method is UNSET and isinstance(one.id, Raw)
    ]


def cancelled_in(line: bytes) -> bool:
    return b"cancelled" in line


@given(st.lists(said, max_size=12), st.integers(0, 200), st.data())
def test_whatever_is_said_every_request_is_answered_once(
    lines: list[tuple[str, bytes]], floor: int, data: st.DataObject
) -> None:
    play = Playbook(PlainRules(bytes_unread=floor))
    asked: Counter[bytes] = Counter()
    for side, line in lines:
        if side == "client":
            asked.update(requests_in(line))
            play.client(line)
        else:
            play.upstream(line)
        at_once: bool = data.draw(st.booleans())
        if play.admissions and at_once:
            play.decide()
        if play.fetches and at_once:
            play.read(b'{"content":[]}')
    play.upstream_ends()
    while play.admissions:
        play.decide()
    while play.fetches:
        play.read(b'{"content":[]}')
    assert not play.exchange._state.open
    answered = Counter(key for line in play.to_client for key in answers_in(line))
    loose = answered.pop(b"null", 0)  # about what could not be read, and so not counted
    asked_null = asked.pop(b"null", 0)
    if any(cancelled_in(line) for _, line in lines):
        assert answered <= asked
    else:
        assert answered == asked
        assert loose >= asked_null


@given(st.lists(said, max_size=8))
def test_what_the_upstream_hears_was_said_by_the_client_or_is_a_word_of_ours(lines: list[tuple[str, bytes]]) -> None:
    play = Playbook(PlainRules(bytes_unread=0), gate=_unchanged)
    for side, line in lines:
        getattr(play, side)(line)
        for heard in play.to_upstream:
            assert heard is line or heard.startswith(b"[")
        play.to_upstream.clear()


def _unchanged(command: Admit | Fetch) -> Admission:
    return Admission(answer=bytes(command.view.inner) if isinstance(command, Admit) else b'{"content":[]}')


results = st.tuples(
    st.sampled_from(["tools/call", "tasks/result", "tasks/get", "resources/read", "prompts/get"]),
    written(parts | values),
)


@given(results)
def test_a_result_that_the_gate_does_not_change_is_the_same_when_it_is_put_back(told: tuple[str, bytes]) -> None:
    method, result = told
    opened = open_result(method, result)
    if opened is not None:
        assert opened.close(bytes(bytearray(opened.inner)), None) == result


@given(st.sampled_from(["resources/read", "prompts/get", "tasks/get"]), any_text, values, parts)
def test_a_result_said_in_fewer_bytes_keeps_all_that_is_beside_it(
    method: str, words: str, value: Any, beside: dict[str, Any]
) -> None:
    """The gate gives back what it was shown, with white space left out of its text."""
    forms: dict[str, dict[str, Any]] = {
        "resources/read": {"contents": [{"uri": "a:b", "text": f"  {words}"}]},
        "prompts/get": {"messages": [{"role": "assistant", "content": {"type": "text", "text": f"  {words}"}}]},
        "tasks/get": {"result": {"content": [{"type": "text", "text": f"  {words}"}], "x": value}},
    }
    own = forms[method]
    gone = ("inputRequests", "task", "resultType")
    result = {**{name: one for name, one in beside.items() if name not in gone and one != {}}, **own}
    opened = open_result(method, packed(result))
    assert opened is not None
    assert packed(f"  {words}") in opened.inner
    closed = opened.close(bytes(opened.inner).replace(packed(f"  {words}"), packed(words)), None)
    expected = {**result, **json.loads(packed(own).replace(packed(f"  {words}"), packed(words)))}
    assert json.dumps(json.loads(closed), sort_keys=True) == json.dumps(expected, sort_keys=True)


@given(written(values))
def test_an_error_that_the_gate_does_not_change_stays_as_it_is(error: bytes) -> None:
    opened = open_error(error)
    assert opened.close(bytes(opened.inner), None) is error


@given(results, clean_text)
def test_whatever_the_result_a_stand_in_takes_its_place(told: tuple[str, bytes], words: str) -> None:
    method, result = told
    opened = open_result(method, result, ttl_ms=1_000)
    if opened is not None:
        notice = packed({"type": "buffered_response", "cache_id": "r_1", "message": words}).decode()
        stand_in = {"content": [{"type": "text", "text": notice}, {"type": "text", "text": words}]}
        parts = stand_in_of(stand_in)
        closed = json.loads(opened.close(parts.raw, parts))
        match method:
            case "resources/read":
                assert closed["contents"][0]["text"].startswith('{"type":"buffered_response","cache_id":"r_1"')
            case "prompts/get":
                assert closed["messages"][0]["content"]["text"].startswith('{"type":"buffered_response"')
            case _:
                assert "r_1" in json.dumps(closed)
