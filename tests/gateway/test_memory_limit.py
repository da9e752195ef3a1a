"""Bytes in memory: a bound for all together, which keeps nobody from being answered at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.gateway.memory_limit import MemoryLimit, MemoryLimitError, Reservation


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 50), st.booleans())))
def test_what_is_taken_is_the_sum_of_all_shares_and_above_the_limit_for_one_alone(
    steps: list[tuple[int, int, bool]],
) -> None:
    room = MemoryLimit(100)
    shares, sizes = [Reservation(room) for _ in range(4)], [0] * 4
    for number, size, gives_back in steps:
        if gives_back:
            shares[number].give_back()
            sizes[number] = 0
            continue
        is_alone = sum(sizes) == sizes[number]
        if not is_alone and sum(sizes) + size > 100:
            with pytest.raises(MemoryLimitError):
                shares[number].take(size)
        else:
            shares[number].take(size)
            sizes[number] += size
        assert room.taken == sum(sizes)


def test_a_little_is_free_for_everybody() -> None:
    room = MemoryLimit(100, free=10)
    Reservation(room).take(500)
    small = Reservation(room)
    small.take(10)
    with pytest.raises(MemoryLimitError):
        small.take(1)
    assert room.taken == 510
