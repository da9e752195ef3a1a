"""Bytes in a file without a name, as those of a very long result are, and data that comes in parts."""

from __future__ import annotations

import tempfile
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def mapped(data: bytes) -> mmap:
    """Return the bytes in a file that is mapped."""
    return in_file(iter((data,)))


def in_file(parts: Iterator[bytes]) -> mmap:
    """Join parts in a file, however few they are."""
    with tempfile.TemporaryFile() as file:
        file.writelines(parts)
        file.flush()
        return mmap(file.fileno(), 0, access=ACCESS_READ)


def cut(data: bytes, lengths: Sequence[int]) -> list[bytes]:
    """Cut data into parts of these lengths, over and over."""
    parts: list[bytes] = []
    at = 0
    while at < len(data):
        length = lengths[len(parts) % len(lengths)]
        parts.append(data[at : at + length])
        at += length
    return parts
