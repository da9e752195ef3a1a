"""FastMCP's client."""

from __future__ import annotations

import asyncio

from fastmcp import Client
from task import FETCH, TOOL, given, question, tell


async def main() -> None:
    command, arguments = given()
    way = {"command": command[0], "args": command[1:]} if len(command) > 1 else {"url": command[0]}
    async with Client({"mcpServers": {"shop": way}}) as client:
        asked = question([block.text for block in (await client.call_tool(TOOL, arguments)).content])
        tell(asked, [block.text for block in (await client.call_tool(FETCH, asked)).content])


asyncio.run(main())
