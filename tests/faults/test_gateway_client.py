"""A client that sends what is no request, too much, or the same twice, and one that goes without a word."""

from __future__ import annotations

import json
import os
import signal

import pytest

from tests.kit import processes as hygiene
from tests.kit.gateway import ODD, Running, python
from tests.kit.waiting import until

left_nothing = hygiene.nothing_is_left_behind

PING = b'{"jsonrpc":"2.0","id":"ping","method":"ping"}'
GARBAGE = {
    "words": b"hello?",
    "half an object": b'{"jsonrpc":"2.0","id":',
    "binary": b"\x00\xff\xfe\x80\x1b",
    "a number": b"17",
    "null": b"null",
    "an empty object": b"{}",
    "an empty batch": b"[]",
    "a batch of numbers": b"[1,2]",
    "deep nesting": b"[" * 20_000,
    "a deep request": b'{"jsonrpc":"2.0","method":"x","params":' + b"[" * 2_000 + b"]" * 2_000 + b"}",
    "a method that is no text": b'{"jsonrpc":"2.0","method":7}',
    "params that are no object": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}',
    "invalid UTF-8": b'{"jsonrpc":"2.0","method":"notifications/\xff"}',
    "a lone surrogate": b'{"jsonrpc":"2.0","method":"notifications/\\ud800"}',
    "an answer to nothing": b'{"jsonrpc":"2.0","id":99,"result":{}}',
    "an empty line": b"",
    "blanks": b" \t ",
    "a byte order mark": b"\xef\xbb\xbf",
}


def test_garbage_harms_nobody_and_the_next_call_works() -> None:
    with Running() as gateway:
        for garbage in GARBAGE.values():
            gateway.send(garbage + b"\n")
            assert gateway.text("echo", text="next") == "next"


def test_lines_may_end_as_they_like() -> None:
    with Running() as gateway:
        for number, end in enumerate((b"\r\n", b"\n\n\n", b" \n", b"\t\r\n\r\n")):
            gateway.expect(f"ping{number}")
            gateway.send(PING.replace(b'"ping"', f'"ping{number}"'.encode(), 1) + end)
            assert gateway.answer(f"ping{number}")["result"] == {}


def test_a_message_may_come_in_pieces_and_several_in_one() -> None:
    with Running() as gateway:
        gateway.expect(*range(300))
        requests = b"".join(PING.replace(b'"ping"', str(key).encode(), 1) + b"\n" for key in range(300))
        for at in range(0, len(requests), 977):
            gateway.send(requests[at : at + 977])
        assert {json.dumps(gateway.answer(key)["result"]) for key in range(300)} == {"{}"}


def test_a_last_request_without_its_newline_is_answered() -> None:
    with Running() as gateway:
        gateway.expect("ping")
        gateway.send(PING)
        gateway.close()
        assert gateway.answer("ping")["result"] == {}
        assert gateway.wait() == 0


def test_a_batch_is_answered_each_of_its_requests_once() -> None:
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such/method"},
        {
            "jsonrpc": "2.0",
            "id": 4,
            "method": "tools/call",
            "params": {"name": "records", "arguments": {"rows": 9_000}},
        },
        {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "fetch_cached_response"}},
    ]
    with Running() as gateway:
        gateway.expect(1, 2, 3, 4, 5)
        gateway.send(json.dumps(calls).encode() + b"\n")
        assert gateway.answer(1)["result"] == {}
        assert gateway.answer(2)["result"]["content"][0]["text"] == "x"
        assert gateway.answer(3)["error"]["code"] == -32601
        assert gateway.answer(4)["result"]["content"][0]["text"].startswith('{"type":"buffered_response"')
        assert gateway.answer(5)["result"]["content"]


def test_a_request_of_20_mb_arrives_whole() -> None:
    with Running() as gateway:
        assert gateway.text("size", text="x" * 20_000_000) == "20000000"
        assert gateway.text("echo", text="next") == "next"


def test_a_request_above_the_limit_is_refused_and_the_next_call_works() -> None:
    env = {**os.environ, "PENSTOCK_MAX_RESULT_BYTES": "1048576"}
    with Running(env=env) as gateway:
        key = gateway.ask_tool("size", text="x" * 3_000_000)
        assert "more than max_result_bytes allows" in gateway.error(key)
        assert gateway.text("echo", text="next") == "next"


def test_an_unknown_method_is_the_servers_to_refuse() -> None:
    with Running() as gateway:
        assert gateway.answer(gateway.ask("no/such/method", {"x": 1}))["error"]["message"] == "no no/such/method"
        assert gateway.answer(gateway.ask("tools/call", {"name": "no_such_tool"}))["error"]["code"] == -32601
        assert gateway.text("echo", text="next") == "next"


def test_an_id_that_is_in_use_is_refused_and_the_first_request_is_answered_all_the_same() -> None:
    keys = [7, "seven", 7.5, -1, "", 'é\n"', 2**63]
    with Running(python(ODD), "--call-timeout", "1") as gateway:
        for key in (*keys, *keys):
            gateway.ask("tools/call", {"name": "keep", "arguments": {}}, key=key)
        assert until(lambda: len(gateway.messages()) == 2 * len(keys))
        for key in keys:
            refused, answered = (one["error"]["message"] for one in gateway.messages() if one["id"] == key)
            assert refused == "this id is already in use by a request that has no answer yet"
            assert "has not answered keep" in answered


def test_ids_of_different_types_are_different_requests() -> None:
    with Running() as gateway:
        for key, text in ((1, "number"), ("1", "text")):
            gateway.ask("tools/call", {"name": "echo", "arguments": {"text": text}}, key=key)
        assert gateway.answer(1)["result"]["content"][0]["text"] == "number"
        assert gateway.answer("1")["result"]["content"][0]["text"] == "text"


def test_a_client_that_no_longer_reads_ends_all() -> None:
    with Running() as gateway:
        pid = gateway.server()
        gateway.stop_reading()
        gateway.cancelled.add(gateway.ask_tool("echo", text="to nobody"))
        assert gateway.wait() == 0
        assert hygiene.is_gone(pid)


@pytest.mark.parametrize("waits", [True, False])
def test_a_client_that_was_killed_ends_all_even_with_a_request_pending(waits: bool) -> None:
    """Nobody reads what the server might still answer, so that nobody waits for it."""
    with Running() as gateway:
        pid = gateway.server()
        child = int(gateway.text("start", leaves=False, holds_output=True))
        if waits:
            gateway.cancelled.add(gateway.ask_tool("keep"))
        gateway.vanish()
        gateway.wait()
        assert until(lambda: hygiene.is_gone(pid) and hygiene.is_gone(child))


@pytest.mark.parametrize("begins", ["as it should", "stubborn"])
def test_nothing_outlives_a_gateway_that_is_killed_with_9(begins: str) -> None:
    with Running(python(ODD, begins)) as gateway:
        pids = [
            gateway.server(),
            *(int(gateway.text("start", leaves=False, holds_output=one)) for one in (True, False)),
        ]
        gateway.cancelled.add(gateway.ask_tool("keep"))
        gateway.signal(signal.SIGKILL)
        assert gateway.wait() == -signal.SIGKILL
        assert until(lambda: all(map(hygiene.is_gone, pids)))
