"""Penstock for servers on the official SDK (``mcp`` 2): the low-level server, and the high-level one on top of it.

    server = Server("notes", on_list_tools=..., on_call_tool=...)
    server.middleware.append(PenstockServerMiddleware(max_tokens=8_000))

    mcp = MCPServer("notes", middleware=[PenstockServerMiddleware(max_tokens=8_000)])

The SDK hands its middleware what goes over the wire, so that this is the gateway's work without the gateway.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from penstock.distribution import missing, outdated

try:
    import mcp  # noqa: F401
except ModuleNotFoundError as error:
    raise missing("mcp", error) from None

try:
    from mcp.server.auth.middleware.auth_context import get_access_token
    from mcp.server.auth.provider import principal_components
    from mcp.shared.exceptions import MCPError
    from mcp_types import METHOD_NOT_FOUND
except ImportError as error:
    raise outdated(__name__, "mcp", 2, error) from None

from penstock.core.act.question import INSTRUCTIONS
from penstock.errors import PenstockError, UpstreamError
from penstock.middleware.configured import configured
from penstock.middleware.shared import SharedGate, ToolRequest
from penstock.protocol.state import META
from penstock.protocol.upstream_side import BOUNDED
from penstock.protocol.wire.jsonrpc import RESOURCE_NOT_FOUND

if TYPE_CHECKING:
    from typing import Unpack

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

    from penstock.config import Config
    from penstock.config.typed import ConfigArguments
    from penstock.gate import Gate
    from penstock.gate.acts.more import PageCall
    from penstock.gate.owners import Owner

MODERN: Final = "2026-07-28"  # from this version on, an answer names its type, and a list how long it may be kept
SERVER_INFO: Final = f"{META}serverInfo"
CHANGED: Final = ("initialize", "server/discover", "tools/list")
# Lists that a server without such things refuses: the capability, and the member of the result.
EMPTY: Final = {
    "tools/list": ("tools", "tools"),
    "resources/list": ("resources", "resources"),
    "resources/templates/list": ("resources", "resourceTemplates"),
}
MOST_PAGES: Final = 1_000  # of one list; no server has as many, but one that turns in circles has
NOT_KEPT: Final = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


class PenstockServerMiddleware:
    """Bounds tools, resources and prompts, and adds the tools for what was held."""

    def __init__(
        self, *, config: Config | None = None, gate: Gate | None = None, **settings: Unpack[ConfigArguments]
    ) -> None:
        """Take a configuration, or its settings one by one; a gate of your own if you have one."""
        self.shared_gate = SharedGate(configured(config, gate, **settings), gate)
        self._schemas: dict[str, Any] = {}
        self._structured: set[str] = set()
        self._read_only: set[str] = set()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle one message: answer calls of our tools, bound the results of others."""
        if ctx.request_id is None:
            return await call_next(ctx)
        params = dict(ctx.params or {})
        if ctx.method == "tools/call":
            return await self._call(ctx, params, call_next)
        if ctx.method == "resources/read" and self.shared_gate.is_export(str(params.get("uri"))):
            return await self._export(ctx, params)
        result = await self._result(ctx, call_next)
        if isinstance(result, dict) and ctx.method in CHANGED:
            if ctx.method != "tools/list":
                self._learn_name(result)
            return self._listed(result) if ctx.method == "tools/list" else self._introduced(result)
        if ctx.method not in BOUNDED or not isinstance(result, dict):
            return result
        return await self.shared_gate.bounded(self._request(ctx, params), result)

    def _learn_name(self, result: dict[str, Any]) -> None:
        name = (result.get("serverInfo") or (result.get("_meta") or {}).get(SERVER_INFO) or {}).get("name")
        self.shared_gate.server_name = name if isinstance(name, str) else ""

    async def _call(
        self, ctx: ServerRequestContext[Any, Any], params: dict[str, Any], call_next: CallNext
    ) -> HandlerResult:
        """Call a tool, with held results in the place of the arguments that name them, and bound its result."""
        request, arguments = self._request(ctx, params), params.get("arguments")
        if (answer := self.shared_gate.own_tools.get(request.name)) is not None:
            calling = replace(
                request,
                target_of=self._target_of,
                call=partial(self._page, ctx, call_next),
                definitions=partial(self._definitions, ctx, call_next),
            )
            return _of_era(ctx, await answer(calling))
        sent, ask = self.shared_gate.without_question(dict(request.arguments), request.schema)
        request = replace(request, arguments=sent, ask=ask)
        if self.shared_gate.names_held(sent):
            try:
                sent = await self.shared_gate.resolved(request)
            except PenstockError as error:
                return _of_era(ctx, self.shared_gate.refused(error))
        is_changed = isinstance(arguments, dict) and sent != arguments
        with self.shared_gate.calling(request.owner):
            result = await call_next(replace(ctx, params={**params, "arguments": sent}) if is_changed else ctx)
            return await self.shared_gate.bounded(request, result) if isinstance(result, dict) else result

    def _target_of(self, tool: str) -> tuple[Any, bool]:
        return self._schemas.get(tool), tool in self._read_only

    async def _page(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext, needed: PageCall) -> dict[str, Any]:
        """Call a tool for ``more``, and tell the client how far that has come."""
        await ctx.session.report_progress(needed.done, needed.most, needed.message)
        params = {**(ctx.params or {}), "name": needed.tool, "arguments": dict(needed.arguments)}
        try:
            result = await call_next(replace(ctx, params=params))
        except MCPError as error:
            raise UpstreamError(f"{needed.tool} failed: {error}") from None
        if not isinstance(result, dict):
            raise UpstreamError(f"{needed.tool} gave no result")
        return result

    async def _definitions(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> dict[str, dict[str, Any]]:
        """Return the definitions of the tools that the server lists for this client, whole."""
        definitions: dict[str, dict[str, Any]] = {}
        params: dict[str, Any] = {key: value for key, value in (ctx.params or {}).items() if key == "_meta"}
        for _ in range(MOST_PAGES):
            page = await call_next(replace(ctx, method="tools/list", params=params))
            listed = page if isinstance(page, dict) else {}
            definitions |= {tool["name"]: tool for tool in listed.get("tools", ()) if tool.get("name")}
            if not listed.get("nextCursor"):
                break
            params = {**params, "cursor": listed["nextCursor"]}
        return definitions

    async def _export(self, ctx: ServerRequestContext[Any, Any], params: dict[str, Any]) -> HandlerResult:
        """Read an export, in full or in part."""
        try:
            result = await self.shared_gate.exported(self._request(ctx, params), str(params["uri"]))
        except PenstockError as error:
            raise MCPError(RESOURCE_NOT_FOUND, str(error)) from None
        return _of_era(ctx, result)

    async def _result(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Return the server's own result; an empty list where it has none of a kind, and we have."""
        try:
            return await call_next(ctx)
        except MCPError as error:
            ability, member = EMPTY.get(ctx.method, ("", ""))
            if error.error.code != METHOD_NOT_FOUND or ability not in self.shared_gate.abilities:
                raise
            return {member: [], **(NOT_KEPT if ctx.protocol_version >= MODERN else {})}

    def _introduced(self, result: dict[str, Any]) -> dict[str, Any]:
        """Add the capabilities that our tools need, and how a call carries a question, to the server's own."""
        abilities = result.get("capabilities") or {}
        added: dict[str, Any] = {name: {} for name in self.shared_gate.abilities if name not in abilities}
        changed: dict[str, Any] = {"capabilities": {**abilities, **added}} if added else {}
        if self.shared_gate.config.ask == "all":
            changed["instructions"] = "\n\n".join(filter(None, (result.get("instructions"), INSTRUCTIONS)))
        return {**result, **changed} if changed else result

    def _listed(self, result: dict[str, Any]) -> dict[str, Any]:
        """Remember the server's tools, and list ours after them."""
        tools = [tool for tool in result.get("tools", ()) if tool.get("name") not in self.shared_gate.own_tools]
        for tool in tools:
            self._schemas[tool["name"]] = tool.get("inputSchema")
            if "outputSchema" in tool:
                self._structured.add(tool["name"])
            is_read_only = (tool.get("annotations") or {}).get("readOnlyHint") is True
            (self._read_only.add if is_read_only else self._read_only.discard)(tool["name"])
        definitions = [self.shared_gate.listed(tool) for tool in tools]
        if not result.get("nextCursor"):
            definitions += self.shared_gate.definitions
        return {**result, "tools": definitions}

    def _request(self, ctx: ServerRequestContext[Any, Any], params: dict[str, Any]) -> ToolRequest:
        name = str(params.get("name")) if ctx.method == "tools/call" else ctx.method
        arguments = {"uri": params.get("uri")} if ctx.method == "resources/read" else params.get("arguments")
        known = ctx.session.client_params
        return ToolRequest(
            method=ctx.method,
            name=name,
            owner=self._owner(ctx),
            arguments=arguments if isinstance(arguments, dict) else {},
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


def _of_era(ctx: ServerRequestContext[Any, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "resultType": "complete"} if ctx.protocol_version >= MODERN else result
