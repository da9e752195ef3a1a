"""Find what ``structuredContent`` repeats of the blocks: all of it, or some of its members.

Servers send a tool's data as text and once more as ``structuredContent``: as it is, as the only member of an object, or
next to other members. The other members are returned, so that nothing is lost when the copy is left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from penstock.core.answer.block import texts_in
from penstock.core.forms.document import Document, Kind, read
from penstock.core.json import scan
from penstock.core.json.buffer import in_memory, is_same, pieces, with_between
from penstock.core.json.index import minified
from penstock.core.json.strings import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.answer.block import Block
    from penstock.core.answer.result import Result
    from penstock.core.json.buffer import Bytes, Keep

REMARK: Final = 400  # A text of at most 400 bytes next to other data is a remark on it.
LARGE: Final = 8_388_608  # Bytes of JSON that is compared piece by piece: all of it may not fit into memory.
COMPARED: Final = 4_194_304  # Copies of more than 4 MB are compared by their bytes, because decoding takes too long.
LONGEST_ESCAPE: Final = 6  # A byte has at most 6 bytes in a JSON string, so copies differ by no more in length.

_ARRAY, _STRING = b'["'
_STRINGS: Final = msgspec.json.Decoder(list[str])


class ListedCopy(NamedTuple):
    """The list that several blocks are, and what is left of ``structuredContent`` without it."""

    document: Document
    left: bytes


def repeats_blocks(result: Result) -> bool:
    """Return True if ``structuredContent`` only repeats the blocks, and one of them is a picture: an object whose only
    member is the list of them, or the only block. To a client that reads it, the picture would be text."""
    if result.structured is None or not any(block.is_binary for block in result.blocks):
        return False
    try:
        value = msgspec.json.decode(result.structured)
        blocks = [msgspec.json.decode(block.raw) for block in result.blocks if not block.is_apart]
    except (ValueError, RecursionError):
        return False
    copy = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    return len(blocks) == len(result.blocks) and blocks in (copy, [copy])


def array_of(values: list[Bytes], keep: Keep = in_memory) -> Document | None:
    """Return the array of values that are JSON. None if one is not, or is more than one value."""
    together = read(keep(with_between(values, b",\n", b"[", b"]")), "strict")
    return together if together.kind is Kind.JSON and together.parts == len(values) else None


def listed_copy(blocks: Sequence[Block], structured: Bytes) -> ListedCopy | None:
    """Return the list of the texts in several blocks, or of the JSON in each, if ``structuredContent`` has that list.
    Servers in Python send the list that a tool returns in this way."""
    [first, *others] = blocks
    if not others and not first.is_whole:
        return None
    try:
        texts = texts_in(first.raw) if first.is_whole else [one.text or "" for one in blocks]
        listing = _List(texts)
        left = _left(structured, listing.is_copy, in_members=sum(map(len, texts)) > REMARK)
    except (ValueError, RecursionError):  # half an emoji, or blocks with more than texts
        return None
    return None if left is None or listing.document is None else ListedCopy(listing.document, left)


def without_copies(structured: Bytes, document: Document, *, blocks: int) -> bytes | None:
    """Return ``structuredContent`` without its members that repeat the text of the blocks. Empty if all of it does,
    None if no part does. A short text that is repeated next to other members is a remark on them, and not a copy."""
    if is_same(document.raw, structured):
        return b""
    try:
        return _left(structured, _Text(document, blocks).is_copy, in_members=len(document.raw) > REMARK)
    except msgspec.DecodeError:  # half an emoji in the structure, which no strict parser reads
        return None


def _left(structured: Bytes, is_copy: Callable[[memoryview], bool], *, in_members: bool) -> bytes | None:
    """Return an object without the members that are copies. ``in_members`` looks for copies next to other members."""
    view = memoryview(structured)
    if is_copy(view):
        return b""
    whole = structured if isinstance(structured, bytes) else view
    spans = list(scan.member_spans(whole, 0, len(view))) if structured[:1] == b"{" else []
    if len(spans) > 1 and not in_members:
        return None
    kept = [(begin, end) for _, begin, start, end in spans if not is_copy(view[start:end])]
    if len(kept) == len(spans):
        return None
    return b"{" + b",".join(structured[begin:end] for begin, end in kept) + b"}" if kept else b""


class _List:
    """The texts of several blocks. ``document`` is the list of them, once a copy of it was found."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.document: Document | None = None

    @cached_property
    def _values(self) -> Document | None:
        return array_of([one.encode() for one in self._texts])

    def is_copy(self, value: memoryview) -> bool:
        if value[0] != _ARRAY:
            return False
        at = scan.first_place(value, 1)
        if value[at] == _STRING:
            same = read(bytes(value), "strict") if _STRINGS.decode(value) == self._texts else None
        else:
            same = self._values if self._values is not None and _Text(self._values, 1).equals(value) else None
        self.document = self.document or same
        return same is not None


class _Text:
    """The text of some blocks that is compared with several values: its own forms are made once."""

    def __init__(self, document: Document, blocks: int) -> None:
        self._document = document
        self._blocks = blocks

    @cached_property
    def _minified(self) -> bytes:
        return scan.minify(self._document.body[:])

    @cached_property
    def _decoded(self) -> Any:
        return _decoded(self._minified)

    def is_copy(self, value: memoryview) -> bool:
        """Return True if a value says the same as the text, or is the list of the only block."""
        if self.equals(value):
            return True
        only = scan.only_item(value, 0, len(value)) if self._blocks == 1 else None
        return only is not None and self.equals(value[slice(*only)])

    def equals(self, value: memoryview) -> bool:
        document = self._document
        if value[0] == _STRING:
            return len(value) > len(document.raw) and _are_same(unescaped(value, 1, len(value) - 1), document.raw)
        if document.kind is not Kind.JSON or not scan.is_container(value):
            start, end = scan.bounds(document.raw)
            return end - start == len(value) and _are_same(pieces(value), document.raw, start, end)
        if max(len(value), len(document.body)) > LARGE:
            return _are_equal(minified(document.body), minified(value))
        other = scan.minify(bytes(value))
        if self._minified == other:
            return True
        shorter, longer = sorted((len(self._minified), len(other)))
        is_alike = longer <= COMPARED and longer <= LONGEST_ESCAPE * shorter
        return is_alike and self._decoded == _decoded(other)


def _are_equal(left: Iterator[bytes], right: Iterator[bytes]) -> bool:
    """Return True if the pieces of both say the same, put together. No more of them is made than that takes."""
    ours = theirs = b""
    while True:
        ours, theirs = ours or next(left, b""), theirs or next(right, b"")
        size = min(len(ours), len(theirs))
        if not size or ours[:size] != theirs[:size]:
            return not ours and not theirs
        ours, theirs = ours[size:], theirs[size:]


def _are_same(parts: Iterator[bytes], data: Bytes, start: int = 0, end: int | None = None) -> bool:
    """Return True if pieces put together are a part of the data."""
    for part in parts:
        if data[start : start + len(part)] != part:
            return False
        start += len(part)
    return start == (len(data) if end is None else end)


def _decoded(data: bytes) -> Any:
    """Decode JSON for comparing: 1, 1.0 and true differ. A number out of range makes it equal to nothing."""
    try:
        return msgspec.json.encode(msgspec.json.decode(data), order="sorted")
    except msgspec.MsgspecError:
        return object()
