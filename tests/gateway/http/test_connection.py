"""What comes before a body is bounded in time and size, whoever sends it: over a real socket, by hand."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.http import connection
from penstock.gateway.http.connection import Connection
from penstock.gateway.http.intake import RequestLimits
from tests.kit.over_http.upstreams import Asked, Wire, call, gateway, result, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kit.over_http.upstreams import Place

SMALL = result("small")
BODY = json.dumps(call("search")).encode()
POST = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
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


@pytest.mark.parametrize("parts", [[], [b"POST"], [POST], [POST + b"x-slow: a"]])
def test_a_request_whose_headers_do_not_come_is_given_up(parts: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.05)

    async def scenario() -> None:
        async with gateway(small) as place:
            assert await heard(place, parts) in (b"", b"reset")

    run(scenario())


def test_half_of_a_next_request_is_given_up_after_the_answer_to_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: the connection was closed while the first request was being answered, and the answer lost."""
    is_asked, may_answer = asyncio.Event(), asyncio.Event()

    async def answers(_: Asked, wire: Wire) -> None:
        is_asked.set()
        await may_answer.wait()
        await wire.whole(SMALL)

    async def scenario() -> None:
        async with gateway(answers) as place:
            await place.ask("GET", place.at("/healthz"))
            reader, writer = await place.connected()
            writer.write(WHOLE)
            await is_asked.wait()
            monkeypatch.setattr(connection, "HEAD_SECONDS", 0.0)
            writer.write(POST)
            await place.ask("GET", place.at("/healthz"))  # on a connection that was there; by then the time is over
            may_answer.set()
            said = await reader.read()
            assert said.startswith(b"HTTP/1.1 200")
            assert said.endswith(SMALL)
            writer.close()

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
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.3)  # enough for a head on a busy machine

    async def scenario() -> None:
        async with gateway(small) as place:
            reader, writer = await place.connected()
            over = time.monotonic() + 2 * connection.HEAD_SECONDS
            head, body = WHOLE.split(b"\r\n\r\n")
            writer.write(head + b"\r\nx-token: " + b"t" * 60_000 + b"\r\n\r\n")
            for at in range(len(body)):
                while at == 1 and time.monotonic() < over:
                    await place.ask("GET", place.at("/healthz"))
                writer.write(body[at : at + 1])
                await writer.drain()
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
        *("connection_made", "connection_lost", "data_received", "on_message_begin", "on_header"),
        *(
            "on_headers_complete",
            "on_body",
            "on_message_complete",
            "on_response_complete",
            "_unsupported_upgrade_warning",
        ),
    }


async def closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):  # the gateway may have reset it
        await writer.wait_closed()


TRAILING = POST + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"


@pytest.mark.parametrize("trailer", [b"x: " + b"y" * 1_000 + b"\r\n", b"a:b\r\n" * 200, b"y" * 1_000])
@pytest.mark.parametrize("token", ["", "secret"])
def test_trailers_are_not_kept_and_end_the_connection(trailer: bytes, token: str) -> None:
    """Regression: 53 MB of them, from a client without a token, took 1.2 GB."""

    async def scenario() -> None:
        async with gateway(small, token=token) as place:
            said = await heard(place, [TRAILING, *[trailer] * 1_000])
            assert said == b"reset" or said.startswith(b"HTTP/1.1 401" if token else b"HTTP/1.1 408")

    run(scenario())


