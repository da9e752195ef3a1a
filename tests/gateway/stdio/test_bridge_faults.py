"""A bridge in front of servers that refuse, break off, hang and lie: one clear error for each request, in time."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.kit.gateway import MODERN
from tests.kit.over_http.bridging import Ask, bridged, closed_port, legacy, odd
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.kit.gateway import Running
    from tests.kit.over_http.bridging import Odd

OK = {"content": [{"type": "text", "text": "ok"}]}
SECRET = "s3cr3t-value"


def test_nobody_at_the_url_is_told_and_the_bridge_stays_for_when_there_is() -> None:
    with bridged(f"http://127.0.0.1:{closed_port()}/mcp") as bridge:
        for _ in range(2):
            words = bridge.error(bridge.ask("initialize", {"protocolVersion": "2025-06-18"}))
            assert words == "the server cannot be reached: Connection refused"


def half_an_event(ask: Ask) -> None:
    ask.begin()
    ask.wfile.write(b'data: {"jsonrpc": "2.0", "id"')


def half_a_body(ask: Ask) -> None:
    ask.raw(b'{"jsonrpc"', content_type="application/json", content_length="1000")
    ask.drop()


FAULTS: dict[str, tuple[Callable[[Ask], None], str]] = {
    "reset": (lambda ask: ask.drop(), "closed the connection within its response"),
    "half a body": (half_a_body, "closed the connection within its response"),
    "half an event": (half_an_event, "ended its answer before it came to one"),
    "an empty stream": (lambda ask: ask.begin(), "ended its answer before it came to one"),
    "an empty answer": (lambda ask: ask.raw(content_type="application/json"), "ended its answer before it came to one"),
    "an answer to somebody else": (
        lambda ask: ask.json({"jsonrpc": "2.0", "id": "other", "result": {}}),
        "ended its answer before it came to one",
    ),
    "no JSON": (lambda ask: ask.raw(b"{{", content_type="application/json"), "ended its answer before it came to one"),
    "a page": (
        lambda ask: ask.raw(b"<html>", content_type="text/html; charset=utf-8"),
        "answered with text/html, which is no message; check its URL",
    ),
    "no type": (lambda ask: ask.raw(b"{}"), "answered with application/octet-stream, which is no message"),
    "accepted": (lambda ask: ask.raw(status=202), "took the request (HTTP 202) and gave no answer"),
    "500 with a page": (
        lambda ask: ask.raw(b"<h1>Oops</h1>", 500, content_type="text/html"),
        "the server 'odd' answered with HTTP 500",
    ),
    "500 in words": (
        lambda ask: ask.raw(b"out of\n luck", 500, content_type="text/plain"),
        "answered with HTTP 500: out of luck",
    ),
    "429 in JSON": (
        lambda ask: ask.json({"error": "slow down"}, 429),
        'answered with HTTP 429: {"error": "slow down"}',
    ),
    "403 with nothing": (lambda ask: ask.raw(status=403), "answered with HTTP 403"),
    "the session is over": (lambda ask: ask.raw(b"gone", 404), "has ended the session (HTTP 404); reconnect"),
    "401": (
        lambda ask: ask.raw(status=401, www_authenticate='Bearer realm="x", resource_metadata="http://a/b"'),
        'HTTP 401; WWW-Authenticate: Bearer realm="x", resource_metadata="http://a/b"); give a header',
    ),
    "401 without a word": (lambda ask: ask.raw(status=401), "HTTP 401; WWW-Authenticate: nothing more"),
    "moved elsewhere": (
        lambda ask: ask.raw(status=307, location="http://192.0.2.1/mcp"),
        "has moved to http://192.0.2.1/mcp (HTTP 307); give that URL",
    ),
    "moved for good": (lambda ask: ask.raw(status=301, location="/there"), "has moved to /there (HTTP 301)"),
    "moved to no place": (lambda ask: ask.raw(status=308, location="http://["), "has moved to http://[ (HTTP 308)"),
    "moved nowhere": (lambda ask: ask.raw(status=304), "has moved to nowhere (HTTP 304)"),
    "badly compressed": (
        lambda ask: ask.raw(b"no gzip", content_type="application/json", content_encoding="gzip"),
        "closed the connection within its response",
    ),
    "round and round": (lambda ask: ask.raw(status=308, location="/mcp"), "redirects without end"),
    "an error of the protocol without an id": (
        lambda ask: ask.json({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no good"}}, 400),
        "no good",
    ),
    "the same with status 200": (
        lambda ask: ask.json({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no good"}}),
        "no good",
    ),
    "an error of the protocol with the id": (
        lambda ask: ask.json({"jsonrpc": "2.0", "id": ask.key, "error": {"code": 7, "message": "no good"}}, 400),
        "no good",
    ),
}


@pytest.fixture(scope="module")
def faulty() -> Iterator[tuple[Odd, Running]]:
    """One server and one bridge for all faults: what a fault spoils, the next test sees too."""
    with (
        odd(legacy(lambda ask: ask.result(OK))) as server,
        bridged(server.url, "--header", f"Authorization: Bearer {SECRET}") as bridge,
    ):
        bridge.open()
        yield server, bridge


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_clear_error_and_the_next_call_goes_well(faulty: tuple[Odd, Running], fault: str) -> None:
    server, bridge = faulty
    script, words = FAULTS[fault]
    server.script = legacy(script)
    assert words in bridge.error(bridge.ask_tool("x"))
    server.script = legacy(lambda ask: ask.result(OK))
    assert bridge.call("x") == OK
    assert SECRET not in bridge.stderr
    assert SECRET not in str(bridge.messages())


def test_a_server_that_has_moved_on_its_own_place_is_followed_with_the_body() -> None:
    def script(ask: Ask) -> None:
        if ask.path == "/mcp":
            ask.raw(status=307, location="/mcp/")
        else:
            ask.result(OK)

    with odd(script) as server, bridged(server.url) as bridge:
        assert bridge.call("x") == OK
        assert bridge.call("x") == OK
        assert len(server.asked) == 3


def test_a_request_of_the_modern_era_has_no_session_to_lose() -> None:
    def script(ask: Ask) -> None:
        ask.json({"jsonrpc": "2.0", "id": ask.key, "error": {"code": -32601, "message": "what?"}}, 404)

    with odd(script) as server, bridged(server.url) as bridge:
        assert bridge.error(bridge.ask("no/such", {"_meta": MODERN})) == "what?"


def test_a_call_that_hangs_is_given_up_and_the_server_told_and_left() -> None:
    left: list[bool] = []

    def call(ask: Ask) -> None:
        if ask.asked.method == "tools/call":
            left.append(ask.is_left())
        else:
            ask.raw(status=202)

    with odd(legacy(call)) as server, bridged(server.url, "--call-timeout", "1s") as bridge:
        bridge.open()
        key = bridge.ask_tool("x")
        assert "has not answered x for 1 seconds" in bridge.error(key)
        assert server.saw("POST", "notifications/cancelled")
        assert until(lambda: left == [True])


def test_an_opening_that_hangs_does_not_hold_up_the_next_one() -> None:
    def script(ask: Ask) -> None:
        if len(ask.server.asked) == 1:
            ask.is_left()
        else:
            ask.result({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}})

    with odd(script) as server, bridged(server.url, "--call-timeout", "1s") as bridge:
        assert "has not answered initialize" in bridge.error(bridge.ask("initialize", {}))
        assert bridge.request("initialize", {})["protocolVersion"] == "2025-06-18"


def test_a_call_that_hangs_at_the_end_of_input_is_given_up_too() -> None:
    def call(ask: Ask) -> None:
        if ask.asked.method == "tools/call":
            ask.is_left()
        else:
            ask.raw(status=202)

    with odd(legacy(call)) as server, bridged(server.url, "--call-timeout", "1s") as bridge:
        bridge.open()
        key = bridge.ask_tool("x")
        bridge.close()
        assert "has not answered x" in bridge.error(key)
        assert bridge.wait() == 0


def broken_stream(ask: Ask) -> None:
    """The first events of a stream that can be taken up again."""
    ask.begin()
    ask.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 1}}, id="7-1", retry="1")
    ask.wfile.flush()


def test_a_stream_that_breaks_is_taken_up_where_it_was() -> None:
    def call(ask: Ask) -> None:
        if ask.asked.verb == "POST":
            broken_stream(ask)
            # A reset takes with it what was not read yet.
            assert until(lambda: any(one.get("method") == "notifications/message" for one in bridge.messages()))
            ask.drop()
        elif len([one for one in ask.server.seen("GET") if "last-event-id" in one.headers]) == 1:
            ask.drop()
        else:
            ask.begin()
            key = ask.server.seen("POST", "tools/call")[0].message["id"]
            ask.event({"jsonrpc": "2.0", "id": key, "result": OK}, id="7-2")

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.call("x") == OK
        taken_up = [one for one in server.seen("GET") if "last-event-id" in one.headers]
        assert [one.headers["last-event-id"] for one in taken_up] == ["7-1", "7-1"]
        assert all(one.headers["mcp-session-id"] for one in taken_up)


def test_a_stream_that_ends_again_and_again_is_asked_until_the_answer_comes() -> None:
    def call(ask: Ask) -> None:
        times = len([one for one in ask.server.seen("GET") if "last-event-id" in one.headers])
        ask.begin()
        if times < 8:
            ask.event({}, id=f"7-{times}", retry="1", event="poll")
        else:
            key = ask.server.seen("POST", "tools/call")[0].message["id"]
            ask.event({"jsonrpc": "2.0", "id": key, "result": OK})

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.call("x") == OK


def test_a_stream_that_cannot_be_taken_up_is_an_error() -> None:
    def refused(ask: Ask) -> None:
        if ask.asked.verb == "POST":
            broken_stream(ask)
        else:
            ask.raw(status=400)

    def dropped(ask: Ask) -> None:
        if ask.asked.verb == "POST":
            broken_stream(ask)
        else:
            ask.drop()

    with odd(legacy(refused)) as server, bridged(server.url) as bridge:
        bridge.open()
        words = bridge.error(bridge.ask_tool("x"))
        assert "closed its stream before the response, and does not resume it (HTTP 400)" in words
        server.script = legacy(dropped)
        assert (
            "closed its stream before the response, and then closed the connection within its response"
            in bridge.error(bridge.ask_tool("x"))
        )


def test_a_message_above_the_limit_is_an_error_that_names_the_limit() -> None:
    def call(ask: Ask) -> None:
        message = {"jsonrpc": "2.0", "id": ask.key, "result": {"content": [{"type": "text", "text": "x" * 2_500_000}]}}
        if ask.asked.message["params"]["name"] == "json":
            ask.json(message)
        else:
            ask.begin()
            ask.event(message, id="1", retry="1")

    env = {**os.environ, "PENSTOCK_MAX_RESULT_BYTES": "1048576"}
    with odd(legacy(call)) as server, bridged(server.url, env=env) as bridge:
        bridge.open()
        for tool in ("json", "stream"):
            words = bridge.error(bridge.ask_tool(tool))
            assert "sent a message of more than 1,048,576 bytes, more than max_result_bytes allows" in words
        assert all("last-event-id" not in one.headers for one in server.seen("GET"))


def test_a_notification_or_an_answer_that_is_not_taken_is_named_on_stderr() -> None:
    refusing = legacy(lambda ask: ask.raw(b"no", 500, content_type="text/plain"))
    with odd(refusing) as server, bridged(server.url) as bridge:
        bridge.open()
        bridge.tell("notifications/roots/list_changed")
        assert bridge.says("notifications/roots/list_changed was lost: the server 'odd' answered with HTTP 500: no")
        bridge.send(b'{"jsonrpc":"2.0","id":9,"result":{}}\n')
        assert bridge.says("an answer of the client was lost")
        bridge.send(b"this is no JSON\n")
        assert until(lambda: any(b"this is no" in one.body for one in server.asked))


def test_an_answer_that_is_no_message_is_on_stderr_under_the_servers_name() -> None:
    def call(ask: Ask) -> None:
        ask.begin()
        ask.wfile.write(b"data: hello there\n\n")
        ask.event({"jsonrpc": "2.0", "id": ask.key, "result": OK})

    with odd(legacy(call)) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.call("x") == OK
        assert bridge.says("hello there")


def test_a_large_error_is_bounded_as_every_answer_is() -> None:
    def call(ask: Ask) -> None:
        error = {"code": 1, "message": "m" * 60_000}
        ask.raw(
            json.dumps({"jsonrpc": "2.0", "id": ask.key, "error": error}).encode(), 400, content_type="application/json"
        )

    with odd(legacy(call)) as server, bridged(server.url, "--max-tokens", "1000") as bridge:
        bridge.open()
        assert len(json.dumps(bridge.answer(bridge.ask_tool("x")))) < 6_000
