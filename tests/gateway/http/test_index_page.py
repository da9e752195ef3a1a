"""People who open the address of a gateway in a browser read what it is, and nothing of the server behind it."""

from __future__ import annotations

from penstock import __version__
from penstock.gateway.http.index_page import index_page
from tests.kit.over_http.upstreams import Asked, Wire, gateway, result, run


async def small(asked: Asked, wire: Wire) -> None:
    await wire.whole(result("small"))


def test_a_browser_reads_what_the_gateway_is_and_where_the_protocol_is_spoken() -> None:
    async def scenario() -> None:
        async with gateway(small) as place:
            heard = await place.ask("GET", place.at("/"))
            assert heard.status == 200
            assert heard.header("content-type") == b"text/html; charset=utf-8"
            assert b"default-src 'none'" in (heard.header("content-security-policy") or b"")
            text = heard.body.decode()
            assert f"Penstock {__version__}" in text
            assert "<code>/mcp</code>" in text
            assert "<script" not in text
            assert (await place.ask("GET", place.at("/"), Host="evil.example")).status == 421

    run(scenario())


def test_the_path_is_escaped() -> None:
    assert b"<b>" not in index_page("/<b>")
