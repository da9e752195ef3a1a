"""A server whose tools have much to say: ``plain`` (without any framework, over two pages), ``fastmcp``, ``sdk`` or
``lowlevel`` as its argument, the last three with Penstock in them; with ``http`` the plain one prints a port."""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Annotated, Any

if "plain" not in sys.argv:  # which has no models
    from pydantic import Field

LONG = (
    "Finds orders by what is known of them. It looks through all years, "
    + "and tells more than anybody asked for, " * 20
)
OF_CITY = "The city that an order was sent to, as it is written on the parcel. Case does not matter, nor do accents."
SCHEMA: dict[str, Any] = {
    "$defs": {"unused": {"type": "object", "description": "nothing refers to this"}, "used": {"type": "integer"}},
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": OF_CITY, "title": "City"},
        "state": {"type": "string", "enum": ["open", "sent"]},
        "page": {"$ref": "#/$defs/used"},
    },
    "required": ["city"],
}
TOOLS: list[dict[str, Any]] = [
    {"name": "find_orders", "description": LONG, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
    {"name": "drop_order", "description": "Drops an order. Nobody can bring it back.", "inputSchema": SCHEMA},
]
SETTINGS: dict[str, Any] = {"store": "memory:", "tools": os.environ.get("KIT_TOOLS", "full")}


def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; None for a method that there is not. Each page of tools has one."""
    if method == "initialize":
        info = {"name": "wordy", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS[1:]} if params.get("cursor") else {"tools": TOOLS[:1], "nextCursor": "2"}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}]}
    return None


def answer(line: bytes) -> bytes:
    message = json.loads(line)
    if "id" not in message:
        return b""
    found = result(message["method"], message.get("params") or {})
    told = {"result": found} if found is not None else {"error": {"code": -32601, "message": "no such method"}}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}).encode() + b"\n"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = answer(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200 if body else 202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(405)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def plain() -> None:
    if "http" in sys.argv:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answer(line))
        sys.stdout.buffer.flush()


def with_fastmcp() -> None:
    from fastmcp import FastMCP

    from penstock.middleware.fastmcp import PenstockMiddleware

    mcp: FastMCP[Any] = FastMCP("wordy")
    mcp.add_middleware(PenstockMiddleware(**SETTINGS))

    @mcp.tool(description=LONG)
    def find_orders(city: Annotated[str, Field(description=OF_CITY)], page: int = 1) -> str:
        return json.dumps({"city": city, "page": page})

    @mcp.tool(description=TOOLS[1]["description"])
    def drop_order(city: str) -> str:
        return json.dumps({"city": city})

    mcp.run(show_banner=False)


def with_sdk() -> None:
    from mcp.server.mcpserver import MCPServer

    from penstock.middleware.sdk import PenstockServerMiddleware

    mcp: MCPServer[Any] = MCPServer("wordy", middleware=[PenstockServerMiddleware(**SETTINGS)])

    @mcp.tool(description=LONG)
    def find_orders(city: Annotated[str, Field(description=OF_CITY)], page: int = 1) -> str:
        return json.dumps({"city": city, "page": page})

    @mcp.tool(description=TOOLS[1]["description"])
    def drop_order(city: str) -> str:
        return json.dumps({"city": city})

    mcp.run()


def with_lowlevel() -> None:
    import anyio
    import mcp_types as types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    from penstock.middleware.sdk import PenstockServerMiddleware

    async def list_tools(_: Any, params: Any) -> types.ListToolsResult:
        cursor = None if params is None else params.cursor
        return types.ListToolsResult.model_validate(result("tools/list", {"cursor": cursor}))

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(params.arguments))])

    server: Server[Any] = Server("wordy", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(PenstockServerMiddleware(**SETTINGS))

    async def main() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(main)


if __name__ == "__main__":
    {"plain": plain, "fastmcp": with_fastmcp, "sdk": with_sdk, "lowlevel": with_lowlevel}[sys.argv[1]]()
