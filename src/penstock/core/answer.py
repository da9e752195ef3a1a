"""Putting an answer together: the notice, the preview, the blocks that go along, and the members kept as they came."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from math import ceil
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core import scan
from penstock.core.budget import wire_length
from penstock.core.notice import SAMPLE_HANDLE
from penstock.core.path import shorten
from penstock.core.preview.stub import stub_text
from penstock.core.quote import quote_exactly, unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.budget import Room
    from penstock.core.result import Block, Payload, Result
from penstock.core.tokens import count, count_json_string

MEDIA_TOKENS: Final = 1_600  # what one picture costs a model; clients never hand it over as the text that encodes it
ENVELOPE: Final = 64  # tokens of the JSON around the blocks of an answer; twice as many bytes
AS_HANDLE: Final = "; held as {handle}"
AROUND: Final = 0.6  # tokens a byte of the keys and marks around a text, which are short words and signs
MOST_EXTRAS: Final = 20  # blocks that go along; the rest is counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """Blocks that go along with a preview: as they came, or as typed stubs.

    ``hidden`` has what the stubs stand for, as JSON, each with the number of its stub: to be held like the rest.
    """

    blocks: tuple[bytes, ...] = ()
    media: int = 0
    hidden: tuple[tuple[int, bytes], ...] = ()

    def naming(self, handles: Sequence[str]) -> tuple[bytes, ...]:
        """The blocks with these handles in their stubs; a stub for which there is none says that it was not kept."""
        blocks = list(self.blocks)
        for (number, _), handle in zip_longest(self.hidden, handles[: len(self.hidden)]):
            told = AS_HANDLE.format(handle=handle) if handle is not None else "; not kept"
            blocks[number] = blocks[number].replace(AS_HANDLE.format(handle=SAMPLE_HANDLE).encode(), told.encode())
        return tuple(blocks)


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


def stand_in(result: Result, notice: str, preview: str, extras: Sequence[bytes], *, meta: bool) -> bytes:
    """The result that stands in for a held one: no ``structuredContent``, the flag and ``_meta`` as they were."""
    blocks = [text_block(notice), *([text_block(preview)] if preview else []), *extras]
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


def extras_within(
    rest: tuple[Block, ...], dropped: Sequence[tuple[str, bytes]], room: Room, *, media_tokens: int, media_bytes: int
) -> Extras:
    """The other blocks of a result: small ones as they are, pictures while they are allowed, others as stubs; and a
    stub for the members of the result that are ``dropped``."""
    blocks: list[bytes] = []
    hidden: list[tuple[int, bytes]] = []
    media = 0
    room = room.less(_more(len(rest)), *([_members_stub(dropped)] if dropped else []))  # so that these always fit
    for number, block in enumerate(rest):
        if block.is_media and media_tokens >= MEDIA_TOKENS and len(block.raw) <= media_bytes:
            blocks.append(block.raw)
            media += 1
            media_tokens -= MEDIA_TOKENS
            media_bytes -= len(block.raw)
            continue
        passes = not block.is_media and room.fits(block.raw)
        form = block.raw if passes else _stub(block)
        if not room.fits(form) or number >= MOST_EXTRAS:
            hidden.append((len(blocks), b"[" + b",".join(one.raw for one in rest[number:]) + b"]"))
            blocks.append(_more(len(rest) - number))
            break
        if not passes:
            hidden.append((len(blocks), block.raw))
        blocks.append(form)
        room = room.less(form)
    if dropped:
        hidden.append((len(blocks), joined(dropped)))
        blocks.append(_members_stub(dropped))
    return Extras(blocks=tuple(blocks), media=media, hidden=tuple(hidden))


def _more(count: int) -> bytes:
    return text_block(f"[+{count} more blocks, not shown{AS_HANDLE.format(handle=SAMPLE_HANDLE)}]")


def _members_stub(members: Sequence[tuple[str, bytes]]) -> bytes:
    names = ", ".join(name for name, _ in members)
    if len(names) > 40 or not names.isascii() or not names.isprintable():
        names = f"{len(members)} other members"
    size = sum(len(value) for _, value in members)
    return text_block(f"[{names}: {size:,} bytes, not shown{AS_HANDLE.format(handle=SAMPLE_HANDLE)}]")


def _stub(block: Block) -> bytes:
    """A text block with one line that says what the block was."""
    told = dict(scan.members(block.raw)) if block.raw[:1] == b"{" else {}
    inner = dict(scan.members(told["resource"])) if told.get("resource", b"")[:1] == b"{" else told
    data = inner.get("data") or inner.get("blob")
    media = inner.get("mimeType", b'""')
    if data is not None and data[:1] == b'"':
        line = stub_text(data[1:-1], shorten(unquote(media)) if media[:1] == b'"' else None)
    else:
        line = f"[{shorten(block.type, 40)} block, {len(block.raw):,} bytes; not shown]"
    return text_block(line.removesuffix("]") + AS_HANDLE.format(handle=SAMPLE_HANDLE) + "]")
