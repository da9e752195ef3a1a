"""What a bridge sends to a server, and what it makes of what it hears: headers, sessions, streams, order, ends."""

from __future__ import annotations

import gzip
import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, MODERN
from tests.kit.over_http.bridging import SESSION, Ask, bridged, legacy, odd
from tests.kit.waiting import until

if TYPE_CHECKING:
    from tests.kit.gateway import Running
    from tests.kit.over_http.bridging import Odd, Script

OK = {"content": [{"type": "text", "text": "ok"}]}


def fine(ask: Ask) -> None:
    """Answer a request, and take all else."""
    if "id" in ask.asked.message and ask.asked.method:
        ask.result(OK)
    else:
        ask.raw(status=202)


def fine_but(method: str, answer: Script) -> Script:
    """``answer`` is for requests of this method; all else is fine."""
    return lambda ask: (answer if ask.asked.method == method else fine)(ask)


def under_way(server: Odd, bridge: Running) -> Any:
    """The id of a call that has reached the server, and was not answered yet."""
    bridge.open()
    key = bridge.ask_tool("x")
    assert server.saw("POST", "tools/call")
    return key


def told(bridge: Running, method: str) -> list[Any]:
    return [one["params"] for one in bridge.messages() if one.get("method") == method]


def test_the_session_and_the_version_are_named_from_the_opening_to_the_end() -> None:
    with odd(legacy(fine)) as server:
        with bridged(server.url) as bridge:
            bridge.open()
            bridge.call("x")
            assert server.saw("GET")
        first, *others = server.asked
        assert not {"mcp-session-id", "mcp-protocol-version"} & first.headers.keys()
        assert first.headers["accept"] == "application/json, text/event-stream"
        assert first.headers["content-type"] == "application/json"
        assert {(one.headers["mcp-session-id"], one.headers["mcp-protocol-version"]) for one in others} == {
            (SESSION, "2025-06-18")
        }
        assert [one.verb for one in others][-1] == "DELETE"
        assert server.seen("GET")[0].headers["accept"] == "text/event-stream"


def test_what_is_asked_after_the_greeting_waits_for_the_stream() -> None:
    order: list[str] = []

    def listen(ask: Ask) -> None:
        until(lambda: "call" in order, 0.2)  # time enough for it to come first
        order.append("stream")
        ask.begin()

    def call(ask: Ask) -> None:
        order.append("call")
        fine(ask)

    with odd(legacy(call, listen)) as server, bridged(server.url) as bridge:
        bridge.open()
        bridge.call("x")
        assert order == ["stream", "call"]


def test_a_held_result_is_passed_to_a_server_over_http_by_its_handle() -> None:
    text = "a line of words\n" * 4_000

    def keeps(ask: Ask) -> None:
        given = (ask.asked.message.get("params") or {}).get("arguments", {})
        told = str(len(given["text"])) if "text" in given else text
        ask.result({"content": [{"type": "text", "text": told}]})

    with odd(legacy(fine_but("tools/call", keeps))) as server, bridged(server.url, "--max-tokens", "1000") as bridge:
        bridge.open()
        handle = head_of(bridge.call("read"))["cache_id"]
        assert bridge.call("keep", text=f"held:{handle}")["content"][0]["text"] == str(len(text))
        refused = bridge.call("keep", text=f"held:{handle} .x")
        assert refused["isError"] is True
        assert len(server.seen("POST")) == 4


def test_a_login_in_the_url_is_shown_unless_a_header_says_another() -> None:
    with odd(legacy(fine)) as server:
        url = server.url.replace("http://", "http://me:p%40ss@")
        with bridged(url) as bridge:
            bridge.open()
        assert {one.headers["authorization"] for one in server.asked} == {"Basic bWU6cEBzcw=="}
        server.asked.clear()
        with bridged(url, "--header", "Authorization: Bearer mine") as bridge:
            bridge.open()
        assert {one.headers["authorization"] for one in server.asked} == {"Bearer mine"}


