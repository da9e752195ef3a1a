"""Values made short enough for a preview, and what is known of the fields around a container.

Scalars keep their digits; what is cut says how much is missing: ``…[+1,204]`` (characters), ``[3 items]``,
``{5 fields}``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Raw

from penstock.core.json import scan
from penstock.core.json.path import render, shorten
from penstock.core.json.strings import quote
from penstock.core.reading.cut import character_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.budget import Room
    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

LONG_CELL: Final = 80  # characters of a string in a cell: enough to tell what it is
LONG_NAME: Final = 60  # characters of a field's name; a longer key is data
INLINE: Final = 60  # bytes of a small array or object that is shown as it is: its summary would not be shorter
SPACED: Final = 8  # times its compact size that an indented value may take; a longer one is not small
DECODED: Final = 65_536  # bytes of a string that is decoded whole to count its characters; of longer ones the bytes
MOST_PARSED: Final = 1_048_576  # bytes of a nested value that is split to count its parts: about a millisecond
MOST_LABELS: Final = 3  # items of an array that are named in its summary
LONG_LABEL: Final = 24  # characters of each
MOST_BESIDE: Final = 8  # fields beside the main container that are shown with it
MOST_NAMES: Final = 24  # names listed of what is not shown

BYTES_PER_TOKEN: Final = 16  # JSON never has so many

CUT: Final = "…[".encode()  # the beginning of the mark at the end of a string that was cut

# Fields by which people know an object, the most telling first.
LABELS: Final = ("name", "title", "login", "username", "label", "key", "id", "path", "email", "value", "text", "type")

_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_ITEMS = msgspec.json.Decoder(list[Raw])
# Whole characters and escapes only: a prefix of a string's bytes may end inside one.
_WHOLE = re.compile(
    rb'(?:[^"\\]|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4})*', re.DOTALL
)


def fields(value: bytes) -> dict[str, bytes]:
    """The fields of an object; of duplicate keys the last counts, as parsers have it. Other values have none."""
    if value[:1] != b"{":
        return {}
    return {key: bytes(raw) for key, raw in _FIELDS.decode(value).items()}


def items(value: bytes) -> list[bytes]:
    """The items of an array; other values have none."""
    return scan.items(value) if value[:1] == b"[" else []


def count_of(value: bytes) -> int:
    """How many items an array has, or fields an object, by what a parser makes of it."""
    return len(_FIELDS.decode(value)) if value[:1] == b"{" else len(_ITEMS.decode(value))


def dig(value: bytes, path: Sequence[str]) -> bytes | None:
    """The value at a path of fields, or None when there is none or it is null."""
    for step in path:
        if value[:1] != b"{" or (inner := _FIELDS.decode(value).get(step)) is None:
            return None
        value = bytes(inner)
    return None if value == b"null" else value


def keyed(member: bytes) -> tuple[str, bytes]:
    """The key and the value of one ``"key": value`` member."""
    [(key, value)] = scan.members(b"{" + member + b"}")
    return key, value


def part_of(subject: Subject, container: Container, at: int) -> tuple[str, bytes]:
    """The key, if the container's parts have keys, and the value of one part."""
    part = container.item(subject.read, at)
    return keyed(part) if container.kind == "object" else ("", part)


def counted(amount: int, noun: str, plural: str = "") -> str:
    """``1 item``, ``1,204 items``."""
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def name(text: str) -> bytes:
    """A field's name as a JSON string, shortened when it is absurdly long."""
    return quote(shorten(text, LONG_NAME))


def names(texts: Sequence[str]) -> bytes:
    """Names as a JSON array, the rest of a long list counted; nothing when there are none."""
    listed = [name(text) for text in texts[:MOST_NAMES]]
    if len(texts) > MOST_NAMES:
        listed.append(quote(f"+{len(texts) - MOST_NAMES:,} more"))
    return array_of(listed) if listed else b""


def number(count: int) -> bytes:
    """A number of things that are not shown; nothing when there are none."""
    return str(count).encode() if count else b""


