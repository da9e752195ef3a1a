"""A result with ``structuredContent`` of which a part was lifted out while it arrived, and is read by parts.

What its data is, is decided as ``answer.result`` does for a result in memory: the text, where both say the same; the
structured data, where the text is a remark on it; else one document with both. Where only a look at all of it at once
could tell, it is brought into memory, and is a result like any other.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from penstock.core.answer.result import COMPARED, REMARK, Payload, Result, parse, payload
from penstock.core.forms.document import Kind, read
from penstock.core.json import scan
from penstock.core.json.long_bytes import PIECE, LongBytes
from penstock.core.json.long_parts import DATA_MARK
from penstock.core.json.long_text import take_string
from penstock.core.json.minified import equal, minified, part_end
from penstock.core.json.strings import quote_exactly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.core.forms.document import Document
    from penstock.core.json.long_bytes import Bytes
    from penstock.core.json.long_parts import LongParts

    Join = Callable[[Iterator[bytes], int], Bytes]

HEAD: Final = 4_096  # bytes at the beginning of two texts that are the same where both may be

LONGEST_ESCAPE: Final = 6  # bytes of one byte in a JSON string


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedResult(Result):
    """A result, its ``parts`` that are read piece by piece, and its data."""

    parts: LongParts
    content: Payload

    @property
    def size(self) -> int:
        return len(self.whole)

    @property
    def about(self) -> int:
        return len(self.raw) + sum(len(one) for one in (self.parts.text, self.parts.data) if one is not None)

    def in_memory(self) -> Result:
        """Return the same result; what is read by parts is in memory afterwards."""
        return parse(self.whole)

    @property
    def whole(self) -> bytes:
        return self.parts.put_back(self.raw)


def read_arrived(raw: bytes, parts: LongParts, join: Join) -> Result:
    """Read a result that these parts were lifted out of. ``join`` makes one document of pieces, which
    have no more bytes than it is told; it is read by parts if it is long."""
    result = parse(raw, parts.text)
    if parts.data is None and (result.structured is None or not isinstance(parts.text, LongBytes)):
        return result
    is_marked = parts.data is None or result.structured == DATA_MARK
    is_odd = any(block.is_binary or block.is_whole for block in result.blocks)
    content = None
    if is_marked and not is_odd and (result.lifted is None) == (parts.text is None):
        content = _payload(result, parts.data or result.structured or b"", join)
    if content is None:
        return parse(parts.put_back(raw))
    return ArrivedResult(
        raw=raw,
        members=result.members,
        blocks=result.blocks,
        structured=result.structured,
        is_error=result.is_error,
        lifted=result.lifted,
        parts=parts,
        content=content,
    )


def _payload(result: Result, data: Bytes, join: Join) -> Payload | None:
    """Return the data of a result as ``answer.result.payload`` does; None where it has to be in memory for that."""
    structured = read(data)
    if structured.kind is not Kind.JSON or not scan.is_container(data[:1]):
        return None
    texts = tuple(block for block in result.blocks if block.data is not None)
    bare = payload(replace(result, structured=None))
    document = bare.document
    is_twin = _same(document, structured) if texts else False
    if is_twin is None:
        return None
    if is_twin:
        return replace(bare, twin=True)
    if not texts or len(document.raw) <= REMARK:
        return Payload(document=structured, origin="structured", rest=(*texts, *bare.rest))
    most = LONGEST_ESCAPE * len(document.raw) + len(data) + HEAD
    return Payload(document=read(join(_both(document, data), most)), origin="both", rest=bare.rest)


def _both(document: Document, data: Bytes) -> Iterator[bytes]:
    yield b'{"content":'
    if document.is_json:
        yield from _pieces(document.body)
    else:
        decoder = codecs.getincrementaldecoder("utf-8")(document.errors)
        yield b'"'
        for piece in _pieces(document.raw):
            yield quote_exactly(decoder.decode(piece))[1:-1]
        yield b'"'
    yield b',"structuredContent":'
    yield from _pieces(data)
    yield b"}"


def _pieces(data: Bytes, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    end = len(data) if end is None else end
    return (data[at : min(at + PIECE, end)] for at in range(start, end, PIECE))


def _same(document: Document, structured: Document) -> bool | None:
    """Tell whether the text says the same as the structured data, or as its only member; None where only both in memory
    tell."""
    body, root = structured.body, structured.index.containers[0]
    spans = [(root.start, root.end)]
    if root.kind == "object" and root.count == 1:
        spans.append((scan.open_member(body, root.starts[0])[1], part_end(body, root.end - 1)))
    answers = [_equal(document, structured, *span) for span in spans]
    return True if True in answers else None if None in answers else False


def _equal(document: Document, structured: Document, start: int, end: int) -> bool | None:
    """Tell the same of one value of the data."""
    body = structured.body
    mark = body[start : start + 1]
    if mark == b'"':
        return _is_text(_pieces(body, start + 1, end), document.raw)
    if document.kind is not Kind.JSON or not scan.is_container(mark):
        return _is_inside(document.raw, body, start, end)

    root = document.index.containers[0]

    def ours() -> Iterator[bytes]:
        return minified(document.body, document.index, root.start, root.end)

    def theirs() -> Iterator[bytes]:
        return minified(body, structured.index, start, end)

    is_alike = root.size == end - start  # then nearly always in the same bytes, which takes less to tell
    if is_alike and equal(_pieces(document.body, root.start, root.end), _pieces(body, start, end)):
        return True
    if equal(ours(), theirs()):
        return True
    return None if _is_short(ours()) and _is_short(theirs()) else False


def _is_short(pieces: Iterator[bytes]) -> bool:
    """Tell whether minified data is compared by its values, if it is not the same otherwise."""
    return all(size <= COMPARED for size in accumulate(map(len, pieces)))


def _is_inside(raw: Bytes, body: Bytes, start: int, end: int) -> bool | None:
    """Tell whether a value is all of a text but for white space around it."""
    if len(raw) < end - start:
        return False
    if isinstance(raw, bytes):
        return raw.strip() == body[start:end]
    head = raw[:HEAD].lstrip()[: end - start]
    return None if head == body[start : start + len(head)] else False


class _DiffersError(Exception):
    pass


class _Comparing:
    """Compares a text with the pieces that are written here."""

    def __init__(self, text: Bytes) -> None:
        self._text = text
        self.at = 0

    def write(self, piece: str) -> None:
        data = piece.encode("utf-8", "surrogatepass")
        if self._text[self.at : self.at + len(data)] != data:
            raise _DiffersError
        self.at += len(data)


def _is_text(string: Iterator[bytes], text: Bytes) -> bool:
    """Tell whether a JSON string, behind its first quote, says a text."""
    comparing = _Comparing(text)
    try:
        take_string(b"", string, comparing)
    except _DiffersError:
        return False
    return comparing.at == len(text)
