"""Say why a result does not pass: the figure that decided, or the error that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.answer.result import Result
from penstock.core.answer.stand_in import cost
from penstock.core.budget import line_count, wire_length
from penstock.core.forms.document import Kind
from penstock.core.json.long_bytes import gathered
from penstock.core.text import line_text

if TYPE_CHECKING:
    from penstock.core.answer.result import Payload
    from penstock.core.budget import Budget
    from penstock.core.forms.document import Document
    from penstock.core.measure import Measure

CAUSE: Final = 120  # characters of an error that stand in the message
EMPTY: Final = Result(raw=b"{}", members=(), blocks=())


def media_size(result: Result) -> int:
    """Return the bytes of the pictures and sounds of a result, without the other members of their blocks."""
    return sum(len(block.raw) - len(block.frame) for block in result.blocks if block.is_media)


def lines_of(result: Result) -> int:
    return sum(line_count(block.data) for block in result.blocks if block.data is not None)


def reason_of(result: Result, content: Payload, figures: Measure, budget: Budget) -> tuple[str, int | None, bool]:
    """Return the figure that decided, in words with its limit; the limit in bytes where it was that; and whether
    anything exceeds a limit at all."""
    tokens, limit = figures.tokens.tokens, budget.max_tokens
    about = f"about {tokens:,} tokens" if tokens else "no text"
    if tokens > limit:
        return f"{about}; the limit is {limit:,}", None, True
    if result is EMPTY:  # data that is no result, measured as one text block
        raw = gathered(content.document.raw)
        charged, size, text_size = content.counts(budget.profile)[1].upper, wire_length(raw), wire_length(raw)
        lines = line_count(raw)
    else:
        charged, size, text_size = cost(result, budget.profile), result.size, result.size - media_size(result)
        lines = lines_of(result)
    if charged > limit:
        return f"{about}, and up to {charged:,} as it is sent; the limit is {limit:,}", None, True
    for amount, most in ((size, budget.max_bytes), (text_size, budget.max_text_bytes)):
        if amount > most:
            return f"{about}, {amount:,} bytes; the limit is {most:,} bytes", most, True
    if lines > budget.lines:
        return f"{about}, {lines:,} lines; the limit is {budget.lines:,} lines", None, True
    return f"{about}; held, as all that this tool gives", None, False


def cause_of(document: Document) -> str:
    """Return the first line of an error, as a sentence; of JSON its beginning, as the first line is often a bracket
    alone."""
    head = document.raw[: 8 * CAUSE].decode("utf-8", "replace").strip()
    if document.kind is Kind.BINARY or not head:
        return ""
    line = " ".join(head.split()) if document.kind is Kind.JSON else head.splitlines()[0]
    first = line_text(line[:CAUSE], CAUSE) + ("…" if len(line) > CAUSE else "")
    return first if first.endswith((".", "…", "!", "?")) else f"{first}."
