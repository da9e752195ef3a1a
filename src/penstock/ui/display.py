"""Rows and answers as the API sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.json import whole
from penstock.core.tokens.count import count
from penstock.gate.looking.cells import clean, shown_cell, written

if TYPE_CHECKING:
    from penstock.gate.looking.windows import RowWindow


def display_rows(window: RowWindow) -> dict[str, Any]:
    """Return rows by columns, with their numbers from 1."""
    return {
        "columns": [clean(one) for one in window.columns],
        "numbers": window.numbers,
        "rows": [[shown_cell(cell) for cell in row] for row in window.rows],
        "total": window.total,
    }


def display_answer(answer: bytes) -> dict[str, Any] | None:
    """Return an MCP result as a page shows it: its texts as they are, other blocks by their type and size. None for an
    answer that was not kept."""
    if not answer:
        return None
    result = whole.decode(answer)
    return {
        "blocks": [_block(one) for one in result.get("content", []) if isinstance(one, dict)],
        "is_error": result.get("isError") is True,
        "bytes": len(answer),
        "tokens": count(answer).tokens,
    }


def _block(block: dict[str, Any]) -> dict[str, Any]:
    if block.get("type") == "text":
        return {"type": "text", "text": clean(str(block.get("text", "")))}
    return {"type": str(block.get("type")), "mime": str(block.get("mimeType", "")), "bytes": len(written(block))}
