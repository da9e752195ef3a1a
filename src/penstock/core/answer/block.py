"""The content blocks of an MCP result: what each one is, and where its text or its base64 data is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from penstock.core.forms.document import TextErrors, errors_of_text
from penstock.core.json import scan
from penstock.core.json.long_bytes import Bytes, gathered
from penstock.core.json.long_text import AT_ONCE, HEAD, QUOTED_MARK, lift, long_text, put_back
from penstock.core.json.mend import item_spans
from penstock.core.json.strings import pieces_of, unquote, unquote_to_bytes
from penstock.core.tokens.count import Count, count_both

MEDIA: Final = ("image", "audio")  # types of blocks that are pictures and sounds
MOST_PADDING: Final = 2  # Base64 ends with at most 2 equals signs.
MOST_BLOCKS: Final = 2_000  # More than 2,000 blocks are one: each costs 25 microseconds, and none can be shown.

_MARKED: Final = b'{"type":"text","text":%b}' % QUOTED_MARK
_MARKED_SPAN: Final = (_MARKED.index(QUOTED_MARK), len(_MARKED) - 1)
_BARE: Final = (b'{"type":"text","text":""}', b'{"text":"","type":"text"}')
_BASE64: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_STRINGS_IN_BLOCK: Final = 4  # A block with a type and a text has 4 strings: two names and two values.

_Span = tuple[int, int]


class _TextOnly(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["text"]
    text: str


_TEXTS: Final = msgspec.json.Decoder(list[_TextOnly])


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One content block: its JSON as it came, and its text if it is made of text, as ``data`` with ``errors``.

    ``span`` is the place in the JSON of the text, or of the valid base64 of a picture, a sound or a file. If the block
    is ``lifted``, its JSON has a mark in the place of the text.
    """

    raw: bytes
    type: str
    data: Bytes | None = None
    errors: TextErrors = "strict"
    lifted: bool = False
    uri: str | None = None
    span: _Span | None = None
    _counts: dict[str, tuple[Count, Count]] = field(default_factory=dict, repr=False, compare=False)

    def counts(self, profile: str) -> tuple[Count, Count]:
        """Return the tokens of the text as it is, and as it is written in JSON. A large text is counted once."""
        if profile not in self._counts:
            self._counts[profile] = count_both(self.data or b"", profile)
        return self._counts[profile]

    @property
    def is_media(self) -> bool:
        """Return True if it is a picture or a sound: only valid base64 is one."""
        return self.is_binary and self.type in MEDIA

    @property
    def is_binary(self) -> bool:
        """Return True if it is a picture, a sound or a file, which is of no use in parts."""
        return self.data is None and self.span is not None

    @property
    def is_whole(self) -> bool:
        """Return True if this is a result that is not a valid MCP result, and so one block: itself."""
        return self.data is self.raw

    @property
    def text(self) -> str | None:
        return None if self.data is None else gathered(self.data).decode("utf-8", self.errors)

    @property
    def whole(self) -> bytes:
        """Return the JSON of the block, with its text."""
        return put_back(self.raw, self.data) if self.lifted and self.data is not None else self.raw

    @property
    def frame(self) -> bytes:
        """Return the JSON of the block with an empty string in the place of its text or its base64 data."""
        return self.raw if self.span is None else self.with_value(b'""')

    @property
    def is_bare(self) -> bool:
        """Return True if a text block has no member in addition to its type and its text."""
        if self.raw is _MARKED or (frame := self.frame) in _BARE:
            return True
        try:
            return scan.minify(frame) in _BARE
        except msgspec.DecodeError:  # half an emoji
            return False

    def with_value(self, literal: bytes) -> bytes:
        """Return the JSON of the block with another JSON string in the place of its text or its base64 data."""
        start, end = self.span or (0, len(self.raw))
        return self.raw[:start] + literal + self.raw[end:]


def read_blocks(raw: bytes, strict: bytes, start: int, end: int, lifted: Bytes | None) -> tuple[Block, ...]:
    """Return the blocks of the ``content`` at ``raw[start:end]``. Very many become one block: the array and its data.

    ``strict`` has the same bytes as ``raw``, mended for a strict parser; ``lifted`` is the text that was lifted out.
    """
    is_short = end - start <= AT_ONCE and raw.count(b'"type"', start, end) <= MOST_BLOCKS
    if strict is raw and lifted is None and is_short and (plain := _plain_blocks(raw, start, end)):
        return plain
    if raw.count(b",", start, end) >= MOST_BLOCKS and scan.has_more_items(strict, start, MOST_BLOCKS):
        content = raw[start:end]
        scan.check(strict[start:end])
        return (Block(raw=content, type="content", data=content),)
    if strict is raw:
        return tuple(_long_block(item, lifted) for item in scan.item_views(raw, start, end))
    return tuple(_block(raw[at:stop], strict[at:stop], lifted) for at, stop in item_spans(strict, start, end))


