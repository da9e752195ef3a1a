"""The process of ``following``: reads a text from its standard input, and writes its kind and index when that ends.

It is run as a script, with the folders in which our package and msgspec are.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_left, bisect_right
from functools import partial
from typing import TYPE_CHECKING, Final

if __name__ == "__main__":
    sys.path[:0] = sys.argv[1:]

import msgspec

from penstock.core.forms.document import KIND, follow
from penstock.core.json.index import dump
from penstock.core.json.long_bytes import LongBytes

if TYPE_CHECKING:
    from collections.abc import Callable

PART: Final = 1_048_576  # bytes read at a time
KEPT: Final = 8  # parts that are kept: the index looks back two
ENDLESS: Final = 1 << 62


class PassedError(Exception):
    """A part is wanted that is kept no more."""


class PassingBytes(LongBytes):
    """Bytes of a pipe, of which the last parts can be read."""

    most = ENDLESS

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._parts: list[bytes] = []
        self._starts: list[int] = []
        self._end = 0
        self._ended = False

    @property
    def size(self) -> int:
        while not self._ended:
            self._read_on()
        return self._end

    def read(self, start: int, end: int) -> bytes:
        while not self._ended and self._end < end:
            self._read_on()
        end = min(end, self._end)
        if start >= end:
            return b""
        first, last = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end)
        if first < 0:
            raise PassedError
        parts = zip(self._starts[first:last], self._parts[first:last], strict=True)
        return b"".join([part[max(0, start - at) : end - at] for at, part in parts])

    def _read_on(self) -> None:
        if part := self._read(PART):
            self._starts.append(self._end)
            self._parts.append(part)
            self._end += len(part)
            if self._end - self._starts[0] > (KEPT + 1) * PART:
                del self._starts[0], self._parts[0]
        else:
            self._ended = True


def main() -> None:
    learned = follow(PassingBytes(partial(os.read, sys.stdin.fileno())))
    sys.stdout.buffer.write(msgspec.msgpack.encode((learned[KIND], dump(learned["index"]))))


if __name__ == "__main__":
    main()
