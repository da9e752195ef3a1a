"""Positions are what was put into them, packed or not, and can be looked up, walked through and bisected."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import positions
from penstock.core.json.positions import Collector, Positions

STEPS = st.lists(st.integers(1, 9) | st.sampled_from([255, 256, 70_000]), max_size=400)


def collected(every: list[int], batches: list[int]) -> Positions:
    collector = Collector(10**6)
    at = 0
    for size in [*batches, len(every)]:
        if some := every[at : at + size]:
            collector.add(some[0], [after - before for before, after in pairwise(some)])
        at += size
    return collector.done()


@given(STEPS, st.lists(st.integers(1, 90), max_size=6), st.sampled_from([1, 40, 10_000]))
def test_positions_are_those_that_were_collected_however_many_at_a_time(
    steps: list[int], batches: list[int], many: int
) -> None:
    every = list(accumulate(steps))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positions, "MANY", many)
        found = collected(every, batches)
    assert list(found) == every
    assert [found[number] for number in range(len(found))] == every
    assert Positions.load(*found.dump()) == found
    assert found.widest == max((after - before for before, after in pairwise(every)), default=0)
    for value in (0, 5, 300, 10**7):
        assert bisect_right(found, value) == bisect_right(every, value)


def test_a_position_from_the_end_is_found_and_one_past_it_is_not() -> None:
    found = collected(list(range(0, 40_000, 2)), [])
    assert (found[-1], found[-20_000], len(found)) == (39_998, 0, 20_000)
    with pytest.raises(IndexError):
        found[20_000]


def test_positions_close_to_each_other_but_for_one_are_not_packed() -> None:
    every = [*range(positions.MANY), positions.MANY + 300]
    assert list(collected(every, [])) == every
    assert list(collected(every, [positions.MANY])) == every


def test_many_tiny_parts_take_little_more_than_a_byte_each() -> None:
    _, whole, steps, count = collected(list(range(0, 2_000_000, 2)), [1_000] * 999).dump()
    assert count == 1_000_000
    assert len(whole) + len(steps) < 1.2 * count


def test_positions_of_other_things_are_not_equal_to_them() -> None:
    assert collected([1, 2], []) != [1, 2]


def test_positions_past_four_gigabytes_are_kept_in_eight_bytes() -> None:
    collector = Collector(2**32)
    collector.add(2**32 + 5)
    assert collector.done().dump()[0] == "Q"
    assert list(collector.done()) == [2**32 + 5]


def test_many_packed_positions_are_walked_from_group_to_group() -> None:
    """Regression: each group began at the first of all steps, so that two million positions took minutes."""
    steps = bytes([2]) * 2_000_000
    found = Positions(array("I", range(0, 4_000_000, 2 * positions.GROUP)), steps, len(steps))
    assert sum(found) == sum(range(0, 4_000_000, 2))
