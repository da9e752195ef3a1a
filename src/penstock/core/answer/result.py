"""An MCP result as the core sees it: blocks, ``structuredContent``, and the one payload among them.

Servers send the same data twice (as text and as ``structuredContent``), in pieces (a block per item), or with a
sentence beside it. ``payload`` finds the data once, so that it is measured, held and previewed once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from penstock.core.answer.block import Block, read_blocks
from penstock.core.answer.copies import REMARK, array_of, listed_copy, without_copies
from penstock.core.budget import line_count
from penstock.core.forms.document import Document, errors_for, read
from penstock.core.json import scan
from penstock.core.json.long_bytes import Bytes, gathered
from penstock.core.json.long_text import AT_ONCE, HEAD, MARK, lift, lift_at_once, long_text, put_back
from penstock.core.json.mend import mended
from penstock.core.json.strings import quote_exactly
from penstock.core.tokens.count import Count, count_both, wire_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MANY_TEXTS: Final = 20  # 20 or more text blocks of several lines are a list of texts. Fewer are parts of one.
COMPLETE: Final = b'"complete"'  # the type of a result that answers the call; MCP takes a result without one as such
CARRIED: Final = ("content", "structuredContent", "contents", "messages", "result", "error")  # members with content
NO_ERROR: Final = (b"false", b"null", b"0", b'""')  # values of ``isError`` that are not true; any other value is

Origin = Literal["text", "blocks", "structured", "both", "whole"]
Members = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool's result. ``raw`` is its JSON as it came; ``members`` are its parts in order, but for the value of
    ``content``, which the ``blocks`` have. If a name is repeated, ``members`` has the last one, as every parser does,
    and ``repeated`` has those before it.

    ``lifted`` is a text that was taken out of ``raw`` before (``lift``), where a mark stands for it.
    """

    raw: bytes
    members: Members
    blocks: tuple[Block, ...]
    structured: bytes | None = None
    is_error: bool = False
    lifted: Bytes | None = None
    repeated: Members = ()

    @property
    def meta(self) -> bytes | None:
        return dict(self.members).get("_meta")

    @property
    def is_whole(self) -> bool:
        """Return True if this is not a valid MCP result, and its only block is the result itself."""
        return any(block.is_whole and block.raw == self.raw for block in self.blocks)

    @property
    def is_interim(self) -> bool:
        """Return True if the result is a step of the protocol and has no content."""
        return is_interim(dict(self.members))

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

    @property
    def media_size(self) -> int:
        """Return the bytes of the pictures and sounds, without the other members of their blocks."""
        return sum(len(block.raw) - len(block.frame) for block in self.blocks if block.is_media)

    @property
    def line_count(self) -> int:
        """Return the lines of all blocks of text."""
        return sum(line_count(block.data) for block in self.blocks if block.data is not None)

    def exceeds(self, size: int) -> bool:
        """Return True if the result has more bytes than this. Those of a lifted text are counted only near the size."""
        return len(self.raw) - len(MARK) + len(self.lifted or b"") > size or self.size > size


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The data of a result. ``twin`` is True if ``structuredContent`` or some of its members repeat the text; ``left``
    has the members that do not. ``rest`` has the blocks that are not part of the data (images, links, remarks),
    ``texts`` those whose texts are. ``uri`` names data that came as one resource, ``block`` is the one that it came
    in."""

    document: Document
    origin: Origin
    rest: tuple[Block, ...] = ()
    twin: bool = False
    uri: str | None = None
    block: Block | None = None
    texts: tuple[Block, ...] = ()
    left: bytes = b""

    @property
    def beside(self) -> Members:
        """Return the parts of the result next to its data: the blocks without their texts, null for one that has no
        other member, and the members of ``structuredContent`` that do not repeat the text."""
        texts = [block for block in self.texts if not block.is_whole]
        frames = [] if all(block.is_bare for block in texts) else [_frame(block) for block in texts]
        content = [("content", b"[" + b",".join(frames) + b"]")] if frames else []
        left = [("structuredContent", self.left)] if self.left and self.origin != "structured" else []
        return (*content, *left)

    def counts(self, profile: str) -> tuple[Count, Count]:
        """Return the tokens of the data as it is, and as it is written in JSON."""
        if self.block is not None and self.block.data is self.document.raw:
            return self.block.counts(profile)
        return self.document.once(f"tokens by {profile}", lambda document: count_both(document.raw, profile))


def _frame(block: Block) -> bytes:
    return b"null" if block.is_bare else block.frame


def is_interim(members: Mapping[str, bytes]) -> bool:
    """Return True if a result with these members is a step of the protocol without content: a task that was created,
    a question to the user, or a type of result that only the client may know."""
    if any(name in members for name in CARRIED):
        return False
    return "task" in members or "inputRequests" in members or members.get("resultType", COMPLETE) != COMPLETE


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
    """Return True if the mark was in the place of a block's text, and not anywhere else."""
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
    members: dict[str, bytes] = {}
    repeated: list[tuple[str, bytes]] = []
    content: tuple[int, int] | None = None
    for key, _, start, end in scan.member_spans(strict, *scan.bounds(strict)):
        if key in members:
            repeated.append((key, members.pop(key)))
        members[key] = raw[start:end]
        content = (start, end) if key == "content" else content
    blocks = () if content is None else read_blocks(raw, strict, *content, lifted)
    return _result(raw, {**members, **({"content": b""} if content else {})}.items(), blocks, tuple(repeated))


