"""Servers behind a company's proxy, with certificates of its own authority: a real proxy, on this machine."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.upstreams.http_client import ConnectError, HttpClient, proxy_of, what_broke, whole
from tests.kit.certificates import authority_and_server
from tests.kit.over_http.upstreams import Wire, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

LOGIN = b"Basic YW5uOnNlY3JldA=="  # ann:secret
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE")


@pytest.fixture(autouse=True)
def _no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@asynccontextmanager
async def proxy(asked: list[bytes], behind: int = 0) -> AsyncIterator[str]:
    """A proxy that needs a login. It answers itself, and tunnels to the port ``behind``."""
    tasks: set[asyncio.Task[None]] = set()
    writers: list[asyncio.StreamWriter] = []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head)
        writers.append(writer)
        if LOGIN not in head:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        elif head.startswith(b"CONNECT"):
            near, far = await asyncio.open_connection("127.0.0.1", behind)
            writers.append(far)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            for one in (pump(reader, far), pump(near, writer)):
                tasks.add(asyncio.ensure_future(one))
        else:
            await Wire(reader, writer).whole(b"by the proxy")

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        for writer in writers:
            writer.close()
        await asyncio.gather(*tasks, *(one.wait_closed() for one in writers), return_exceptions=True)


async def answer_of(url: str) -> bytes | None:
    client = HttpClient(url)
    try:
        async with await client.open("POST", [(b"x-key", b"k")], b"{}") as answer:
            return await whole(answer, 1_000)
    finally:
        await client.close()


def test_a_server_over_http_is_asked_through_the_proxy_with_its_login(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        asked: list[bytes] = []
        async with proxy(asked) as place:
            monkeypatch.setenv("HTTP_PROXY", f"http://ann:secret@{place}")
            assert await answer_of("http://mcp.example:8000/mcp?a=b") == b"by the proxy"
        assert asked[0].startswith(b"POST http://mcp.example:8000/mcp?a=b HTTP/1.1\r\n")
        assert b"\r\nx-key: k\r\n" in asked[0]

    run(scenario())


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_server_over_tls_is_asked_through_a_tunnel_if_the_authority_of_the_environment_signed_its_certificate(
    is_trusted: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority, certificate = authority_and_server(tmp_path, "mcp.example")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"POST /mcp HTTP/1.1\r\n")
        assert b"proxy-authorization" not in head.lower()
        await Wire(reader, writer).whole(b"by the server")
        writer.close()

    async def scenario() -> None:
        asked: list[bytes] = []
        server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
        async with proxy(asked, server.sockets[0].getsockname()[1]) as place:
            monkeypatch.setenv("HTTPS_PROXY", f"http://ann:secret@{place}")
            if is_trusted:
                assert await answer_of("https://mcp.example/mcp") == b"by the server"
            else:
                with pytest.raises(ConnectError, match="certificate verify failed"):
                    await answer_of("https://mcp.example/mcp")
        assert [head.partition(b" HTTP")[0] for head in asked] == [b"CONNECT mcp.example:443"]
        assert b"x-key" not in asked[0]
        server.close()

    run(scenario())


def test_a_proxy_that_refuses_is_named_as_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with proxy([]) as place:
            monkeypatch.setenv("HTTPS_PROXY", place)
            with pytest.raises(ConnectError) as refused:
                await answer_of("https://mcp.example/mcp")
        words = "cannot be reached: the proxy answered 407 Proxy Authentication Required"
        assert what_broke(refused.value) == words

    run(scenario())


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://mcp.example/mcp", "http://plain:3128"),
        ("https://mcp.example/mcp", "http://secure:3128"),
        ("https://mcp.inside.example/mcp", None),
        ("https://inside.example:8443/mcp", None),
        ("http://localhost:9000/mcp", None),
        ("http://127.0.0.1:9000/mcp", None),
        ("http://[::1]:9000/mcp", None),
    ],
)
def test_the_proxy_is_that_of_the_scheme_and_none_for_this_machine_or_for_excluded_names(
    url: str, found: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://plain:3128")
    monkeypatch.setenv("https_proxy", "secure:3128")
    monkeypatch.setenv("NO_PROXY", "other.example,.inside.example,inside.example:8443")
    assert proxy_of(url) == found
