"""Tells a client how far the vault has been read while its call waits for that."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware

from vault_server import vault as reading

if TYPE_CHECKING:
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools.base import ToolResult
    from mcp_types import CallToolRequestParams

    from vault_server.vault import Vault

STEP: Final = 0.5  # seconds between two notifications
SEARCHES: Final = ("search_vault_simple", "search_vault", "search_vault_smart")
OPERATIONS: Final = ("search", "query", "smart")  # the same, of the tool that stands for many
CATEGORIES: Final = ("tags", "fields")  # of discover


class Reading(Middleware):
    """Sends progress to a client that gave a token for it, until every note has been read or patience is at its end."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Relay the call, once there is something to search."""
        ready, session = self._vault.ready, context.fastmcp_context
        if session is not None and not ready.done() and _waits(context.message.name, context.message.arguments or {}):
            waited_for = asyncio.wrap_future(ready)
            for _ in range(int(reading.PATIENCE / STEP)):
                await asyncio.wait([waited_for], timeout=STEP)
                done, of = self._vault.progress
                await session.report_progress(done, of or None, "notes read")
                if ready.done():
                    break
            else:  # the tool would wait as long again
                raise ToolError(str(self._vault.not_yet()), log_level=logging.DEBUG)
        return await call_next(context)


def _waits(tool: str, arguments: dict[str, Any]) -> bool:
    """Decide whether a call needs all notes to be read. An argument that is wrong is told at once, by the tool
    itself."""
    if tool == "vault":
        return arguments.get("operation") in OPERATIONS
    if tool == "discover":
        return arguments.get("category") in CATEGORIES
    return tool in SEARCHES
