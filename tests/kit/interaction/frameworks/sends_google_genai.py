"""Google's SDK: the tools of an MCP session as the session lists them, as the SDK converts them, and as JSON Schema."""

from __future__ import annotations

import asyncio
from typing import Any

from google import genai
from google.genai import types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from sent import Api, tell
from task import given


async def main() -> None:
    command, _ = given()
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
    declarations = [
        types.FunctionDeclaration(
            name=tool.name, description=tool.description, parameters_json_schema=tool.input_schema
        )
        for tool in tools
    ]
    with Api() as api:
        client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=api.url))

        async def ask(wanted: list[Any]) -> list[dict[str, Any]]:
            config = types.GenerateContentConfig(tools=wanted)
            return await api.record(
                client.aio.models.generate_content(model="gemini-2.5-flash", contents="hello", config=config)
            )

        by_schema = await ask([types.Tool(function_declarations=declarations)])
        listed = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in tools
        ]
        tell({"listed": listed, "gemini": await ask(list(tools)), "gemini by JSON Schema": by_schema})


asyncio.run(main())
