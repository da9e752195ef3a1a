"""Replace how FastMCP turns a tool's return value into a result, for calls inside Penstock's middleware only.

FastMCP copies a value three times on the way, as objects. What is surely held is read as JSON alone, so that data of
many megabytes is written once, and by the fastest way. FastMCP has no hook for this: ``Tool.convert_result`` is
replaced, once, when the first middleware is made. Every other call goes to the method that was there.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from fastmcp.tools.base import Tool, ToolResult
from mcp_types import TextContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.middleware.shared import SharedGate

_original = Tool.convert_result
_call: ContextVar[tuple[SharedGate, str] | None] = ContextVar("penstock_call", default=None)


def install() -> None:
    """Replace FastMCP's method. A second call changes nothing."""
    Tool.convert_result = _convert  # type: ignore[method-assign, assignment]


@contextmanager
def call_of(shared_gate: SharedGate, tool: str) -> Iterator[None]:
    """Mark the calls inside the block as calls of this tool, behind this gate."""
    token = _call.set((shared_gate, tool))
    try:
        yield
    finally:
        _call.reset(token)


def _convert(tool: Tool, raw_value: Any) -> ToolResult:
    call = _call.get()
    text = None if call is None else call[0].surely_held(call[1], raw_value)
    if text is None:
        return _original(tool, raw_value)
    return ToolResult(content=[TextContent(type="text", text=text)])
