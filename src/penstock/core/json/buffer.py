"""The bytes of a document: in memory, or in a file that is mapped into memory.

Both can be sliced, searched, and given to ``re`` and msgspec. A slice is always ``bytes``: ``data[:]`` brings a mapped
document into memory, and returns one in memory as it is. What goes over all of a large document does so piece by piece.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from mmap import mmap

    Bytes = bytes | mmap
    Keep = Callable[[Iterator[bytes]], Bytes]  # Joins pieces to one document, in memory or in a file.

PIECE: Final = 1_048_576  # Bytes of a piece: few enough to be in memory beside anything else.


def pieces(data: Bytes | memoryview, start: int = 0, end: int | None = None, size: int = PIECE) -> Iterator[bytes]:
    """Yield the bytes between two positions, piece by piece."""
    end = len(data) if end is None else end
    return (bytes(data[at : min(at + size, end)]) for at in range(start, end, size))


def count_of(data: Bytes, byte: bytes) -> int:
    """Count one byte."""
    return data.count(byte) if isinstance(data, bytes) else sum(piece.count(byte) for piece in pieces(data))


def is_same(left: Bytes, right: Bytes) -> bool:
    """Return True if two documents have the same bytes."""
    if isinstance(left, bytes) and isinstance(right, bytes):
        return left == right
    return len(left) == len(right) and all(one == two for one, two in zip(pieces(left), pieces(right), strict=True))


def in_memory(parts: Iterator[bytes]) -> bytes:
    """Join pieces without having all of them in memory twice."""
    joined = BytesIO()
    for part in parts:
        joined.write(part)
    return joined.getvalue()


def with_between(parts: Iterable[Bytes], between: bytes, opening: bytes = b"", closing: bytes = b"") -> Iterator[bytes]:
    """Yield parts piece by piece, with something between any two of them, before the first and behind the last."""
    yield opening
    for number, part in enumerate(parts):
        if number:
            yield between
        yield from pieces(part)
    yield closing
