"""Facts about JSON bytes without building objects: validity, depth, and where the parts of a container lie.

Everything here works on byte positions, so numbers, escapes, duplicate keys and key order stay as they were sent.
"""

from __future__ import annotations

import codecs
import re
from array import array
from itertools import accumulate, compress, islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec
from msgspec import Raw

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH: Final = 400  # msgspec fails between 500 and 1,000 levels, by the caller's stack; deeper JSON is text
LINES_CHUNK: Final = 1_048_576  # splitting a whole text at once would hold all its lines as objects
CHUNK: Final = 65_536  # larger chunks leave the processor's cache and are slower
MANY_ESCAPES: Final = 64  # in the first 4 KB of a chunk; so many are faster taken out by two searches of all of it
BLANK: Final = b" \t\r\n"

Scalar = Literal["str", "int", "float", "bool", "null"]
_SCALARS: Final[dict[int, Scalar]] = {0x22: "str", 0x74: "bool", 0x66: "bool", 0x6E: "null"}  # " t f n
Parts: TypeAlias = "array[int] | dict[str, Raw]"  # where the items of an array begin, or the values of an object

_VALID = msgspec.json.Decoder(Raw)
_ITEMS = msgspec.json.Decoder(list[Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])

_BRACKETS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes: +1 and -1
_UP_DOWN = b"\x01\xff"
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[{]}"'))
_NOT_BLANK = re.compile(rb"[^ \t\r\n]")
_SLASHES = re.compile(rb"\\*")
_GAP = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")
# Possessive repeats: the others remember every character of a string, fifty bytes each.
_KEY = re.compile(rb'[ \t\r\n,]*+("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\r\n]*+:[ \t\r\n]*+', re.DOTALL)
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{]|[\]}]', re.DOTALL)
_ONE_MORE = (1).__add__  # the newline behind a line, the comma behind an item
_AFTER_VALUE = b",} \t\r\n"
_PLAIN = re.compile(rb"[^\s,\]}]+")


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are strict UTF-8, without decoding all of them at once."""
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), CHUNK):
            decoder.decode(data[at : at + CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def depth(data: bytes) -> int:
    """The deepest nesting of brackets outside strings; ``[1]`` has 1, a number 0. Never recurses."""
    level = deepest = at = 0
    in_string = False
    while at < len(data):
        end = min(at + CHUNK, len(data))
        if data[end - 1] == 0x5C:  # an escape must not be torn in two
            run = _SLASHES.match(data, end)
            end = min((run.end() if run else end) + 1, len(data))
        chunk = data[at:end]
        at = end
        if b"\\" in chunk:
            chunk = _without_escapes(chunk)
        # Two adjacent quotes can go, whichever string they belong to: nothing else changes sides.
        marks = chunk.translate(_BRACKETS, _NOT_STRUCTURE).replace(b'""', b"")
        if in_string:
            marks = b'"' + marks
        parts = marks.split(b'"')
        in_string = len(parts) % 2 == 0
        level, deepest = _climb(b"".join(parts[::2]), level, deepest)
    return deepest


def _without_escapes(chunk: bytes) -> bytes:
    """The chunk without its escaped characters, so that every quote in it opens or closes a string."""
    if chunk.count(b"\\", 0, 4_096) > MANY_ESCAPES:
        return chunk.replace(b"\\\\", b"").replace(b'\\"', b"")
    kept: list[bytes] = []
    at = 0
    while (slash := chunk.find(b"\\", at)) >= 0:
        kept.append(chunk[at:slash])
        at = slash + 2
    kept.append(chunk[at:])
    return b"".join(kept)


def _climb(steps: bytes, level: int, deepest: int) -> tuple[int, int]:
    """The level after these steps up and down, and the highest so far.

    Each step up that is followed by a step down is taken out, round by round while that takes out many: it is much
    faster than to follow the steps. A round lowers the highest by one or not at all, so most chunks are seen to stay
    below it without following all their steps.
    """
    left, rounds, taken = steps, 0, len(steps)
    while taken * 3 > len(left):
        before = len(left)
        left = left.replace(_UP_DOWN, b"")
        taken = before - len(left)
        rounds += 1
    rest = array("b", left)
    if max(accumulate(rest, initial=level)) + rounds > deepest:
        highest = max(accumulate(array("b", steps), initial=level))
        deepest = max(deepest, highest)
    return level + sum(rest), deepest


def bounds(data: bytes) -> tuple[int, int]:
    """Where the data begins and ends but for white space around it."""
    found = _NOT_BLANK.search(data)
    end = len(data)
    while found and data[end - 1] in BLANK:
        end -= 1
    return found.start() if found else end, end


def split(data: bytes) -> Parts | None:
    """The parts of the array or object that the data is; None when the parser does not take it.

    The parser reads every byte on the way, so this is also the test whether the data is JSON.
    """
    start, end = bounds(data)
    try:
        if data[start : start + 1] == b"[":
            return item_starts(data, start, end)
        return _MEMBERS.decode(memoryview(data)[start:end])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def records(data: bytes) -> array[int] | None:
    """Where the lines that are not blank begin, and the end of the data; None unless there are two or more, and each
    of them is one JSON value."""
    starts = _positions(data)
    for at, chunk in _line_chunks(data):
        lines = chunk.split(b"\n")
        stripped = [line.strip() for line in lines]
        try:
            values = _VALID.decode_lines(chunk)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return None
        # The parser takes values one after another wherever they begin; each must be as long as its line.
        if list(filter(None, map(len, stripped))) != list(map(len, values)):
            return None
        starts.extend(compress(accumulate(map(_ONE_MORE, map(len, lines)), initial=at), stripped))
    if len(starts) < 2:
        return None
    starts.append(len(data))
    return starts


def is_container(value: bytes) -> bool:
    return value[:1] in (b"{", b"[")


def scalar_type(value: bytes) -> Scalar:
    """The type of a JSON value that is not a container, by its first byte."""
    return _SCALARS.get(value[0]) or ("float" if b"." in value or b"e" in value or b"E" in value else "int")


def minify(data: bytes) -> bytes:
    """Take the white space out of valid JSON; every other byte stays."""
    return msgspec.json.format(data, indent=-1)


def items(value: bytes) -> list[bytes]:
    """The items of a small JSON array, each in its original bytes."""
    return [bytes(raw) for raw in _ITEMS.decode(value)]


def item_views(data: bytes, start: int, end: int) -> list[memoryview]:
    """The items of the array ``data[start:end]``, none of them copied."""
    return [memoryview(raw) for raw in _ITEMS.decode(memoryview(data)[start:end])]


def count_items(value: bytes) -> int:
    return len(_ITEMS.decode(value))


def members(value: bytes) -> list[tuple[str, bytes]]:
    """The members of a small JSON object in order, duplicates included, each value in its original bytes."""
    return [(key, value[start:end]) for key, _, start, end in member_spans(value, 0, len(value))]


def item_starts(data: bytes, start: int, end: int) -> array[int]:
    """Where the items of the array ``data[start:end]`` begin; the last entry is its closing bracket.

    Item ``i`` is ``data[starts[i]:starts[i + 1]]`` without the comma and white space at its end.
    """
    view = memoryview(data)[start:end]
    lengths = array("Q", map(len, _ITEMS.decode(view)))
    starts = _positions(data)
    if not lengths:
        starts.append(end - 1)
        return starts
    if sum(lengths) + len(lengths) + 1 == end - start:  # one byte between items is the least: no white space
        starts.extend(accumulate(map(_ONE_MORE, lengths), initial=start + 1))
        starts[-1] = end - 1
        return starts
    at = start + 1
    gap = _GAP.match
    for length in lengths:
        at = gap(data, at).end()  # type: ignore[union-attr]  # the pattern matches the empty string
        starts.append(at)
        at += length
    starts.append(end - 1)
    return starts


def line_starts(data: bytes) -> array[int]:
    """Where the lines of a text begin; the last entry is one past its end.

    Line ``i`` is ``data[starts[i]:starts[i + 1] - 1]``. A newline at the end closes the last line and begins no other.
    """
    starts = _positions(data)
    for at, chunk in _line_chunks(data):
        lines = chunk.split(b"\n")
        starts.extend(islice(accumulate(map(_ONE_MORE, map(len, lines)), initial=at), len(lines)))
    if not data.endswith(b"\n"):
        starts.append(len(data) + 1)
    return starts


def _line_chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a text, some at a time: where the first of them begins, and the bytes up to the last newline."""
    at = 0
    while at <= len(data):
        end = data.rfind(b"\n", at, at + LINES_CHUNK)
        if end < 0:
            end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield at, data[at:end]
        at = end + 1


