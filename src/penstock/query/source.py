"""What a question is asked of: a document that is read by positions, cut into batches of whole items.

For a question, JSON lines are one array of their records, and a text is one array of its lines.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.forms.document import Kind
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container, Index, Read

BATCH: Final = 1_048_576  # bytes: jq holds 8 times of it as values, and starting on the next batch costs microseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A held result, or any other document: its index, and the function that gives its bytes by position."""

    read: Read
    index: Index

    def root(self) -> Container:
        """The container that is the whole document."""
        root = self.index.root
        if root is None:
            what = "binary data" if self.index.kind is Kind.BINARY else "an empty text"
            raise CallerError(f"{what} has no fields or lines to ask about", do="read it as it is, by window")
        return root


def batches(container: Container, read: Read, size: int = BATCH) -> Iterator[bytes]:
    """The parts of a container, put together to batches of about ``size`` bytes: JSON values (or ``"key": value``
    members of an object) with commas between them. A part that is larger than that is a batch of its own."""
    at = 0
    while at < container.count:
        reached = bisect_right(container.starts, container.starts[at] + size) - 1
        end = min(max(at + 1, reached), container.count)
        span = read(container.starts[at], container.starts[end])
        match container.kind:
            case "records":
                yield b",".join(line for line in span.split(b"\n") if line.strip())
            case "lines":
                lines = span.removesuffix(b"\n").decode("utf-8", "replace").split("\n")
                yield msgspec.json.encode(lines)[1:-1]
            case _:
                yield span.rstrip(b", \t\r\n")
        at = end


def whole(source: Source) -> Iterator[bytes]:
    """The document as one JSON text, in pieces."""
    root = source.root()
    if source.index.kind is Kind.JSON:
        for at in range(root.start, root.end, BATCH):
            yield source.read(at, min(at + BATCH, root.end))
        return
    yield b"["
    for number, batch in enumerate(batches(root, source.read)):
        yield b"," + batch if number else batch
    yield b"]"
