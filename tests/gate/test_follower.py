"""The process that makes an index reads the ring as one text, of which the last stripes are kept."""

from __future__ import annotations

from mmap import mmap

from hypothesis import given
from hypothesis import strategies as st

from penstock.gate.follower import PassedError, PassingBytes

DATA = bytes(range(256)) * 8
BEHIND = 2
STRIPES = 7


class Ring:
    """A ring into which the stripes of ``DATA`` are written, each once the reader has let go of the one before it."""

    def __init__(self, stripe: int) -> None:
        self.memory = mmap(-1, STRIPES * stripe)
        self.parts = [DATA[at : at + stripe] for at in range(0, len(DATA), stripe)]
        self.stripe, self.written, self.left = stripe, 0, 0

    def come(self) -> int:
        if self.written == len(self.parts):
            return 0
        assert self.written - self.left < STRIPES, "what is not let go of would be written over"
        part = self.parts[self.written]
        at = self.written % STRIPES * self.stripe
        self.memory[at : at + len(part)] = part
        self.written += 1
        return len(part)

    def leave(self, stripes: int) -> None:
        self.left += stripes


@given(st.lists(st.tuples(st.integers(0, len(DATA) + 9), st.integers(0, 700)), max_size=12), st.integers(16, 300))
def test_what_is_kept_reads_as_the_text_and_what_is_not_is_an_error(spans: list[tuple[int, int]], stripe: int) -> None:
    ring = Ring(stripe)
    passing = PassingBytes(ring.memory, stripe, BEHIND, ring.come, ring.leave)
    for start, size in sorted(spans):
        try:
            assert passing.read(start, start + size) == DATA[start : start + size]
        except PassedError:
            assert start < ring.left * stripe or size > STRIPES * stripe // 2
    assert passing.size == len(DATA)
    assert passing.read(len(DATA) - 1, len(DATA) + 5) == DATA[-1:]
    assert passing.read(len(DATA), len(DATA) + 5) == b""
