"""Texts as answers of tools."""

from __future__ import annotations

import json
from typing import Any

from fastmcp.tools.base import ToolResult
from mcp_types import TextContent


def as_json(value: Any) -> str:
    """Encode a value as JSON, as short as it can be: a model reads it, and each blank costs."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()  # an argument that is repeated may have half a character in it


def texts(*blocks: str) -> ToolResult:
    """Answer with blocks of text."""
    return ToolResult(content=[TextContent(type="text", text=block) for block in blocks])
