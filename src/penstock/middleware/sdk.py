"""Penstock for servers on the official SDK (``mcp`` 2): the low-level server, and the high-level one on top of it.

    server = Server("notes", on_list_tools=..., on_call_tool=...)
    server.middleware.append(PenstockServerMiddleware(max_tokens=8_000))

    mcp = MCPServer("notes", middleware=[PenstockServerMiddleware(max_tokens=8_000)])

The SDK hands its middleware what goes over the wire, so that this is the gateway's work without the gateway.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import principal_components
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from penstock.errors import PenstockError
from penstock.middleware.configured import configured
from penstock.middleware.shared import SharedGate, ToolRequest
from penstock.protocol.state import META
from penstock.protocol.upstream_side import BOUNDED

if TYPE_CHECKING:
    from typing import Unpack

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

    from penstock.config import Config
    from penstock.config.typed import Given
    from penstock.gate import Gate
    from penstock.gate.owners import Owner

MODERN: Final = "2026-07-28"  # from this version on, an answer names its type, and a list how long it may be kept
SERVER_INFO: Final = f"{META}serverInfo"
NOT_KEPT: Final = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


class PenstockServerMiddleware:
    """Bounds tools, resources and prompts, and adds the tool that reads what was held."""

    def __init__(self, *, config: Config | None = None, gate: Gate | None = None, **settings: Unpack[Given]) -> None:
        """Take a configuration, or its settings one by one; a gate of your own if you have one."""
        self.shared_gate = SharedGate(configured(config, gate, **settings), gate)
        self._schemas: dict[str, Any] = {}
        self._structured: set[str] = set()
        self._read_only: set[str] = set()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message: answer calls of the fetch tool, bound the results of others."""
        if ctx.request_id is None:
            return await call_next(ctx)
        params = dict(ctx.params or {})
        if ctx.method == "tools/call":
            return await self._call(ctx, params, call_next)
        if ctx.method == "tools/list":
            return await self._list(ctx, call_next)
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            self._learn_name(result)
            return _with_tools(result)
        if ctx.method not in BOUNDED or not isinstance(result, dict):
            return result
        return await self.shared_gate.bounded(self._request(ctx, params), result)

    def _learn_name(self, result: dict[str, Any]) -> None:
        found = (result.get("serverInfo") or (result.get("_meta") or {}).get(SERVER_INFO) or {}).get("name")
        self.shared_gate.server_name = found if isinstance(found, str) else ""

    async def _call(
        self, ctx: ServerRequestContext[Any, Any], params: dict[str, Any], call_next: CallNext
    ) -> HandlerResult:
        """Call a tool, with held results in the place of the arguments that name them, and bound its result."""
        request, given = self._request(ctx, params), params.get("arguments")
        if params.get("name") == self.shared_gate.config.tool_name:
            return _of_era(ctx, await self.shared_gate.fetched(request))
        called = ctx
        if isinstance(given, dict) and self.shared_gate.names_held(given):
            try:
                filled = await self.shared_gate.resolved(request)
            except PenstockError as error:
                return _of_era(ctx, self.shared_gate.refused(error))
            called = replace(ctx, params={**params, "arguments": filled})
        result = await call_next(called)
        return await self.shared_gate.bounded(request, result) if isinstance(result, dict) else result

    async def _list(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        try:
            result = await call_next(ctx)
        except MCPError as error:
            if error.error.code != METHOD_NOT_FOUND:
                raise
            result = {"tools": [], **(NOT_KEPT if ctx.protocol_version >= MODERN else {})}
        if not isinstance(result, dict):
            return result
        tools = [tool for tool in result.get("tools", ()) if tool.get("name") != self.shared_gate.config.tool_name]
        for tool in tools:
            self._schemas[tool["name"]] = tool.get("inputSchema")
            if "outputSchema" in tool:
                self._structured.add(tool["name"])
            if (tool.get("annotations") or {}).get("readOnlyHint") is True:
                self._read_only.add(tool["name"])
        shown = [self.shared_gate.listed(tool) for tool in tools]
        if not result.get("nextCursor"):
            shown.append(self.shared_gate.definition)
        return {**result, "tools": shown}

    def _request(self, ctx: ServerRequestContext[Any, Any], params: dict[str, Any]) -> ToolRequest:
        name = str(params.get("name")) if ctx.method == "tools/call" else ctx.method
        given = {"uri": params.get("uri")} if ctx.method == "resources/read" else params.get("arguments")
        known = ctx.session.client_params
        return ToolRequest(
            method=ctx.method,
            name=name,
            owner=self._owner(ctx),
            arguments=given if isinstance(given, dict) else {},
            schema=self._schemas.get(name),
            client=known.client_info.name if known is not None else "",
            structured=self.shared_gate.config.output_schema == "wrap" and name in self._structured,
            read_only=name in self._read_only,
            over_http=getattr(ctx.request, "headers", None) is not None,
        )

    def _owner(self, ctx: ServerRequestContext[Any, Any]) -> Owner:
        token = get_access_token()
        request = ctx.request if hasattr(ctx.request, "headers") else None
        return self.shared_gate.owner(None if token is None else principal_components(token), request)


def _with_tools(result: dict[str, Any]) -> dict[str, Any]:
    abilities = result.get("capabilities") or {}
    return result if "tools" in abilities else {**result, "capabilities": {**abilities, "tools": {}}}


def _of_era(ctx: ServerRequestContext[Any, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "resultType": "complete"} if ctx.protocol_version >= MODERN else result
