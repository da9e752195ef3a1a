"""Write the answers of the fetch tool in the style ``data``: success, message, and what is answered in ``data``.

An action writes its answer as ever: one line of JSON, and after it the exact text where there is any. Here that
line goes into ``data``. The budget of a ``data`` answer has left room for what stands around it. What stands in for a
result that is held again has the style already, from its notice.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from penstock.core.answer.notice import encode, line_and_text
from penstock.core.answer.stand_in import joined, text_block
from penstock.core.budget import DATA_PAGE
from penstock.core.reading.cut import cut_text
from penstock.gate.tool_results import LONGEST_ERROR, block_result
from penstock.protocol.wire import jsonrpc

IN_DATA: Final = "the answer is in data"
AND_BELOW: Final = "data tells of the text below"
LONG_MESSAGE: Final = 120  # characters; a page tells in fewer what it shows
PAGINATION: Final = '"_pagination":{'  # the last member of a page
FIELD: Final = r"\.[A-Za-z_][A-Za-z0-9_]{0,40}"  # a path that is the plain name of a field
FAILED: Final = b'"isError":true}'  # how an error result ends
# The names of ``info`` in this style, where they differ.
NAMES: Final = {
    "arguments": "params",
    "total_bytes": "size_bytes",
    "total_tokens": "estimated_tokens",
    "reads": "access_count",
    "source": "source_cache_id",
}
BESIDE: Final = ("cache_id", "tables", "facts", "note")  # members of ``info`` that stand beside its metadata


class _Pagination(msgspec.Struct):
    path: str = ""
    note: str = ""


class _Notes(msgspec.Struct):
    """The note of an answer on how much it shows; the rest stays unread."""

    note: str | UnsetType = UNSET
    pagination: _Pagination | UnsetType = msgspec.field(default=UNSET, name="_pagination")


_DECODER: Final = msgspec.json.Decoder(_Notes)


def data_answer(answer: bytes, action: str, *, page_size: tuple[int | None, int | None] = (None, None)) -> bytes:
    """Return an answer of the fetch tool that is no error in the style ``data``. ``page_size`` has the tokens and the
    bytes of a page that the call names. ``data`` of a filter is always an object that says whether its result was held
    again."""
    first, *rest = jsonrpc.items(jsonrpc.bytes_at(answer, "content") or b"")
    line, _, text = jsonrpc.text_at(first, "text").partition("\n")
    about = ""
    if action == "info":
        line = _info(line, *page_size)
    elif action == "filter":
        about, line = '"cached":false,', '{"cached":false,' + line[1:]
    elif action == "get_page":
        line = _with_field(line)
    message = _message(line) or (AND_BELOW if text or rest else IN_DATA)
    member = encode({"message": message}).decode()[1:-1]
    wrapped = '{"success":true,' + about + member + ',"data":' + line + "}"
    return block_result(text_block(line_and_text(wrapped, text)), *rest)


def data_error(answer: bytes) -> bytes:
    """Return an error of the fetch tool in the style ``data``; anything else as it is."""
    if not answer.endswith(FAILED):
        return answer
    words = jsonrpc.text_at(jsonrpc.items(jsonrpc.bytes_at(answer, "content") or b"")[0], "text")

    def line(text: str) -> bytes:
        return text_block(encode({"success": False, "message": text, "data": {"cached": False}}).decode())

    short = cut_text(words, lambda part: len(line(part)) <= LONGEST_ERROR).text
    return joined([("content", b"[" + line(short) + b"]"), ("isError", b"true")])


def _message(text: str) -> str:
    """Return what an answer says of how much it shows."""
    notes = _notes(text)
    note = notes.pagination.note if notes.pagination is not UNSET else notes.note
    return note[:LONG_MESSAGE] if note is not UNSET else ""


def _notes(text: str) -> _Notes:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):  # half an emoji in it, a note that is data, or no object
        return _Notes()


def _with_field(text: str) -> str:
    """Name the field whose items a page has, where it is one of the root object."""
    pagination = _notes(text).pagination
    if pagination is UNSET or not re.fullmatch(FIELD, pagination.path):
        return text
    before, begun, after = text.rpartition(PAGINATION)
    return f'{before}{begun}"field":"{pagination.path[1:]}",{after}'


def _info(text: str, tokens: int | None, size: int | None) -> str:
    """Write ``info`` with its figures in ``metadata``; what has no items has no pages."""
    members = {name: Raw(one) for name, one in jsonrpc.members(text.encode("utf-8", "surrogatepass"))}
    figures: dict[str, Any] = {NAMES.get(name, name): one for name, one in members.items() if name not in BESIDE}
    sizes = {} if tokens is None else {"page_tokens": tokens}
    if tokens is None or size is not None:
        sizes["page_size_kb"] = (size or DATA_PAGE) // 1_024
    figures = {**figures, "total_pages": figures.get("total_pages", 0), **sizes}
    beside: dict[str, Any] = {name: members[name] for name in BESIDE if name in members}
    return encode({"cache_id": beside.pop("cache_id"), "metadata": figures, **beside}).decode()
