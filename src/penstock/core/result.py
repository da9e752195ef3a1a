"""An MCP result as the core sees it: blocks, ``structuredContent``, and the one payload among them.

Servers send the same data twice (as text and as ``structuredContent``), in pieces (a block per item), or with a
sentence beside it. ``payload`` finds the data once, so that it is measured, held and previewed once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from penstock.core import scan
from penstock.core.document import Document, Kind, read
from penstock.core.quote import quote_exactly, unquote

REMARK: Final = 400  # characters; a text this short beside other data is a remark on it, not data of its own
COMPARED: Final = 4_194_304  # bytes; larger twins are compared only by their bytes, not by their values

Origin = Literal["text", "blocks", "structured", "both", "whole"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One content block: its JSON as it came, and its text if it is made of text."""

    raw: bytes
    type: str
    text: str | None = None

    @property
    def is_media(self) -> bool:
        return self.type in ("image", "audio")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool's result. ``raw`` is its JSON as it came; ``members`` are its parts in order."""

    raw: bytes
    members: tuple[tuple[str, bytes], ...]
    blocks: tuple[Block, ...]
    structured: bytes | None = None
    is_error: bool = False

    @property
    def meta(self) -> bytes | None:
        return dict(self.members).get("_meta")


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The data of a result. ``twin`` tells that the text and ``structuredContent`` say the same; ``rest`` has the
    blocks that are not part of the data (images, links, remarks)."""

    document: Document
    origin: Origin
    rest: tuple[Block, ...] = ()
    twin: bool = False


def text_result(data: str | bytes) -> Result:
    """A result that has this data as its only text block, for callers who have no MCP result."""
    text = data if isinstance(data, str) else read(data).text
    block = b'{"type":"text","text":' + quote_exactly(text) + b"}"
    return parse(b'{"content":[' + block + b"]}")


def parse(raw: bytes) -> Result:
    """Read a result. What is not one (no object, no content, JSON no parser takes) is one text block: itself."""
    try:
        members = tuple(scan.members(raw.strip(scan.BLANK)))
        content = dict(members).get("content", b"")
        return _result(raw, members, tuple(_block(item) for item in scan.items(content)) if content else ())
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _parse_slowly(raw)


def _parse_slowly(raw: bytes) -> Result:
    """JavaScript servers cut texts in the middle of an emoji and send half of it as an escape, which only the
    standard parser takes."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("content"), list):
        return _result(raw, (), ())
    members = tuple((key, json.dumps(inner).encode()) for key, inner in value.items())
    return _result(raw, members, tuple(_block_of(inner) for inner in value["content"]))


def _result(raw: bytes, members: tuple[tuple[str, bytes], ...], blocks: tuple[Block, ...]) -> Result:
    told = dict(members)
    structured = told.get("structuredContent")
    structured = None if structured == b"null" else structured
    if not blocks and structured is None:
        blocks = (Block(raw=raw, type="unknown", text=read(raw).text),)
    is_error = told.get("isError") == b"true"
    return Result(raw=raw, members=members, blocks=blocks, structured=structured, is_error=is_error)


def payload(result: Result) -> Payload:
    """Find the data of a result."""
    texts = [block for block in result.blocks if block.text is not None]
    rest = tuple(block for block in result.blocks if block.text is None)
    if result.structured is None:
        document, origin = _joined(texts)
        return Payload(document=document, origin=origin, rest=rest)
    structured = read(result.structured)
    if not texts:
        return Payload(document=structured, origin="structured", rest=rest)
    document, origin = _joined(texts)
    if _same(document, structured):
        return Payload(document=document, origin=origin, rest=rest, twin=True)
    if len(document.raw) <= REMARK:
        return Payload(document=structured, origin="structured", rest=(*texts, *rest))
    told = document.body if document.kind is Kind.JSON else quote_exactly(document.text)
    both = read(b'{"content":' + told + b',"structuredContent":' + result.structured + b"}")
    return Payload(document=both, origin="both", rest=rest)


def _block(raw: bytes) -> Block:
    told = dict(scan.members(raw)) if raw[:1] == b"{" else {}
    kind = _string(told.get("type"))
    text = told.get("text")
    if kind == "resource" and told.get("resource", b"")[:1] == b"{":
        text = dict(scan.members(told["resource"])).get("text")
    if text is not None and text[:1] == b'"':
        return Block(raw=raw, type=kind, text=unquote(text))
    return Block(raw=raw, type=kind)


def _block_of(value: Any) -> Block:
    told = value if isinstance(value, dict) else {}
    kind = told.get("type")
    inner = told.get("resource") if kind == "resource" else told
    text = inner.get("text") if isinstance(inner, dict) else None
    return Block(
        raw=json.dumps(value).encode(),
        type=kind if isinstance(kind, str) else "unknown",
        text=text if isinstance(text, str) else None,
    )


def _string(literal: bytes | None) -> str:
    return unquote(literal) if literal is not None and literal[:1] == b'"' else "unknown"


def _joined(texts: list[Block]) -> tuple[Document, Origin]:
    """Several blocks are one document: an array when each is JSON, else a text with a line break between them."""
    if len(texts) == 1:
        if texts[0].type == "unknown":
            return read(texts[0].raw), "whole"
        return read(texts[0].text or ""), "text"
    documents = [read(block.text or "") for block in texts]
    if documents and all(one.kind is Kind.JSON for one in documents):
        return read(b"[" + b",\n".join(one.body for one in documents) + b"]"), "blocks"
    return read("\n".join(block.text or "" for block in texts)), "blocks"


def _same(document: Document, structured: Document) -> bool:
    """Whether the text says the same as ``structuredContent``, or as the only member of it (a common wrapping)."""
    if _equal(document, structured.body):
        return True
    wrapped = scan.members(structured.body) if structured.body[:1] == b"{" else []
    return len(wrapped) == 1 and _equal(document, wrapped[0][1])


def _equal(document: Document, value: bytes) -> bool:
    if value[:1] == b'"':
        return unquote(value) == document.text
    if document.kind is not Kind.JSON or not scan.is_container(value):
        return document.raw.strip() == value
    left, right = scan.minify(document.body), scan.minify(value)
    if left == right:
        return True
    return max(len(left), len(right)) <= COMPARED and _decoded(left) == _decoded(right)


def _decoded(data: bytes) -> Any:
    """JSON in one spelling, for comparing: 1, 1.0 and true differ. A number out of range makes it equal to nothing."""
    try:
        return msgspec.json.encode(msgspec.json.decode(data), order="sorted")
    except msgspec.MsgspecError:
        return object()
