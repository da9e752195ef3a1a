"""What comes before a body is bounded in time and size, whoever sends it: over a real socket, by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.http import connection
from tests.kit.over_http.upstreams import Asked, Wire, call, gateway, result, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kit.over_http.upstreams import Place

SMALL = result("small")
BODY = json.dumps(call("search")).encode()
POST = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n"
WHOLE = POST + b"content-length: %d\r\n\r\n%b" % (len(BODY), BODY)


async def small(asked: Asked, wire: Wire) -> None:
    await wire.whole(SMALL)


async def heard(place: Place, parts: Sequence[bytes]) -> bytes:
    """All that the gateway says to these parts of a request, until it closes the connection."""
    reader, writer = await place.connected()
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b"reset"
    finally:
        writer.close()


@pytest.mark.parametrize("parts", [[], [b"POST"], [POST], [POST + b"x-slow: a"], [WHOLE, POST]])
def test_a_request_whose_headers_do_not_come_is_given_up(parts: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.05)

    async def scenario() -> None:
        async with gateway(small) as place:
            said = await heard(place, parts)
            assert said.count(b"HTTP/1.1 200") == parts.count(WHOLE)

    run(scenario())


@pytest.mark.parametrize(
    "more",
    [b"x: " + b"y" * 4_096, b"x-many: y\r\n" * 400, b"/" * 4_096],
    ids=["one endless header", "headers without end", "an endless path"],
)
def test_headers_without_end_are_not_taken_in(more: bytes) -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            head = b"GET /" if more.startswith(b"/") else POST
            said = await heard(place, [head, *[more] * 400])
            assert said == b"reset" or said.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))
            assert (await place.post(call("search"))).body == SMALL

    run(scenario())


def test_long_headers_and_a_slow_body_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.05)

    async def scenario() -> None:
        async with gateway(small) as place:
            reader, writer = await place.connected()
            head, body = WHOLE.split(b"\r\n\r\n")
            writer.write(head + b"\r\nx-token: " + b"t" * 60_000 + b"\r\n\r\n")
            for at in range(len(body)):
                await place.ask("GET", place.at("/healthz"))
                writer.write(body[at : at + 1])
            assert (await reader.readuntil(b"\r\n")) == b"HTTP/1.1 200 OK\r\n"
            writer.close()

    run(scenario())


def test_who_asks_for_another_protocol_is_answered_in_this_one() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            upgrade = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
            reader, writer = await place.connected()
            writer.write(upgrade + b"sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
            assert (await reader.readuntil(b"\r\n")) == b"HTTP/1.1 200 OK\r\n"
            writer.close()

    run(scenario())


def test_uvicorn_still_has_what_a_connection_overrides() -> None:
    (base,) = connection.Connection.__bases__
    overridden = [name for name in vars(connection.Connection) if hasattr(base, name) and not name.startswith("__")]
    assert set(overridden) == {
        *("connection_made", "connection_lost", "data_received", "on_message_begin", "on_headers_complete"),
        "_unsupported_upgrade_warning",
    }
