"""What fits, and what is not understood, goes on byte for byte, whichever era the client speaks."""

from __future__ import annotations

import pytest

from tests.kit.protocol.playbook import (
    MODERN,
    OURS,
    Playbook,
    answer,
    call,
    cancel,
    error,
    line,
    modern,
    notification,
    request,
    text,
)

SERVER = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "files"}}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}


def test_a_legacy_conversation_passes_as_it_is() -> None:
    with Playbook() as play:
        play.asks(request(0, "initialize", **CLIENT))
        play.answers(answer(0, SERVER))
        play.asks(notification("notifications/initialized"))
        play.asks(call(1, "search", q="x"))
        play.answers(notification("notifications/message", level="info", data="looking"))
        play.answers(answer(1, text("found")))
        play.asks(request(2, "resources/list"))
        play.answers(answer(2, {"resources": [], "nextCursor": "opaque=="}))
        play.asks(request(3, "logging/setLevel", level="debug"))
        play.answers(error(3, -32601, "no such method"))
    assert (play.exchange.client_name, play.exchange.server_name) == ("wire", "files")


def test_a_modern_conversation_passes_as_it_is() -> None:
    with Playbook() as play:
        play.asks(modern("d", "server/discover"))
        play.answers(answer("d", {"resultType": "complete", "capabilities": {"tools": {}}, "ttlMs": 9}))
        play.asks(modern(1, "tools/call", name="ask", arguments={}))
        play.answers(answer(1, {"resultType": "input_required", "inputRequests": {"a": {}}, "requestState": "s1"}))
        play.asks(modern(2, "tools/call", name="ask", arguments={}, requestState="s1", inputResponses={"a": {}}))
        play.answers(answer(2, text("done", resultType="complete", _meta={"x": 1})))
        play.asks(modern(3, "subscriptions/listen", filters={}))
        play.answers(notification("notifications/resources/updated", uri="file:///a", _meta={"subscriptionId": 3}))


def test_a_client_that_falls_back_to_the_legacy_era_and_returns_is_followed() -> None:
    with Playbook() as play:
        play.asks(modern(0, "server/discover"))
        play.answers(error(0, -32601, "Method not found"))
        play.asks(request(1, "initialize", **CLIENT))
        play.answers(answer(1, SERVER))
        play.client(call(2, OURS, action="list"))
        play.read(b'{"content":[]}')
        play.client_hears(answer(2, {"content": []}))
        play.client(modern(3, "tools/call", name=OURS, arguments={"action": "list"}))
        assert play.fetches[0].client == "a modern client"
        play.read(b'{"content":[]}')
        play.client_hears(answer(3, {"content": [], "resultType": "complete"}))
        play.client(call(4, OURS, action="list"))
        assert play.fetches[0].client == "wire"
        play.read(b'{"content":[]}')
        play.client_hears(answer(4, {"content": []}))


def test_a_modern_client_without_a_name_is_known_by_the_one_it_gave_before() -> None:
    with Playbook() as play:
        play.asks(request(0, "initialize", **CLIENT))
        version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        play.client(request(1, "tools/call", name=OURS, _meta=version))
        assert play.fetches[0].client == "wire"
        play.read(b'{"content":[]}')
        play.client_hears(answer(1, {"content": [], "resultType": "complete"}))


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n', b'{"id":1,"result":{}}\n'),
        (b'{"method":"tools/call","jsonrpc":"2.0","id":"a-1"}\n', b'{"result":{},"jsonrpc":"2.0","id":"a-1"}\n'),
        (b' { "id" : 7 , "method" : "x/y" , "more" : [1,  2] } \r\n', b'{"id":7,"result":null,"x":{"y":1e999}}  \r\n'),
        (b'{"id":1.0,"method":"ping"}\n', b'{"id":1,"result":{}}\n'),
        (b'{"id":null,"method":"ping"}\n', b'{"id":null,"error":{"code":-32600,"message":"no id"}}\n'),
        ('{"id":"é","method":"ping"}\n'.encode(), b'{"id":"\\u00e9","result":{}}\n'),
        (b'{"id":1,"method":"ping","params":null}\n', b'{"id":1,"result":{},"error":null}\n'),
        (b'{"id":1,"method":"tools/call","params":[1]}\n', b'{"id":1,"result":null,"error":{"code":1,"message":""}}\n'),
        (b'{"id":1,"method":5}\n', b'{"id":1,"error":{"code":-32600,"message":"Invalid Request"}}\n'),
        (b'{"id":1,"method":"m","params":{"x":NaN}}\n', b'{"id":1,"result":{"x":NaN}}\n'),
        (b'{"id":1,"method":"m","params":"\\ud83d"}\n', b'{"id":1,"result":{"text":"\\ud83d"}}\n'),
        (b'\xef\xbb\xbf{"id":1,"method":"m"}\n', b'\xef\xbb\xbf{"id":1,"result":{}}\n'),
        (b'{"id":1,"id":2,"method":"m"}\n', b'{"id":9,"id":2,"result":1,"result":2}\n'),
        (b'{"id":1,"method":"m","x":"\xff"}\n', b'{"id":1,"result":"\xff\xfe"}\n'),
        (b'{"id":{"a":1},"method":"m"}\n', b'{"id":{"a":1},"result":1}\n'),
    ],
)
def test_a_request_and_its_answer_keep_every_byte(asked: bytes, answered: bytes) -> None:
    with Playbook() as play:
        play.asks(asked)
        play.answers(answered)
        assert not play.exchange._state.open


