"""Bytes or text in; a ``Document`` out, which knows what kind of data it holds.

The original bytes are kept as they came: whatever else is computed refers to positions in them. JSON is JSON only
when the parser takes it whole; anything else (NaN, lone surrogate escapes, nesting past the parser's limit) is text
and is never an error.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import msgspec

from penstock.core.forms.media import data_uri, looks_like_base64, may_be_data_uri, sniff
from penstock.core.json import index as indexing
from penstock.core.json import nesting, scan, whole
from penstock.core.json.lookup import container_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.json.buffer import Bytes
    from penstock.core.json.index import Container, Index
    from penstock.core.json.path import Path

T = TypeVar("T")

VALUE: Final = "value"  # the name of all values of a document among what was made of it,
ROWS: Final = "rows "  # and the beginning of those of its rows,
STRUCTURE: Final = "structure"  # and of its places,
DEPTH: Final = "depth"  # and of its depth,
MEMORY: Final = "memory"  # and of the memory that its values take, about
BOM: Final = b"\xef\xbb\xbf"
UNWRAP_LIMIT: Final = 3  # JSON in a string in a string: twice is seen in practice, more is a puzzle
SNIFF: Final = 8_192  # bytes looked at to tell text from binary
CONTROLS: Final = 8  # control characters that any text may have; more, and more than one in twenty, make it binary

LEAD: Final = 65_536  # bytes at the beginning of a text in which JSON may begin
MOST_TRIED: Final = 4  # places that look like its beginning

# A line that begins as JSON objects and arrays of them do, perhaps the first in a fence.
_JSON_BEGINS = re.compile(rb"(?:^|\n)(```[A-Za-z]*[ \t]*\r?\n)?(?=\{[ \t\r\n]*[\"}]|\[[ \t\r\n]*[\[{\"])")
# The same behind the first line, found in a tenth of the time.
_MAY_BEGIN = re.compile(rb"\n(?:```[A-Za-z]*[ \t]*\r?\n)?(?:\{[ \t\r\n]*[\"}]|\[[ \t\r\n]*[\[{\"])")
_BASE64: Final = string.ascii_letters.encode() + b"0123456789+/_-= \t\r\n"
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")

TextErrors = Literal["strict", "surrogatepass", "surrogateescape"]


class Kind(StrEnum):
    JSON = "json"
    VALUES = "values"  # JSON values one after the other: JSON lines, or concatenated
    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A result's data and its kind.

    ``raw``     the original bytes, exactly.
    ``body``    the bytes that paths and pages refer to: ``raw``, or the JSON that ``raw`` carries as a string.
    ``index``   where its parts lie: those of JSON, or lines.
    ``errors``  the codec error handler with which ``raw`` becomes text and turns back into the same bytes.
    ``media``   for binary data: its type, as far as its first bytes tell.
    ``base64``  binary data that came as base64 text.
    ``language``  of a text in another language; ``body`` is then the JSON it was converted to, or is to become.
    ``figures``  what the parser of that language knows of it.
    ``within``  the way to the string in ``raw`` that was converted, if ``raw`` is JSON around it.
    ``around``  where the body lies in ``raw``, if it is JSON in a text: behind a heading, or in a Markdown fence.
    """

    raw: Bytes
    kind: Kind
    body: Bytes
    errors: TextErrors = "strict"
    media: str | None = None
    base64: bool = False
    around: tuple[int, int] | None = None
    language: Literal["yaml", "xml", "html", "toml", "python", "json"] | None = None
    figures: dict[str, Any] = field(default_factory=dict, repr=False)
    within: Path = ()
    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def text(self) -> str:
        """Return the original as text; ``text.encode("utf-8", errors)`` gives the original bytes back."""
        return self.raw[:].decode("utf-8", self.errors)

    @property
    def is_json(self) -> bool:
        """Return True if the whole of it is JSON, with no other text around."""
        return self.kind is Kind.JSON and self.around is None

    def minified(self) -> bytes:
        """Return the JSON of a text without white space between its parts; what stands around it stays as it is."""
        body = scan.minify(self.body[:])
        if self.around is None:
            return body
        start, end = self.around
        return b"".join((self.raw[:start], body, self.raw[end:]))

    @property
    def index(self) -> Index:
        """Return where the parts lie; of JSON that was decoded whole it is made when it is first needed."""
        return self.once("index", _index)

    @property
    def is_indexed(self) -> bool:
        return "index" in self._made

    @property
    def parts(self) -> int:
        """Return how many items, members or lines the whole has."""
        if VALUE in self._made:
            return len(self._made[VALUE])
        return self.index.root.count if self.index.root is not None else 0

    def container(self, path: Path) -> Container:
        """Return the container at a path; a small one is split once."""
        return self.once(f"container {path}", lambda one: container_at(one.index, indexing.reader(one.body), path))

    @property
    def depth(self) -> int:
        """Count the levels of nesting; 0 for text."""
        if self.kind not in (Kind.JSON, Kind.VALUES):
            return 0
        return self.once(DEPTH, lambda one: one.index.depth)

    def forget_values(self) -> None:
        """Let go of values and rows that were made of the document; who asks again has them made again."""
        for name in [one for one in self._made if one == VALUE or one.startswith(ROWS)]:
            del self._made[name]

    def release(self) -> None:
        """Let go of all that was learned of the document; no fact of it is asked for any more. Places of a tree lead
        back to themselves, and their values would wait for the collector."""
        if (structure := self._made.pop(STRUCTURE, None)) is not None:
            structure.untie()

    def once(self, name: str, make: Callable[[Document], T]) -> T:
        """Return what ``make`` finds out about this document. It is asked once: a large document takes a while to go
        over."""
        if name not in self._made:
            self._made[name] = make(self)
        part: T = self._made[name]
        return part


