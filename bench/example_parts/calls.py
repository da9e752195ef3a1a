"""An example's server, and a call of one of its tools, over standard input and output with a real client."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def client_of(example: str, *options: str) -> Client[Any]:
    """A client that starts the server of this example, and ends it."""
    server = [str(EXAMPLES / example / "server.py"), *options]
    return Client(StdioTransport(sys.executable, server, keep_alive=False))


async def call(client: Client[Any], tool: str, arguments: dict[str, Any]) -> tuple[float, str]:
    """The milliseconds that a call took, and all text of its answer."""
    start = time.perf_counter()
    result = await client.call_tool(tool, arguments)
    taken = (time.perf_counter() - start) * 1_000
    return taken, "".join(block.text for block in result.content if block.type == "text")
