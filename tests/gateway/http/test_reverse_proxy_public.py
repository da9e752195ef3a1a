"""What may go to an upstream without a client that was let in, and what is for one connection only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.over_http.upstreams import call, gateway, result, run

if TYPE_CHECKING:
    from tests.kit.over_http.upstreams import Asked, Wire

SMALL = result("small")
LOGIN = "svc:hunter2@"
METADATA = "/.well-known/oauth-protected-resource/mcp"


async def small(asked: Asked, wire: Wire) -> None:
    await wire.whole(SMALL)


@pytest.mark.parametrize("token", ["", "a token for the gateway only"])
def test_metadata_is_asked_for_without_any_credential(token: str) -> None:
    """Regression: the gateway's own login went there, for whoever asked."""

    async def scenario() -> None:
        async with gateway(small, login=LOGIN, token=token) as place:
            given = {"Authorization": f"Bearer {token or 'of-the-client'}", "Cookie": "a=1"}
            assert (await place.ask("GET", place.at(METADATA), **given)).body == SMALL
            names = {name.lower() for name, _ in place.asked[0].headers}
            assert not names & {b"authorization", b"cookie"}

    run(scenario())


def test_the_upstream_is_probed_without_a_login() -> None:
    """Regression: each /readyz of a stranger was a request with the gateway's login."""

    async def scenario() -> None:
        async with gateway(small, login=LOGIN) as place:
            assert await place.proxy.is_ready()
            assert place.asked[0].header("authorization") is None

    run(scenario())


def test_a_header_that_connection_names_is_relayed_in_neither_direction() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(SMALL, connection="keep-alive, X-Hop", x_hop="1", x_end="2")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"), Connection="x-secret, keep-alive", X_Secret="1", X_Own="2")
            assert (place.asked[0].header("x-secret"), place.asked[0].header("x-own")) == (None, b"2")
            assert (heard.header("x-hop"), heard.header("x-end")) == (None, b"2")

    run(scenario())


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nserver: x\x0bnot\r\n", b"HTTP/1.1 999 Odd\r\n"])
def test_an_odd_answer_of_the_upstream_is_still_an_answer(head: bytes) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.send(head + b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(SMALL), SMALL))

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert (heard.status, heard.body) == (200 if b"200" in head else 502, SMALL)

    run(scenario())
