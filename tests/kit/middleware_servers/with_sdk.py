"""The official SDK's high-level server."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from tests.kit.middleware_servers.data import ACT, RULES, STYLE, TEXT, findings, kept, page, polled, rows, rows_text

from penstock.middleware.sdk import PenstockServerMiddleware

READ_ONLY = ToolAnnotations(read_only_hint=True)
mcp: MCPServer[Any] = MCPServer(
    "data",
    middleware=[PenstockServerMiddleware(max_tokens=2_000, store="memory:", rules=RULES, act=ACT, notice=STYLE)],
)


@mcp.tool()
def list_rows(number: int) -> list[dict[str, Any]]:
    return rows(number)


@mcp.tool()
def read_text() -> str:
    return TEXT


@mcp.tool()
def fail(number: int) -> str:
    raise ToolError(rows_text(number))


@mcp.tool()
def keep(text: str, value: Any = None) -> dict[str, Any]:
    return kept(text, value)


@mcp.tool()
def scan(number: int) -> str:
    return json.dumps(findings(number))


@mcp.tool()
def poll(number: int) -> str:
    return polled(number)


@mcp.tool()
def keep_little(text: str) -> dict[str, Any]:
    return kept(text)


@mcp.tool()
def keep_safely(text: str) -> dict[str, Any]:
    return kept(text)


@mcp.tool()
def size_of(table: list[dict[str, Any]]) -> str:
    return str(len(table))


@mcp.tool(annotations=READ_ONLY)
def list_page(cursor: str = "") -> dict[str, Any]:
    return page(cursor)


@mcp.tool()
def walk(cursor: str = "") -> dict[str, Any]:
    return page(cursor)


@mcp.resource("data://text")
def text() -> str:
    return TEXT


@mcp.prompt()
def explain() -> str:
    return TEXT


mcp.run()