def test_what_the_client_sends_at_once_arrives_in_the_order_of_the_opening() -> None:
    with odd(legacy(fine)) as server:
        with bridged(server.url) as bridge:
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            lines = [
                {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x"}},
            ]
            bridge.expect(1, 2)
            bridge.send("\n".join(map(json.dumps, lines)).encode())  # the last line has no end
            bridge.close()
            assert bridge.wait() == 0
        posted = [one.method for one in server.seen("POST")]
        assert posted == ["initialize", "notifications/initialized", "tools/call"]


def test_notifications_keep_their_order() -> None:
    with odd(legacy(fine)) as server:
        with bridged(server.url) as bridge:
            bridge.open()
            for number in range(20):
                bridge.tell("notifications/progress", {"progressToken": 1, "progress": number})
        numbers = [one.message["params"]["progress"] for one in server.seen("POST", "notifications/progress")]
        assert numbers == list(range(20))


def test_a_request_of_the_modern_era_says_in_headers_what_is_in_it() -> None:
    schema = {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
            "absent": {"type": "string", "x-mcp-header": "Absent"},
            "wrong": {"type": "string", "x-mcp-header": "no token"},
        },
    }

    def listing(ask: Ask) -> None:
        ask.result({"tools": [{"name": "süß", "inputSchema": schema}], "resultType": "complete"})

    with odd(fine_but("tools/list", listing)) as server:
        with bridged(server.url) as bridge:
            bridge.request("tools/list", {"_meta": MODERN})
            arguments = {"region": "eu", "deep": {"flag": True}, "wrong": "x"}
            bridge.request("tools/call", {"name": "süß", "arguments": arguments, "_meta": MODERN})
            bridge.request("resources/read", {"uri": "file:///a", "_meta": MODERN})
        listed, called, read = ({k: v for k, v in one.headers.items() if "mcp" in k} for one in server.asked)
        version = {"mcp-protocol-version": "2026-07-28"}
        assert listed == {**version, "mcp-method": "tools/list"}
        assert called == {
            **version,
            "mcp-method": "tools/call",
            "mcp-name": "=?base64?c8O8w58=?=",
            "mcp-param-region": "eu",
            "mcp-param-flag": "true",
        }
        assert read == {**version, "mcp-method": "resources/read", "mcp-name": "file:///a"}
        assert not server.seen("GET")
        assert not server.seen("DELETE")


def test_headers_come_from_the_command_line_and_from_the_environment() -> None:
    env = {**os.environ, "PENSTOCK_HEADER_Authorization": "Bearer from-env", "PENSTOCK_HEADER_X-Region": "us"}
    with odd(legacy(fine)) as server:
        with bridged(server.url, "--header", "x-region: eu", "--header=X-More:  a:b ", env=env) as bridge:
            bridge.open()
            bridge.call("x")
            assert server.saw("GET")
        for one in server.asked:
            assert one.headers["authorization"] == "Bearer from-env"
            assert (one.headers["x-region"], one.headers["x-more"]) == ("eu", "a:b")


def test_json_with_line_breaks_is_one_line_to_the_client() -> None:
    def call(ask: Ask) -> None:
        message = {"jsonrpc": "2.0", "id": ask.key, "result": {"content": [{"type": "text", "text": "a\nb"}]}}
        ask.raw(json.dumps(message, indent=2).replace("\n", "\r\n").encode(), content_type="application/json")

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.text("x") == "a\nb"


def test_an_answer_may_come_compressed_though_nobody_asked_for_it() -> None:
    def call(ask: Ask) -> None:
        body = gzip.compress(json.dumps({"jsonrpc": "2.0", "id": ask.key, "result": OK}).encode())
        ask.raw(body, content_type="application/json", content_encoding="gzip")

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.call("x") == OK


def test_an_event_may_have_several_lines_and_comments_and_other_events_beside_it() -> None:
    def call(ask: Ask) -> None:
        ask.begin()
        ask.wfile.write(b": a comment\n\nevent: other\ndata: no message\n\nretry: soon\ndata:\n\n")
        ask.wfile.write(b'event: message\ndata: {"jsonrpc": "2.0",\ndata: "id": %d,\n' % ask.key)
        ask.wfile.write(b'data: "result": {"content": []}}\n\n')

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.call("x") == {"content": []}
        assert "no message" not in bridge.stderr


