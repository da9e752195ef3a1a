"""Facts about JSON bytes without building objects: validity, and where the parts of a container lie.

Everything here works on byte positions, so numbers, escapes, duplicate keys and key order stay as they were sent.
"""

from __future__ import annotations

import codecs
import re
from array import array
from io import BytesIO
from itertools import accumulate, repeat
from operator import add, itemgetter, sub
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.json.buffer import Bytes

MAX_DEPTH: Final = 400  # msgspec fails between 500 and 1,000 levels, by the caller's stack; deeper JSON is text
LINES_CHUNK: Final = 262_144  # bytes; splitting a whole text at once would hold all its lines as objects
MANY_VALUES: Final = 1_000  # values one after the other that are so many and
LEAST_VALUE: Final = 8  # bytes each, on average, are columns of numbers, and no JSON values
CHUNK: Final = 65_536  # larger chunks leave the processor's cache and are slower
MANY_MEMBERS: Final = 32  # members of an object from which on it is worth to see whether all are written alike
TRUNCATED: Final = "truncated"  # in the words of the parser, when a value goes on behind the end
RUN: Final = 65_536  # Bytes of parts that are looked for together: few enough for the cache of a processor.
MAX_TRIES: Final = 3  # Places in a run at which a part may end, of each kind; each costs a look at the whole run.
LONG_KEY: Final = (
    1_024,
    65_536,
)  # bytes in which a key is looked for, before it is so in all that follow
BLANK: Final = b" \t\r\n"
_ARRAY: Final = ord("[")

Scalar = Literal["str", "int", "float", "bool", "null"]
_SCALARS: Final[dict[int, Scalar]] = {0x22: "str", 0x74: "bool", 0x66: "bool", 0x6E: "null"}  # " t f n

_VALID = msgspec.json.Decoder(Raw)
_ITEMS = msgspec.json.Decoder(list[Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])

_NOT_PLAIN = re.compile(rb'["\[{]')
_NOT_BLANK = re.compile(rb"[^ \t\r\n]")
_GAP = re.compile(rb"[ \t\r\n]*+,?[ \t\r\n]*+")
# Possessive repeats: the others remember every character of a string, fifty bytes each.
_KEY = re.compile(rb'[ \t\r\n,]*+("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\r\n]*+:[ \t\r\n]*+', re.DOTALL)
_AFTER_VALUE = b",} \t\r\n"
_OPENING = re.compile(rb'\{[ \t\r\n]*+"[^"\\]{0,64}|[\[{"]')  # How a part begins, up to its first key.
_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")


