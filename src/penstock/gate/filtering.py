"""Put a tool's result through the jq program of its rule.

What is left is admitted like any result; the original is held beside it, so that nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.answer.block import read_block
from penstock.core.answer.result import parse, payload
from penstock.core.answer.stand_in import joined
from penstock.core.budget import Room
from penstock.core.forms.converted import converted
from penstock.core.forms.document import Kind
from penstock.core.forms.recognise import read_form
from penstock.core.json import scan
from penstock.core.json.index import reader
from penstock.core.json.strings import quote, quote_exactly, unquote_to_bytes
from penstock.core.reading.cut import cut_text
from penstock.core.text import shorten
from penstock.gate.tool_results import NOTE, NOTE_BYTES
from penstock.query.jq.filter import run_filter
from penstock.query.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.answer.result import Payload, Result
    from penstock.core.forms.converted import Convert
    from penstock.core.forms.document import Document
    from penstock.query.sandbox.sandbox import Sandbox

BLOCKS: Final = "penstock/blocks"  # the member that has several text blocks without their texts
REPEATED: Final = "penstock/repeated"  # the member that has those which later ones of the same name override
TEXT: Final = read_block(b'{"type":"text","text":""}')
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
    parsed = parse(result) if isinstance(result, bytes) else result
    if parsed.is_interim:
        return None
    data = payload(parsed)
    document = converted(data.document, convert)
    if parsed.is_error or not document.raw or document.kind is Kind.BINARY:
        return None
    is_text = document.kind is Kind.TEXT
    tables = tuple(table.kept for table in read_form(document).tables) if is_text else ()
    source = Source(read=reader(document.body), index=document.index, tables=tables)
    value = run_filter(program, source, sandbox()).json
    if document.kind is Kind.JSON and scan.minify(value) == scan.minify(document.body[:]):
        return None
    return FilteredResult(result=_with_value(parsed, data, value), original=document)


def filter_note(program: str, handle: str) -> str:
    """Say that a result was filtered, and where the original is."""
    return f"filtered by a configured jq rule ({_short(program)}); unfiltered result: {handle}"


def failure_note(what: str) -> str:
    """Say that a filter failed, so that the result is all of it."""
    return f"the filter that is set for this tool failed, so this is the original: {_short(what)}"


def _with_value(parsed: Result, data: Payload, value: bytes) -> bytes:
    """Return the result with a value as its text: a string as the text that it is. What structuredContent says has to
    be what the text says, so a copy of it goes. Other members of the blocks and of structuredContent stay."""
    text = quote_exactly((unquote_to_bytes(value) if value[:1] == b'"' else value).decode("utf-8", "surrogatepass"))
    [only] = data.texts if len(data.texts) == 1 else (TEXT,)
    first = TEXT if only.is_whole else only
    blocks = [first.with_value(text), *(block.whole for block in data.rest)]
    left = dict(data.beside)
    members = [one for one in parsed.members if one[0] not in ("content", "structuredContent")]
    if "structuredContent" in left:
        members.append(("structuredContent", left["structuredContent"]))
    if "content" in left and first is TEXT:
        members.append((BLOCKS, left["content"]))
    if parsed.repeated:
        members.append((REPEATED, joined(parsed.repeated)))
    return joined([("content", b"[" + b",".join(blocks) + b"]"), *members])


def _short(text: str) -> str:
    """Return the beginning of a text that takes at most half of the room of a note."""
    words = shorten(text.encode("ascii", "replace").decode(), LONG)
    room = Room(tokens=NOTE // 2, size=NOTE_BYTES // 2)
    return cut_text(words, lambda part: room.fits(quote(part))).text
