"""A gateway in front of a FastMCP server that has the middleware: both hold, both tools read what their side holds.

The gateway's rule holds every result of ``list_rows``; the middleware holds what is above its own budget. Each marks
its notices with a word that it told the client only, in the definition of its tool.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from tests.kit.middleware_servers.data import ROWS, TEXT, rows
from tests.kit.scale.serving import Serving
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
SERVER = [sys.executable, "-m", "tests.kit.middleware_servers.with_fastmcp"]
INNER, OUTER = "fetch_cached_response", "fetch_cached_response_2"
MARK = "penstock/notice"
WAYS = ("run, a command", "run, a URL", "serve, a command", "serve, a URL")


@contextmanager
def over_http() -> Iterator[str]:
    """The URL of the same server over HTTP."""
    with subprocess.Popen([*SERVER, "http"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


@pytest.fixture(params=WAYS)
def client(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client[Any]]:
    monkeypatch.chdir(ROOT)
    settings = tmp_path / "penstock.toml"
    settings.write_text('store = "memory:"\n[rules.list_rows]\nalways_hold = true\n')
    command, _, behind = request.param.partition(", ")
    with over_http() as url:
        server = ["--config", str(settings), *(["--", *SERVER] if behind == "a command" else ["--url", url])]
        if command == "run":
            words = ["-m", "penstock", "run", *server]
            yield Client(StdioTransport(command=sys.executable, args=words, keep_alive=False))
        else:
            with Serving(*server) as gateway:
                yield Client(gateway.url)


def talk(client: Client[Any], test: Callable[[Client[Any]], Awaitable[None]]) -> None:
    async def scenario() -> None:
        async with client:
            await test(client)

    asyncio.run(asyncio.wait_for(scenario(), 4 * PATIENCE))


async def called(client: Client[Any], tool: str, **arguments: Any) -> Any:
    return await client.call_tool_mcp(tool, arguments)


def notice_of(result: Any) -> dict[str, Any]:
    notice: dict[str, Any] = json.loads(result.content[0].text)
    assert notice["type"] == "buffered_response"
    return notice


async def marks(client: Client[Any]) -> dict[str, str]:
    listed = await client.list_tools()
    return {tool.name: tool.meta[MARK] for tool in listed if tool.meta and MARK in tool.meta}


def test_the_notice_of_the_middleware_passes_and_its_tool_reads_it(client: Client[Any]) -> None:
    async def test(client: Client[Any]) -> None:
        told = await marks(client)
        assert list(told) == [INNER, OUTER]
        result = await called(client, "read_text")
        notice = notice_of(result)
        assert result.meta[MARK] == told[INNER] != told[OUTER]
        assert {call["tool"] for call in notice["next"]} == {INNER}
        parts: list[str] = []
        start: int | None = 0
        while start is not None:
            window = await called(
                client, INNER, action="get", cache_id=notice["cache_id"], start_index=start, max_length=60_000
            )
            parts.append(window.content[1].text)
            start = json.loads(window.content[0].text)["next_index"]
        assert "".join(parts) == TEXT

    talk(client, test)


def test_the_gateway_holds_by_its_own_rule_and_its_tool_reads_it(client: Client[Any]) -> None:
    async def test(client: Client[Any]) -> None:
        told = await marks(client)
        result = await called(client, "list_rows", number=30)
        notice = notice_of(result)
        assert result.meta[MARK] == told[OUTER]
        (call,) = notice["next"]
        assert call["tool"] == OUTER
        page = await called(client, OUTER, **call["arguments"])
        assert json.loads(page.content[0].text)["items"] == rows(30)
        foreign = await called(client, INNER, action="info", cache_id=notice["cache_id"])
        assert foreign.is_error

    talk(client, test)


def test_a_notice_that_the_gateway_has_to_hold_leads_to_what_the_middleware_holds(client: Client[Any]) -> None:
    """``always_hold`` holds a notice of another store like anything else: nothing in it can be believed."""

    async def test(client: Client[Any]) -> None:
        await marks(client)
        outer = notice_of(await called(client, "list_rows", number=ROWS))
        kept = await called(client, OUTER, action="get", cache_id=outer["cache_id"])
        inner = json.loads(kept.content[1].text.splitlines()[0])  # the preview of the middleware is below it
        assert inner["type"] == "buffered_response"
        answer = await called(
            client, INNER, action="sql", cache_id=inner["cache_id"], sql="SELECT count(*) n FROM items"
        )
        assert json.loads(answer.content[0].text)["result"] == [{"n": ROWS}]

    talk(client, test)
