"""Inside of a server on the official SDK: what the contract does not ask of every way in."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError

from penstock.config import Config
from penstock.middleware.sdk import PenstockServerMiddleware
from tests.kit.answers import head_of, text_of
from tests.kit.middleware_servers.data import TEXT, rows

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

FETCH = "fetch_cached_response"


def told(server: Any, ask: Callable[[Any], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with Client(server) as client:
            return await ask(client)

    return asyncio.run(run())


def bounded(**settings: Any) -> PenstockServerMiddleware:
    return PenstockServerMiddleware(**{"store": "memory:", "max_tokens": 2_000, **settings})


async def read_text(_: Any, __: Any) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri="data://text", text=TEXT)])


def test_a_server_without_tools_of_its_own_lists_ours_and_what_was_held_is_read_with_it() -> None:
    server: Server[Any] = Server("data", on_read_resource=read_text)
    server.middleware.append(bounded())

    async def ask(client: Any) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == [FETCH]
        read = await client.read_resource("data://text")
        notice = head_of(read.contents[0].text)
        window = await client.call_tool(FETCH, {"cache_id": notice["cache_id"], "action": "get", "max_length": 1_500})
        assert TEXT.startswith(text_of(window))

    told(server, ask)


def test_another_failure_of_a_list_stays_that_failure() -> None:
    async def broken(_: Any, __: Any) -> types.ListToolsResult:
        raise MCPError(types.INTERNAL_ERROR, "the list is broken")

    server: Server[Any] = Server("data", on_list_tools=broken)
    server.middleware.append(bounded())

    async def ask(client: Any) -> None:
        with pytest.raises(MCPError, match="the list is broken"):
            await client.list_tools()

    told(server, ask)


def test_ours_stands_on_the_last_page_of_a_list() -> None:
    async def paged(_: Any, params: Any) -> types.ListToolsResult:
        last = params is not None and params.cursor == "more"
        tool = types.Tool(name="two" if last else "one", input_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool], next_cursor=None if last else "more")

    server: Server[Any] = Server("data", on_list_tools=paged)
    server.middleware.append(bounded())

    async def ask(client: Any) -> None:
        first = await client.list_tools()
        assert [tool.name for tool in first.tools] == ["one"]
        second = await client.list_tools(cursor="more")
        assert [tool.name for tool in second.tools] == ["two", FETCH]

    told(server, ask)


def test_a_wide_output_schema_takes_a_stand_in_too() -> None:
    mcp = MCPServer("data", middleware=[bounded(output_schema="wrap")])

    @mcp.tool()
    def list_rows(number: int) -> list[dict[str, Any]]:
        return rows(number)

    async def ask(client: Any) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed["list_rows"].output_schema is not None
        large = await client.call_tool("list_rows", {"number": 3_000})
        assert head_of(large)["type"] == "buffered_response"
        assert (await client.call_tool("list_rows", {"number": 2})).structured_content == {"result": rows(2)}

    told(mcp, ask)


def test_a_configuration_can_be_given_whole_with_settings_on_top() -> None:
    one = PenstockServerMiddleware(config=Config(store="memory:", tool_name="read_on"), max_tokens=3_000)
    assert (one.shared_gate.config.tool_name, one.shared_gate.config.max_tokens) == ("read_on", 3_000)


def test_a_server_without_resources_has_empty_lists_of_them_where_exports_are_on() -> None:
    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    server: Server[Any] = Server("data", on_list_tools=list_tools)
    server.middleware.append(bounded(act="export"))

    async def ask(client: Any) -> None:
        assert (await client.list_resources()).resources == []
        assert (await client.list_resource_templates()).resource_templates == []
        with pytest.raises(MCPError, match="there is no resource"):
            await client.read_resource("penstock://export/r_x/a.csv")

    told(server, ask)


def test_a_page_that_fails_inside_of_the_server_is_told_in_words() -> None:
    schema = {"type": "object", "properties": {"cursor": {"type": "string"}}}
    hint = types.ToolAnnotations(read_only_hint=True)

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="list", input_schema=schema, annotations=hint)])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.arguments:
            raise MCPError(types.INTERNAL_ERROR, "the second page is broken")
        page = {"rows": [{"id": 1}], "next_cursor": "c"}
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(page))])

    server: Server[Any] = Server("data", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(bounded(act="more"))

    async def ask(client: Any) -> Any:
        await client.list_tools()
        return await client.call_tool("act_on_cached_response", {"action": "more", "tool": "list"})

    receipt = head_of(told(server, ask))["receipt"]
    assert (receipt["rows"], receipt["complete"]) == (1, False)
    assert "the second page is broken" in receipt["stopped"]
