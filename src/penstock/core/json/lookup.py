"""Looks up what a path of a document leads to, by its index: the value, where it lies, or the container.

A path that leads nowhere is refused with the nearest keys, or with the number of items that there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from penstock.core.json import scan
from penstock.core.json.index import split_value
from penstock.core.json.path import render
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path


def value_at(index: Index, read: Read, path: Path) -> bytes:
    """Return the original bytes of the value at ``path``; a path that is not there names the nearest keys."""
    start, end = span_at(index, read, path)
    value = read(start, end)
    return msgspec.json.encode(value.decode(errors="replace")) if index.is_text and path else value


def span_at(index: Index, read: Read, path: Path) -> tuple[int, int]:
    """Return where the value at ``path`` begins and ends."""
    container, rest = _deepest(index, path)
    if index.is_text and len(rest) > 1:
        raise _line_of_text(path[:1])
    start, end = container.start, container.end
    for at, step in enumerate(rest):
        if at:
            container = _split(read(start, end), start, path[: len(path) - len(rest) + at], step, path)
        start, end = _part_span(container, read, step, path)
    return start, end


def container_at(index: Index, read: Read, path: Path) -> Container:
    """Return the container at ``path``; a small one is read and split here."""
    if (known := index.container(path)) is not None:
        return known
    start, end = span_at(index, read, path)
    if index.is_text:
        raise _line_of_text(path)
    value = read(start, end)
    if not scan.is_container(value):
        raise CallerError(
            f"{shorten(render(path))} is a single {scan.scalar_type(value)}, not an array or object",
            do="read the path above it, or read it as text",
        )
    return split_value(value, path, start)


def _deepest(index: Index, path: Path) -> tuple[Container, Path]:
    """Return the indexed container that leads furthest along ``path``, and the steps that remain."""
    for length in range(len(path), -1, -1):
        if (container := index.container(path[:length])) is not None:
            return container, path[length:]
    raise CallerError("binary data has no paths", do="read it as it is, by window")


def _split(value: bytes, base: int, at: Path, step: str | int, path: Path) -> Container:
    """Split what lies on the way, which must have parts."""
    if not scan.is_container(value):
        raise _no_index(at, step) if isinstance(step, int) else _no_key(at, step, path, ())
    return split_value(value, at, base)


def _part_span(container: Container, read: Read, step: str | int, path: Path) -> tuple[int, int]:
    """Return where the value of one part of a container lies."""
    if isinstance(step, int):
        if container.kind == "object":
            raise _no_index(container.path, step)
        if not 0 <= step < container.count:
            raise _past_end(container.path, step, container.count)
        start = container.starts[step]
        return start, start + len(container.item(read, step))
    if container.kind != "object":
        raise _no_key(container.path, step, path, ())
    keys: Sequence[str] = container.keys or ()
    if container.keys is None:
        keys = scan.member_starts(read(container.start, container.end), 0, container.size)[0]
    for number in range(len(keys) - 1, -1, -1):  # the last of duplicate keys counts, as parsers have it
        if keys[number] == step:
            part = container.item(read, number)
            end = container.starts[number] + len(part)
            return end - len(scan.member_value(part)), end
    raise _no_key(container.path, step, path, keys)


def _line_of_text(path: Path) -> CallerError:
    """Read a line as text even where it begins as JSON does: what it is cut from is no JSON as a whole."""
    return CallerError(
        f"{shorten(render(path))} is a line of text, without parts", do="read it by start_line and lines"
    )


def _no_index(at: Path, step: int) -> CallerError:
    return CallerError(
        f"{shorten(render(at))} is not an array, so it has no item {step}", do="name one of its keys instead"
    )


def _past_end(at: Path, step: int, count: int) -> CallerError:
    last = f"the last is {count - 1}" if count else "it is empty"
    return CallerError(f"{shorten(render(at))} has {count} items, so no item {step}", do=f"count from 0; {last}")


def _no_key(at: Path, step: str, path: Path, keys: Sequence[str]) -> CallerError:
    near = nearest(step, keys) or list(keys[:5])
    known = ", ".join(render((*at, shorten(key))) for key in near)
    return CallerError(
        f"there is no {shorten(step)!r} in {shorten(render(at))} (asked for {shorten(render(path))})",
        do=f"nearest: {known}" if near else "it has no fields; action outline shows its form",
    )
