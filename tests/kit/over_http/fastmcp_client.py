"""FastMCP's client in front of a bridge to each URL that it is given, with its mode; prints a line of what it saw."""

from __future__ import annotations

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def main(url: str, mode: str) -> None:
    words = ["-m", "penstock", "run", "--store", "memory:", "--max-tokens", "2000", "--url", url]
    async with Client(StdioTransport(command=sys.executable, args=words), mode=mode) as client:
        tools = [tool.name for tool in await client.list_tools()]
        small = await client.call_tool("rows", {"n": 1})
        large = await client.call_tool("rows", {"n": 400})
    notice = large.content[0].text.partition("\n")[0]
    print(json.dumps({"tools": tools, "small": json.loads(small.content[0].text), "large": json.loads(notice)}))


for at in range(1, len(sys.argv), 2):
    asyncio.run(main(sys.argv[at], sys.argv[at + 1]))
