"""Large data skips FastMCP's own conversion behind our middleware, and nowhere else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.tools.base import Tool, ToolResult

from penstock.middleware import fastmcp_results
from penstock.middleware.fastmcp import PenstockMiddleware
from tests.kit.answers import head_of

ROWS = [{"id": number, "text": "word " * 20} for number in range(12_000)]


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The values that went through FastMCP's own conversion."""
    values: list[Any] = []
    original = fastmcp_results._original

    def convert(tool: Tool, raw_value: Any) -> ToolResult:
        values.append(raw_value)
        return original(tool, raw_value)

    monkeypatch.setattr(fastmcp_results, "_original", convert)
    return values


def called(server: FastMCP[Any], tool: str) -> Any:
    async def call() -> Any:
        async with Client(server) as client:
            return await client.call_tool(tool, {}, raise_on_error=False)

    return asyncio.run(call())


def made(*, bounded: bool) -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("rows")
    server.add_tool(Tool.from_function(lambda: ROWS, name="rows"))
    server.add_tool(Tool.from_function(lambda: [1, 2], name="few"))
    if bounded:
        server.add_middleware(PenstockMiddleware(max_tokens=2_000, store="memory:"))
    return server


def test_fastmcp_still_converts_results_where_we_replace_it(converted: list[Any]) -> None:
    answer = called(made(bounded=True), "rows")
    assert head_of(answer)["metadata"]["item_count"] == len(ROWS)
    assert converted == []


def test_small_results_and_servers_without_us_are_converted_by_fastmcp(converted: list[Any]) -> None:
    called(made(bounded=True), "few")
    called(made(bounded=False), "rows")
    assert converted == [[1, 2], ROWS]
