"""OpenAI Agents: a whole run of an agent, whose model is a script."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from task import FETCH, TOOL, given, question, tell

set_tracing_disabled(True)


class Script(Model):
    """Calls the tool, then asks what was held, then ends."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.arguments = arguments
        self.asked: dict[str, Any] = {}
        self.answer = ""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        results = [
            one["output"] for one in input if isinstance(one, dict) and one.get("type") == "function_call_output"
        ]
        if not results:
            return self._call(TOOL, self.arguments)
        if len(results) == 1:
            self.asked = question(results[0])
            return self._call(FETCH, self.asked)
        self.answer = results[1]
        text = ResponseOutputText(text="done", type="output_text", annotations=[])
        done = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[done], usage=Usage(), response_id=None)

    def _call(self, name: str, arguments: dict[str, Any]) -> ModelResponse:
        call = ResponseFunctionToolCall(
            call_id=name, name=name, arguments=json.dumps(arguments), type="function_call", id=name
        )
        return ModelResponse(output=[call], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def main() -> None:
    command, arguments = given()
    server = (
        MCPServerStdio(params={"command": command[0], "args": command[1:]}, client_session_timeout_seconds=60)
        if len(command) > 1
        else MCPServerStreamableHttp(params={"url": command[0]}, client_session_timeout_seconds=60)
    )
    async with server:
        script = Script(arguments)
        await Runner.run(Agent(name="reader", mcp_servers=[server], model=script), "which orders are there?")
    tell(script.asked, script.answer)


asyncio.run(main())