def test_a_few_trailers_are_read_and_dropped() -> None:
    body = b"%x\r\n%b\r\n0\r\nx-trailer: 1\r\n\r\n" % (len(BODY), BODY)

    async def scenario() -> None:
        async with gateway(small) as place:
            reader, writer = await place.connected()
            for _ in range(2):
                writer.write(POST + b"transfer-encoding: chunked\r\n\r\n" + body)
                head = await reader.readuntil(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200")
                assert await reader.readexactly(len(SMALL)) == SMALL
            assert [asked.header("x-trailer") for asked in place.asked] == [None, None]
            await closed(writer)

    run(scenario())


def test_the_rest_of_a_refused_request_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REST_SECONDS", 0.05)

    async def scenario() -> None:
        async with gateway(small, token="secret") as place:
            said = await heard(place, [POST + b"content-length: 1000\r\n\r\n{"])
            assert said.startswith(b"HTTP/1.1 401")

    run(scenario())


def test_a_refused_request_that_ends_soon_leaves_the_connection_open() -> None:
    async def scenario() -> None:
        async with gateway(small, token="secret") as place:
            reader, writer = await place.connected()
            for _ in range(2):
                writer.write(POST + b"content-length: 2\r\n\r\n{")
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 401")
                await reader.readline()
                writer.write(b"}")
            await closed(writer)

    run(scenario())


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        (b"http://localhost/healthz", b"localhost", b"200"),
        (b"http://localhost:80/mcp", b"evil.example", b"200"),
        (b"http://evil.example/mcp", b"localhost", b"421"),
    ],
)
def test_the_host_of_an_absolute_target_counts(target: bytes, host: bytes, status: bytes) -> None:
    """RFC 9112, section 3.2.2. Regression: such a target's host was ignored."""

    async def scenario() -> None:
        async with gateway(small) as place:
            head = b"POST %b HTTP/1.1\r\nhost: %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
            reader, writer = await place.connected()
            writer.write(head % (target, host, len(BODY)) + BODY)
            assert (await reader.readline()).split()[1] == status
            await closed(writer)

    run(scenario())


@pytest.mark.parametrize("begun", [b"", POST, POST + b"content-length: 100\r\n\r\n{", WHOLE])
def test_one_client_with_all_connections_keeps_nobody_out(begun: bytes) -> None:
    """Regression: 1,024 bodies that were begun and not ended were 429 for everybody, for a minute."""

    async def scenario() -> None:
        async with gateway(small, connections=20, limits=RequestLimits(requests=4)) as place:
            opened = [await place.connected() for _ in range(30)]
            for reader, writer in opened:
                if not writer.is_closing():
                    writer.write(begun)
                if begun == WHOLE:
                    await reader.readline()
            assert (await place.post(call("search"))).body == SMALL
            for _, writer in opened:
                await closed(writer)

    run(scenario())


def test_connections_above_the_limit_cost_no_look_at_all_others_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: each of 10,000 idle connections took milliseconds to accept, and others waited for seconds."""
    looks = 0
    is_idle = Connection.is_idle.fget  # type: ignore[attr-defined]

    def counted(one: Connection) -> bool:
        nonlocal looks
        looks += 1
        return bool(is_idle(one))

    async def scenario() -> None:
        async with gateway(small, connections=160) as place:
            opened = [await place.connected() for _ in range(400)]
            assert (await place.post(call("search"))).body == SMALL
            for _, writer in opened:
                await closed(writer)

    monkeypatch.setattr(Connection, "is_idle", property(counted))
    run(scenario())
    assert 0 < looks <= connection.FREED * 400


def test_the_client_with_most_idle_connections_loses_the_oldest_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = iter(["honest", "honest", *["greedy"] * 40])
    monkeypatch.setattr(connection, "_address", lambda one: vars(one)["address"])
    made = Connection.connection_made

    def named(one: Connection, transport: asyncio.Transport) -> None:
        vars(one)["address"] = next(addresses)
        made(one, transport)

    monkeypatch.setattr(Connection, "connection_made", named)

    async def scenario() -> None:
        async with gateway(small, connections=32) as place:
            opened = [await place.connected() for _ in range(42)]
            (first, to_first), (second, to_second) = opened[:2]
            for reader, writer in ((first, to_first), (second, to_second)):
                writer.write(WHOLE)
                assert (await reader.readline()).split()[1] == b"200"
            assert not await opened[2][0].read()  # the oldest of the greedy client's
            for _, writer in opened:
                await closed(writer)

    run(scenario())


def test_a_connection_whose_request_is_being_answered_is_not_closed_for_another() -> None:
    arrived, let_go = asyncio.Semaphore(0), asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        arrived.release()
        await let_go.wait()
        await wire.whole(SMALL)

    async def scenario() -> None:
        async with gateway(answers, connections=3) as place:
            working = [asyncio.create_task(place.post(call("search"))) for _ in range(2)]
            await arrived.acquire()
            await arrived.acquire()
            assert (await place.ask("GET", place.at("/healthz"))).status == 503
            let_go.set()
            assert [(await one).body for one in working] == [SMALL, SMALL]

    run(scenario())