def is_utf8(data: Bytes) -> bool:
    """Return True if the bytes are strict UTF-8, without decoding all of them at once."""
    if isinstance(data, bytes) and data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), CHUNK):
            decoder.decode(data[at : at + CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def bounds(data: Bytes | memoryview) -> tuple[int, int]:
    """Find where the data begins and ends but for white space around it."""
    found = _NOT_BLANK.search(data)
    end = len(data)
    while found and data[end - 1] in BLANK:
        end -= 1
    return found.start() if found else end, end


def check(value: Bytes | memoryview) -> None:
    """Raise unless this is one JSON value."""
    _VALID.decode(value)


def first_place(data: Bytes | memoryview, at: int = 0) -> int:
    """Find the first byte from ``at`` on that is not white space, or the end."""
    found = _NOT_BLANK.search(data, at)
    return len(data) if found is None else found.start()


def value_steps(data: Bytes) -> Iterator[tuple[int, Sequence[int]]]:
    """Find where JSON values begin that stand one after the other with nothing but white space between them, some at a
    time: the first of them, and the steps to the others; at last the end of the data. Raises when it is anything
    else."""
    at = first_place(data)
    while piece := data[at : at + LINES_CHUNK]:
        lines, values = _whole_values(data, at, piece)
        if len(values) > MANY_VALUES and len(values) * LEAST_VALUE > len(lines):
            raise msgspec.DecodeError("columns of numbers")
        first, steps = _steps(lines, 0, len(lines.rstrip(BLANK)), values)
        yield at + first, steps
        at = first_place(data, at + len(lines))
    yield len(data), ()


def _whole_values(data: Bytes, at: int, piece: bytes) -> tuple[bytes, list[Raw]]:
    """Return the values of whole lines from ``at`` on, and these lines. ``piece`` is what stands there; of a value that
    is longer than it, more and more is read. Raises when there is anything but values."""
    size = LINES_CHUNK
    while True:
        is_last = len(piece) < size
        lines = piece if is_last else piece[: piece.rfind(b"\n") + 1]
        try:
            return lines, _VALID.decode_lines(lines if lines else b"!")
        except msgspec.DecodeError as error:
            if is_last or (lines and TRUNCATED not in str(error)):
                raise
        size *= 2
        piece = data[at : at + size]


def is_container(value: bytes | memoryview) -> bool:
    return value[:1] in (b"{", b"[")


def scalar_type(value: bytes) -> Scalar:
    """Return the type of a JSON value that is not a container, by its first byte."""
    return _SCALARS.get(value[0]) or ("float" if b"." in value or b"e" in value or b"E" in value else "int")


def minify(data: bytes) -> bytes:
    """Take the white space out of valid JSON; every other byte stays."""
    return msgspec.json.format(data, indent=-1)


def items(value: bytes) -> list[bytes]:
    """Return the items of a small JSON array, each in its original bytes."""
    return list(map(bytes, _ITEMS.decode(value)))


def item_views(data: bytes | memoryview, start: int, end: int) -> list[memoryview]:
    """Return the items of the array ``data[start:end]``, none of them copied."""
    return [memoryview(raw) for raw in _ITEMS.decode(memoryview(data)[start:end])]


def has_more_items(data: Bytes | memoryview, start: int, most: int) -> bool:
    """Return True if the array that begins at ``start`` has more items than this; no more than that are looked at."""
    at = _gap_end(data, start + 1)
    for _ in range(most):
        if bytes(data[at : at + 1]) == b"]":
            return False
        end = value_end(data, at)
        at = _gap_end(data, end)
        if b"," not in bytes(data[end:at]):
            return False
    return True


def only_item(data: Bytes | memoryview, start: int, end: int) -> tuple[int, int] | None:
    """Return where the only item of the array ``data[start:end]`` begins and ends. Return None for any other array. Of
    several items only the first is looked at."""
    first = _gap_end(data, start + 1)
    if data[start] != _ARRAY or first >= end - 1:
        return None
    behind = value_end(data, first)
    return (first, behind) if _gap_end(data, behind) == end - 1 else None


def _gap_end(data: Bytes | memoryview, at: int) -> int:
    gap = _GAP.match(data, at)
    return gap.end() if gap is not None else at


def count_items(value: bytes) -> int:
    return len(_ITEMS.decode(value))


def members(value: bytes) -> list[tuple[str, bytes]]:
    """Return the members of a small JSON object in order, duplicates included, each value in its original bytes."""
    return [(key, value[start:end]) for key, _, start, end in member_spans(value, 0, len(value))]


def item_steps(piece: bytes | memoryview) -> tuple[int, Sequence[int]]:
    """Find where the first item begins in a piece from the inside an array (whole items, commas between them), and
    the steps from each item to the next."""
    whole = b"".join((b"[", piece, b"]"))
    if _NOT_PLAIN.search(whole, 1):
        first, steps = _steps(whole, 1, len(whole) - 1, _ITEMS.decode(whole))
    else:
        check(whole)  # numbers and words: every comma is between two items
        first, steps = _steps(whole, 1, len(whole) - 1, list(map(bytes.strip, whole[1:-1].split(b","))))
    return first - 1, steps


def whole_parts(piece: bytes, *, keyed: bool) -> tuple[int, int, Sequence[int], list[str]] | None:
    """Find the parts at the beginning of a piece from inside a container, which goes on behind it: where the last of
    them ends, where the first begins, the steps to the others, and of members the keys. None if none is found.

    What parses as parts is parts: a place inside one would leave it open. So only the place of the last one is a
    guess: before what looks like the beginning of the first, behind a bracket, or at a comma.
    """
    for end in _likely_ends(piece):
        inside = piece[:end].rstrip(b", \t\r\n")
        try:
            return (end, *part_steps(inside, keyed=keyed)) if inside else None
        except msgspec.DecodeError:
            continue
    return None


def _likely_ends(piece: bytes) -> Iterator[int]:
    start = first_place(piece)
    opening = _OPENING.match(piece, start)
    for sign, behind in ((opening[0] if opening else b"", 0), (b"},", 2), (b",", 1)):
        at = len(piece)
        for _ in range(MAX_TRIES if sign else 0):
            at = piece.rfind(sign, start + 1, at)
            if at < 0:
                break
            yield at + behind


def part_steps(inside: bytes, *, keyed: bool) -> tuple[int, Sequence[int], list[str]]:
    """Find the parts of what stands inside a container: where the first begins, the steps to the others, and of
    members the keys."""
    if not keyed:
        return (*item_steps(inside), [])
    keys, starts = member_starts(b"{" + inside + b"}", 0, len(inside) + 2)
    return starts[0] - 1, list(map(sub, starts[1:], starts)), keys


def _steps(data: bytes, at: int, end: int, values: Sequence[bytes | Raw]) -> tuple[int, Sequence[int]]:
    """Find where the first of some values begins between two positions, and the steps to the others, with nothing but a
    comma and white space between them."""
    steps = [len(value) + 1 for value in values]  # twice as fast as to map it
    if sum(steps) - 1 == end - at:  # one byte between them is the least: no white space
        steps.pop()
        return at, steps
    begin = _gap_end(data, at)
    behind = begin + len(values[0])
    between = data[behind : min(end, _gap_end(data, behind))]
    if len(between) != 1:
        steps = [step + len(between) - 1 for step in steps]
    if _is_between(data, between, begin, end, steps):
        return begin, steps[:-1]
    starts: list[int] = []
    for value in values:
        at = _gap_end(data, at)
        starts.append(at)
        at += len(value)
    return starts[0], list(map(sub, starts[1:], starts))


def _is_between(data: bytes, between: bytes, begin: int, end: int, steps: Sequence[int]) -> bool:
    """Return True if the same bytes stand between all parts, and nothing but white space behind the last. No value ends
    with a comma or white space: were any gap longer, the next one would be looked for where a value still goes on."""
    ends = list(map((-len(between)).__add__, accumulate(steps, initial=begin)))[1:]
    return not data[ends.pop() : end].strip() and all(map(data.startswith, repeat(between), ends))


def line_steps(data: Bytes) -> Iterator[tuple[int, Sequence[int]]]:
    """Find where lines begin, some at a time: the first of them, and the steps to the others; at last one past the end.

    A newline at the end of the data closes the last line and begins no other.
    """
    for at, chunk in _line_chunks(data):
        steps = list(map(len, BytesIO(chunk + b"\n").readlines()))
        yield at, steps[:-1]
    if data[-1:] != b"\n":
        yield len(data) + 1, ()


def _line_chunks(data: Bytes) -> Iterator[tuple[int, bytes]]:
    """Return the lines of a text, some at a time: where the first of them begins, and the bytes up to the last
    newline."""
    at = 0
    while True:
        piece = data[at : at + LINES_CHUNK]
        end = piece.rfind(b"\n")
        if end < 0 and len(piece) == LINES_CHUNK:  # a long line
            end = data.find(b"\n", at + LINES_CHUNK) - at
            piece = data[at : at + end if end > 0 else len(data)]
        yield at, piece if end < 0 else piece[:end]
        if end < 0:
            return
        at += end + 1


def member_spans(data: bytes | memoryview, start: int, end: int) -> Iterator[tuple[str, int, int, int]]:
    """Return the members of the object ``data[start:end]`` in order, duplicates included: key, where the member begins,
    where its value begins and ends."""
    values = _MEMBERS.decode(memoryview(data)[start:end])
    at = start + 1
    while (key := _KEY.match(data, at, end)) is not None:
        name = _decode_key(key[1])
        raw = values[name]
        stop = key.end() + len(raw)
        # A value that equals the parser's and ends where a value may end is that value: strings and containers
        # close themselves, numbers are checked by what follows. A duplicate key fails one of the two.
        if not _is_at(data, key.end(), raw) or data[stop] not in _AFTER_VALUE:
            stop = value_end(data, key.end())
        yield name, key.start(1), key.end(), stop
        at = stop


def _is_at(data: bytes | memoryview, at: int, raw: Raw) -> bool:
    if isinstance(data, bytes):
        return data.startswith(raw, at)
    return Raw(data[at : at + len(raw)]) == raw


def member_starts(data: bytes, start: int, end: int) -> tuple[list[str], list[int]]:
    """Return the keys of the object ``data[start:end]``, duplicates included, and where their members begin."""
    values = _MEMBERS.decode(memoryview(data)[start:end])
    if len(values) >= MANY_MEMBERS and (starts := _even_starts(data, start, end, values)) is not None:
        return list(values), starts
    spans = list(member_spans(data, start, end))
    return list(map(itemgetter(0), spans)), list(map(itemgetter(1), spans))


def _even_starts(data: bytes, start: int, end: int, values: dict[str, Raw]) -> list[int] | None:
    """Return where the members of an object begin that are all written alike: all at once. None for any other."""
    first = _KEY.match(data, start + 1, end)
    behind = first.end() + len(next(iter(values.values()))) if first is not None else end
    second = _KEY.match(data, behind, end)
    if first is None or second is None:
        return None
    colon = data[first.end(1) : first.end()]
    between = data[behind : second.start(1)]
    heads = [encoded + colon for encoded in map(msgspec.json.encode, values)]
    steps = array("Q", map(len(between).__add__, map(add, map(len, heads), map(len, values.values()))))
    begin = first.start(1)
    starts = list(accumulate(steps[:-1], initial=begin))
    if not _is_between(data, between, begin, end - 1, steps) or not all(map(data.startswith, heads, starts)):
        return None
    return starts


def member_value(member: bytes) -> bytes:
    """Return the value of one ``"key": value`` member."""
    key = _KEY.match(member)
    return member[key.end() :] if key else member


def member_key(member: bytes) -> str | None:
    """Return the key of one ``"key": value`` member, of which no more than the beginning is needed."""
    key = _KEY.match(member)
    return None if key is None else _decode_key(key[1])


def _decode_key(literal: bytes) -> str:
    if b"\\" in literal:
        return msgspec.json.decode(literal, type=str)
    return literal[1:-1].decode()


def open_member(data: Bytes | memoryview, at: int) -> tuple[str, int]:
    """Return the key of the member that begins at ``at``, and where its value begins."""
    for size in LONG_KEY:
        near = data[at : at + size]
        key = _KEY.match(near)
        if key is not None and key.end() < len(near):
            return _decode_key(key[1]), at + key.end()
    key = _KEY.match(data[at:])
    if key is None:
        raise msgspec.DecodeError("a member without a key")
    return _decode_key(key[1]), at + key.end()


def value_end(data: Bytes | memoryview, at: int) -> int:
    """Find where the value that begins at ``at`` ends. The parser reads that value and names the place behind it, as
    it takes one value only: no objects are made, however long the value is."""
    try:
        check(memoryview(data)[at:])
    except msgspec.DecodeError as error:
        behind = _TRAILING.search(str(error))
        if behind is None:
            raise
        end = at + int(behind[1]) - 1
    else:
        end = len(data)
    while data[end - 1] in BLANK:
        end -= 1
    return end
