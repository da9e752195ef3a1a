"""Write the results of Penstock's own tools: one text block whose first line is JSON, or an error with its cause first.

The exact text of an answer follows the line break. Clients that keep only the first block lose nothing of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.notice import encode, line_and_text
from penstock.core.answer.stand_in import joined, text_block
from penstock.core.budget import LEAST_BUDGET, LEAST_BYTES, LEAST_LINES
from penstock.core.reading.cut import cut_text
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from penstock.core.budget import Budget
    from penstock.errors import PenstockError

NOTE: Final = 160  # tokens of a note behind an answer, upper bound included; at most 300 characters of ASCII
NOTE_BYTES: Final = 400
LONGEST_ERROR: Final = 900  # bytes: an error is read whole, and stays under 1 KB with the JSON around it


def block_result(*parts: bytes) -> bytes:
    """Return a result with these blocks."""
    return joined([("content", b"[" + b",".join(parts) + b"]")])


def text_result(line: str, text: str = "") -> bytes:
    """Return a result with one text block: one line of JSON, then the exact text, if there is any."""
    return block_result(text_block(line_and_text(line, text)))


def json_result(value: dict[str, Any]) -> bytes:
    """Return a result with one text block: one line of JSON."""
    return text_result(encode(value).decode())


def less_note(budget: Budget, note: str) -> Budget:
    """Return the budget less what a note costs. It is the same budget without a note, or without room for one."""
    if not note or not _has_room(budget):
        return budget
    lines = None if budget.max_lines is None else budget.max_lines - 1
    tokens, size = budget.max_tokens - NOTE, budget.max_text_bytes - NOTE_BYTES
    return replace(budget, max_tokens=tokens, max_text_bytes=size, max_lines=lines)


def beside_note(budget: Budget, note: str) -> Budget:
    """Return the budget for a stand-in with a note after it: what it says of the limits stays true."""
    if not note or not _has_room(budget):
        return budget
    return replace(
        budget,
        preview_tokens=min(budget.preview_tokens, budget.max_tokens - NOTE),
        preview_bytes=min(budget.preview_bytes, budget.text_bytes - NOTE_BYTES),
        max_lines=None if budget.max_lines is None else budget.max_lines - 1,
    )


def with_note(answer: bytes, name: str, note: str, budget: Budget) -> bytes:
    """Add a note to the first line of an answer, if ``less_note`` has left room for it in this budget."""
    return with_member(answer, name, note) if note and _has_room(budget) else answer


def with_member(answer: bytes, name: str, value: Any) -> bytes:
    """Return an answer of ours with one more member at the end of the object in its first line."""
    first, *others = jsonrpc.items(jsonrpc.bytes_at(answer, "content") or b"")
    line, newline, text = jsonrpc.text_at(first, "text").partition("\n")
    member = encode({name: value}).decode().removeprefix("{")
    block = text_block(f"{line.removesuffix('}')},{member}{newline}{text}")
    return jsonrpc.put(answer, b"[" + b",".join((block, *others)) + b"]", "content")


def with_block(answer: bytes, note: str) -> bytes:
    """Return an upstream's result with one more text block, and every other byte as it was."""
    content = jsonrpc.bytes_at(answer, "content")
    if content is None:
        return answer
    blocks = content.rstrip()[:-1].rstrip()
    comma = b"" if blocks.endswith(b"[") else b","
    return jsonrpc.put(answer, blocks + comma + text_block(note) + b"]", "content")


def _has_room(budget: Budget) -> bool:
    is_wide = budget.max_lines is None or budget.max_lines > LEAST_LINES
    sizes = min(budget.max_tokens - NOTE - LEAST_BUDGET, budget.text_bytes - NOTE_BYTES - LEAST_BYTES)
    return is_wide and not budget.structured and sizes >= 0


def error_result(error: PenstockError, *, hint: str = "") -> bytes:
    """Return a tool error: the cause in its first line, then what to do."""
    text = "\n".join(line for line in (error.what, error.do, hint) if line)
    short = cut_text(text, lambda part: len(text_block(part)) <= LONGEST_ERROR).text
    return joined([("content", b"[" + text_block(short) + b"]"), ("isError", b"true")])
