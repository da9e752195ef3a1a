"""A result with ``structuredContent`` of which a part was lifted out while it arrived, and is read by parts.

What its data is, is decided as ``answer.result`` does for a result in memory: the text, where both say the same; the
structured data, where the text is a remark on it; else one document with both. Where only a look at all of it at once
could tell, it is brought into memory, and is a result like any other.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.answer.copies import COMPARED, LONGEST_ESCAPE, REMARK
from penstock.core.answer.result import Payload, Result, beside_copy, parse, payload
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
    IsCopy = Callable[[Document, Document, int, int], bool | None]

HEAD: Final = 4_096  # bytes at the beginning of two texts that are the same where both may be


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
        repeated=result.repeated,
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
    try:
        left = _without_copies(document, structured, _is_copy if len(texts) == 1 else _equal) if texts else None
    except _InMemoryError:
        return None
    if left is not None:
        return beside_copy(bare, left, data)
    if not texts or len(document.raw) <= REMARK:
        return Payload(document=structured, origin="structured", rest=(*texts, *bare.rest))
    most = LONGEST_ESCAPE * len(document.raw) + len(data) + HEAD
    both = read(join(_both(document, data), most))
    return Payload(document=both, origin="both", rest=bare.rest, texts=texts)


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


def _without_copies(document: Document, structured: Document, is_copy: IsCopy) -> bytes | None:
    """Return the structured data without its members that repeat the text, as ``copies.without_copies`` does. Raises an
    error if only both in memory can tell."""
    body, root = structured.body, structured.index.containers[0]
    whole = is_copy(document, structured, root.start, root.end)
    if whole:
        return b""
    has_members = root.kind == "object" and (root.count == 1 or len(document.raw) > REMARK)
    least = _least_copy(document) if has_members and root.count > 1 else 0
    members = [(begin, part_end(body, end)) for begin, end in pairwise(root.starts)] if has_members else []
    answers = [
        is_copy(document, structured, scan.open_member(body, begin)[1], end) if end - begin > least else False
        for begin, end in members
    ]
    if None in answers or (whole is None and True not in answers):
        raise _InMemoryError
    kept = [body[begin:end] for (begin, end), is_same in zip(members, answers, strict=True) if not is_same]
    if len(kept) == len(members):
        return None
    return b"{" + b",".join(kept) + b"}" if kept else b""


class _InMemoryError(Exception):
    """Only a look at all of the data at once can tell."""


def _least_copy(document: Document) -> int:
    """Return the bytes that a member must have to repeat a text: those of the text, or of its JSON as short as it can
    be spelled."""
    if document.kind is not Kind.JSON:
        return len(document.raw)
    root = document.index.containers[0]
    return sum(map(len, minified(document.body, document.index, root.start, root.end))) // LONGEST_ESCAPE


def _is_copy(document: Document, structured: Document, start: int, end: int) -> bool | None:
    """Return True if one value of the data repeats the text of the only block, or is the list of it. None if only both
    in memory can tell."""
    answer = _equal(document, structured, start, end)
    if answer or structured.body[start : start + 1] != b"[":
        return answer
    array = next((one for one in structured.index.containers if one.start == start), None)
    count = scan.count_items(structured.body[start:end]) if array is None else array.count
    if count != 1:
        return answer
    item = scan.first_place(structured.body, start + 1)
    inner = _equal(document, structured, item, part_end(structured.body, end - 1))
    return inner if inner or answer is False else None


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
    """Return True if minified data is compared by its values, if it is not the same otherwise."""
    return all(size <= COMPARED for size in accumulate(map(len, pieces)))


def _is_inside(raw: Bytes, body: Bytes, start: int, end: int) -> bool | None:
    """Return True if a value is all of a text but for white space around it."""
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
    """Return True if a JSON string, behind its first quote, says a text."""
    comparing = _Comparing(text)
    try:
        take_string(b"", string, comparing)
    except _DiffersError:
        return False
    return comparing.at == len(text)
