"""mcp-use: a session of its client, and its tools as LangChain has them."""

from __future__ import annotations

import asyncio

from mcp_use import MCPClient
from mcp_use.agents.adapters.langchain_adapter import LangChainAdapter
from task import FETCH, TOOL, given, question, tell


async def main() -> None:
    command, arguments = given()
    way = {"command": command[0], "args": command[1:]} if len(command) > 1 else {"url": command[0]}
    client = MCPClient.from_dict({"mcpServers": {"shop": way}})
    try:
        tools = {tool.name: tool for tool in await LangChainAdapter().create_tools(client)}
        asked = question(await tools[TOOL].ainvoke(arguments))
        tell(asked, await tools[FETCH].ainvoke(asked))
    finally:
        await client.close_all_sessions()


asyncio.run(main())