def array_of(parts: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(parts) + b"]"


def object_of(parts: Iterable[tuple[str, bytes]]) -> bytes:
    """A JSON object of these members, those without a value left out; nothing when no member is left."""
    members = [name(key) + b":" + value for key, value in parts if value]
    return b"{" + b",".join(members) + b"}" if members else b""


def reach(room: Room) -> int:
    """Bytes that nothing in this room can exceed: what is longer need not be written to know that it does not fit."""
    return min(room.size, room.tokens * BYTES_PER_TOKEN)


def cell(value: bytes, limit: int = LONG_CELL) -> bytes:
    """Any JSON value as one short one: a small one as it is, a long string cut, a large container summed up."""
    if not scan.is_container(value):
        return scalar(value, limit)
    return small(value) or quote(_summary(value))


def small(value: bytes, most: int = INLINE) -> bytes:
    """A container without white space if it is small, else nothing."""
    if len(value) > most * SPACED:
        return b""
    compact = scan.minify(value)
    return compact if len(compact) <= most else b""


def scalar(value: bytes, limit: int = LONG_CELL) -> bytes:
    """A scalar as it is, unless it is a long string or an absurdly long number."""
    if value[:1] != b'"':
        return value if len(value) <= limit else quote(f"[number of {len(value):,} characters]")
    if len(value) <= limit + 2 and b"\\" not in value:
        return value
    return quote(text_of(value, limit))


def text_of(value: bytes, limit: int = LONG_CELL) -> str:
    """The text of a JSON string, cut between characters with a mark that counts the rest; of a number its digits."""
    if value[:1] != b'"':
        return shorten(value.decode(), limit)
    if len(value) > DECODED:
        head = next(_WHOLE.finditer(value, 1, 1 + limit * 12))[0].decode("utf-8", "ignore")
        text = msgspec.json.decode(f'"{head}"'.encode(), type=str)
        return f"{text[: character_start(text, limit)]}…[of {counted(len(value), 'byte')}]"
    text = msgspec.json.decode(value, type=str)
    kept = text if len(text) <= limit else text[: character_start(text, limit)]
    return text if kept == text else f"{kept}…[+{len(text) - len(kept):,}]"


def closed(kind: str, count: int) -> str:
    """What stands for a container that is not shown: ``[3 items]`` or ``{5 fields}``."""
    return f"[{counted(count, 'item')}]" if kind == "[" else f"{{{counted(count, 'field')}}}"


def sized(value: bytes) -> str:
    """What stands for a container that is too large to count its parts."""
    size = counted(len(value), "byte")
    return f"[{size}]" if value[:1] == b"[" else f"{{{size}}}"


def _summary(value: bytes) -> str:
    if len(value) > MOST_PARSED:
        return sized(value)
    if value[:1] == b"{":
        inner = fields(value)
        known, text = _known_by(inner)
        return f"{{{counted(len(inner), 'field')}: {known} {text}}}" if known else closed("{", len(inner))
    found = _ITEMS.decode(value)
    labels = [_label(bytes(raw)) for raw in found[:MOST_LABELS]]
    if not all(labels):
        return closed("[", len(found))
    more = ", …" if len(found) > MOST_LABELS else ""
    return f"[{counted(len(found), 'item')}: {', '.join(labels)}{more}]"


def _label(value: bytes) -> str:
    """What an item of an array is called, or nothing."""
    if scan.is_container(value):
        return _known_by(fields(value))[-1]
    return text_of(value, LONG_LABEL)


def _known_by(inner: dict[str, bytes]) -> tuple[str, str]:
    """The field that people know an object by, and its text; empty when it has none."""
    for known in LABELS:
        value = inner.get(known, b"null")
        if value not in (b"null", b'""') and not scan.is_container(value):
            return known, text_of(value, LONG_LABEL)
    return "", ""


def beside(subject: Subject, main: Container) -> bytes:
    """The fields around the main container, by their paths: totals, cursors, and what else it came with.

    Nothing when there are none.
    """
    containers = {one.path: one for one in subject.index.containers}
    shown: list[tuple[str, bytes]] = []
    others = 0
    for length, step in enumerate(main.path):
        around = containers[main.path[:length]]
        if around.kind == "object" and around.keys is None:  # a map of very many keys: its members are alike
            others += around.count - 1
            continue
        steps: Sequence[str | int] = around.keys if around.keys is not None else range(around.count)
        siblings = [number for number, other in enumerate(steps) if other != step]
        listed = siblings[: MOST_BESIDE - len(shown)]
        others += len(siblings) - len(listed)
        for number in listed:
            path = (*around.path, steps[number])
            shown.append((render(path), _aside(subject, around, number, containers.get(path))))
    if others:
        shown.append(("…", quote(f"+{counted(others, 'field')}")))
    return object_of(shown)


def _aside(subject: Subject, around: Container, number: int, known: Container | None) -> bytes:
    """A value beside the main container; a large one is counted by its index and never read."""
    if known is not None:
        return quote(closed("{" if known.kind == "object" else "[", known.count))
    part = around.item(subject.read, number)
    return cell(scan.member_value(part) if around.kind == "object" else part, LONG_NAME)
