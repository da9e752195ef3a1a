"""The process of ``following``: reads a text in shared memory while it is written, and tells its kind and index.

From its standard input come the sizes of the stripes that were written, and 0 at the end. To its standard output go a
dot for each stripe that is needed no more, an equals sign, and the answer. It is run as a script, with the descriptor
of the memory, the sizes of a stripe and of the ring, how many stripes it looks back, how many bytes may come, and the
folders in which our package and msgspec are.
"""

from __future__ import annotations

import os
import sys
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Final

if __name__ == "__main__":
    sys.path[:0] = sys.argv[6:]

import msgspec

from penstock.core.forms.document import KIND, follow
from penstock.core.json.index import dump
from penstock.core.json.long_bytes import LongBytes

if TYPE_CHECKING:
    from collections.abc import Callable

ENDLESS: Final = 1 << 62


class PassedError(Exception):
    """A part is wanted that is kept no more."""


class PassingBytes(LongBytes):
    """Bytes of a ring, of which the last can be read. ``come`` waits for the size of the next stripe, and ``leave`` is
    called with how many stripes may be written over."""

    def __init__(
        self,
        ring: mmap,
        stripe: int,
        behind: int,
        come: Callable[[], int],
        leave: Callable[[int], object],
        *,
        most: int = ENDLESS,
    ) -> None:
        self.most = most
        self._ring = ring
        self._stripe = stripe
        self._behind = behind
        self._come = come
        self._leave = leave
        self._left = 0  # stripes
        self._end = 0
        self._ended = False

    @property
    def size(self) -> int:
        while not self._ended:
            self._wait(self._end + self._stripe, self._end)
        return self._end

    def read(self, start: int, end: int) -> bytes:
        if start < self._left * self._stripe or min(end, self.most) - start > len(self._ring) // 2:
            raise PassedError
        self._wait(end, start)
        end = min(end, self._end)
        if start >= end:
            return b""
        first, last = start % len(self._ring), end % len(self._ring)
        return self._ring[first:last] if first < last else self._ring[first:] + self._ring[:last]

    def _wait(self, end: int, start: int) -> None:
        """Let go of what lies too far before a span, and wait until that was written."""
        left = min(end // self._stripe - self._behind, start // self._stripe)
        if left > self._left:
            self._leave(left - self._left)
            self._left = left
        while not self._ended and self._end < end:
            size = self._come()
            self._ended = not size
            self._end += size


def main() -> None:
    memory, stripe, size, behind, most = map(int, sys.argv[1:6])
    text = PassingBytes(
        mmap(memory, size, access=ACCESS_READ),
        stripe,
        behind,
        lambda: int.from_bytes(os.read(sys.stdin.fileno(), 4), "little"),
        lambda stripes: os.write(sys.stdout.fileno(), b"." * stripes),
        most=most,
    )
    learned = follow(text)
    answer = msgspec.msgpack.encode((learned[KIND], dump(learned["index"])))
    sys.stdout.buffer.write(b"=" + answer)


if __name__ == "__main__":
    main()