def fields(value: bytes) -> dict[str, Raw]:
    """The fields of a small JSON object; of duplicate keys the last counts, as parsers have it."""
    return _MEMBERS.decode(value)


def member_spans(
    data: bytes, start: int, end: int, values: dict[str, Raw] | None = None
) -> Iterator[tuple[str, int, int, int]]:
    """The members of the object ``data[start:end]`` in order, duplicates included: key, where the member begins,
    where its value begins and ends. ``values`` are what ``split`` found, when it was split before."""
    values = _MEMBERS.decode(memoryview(data)[start:end]) if values is None else values
    at = start + 1
    while (key := _KEY.match(data, at, end)) is not None:
        name = _decode_key(key[1])
        raw = values[name]
        stop = key.end() + len(raw)
        # A value that equals the parser's and ends where a value may end is that value: strings and containers
        # close themselves, numbers are checked by what follows. A duplicate key fails one of the two.
        if not data.startswith(raw, key.end()) or data[stop] not in _AFTER_VALUE:
            stop = _value_end(data, key.end())
        yield name, key.start(1), key.end(), stop
        at = stop


def member_value(member: bytes) -> bytes:
    """The value of one ``"key": value`` member."""
    key = _KEY.match(member)
    return member[key.end() :] if key else member


def member_key(member: bytes) -> str | None:
    """The key of one ``"key": value`` member, of which no more than the beginning is needed."""
    key = _KEY.match(member)
    return None if key is None else _decode_key(key[1])


def _decode_key(literal: bytes) -> str:
    if b"\\" in literal:
        return msgspec.json.decode(literal, type=str)
    return literal[1:-1].decode()


def _value_end(data: bytes, at: int) -> int:
    """Where the value that begins at ``at`` ends, counting brackets: slow, and only needed for duplicate keys."""
    level = 0
    first = data[at : at + 1]
    if first not in (b'"', b"{", b"["):
        plain = _PLAIN.match(data, at)
        return plain.end() if plain else at
    tokens = _TOKEN.finditer(data, at)
    while True:  # valid JSON closes what it opens
        token = next(tokens)
        mark = token[0][:1]
        level += (mark in b"[{") - (mark in b"]}")
        if level == 0:
            return token.end()


def _positions(data: bytes) -> array[int]:
    """Four bytes a position while they are enough: an index must stay small beside the data."""
    return array("I" if len(data) < 2**32 else "Q")