def read(data: Bytes | str, errors: TextErrors | None = None) -> Document:
    """Tell what the data is. Never raises. ``errors`` is given by who knows already how the data becomes text."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    errors = errors_for(raw) if errors is None else errors
    if errors == "strict" and (document := _read_json(raw)) is not None:
        return document
    head = raw[:SNIFF]
    if (media := _binary_media(head, errors)) is not None:
        return Document(raw=raw, kind=Kind.BINARY, body=raw, errors=errors, media=media)
    uri = data_uri(raw) if may_be_data_uri(head) else None
    if uri is not None or (not head.translate(None, _BASE64) and looks_like_base64(raw[:])):
        media = uri if uri is not None else sniff(head, base64=True)
        return Document(raw=raw, kind=Kind.BINARY, body=raw, errors=errors, media=media, base64=True)
    if errors == "strict" and (document := _read_embedded(raw)) is not None:
        return document
    return Document(raw=raw, kind=Kind.TEXT, body=raw, errors=errors)


def errors_for(raw: Bytes) -> TextErrors:
    """Return how these bytes become text."""
    if scan.is_utf8(raw):
        return "strict"
    try:
        raw[:].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return "surrogateescape"
    return "surrogatepass"


def errors_of_text(data: Bytes) -> TextErrors:
    """Return the same for bytes that were a text before: only lone surrogates can keep them from being strict UTF-8."""
    return "surrogatepass" if has_surrogates(data) else "strict"


def has_surrogates(data: Bytes) -> bool:
    """Return True if a text that is written with ``surrogatepass`` has lone surrogates."""
    return data.find(b"\xed") >= 0 and any(
        _SURROGATE.search(data, at, at + scan.CHUNK + 1) for at in range(0, len(data), scan.CHUNK)
    )


def _read_json(raw: Bytes) -> Document | None:
    body = raw[len(BOM) :] if raw[: len(BOM)] == BOM else raw
    for _ in range(UNWRAP_LIMIT):
        if _first(body) != b'"':
            break
        inner = _unwrap(body[:])
        if inner is None:
            return None
        body = inner
    if not scan.is_container(_first(body)):
        return None
    signs = _signs(body)
    for kind in (Kind.JSON, Kind.VALUES):
        if (made := read_parts(body, kind, signs)) is not None:
            return Document(raw=raw, kind=kind, body=body, _made=made)
    return None


def read_parts(body: Bytes, kind: Literal[Kind.JSON, Kind.VALUES], signs: bytes | None = None) -> dict[str, Any] | None:
    """Return what a document that is JSON begins with: its values, where those are kept, else its index. None where it
    is not of this kind. ``signs`` are its brackets, commas and quotes, where they are known."""
    signs = _signs(body) if signs is None else signs
    memory = whole.memory_of(body, signs)
    if signs is None or not whole.is_small(body, memory):
        index = indexing.build(body) if kind is Kind.JSON else indexing.index_values(body)
        return None if index is None else {"index": index, MEMORY: memory}
    made: dict[str, Any] = {MEMORY: memory, DEPTH: nesting.depth_of(signs)}
    if made[DEPTH] > scan.MAX_DEPTH:
        return None
    if kind is Kind.JSON:
        made[VALUE] = whole.read_json(body[:])
    elif (root := indexing.split_values(body)) is not None:
        made["index"] = indexing.Index(size=len(body), depth=made[DEPTH], containers=(root,))
        made[VALUE] = whole.decode_values(body[:], root)
    return None if made.get(VALUE) is None else made


def _signs(body: Bytes) -> bytes | None:
    return nesting.signs_of(body[:]) if len(body) <= whole.LARGEST_RETAINED else None


def _read_embedded(raw: Bytes) -> Document | None:
    """Read JSON that is most of a text, behind a heading or in a fence: servers for browsers answer so."""
    if _JSON_BEGINS.match(raw, 0, LEAD) is None and _MAY_BEGIN.search(raw, 0, LEAD) is None:
        return None
    begins = list(islice(_JSON_BEGINS.finditer(raw, 0, LEAD), MOST_TRIED))
    for begin in begins:
        start = begin.end()
        end = _container_end(raw, start)
        if end is None or (end - start) * 2 < len(raw):
            continue
        body = raw[start:end]
        if (made := read_parts(body, Kind.JSON)) is not None:
            return Document(raw=raw, kind=Kind.JSON, body=body, around=(start, end), _made=made)
    first = begins[0]
    fence = raw.rfind(b"\n```", first.end(), len(raw)) if first[1] is not None else -1
    start, end = first.end(), fence if fence > 0 else len(raw)
    body = raw[start:end]
    if len(body) * 2 < len(raw) or (made := read_parts(body, Kind.VALUES)) is None:
        return None
    return Document(raw=raw, kind=Kind.VALUES, body=body, around=(start, end), _made=made)


def _container_end(raw: Bytes, start: int) -> int | None:
    """Return where the container that begins at a place ends; None if no parser takes it."""
    try:
        return scan.value_end(raw, start)
    except (msgspec.DecodeError, RecursionError):
        return None


def _index(document: Document) -> Index:
    """Return the lines of a text, or the parts of JSON that was decoded whole."""
    if document.kind is Kind.JSON:
        return indexing.index_whole(document.body[:], document.depth)
    return indexing.index_lines(document.body if document.kind is Kind.TEXT else b"")


def _unwrap(body: bytes) -> bytes | None:
    """Return the text inside a JSON string, when it may be JSON itself."""
    try:
        return msgspec.json.decode(body, type=str).encode()
    except (msgspec.DecodeError, UnicodeError):
        return None


def _first(body: Bytes) -> bytes:
    """Return the first byte that is not white space, found without copying the rest."""
    start = scan.first_place(body)
    return body[start : start + 1]


def _binary_media(head: bytes, errors: TextErrors) -> str | None:
    """Return the media type of bytes that begin so, if they are not text: NULs among them, or a known beginning, or
    mostly invalid UTF-8."""
    known = sniff(head)
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
