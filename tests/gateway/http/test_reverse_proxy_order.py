"""A stream is there before a request that may make the upstream speak on it: clients ask for both at once, and what is
said on no stream is lost.

Regression: a new connection for the stream took longer than the request, and a question to the client was lost.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.gateway.http import proxy_sessions as sessions
from tests.kit.over_http.upstreams import call, gateway, result, run, sse

if TYPE_CHECKING:
    import pytest

    from tests.kit.over_http.upstreams import Asked, Place, Wire

GREETED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CHANGED = sse(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
TURNS = 300  # of the event loop: more than a request needs to get to the upstream


class Upstream:
    """Opens a stream only after a while, and notes in which order things happen."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.opens = True

    async def answers(self, asked: Asked, wire: Wire) -> None:
        if asked.method == "GET":
            for _ in range(TURNS):
                await asyncio.sleep(0)
            if not self.opens:
                await wire.until_left()
                return
            self.order.append("stream")
            await wire.stream(CHANGED)
        elif b"initialized" in asked.body:
            await wire.whole(b"", "202 Accepted")
        else:
            self.order.append("call")
            await wire.whole(result("done"))


def listening(place: Place) -> asyncio.Task[object]:
    return asyncio.create_task(place.ask("GET", Mcp_Session_Id="s"))


def calling(place: Place) -> asyncio.Task[object]:
    return asyncio.create_task(place.post(call("search"), Mcp_Session_Id="s"))


def test_a_request_waits_for_a_stream_that_is_being_opened() -> None:
    async def scenario() -> None:
        upstream = Upstream()
        async with gateway(upstream.answers) as place:
            stream = listening(place)
            while not place.asked:
                await asyncio.sleep(0)
            await calling(place)
            assert upstream.order == ["stream", "call"]
            await stream

    run(scenario())


def test_the_first_request_after_the_greeting_waits_for_a_stream_that_comes_a_moment_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "SOON_SECONDS", 60.0)

    async def scenario() -> None:
        upstream = Upstream()
        async with gateway(upstream.answers) as place:
            await place.post(GREETED, Mcp_Session_Id="s")
            asked = calling(place)
            while not place.intake.requests:
                await asyncio.sleep(0)
            await listening(place)
            await asked
            assert upstream.order == ["stream", "call"]

    run(scenario())


def test_a_stream_that_does_not_come_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "SOON_SECONDS", 0.01)

    async def scenario() -> None:
        upstream = Upstream()
        async with gateway(upstream.answers) as place:
            await place.post(GREETED, Mcp_Session_Id="s")
            await calling(place)
            monkeypatch.setattr(sessions, "SOON_SECONDS", 600.0)
            await calling(place)
            assert upstream.order == ["call", "call"]

    run(scenario())


def test_a_stream_that_is_never_answered_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "STREAM_SECONDS", 0.01)

    async def scenario() -> None:
        upstream = Upstream()
        upstream.opens = False
        async with gateway(upstream.answers) as place:
            stream = listening(place)
            while not place.asked:
                await asyncio.sleep(0)
            await calling(place)
            monkeypatch.setattr(sessions, "STREAM_SECONDS", 600.0)
            await calling(place)
            assert upstream.order == ["call", "call"]
            stream.cancel()

    run(scenario())
