"""Bytes or text in; a ``Document`` out, which knows what kind of data it holds.

The original bytes are kept as they came: whatever else is computed refers to positions in them. JSON is JSON only
when the parser takes it whole; anything else (NaN, lone surrogate escapes, nesting past the parser's limit) is text
and is never an error.
"""

from __future__ import annotations

import re
import string
from array import array
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import msgspec

from penstock.core.forms.media import data_uri, looks_like_base64, sniff
from penstock.core.json import scan

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

BOM: Final = b"\xef\xbb\xbf"
UNWRAP_LIMIT: Final = 3  # JSON in a string in a string: twice is seen in practice, more is a puzzle
SNIFF: Final = 8_192  # bytes looked at to tell text from binary
CONTROLS: Final = 8  # control characters that any text may have; more, and more than one in twenty, make it binary

_BASE64: Final = string.ascii_letters.encode() + b"0123456789+/_-= \t\r\n"
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")

TextErrors = Literal["strict", "surrogatepass", "surrogateescape"]


class Kind(StrEnum):
    JSON = "json"
    JSONL = "jsonl"
    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A result's data and its kind.

    ``raw``     the original bytes, exactly.
    ``body``    the bytes that paths and pages refer to: ``raw``, or the JSON that ``raw`` carries as a string.
    ``depth``   levels of nesting (0 for text).
    ``errors``  the codec error handler with which ``raw`` becomes text and turns back into the same bytes.
    ``media``   for binary data: its type, as far as its first bytes tell.
    ``base64``  binary data that came as base64 text.
    ``parts``   where the parts of the root lie, found on the way: the items, the members or the records.
    """

    raw: bytes
    kind: Kind
    body: bytes
    depth: int = 0
    errors: TextErrors = "strict"
    media: str | None = None
    base64: bool = False
    parts: scan.Parts = field(default_factory=lambda: array("I"), repr=False, compare=False)
    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The original as text; ``text.encode("utf-8", errors)`` gives the original bytes back."""
        return self.raw.decode("utf-8", self.errors)

    def once(self, name: str, make: Callable[[Document], T]) -> T:
        """What ``make`` finds out about this document. It is asked once: a large document takes a while to go over."""
        if name not in self._made:
            self._made[name] = make(self)
        found: T = self._made[name]
        return found


def read(data: bytes | str, errors: TextErrors | None = None) -> Document:
    """Tell what the data is. Never raises. ``errors`` is given by who knows already how the data becomes text."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    errors = errors_for(raw) if errors is None else errors
    if errors == "strict" and (document := _read_json(raw)) is not None:
        return document
    if (media := _binary_media(raw, errors)) is not None:
        return Document(raw=raw, kind=Kind.BINARY, body=raw, errors=errors, media=media)
    uri = data_uri(raw)
    if uri is not None or (not raw[:SNIFF].translate(None, _BASE64) and looks_like_base64(raw)):
        media = uri if uri is not None else sniff(raw, base64=True)
        return Document(raw=raw, kind=Kind.BINARY, body=raw, errors=errors, media=media, base64=True)
    return Document(raw=raw, kind=Kind.TEXT, body=raw, errors=errors)


def errors_for(raw: bytes) -> TextErrors:
    """How these bytes become text."""
    if scan.is_utf8(raw):
        return "strict"
    try:
        raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return "surrogateescape"
    return "surrogatepass"


def errors_of_text(data: bytes) -> TextErrors:
    """The same for bytes that were a text before: only lone surrogates can keep them from being strict UTF-8."""
    return "surrogatepass" if _SURROGATE.search(data) else "strict"


def _read_json(raw: bytes) -> Document | None:
    body = raw.removeprefix(BOM)
    for _ in range(UNWRAP_LIMIT):
        if _first(body) != b'"':
            break
        inner = _unwrap(body)
        if inner is None:
            return None
        body = inner
    if not scan.is_container(_first(body)):
        return None
    depth = scan.depth(body)
    if depth > scan.MAX_DEPTH:
        return None
    if (parts := scan.split(body)) is not None:
        return Document(raw=raw, kind=Kind.JSON, body=body, depth=depth, parts=parts)
    if (records := scan.records(body)) is not None:
        return Document(raw=raw, kind=Kind.JSONL, body=body, depth=depth, parts=records)
    return None


def _unwrap(body: bytes) -> bytes | None:
    """The text inside a JSON string, when it may be JSON itself."""
    try:
        return msgspec.json.decode(body, type=str).encode()
    except (msgspec.DecodeError, UnicodeError):
        return None


def _first(body: bytes) -> bytes:
    """The first byte that is not white space, found without copying the rest."""
    start, _ = scan.bounds(body)
    return body[start : start + 1]


def _binary_media(raw: bytes, errors: TextErrors) -> str | None:
    """The media type of bytes that are not text: NULs among them, or a known beginning, or mostly invalid UTF-8."""
    head = raw[:SNIFF]
    known = sniff(raw)
    if known is not None and (errors != "strict" or b"\x00" in head):
        return known
    controls = len(head) - len(head.translate(None, bytes(range(9)) + b"\x0b\x0e\x0f" + bytes(range(16, 27))))
    if controls > max(CONTROLS, len(head) * 5 // 100):
        return "application/octet-stream"
    if errors == "surrogateescape":
        broken = sum(1 for char in head.decode("utf-8", "surrogateescape") if "\udc80" <= char <= "\udcff")
        if broken * 100 > len(head) * 30:
            return "application/octet-stream"
    return None
