"""Texts that are read by parts, as those of very large results are, and may be as short as a test likes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.json.long_bytes import LongBytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ShortBytes(LongBytes):
    """Any bytes, read by parts. Who asks for all of them at once is found out: ``longest`` is the longest part."""

    def __init__(self, data: bytes, *, piece: int = 7, learned: Mapping[str, Any] | None = None) -> None:
        self._data = data
        self.most = len(data) + 1_000
        self.piece = piece
        self.longest = 0
        self._learned = dict(learned or {})

    def read(self, start: int, end: int) -> bytes:
        found = self._data[start:end]
        self.longest = max(self.longest, len(found))
        return found

    @property
    def size(self) -> int:
        return len(self._data)

    @property
    def learned(self) -> dict[str, Any]:
        return self._learned


def cut(data: bytes, lengths: Sequence[int]) -> list[bytes]:
    """The data in parts of these lengths, over and over."""
    parts: list[bytes] = []
    at = 0
    while at < len(data):
        length = lengths[len(parts) % len(lengths)]
        parts.append(data[at : at + length])
        at += length
    return parts


def cut_text(text: str, lengths: Sequence[int]) -> list[bytes]:
    """The text in parts of so many characters, each in UTF-8."""
    parts: list[bytes] = []
    at = 0
    while at < len(text):
        length = lengths[len(parts) % len(lengths)]
        parts.append(text[at : at + length].encode("utf-8", "surrogatepass"))
        at += length
    return parts
