"""Penstock's middleware, for a server that has its own form of stand-ins and also cuts what is too deep.

What Penstock holds is answered with ``stand_in`` in place of Penstock's own notice and preview, on the same handle.
Symbols that fit and are nested too deep are held as well, through a second gate on the same store that holds whatever
it gets.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final

from fastmcp.tools.base import ToolResult
from mcp_types import TextContent

from code_server.stand_in import ITEMS, SYMBOLS, Buffered, is_deep, stand_in
from penstock import Gate, open_store
from penstock.middleware.fastmcp import PenstockMiddleware
from penstock.middleware.shared import SharedGate, ToolRequest
from server_parts.answers import texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from mcp_types import CallToolRequestParams

    from penstock import Config

NOTICE: Final = '{"type":"buffered_response","cache_id":'


class Buffering(PenstockMiddleware):
    """Bounds the tools of this server."""

    def __init__(self, config: Config, now: Callable[[], float] = time.time) -> None:
        """Take Penstock's configuration, and open its store. The answers of the buffer need all figures."""
        config = config.with_(notice="full")
        store = open_store(config.store, max_bytes=config.max_store_bytes, max_items=config.max_store_items, now=now)
        super().__init__(config=config, gate=Gate(store, config, now=now))
        holding = config.with_(always_hold=True, never_hold=False)
        self._holder = SharedGate(holding, Gate(store, holding, now=now))

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Return the tool's answer, or what stands in for it."""
        seen: list[ToolResult] = []

        async def call(context: MiddlewareContext[CallToolRequestParams]) -> ToolResult:
            seen.append(await call_next(context))
            return seen[0]

        answer = await super().on_call_tool(context, call)
        tool, config = context.message.name, self.shared_gate.config
        rule = config.rule_for(tool)
        if not seen or tool not in ITEMS or rule.never_hold:
            return answer
        fits = answer is seen[0]
        if fits and tool != SYMBOLS:
            return answer
        data = json.loads(_text(seen[0]))
        if fits:
            if not is_deep(tool, data, config):
                return answer
            answer = await self._held(context, _text(seen[0]))
        if not _text(answer).startswith(NOTICE):  # the store has failed, and Penstock says so
            return answer
        notice = json.loads(_text(answer).partition("\n")[0])
        if "metadata" not in notice:  # the client has hardly any room, and Penstock has used it well
            return answer
        exceeds = not fits and notice["metadata"]["would_exceed_limit"]
        arguments = context.message.arguments or {}
        held = Buffered(tool=tool, arguments=arguments, data=data, notice=notice, exceeds=exceeds, for_depth=fits)
        text = stand_in(held, config)
        return answer if text is None else texts(text)

    async def _held(self, context: MiddlewareContext[CallToolRequestParams], text: str) -> ToolResult:
        request = ToolRequest(
            method="tools/call",
            name=context.message.name,
            owner=self.shared_gate.owner(None, None),  # over a pipe there is one caller
            arguments=context.message.arguments or {},
        )
        wire: dict[str, Any] = await self._holder.bounded(request, {"content": [{"type": "text", "text": text}]})
        return ToolResult(content=[TextContent.model_validate(block) for block in wire["content"]])


def _text(result: ToolResult) -> str:
    block = result.content[0]
    return block.text if isinstance(block, TextContent) else ""
