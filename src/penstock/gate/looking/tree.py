"""The parts of a JSON value, some at a time: for a tree that is opened branch by branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.core.json import scan
from penstock.core.json.index import split_value
from penstock.core.json.lookup import container_at
from penstock.core.json.path import parse, render
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.text import shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from penstock.gate.held import HeldReader

MOST: Final = 500  # parts of one answer
LONG: Final = 300  # characters of a scalar
COUNTED: Final = 65_536  # bytes of a container whose parts are counted when it is only named
LARGE: Final = 4_194_304  # bytes that are read for one answer


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeBranch:
    """Some parts of the value at ``path``, from ``start``, of ``total``."""

    path: str
    kind: str
    start: int
    total: int
    parts: list[dict[str, Any]]


def branch_at(opened: HeldReader, path: str, start: int, count: int) -> TreeBranch:
    """Return the parts of the array or object at a path: each with its key or number, its kind, and its value or how
    many parts it has itself."""
    if opened.index.is_text:
        raise CallerError("a text has no parts", do="read its lines")
    steps = parse(path)
    container = container_at(opened.index, opened.body, steps)
    parts: list[dict[str, Any]] = []
    size = 0
    for number in range(start, min(start + min(count, MOST), container.count)):
        size += container.span(number, number + 1)
        if parts and size > LARGE:
            break
        item = container.item(opened.body, number)
        key: str | int = container.key(opened.body, number) if container.kind == "object" else number
        value = scan.member_value(item) if container.kind == "object" else item
        parts.append({"key": key, "path": render((*steps, key)), **_part(opened, value, (*steps, key))})
    return TreeBranch(path=render(steps), kind=container.kind, start=start, total=container.count, parts=parts)


def _part(opened: HeldReader, value: bytes, path: tuple[str | int, ...]) -> dict[str, Any]:
    first = value[:1]
    if scan.is_container(value):
        known = opened.index.container(path)
        count = known.count if known is not None else split_value(value).count if len(value) <= COUNTED else None
        return {"kind": "array" if first == b"[" else "object", "count": count, "size": len(value)}
    if first == b'"':
        text = unquote_to_bytes(value).decode("utf-8", "replace")
        return {"kind": "string", "text": text[:LONG], "length": len(text)}
    return {"kind": scan.scalar_type(value), "text": shorten(value.decode("utf-8", "replace"), LONG)}
