"""pydantic-ai: a whole run of an agent, whose model is a function."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from task import FETCH, TOOL, given, question, tell


async def main() -> None:
    command, arguments = given()
    way = {"command": command[0], "args": command[1:]} if len(command) > 1 else {"url": command[0]}
    seen: dict[str, Any] = {}

    def model(messages: list[Any], _: AgentInfo) -> ModelResponse:
        results = [part for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]
        if not results:
            return ModelResponse(parts=[ToolCallPart(TOOL, arguments)])
        if len(results) == 1:
            seen["asked"] = question(results[0].content)
            return ModelResponse(parts=[ToolCallPart(FETCH, seen["asked"])])
        seen["answer"] = results[1].content
        return ModelResponse(parts=[TextPart("done")])

    agent = Agent(FunctionModel(model), toolsets=[MCPToolset({"mcpServers": {"shop": way}})])
    await agent.run("which orders are there?")
    tell(seen["asked"], seen["answer"])


asyncio.run(main())
