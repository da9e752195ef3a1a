"""Any span of packed bytes is the slice of the original, and damage is an error, never other bytes."""

from __future__ import annotations

import gc
import weakref
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penstock.errors import StoreError
from penstock.stores.blocks import BATCH, BLOCK, CHECKSUM, RECENT, Blocks, Frame, Packed, pack

pieces = st.lists(
    st.tuples(st.sampled_from([b"\x00", b"line\n", b'{"id": 1},', bytes(range(256))]), st.integers(0, 60_000)),
    max_size=5,
)


def reader(packed: Packed) -> Blocks:
    return Blocks(packed.size, packed.frames)


@given(pieces, st.data())
def test_a_span_is_the_slice_of_the_original(parts: list[tuple[bytes, int]], data: st.DataObject) -> None:
    original = b"".join(part * count for part, count in parts)
    blocks = reader(pack(original))
    places = st.integers(-5, len(original) + 5) | st.sampled_from([0, BLOCK, 2 * BLOCK, len(original)])
    for _ in range(5):
        start, end = data.draw(places), data.draw(places)
        assert blocks.read(start, end) == original[max(0, start) : max(0, end)]


@given(pieces, pieces)
def test_frames_are_the_same_where_the_bytes_are(parts: list[tuple[bytes, int]], more: list[tuple[bytes, int]]) -> None:
    one, other = (b"".join(part * count for part, count in some) for some in (parts, [*parts, *more]))
    assert reader(pack(one)).has_frames(pack(bytes(bytearray(one))))
    assert reader(pack(one)).has_frames(pack(other)) == (one == other)
    changed = bytes([one[0] ^ 1]) + one[1:] if one else b"x"
    assert not reader(pack(one)).has_frames(pack(changed))


def damaged(packed: Packed, at: int, bits: int) -> Packed:
    joined = bytearray(packed.joined[:])
    joined[at] ^= bits
    return Packed(size=packed.size, joined=bytes(joined), ends=packed.ends)


@given(st.binary(min_size=1, max_size=3_000), st.data())
def test_damage_is_noticed(original: bytes, data: st.DataObject) -> None:
    original = original * 5 + b" " * 1_000  # packs well, so that it is a frame with a checksum
    packed = pack(original)
    at = data.draw(st.integers(0, packed.stored - 1))
    packed = damaged(packed, at, data.draw(st.integers(1, 255)))
    with suppress(StoreError):
        assert reader(packed).read(0, len(original)) == original  # a bit without a meaning


@given(st.binary(min_size=1, max_size=300), st.data())
def test_damage_of_a_plain_block_is_noticed(original: bytes, data: st.DataObject) -> None:
    """Regression: 54 of 60 flipped bits in blocks that were stored plain were silent."""
    packed = pack(original)
    assume(packed.stored == len(original) + CHECKSUM)
    at = data.draw(st.integers(0, packed.stored - 1))
    packed = damaged(packed, at, 1 << data.draw(st.integers(0, 7)))
    with pytest.raises(StoreError, match="damaged"):
        reader(packed).read(0, len(original))


def test_a_plain_block_without_a_checksum_is_read_only_where_it_may_have_none() -> None:
    with pytest.raises(StoreError, match="damaged"):
        Blocks(5, lambda first, last: [b"plain"]).read(0, 5)


@pytest.mark.parametrize("length", [0, 1, 10, -1])
def test_a_frame_that_is_not_whole_is_noticed(length: int) -> None:
    frame = pack(b"a" * 1_000).joined[:][:length]
    with pytest.raises(StoreError, match="damaged"):
        Blocks(1_000, lambda first, last: [frame]).read(0, 5)


def test_a_frame_of_more_bytes_than_the_block_has_is_refused_before_it_is_unpacked() -> None:
    bomb = pack(b"\x00" * BLOCK).joined[:]
    with pytest.raises(StoreError, match="damaged"):
        Blocks(100, lambda first, last: [bomb]).read(0, 100)


def test_what_packs_badly_is_kept_plain_and_what_packs_well_is_not() -> None:
    noise = bytes(at * at % 251 ^ at >> 8 & 255 for at in range(BLOCK))
    text = b"a line of text\n" * 2_000
    assert pack(text).stored < len(text) / 10
    assert pack(noise[:200]).stored <= 200 + CHECKSUM
    assert pack(b"").stored == 0


def test_a_page_fetches_the_blocks_it_lies_in_and_a_second_look_fetches_none() -> None:
    packed = pack(bytes(range(256)) * 256 * 40)
    fetched: list[tuple[int, int]] = []

    def fetch(first: int, last: int) -> list[memoryview]:
        fetched.append((first, last))
        return packed.frames(first, last)

    blocks = Blocks(packed.size, fetch)
    for start in range(3 * BLOCK - 2_000, 3 * BLOCK + 2_000, 100):
        blocks.read(start, start + 100)
    assert fetched == [(2, 3), (3, 4)]
    fetched.clear()
    blocks.read(BLOCK, 35 * BLOCK)
    assert fetched == [(1, 1 + BATCH), (1 + BATCH, 1 + 2 * BATCH), (1 + 2 * BATCH, 35)]
    assert RECENT < BATCH


def test_a_reader_leaves_no_cycle_for_the_garbage_collector() -> None:
    class Source:
        packed = pack(b"abc" * 1_000)

        def __call__(self, first: int, last: int) -> list[Frame]:
            return [*self.packed.frames(first, last)]

    source = Source()
    gone = weakref.ref(source)
    gc.disable()
    try:
        blocks = Blocks(3_000, source)
        blocks.read(0, 10)
        del blocks, source
        assert gone() is None
    finally:
        gc.enable()
