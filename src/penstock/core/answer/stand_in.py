"""Putting an answer together: the notice, the preview, the blocks that go along, and the members kept as they came."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from math import ceil, inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from penstock.core.answer.notice import FIGURES, MARK, SAMPLE_HANDLE, encode, line_and_text
from penstock.core.answer.result import COMPLETE
from penstock.core.budget import ENVELOPE, MEDIA_TOKENS
from penstock.core.forms.binary import stub_text
from penstock.core.json import scan
from penstock.core.json.strings import quote_exactly, unquote
from penstock.core.plain import Plain
from penstock.core.text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.answer.block import Block
    from penstock.core.answer.result import Payload, Result
    from penstock.core.budget import Room
    from penstock.core.json.buffer import Bytes
from penstock.core.tokens.count import count

AS_HANDLE: Final = "; held as {handle}"
AROUND: Final = 0.6  # Each byte of the keys and marks around a text costs at most 0.6 tokens.
PER_SPACE: Final = 3  # A white space that is left out saves at most 3 tokens. The most measured was 1.2.
# Members whose usual values every answer may have. Their tokens are those of the envelope; other values are held.
FLAGS: Final = {"isError": (b"true", b"false", b"null"), "resultType": (COMPLETE, b"null")}
MAX_NAMES: Final = 20  # A stub has at most 20 characters of names. Two handles must fit next to them.
MOST_EXTRAS: Final = 20  # At most 20 blocks go along with a preview. The others are counted.


class Hidden(Plain, frozen=True, kw_only=True):
    """The part that a stub stands for, as JSON, to be held like the rest: the number of the stub among the blocks, and
    the type of a block that is a picture, a sound or a file, which ``get`` gives back as a block. ``around`` are the
    tokens of the other members of that block."""

    stub: int
    raw: bytes
    block: str | None = None
    around: int = 0


class Extras(Plain, frozen=True, kw_only=True):
    """Blocks that go along with a preview: as they came, or as typed stubs for what is ``hidden``. ``aside`` is the
    short JSON of members that ``info`` shows, and the answer does not."""

    blocks: tuple[bytes, ...] = ()
    media: int = 0
    hidden: tuple[Hidden, ...] = ()
    aside: bytes = b""

    def naming(self, handles: Sequence[str]) -> tuple[bytes, ...]:
        """Return the blocks with these handles in their stubs; a stub for which there is none says that it was not
        kept."""
        blocks = list(self.blocks)
        for hidden, handle in zip_longest(self.hidden, handles[: len(self.hidden)]):
            note = AS_HANDLE.format(handle=handle) if handle is not None else "; not kept"
            sample = AS_HANDLE.format(handle=SAMPLE_HANDLE)
            blocks[hidden.stub] = blocks[hidden.stub].replace(sample.encode(), note.encode())
        return tuple(blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """The answer in place of a held result, in its parts, so that a method with other JSON around it can be answered
    too: the notice's members, the preview, the blocks after them, the members beside the content, and the tokens
    that all of it may cost. ``below`` is the sentence of the notice that tells of the preview."""

    notice: dict[str, Any]
    preview: str = ""
    blocks: tuple[bytes, ...] = ()
    members: tuple[tuple[str, bytes], ...] = ()
    token_limit: int
    below: str = ""

    @property
    def text(self) -> str:
        """Return the text that a model reads: the notice as one line of JSON, then the preview."""
        return line_and_text(encode(self.notice).decode(), self.preview)

    @property
    def raw(self) -> bytes:
        """Return the stand-in as a tool's result. One block has the notice and the preview, because some clients keep
        only the first."""
        content = b"[" + b",".join((text_block(self.text), *self.blocks)) + b"]"
        return joined((("content", content), *self.members))


class Cost(NamedTuple):
    """The tokens of a whole result: as a model is likely to read them, and as they are charged, by the upper bound."""

    tokens: int
    charged: int

    def plus(self, other: Cost) -> Cost:
        """Return what both cost together."""
        return Cost(self.tokens + other.tokens, self.charged + other.charged)


def cost(result: Result, profile: str) -> int:
    """Return what a whole result is charged."""
    return cost_of(result, profile).charged


def cost_of(result: Result, profile: str, enough: float = inf) -> Cost:
    """Return what a whole result costs as it is sent: all blocks, and all other members with their names, those that
    are repeated among them. What is charged is text as it is written on the wire. Nothing more is counted once the
    blocks cost more than is ``enough`` to know."""
    total = Cost(0, ENVELOPE // 2)
    for block in result.blocks:
        if total.charged > enough:
            return total
        total = total.plus(block_cost(block, profile))
    others = [member for member in result.members if member[0] != "content" and not is_flag(member)]
    others = [] if result.is_whole else [*result.repeated, *others]
    if result.structured is not None and not isinstance(result.structured, bytes):  # it is in a file, and no member
        total = total.plus(_counted(result.structured, profile))
    return total.plus(_counted(joined(others), profile)) if others else total


def is_flag(member: tuple[str, bytes]) -> bool:
    """Return True if a member says whether the tool failed, or which type the result has, as MCP defines it."""
    name, value = member
    return value in FLAGS.get(name, ())


def block_cost(block: Block, profile: str) -> Cost:
    """Return what a block costs: a picture or a sound as one, and all its other members as text."""
    if block.is_media:
        return _counted(block.frame, profile).plus(Cost(MEDIA_TOKENS, MEDIA_TOKENS))
    if block.data is None or block.is_whole:
        return _counted(block.raw, profile)
    as_read, as_written = block.counts(profile)
    text = Cost(as_read.tokens, as_written.upper)
    if block.is_bare:
        return text.plus(Cost(0, ceil(AROUND * len(block.frame))))
    return text.plus(_counted(block.frame, profile))


def _counted(data: Bytes, profile: str) -> Cost:
    counted = count(data, profile)
    return Cost(counted.tokens, counted.upper)


def text_block(text: str) -> bytes:
    return b'{"type":"text","text":' + quote_exactly(text) + b"}"


def kept_members(
    result: Result, *, meta: bool, structured: bytes | None = None, mark: str = "", figures: bytes = b""
) -> tuple[tuple[str, bytes], ...]:
    """Return what a stand-in has next to its content: whether the tool failed, as true or false; its type, which is
    always ``complete``; ``_meta`` with the ``mark`` and the ``figures``; and no ``structuredContent`` but the given
    one. A stand-in has ``isError`` and ``resultType`` only if the result has them."""
    copy = [] if structured is None else [("structuredContent", structured)]
    own = {"isError": b"true" if result.is_error else b"false", "resultType": COMPLETE}
    flags = [(key, own[key]) for key, _ in result.members if key in own]
    meta_member = result.meta if meta else None
    if figures:
        meta_member = with_member(meta_member, FIGURES, figures)
    if mark:
        meta_member = marked(meta_member, mark)
    return (*copy, *flags, *([] if meta_member is None else [("_meta", meta_member)]))


def marked(meta: bytes | None, mark: str) -> bytes:
    """Return ``_meta`` with the mark."""
    return with_member(meta, MARK, quote_exactly(mark))


def with_member(meta: bytes | None, name: str, value: bytes) -> bytes:
    """Return ``_meta``, which is an object, with one more member at its end: of two members of one name every parser
    takes the last, so that no upstream's member hides ours."""
    own = joined([(name, value)])
    if meta is None:
        return own
    members = meta[:-1].rstrip()
    return members + (b"" if members == b"{" else b",") + own[1:]


