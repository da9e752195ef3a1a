"""A gateway in front of a FastMCP server that has the middleware: both hold, both tools read what their side holds.

The gateway's rule holds every result of ``list_rows``; the middleware holds what is above its own budget. Each marks
its notices with a word that it told the client only, in the definition of its tool.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from tests.kit.answers import head_of, text_of
from tests.kit.middleware_servers.data import ROWS, TEXT, rows
from tests.kit.scale.serving import Serving
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SERVER = [sys.executable, "-m", "tests.kit.middleware_servers.with_fastmcp"]
INNER, OUTER = "fetch_cached_response", "fetch_cached_response_2"
MARK = "penstock/notice"
# Each way starts FastMCP twice, which takes seconds: two of them meet both clients' ends and both upstreams' ends.
WAYS = (
    "run, a command",
    pytest.param("run, a URL", marks=pytest.mark.compat),
    pytest.param("serve, a command", marks=pytest.mark.compat),
    "serve, a URL",
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of the same server over HTTP."""
    with subprocess.Popen([*SERVER, "http"], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module", params=WAYS)
def client(
    request: pytest.FixtureRequest, url: str, runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client[Any]]:
    """A client that is connected; these tests change nothing that another looks at."""
    settings = tmp_path_factory.mktemp("settings") / "penstock.toml"
    settings.write_text('store = "memory:"\n[rules.list_rows]\nalways_hold = true\n')
    command, _, behind = request.param.partition(", ")
    server = ["--config", str(settings), *(["--", *SERVER] if behind == "a command" else ["--url", url])]
    with ExitStack() as stack:
        if command == "run":
            words = ["-m", "penstock", "run", *server]
            client: Client[Any] = Client(StdioTransport(command=sys.executable, args=words, cwd=str(ROOT)))
        else:
            client = Client(stack.enter_context(Serving(*server, cwd=ROOT)).url)
        connection: Any = client  # not all of it has types
        runner.run(connection.__aenter__())
        yield client
        runner.run(connection.close())


async def called(client: Client[Any], tool: str, **arguments: Any) -> Any:
    return await client.call_tool_mcp(tool, arguments)


def notice_of(result: Any) -> dict[str, Any]:
    notice: dict[str, Any] = head_of(result)
    assert notice["type"] == "buffered_response"
    return notice


async def marks(client: Client[Any]) -> dict[str, str]:
    listed = await client.list_tools()
    return {tool.name: tool.meta[MARK] for tool in listed if tool.meta and MARK in tool.meta}


def test_the_notice_of_the_middleware_passes_and_its_tool_reads_it(client: Client[Any], runner: asyncio.Runner) -> None:
    async def test() -> None:
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
            parts.append(text_of(window))
            start = head_of(window)["next_index"]
        assert "".join(parts) == TEXT

    runner.run(asyncio.wait_for(test(), 4 * PATIENCE))


def test_the_gateway_holds_by_its_own_rule_and_its_tool_reads_it(client: Client[Any], runner: asyncio.Runner) -> None:
    async def test() -> None:
        told = await marks(client)
        result = await called(client, "list_rows", number=30)
        notice = notice_of(result)
        assert result.meta[MARK] == told[OUTER]
        (call,) = notice["next"]
        assert call["tool"] == OUTER
        page = await called(client, OUTER, action="get_page", cache_id=notice["cache_id"])
        assert head_of(page)["items"] == rows(30)
        foreign = await called(client, INNER, action="info", cache_id=notice["cache_id"])
        assert foreign.is_error

    runner.run(asyncio.wait_for(test(), 4 * PATIENCE))


def test_a_notice_that_the_gateway_has_to_hold_leads_to_what_the_middleware_holds(
    client: Client[Any], runner: asyncio.Runner
) -> None:
    """``always_hold`` holds a notice of another store like anything else: nothing in it can be believed."""

    async def test() -> None:
        await marks(client)
        outer = notice_of(await called(client, "list_rows", number=ROWS))
        kept = await called(client, OUTER, action="get", cache_id=outer["cache_id"])
        inner = json.loads(text_of(kept).splitlines()[0])  # the preview of the middleware is below it
        assert inner["type"] == "buffered_response"
        answer = await called(
            client, INNER, action="sql", cache_id=inner["cache_id"], sql="SELECT count(*) n FROM items"
        )
        assert head_of(answer)["result"] == [{"n": ROWS}]

    runner.run(asyncio.wait_for(test(), 4 * PATIENCE))
