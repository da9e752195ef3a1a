"""pydantic-ai: the tools of an MCP server as OpenAI's and Google's models send them, and in OpenAI's strict mode."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from google import genai
from google.genai import types
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from sent import Api, tell
from task import given


async def strict(_: Any, tools: list[Any]) -> list[Any]:
    return [replace(tool, strict=True) for tool in tools]


async def main() -> None:
    command, _ = given()
    toolset = MCPToolset({"mcpServers": {"shop": {"command": command[0], "args": command[1:]}}})
    with Api() as api:
        client = AsyncOpenAI(base_url=api.url, api_key="none", max_retries=0)
        openai = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
        google = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=api.url))
        gemini = GoogleModel("gemini-2.5-flash", provider=GoogleProvider(client=google))
        tell(
            {
                "plain": await api.record(Agent(openai, toolsets=[toolset]).run("hello")),
                "strict": await api.record(Agent(openai, toolsets=[toolset.prepared(strict)]).run("hello")),
                "gemini": await api.record(Agent(gemini, toolsets=[toolset]).run("hello")),
            }
        )


asyncio.run(main())