def test_what_the_server_says_unasked_reaches_the_client_also_after_a_break() -> None:
    def listen(ask: Ask) -> None:
        last = ask.asked.headers.get("last-event-id")
        if last is None:
            ask.begin()
            ask.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 1}}, id="e1", retry="1")
        elif len(ask.server.seen("GET")) == 2:
            ask.drop()
        elif len(ask.server.seen("GET")) == 3:
            ask.raw(status=503)
        else:
            ask.begin()
            ask.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 2}}, id="e2")
            ask.wfile.flush()
            ask.server.let_go.wait(30)

    with odd(legacy(fine, listen)) as server:
        with bridged(server.url) as bridge:
            bridge.open()
            assert until(lambda: len(told(bridge, "notifications/message")) == 2)
            assert [one["n"] for one in told(bridge, "notifications/message")] == [1, 2]
            assert bridge.call("x") == OK
        assert [one.headers.get("last-event-id") for one in server.seen("GET")] == [None, "e1", "e1", "e1"]


def test_an_unasked_message_above_the_limit_is_named_and_the_rest_still_heard() -> None:
    def listen(ask: Ask) -> None:
        ask.begin()
        if len(ask.server.seen("GET")) == 1:
            ask.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 0}}, id="1", retry="1")
            ask.event("x" * 2_500_000)
        else:
            ask.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 1}})
        ask.wfile.flush()
        ask.server.let_go.wait(30)

    env = {**os.environ, "PENSTOCK_MAX_RESULT_BYTES": "1048576"}
    with odd(legacy(fine, listen)) as server, bridged(server.url, env=env) as bridge:
        bridge.open()
        assert until(lambda: [one["n"] for one in told(bridge, "notifications/message")] == [0, 1])
        assert bridge.says("sent a message of more than 1,048,576 bytes")


def test_a_question_of_the_server_on_its_stream_is_answered_by_a_post() -> None:
    def listen(ask: Ask) -> None:
        ask.begin()
        ask.event({"jsonrpc": "2.0", "id": "q", "method": "roots/list"})
        ask.wfile.flush()
        ask.server.let_go.wait(30)

    with odd(legacy(fine, listen)) as server, bridged(server.url) as bridge:
        bridge.open(roots={})
        assert until(lambda: any(one.get("method") == "roots/list" for one in bridge.messages()))
        bridge.send(b'{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}\n')
        assert until(lambda: any(one.message.get("result") == {"roots": []} for one in server.seen("POST")))


def test_a_cancel_of_the_legacy_era_is_sent_on_and_closes_nothing() -> None:
    def call(ask: Ask) -> None:
        ask.begin()
        ask.wfile.flush()
        assert ask.server.saw("POST", "notifications/cancelled")
        ask.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"late": True}})
        ask.event({"jsonrpc": "2.0", "id": ask.key, "result": OK})

    with odd(legacy(fine_but("tools/call", call))) as server, bridged(server.url) as bridge:
        bridge.cancel(under_way(server, bridge))
        assert until(lambda: told(bridge, "notifications/message") == [{"late": True}])
        assert bridge.says("that is not open")


def test_a_cancelled_call_that_the_server_never_ends_does_not_hold_up_the_end() -> None:
    def call(ask: Ask) -> None:
        ask.is_left()

    with odd(legacy(fine_but("tools/call", call))) as server, bridged(server.url) as bridge:
        bridge.cancel(under_way(server, bridge))
        assert server.saw("POST", "notifications/cancelled")
        bridge.close()
        assert bridge.wait() == 0


def test_a_cancel_of_the_modern_era_is_a_hang_up() -> None:
    left: list[bool] = []

    def call(ask: Ask) -> None:
        left.append(ask.is_left())

    with odd(fine_but("tools/call", call)) as server:
        with bridged(server.url) as bridge:
            key = bridge.ask("tools/call", {"name": "x", "_meta": MODERN})
            assert server.saw("POST", "tools/call")
            bridge.cancel(key)
            assert until(lambda: left == [True])
            bridge.cancel(key)  # it comes too late, and there is nobody to hang up on
            assert bridge.request("ping", {"_meta": MODERN}) == OK
        assert not server.seen("POST", "notifications/cancelled")


