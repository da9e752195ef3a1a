"""A server on the official Python SDK with what the conformance suite looks for.

``suite_server.py PORT``, or without a port on standard input and output.
"""

from __future__ import annotations

import base64
import sys
from typing import Annotated, Any, Literal

import uvicorn
from mcp.server.mcpserver import AssistantMessage, Context, MCPServer, UserMessage
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.shared.exceptions import MCPError
from mcp_types import (
    AudioContent,
    Completion,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequiredResult,
    JSONRPCMessage,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel, Field

DOT = base64.b64encode(
    base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
).decode()
SILENCE = base64.b64encode(b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" + b"\x00" * 20).decode()

server = MCPServer("suite")


def _image() -> ImageContent:
    return ImageContent(type="image", data=DOT, mime_type="image/png")


def _resource(
    uri: str = "test://embedded-resource", text: str = "This is an embedded resource content."
) -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type="text/plain", text=text))


@server.tool(description="For the suite", structured_output=False)
def test_simple_text() -> str:
    return "This is a simple text response for testing."


@server.tool(description="For the suite", structured_output=False)
def test_image_content() -> list[ImageContent]:
    return [_image()]


@server.tool(description="For the suite", structured_output=False)
def test_audio_content() -> list[AudioContent]:
    return [AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]


@server.tool(description="For the suite", structured_output=False)
def test_embedded_resource() -> list[EmbeddedResource]:
    return [_resource()]


@server.tool(description="For the suite", structured_output=False)
def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
    return [TextContent(type="text", text="Multiple content types test:"), _image(), _resource()]


@server.tool(description="For the suite", structured_output=False)
async def test_tool_with_logging(ctx: Context[Any, Any]) -> str:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(words)
    return "logged"


@server.tool(description="For the suite", structured_output=False)
async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100, f"Completed step {done} of 100")
    return "done"


@server.tool(description="For the suite", structured_output=False)
def test_error_handling() -> str:
    raise ValueError("This tool intentionally returns an error for testing")


@server.tool(description="For the suite", structured_output=False)
async def test_sampling(prompt: str, ctx: Context[Any, Any]) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    told = await ctx.session.create_message([message], max_tokens=100)
    return f"LLM response: {told.content}"


class Answers(BaseModel):
    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


@server.tool(description="For the suite", structured_output=False)
async def test_elicitation(message: str, ctx: Context[Any, Any]) -> str:
    told = await ctx.elicit(message, Answers)
    return f"User response: {told.action}"


class Defaults(BaseModel):
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


@server.tool(description="For the suite", structured_output=False)
async def test_elicitation_sep1034_defaults(ctx: Context[Any, Any]) -> str:
    told = await ctx.elicit("Please review the defaults", Defaults)
    return f"Elicitation completed: action={told.action}"


@server.tool(description="For the suite", structured_output=False)
async def test_reconnection(ctx: Context[Any, Any]) -> str:
    await ctx.close_sse_stream()
    return "Reconnection test completed"


@server.tool(description="For the suite", structured_output=False)
def test_custom_headers(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    return f"region {region}"


@server.tool(description="For the suite", structured_output=False)
def test_missing_capability(ctx: Context[Any, Any]) -> str:
    if ctx.client_capabilities is None or ctx.client_capabilities.sampling is None:
        raise MCPError(-32021, "sampling is needed", {"requiredCapabilities": {"sampling": {}}})
    return "there"


def _elicit(member: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {member: {"type": "string"}}, "required": [member]}
    return {"method": "elicitation/create", "params": {"message": f"What is the {member}?", "requestedSchema": schema}}


ROOTS = {"method": "roots/list", "params": {}}
SAMPLE = {
    "method": "sampling/createMessage",
    "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "Say it"}}], "maxTokens": 50},
}


def _tool_that_asks(name: str, *rounds: dict[str, Any]) -> None:
    """A tool that asks for more, round by round. Its place is in the state that the client brings back."""

    @server.tool(name=f"test_input_required_result_{name}", structured_output=False)
    def ask(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        """Ask for more input."""
        at = int(ctx.request_state) if ctx.request_state else int(bool(ctx.input_responses))
        if at >= len(rounds):
            return "state-ok"
        return InputRequiredResult.model_validate({"inputRequests": rounds[at], "requestState": str(at + 1)})


_tool_that_asks("elicitation", {"user_name": _elicit("name")})
_tool_that_asks("sampling", {"capital_question": SAMPLE})
_tool_that_asks("list_roots", {"client_roots": ROOTS})
_tool_that_asks("request_state", {"confirm": _elicit("ok")})
_tool_that_asks("tampered_state", {"confirm": _elicit("ok")})
_tool_that_asks("multiple_inputs", {"user_name": _elicit("name"), "greeting": SAMPLE, "client_roots": ROOTS})
_tool_that_asks("multi_round", {"step1": _elicit("name")}, {"step2": _elicit("color")})
_tool_that_asks("capabilities", {"capital_question": SAMPLE})


@server.tool(description="For the suite", structured_output=False)
async def test_trigger_tool_change(ctx: Context[Any, Any]) -> str:
    await ctx.notify_tools_changed()
    return "changed"


@server.tool(description="For the suite", structured_output=False)
async def test_trigger_prompt_change(ctx: Context[Any, Any]) -> str:
    await ctx.notify_prompts_changed()
    return "changed"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    return base64.b64decode(DOT)


@server.resource("test://template/{number}/data", mime_type="application/json")
def template(number: str) -> str:
    return f'{{"id":"{number}","templateTest":true,"data":"Data for ID: {number}"}}'


@server.resource("test://watched-resource", mime_type="text/plain")
def watched() -> str:
    return "Watched resource content"


@server.prompt(description="For the suite")
def test_simple_prompt() -> str:
    return "This is a simple prompt for testing."


@server.prompt(description="For the suite")
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt(description="For the suite")
def test_prompt_with_image() -> list[UserMessage | AssistantMessage]:
    return [UserMessage(_image()), UserMessage("Please analyze the image above.")]


@server.prompt(description="For the suite")
def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage | AssistantMessage]:  # noqa: N803
    return [UserMessage(_resource(resourceUri, "Embedded resource content for testing.")), UserMessage("Process it.")]


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
async def complete(*_: Any) -> Completion:
    return Completion(values=["paris", "park"], total=2, has_more=False)


async def _nothing(*_: Any) -> EmptyResult:
    return EmptyResult()


for method, params in (
    ("logging/setLevel", SetLevelRequestParams),
    ("resources/subscribe", SubscribeRequestParams),
    ("resources/unsubscribe", UnsubscribeRequestParams),
):
    server._lowlevel_server.add_request_handler(method, params, _nothing)


class Kept(EventStore):
    """All events of all streams, so that a stream can be taken up again."""

    def __init__(self) -> None:
        self._events: list[tuple[str, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        at = int(last_event_id)
        stream = self._events[at - 1][0]
        for number, (name, message) in enumerate(self._events[at:], at + 1):
            if name == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


if __name__ == "__main__":
    if len(sys.argv) == 1:
        server.run()
    else:
        app = server.streamable_http_app(event_store=Kept(), retry_interval=100)
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
