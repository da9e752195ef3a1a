"""The official SDK's low-level server."""

from __future__ import annotations

import json
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from tests.kit.middleware_servers.data import ACT, RULES, STYLE, TEXT, findings, kept, page, polled, rows_text

from penstock.middleware.sdk import PenstockServerMiddleware

NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}}
KEPT = {"type": "object", "properties": {"text": {"type": "string"}, "value": {}}, "required": ["text"]}
TABLE = {"type": "object", "properties": {"table": {"type": "array", "items": {"type": "object"}}}}
CURSOR = {"type": "object", "properties": {"cursor": {"type": "string"}}}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
    tools = {"list_rows": NUMBER, "read_text": NOTHING, "fail": NUMBER, "keep": KEPT, "scan": NUMBER, "walk": CURSOR}
    tools |= {"poll": NUMBER, "keep_little": KEPT, "keep_safely": KEPT, "size_of": TABLE}
    listed = [types.Tool(name=name, input_schema=form) for name, form in tools.items()]
    hint = types.ToolAnnotations(read_only_hint=True)
    return types.ListToolsResult(tools=[*listed, types.Tool(name="list_page", input_schema=CURSOR, annotations=hint)])


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name == "size_of":
        return types.CallToolResult(content=[types.TextContent(text=str(len((params.arguments or {})["table"])))])
    if params.name.startswith("keep"):
        found = kept(**(params.arguments or {}))
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(found))])
    if params.name in ("list_page", "walk"):
        found = page((params.arguments or {}).get("cursor", ""))
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(found))])
    number = int((params.arguments or {}).get("number", 0))
    if params.name == "scan":
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(findings(number)))])
    if params.name == "poll":
        return types.CallToolResult(content=[types.TextContent(text=polled(number))])
    text = TEXT if params.name == "read_text" else rows_text(number)
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=params.name == "fail")


async def list_resources(_: Any, __: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(uri="data://text", name="text")])


async def read_resource(_: Any, __: Any) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri="data://text", text=TEXT)])


async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[types.Prompt(name="explain")])


async def get_prompt(_: Any, __: Any) -> types.GetPromptResult:
    content = types.TextContent(text=TEXT)
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


server: Server[Any] = Server(
    "data",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_read_resource=read_resource,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
)
server.middleware.append(
    PenstockServerMiddleware(max_tokens=2_000, store="memory:", rules=RULES, act=ACT, notice=STYLE)
)


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