@pytest.mark.parametrize("said", [b"hello\n", b"5\n", b'{"half":\n', b"[1\n", b"\xff\xfe\n", b"null\n"])
def test_what_is_no_message_goes_to_the_upstream_and_comes_from_it_as_noise(said: bytes) -> None:
    with Playbook() as play:
        play.asks(said)
        play.upstream(said)
        assert play.noise.popleft() is said


@pytest.mark.parametrize("said", [b"Listening on port 80\n", b"[INFO] started\n", b"  [10:00] up\n", b"x" * 200])
def test_log_quotes_a_short_line_of_plain_words(said: bytes) -> None:
    assert Playbook().exchange.quoted(said).endswith(f"not JSON-RPC: {said.strip().decode()}")


@pytest.mark.parametrize(
    "said",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"SECRET',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{"text":"SECRET',
        b'data: {"jsonrpc":"2.0","id":1,"result":"SECRET"}\n',
        b'[{"id":1,"result":"SECRET"\n',
        b'  "text": "SECRET"\n',
        b'["SECRET"]\n',
        b"SECRET " * 30,
    ],
)
def test_log_gives_only_the_length_of_a_line_that_may_be_part_of_a_message(said: bytes) -> None:
    shown = Playbook().exchange.quoted(said)
    assert "SECRET" not in shown
    assert f"{len(said.strip())} bytes, not shown" in shown


@pytest.mark.parametrize("said", [b"{}\n", b'{"id":1}\n', b'{"level":"info","msg":"up"}\n', b'{"result":{}}\n'])
def test_an_object_that_is_no_message_is_noise_too(said: bytes) -> None:
    with Playbook() as play:
        play.asks(request(1, "ping"))
        play.upstream(said)
        assert play.noise.popleft() is said
        play.answers(answer(1, {}))


def test_blank_lines_are_nobody_s_business() -> None:
    with Playbook() as play:
        for blank in (b"\n", b"\r\n", b"  \n"):
            play.client(blank)
            play.upstream(blank)
            play.nobody_hears()


def test_the_client_and_the_upstream_may_use_the_same_number() -> None:
    with Playbook() as play:
        play.asks(call(1, "ask"))
        play.answers(request(1, "sampling/createMessage", messages=[]))
        play.asks(answer(1, {"role": "assistant", "content": {"type": "text", "text": "yes"}}))
        assert list(play.exchange._state.open) == [b"1"]
        play.answers(answer(1, text("done")))


def test_an_error_about_a_request_that_could_not_be_read_reaches_the_client() -> None:
    with Playbook() as play:
        play.asks(b"{broken\n")
        play.answers(error(None, -32700, "Parse error"))
        play.upstream(error(None, -32700, "Parse error " + "x" * 2_000))
        play.is_noted("null", "is not open")


def test_notifications_of_both_sides_pass() -> None:
    with Playbook() as play:
        play.asks(notification("notifications/roots/list_changed"))
        play.asks(cancel(99))
        for method in ("notifications/tools/list_changed", "notifications/progress", "notifications/tasks/status"):
            play.answers(notification(method, progressToken=1, taskId="t", status="working"))
        play.answers(line({"jsonrpc": "2.0", "method": "notifications/cancelled"}))


def test_our_tool_is_called_before_any_list_was_asked_for() -> None:
    with Playbook() as play:
        play.client(call(1, OURS, action="info", cache_id="r_1"))
        assert play.fetches[0].arguments == {"action": "info", "cache_id": "r_1"}
        play.read(b'{"content":[]}')
        play.client_hears(answer(1, {"content": []}))


@pytest.mark.parametrize(
    ("params", "arguments"),
    [
        ({"name": OURS}, {}),
        ({"name": OURS, "arguments": None}, {}),
        ({"name": OURS, "arguments": {}}, {}),
        ({"name": OURS, "arguments": "list"}, {"arguments": "list"}),
        ({"name": OURS, "arguments": {"pattern": "\ud83d"}}, {"pattern": "\ud83d"}),
    ],
)
def test_what_our_tool_is_asked_reaches_the_gate_as_it_is(
    params: dict[str, object], arguments: dict[str, object]
) -> None:
    with Playbook() as play:
        play.client(request("f", "tools/call", **params))
        assert play.fetches[0].arguments == arguments
        play.read(b'{"content":[],"isError":true}')
        play.client_hears(answer("f", {"content": [], "isError": True}))


def test_a_modern_request_is_told_by_its_version() -> None:
    with Playbook() as play:
        play.asks(modern(1, "tools/call", name="t", arguments={}))
        assert play.exchange._state.open[b"1"].modern
        play.asks(call(2, "t"))
        assert not play.exchange._state.open[b"2"].modern
    assert "io.modelcontextprotocol/protocolVersion" in MODERN


@pytest.mark.parametrize("said", [b"[]\n", b'{"jsonrpc":"2.0","id":1,"method":5}\n', b'{"id":1,"method":""}\n'])
def test_what_looks_like_a_message_and_is_none_does_not_reach_the_client(said: bytes) -> None:
    with Playbook() as play:
        play.upstream(said)
        assert play.noise.popleft() is said
