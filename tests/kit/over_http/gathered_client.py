"""The SDK's client in front of gathered servers, over standard input and output or a URL; prints what it saw."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import mcp
from mcp.client import session

# The SDK takes a server that has not answered its probe within ten seconds for one of the legacy era. On a busy machine
# the servers behind the gateway need longer to start, and which era they share is what the tests look at. Neither this
# nor the time for a response bounds the client: the test that starts it does.
UNBOUNDED = 3_600.0
session.DISCOVER_TIMEOUT_SECONDS = UNBOUNDED


async def main(mode: str, target: list[str]) -> None:
    place: Any = target[0]
    if not place.startswith("http:"):
        place = mcp.StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
    async with mcp.Client(place, mode=mode, read_timeout_seconds=UNBOUNDED) as client:
        tools = sorted(tool.name for tool in (await client.list_tools()).tools)
        answers = {}
        for name in tools:
            if not name.startswith("fetch_"):
                answer = await client.call_tool(name, {})
                answers[name] = getattr(answer.content[0], "text", "").strip()
        print(json.dumps({"version": client.protocol_version, "answers": answers}))


asyncio.run(main(sys.argv[1], sys.argv[2:]))
