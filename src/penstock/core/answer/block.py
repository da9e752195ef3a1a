"""The content blocks of an MCP result: what each one is, and where its text or its base64 data is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from penstock.core.forms.document import TextErrors, errors_of_text
from penstock.core.json import scan
from penstock.core.json.buffer import in_memory
from penstock.core.json.mend import item_spans
from penstock.core.json.strings import quote_exactly, unescaped, unquote, unquote_to_bytes
from penstock.core.tokens.count import Count, count_both

if TYPE_CHECKING:
    from penstock.core.json.buffer import Bytes, Keep

MEDIA: Final = ("image", "audio")  # types of blocks that are pictures and sounds
MOST_PADDING: Final = 2  # Base64 ends with at most 2 equals signs.
MOST_BLOCKS: Final = 2_000  # More than 2,000 blocks are one: each costs 25 microseconds, and none can be shown.
LONG_TEXT: Final = 8_192  # Bytes of a text that is kept apart from the JSON of its block, so that it is there once.
MAX_PLAIN: Final = 8_388_608  # Bytes of several blocks that are read at once: as texts they take up to four times that.

_EMPTY: Final = b'""'
_BARE: Final = (b'{"type":"text","text":""}', b'{"text":"","type":"text"}')
_BARE_SPAN: Final = (_BARE[0].index(_EMPTY), len(_BARE[0]) - 1)
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
    ``is_apart``, its JSON has an empty string in the place of the text.
    """

    raw: bytes
    type: str
    data: Bytes | None = None
    errors: TextErrors = "strict"
    is_apart: bool = False
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
        return None if self.data is None else self.data[:].decode("utf-8", self.errors)

    @property
    def whole(self) -> bytes:
        """Return the JSON of the block, with its text. The escapes of a text that was apart may be spelled otherwise
        than they came."""
        return self.with_value(quote_exactly(self.text or "")) if self.is_apart else self.raw

    @property
    def frame(self) -> bytes:
        """Return the JSON of the block with an empty string in the place of its text or its base64 data."""
        return self.raw if self.span is None or self.is_apart else self.with_value(_EMPTY)

    @property
    def is_bare(self) -> bool:
        """Return True if a text block has no member in addition to its type and its text."""
        frame = self.frame
        if frame in _BARE:
            return True
        try:
            return scan.minify(frame) in _BARE
        except msgspec.DecodeError:  # half an emoji
            return False

    def with_value(self, literal: bytes) -> bytes:
        """Return the JSON of the block with another JSON string in the place of its text or its base64 data."""
        start, end = self.span or (0, len(self.raw))
        return self.raw[:start] + literal + self.raw[end:]


def read_blocks(raw: bytes | memoryview, strict: bytes | memoryview, span: _Span, keep: Keep) -> tuple[Block, ...]:
    """Return the blocks of the ``content`` at a place in ``raw``. Very many become one block: the array and its data.

    ``strict`` has the same bytes as ``raw``, mended for a strict parser; ``keep`` takes the pieces of a long text.
    """
    start, end = span
    if (only := scan.only_item(strict, start, end)) is not None:
        begin, behind = only
        view = memoryview(raw)[begin:behind]  # A long text in it is not copied.
        return (_block(view, view if strict is raw else strict[begin:behind], keep),)
    if strict is raw and end - start <= MAX_PLAIN:
        content = bytes(raw[start:end])
        if content.count(b'"type"') <= MOST_BLOCKS and (plain := _plain_blocks(content)):
            return plain
    if scan.has_more_items(strict, start, MOST_BLOCKS):
        content = bytes(raw[start:end])
        scan.check(strict[start:end])
        return (Block(raw=content, type="content", data=content),)
    if strict is raw:
        return tuple(_block(item, item, keep) for item in scan.item_views(raw, start, end))
    spans = item_spans(bytes(strict), start, end)
    return tuple(_block(raw[at:stop], strict[at:stop], keep) for at, stop in spans)


def read_block(raw: bytes) -> Block:
    """Return the block that this JSON is. ``ValueError`` if a strict parser refuses the JSON."""
    return _block(raw, raw, in_memory)


def texts_in(content: bytes) -> list[str]:
    """Return the texts of an array of several text blocks. ``ValueError`` if a block has any other member, or repeats
    one: then the texts are not all."""
    blocks = _TEXTS.decode(content)
    if len(blocks) > 1 and _repeats_member(content, blocks):
        raise ValueError("a member is repeated")
    return [block.text for block in blocks]


def _repeats_member(content: bytes, blocks: list[_TextOnly]) -> bool:
    """Return True if text blocks have more members than a type and a text each. If they are written as they came, but
    for white space, they have not; else all strings are counted, which takes longer."""
    written = len(msgspec.json.encode(blocks))
    if written == len(content) or written == len(msgspec.json.format(content, indent=-1)):
        return False
    return sum(1 for _ in _STRING.finditer(content)) > _STRINGS_IN_BLOCK * len(blocks)


def _plain_blocks(content: bytes) -> tuple[Block, ...]:
    """Return the blocks of ``content`` if there are several, and all have nothing but a text. Else return none. All
    are read at once."""
    try:
        texts = texts_in(content)
    except (ValueError, RecursionError):
        return ()
    many = texts if len(texts) > 1 else []  # one block is read without a copy of its text
    return tuple(_text_block(_BARE[0], "text", one.encode(), _BARE_SPAN, is_apart=True) for one in many)


def _block(raw: bytes | memoryview, strict: bytes | memoryview, keep: Keep) -> Block:
    """Return a block whose parts are found in ``strict``, and taken from the same places of ``raw``."""
    members = _spans(strict, 0, len(strict)) if strict[:1] == b"{" else {}
    kind = _string(raw, members.get("type")) or "unknown"
    inner, uri = members, None
    if kind == "resource" and "resource" in members and strict[members["resource"][0]] == ord("{"):
        inner = _spans(strict, *members["resource"])
        uri = _string(raw, inner.get("uri"))
    data = inner.get("data" if kind in MEDIA else "blob")
    is_data = data is not None and (kind in MEDIA or kind == "resource") and _is_base64(bytes(raw[slice(*data)]))
    text = inner.get("text")
    is_text = text is not None and raw[text[0]] == ord('"') and not (is_data and kind in MEDIA)
    if text is None or not is_text:
        return Block(raw=bytes(raw), type=kind, uri=uri, span=data if is_data else None)
    start, end = text
    if end - start <= LONG_TEXT:
        return _text_block(bytes(raw), kind, unquote_to_bytes(bytes(raw[start:end])), text, uri=uri)
    frame = b"".join((raw[:start], _EMPTY, raw[end:]))
    kept = keep(unescaped(raw, start + 1, end - 1))
    return _text_block(frame, kind, kept, (start, start + len(_EMPTY)), is_apart=True, uri=uri)


def _spans(strict: bytes | memoryview, start: int, end: int) -> dict[str, _Span]:
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
    raw: bytes, kind: str, data: Bytes, span: _Span, *, is_apart: bool = False, uri: str | None = None
) -> Block:
    return Block(raw=raw, type=kind, data=data, errors=errors_of_text(data), is_apart=is_apart, uri=uri, span=span)


def _string(raw: bytes | memoryview, span: _Span | None) -> str | None:
    """Return the text at a place, if there is a JSON string."""
    return unquote(bytes(raw[slice(*span)])) if span is not None and raw[span[0]] == ord('"') else None
