"""Inside of a FastMCP server: what a client of that server sees, over memory and over HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
import uvicorn
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier
from fastmcp.server.middleware import Middleware
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.server.middleware.timing import TimingMiddleware
from fastmcp.tools.base import ToolResult
from fastmcp.utilities.types import Image
from pydantic import BaseModel

from penstock.config import Config
from penstock.core.tokens.count import count
from penstock.middleware.fastmcp import PenstockMiddleware
from tests.kit.answers import head_of, text_of
from tests.kit.middleware_servers.data import TEXT, rows

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

FETCH = "fetch_cached_response"


class Row(BaseModel):
    id: int
    note: str


def server(*others: Any, auth: Any = None, **settings: Any) -> FastMCP[Any]:
    mcp: FastMCP[Any] = FastMCP("data", auth=auth)
    for one in others:
        mcp.add_middleware(one)
    mcp.add_middleware(PenstockMiddleware(**{"store": "memory:", "max_tokens": 2_000, **settings}))

    @mcp.tool
    def list_rows(number: int) -> list[dict[str, Any]]:
        return rows(number)

    @mcp.tool
    def fail(number: int) -> str:
        raise ToolError("sorry " * number)

    @mcp.tool
    def draw() -> Image:
        return Image(data=b"\x89PNG" * 10, format="png")

    @mcp.tool
    def noted(number: int) -> ToolResult:
        block = types.TextContent(text="word " * number, annotations=types.Annotations(priority=1))
        return ToolResult(content=[block], meta={"k": "v"})

    @mcp.resource("data://text")
    def text() -> str:
        return TEXT

    @mcp.resource("data://bytes")
    def data() -> bytes:
        return b"\x00\xff" * 40_000

    @mcp.resource("data://word")
    def word() -> str:
        return "word"

    @mcp.prompt
    def explain(length: str) -> str:
        return TEXT[: int(length)]

    return mcp


def told(mcp: FastMCP[Any], ask: Callable[[Any], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with Client(mcp) as client:
            return await ask(client)

    return asyncio.run(run())


@asynccontextmanager
async def over_http(mcp: FastMCP[Any]) -> AsyncIterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host = uvicorn.Server(uvicorn.Config(mcp.http_app(), log_level="error"))
        serving = asyncio.create_task(host.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        finally:
            host.should_exit = True
            await serving


def notice(text: str) -> dict[str, Any]:
    read: dict[str, Any] = head_of(text)
    assert read["type"] == "buffered_response"
    return read


def test_small_answers_of_every_kind_come_as_without_it() -> None:
    async def ask(client: Any) -> None:
        assert (await client.call_tool("list_rows", {"number": 2})).data == rows(2)
        assert (await client.call_tool("draw")).content[0].type == "image"
        few = await client.call_tool("noted", {"number": 3})
        assert (few.content[0].annotations.priority, few.meta["k"]) == (1, "v")
        assert (await client.read_resource("data://word"))[0].text == "word"
        assert (await client.get_prompt("explain", {"length": "9"})).messages[0].content.text == TEXT[:9]
        with pytest.raises(ToolError, match="sorry sorry"):
            await client.call_tool("fail", {"number": 2})

    told(server(), ask)


def test_what_is_large_is_held_whatever_it_is() -> None:
    async def ask(client: Any) -> None:
        many = await client.call_tool("noted", {"number": 50_000})
        assert notice(many.content[0].text)["cache_id"]
        failed = await client.call_tool("fail", {"number": 50_000}, raise_on_error=False)
        assert failed.is_error
        assert notice(failed.content[0].text)["cache_id"]
        read = await client.read_resource("data://text")
        assert notice(read[0].text)["type"] == "buffered_response"
        assert sum(len(one.text) for one in read) < 20_000
        asked = await client.get_prompt("explain", {"length": "100000"})
        handle = notice(asked.messages[0].content.text)["cache_id"]
        window = await client.call_tool(FETCH, {"cache_id": handle, "action": "get", "max_length": 1_500})
        assert TEXT.startswith(text_of(window))

    told(server(), ask)


def test_a_resource_of_bytes_is_bounded() -> None:
    async def ask(client: Any) -> None:
        read = await client.read_resource("data://bytes")
        assert len(json.dumps([one.model_dump(mode="json") for one in read])) < 120_000

    told(server(), ask)


@pytest.mark.parametrize("others", [[TimingMiddleware()], [ResponseCachingMiddleware()]], ids=["timing", "caching"])
def test_it_stands_nearest_to_the_tools_behind_other_middleware(others: list[Any]) -> None:
    async def ask(client: Any) -> None:
        first = await client.call_tool("list_rows", {"number": 3_000})
        again = await client.call_tool("list_rows", {"number": 3_000})
        for answer in (first, again):
            handle = notice(answer.content[0].text)["cache_id"]
            arguments = {"cache_id": handle, "action": "filter", "jq_filter": "length"}
            assert head_of(await client.call_tool(FETCH, arguments))["result"] == 3_000

    told(server(*others), ask)


def test_a_wide_output_schema_takes_a_stand_in_too() -> None:
    async def ask(client: Any) -> None:
        listed = {tool.name: tool for tool in await client.list_tools()}
        assert listed["list_rows"].output_schema is not None
        assert notice((await client.call_tool("list_rows", {"number": 3_000})).content[0].text)
        assert (await client.call_tool("list_rows", {"number": 2})).structured_content == {"result": rows(2)}

    told(server(output_schema="wrap"), ask)


def test_a_configuration_can_be_given_whole_with_settings_on_top() -> None:
    one = PenstockMiddleware(config=Config(store="memory:", tool_name="read_on"), max_tokens=3_000)
    assert (one.shared_gate.config.tool_name, one.shared_gate.config.max_tokens) == ("read_on", 3_000)


def test_our_tool_can_be_called_by_the_server_itself() -> None:
    async def run() -> None:
        mcp = server()
        tool = await mcp.get_tool(FETCH)
        if tool is not None:
            assert not (await tool.run({"action": "list"})).is_error

    asyncio.run(run())


def test_over_http_what_was_held_opens_for_the_one_who_asked() -> None:
    tokens: dict[str, Any] = {name: {"client_id": name, "scopes": []} for name in ("alice", "bob")}

    async def run() -> None:
        mcp = server(auth=StaticTokenVerifier(tokens=tokens))
        async with over_http(mcp) as url:
            alice: Any
            bob: Any
            async with Client(url, auth="alice") as alice, Client(url, auth="bob") as bob:
                held = notice((await alice.call_tool("list_rows", {"number": 3_000})).content[0].text)
                asked = {"cache_id": held["cache_id"], "action": "info"}
                assert not (await alice.call_tool(FETCH, asked)).is_error
                foreign = await bob.call_tool(FETCH, asked, raise_on_error=False)
                assert foreign.is_error
            async with Client(url, auth="alice") as again:  # another session of the same caller
                assert not (await again.call_tool(FETCH, asked)).is_error

    asyncio.run(run())


def test_over_http_without_a_token_a_handle_opens_and_no_other_session_lists_it() -> None:
    async def run() -> None:
        async with over_http(server()) as url, Client(url) as one, Client(url) as other:
            held = notice((await one.call_tool("list_rows", {"number": 3_000})).content[0].text)
            asked = {"cache_id": held["cache_id"], "action": "info"}
            assert not (await one.call_tool(FETCH, asked)).is_error
            assert not (await other.call_tool(FETCH, asked)).is_error
            listed = await other.call_tool(FETCH, {"action": "list"})
            assert held["cache_id"] not in listed.content[0].text

    asyncio.run(run())


def test_a_narrower_call_is_suggested_to_a_client_that_never_listed_the_tools() -> None:
    mcp: FastMCP[Any] = FastMCP("data")
    mcp.add_middleware(PenstockMiddleware(store="memory:", max_tokens=4_000))

    @mcp.tool
    def search(query: str, team: str = "") -> str:
        many = [{**row, "team": f"team {row['id'] % 6}"} for row in rows(120)]
        return json.dumps([row for row in many if team in ("", row["team"])])

    async def ask(client: Any) -> None:
        told = notice((await client.call_tool_mcp("search", {"query": "x"})).content[0].text)
        [narrower] = [one for one in told["suggestions"] if one["tool"] == "search"]
        assert narrower["arguments"] == {"query": "x", "team": "team 0"}
        answer = (await client.call_tool_mcp("search", narrower["arguments"])).content[0].text
        assert len(json.loads(answer)) == 20
        assert count(answer).tokens == pytest.approx(narrower["about_tokens"], rel=0.25)

    told(mcp, ask)


def test_rows_of_megabytes_are_held_whole_whatever_they_are_made_of() -> None:
    mcp: FastMCP[Any] = FastMCP("data")
    mcp.add_middleware(PenstockMiddleware(store="memory:", rules={"raw": {"never_hold": True}}))
    many = rows(20_000)

    @mcp.tool
    def plain() -> list[dict[str, Any]]:
        return many

    @mcp.tool
    def models() -> list[Row]:
        return [Row(id=row["id"], note=row["note"]) for row in many]

    @mcp.tool
    def raw() -> list[dict[str, Any]]:
        return many

    async def ask(client: Any) -> None:
        for tool in ("plain", "models"):
            held = notice((await client.call_tool(tool)).content[0].text)
            assert held["message"].startswith("20,000 ")
            arguments = {"cache_id": held["cache_id"], "action": "filter", "jq_filter": ".[19999].id"}
            assert head_of(await client.call_tool(FETCH, arguments))["result"] == 19_999
        assert (await client.call_tool("raw")).structured_content == {"result": many}

    told(mcp, ask)


class Guard(Middleware):
    """Refuses a tool to everybody."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        self.seen.append(context.message.name)
        if context.message.name == "secret":
            raise ToolError("not for you")
        return await call_next(context)


def test_pages_that_more_fetches_go_through_what_guards_a_tool() -> None:
    guard = Guard()
    mcp = server(guard, act="more")
    for name in ("open_rows", "secret"):

        @mcp.tool(name=name, annotations={"readOnlyHint": True})
        def page(cursor: str = "0") -> dict[str, Any]:
            first = int(cursor)
            return {"rows": rows(first + 5)[first:], "next_cursor": str(first + 5) if first < 10 else None}

    async def ask() -> tuple[Any, Any]:
        async with Client(mcp) as client:
            act = "act_on_cached_response"
            found = await client.call_tool(act, {"action": "more", "tool": "open_rows"})
            refused = await client.call_tool(act, {"action": "more", "tool": "secret"}, raise_on_error=False)
            return found, refused

    found, refused = asyncio.run(ask())
    assert head_of(found)["receipt"]["rows"] == 15
    assert guard.seen.count("open_rows") == 3
    assert refused.is_error
    assert "not for you" in refused.content[0].text
