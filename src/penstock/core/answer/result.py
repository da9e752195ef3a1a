"""An MCP result as the core sees it: blocks, ``structuredContent``, and the one payload among them.

Servers send the same data twice (as text and as ``structuredContent``), in pieces (a block per item), or with a
sentence beside it. ``payload`` finds the data once, so that it is measured, held and previewed once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import msgspec

from penstock.core.forms.document import Document, Kind, TextErrors, errors_for, errors_of_text, read
from penstock.core.json import scan
from penstock.core.json.long_bytes import Bytes, gathered
from penstock.core.json.long_text import AT_ONCE, HEAD, MARK, QUOTED_MARK, lift, lift_at_once, long_text, put_back
from penstock.core.json.mend import item_spans, mended
from penstock.core.json.strings import pieces_of, quote_exactly, unquote, unquote_to_bytes
from penstock.core.tokens.count import Count, count_both, wire_size

REMARK: Final = 400  # characters; a text this short beside other data is a remark on it, not data of its own
MOST_BLOCKS: Final = 2_000  # blocks; more are not told apart: each costs 25 microseconds, and none can be shown
MANY_TEXTS: Final = 20  # text blocks of several lines that are a list of texts, and not parts of one
COMPARED: Final = 4_194_304  # bytes; larger twins are compared only by their bytes, not by their values

_MARKED: Final = b'{"type":"text","text":%b}' % QUOTED_MARK
Origin = Literal["text", "blocks", "structured", "both", "whole"]


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["text"]
    text: str


_TEXTS: Final = msgspec.json.Decoder(list[_Text])
_STRINGS: Final = msgspec.json.Decoder(list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One content block: its JSON as it came, and its text if it is made of text, as ``data`` with ``errors``.

    In the JSON of a ``lifted`` block a mark stands for the text.
    """

    raw: bytes
    type: str
    data: Bytes | None = None
    errors: TextErrors = "strict"
    lifted: bool = False
    uri: str | None = None
    has_blob: bool = False
    _counts: dict[str, tuple[Count, Count]] = field(default_factory=dict, repr=False, compare=False)

    def counts(self, profile: str) -> tuple[Count, Count]:
        """Return the tokens of the text as it is, and as it is written in JSON. A large text is counted once."""
        if profile not in self._counts:
            self._counts[profile] = count_both(self.data or b"", profile)
        return self._counts[profile]

    @property
    def is_media(self) -> bool:
        return self.type in ("image", "audio")

    @property
    def is_binary(self) -> bool:
        """Tell whether it is a picture, a sound or a file, which is of no use in parts."""
        return self.is_media or self.has_blob

    @property
    def is_whole(self) -> bool:
        """Return whether this is a result that is no MCP result, and so one block: itself."""
        return self.data is self.raw

    @property
    def text(self) -> str | None:
        return None if self.data is None else gathered(self.data).decode("utf-8", self.errors)

    @property
    def around(self) -> int:
        """Return the bytes of JSON around the text."""
        return max(0, len(self.raw) - (len(MARK) if self.lifted else wire_size(self.data or b"")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool's result. ``raw`` is its JSON as it came; ``members`` are its parts in order, but for the value of
    ``content``, which the ``blocks`` have.

    ``lifted`` is a text that was taken out of ``raw`` before (``lift``), where a mark stands for it.
    """

    raw: bytes
    members: tuple[tuple[str, bytes], ...]
    blocks: tuple[Block, ...]
    structured: bytes | None = None
    is_error: bool = False
    lifted: Bytes | None = None

    @property
    def meta(self) -> bytes | None:
        return dict(self.members).get("_meta")

    @property
    def size(self) -> int:
        """Return the bytes of the whole result on the wire."""
        return len(self.raw) + (0 if self.lifted is None else wire_size(self.lifted) - len(MARK))

    @property
    def about(self) -> int:
        """Return the same without the escapes of a lifted text, which take a while to count."""
        return len(self.raw) + len(self.lifted or b"")

    def in_memory(self) -> Result:
        """Return the same result; a lifted text that is read by parts is in memory afterwards."""
        if self.lifted is None or isinstance(self.lifted, bytes):
            return self
        return parse(self.raw, gathered(self.lifted))

    @property
    def whole(self) -> bytes:
        """Return the JSON of the whole result."""
        return self.raw if self.lifted is None else put_back(self.raw, self.lifted)

    def exceeds(self, size: int) -> bool:
        """Tell whether the result has more bytes than this. Those of a lifted text are only counted when it is near."""
        return len(self.raw) - len(MARK) + len(self.lifted or b"") > size or self.size > size


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The data of a result. ``twin`` tells that the text and ``structuredContent`` say the same; ``rest`` has the
    blocks that are not part of the data (images, links, remarks); ``uri`` names data that came as one resource,
    ``block`` is the one that it came in."""

    document: Document
    origin: Origin
    rest: tuple[Block, ...] = ()
    twin: bool = False
    uri: str | None = None
    block: Block | None = None

    def counts(self, profile: str) -> tuple[Count, Count]:
        """Return the tokens of the data as it is, and as it is written in JSON."""
        if self.block is not None and self.block.data is self.document.raw:
            return self.block.counts(profile)
        return self.document.once(f"tokens by {profile}", lambda document: count_both(document.raw, profile))


def text_result(data: str | bytes) -> Result:
    """Return a result that has this data as its only text block, for callers who have no MCP result."""
    text = data if isinstance(data, str) else read(data).text
    block = b'{"type":"text","text":' + quote_exactly(text) + b"}"
    return parse(b'{"content":[' + block + b"]}")


def parse(raw: bytes, lifted: Bytes | None = None) -> Result:
    """Read a result. What is not one (no object, no content, JSON no parser takes) is one text block: itself.

    ``lifted`` is the text that was lifted out of it.
    """
    if lifted is not None:
        result = _parse(raw, lifted)
        return replace(result, lifted=lifted) if _has_lifted(result) else _parse(put_back(raw, lifted))
    if long_text(raw[:HEAD]) is None:
        return _parse(raw)
    taken = lift_at_once(raw)
    if taken is None and len(raw) <= AT_ONCE:
        return _parse(raw)
    taken = taken or lift(iter((raw,)))
    result = _parse(taken.line, taken.text)
    return replace(result, raw=raw) if _has_lifted(result) else _parse(raw)


def _has_lifted(result: Result) -> bool:
    """Tell whether the mark was in the place of a block's text, and not anywhere else."""
    return any(block.lifted for block in result.blocks)


def _parse(raw: bytes, lifted: Bytes | None = None) -> Result:
    try:
        return _spanned(raw, raw, lifted)
    except (ValueError, RecursionError):
        pass
    strict = mended(raw)
    try:
        return _spanned(raw, strict, lifted) if strict is not raw else _result(raw, (), ())
    except (ValueError, RecursionError):
        return _result(raw, (), ())


def _spanned(raw: bytes, strict: bytes, lifted: Bytes | None) -> Result:
    """Return a result whose parts are found in ``strict``, and taken from the same places of ``raw``."""
    members: list[tuple[str, bytes]] = []
    blocks: tuple[Block, ...] = ()
    for key, _, start, end in scan.member_spans(strict, *scan.bounds(strict)):
        if key == "content":
            blocks = _blocks(raw, strict, start, end, lifted)
        members.append((key, b"" if key == "content" else raw[start:end]))
    return _result(raw, tuple(members), blocks)


def _blocks(raw: bytes, strict: bytes, start: int, end: int, lifted: Bytes | None) -> tuple[Block, ...]:
    """Return the blocks of ``content``; of very many the array itself is the only one, and its data."""
    is_short = end - start <= AT_ONCE and raw.count(b'"type"', start, end) <= MOST_BLOCKS
    if strict is raw and lifted is None and is_short and (plain := _plain_blocks(raw, start, end)):
        return plain
    if raw.count(b",", start, end) >= MOST_BLOCKS and scan.has_more_items(strict, start, MOST_BLOCKS):
        content = raw[start:end]
        scan.check(strict[start:end])
        return (Block(raw=content, type="content", data=content),)
    if strict is raw:
        return tuple(_long_block(item, lifted) for item in scan.item_views(raw, start, end))
    return tuple(_odd_block(raw[at:stop], lifted) for at, stop in item_spans(strict, start, end))


def _result(raw: bytes, members: tuple[tuple[str, bytes], ...], blocks: tuple[Block, ...]) -> Result:
    values = dict(members)
    structured = values.get("structuredContent")
    structured = None if structured == b"null" else structured
    if not blocks and structured is None:
        blocks = (Block(raw=raw, type="unknown", data=raw, errors=errors_for(raw)),)
    is_error = values.get("isError") == b"true"
    return Result(raw=raw, members=members, blocks=blocks, structured=structured, is_error=is_error)


def repeats_blocks(result: Result) -> bool:
    """Tell whether ``structuredContent`` only says once more what the blocks are, a picture among them: an object with
    one member, which is the list of them, or the only one. To a client that reads it, the picture would be text."""
    if result.structured is None or not any(block.is_binary for block in result.blocks):
        return False
    try:
        value = msgspec.json.decode(result.structured)
        blocks = [msgspec.json.decode(block.raw) for block in result.blocks if not block.lifted]
    except (ValueError, RecursionError):
        return False
    copy = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    return len(blocks) == len(result.blocks) and blocks in (copy, [copy])


def payload(result: Result) -> Payload:
    """Find the data of a result."""
    texts = [block for block in result.blocks if block.data is not None]
    rest = tuple(block for block in result.blocks if block.data is None)
    block = texts[0] if len(texts) == 1 else None
    uri = block.uri if block is not None else None
    if result.structured is None:
        document, origin = _joined(texts)
        return Payload(document=document, origin=origin, rest=rest, uri=uri, block=block)
    if not texts:
        return Payload(document=read(result.structured), origin="structured", rest=rest)
    if (listed := _listed(texts, result.structured)) is not None:
        return Payload(document=listed, origin="blocks", rest=rest, twin=True)
    document, origin = _joined(texts)
    if _same(document, result.structured):
        return Payload(document=document, origin=origin, rest=rest, twin=True, uri=uri, block=block)
    if len(document.raw) <= REMARK:
        return Payload(document=read(result.structured), origin="structured", rest=(*texts, *rest))
    content = gathered(document.body) if document.is_json else quote_exactly(document.text)
    both = read(b'{"content":' + content + b',"structuredContent":' + result.structured + b"}")
    return Payload(document=both, origin="both", rest=rest)


def _plain_blocks(raw: bytes, start: int, end: int) -> tuple[Block, ...]:
    """Return the blocks of ``content`` where there are several and all have nothing but a text, read at once; else
    none."""
    try:
        texts = _TEXTS.decode(memoryview(raw)[start:end])
    except (ValueError, RecursionError):
        return ()
    many = texts if len(texts) > 1 else []
    return tuple(_text_block(_MARKED, "text", one.text.encode(), lifted=True) for one in many)


def _long_block(view: memoryview, lifted: Bytes | None) -> Block:
    """Return a block; where it is mostly one long text, that is lifted out of it without a copy of its JSON."""
    if long_text(bytes(view[:HEAD])) is not None:
        taken = lift(pieces_of(view))
        block = _block(taken.line, taken.text)
        if block.lifted:
            return block
    return _block(bytes(view), lifted)


def _block(raw: bytes, lifted: Bytes | None) -> Block:
    members = dict(scan.members(raw)) if raw[:1] == b"{" else {}
    kind = _string(members.get("type"))
    inner, uri = members, None
    if kind == "resource" and members.get("resource", b"")[:1] == b"{":
        inner = dict(scan.members(members["resource"]))
        uri = unquote(inner["uri"]) if inner.get("uri", b"")[:1] == b'"' else None
    text = inner.get("text")
    if text is None or text[:1] != b'"':
        return Block(raw=raw, type=kind, uri=uri, has_blob=kind == "resource" and "blob" in inner)
    if lifted is not None and text == QUOTED_MARK:
        return _text_block(raw, kind, lifted, lifted=True, uri=uri)
    return _text_block(raw, kind, unquote_to_bytes(text), uri=uri)


def _odd_block(raw: bytes, lifted: Bytes | None) -> Block:
    """Return a block of which some part is for a lenient parser only, such as half an emoji; it keeps its bytes."""
    try:
        return _block(raw, lifted)
    except ValueError:
        pass
    value = json.loads(raw, parse_int=str)  # what numbers say does not matter here, and a long one would be refused
    members = value if isinstance(value, dict) else {}
    named = members.get("type")
    kind = named if isinstance(named, str) else "unknown"
    inner = members.get("resource") if kind == "resource" else members
    text = inner.get("text") if isinstance(inner, dict) else None
    if not isinstance(text, str):
        return Block(raw=raw, type=kind)
    if lifted is not None and text == MARK:
        return _text_block(raw, kind, lifted, lifted=True)
    return _text_block(raw, kind, text.encode("utf-8", "surrogatepass"))


def _text_block(raw: bytes, kind: str, data: Bytes, *, lifted: bool = False, uri: str | None = None) -> Block:
    return Block(raw=raw, type=kind, data=data, errors=errors_of_text(data), lifted=lifted, uri=uri)


def _string(literal: bytes | None) -> str:
    return unquote(literal) if literal is not None and literal[:1] == b'"' else "unknown"


def _joined(texts: list[Block]) -> tuple[Document, Origin]:
    """Make one document of several blocks: an array when each is JSON, an array of texts when they are many and of
    several lines each, else a text with a line break between them."""
    if len(texts) == 1:
        [only] = texts
        whole: Origin = "blocks" if only.type == "content" else "whole"
        return read(only.data or b"", only.errors), whole if only.is_whole else "text"
    data = [gathered(block.data or b"") for block in texts]
    are_json = data and all(scan.is_container(one[:1]) for one in data)
    if are_json and all(block.errors == "strict" for block in texts) and (together := _array_of(data)) is not None:
        return together, "blocks"
    if len(data) >= MANY_TEXTS and sum(one.count(b"\n") for one in data) >= len(data):
        quoted = (quote_exactly(block.text or "") for block in texts)
        return read(b"[" + b",\n".join(quoted) + b"]"), "blocks"
    return read(b"\n".join(data)), "blocks"


def _array_of(values: list[bytes]) -> Document | None:
    """Return the array of values that are JSON; None where one is not, or is more than one."""
    together = read(b"[" + b",\n".join(values) + b"]", "strict")
    return together if together.kind is Kind.JSON and together.parts == len(values) else None


def _listed(blocks: list[Block], structured: bytes) -> Document | None:
    """Return the list of the texts in several blocks, or of the JSON in each, if that is what ``structuredContent``
    has: so servers in Python send the list that a tool returns."""
    [first, *others] = blocks
    try:
        texts = [one.text for one in _TEXTS.decode(first.raw)] if first.is_whole else [one.text or "" for one in blocks]
        value = _values_in(structured)[-1] if others or first.is_whole else b""
        at = scan.first_place(value, 1)
        if value[:1] == b"[" and value[at : at + 1] == b'"':
            return read(value, "strict") if _STRINGS.decode(value) == texts else None
        together = _array_of([one.encode() for one in texts]) if value[:1] == b"[" else None
        return together if together is not None and _equal(together, value) else None
    except (ValueError, RecursionError):  # half an emoji, or blocks with more than texts
        return None


def _values_in(structured: bytes) -> list[bytes]:
    """Return a structure, and the only member of it, where it has no other: a common wrapping."""
    members = scan.members(structured) if structured[:1] == b"{" else []
    return [structured, members[0][1]] if len(members) == 1 else [structured]


def _same(document: Document, structured: bytes) -> bool:
    """Tell whether the text says the same as ``structuredContent``, or as the only member of it."""
    if document.raw == structured:
        return True
    try:
        return any(_equal(document, value) for value in _values_in(structured))
    except msgspec.DecodeError:  # half an emoji in the structure, and so no JSON to any strict parser
        return False


def _equal(document: Document, value: bytes) -> bool:
    if value[:1] == b'"':
        return unquote_to_bytes(value) == document.raw
    if document.kind is not Kind.JSON or not scan.is_container(value):
        return gathered(document.raw).strip() == value
    left, right = scan.minify(gathered(document.body)), scan.minify(value)
    if left == right:
        return True
    return max(len(left), len(right)) <= COMPARED and _decoded(left) == _decoded(right)


def _decoded(data: bytes) -> Any:
    """Decode JSON for comparing: 1, 1.0 and true differ. A number out of range makes it equal to nothing."""
    try:
        return msgspec.json.encode(msgspec.json.decode(data), order="sorted")
    except msgspec.MsgspecError:
        return object()
