"""MCP results with our own words in them: text blocks, one line of JSON, or an error with its cause first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.notice import encode
from penstock.core.answer.stand_in import joined, text_block
from penstock.core.reading.cut import cut_text

if TYPE_CHECKING:
    from penstock.errors import PenstockError

LONGEST_ERROR: Final = 900  # bytes: an error is read whole, and stays under 1 KB with the JSON around it


def blocks(*parts: bytes) -> bytes:
    """A result with these blocks."""
    return joined([("content", b"[" + b",".join(parts) + b"]")])


def texts(*parts: str) -> bytes:
    """A result with these text blocks."""
    return blocks(*map(text_block, parts))


def told(value: dict[str, Any]) -> bytes:
    """A result with one text block that is one line of JSON."""
    return texts(encode(value).decode())


def failure(error: PenstockError, *, hint: str = "") -> bytes:
    """A tool error: the cause in its first line, then what to do."""
    text = "\n".join(line for line in (error.what, error.do, hint) if line)
    short = cut_text(text, lambda part: len(text_block(part)) <= LONGEST_ERROR).text
    return joined([("content", b"[" + text_block(short) + b"]"), ("isError", b"true")])