def with_preview(notice: bytes, preview: str) -> bytes:
    """Return the notice as an object with the preview in it, for clients that read ``structuredContent`` alone."""
    return notice[:-1] + b',"preview":' + quote_exactly(preview) + b"}"


def compacted(
    result: Result, payload: Payload, *, structured: bool = False, most: float = inf, profile: str = "claude"
) -> bytes | None:
    """Return the same result with its JSON text minified and without a ``structuredContent`` that only repeats the
    text. None if that would change nothing, if the text alone costs more than ``most`` tokens, if a member is repeated,
    or if half an emoji next to the text keeps its parts from being found. ``structured`` keeps the copy, for a client
    that was promised it."""
    if payload.document.kind != "json" or payload.origin != "text" or result.repeated:
        return None
    body, raw = payload.document.body[:], payload.document.raw
    cost = payload.counts(profile)[0].tokens if body is raw else 0
    is_one_line = not any(one in body for one in (b"\n", b"\r", b"\t"))
    if is_one_line and cost - PER_SPACE * body.count(b" ") > most:
        return None
    try:
        text = payload.document.minified()
        is_large = (
            cost - PER_SPACE * (len(payload.document.raw) - len(text)) > most or count(text, profile).tokens > most
        )
        made = None if is_large else _compacted(result, payload, text, structured=structured)
    except msgspec.DecodeError:
        return None
    return made


def without_copy(result: Result, left: bytes = b"") -> bytes | None:
    """Return a result without what its ``structuredContent`` repeats of the blocks, and every block as it came.
    ``left`` has the other members of ``structuredContent``. None if a member is repeated, or if half an emoji keeps
    what is noted of it from being found."""
    if result.repeated:
        return None
    noted: dict[str, Any] = {"penstock/compacted": True, "penstock/original_bytes": result.size}
    content = b"[" + b",".join(map(_as_it_came, result.blocks)) + b"]"
    changed = {"content": content, "structuredContent": left}
    members = {key: changed.get(key, value) for key, value in result.members if key != "structuredContent" or left}
    try:
        meta = list(scan.members(members["_meta"])) if members.get("_meta", b"")[:1] == b"{" else []
    except msgspec.DecodeError:
        return None
    marks = [(name, msgspec.json.encode(one)) for name, one in noted.items()]
    return joined({**members, "_meta": joined([*meta, *marks])}.items())


def _as_it_came(block: Block) -> bytes:
    """Return the JSON of a block, with its text; of very many blocks, which are one, the JSON of them all."""
    return block.raw[1:-1] if block.is_whole else block.whole


