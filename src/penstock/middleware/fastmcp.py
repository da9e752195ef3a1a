"""Penstock for FastMCP 4 servers.

    mcp = FastMCP("notes")
    mcp.add_middleware(PenstockMiddleware(max_tokens=8_000))

Add it last, so that it stands nearest to the tools: what others log, time or cache is then what the client gets.
"""

from __future__ import annotations

import base64
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.distribution import missing, outdated

try:
    import fastmcp  # noqa: F401
except ModuleNotFoundError as error:
    raise missing("fastmcp", error) from None

try:
    from fastmcp.exceptions import FastMCPError, NotFoundError, ToolError
    from fastmcp.prompts.base import InputRequiredPromptResult, Message, PromptResult
    from fastmcp.resources.base import InputRequiredResourceResult, ResourceContent, ResourceResult
    from fastmcp.server.dependencies import get_access_token, get_http_request
    from fastmcp.server.middleware.tool_injection import ToolInjectionMiddleware
    from fastmcp.tools.base import Tool, ToolResult
    from mcp.server.auth.provider import principal_components
    from mcp.shared.exceptions import MCPError
    from mcp_types import CallToolResult, GetPromptResult, TextContent
except ImportError as error:
    raise outdated(__name__, "fastmcp", 4, error) from None

from pydantic import PrivateAttr

from penstock.core.act.question import ARGUMENT
from penstock.errors import PenstockError, UpstreamError
from penstock.middleware.configured import configured
from penstock.middleware.shared import SharedGate, ToolRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    import mcp_types as mt
    from fastmcp import Context, FastMCP
    from fastmcp.server.middleware.middleware import CallNext, MiddlewareContext
    from pydantic import BaseModel

    from penstock.config import Config
    from penstock.config.typed import ConfigArguments
    from penstock.gate import Gate
    from penstock.gate.acts.more import PageCall
    from penstock.gate.owners import Owner
    from penstock.middleware.shared import HttpRequest


_page_of: ContextVar[str] = ContextVar("penstock_page_of", default="")  # the tool that ``more`` calls just now


