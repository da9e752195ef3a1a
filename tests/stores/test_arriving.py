"""Bytes that are packed while they arrive: however they are cut, the frames are those of the bytes packed at once, and
a thread that follows reads what was written."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.stores import spool as spooling
from penstock.stores.arriving import BEHIND, STRIPES, AbandonedError, ArrivingBytes
from penstock.stores.blocks import BLOCK, STRIPE, pack
from penstock.stores.spool import Spool
from tests.kit.long_text import cut
from tests.kit.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

PATTERN = b"".join(b'{"id":%d,"note":"words"},' % at for at in range(120_000))[: 2 * STRIPE + 12_345]
AHEAD = STRIPES - BEHIND  # stripes that may be written before the follower has read any
sizes = st.lists(st.integers(1, STRIPE + 9), min_size=1, max_size=6)


def in_memory() -> Spool:
    return Spool(None, may_write=False)


def arrived(data: bytes, lengths: list[int], spool: Spool) -> ArrivingBytes:
    arriving = ArrivingBytes(len(data), spool)
    for part in cut(data, [max(length, 1_000) for length in lengths]):
        arriving.write(part)
    arriving.close()
    return arriving


@settings(max_examples=15)
@given(st.integers(0, len(PATTERN)), sizes)
def test_whatever_the_parts_the_frames_are_those_of_the_bytes_packed_at_once(size: int, lengths: list[int]) -> None:
    data = PATTERN[:size]
    found, wanted = arrived(data, lengths, in_memory()), pack(data)
    assert list(map(bytes, found.packed)) == list(map(bytes, wanted))
    assert (found.packed.size, found.packed.stored) == (wanted.size, wanted.stored)
    assert bytes(found) == data
    assert pack(found) == found.packed  # nothing is packed twice


@settings(max_examples=15)
@given(sizes, st.lists(st.tuples(st.integers(0, len(PATTERN) + 9), st.integers(0, STRIPE)), max_size=8))
def test_a_thread_that_follows_reads_what_was_written(lengths: list[int], spans: list[tuple[int, int]]) -> None:
    arriving = ArrivingBytes(len(PATTERN), in_memory(), follows=True)
    found: list[bytes] = []

    def follow() -> None:
        found.extend(arriving.read(start, start + size) for start, size in spans)
        found.append(arriving.read(arriving.size - 1, arriving.size))
        arriving.stop_following()

    reader = threading.Thread(target=follow)
    reader.start()
    for part in cut(PATTERN, [max(length, 1_000) for length in lengths]):
        arriving.write(part)
    arriving.close()
    reader.join()
    assert found == [*(PATTERN[start : start + size] for start, size in spans), PATTERN[-1:]]


def test_the_end_is_read_between_the_last_packing_and_the_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    arriving = ArrivingBytes(10 * STRIPE, in_memory(), follows=True)
    packing, found = arriving._packing, []
    ended = packing.join

    def read_when_packed() -> None:
        ended()
        found.append(arriving.read(arriving.size - 99, arriving.size))

    monkeypatch.setattr(packing, "join", read_when_packed)
    reader = threading.Thread(target=lambda: arriving.size)  # from here on no stripe is kept as it came
    reader.start()
    arriving.write(PATTERN)
    arriving.close()
    reader.join()
    assert found == [PATTERN[-99:]]


def test_the_writer_waits_for_the_one_that_follows() -> None:
    arriving = ArrivingBytes(10**9, in_memory(), follows=True)
    written: list[int] = []

    def write() -> None:
        for number in range(3 * AHEAD):
            arriving.write(bytes(STRIPE))
            written.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    assert until(lambda: len(written) == AHEAD)
    assert arriving.read(2 * STRIPE, 2 * STRIPE + 1) == b"\x00"
    assert until(lambda: len(written) > AHEAD)
    arriving.stop_following()
    writer.join()
    arriving.close()
    assert arriving.size == 3 * AHEAD * STRIPE
    assert arriving.read(0, 3) == bytes(3)


def test_many_frames_are_in_a_file_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spooling, "IN_MEMORY", 1_000)
    arriving = arrived(PATTERN, [100_000], Spool(str(tmp_path), may_write=True))
    assert list(map(bytes, arriving.packed)) == list(map(bytes, pack(PATTERN)))
    assert arriving[BLOCK - 5 : 2 * BLOCK] == PATTERN[BLOCK - 5 : 2 * BLOCK]
    assert list(tmp_path.iterdir()) == []


def test_a_follower_reads_across_the_end_of_the_ring_and_what_was_written_over() -> None:
    data = b"".join(number.to_bytes(4, "big") for number in range((STRIPES + 3) * STRIPE // 4))
    arriving = ArrivingBytes(len(data), in_memory(), follows=True)

    def write() -> None:
        for part in cut(data, [700_001]):
            arriving.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    for at in range(0, len(data) - STRIPE, 3 * STRIPE // 4):
        assert arriving.read(at, at + STRIPE) == data[at : at + STRIPE]
    assert arriving.read(5, len(data) - STRIPE) == data[5 : len(data) - STRIPE]
    writer.join()
    arriving.close()
    assert arriving.read(STRIPE, len(data)) == data[STRIPE:]
    arriving.stop_following()
    assert arriving.read(len(data) - 9, len(data) + 9) == data[-9:]


def test_another_process_hears_of_each_stripe_and_of_the_end() -> None:
    sizes: list[int] = []
    arriving = ArrivingBytes(len(PATTERN), in_memory(), announce=sizes.append)
    arriving.write(PATTERN)
    arriving.close()
    assert sizes == [STRIPE, STRIPE, len(PATTERN) - 2 * STRIPE, 0]


def test_what_is_abandoned_is_an_error_to_those_who_read() -> None:
    arriving = ArrivingBytes(10**9, in_memory(), follows=True)
    failures: list[Exception] = []

    def follow() -> None:
        try:
            arriving.read(0, 10)
        except AbandonedError as error:
            failures.append(error)

    reader = threading.Thread(target=follow)
    reader.start()
    arriving.write(b"abc")
    arriving.abandon()
    reader.join()
    assert len(failures) == 1
    with pytest.raises(AbandonedError):
        arriving.size  # noqa: B018


def test_a_full_disk_is_raised_to_the_writer() -> None:
    class Full(Spool):
        def append(self, data: bytes | bytearray) -> None:
            raise OSError(28, "No space left on device")

    arriving = ArrivingBytes(10**9, Full(None, may_write=False))
    with pytest.raises(OSError, match="No space"):
        arriving.write(bytes(99 * STRIPE))
    arriving.abandon()
