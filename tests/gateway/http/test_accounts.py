"""What is written down of a request, whatever it and its answer are like."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from penstock.config.model import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.gateway.http.accounts import READ, Account, Watched
from penstock.stores import open_store
from tests.kit.over_http.asgi import answering, asked

ROWS = json.dumps([{"id": number, "state": "open"} for number in range(5_000)])


def call(tool: str = "rows", **more: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}, **more}
    return json.dumps(message).encode()


def answer(result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"result":' + result + b"}"


def text(words: str, **more: Any) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": words}], **more}).encode()


def admitted(store: str = "memory:") -> bytes:
    """What a client gets for a large result."""
    with open_store(store) as opened:
        return answer(Gate(opened, Config()).admit(Call(tool="rows", owner="me"), text(ROWS)))


def account_of(*bodies: bytes, request: tuple[bytes, ...] = (call(),), status: int = 200) -> Account:
    written: list[Account] = []
    asyncio.run(asked(Watched(answering(*bodies, status=status), "/mcp", [written.append]), *request))
    assert len(written) == 1
    return written[0]


def test_a_call_that_passes_costs_the_same_on_both_sides() -> None:
    account = account_of(answer(text("hello there")))
    assert (account.method, account.tool, account.status, account.outcome) == ("tools/call", "rows", 200, "passed")
    assert account.tokens_in == account.tokens_out > 5
    assert account.seconds > 0


def test_a_call_that_is_held_costs_what_its_stand_in_costs() -> None:
    account = account_of(admitted())
    assert account.outcome == "held"
    assert account.tokens_in > 20_000 > account.tokens_out > 0


def test_the_answer_is_found_among_the_events_of_a_stream() -> None:
    progress = b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n\n'
    account = account_of(progress, b"event: message\ndata: " + admitted() + b"\n\n", b": ping\n\n")
    assert account.outcome == "held"
    assert account.tokens_in > 20_000


def test_a_large_result_that_no_store_took_is_not_called_held() -> None:
    account = account_of(admitted("memory:?max_bytes=1000"))
    assert account.outcome == "not_kept"
    assert account.tokens_in > 20_000


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (answer(text("no such file", isError=True)), 200),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}', 200),
        (b"penstock: too many requests are being answered\n", 429),
        (b"", 502),
    ],
)
def test_what_failed_is_said_to_have_failed(body: bytes, status: int) -> None:
    account = account_of(body, status=status)
    assert (account.outcome, account.status) == ("failed", status)


def test_a_text_about_errors_and_notices_is_no_error_and_no_notice() -> None:
    words = json.dumps({"isError": True, "text": json.dumps({"type": "buffered_response"})})
    assert account_of(answer(text(words))).outcome == "passed"


def test_a_request_in_parts_is_put_together() -> None:
    whole = call("in parts")
    assert account_of(b"", request=(whole[:30], whole[30:50], whole[50:])).tool == "in parts"


@pytest.mark.parametrize(
    "body",
    [b"", b"no JSON", b"[]", b'{"id":1}', b'{"method":5}', b"[" * 100_000, call()[:-1] + b" " * READ + b"}"],
    ids=["empty", "words", "batch", "answer", "number", "deep", "long"],
)
def test_what_is_no_call_goes_by_the_name_of_its_http_method(body: bytes) -> None:
    account = account_of(b"", request=(body,))
    assert (account.tool, account.outcome) == ("", "")
    assert account.method in ("POST", "")


def test_a_long_body_is_not_kept_for_the_log() -> None:
    account = account_of(b"", request=(b" " * READ, b" ", call()))
    assert account.method == "POST"


def test_a_call_without_parameters_has_no_tool() -> None:
    account = account_of(answer(text("ok")), request=(b'{"id":1,"method":"tools/call"}',))
    assert (account.method, account.tool, account.outcome) == ("tools/call", "", "passed")


def test_names_that_others_chose_are_short() -> None:
    assert len(account_of(b"", request=(call("x" * 5_000),)).tool) == 100
    assert len(account_of(b"", request=(json.dumps({"method": "y" * 5_000}).encode(),)).method) == 100


def test_other_paths_and_the_lifespan_are_not_written_down() -> None:
    written: list[Account] = []
    heard: list[str] = []

    async def app(scope: dict[str, Any], *_: Any) -> None:
        heard.append(scope["type"])

    watched = Watched(app, "/mcp", [written.append])
    asyncio.run(asked(watched, path="/healthz"))
    asyncio.run(watched({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert heard == ["http", "lifespan"]
    assert written == []


def test_a_request_that_raises_is_written_down_too() -> None:
    written: list[Account] = []

    async def app(*_: Any) -> None:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        asyncio.run(asked(Watched(app, "/mcp", [written.append]), call()))
    assert [one.status for one in written] == [0]
