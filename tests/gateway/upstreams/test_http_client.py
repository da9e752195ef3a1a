"""The HTTP client, in front of an upstream that sends the very bytes a test wants."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.upstreams.http_client import (
    ConnectError,
    HttpClient,
    HttpError,
    moved_to,
    next_chunk,
    what_broke,
    whole,
)
from tests.kit.over_http.upstreams import Place, run, upstream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from tests.kit.over_http.upstreams import Asked, Wire


@asynccontextmanager
async def client_of(answers: Callable[[Asked, Wire], Awaitable[None]]) -> AsyncIterator[tuple[HttpClient, Place]]:
    place = Place(answers=answers)
    async with upstream(place) as url:
        client = HttpClient(url)
        try:
            yield client, place
        finally:
            await client.close()


def redirecting(location: str) -> Callable[[Asked, Wire], Awaitable[None]]:
    async def answers(_: Asked, wire: Wire) -> None:
        await wire.whole(b"", "307 Temporary Redirect", location=location)

    return answers


def test_a_user_and_a_password_in_a_url_become_a_header_and_leave_the_url() -> None:
    client = HttpClient("https://ann%40a:p%3Ass@example.com:8443/mcp?a=b")
    assert client.url == "https://example.com:8443/mcp?a=b"
    assert client.login == "Basic YW5uQGE6cDpzcw=="
    assert HttpClient("http://example.com/mcp").login == ""


def test_a_redirect_within_the_server_is_followed_with_the_same_request() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.target == "/mcp":
            await wire.whole(b"", "308 Permanent Redirect", location="/mcp/")
        else:
            await wire.whole(b"here")

    async def scenario() -> None:
        async with client_of(answers) as (client, place):
            async with await client.open("POST", [(b"x-key", b"k")], b"{}") as answer:
                assert await whole(answer, 100) == b"here"
                assert answer.url.endswith("/mcp/")
            assert [(asked.target, asked.body, asked.header("x-key")) for asked in place.asked] == [
                ("/mcp", b"{}", b"k"),
                ("/mcp/", b"{}", b"k"),
            ]

    run(scenario())


@pytest.mark.parametrize("location", ["http://127.0.0.1:9/mcp", "//other.example/mcp", "http://[", ""])
def test_a_redirect_to_another_server_is_given_out_and_its_server_sees_nothing(location: str) -> None:
    async def scenario() -> None:
        async with client_of(redirecting(location)) as (client, place):
            async with await client.open("GET", []) as answer:
                assert answer.status == 307
                if location:
                    assert moved_to(answer) is None
            assert len(place.asked) == (1 if location else 3)

    run(scenario())


def test_redirects_in_circles_end_with_the_last_of_them() -> None:
    async def scenario() -> None:
        async with client_of(redirecting("/mcp")) as (client, place):
            async with await client.open("GET", []) as answer:
                assert moved_to(answer) == answer.url
            assert len(place.asked) == 3

    run(scenario())


def test_a_body_is_read_up_to_the_limit_and_no_further() -> None:
    async def answers(_: Asked, wire: Wire) -> None:
        await wire.whole(b"x" * 1_000)

    async def scenario() -> None:
        async with client_of(answers) as (client, _):
            async with await client.open("GET", []) as answer:
                assert await whole(answer, 1_000) == b"x" * 1_000
            async with await client.open("GET", []) as answer:
                assert await whole(answer, 999) is None

    run(scenario())


def test_a_read_gives_up_only_when_no_time_is_left() -> None:
    may_end = asyncio.Event()

    async def answers(_: Asked, wire: Wire) -> None:
        await wire.begin_stream()
        await may_end.wait()
        await wire.bit(b"late")
        await wire.until_left()

    async def scenario() -> None:
        async with client_of(answers) as (client, _):
            left = iter((0.001, None))

            def seconds_left() -> float | None:
                seconds = next(left)
                if seconds is None:
                    may_end.set()
                return seconds

            async with await client.open("GET", []) as answer:
                assert await next_chunk(answer, seconds_left) == b"late"
                with pytest.raises(TimeoutError):
                    await next_chunk(answer, lambda: 0.0)

    run(scenario())


def test_what_breaks_is_said_in_words_that_follow_the_servers_name() -> None:
    async def scenario() -> None:
        client = HttpClient("http://127.0.0.1:1/mcp")
        with pytest.raises(ConnectError) as refused:
            await client.open("GET", [])
        await client.close()
        assert what_broke(refused.value) == "cannot be reached: Connection refused"

    run(scenario())
    assert what_broke(TimeoutError()) == "has not answered in time; raise call_timeout if it needs longer"
    broken = what_broke(HttpError("half of it"))
    assert broken == "closed the connection within its response: half of it"
