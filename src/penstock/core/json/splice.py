"""Put other bytes into a document at some places, and leave every other byte as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """``new`` stands in for the bytes from ``start`` to before ``end``."""

    start: int
    end: int
    new: bytes


def splice(data: bytes, splices: Sequence[Splice]) -> bytes:
    """Return the data with all splices made. They are in order, and none overlaps another."""
    parts: list[bytes] = []
    at = 0
    for one in splices:
        parts += (data[at : one.start], one.new)
        at = one.end
    return b"".join((*parts, data[at:]))
