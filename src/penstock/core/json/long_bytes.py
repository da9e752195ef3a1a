"""Bytes that are too many to have in memory at once: a slice of them is bytes, and is read when it is asked for.

A document of hundreds of megabytes is such bytes. They may still be arriving: a slice waits until it is there, and the
length until all is. What is done with large documents needs slices, and the few methods below, which go over the whole
piece by piece.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

NEWLINES: Final = "newlines"  # the name of their number among what was learned
PIECE: Final = 1_048_576  # bytes that are looked at together when all are gone over


class LongBytes(ABC):
    """Reads as ``bytes`` does. ``most`` is a bound of the length that is known before the last byte has come."""

    most: int
    piece: int = PIECE

    @abstractmethod
    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from ``start`` to before ``end``; fewer where there are no more. Neither is negative."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Return how many they are."""

    @property
    def learned(self) -> dict[str, Any]:
        """Return what was learned of these bytes when they were written, by the names of ``Document.once``."""
        return {}

    def __len__(self) -> int:
        return self.size

    def __bytes__(self) -> bytes:
        return self.read(0, self.size)

    @overload
    def __getitem__(self, at: SupportsIndex) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> bytes: ...

    def __getitem__(self, at: SupportsIndex | slice) -> int | bytes:
        if isinstance(at, slice):
            start, end = at.start or 0, at.stop
            if start < 0 or end is None or end < 0:
                start, end, _ = slice(at.start, at.stop).indices(self.size)
            return self.read(start, end) if start < end else b""
        place = int(at)
        place = place + self.size if place < 0 else place
        if not (byte := self.read(place, place + 1)):
            raise IndexError("past the end of the bytes")
        return byte[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, bytes | LongBytes) or len(other) != self.size:
            return False
        return all(piece == other[at : at + len(piece)] for at, piece in self.pieces())

    __hash__ = None  # type: ignore[assignment]

    def pieces(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Yield all bytes between two positions, piece by piece: where each begins, and the piece."""
        end = self.most if end is None else end
        while start < end and (piece := self.read(start, min(start + self.piece, end))):
            yield start, piece
            start += len(piece)

    def find(self, wanted: bytes, start: int = 0, end: int | None = None) -> int:
        """Return the first place of some bytes, or -1."""
        overlap = len(wanted) - 1
        before = b""
        for at, piece in self.pieces(start, end):
            place = (before + piece).find(wanted)
            if place >= 0:
                return at - len(before) + place
            before = (before + piece)[-overlap:] if overlap else b""
        return -1

    def rfind(self, wanted: bytes, start: int = 0, end: int | None = None) -> int:
        """Return the last place of some bytes, or -1."""
        end = self.size if end is None else min(end, self.size)
        behind = b""
        while end > start:
            first = max(start, end - self.piece)
            piece = self.read(first, end) + behind
            place = piece.rfind(wanted)
            if place >= 0:
                return first + place
            behind = piece[: len(wanted) - 1]
            end = first
        return -1

    def count(self, byte: bytes) -> int:
        """Return how often one byte is there."""
        if len(byte) != 1:
            raise ValueError("only single bytes are counted")
        if byte == b"\n" and NEWLINES in self.learned:
            return int(self.learned[NEWLINES])
        return sum(piece.count(byte) for _, piece in self.pieces())

    def startswith(self, head: bytes) -> bool:
        return self.read(0, len(head)) == head

    def endswith(self, tail: bytes) -> bool:
        return self[max(0, self.size - len(tail)) :] == tail

    def isascii(self) -> bool:
        return all(piece.isascii() for _, piece in self.pieces())


Bytes = bytes | LongBytes
"""A document: in memory, or read by parts."""


def gathered(data: Bytes) -> bytes:
    """Return all bytes, in memory."""
    return data if isinstance(data, bytes) else bytes(data)


def most_of(data: Bytes) -> int:
    """Return a bound of the length that is known at once."""
    return len(data) if isinstance(data, bytes) else data.most