def read_block(raw: bytes) -> Block:
    """Return the block that this JSON is. ``ValueError`` if a strict parser refuses the JSON."""
    return _block(raw, raw, None)


def texts_in(content: bytes, start: int = 0, end: int | None = None) -> list[str]:
    """Return the texts of an array of several text blocks. ``ValueError`` if a block has any other member, or repeats
    one: then the texts are not all."""
    view = memoryview(content)[start : len(content) if end is None else end]
    blocks = _TEXTS.decode(view)
    if len(blocks) > 1 and _repeats_member(view, blocks):
        raise ValueError("a member is repeated")
    return [block.text for block in blocks]


def _repeats_member(content: memoryview, blocks: list[_TextOnly]) -> bool:
    """Return True if text blocks have more members than a type and a text each. If they are written as they came, but
    for white space, they have not; else all strings are counted, which takes longer."""
    written = len(msgspec.json.encode(blocks))
    if written == len(content) or written == len(msgspec.json.format(content, indent=-1)):
        return False
    return sum(1 for _ in _STRING.finditer(content)) > _STRINGS_IN_BLOCK * len(blocks)


def _plain_blocks(raw: bytes, start: int, end: int) -> tuple[Block, ...]:
    """Return the blocks of ``content`` if there are several, and all have nothing but a text. Else return none. All
    are read at once."""
    try:
        texts = texts_in(raw, start, end)
    except (ValueError, RecursionError):
        return ()
    many = texts if len(texts) > 1 else []  # one block is read without a copy of its text
    return tuple(_text_block(_MARKED, "text", one.encode(), _MARKED_SPAN, lifted=True) for one in many)


def _long_block(view: memoryview, lifted: Bytes | None) -> Block:
    """Return a block. If most of it is one long text, lift that out without a copy of its JSON."""
    if long_text(bytes(view[:HEAD])) is not None:
        taken = lift(pieces_of(view))
        block = _block(taken.line, taken.line, taken.text)
        if block.lifted:
            return block
    raw = bytes(view)
    return _block(raw, raw, lifted)


def _block(raw: bytes, strict: bytes, lifted: Bytes | None) -> Block:
    """Return a block whose parts are found in ``strict``, and taken from the same places of ``raw``."""
    members = _spans(strict, 0, len(strict)) if strict[:1] == b"{" else {}
    kind = _string(raw, members.get("type")) or "unknown"
    inner, uri = members, None
    if kind == "resource" and "resource" in members and strict[members["resource"][0]] == ord("{"):
        inner = _spans(strict, *members["resource"])
        uri = _string(raw, inner.get("uri"))
    data = inner.get("data" if kind in MEDIA else "blob")
    is_data = data is not None and (kind in MEDIA or kind == "resource") and _is_base64(raw[slice(*data)])
    text = inner.get("text")
    is_text = text is not None and raw[text[0]] == ord('"') and not (is_data and kind in MEDIA)
    if text is None or not is_text:
        return Block(raw=raw, type=kind, uri=uri, span=data if is_data else None)
    literal = raw[slice(*text)]
    if lifted is not None and literal == QUOTED_MARK:
        return _text_block(raw, kind, lifted, text, lifted=True, uri=uri)
    return _text_block(raw, kind, unquote_to_bytes(literal), text, uri=uri)


def _spans(strict: bytes, start: int, end: int) -> dict[str, _Span]:
    """Return where the values of an object are. Of several members with one name the last one counts."""
    return {name: (first, last) for name, _, first, last in scan.member_spans(strict, start, end)}


def _is_base64(literal: bytes) -> bool:
    """Return True if a JSON value is a string of valid base64. Padding may be missing, as decoders do not need it."""
    if literal[:1] != b'"':
        return False
    padded = literal[1:-1].replace(rb"\/", b"/")  # how PHP writes a slash
    data = padded.rstrip(b"=")
    return len(padded) - len(data) <= MOST_PADDING and not data.translate(None, _BASE64)


def _text_block(
    raw: bytes, kind: str, data: Bytes, span: _Span, *, lifted: bool = False, uri: str | None = None
) -> Block:
    return Block(raw=raw, type=kind, data=data, errors=errors_of_text(data), lifted=lifted, uri=uri, span=span)


def _string(raw: bytes, span: _Span | None) -> str | None:
    """Return the text at a place, if there is a JSON string."""
    return unquote(raw[slice(*span)]) if span is not None and raw[span[0]] == ord('"') else None
