"""Put a tool's result through the jq program of its rule.

What is left is admitted like any result; the original is held beside it, so that nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.answer.result import parse, payload
from penstock.core.answer.stand_in import joined, text_block
from penstock.core.forms.converted import converted
from penstock.core.forms.document import Kind
from penstock.core.forms.recognise import read_form
from penstock.core.json import scan
from penstock.core.json.index import reader
from penstock.core.json.long_bytes import gathered
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.text import shorten
from penstock.query.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.answer.result import Payload, Result
    from penstock.core.forms.converted import Convert
    from penstock.core.forms.document import Document
    from penstock.query.sandbox.sandbox import Sandbox

LONG: Final = 90  # characters of a program or an error in a note


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredResult:
    """The result that a filter leaves, as an MCP result, and the document that it was taken from."""

    result: bytes
    original: Document


def filtered(
    result: bytes | Result, program: str, sandbox: Callable[[], Sandbox], convert: Convert
) -> FilteredResult | None:
    """Return what a program leaves of a result; None for an error, for what is no data, and where it changes nothing.
    Raises a ``CallerError`` when the program fails."""
    from penstock.query.jq.filter import run_filter  # noqa: PLC0415

    parsed = parse(result) if isinstance(result, bytes) else result
    data = payload(parsed)
    document = converted(data.document, convert)
    if parsed.is_error or not document.raw or document.kind is Kind.BINARY:
        return None
    is_text = document.kind is Kind.TEXT
    tables = tuple(table.kept for table in read_form(document).tables) if is_text else ()
    source = Source(read=reader(document.body), index=document.index, tables=tables)
    value = run_filter(program, source, sandbox()).json
    if document.kind is Kind.JSON and scan.minify(value) == scan.minify(gathered(document.body)):
        return None
    return FilteredResult(result=_with_value(parsed, data, value), original=document)


def filter_note(program: str, handle: str) -> str:
    """Say that a result was filtered, and where the original is."""
    return f"filtered by {_short(program)} (a setting of this tool); the original is held as {handle}"


def failure_note(what: str) -> str:
    """Say that a filter failed, so that the result is all of it."""
    return f"the filter that is set for this tool failed, so this is the original: {_short(what)}"


def _with_value(parsed: Result, data: Payload, value: bytes) -> bytes:
    """Return the result with a value as its text: a string as the text that it is. What structuredContent says has to
    be what the text says, so it goes."""
    text = unquote_to_bytes(value) if value[:1] == b'"' else value
    blocks = [text_block(text.decode("utf-8", "surrogatepass")), *(block.raw for block in data.rest)]
    beside = [one for one in parsed.members if one[0] not in ("content", "structuredContent")]
    return joined([("content", b"[" + b",".join(blocks) + b"]"), *beside])


def _short(text: str) -> str:
    return shorten(text.encode("ascii", "replace").decode(), LONG)
