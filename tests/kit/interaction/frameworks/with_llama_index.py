"""LlamaIndex: its tools of an MCP server, whose client opens a session for every call."""

from __future__ import annotations

import asyncio

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec
from task import FETCH, TOOL, given, question, tell


async def main() -> None:
    command, arguments = given()
    client = BasicMCPClient(command[0], args=command[1:]) if len(command) > 1 else BasicMCPClient(command[0])
    tools = {tool.metadata.name: tool for tool in await McpToolSpec(client=client).to_tool_list_async()}
    asked = question((await tools[TOOL].acall(**arguments)).content)
    tell(asked, (await tools[FETCH].acall(**asked)).content)


asyncio.run(main())
