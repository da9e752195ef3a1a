"""The values that ``fit`` accepts, each as the MCP result that a server would send for it.

An MCP result is read as it is: JSON bytes, a dict, or an object of the official SDK. A dict or a list of other data is
a result with one text block, which has the data as JSON. A str is a result with one text block, which has that text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from penstock.core.answer.result import Result
from penstock.core.json.strings import quote_exactly
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Sequence


class ResultModel(Protocol):
    """A result as an object of the official SDK (``CallToolResult``), without an import of the SDK."""

    @property
    def content(self) -> Sequence[Any]: ...

    def model_dump_json(self, *, by_alias: bool, exclude_none: bool) -> str: ...


FitInput = Result | bytes | str | dict[str, Any] | list[Any] | ResultModel


def as_result(value: FitInput) -> Result | bytes:
    """Return the MCP result for a value. Bytes that are not an MCP result are one text, which ``parse`` decides."""
    if isinstance(value, Result | bytes):
        return value
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, dict | list):
        data = _as_json(value)
        return data if _is_result(value) else _of_text(data.decode())
    if hasattr(value, "model_dump_json") and isinstance(getattr(value, "content", None), list):
        return value.model_dump_json(by_alias=True, exclude_none=True).encode()
    raise TypeError(
        "fit accepts an MCP result (as JSON bytes, a dict or an object of the SDK), "
        f"a dict or a list of other data, or a str, but got {type(value).__name__}"
    )


def _is_result(value: dict[str, Any] | list[Any]) -> bool:
    """Return True if a value has ``structuredContent``, or if each item of ``content`` has a type as MCP blocks do."""
    if not isinstance(value, dict):
        return False
    content = value.get("content")
    has_blocks = isinstance(content, list) and all(
        isinstance(block, dict) and isinstance(block.get("type"), str) for block in content
    )
    return has_blocks or "structuredContent" in value


def _of_text(text: str) -> bytes:
    return b'{"content":[{"type":"text","text":' + quote_exactly(text) + b"}]}"


def _as_json(value: dict[str, Any] | list[Any]) -> bytes:
    try:
        written = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CallerError(f"the data cannot be written as JSON: {error}", do="convert that value first") from error
    return written.encode("utf-8", "backslashreplace")  # a lone surrogate becomes its escape in JSON
