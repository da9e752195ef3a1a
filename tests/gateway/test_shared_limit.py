"""A bound for all together, which keeps no caller from being answered at all, and of which no group can take all."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.gateway.shared_limit import GREED, Reservation, SharedLimit, SharedLimitError


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 50), st.booleans())))
def test_what_is_taken_is_the_sum_of_all_and_above_the_limit_for_one_alone(steps: list[tuple[int, int, bool]]) -> None:
    room = SharedLimit(100)
    requests, sizes = [Reservation(room, "ab"[number % 2]) for number in range(4)], [0] * 4
    for number, size, gives_back in steps:
        if gives_back:
            requests[number].give_back()
            sizes[number] = 0
            continue
        left = 100 - sum(sizes)
        is_alone = sum(sizes) == sizes[number]
        if is_alone or (size <= left and sum(sizes[number % 2 :: 2]) < GREED * left):
            requests[number].take(size)
            sizes[number] += size
        else:
            with pytest.raises(SharedLimitError):
                requests[number].take(size)
        assert room.taken == sum(sizes)
    for request in requests:
        request.give_back()
    assert room.taken == 0
    assert not room._groups


def test_a_little_is_free_for_everybody() -> None:
    room = SharedLimit(100, free=10)
    Reservation(room).take(500)
    small = Reservation(room)
    small.take(10)
    with pytest.raises(SharedLimitError):
        small.take(1)
    assert room.taken == 510


def test_a_group_that_takes_all_it_can_leaves_places_for_the_next_and_that_one_for_another() -> None:
    room = SharedLimit(1_024)
    had = []
    for group in ("first", "second", "third"):
        before = room.taken
        for _ in range(2_000):
            with suppress(SharedLimitError):
                Reservation(room, group).take(1)
        had.append(room.taken - before)
    assert had == [896, 112, 14]


def test_with_few_places_one_client_may_have_them_all() -> None:
    room = SharedLimit(4)
    for _ in range(4):
        Reservation(room).take(1)
    with pytest.raises(SharedLimitError):
        Reservation(room, "another").take(1)
