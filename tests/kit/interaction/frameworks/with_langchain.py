"""LangChain: its default client, which opens a session for every call."""

from __future__ import annotations

import asyncio

from langchain_mcp_adapters.client import MultiServerMCPClient
from task import FETCH, TOOL, given, question, tell


async def main() -> None:
    command, arguments = given()
    way = (
        {"transport": "stdio", "command": command[0], "args": command[1:]}
        if len(command) > 1
        else {"transport": "streamable_http", "url": command[0]}
    )
    client = MultiServerMCPClient({"shop": way})
    tools = {tool.name: tool for tool in await client.get_tools()}
    asked = question(await tools[TOOL].ainvoke(arguments))
    tell(asked, await tools[FETCH].ainvoke(asked))


asyncio.run(main())
