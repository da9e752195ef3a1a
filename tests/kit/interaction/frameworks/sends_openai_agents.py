"""OpenAI Agents: the tools of an MCP server as the Responses API gets them, as they are and converted to strict."""

from __future__ import annotations

import asyncio

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI
from sent import Api, tell
from task import given

set_tracing_disabled(True)


async def main() -> None:
    command, _ = given()
    params = {"command": command[0], "args": command[1:]}
    async with MCPServerStdio(params=params, client_session_timeout_seconds=60) as server:
        with Api() as api:
            client = AsyncOpenAI(base_url=api.url, api_key="none", max_retries=0)
            model = OpenAIResponsesModel("gpt-4o", client)

            def agent(*, strict: bool) -> Agent:
                config = {"convert_schemas_to_strict": strict}
                return Agent(name="reader", mcp_servers=[server], model=model, mcp_config=config)

            tell(
                {
                    "plain": await api.record(Runner.run(agent(strict=False), "hello")),
                    "strict": await api.record(Runner.run(agent(strict=True), "hello")),
                }
            )


asyncio.run(main())