def _result(
    raw: bytes, members: Iterable[tuple[str, bytes]], blocks: tuple[Block, ...], repeated: Members = ()
) -> Result:
    values = dict(members)
    structured = values.get("structuredContent")
    structured = None if structured == b"null" else structured
    if not blocks and structured is None:
        blocks = (Block(raw=raw, type="unknown", data=raw, errors=errors_for(raw)),)
    is_error = values.get("isError", b"false") not in NO_ERROR
    return Result(
        raw=raw,
        members=tuple(values.items()),
        blocks=blocks,
        structured=structured,
        is_error=is_error,
        repeated=repeated,
    )


def payload(result: Result) -> Payload:
    """Find the data of a result."""
    texts = tuple(block for block in result.blocks if block.data is not None)
    rest = tuple(block for block in result.blocks if block.data is None)
    block = texts[0] if len(texts) == 1 else None
    uri = block.uri if block is not None else None
    structured = result.structured
    if structured is None:
        document, origin = _joined(texts)
        return Payload(document=document, origin=origin, rest=rest, uri=uri, block=block, texts=texts)
    if not texts:
        return Payload(document=read(structured), origin="structured", rest=rest)
    if (listed := listed_copy(texts, structured)) is not None:
        data = Payload(document=listed.document, origin="blocks", rest=rest, texts=texts)
        return beside_copy(data, listed.left, structured)
    document, origin = _joined(texts)
    if (left := without_copies(structured, document, blocks=len(texts))) is not None:
        data = Payload(document=document, origin=origin, rest=rest, uri=uri, block=block, texts=texts)
        return beside_copy(data, left, structured)
    if len(document.raw) <= REMARK:
        return Payload(document=read(structured), origin="structured", rest=(*texts, *rest))
    content = gathered(document.body) if document.is_json else quote_exactly(document.text)
    both = read(b'{"content":' + content + b',"structuredContent":' + structured + b"}")
    return Payload(document=both, origin="both", rest=rest, texts=texts)


def beside_copy(data: Payload, left: bytes, structured: Bytes) -> Payload:
    """Return the data of a result whose ``structuredContent`` repeats the text next to the members that are ``left``.
    The larger part is the data: the text, or the structure, which has the text too."""
    if 2 * len(left) <= len(structured):
        return replace(data, twin=True, left=left)
    return replace(data, document=read(structured), origin="structured", twin=True, left=left, uri=None, block=None)


def _joined(texts: tuple[Block, ...]) -> tuple[Document, Origin]:
    """Make one document of several blocks: an array when each is JSON, an array of texts when they are many and of
    several lines each, else a text with a line break between them."""
    if len(texts) == 1:
        [only] = texts
        whole: Origin = "blocks" if only.type == "content" else "whole"
        return read(only.data or b"", only.errors), whole if only.is_whole else "text"
    data = [gathered(block.data or b"") for block in texts]
    are_json = data and all(scan.is_container(one[:1]) for one in data)
    if are_json and all(block.errors == "strict" for block in texts) and (together := array_of(data)) is not None:
        return together, "blocks"
    if len(data) >= MANY_TEXTS and sum(one.count(b"\n") for one in data) >= len(data):
        quoted = (quote_exactly(block.text or "") for block in texts)
        return read(b"[" + b",\n".join(quoted) + b"]"), "blocks"
    return read(b"\n".join(data)), "blocks"
