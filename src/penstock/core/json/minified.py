"""JSON without its white space, piece by piece: to compare what is too long to have in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.json import scan
from penstock.core.json.index import BATCH, reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container, Index
    from penstock.core.json.long_bytes import Bytes

NEAR: Final = 4_096  # bytes in which the end of a part is looked for


def minified(body: Bytes, index: Index, start: int, end: int) -> Iterator[bytes]:
    """Yield what ``scan.minify`` gives of the value between two places of an indexed document, in pieces of about a
    batch."""
    container = next((one for one in index.containers if one.start == start), None)
    if container is not None and end - start > BATCH:
        yield from _container(body, index, container)
    elif body[start : start + 1] == b'"':
        for at in range(start, end, BATCH):
            yield body[at : min(at + BATCH, end)]
    else:
        yield scan.minify(body[start:end])


def _container(body: Bytes, index: Index, container: Container) -> Iterator[bytes]:
    yield body[container.start : container.start + 1]
    for parts in container.batches(BATCH):
        if parts.start:
            yield b","
        if len(parts) > 1 or container.span(parts.start, parts.stop) <= BATCH:
            yield scan.minify(container.joined(reader(body), parts))[1:-1]
            continue
        start = container.starts[parts.start]
        if container.kind == "object":
            start, first = scan.open_member(body, start)[1], start
            yield body[first:start].rstrip(b": \t\r\n") + b":"
        yield from minified(body, index, start, part_end(body, container.starts[parts.stop]))
    yield body[container.end - 1 : container.end]


def part_end(body: Bytes, end: int) -> int:
    """Return where a part ends, before the comma, the white space or the bracket between it and ``end``."""
    while not (near := body[max(0, end - NEAR) : end].rstrip(b", \t\r\n")):
        end -= NEAR
    return end - min(end, NEAR) + len(near)


def equal(left: Iterator[bytes], right: Iterator[bytes]) -> bool:
    """Return True if the pieces of both say the same, one after the other. No more of them is read than that takes."""
    ours = theirs = b""
    while True:
        ours, theirs = ours or next(left, b""), theirs or next(right, b"")
        size = min(len(ours), len(theirs))
        if not size or ours[:size] != theirs[:size]:
            return not ours and not theirs
        ours, theirs = ours[size:], theirs[size:]
