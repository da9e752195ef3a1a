"""Take the rows out of a JSON document: they are split in one reading of it, however deep they lie, and what stands
around them is left as a small document of its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from penstock.core.changes.keys import is_nameable

if TYPE_CHECKING:
    from penstock.core.json.path import Path

NEAR: Final = 512  # bytes behind the first row in which the second begins
BLANK: Final = b" \t\r\n"


class Envelope(NamedTuple):
    """The rows of a document, and the document with an empty array in their place."""

    rows: list[Raw]
    around: bytes


def take_rows(document: bytes, path: Path) -> Envelope | None:
    """Return the items of the array at a path apart from the rest; None where there is no array of objects, or where
    not the same stands between all of them."""
    rows = _rows_at(document, path) if path and all(map(is_nameable, path)) else None
    if rows is None or len(rows) < 2:
        return None
    first = bytes(rows[0])
    start = document.find(first)
    behind = document[start + len(first) : start + len(first) + NEAR]
    between = behind[: behind.find(b"{")]
    if first[:1] != b"{" or between.strip(BLANK) != b",":
        return None
    # Rows that were split stand there, from the beginning of the array on: it has no others.
    written = between.join(rows)
    before = document[:start]
    if not document.startswith(written, start) or _rows_at(before + b"]" + b"}" * len(path), path) != []:
        return None
    return Envelope(rows, before + document[start + len(written) :])


def _rows_at(document: bytes, path: Path) -> list[Raw] | None:
    """Return the items of the array at a path; None if there is none."""
    try:
        value = _decoder(path).decode(document)
        for _ in path:
            value = value.one
    except (msgspec.MsgspecError, AttributeError):
        return None
    return value if isinstance(value, list) else None


@lru_cache(maxsize=64)
def _decoder(path: Path) -> msgspec.json.Decoder[Any]:
    """Return a decoder that takes nothing but one array out of a document."""
    kind: Any = list[Raw]
    for step in reversed(path):
        kind = msgspec.defstruct("Document", [("one", kind, UNSET)], rename={"one": str(step)})
    return msgspec.json.Decoder(kind)
