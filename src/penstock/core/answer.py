"""Putting an answer together: the notice, the preview, the blocks that go along, and the members kept as they came."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core import scan
from penstock.core.budget import wire_length
from penstock.core.preview.stub import stub_text
from penstock.core.quote import quote_exactly, unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.core.budget import Room
    from penstock.core.result import Block, Payload, Result
from penstock.core.tokens import count, count_json_string

MEDIA_TOKENS: Final = 1_600  # what one picture costs a model; clients never hand it over as the text that encodes it
ENVELOPE: Final = 64  # tokens of the JSON around the blocks of an answer; twice as many bytes
AROUND: Final = 0.6  # tokens a byte of the keys and marks around a text, which are short words and signs
MOST_EXTRAS: Final = 20  # blocks that go along; the rest is counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """Blocks that go along with a preview: as they came, or as typed stubs."""

    blocks: tuple[bytes, ...] = ()
    media: int = 0


def cost(result: Result, profile: str) -> int:
    """What a whole result costs by its upper bound: all blocks, ``structuredContent`` and the rest together, text as
    it is written on the wire, a picture as a picture."""
    total = ENVELOPE // 2
    for block in result.blocks:
        if block.is_media:
            total += MEDIA_TOKENS
        elif block.text is None or block.type == "unknown":
            total += count(block.raw, profile).upper
        else:
            around = len(block.raw) - wire_length(block.text)
            total += count_json_string(block.text, profile).upper + ceil(AROUND * max(0, around))
    return total + sum(count(value, profile).upper for key, value in result.members if key != "content")


def text_block(text: str) -> bytes:
    return b'{"type":"text","text":' + quote_exactly(text) + b"}"


def stand_in(result: Result, notice: str, preview: str, extras: Extras, *, meta: bool) -> bytes:
    """The result that stands in for a held one: no ``structuredContent``, the flag and ``_meta`` as they were."""
    blocks = [text_block(notice), *([text_block(preview)] if preview else []), *extras.blocks]
    kept = {"isError", "resultType", *(["_meta"] if meta else [])}
    members = [("content", b"[" + b",".join(blocks) + b"]")]
    members += [(key, value) for key, value in result.members if key in kept]
    return joined(members)


def compacted(result: Result, found: Payload) -> bytes | None:
    """The same result with its JSON text minified and without a ``structuredContent`` that only repeats the text;
    None when that would change nothing."""
    if found.document.kind != "json" or found.origin != "text":
        return None
    text = scan.minify(found.document.body)
    if not found.twin and len(text) >= len(found.document.raw):
        return None
    noted: dict[str, Any] = {"penstock/compacted": True, "penstock/original_bytes": len(result.raw)}
    members: list[tuple[str, bytes]] = []
    for key, value in result.members:
        if key == "content":
            blocks = (
                _with_text(block, text.decode()) if block.text is not None else block.raw for block in result.blocks
            )
            members.append((key, b"[" + b",".join(blocks) + b"]"))
        elif key == "_meta" and value[:1] == b"{":
            noted_members = [(name, msgspec.json.encode(one)) for name, one in noted.items()]
            members.append((key, joined([*scan.members(value), *noted_members])))
            noted = {}
        elif not (key == "structuredContent" and found.twin):
            members.append((key, value))
    if noted:
        members.append(("_meta", msgspec.json.encode(noted)))
    return joined(members)


def joined(members: Iterable[tuple[str, bytes]]) -> bytes:
    """A JSON object from its members, each value as it came."""
    return b"{" + b",".join(quote_exactly(key) + b":" + value for key, value in members) + b"}"


def _with_text(block: Block, text: str) -> bytes:
    """A text block with another text and all its other members; a text resource keeps its place inside."""
    members = scan.members(block.raw)
    if block.type == "resource":
        return joined(
            (key, joined((name, quote_exactly(text) if name == "text" else one) for name, one in scan.members(value)))
            if key == "resource"
            else (key, value)
            for key, value in members
        )
    return joined((key, quote_exactly(text) if key == "text" else value) for key, value in members)


def extras_within(rest: tuple[Block, ...], room: Room, *, media_tokens: int, media_bytes: int) -> Extras:
    """The other blocks of a result: small ones as they are, pictures while they are allowed, others as stubs."""
    blocks: list[bytes] = []
    media = 0
    room = room.less(_more(len(rest)))  # so that what is left out can always be counted
    for number, block in enumerate(rest):
        if block.is_media and media_tokens >= MEDIA_TOKENS and len(block.raw) <= media_bytes:
            blocks.append(block.raw)
            media += 1
            media_tokens -= MEDIA_TOKENS
            media_bytes -= len(block.raw)
            continue
        form = block.raw if not block.is_media and room.fits(block.raw) else _stub(block)
        if not room.fits(form) or number >= MOST_EXTRAS:
            blocks.append(_more(len(rest) - number))
            break
        blocks.append(form)
        room = room.less(form)
    return Extras(blocks=tuple(blocks), media=media)


def _more(count: int) -> bytes:
    return text_block(f"[+{count} more blocks, not shown]")


def _stub(block: Block) -> bytes:
    """A text block with one line that says what the block was."""
    told = dict(scan.members(block.raw)) if block.raw[:1] == b"{" else {}
    inner = dict(scan.members(told["resource"])) if told.get("resource", b"")[:1] == b"{" else told
    data = inner.get("data") or inner.get("blob")
    media = inner.get("mimeType", b'""')
    if data is not None and data[:1] == b'"':
        return text_block(stub_text(data[1:-1], unquote(media) if media[:1] == b'"' else None))
    return text_block(f"[{block.type[:40]} block, {len(block.raw):,} bytes; not shown]")
