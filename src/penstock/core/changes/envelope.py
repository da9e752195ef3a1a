"""Take the rows out of a JSON document: they are split in one reading of it, however deep they lie, and what stands
around them is left as a small document of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from penstock.core.changes.keys import decoder_at, is_nameable

if TYPE_CHECKING:
    from penstock.core.json.path import Path

NEAR: Final = 512  # bytes behind the first row in which the second begins
BLANK: Final = b" \t\r\n"
VALUES: Final = msgspec.json.Decoder(Raw)


class RowsIn(NamedTuple):
    """The rows of a document, from where to where they stand in it, and what stands between any two of them."""

    rows: list[Raw]
    start: int
    stop: int
    between: bytes


def take_rows(document: bytes, path: Path) -> tuple[list[Raw], bytes] | None:
    """Return the items of the array at a path, and the document with an empty array in their place; None where there is
    no array of objects, or where not the same stands between all of them."""
    places = rows_in(document, path) if path else None
    if places is None or not bytes(places.rows[0]).startswith(b"{"):
        return None
    return places.rows, document[: places.start] + document[places.stop :]


def take_members(document: bytes, path: Path) -> tuple[dict[str, Raw], bytes] | None:
    """Return the members of the map at a path, and the document with an empty map in its place; None where there is
    none, or where not the same stands between all of them."""
    members = _at(document, path, dict[str, Raw]) if path else None
    if not members or len(members) < 2:
        return None
    keys, values = list(members), list(members.values())
    at = document.find(bytes(values[0]))
    start = document.rfind(b"{", 0, at) + 1
    behind = at + len(values[0])
    stop = document.rfind(bytes(values[-1])) + len(values[-1])
    names = [len(key.encode()) for key in keys[:2]]
    between = document.find(bytes(values[1]), behind) - behind - names[1]  # bytes that are no name, nor a value
    written = sum(map(len, values)) + len("".join(keys).encode()) + at - start - names[0] + between * (len(keys) - 1)
    if start + written != stop:
        return None
    around = document[:start] + document[stop:]
    return (members, around) if _at(around, path, dict[str, Raw]) == {} else None


def rows_in(document: bytes, path: Path | None) -> RowsIn | None:
    """Return where the items of the array at a path stand, or without a path values one after the other; None where
    they are fewer than two, or where not the same stands between all of them."""
    rows = VALUES.decode_lines(document) if path is None else rows_at(document, path)
    if rows is None or len(rows) < 2:
        return None
    first = bytes(rows[0])
    start = document.find(first)
    behind = document[start + len(first) : start + len(first) + NEAR]
    between = behind[: behind.find(bytes(rows[1])[:1])]
    if between.strip(BLANK) != (b"" if path is None else b","):
        return None
    # Rows that were split stand there, from the beginning of the array on: it has no others.
    written = between.join(rows)
    if not document.startswith(written, start) or not begins_at(document, start, path):
        return None
    return RowsIn(rows, start, start + len(written), between)


def begins_at(document: bytes, start: int, path: Path | None) -> bool:
    """Tell whether the array at a path begins right before a place, or nothing but white space stands before it."""
    before = document[:start]
    return not before.strip(BLANK) if path is None else rows_at(before + b"]" + b"}" * len(path), path) == []


def rows_at(document: bytes, path: Path) -> list[Raw] | None:
    """Return the items of the array at a path; None if there is none."""
    value = _at(document, path, list[Raw])
    return value if isinstance(value, list) else None


def _at(document: bytes, path: Path, kind: Any) -> Any:
    """Return the value at a path, if it is of this kind; else None, or what is not set."""
    if not all(map(is_nameable, path)):
        return None
    try:
        value = decoder_at(path, kind).decode(document)
        for _ in path:
            value = value.one
    except (msgspec.MsgspecError, AttributeError):
        return None
    return value
