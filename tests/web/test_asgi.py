"""One HTTP request and its reply."""

from __future__ import annotations

import asyncio
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.web import asgi as module
from penstock.web.asgi import GoneError, RefusedError, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Sequence


def request(parts: Sequence[bytes], *headers: tuple[bytes, bytes], ends: bool = True) -> Request:
    """A request whose body comes in these parts; one that does not end is followed by silence."""
    received = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    if ends:
        received[-1]["more_body"] = False
    left = iter(received)

    async def receive() -> dict[str, Any]:
        for one in left:
            return one
        await asyncio.Event().wait()
        raise AssertionError

    return Request({"method": "POST", "path": "/mcp", "headers": list(headers)}, receive)


@given(st.lists(st.binary(max_size=20), min_size=1), st.integers(0, 100))
def test_a_body_is_all_its_parts_or_refused(parts: list[bytes], limit: int) -> None:
    whole = b"".join(parts)
    if len(whole) > limit:
        with pytest.raises(RefusedError) as refused:
            asyncio.run(request(parts).body(limit))
        assert refused.value.status == 413
    else:
        assert asyncio.run(request(parts).body(limit)) == whole


def test_a_body_that_is_announced_as_too_long_is_not_read_at_all() -> None:
    with pytest.raises(RefusedError) as refused:
        asyncio.run(request([b""], (b"content-length", b"101"), ends=False).body(100))
    assert refused.value.status == 413


def test_a_body_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BODY_SECONDS", 0.01)
    with pytest.raises(RefusedError) as refused:
        asyncio.run(request([b"{"], ends=False).body(100))
    assert refused.value.status == 408


def test_a_body_that_comes_in_drops_is_given_up_and_one_that_is_only_large_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for part, is_taken in ((b"x", False), (b"x" * 200_000, True)):
        clock = count(0, 10.0)  # seconds between two parts
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda clock=clock: next(clock)))
        asked = request([part] * 20).body(10_000_000)
        if is_taken:
            assert asyncio.run(asked) == part * 20
        else:
            with pytest.raises(RefusedError) as refused:
                asyncio.run(asked)
            assert refused.value.status == 408


def test_who_hangs_up_in_the_middle_of_a_body_is_gone() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    asked = Request({"method": "POST", "path": "/mcp", "headers": []}, receive)
    with pytest.raises(GoneError):
        asyncio.run(asked.body(100))
    asyncio.run(asked.gone())


def test_more_of_a_body_is_no_sign_of_leaving() -> None:
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": b""}, {"type": "http.disconnect"}]
    received = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(received)

    asyncio.run(Request({"method": "GET", "path": "/mcp", "headers": []}, receive).gone())
    assert not list(received)


def test_a_header_is_found_by_its_name() -> None:
    asked = request([b""], (b"a", b"1"), (b"a", b"2"), (b"mcp-session-id", b"s\xe9"))
    assert (asked.header(b"a"), asked.header(b"b"), asked.session) == (b"1", b"", "sé")


def test_a_reply_is_whole_or_comes_bit_by_bit() -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def replied() -> None:
        reply = Reply(send)
        await reply.whole(201, [(b"a", b"1")], b"body")
        assert reply.status == 201
        await reply.begin(200, ())
        await reply.bit(b"x")
        await reply.end()

    asyncio.run(replied())
    assert sent == [
        {"type": "http.response.start", "status": 201, "headers": [(b"a", b"1"), (b"content-length", b"4")]},
        {"type": "http.response.body", "body": b"body"},
        {"type": "http.response.start", "status": 200, "headers": []},
        {"type": "http.response.body", "body": b"x", "more_body": True},
        {"type": "http.response.body", "body": b""},
    ]


def test_a_header_or_a_status_that_http_does_not_have_is_not_passed_on() -> None:
    """Regression: the server below refused to write them, and the client got no answer at all."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    odd = [(b"server", b"x\x0bnot"), (b"x-\xff", b"1"), (b"", b"1"), (b"x y", b"1"), (b"x", b"a\r\nb: c")]
    fine = [(b"x-tab", b"a\tb"), (b"x-old", b"\xe9"), (b"empty", b"")]
    for status in (101, 999):
        asyncio.run(Reply(send).begin(status, [*odd, *fine]))
    assert [(one["status"], one["headers"]) for one in sent] == [(502, fine), (502, fine)]


def test_a_reply_that_could_not_be_begun_has_no_status() -> None:
    async def send(message: dict[str, Any]) -> None:
        raise RuntimeError(message["type"])

    reply = Reply(send)
    with pytest.raises(RuntimeError):
        asyncio.run(reply.begin(200, []))
    assert reply.status == 0


def test_a_body_whose_next_byte_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.01)
    with pytest.raises(RefusedError) as refused:
        asyncio.run(request([b"{"], ends=False).body(100))
    assert refused.value.status == 408