def _compacted(result: Result, payload: Payload, text: bytes, *, structured: bool) -> bytes | None:
    copy = None if result.structured is None else result.structured[:]
    copy = scan.minify(copy) if structured and copy is not None else copy
    drops = payload.twin and not structured
    if not drops and len(text) >= len(payload.document.raw) and copy == result.structured:
        return None
    noted: dict[str, Any] = {"penstock/compacted": True, "penstock/original_bytes": result.size}
    members: list[tuple[str, bytes]] = []
    for key, value in result.members:
        if key == "content":
            blocks = (
                block.raw if block.data is None else block.with_value(quote_exactly(text.decode()))
                for block in result.blocks
            )
            members.append((key, b"[" + b",".join(blocks) + b"]"))
        elif key == "_meta" and value[:1] == b"{":
            noted_members = [(name, msgspec.json.encode(one)) for name, one in noted.items()]
            members.append((key, joined([*scan.members(value), *noted_members])))
        elif key == "structuredContent" and copy is not None:
            kept = payload.left if drops else copy
            members += [(key, kept)] if kept else []
        else:
            members.append((key, value))
    if result.meta is None:
        members.append(("_meta", msgspec.json.encode(noted)))
    return joined(members)


def joined(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a JSON object from its members, each value as it came."""
    return b"{" + b",".join(quote_exactly(key) + b":" + value for key, value in members) + b"}"


def extras_within(
    rest: tuple[Block, ...], dropped: Sequence[tuple[str, bytes]], room: Room, *, media_tokens: int, media_bytes: int
) -> Extras:
    """Return the other blocks of a result: small ones as they are, pictures while they are allowed, others as stubs;
    and a stub for the members of the result that are ``dropped``."""
    blocks: list[bytes] = []
    hidden: list[Hidden] = []
    media = 0
    if rest and dropped and not room.less(_more(len(rest))).fits(_members_stub(dropped)):  # a very small budget
        everything = joined([("content", b"[" + b",".join(block.whole for block in rest) + b"]"), *dropped])
        return Extras(blocks=(_more(len(rest) + len(dropped)),), hidden=(Hidden(stub=0, raw=everything),))
    room = room.less(_more(len(rest)), *([_members_stub(dropped)] if dropped else []))  # so that these always fit
    for number, block in enumerate(rest):
        whole = block.whole
        is_small = block.is_media and media_tokens >= MEDIA_TOKENS and len(whole) <= media_bytes
        if is_small and room.fits(block.frame):
            blocks.append(whole)
            media += 1
            media_tokens -= MEDIA_TOKENS
            media_bytes -= len(whole)
            room = room.less(block.frame)
            continue
        passes = not block.is_media and room.fits(whole)
        form = whole if passes else _stub(block)
        if not room.fits(form) or number >= MOST_EXTRAS:
            hidden.append(Hidden(stub=len(blocks), raw=b"[" + b",".join(one.whole for one in rest[number:]) + b"]"))
            blocks.append(_more(len(rest) - number))
            break
        if not passes:
            hidden.append(_hidden(block, len(blocks), room.profile))
        blocks.append(form)
        room = room.less(form)
    if dropped:
        hidden.append(Hidden(stub=len(blocks), raw=joined(dropped)))
        blocks.append(_members_stub(dropped))
    return Extras(blocks=tuple(blocks), media=media, hidden=tuple(hidden))


def _hidden(block: Block, stub: int, profile: str) -> Hidden:
    if not block.is_binary:
        return Hidden(stub=stub, raw=block.whole)
    return Hidden(stub=stub, raw=block.whole, block=block.type, around=count(block.frame, profile).upper)


def _more(count: int) -> bytes:
    return text_block(f"[+{count} more blocks, not shown{AS_HANDLE.format(handle=SAMPLE_HANDLE)}]")


def _members_stub(members: Sequence[tuple[str, bytes]]) -> bytes:
    names = ", ".join(name for name, _ in members)
    if len(names) > MAX_NAMES or not names.isascii() or not names.isprintable():
        names = f"{len(members)} other members"
    size = len(joined(members))
    return text_block(f"[{names}: {size:,} bytes, not shown{AS_HANDLE.format(handle=SAMPLE_HANDLE)}]")


def _stub(block: Block) -> bytes:
    """Return a text block with one line that says what the block was."""
    whole = block.whole
    try:
        members = dict(scan.members(whole)) if block.is_binary else {}
    except msgspec.DecodeError:  # half an emoji in it, which only the standard parser takes
        members = {}
    inner = dict(scan.members(members["resource"])) if members.get("resource", b"")[:1] == b"{" else members
    data = inner.get("data") or inner.get("blob")
    media = inner.get("mimeType", b'""')
    if data is not None and data[:1] == b'"':
        line = stub_text(data[1:-1], unquote(media) if media[:1] == b'"' else None)
    else:
        line = f"[{plain(block.type, 40)} block, {len(whole):,} bytes; not shown]"
    return text_block(line.removesuffix("]") + AS_HANDLE.format(handle=SAMPLE_HANDLE) + "]")