class OwnTool(Tool):
    """One of our tools as FastMCP lists it. The middleware answers its calls."""

    _penstock: PenstockMiddleware = PrivateAttr()

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Answer a caller inside the server."""
        return await self._penstock.answer(self.name, arguments, None)


class PenstockMiddleware(ToolInjectionMiddleware):
    """Bounds tools, resources and prompts, and adds the tools for what was held."""

    def __init__(
        self, *, config: Config | None = None, gate: Gate | None = None, **settings: Unpack[ConfigArguments]
    ) -> None:
        """Take a configuration, or its settings one by one; a gate of your own if you have one."""
        self.shared_gate = SharedGate(configured(config, gate, **settings), gate)
        super().__init__([self._own(definition) for definition in self.shared_gate.definitions_with(asks=False)])
        self._schemas: dict[str, Mapping[str, Any]] = {}
        self._whole: dict[str, Tool] = {}  # tools as the server has them, where they are listed briefly
        self._structured: set[str] = set()
        self._read_only: set[str] = set()

    def _own(self, definition: dict[str, Any]) -> OwnTool:
        tool = OwnTool(
            name=definition["name"],
            description=definition["description"],
            parameters=definition["inputSchema"],
            annotations=definition["annotations"],
            meta=definition.get("_meta"),
        )
        tool._penstock = self
        return tool

    async def on_list_tools(
        self,
        context: MiddlewareContext[mt.ListToolsRequest],
        call_next: CallNext[mt.ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        """List our tools last, and no output schema that a stand-in would break."""
        ours = list(self.shared_gate.own_tools)
        tools = sorted(await call_next(context), key=lambda tool: ours.index(tool.name) if tool.name in ours else -1)
        for tool in tools:
            self._learn(tool)
        descriptions = {one["name"]: one["description"] for one in self.shared_gate.definitions}
        return [
            tool.model_copy(update={"description": descriptions[tool.name]})
            if tool.name in descriptions
            else self._listed_tool(tool)
            for tool in tools
        ]

    async def on_call_tool(
        self,
        context: MiddlewareContext[mt.CallToolRequestParams],
        call_next: CallNext[mt.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Return the tool's result, or its stand-in."""
        name, arguments = context.message.name, context.message.arguments or {}
        if _page_of.get() == name:
            return await call_next(context)  # a page that ``more`` fetches is bounded with all others
        if name in self.shared_gate.own_tools:
            return await self.answer(name, arguments, context)
        with self.shared_gate.calling(self._owner()):
            return await self._called(name, arguments, context, call_next)

    async def _called(
        self,
        name: str,
        arguments: dict[str, Any],
        context: MiddlewareContext[mt.CallToolRequestParams],
        call_next: CallNext[mt.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call a tool of the server, and bound its result."""
        if ARGUMENT in arguments or self.shared_gate.names_held(arguments):
            await self._learn_called(name, context)
        own, ask = self.shared_gate.without_question(arguments, self._schemas.get(name))
        sent = own
        if self.shared_gate.names_held(own):
            try:
                sent = await self.shared_gate.resolved(self._request("tools/call", name, own, context))
            except PenstockError as error:
                refused = CallToolResult.model_validate(self.shared_gate.refused(error))
                return ToolResult.from_mcp_result(refused)
        if sent != arguments:
            context = context.copy(message=context.message.model_copy(update={"arguments": sent}))
        try:
            result = await call_next(context)
        except ToolError as error:
            if self.shared_gate.is_small(name, str(error)):
                raise
            result = ToolResult(content=str(error), is_error=True)
        if type(result) is not ToolResult:
            return result  # a task, or a request to the user: not a result
        if context.fastmcp_context is not None:
            self.shared_gate.server_name = context.fastmcp_context.fastmcp.name
        if ask is None and _is_plain(result) and self.shared_gate.passes(name, _texts(result)):
            return result
        await self._learn_called(name, context)
        wire = _wire(result)
        request = replace(self._request("tools/call", name, own, context), ask=ask)
        answer = await self.shared_gate.bounded(request, wire)
        return result if answer is wire else ToolResult.from_mcp_result(CallToolResult.model_validate(answer))

    async def on_read_resource(
        self,
        context: MiddlewareContext[mt.ReadResourceRequestParams],
        call_next: CallNext[mt.ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """Return the resource, or its stand-in; an export in full or in part."""
        uri = str(context.message.uri)
        request = self._request("resources/read", "resources/read", {"uri": uri}, context)
        if self.shared_gate.is_export(uri):
            try:
                export = await self.shared_gate.exported(request, uri)
            except PenstockError as error:
                raise NotFoundError(str(error)) from None
            return ResourceResult([_content(one) for one in export["contents"]])
        result = await super().on_read_resource(context, call_next)
        if isinstance(result, InputRequiredResourceResult):
            return result
        wire = _dumped(result.to_mcp_result(uri))
        answer = await self.shared_gate.bounded(request, wire)
        if answer is wire:
            return result
        return ResourceResult([_content(one) for one in answer["contents"]], answer.get("_meta"))

    async def on_get_prompt(
        self,
        context: MiddlewareContext[mt.GetPromptRequestParams],
        call_next: CallNext[mt.GetPromptRequestParams, PromptResult],
    ) -> PromptResult:
        """Return the prompt, or its stand-in."""
        result = await call_next(context)
        if isinstance(result, InputRequiredPromptResult):
            return result
        wire = _dumped(result.to_mcp_prompt_result())
        request = self._request("prompts/get", "prompts/get", context.message.arguments or {}, context)
        answer = await self.shared_gate.bounded(request, wire)
        if answer is wire:
            return result
        prompt = GetPromptResult.model_validate(answer)
        messages = [Message(one.content, role=one.role) for one in prompt.messages]
        return PromptResult(messages, description=prompt.description, meta=answer.get("_meta"))

    async def answer(self, name: str, arguments: dict[str, Any], context: MiddlewareContext[Any] | None) -> ToolResult:
        """Answer a call of one of our tools."""
        request = self._request("tools/call", name, arguments, context)
        if (
            name == self.shared_gate.config.act_tool_name
            and context is not None
            and context.fastmcp_context is not None
        ):
            request = await self._acting(request, context.fastmcp_context)
        if self.shared_gate.lists_briefly and context is not None and context.fastmcp_context is not None:
            request = replace(request, definitions=partial(self._definitions, context.fastmcp_context.fastmcp))
        answer = await self.shared_gate.own_tools[name](request)
        return ToolResult.from_mcp_result(CallToolResult.model_validate(answer))

    async def _acting(self, request: ToolRequest, context: Context) -> ToolRequest:
        """Return a request of the act tool with what ``more`` needs. A page is called through the whole server, so that
        all that guards a tool does so here too."""
        server = context.fastmcp
        if "more" in self.shared_gate.config.act:
            await server.list_tools()  # which teaches us of all

        async def call(needed: PageCall) -> dict[str, Any]:
            await context.report_progress(needed.done, needed.most, needed.message)
            token = _page_of.set(needed.tool)
            try:
                result = await server.call_tool(needed.tool, dict(needed.arguments))
            except (FastMCPError, MCPError) as error:
                raise UpstreamError(f"{needed.tool} failed: {error}") from None
            finally:
                _page_of.reset(token)
            if type(result) is not ToolResult:
                raise UpstreamError(f"{needed.tool} gave a task, or asks the user")
            return _wire(result)

        return replace(request, target_of=self._target_of, call=call)

    def _target_of(self, tool: str) -> tuple[Mapping[str, Any] | None, bool]:
        return self._schemas.get(tool), tool in self._read_only

    async def _learn_called(self, name: str, context: MiddlewareContext[Any]) -> None:
        """Remember a tool that is called by a client which has not listed the tools."""
        if name not in self._schemas and context.fastmcp_context is not None:
            tool = await context.fastmcp_context.fastmcp.get_tool(name)
            if tool is not None:
                self._learn(tool)

    def _learn(self, tool: Tool) -> None:
        """Remember the parameters of a tool, to suggest narrower calls of it and to write arguments as it wants."""
        self._schemas[tool.name] = tool.parameters
        if tool.output_schema is not None:
            self._structured.add(tool.name)
        is_read_only = tool.annotations is not None and tool.annotations.read_only_hint is True
        (self._read_only.add if is_read_only else self._read_only.discard)(tool.name)

    def _listed_tool(self, tool: Tool) -> Tool:
        """Return a tool as it is listed: without an output schema that a stand-in would break, and as settings say."""
        self._whole[tool.name] = tool
        definition = {"name": tool.name, "inputSchema": tool.parameters}
        if tool.description is not None:
            definition["description"] = tool.description
        if tool.output_schema is not None:
            definition["outputSchema"] = tool.output_schema
        listed = self.shared_gate.listed(definition)
        changes = {
            "description": listed.get("description"),
            "parameters": listed["inputSchema"],
            "output_schema": listed.get("outputSchema"),
        }
        if self.shared_gate.lists_briefly:
            changes["title"] = None
        return tool.model_copy(update=changes)

    async def _definitions(self, server: FastMCP) -> dict[str, dict[str, Any]]:
        """Return the definitions of the tools that the server lists for this client, whole."""
        listed = await server.list_tools()  # through this middleware, which learns them
        return {
            tool.name: self._whole[tool.name].to_mcp_tool().model_dump(by_alias=True, exclude_none=True, mode="json")
            for tool in listed
            if tool.name in self._whole
        }

    def _request(
        self, method: str, name: str, arguments: dict[str, Any], context: MiddlewareContext[Any] | None
    ) -> ToolRequest:
        return ToolRequest(
            method=method,
            name=name,
            owner=self._owner(),
            arguments=arguments,
            schema=self._schemas.get(name),
            client=_client(context),
            structured=self.shared_gate.config.output_schema == "wrap" and name in self._structured,
            read_only=name in self._read_only,
            over_http=_http_request() is not None,
        )

    def _owner(self) -> Owner:
        token = get_access_token()
        return self.shared_gate.owner(None if token is None else principal_components(token), _http_request())


def _http_request() -> HttpRequest | None:
    """Return the HTTP request; None for a pipe, or a caller inside the server."""
    try:
        return get_http_request()
    except RuntimeError:
        return None


def _client(context: MiddlewareContext[Any] | None) -> str:
    if context is None or context.fastmcp_context is None:
        return ""
    try:
        known = context.fastmcp_context.session.client_params
    except RuntimeError:
        return ""
    return known.client_info.name if known is not None else ""


def _is_plain(result: ToolResult) -> bool:
    return all(type(block) is TextContent for block in result.content)


def _texts(result: ToolResult) -> list[Any]:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    return [*texts, result.structured_content, result.meta]


def _wire(result: ToolResult) -> dict[str, Any]:
    """Return a tool's result as the dict that goes over the wire. Texts and structured content are not copied."""
    content = [
        {"type": "text", "text": block.text}
        if type(block) is TextContent and block.annotations is None and block.meta is None
        else _dumped(block)
        for block in result.content
    ]
    wire: dict[str, Any] = {"content": content, "isError": result.is_error}
    if result.structured_content is not None:
        wire["structuredContent"] = result.structured_content
    if result.meta is not None:
        wire["_meta"] = result.meta
    return wire


def _dumped(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def _content(content: dict[str, Any]) -> ResourceContent:
    data = content["text"] if "text" in content else base64.b64decode(content["blob"])
    return ResourceContent(data, mime_type=content.get("mimeType"), meta=content.get("_meta"))
