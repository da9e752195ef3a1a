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
from penstock.core.json.buffer import count_of, in_memory, pieces, with_between
from penstock.core.json.mend import mended
from penstock.core.json.strings import quote_exactly
from penstock.core.tokens.count import Count, count_both

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from penstock.core.json.buffer import Bytes, Keep

MANY_TEXTS: Final = 20  # 20 or more text blocks of several lines are a list of texts. Fewer are parts of one.
COMPLETE: Final = b'"complete"'  # the type of a result that answers the call; MCP takes a result without one as such
CARRIED: Final = ("content", "structuredContent", "contents", "messages", "result", "error")  # members with content
NO_ERROR: Final = (b"false", b"null", b"0", b'""')  # values of ``isError`` that are not true; any other value is

Origin = Literal["text", "blocks", "structured", "both", "whole"]
Members = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A tool's result. ``raw`` is its JSON as it came, perhaps a part of a file; ``members`` are its parts in order,
    but for the value of ``content``, which the ``blocks`` have, and for a ``structured`` part that is not in memory. If
    a name is repeated, ``members`` has the last one, as every parser does, and ``repeated`` has those before it.

    ``keep`` joins the pieces of a long document: in memory, or in a file if ``raw`` is in one.
    """

    raw: bytes | memoryview
    members: Members
    blocks: tuple[Block, ...]
    structured: Bytes | None = None
    is_error: bool = False
    repeated: Members = ()
    keep: Keep = in_memory

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
        return len(self.raw)

    @property
    def media_size(self) -> int:
        """Return the bytes of the pictures and sounds, without the other members of their blocks."""
        return sum(len(block.raw) - len(block.frame) for block in self.blocks if block.is_media)

    @property
    def line_count(self) -> int:
        """Return the lines of all blocks of text."""
        return sum(line_count(block.data) for block in self.blocks if block.data is not None)


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


def parse(raw: bytes | memoryview, keep: Keep = in_memory) -> Result:
    """Read a result. What is not one (no object, no content, JSON no parser takes) is one text block: itself.

    ``keep`` takes the pieces of what is long in it.
    """
    try:
        return _spanned(raw, raw, keep)
    except (ValueError, RecursionError):
        whole = bytes(raw)
    strict = mended(whole)
    try:
        return _spanned(whole, strict, keep) if strict is not whole else _result(whole, (), (), keep)
    except (ValueError, RecursionError):
        return _result(whole, (), (), keep)


def _spanned(raw: bytes | memoryview, strict: bytes | memoryview, keep: Keep) -> Result:
    """Return a result whose parts are found in ``strict``, and taken from the same places of ``raw``."""
    spans: dict[str, tuple[int, int]] = {}
    repeated: list[tuple[str, bytes]] = []
    for key, _, start, end in scan.member_spans(strict, *scan.bounds(strict)):
        if key in spans:
            repeated.append((key, bytes(raw[slice(*spans.pop(key))])))
        spans[key] = (start, end)
    blocks = read_blocks(raw, strict, spans["content"], keep) if "content" in spans else ()
    structured = _document(raw, *spans["structuredContent"], keep) if "structuredContent" in spans else None
    members = {
        key: b"" if key == "content" else bytes(raw[start:end])
        for key, (start, end) in spans.items()
        if key != "structuredContent" or isinstance(structured, bytes)
    }
    return _result(raw, members.items(), blocks, keep, structured=structured, repeated=tuple(repeated))


def _document(raw: bytes | memoryview, start: int, end: int, keep: Keep) -> Bytes:
    return raw[start:end] if isinstance(raw, bytes) else keep(pieces(raw, start, end))


def _result(
    raw: bytes | memoryview,
    members: Iterable[tuple[str, bytes]],
    blocks: tuple[Block, ...],
    keep: Keep,
    *,
    structured: Bytes | None = None,
    repeated: Members = (),
) -> Result:
    values = dict(members)
    structured = None if structured is None or structured[:5] == b"null" else structured
    if not blocks and structured is None:
        whole = bytes(raw)
        blocks = (Block(raw=whole, type="unknown", data=whole, errors=errors_for(whole)),)
    return Result(
        raw=raw,
        members=tuple(values.items()),
        blocks=blocks,
        structured=structured,
        is_error=values.get("isError", b"false") not in NO_ERROR,
        repeated=repeated,
        keep=keep,
    )


def payload(result: Result) -> Payload:
    """Find the data of a result."""
    texts = tuple(block for block in result.blocks if block.data is not None)
    rest = tuple(block for block in result.blocks if block.data is None)
    block = texts[0] if len(texts) == 1 else None
    uri = block.uri if block is not None else None
    structured = result.structured
    if structured is None:
        document, origin = _joined(texts, result.keep)
        return Payload(document=document, origin=origin, rest=rest, uri=uri, block=block, texts=texts)
    if not texts:
        return Payload(document=read(structured), origin="structured", rest=rest)
    if (listed := listed_copy(texts, structured)) is not None:
        data = Payload(document=listed.document, origin="blocks", rest=rest, texts=texts)
        return _beside_copy(data, listed.left, structured)
    document, origin = _joined(texts, result.keep)
    if (left := without_copies(structured, document, blocks=len(texts))) is not None:
        data = Payload(document=document, origin=origin, rest=rest, uri=uri, block=block, texts=texts)
        return _beside_copy(data, left, structured)
    if len(document.raw) <= REMARK:
        return Payload(document=read(structured), origin="structured", rest=(*texts, *rest))
    both = read(result.keep(_both(document, structured)))
    return Payload(document=both, origin="both", rest=rest, texts=texts)


def _both(document: Document, structured: Bytes) -> Iterator[bytes]:
    yield b'{"content":'
    yield from pieces(document.body) if document.is_json else [quote_exactly(document.text)]
    yield b',"structuredContent":'
    yield from pieces(structured)
    yield b"}"


def _beside_copy(data: Payload, left: bytes, structured: Bytes) -> Payload:
    """Return the data of a result whose ``structuredContent`` repeats the text next to the members that are ``left``.
    The larger part is the data: the text, or the structure, which has the text too."""
    if 2 * len(left) <= len(structured):
        return replace(data, twin=True, left=left)
    return replace(data, document=read(structured), origin="structured", twin=True, left=left, uri=None, block=None)


def _joined(texts: tuple[Block, ...], keep: Keep) -> tuple[Document, Origin]:
    """Make one document of several blocks: an array when each is JSON, an array of texts when they are many and of
    several lines each, else a text with a line break between them."""
    if len(texts) == 1:
        [only] = texts
        whole: Origin = "blocks" if only.type == "content" else "whole"
        return read(only.data or b"", only.errors), whole if only.is_whole else "text"
    data = [block.data or b"" for block in texts]
    are_json = data and all(scan.is_container(one[:1]) for one in data)
    if are_json and all(block.errors == "strict" for block in texts) and (together := array_of(data, keep)) is not None:
        return together, "blocks"
    if len(data) >= MANY_TEXTS and sum(count_of(one, b"\n") for one in data) >= len(data):
        quoted = (quote_exactly(block.text or "") for block in texts)
        return read(keep(with_between(quoted, b",\n", b"[", b"]"))), "blocks"
    return read(keep(with_between(data, b"\n"))), "blocks"