def test_our_own_tool_is_answered_here() -> None:
    with odd(legacy(fine)) as server:
        with bridged(server.url) as bridge:
            bridge.open()
            assert head_of(bridge.text(FETCH, action="list"))["total"] == 0
        assert not server.seen("POST", "tools/call")


def test_a_batch_goes_as_one_and_each_of_its_requests_is_answered() -> None:
    def call(ask: Ask) -> None:
        first, _ = ask.asked.message
        ask.json([{"jsonrpc": "2.0", "id": first["id"], "result": OK}])

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.open()
        lines = [{"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": {"name": "x"}} for key in ("a", "b")]
        bridge.expect("a", "b")
        bridge.send(json.dumps(lines).encode() + b"\n")
        assert bridge.answer("a")["result"] == OK
        assert "before it came to one" in bridge.error("b")


def test_large_messages_pass_both_ways_and_too_large_ones_are_refused() -> None:
    text = "y" * 1_500_000

    def call(ask: Ask) -> None:
        if ask.asked.method == "completion/complete":
            ask.result({"size": len(ask.asked.body), "text": text})
        else:
            ask.result({"content": [{"type": "text", "text": text}]})

    env = {**os.environ, "PENSTOCK_MAX_RESULT_BYTES": "3000000"}
    with odd(legacy(call)) as server, bridged(server.url, env=env) as bridge:
        bridge.open()
        assert head_of(bridge.text("x"))["type"] == "buffered_response"
        echoed = bridge.request("completion/complete", {"text": text})
        assert echoed["size"] > len(text)
        assert echoed["text"] == text
        bridge.expect(77)
        bridge.send(b'{"jsonrpc":"2.0","id":77,"method":"ping","params":{"x":"%b"}}\n' % (b"z" * 3_100_000))
        assert "more than max_result_bytes" in bridge.error(77)


def test_a_new_opening_begins_a_new_session() -> None:
    with odd(legacy(fine)) as server:
        with bridged(server.url) as bridge:
            bridge.open()
            bridge.open()
            assert bridge.call("x") == OK
        again = server.seen("POST", "initialize")[1]
        assert "mcp-session-id" not in again.headers
        assert len(server.seen("GET")) == 1


def test_the_end_of_input_waits_for_an_answer_but_not_for_a_subscription() -> None:
    def script(ask: Ask) -> None:
        if ask.asked.method == "subscriptions/listen":
            ask.begin()
            ask.wfile.flush()
            ask.is_left()
        else:
            ask.server.let_go.wait(30)
            fine(ask)

    with odd(script) as server, bridged(server.url) as bridge:
        endless = bridge.ask("subscriptions/listen", {"_meta": MODERN})
        key = bridge.ask("tools/call", {"name": "x", "_meta": MODERN})
        assert server.saw("POST", times=2)
        bridge.close()
        server.let_go.set()
        assert bridge.answer(key)["result"] == OK
        assert "was left before it answered" in bridge.error(endless)
        assert bridge.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_session_and_the_bridge(number: signal.Signals) -> None:
    def call(ask: Ask) -> None:
        ask.is_left()

    with odd(legacy(call)) as server:
        with bridged(server.url) as bridge:
            key = under_way(server, bridge)
            bridge.signal(number)
            assert "was left before it answered" in bridge.error(key)
            assert bridge.wait() == 128 + number
        assert server.seen("DELETE")


def test_a_client_that_vanishes_takes_the_bridge_with_it() -> None:
    def call(ask: Ask) -> None:
        ask.is_left()

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.cancelled.add(under_way(server, bridge))
        bridge.vanish()
        assert bridge.process.wait(30) == 0
        assert server.saw("DELETE")


def test_a_client_that_reads_no_more_ends_it_too() -> None:
    with odd(legacy(fine)) as server, bridged(server.url) as bridge:
        bridge.open()
        bridge.stop_reading()
        bridge.cancelled.add(bridge.ask_tool("x"))
        assert bridge.process.wait(30) == 0
