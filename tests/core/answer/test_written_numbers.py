"""Numbers that are written as texts are summed exactly, whether they were counted or not."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.answer.written_numbers import numbers_in_text
from penstock.core.profile import Column
from penstock.core.profile_counts import MANY

amounts = st.lists(st.decimals(-10_000, 10_000, places=2).map(str), min_size=1, max_size=9)
uneven = st.lists(st.sampled_from(("0", "0.5", "-0.25", "12", "7.125")), min_size=1, max_size=9)


@given(amounts | uneven, st.booleans())
def test_range_and_sum_are_exact(texts: list[str], later: bool) -> None:
    column = Column()
    column.learn(texts, range(len(texts)), later=later)
    numbers = list(map(Decimal, texts))
    least, greatest = (texts[numbers.index(end(numbers))] for end in (min, max))
    assert column.writes_numbers
    words = numbers_in_text(column, summed=False)
    assert words.startswith("numbers in text, ")
    assert [Decimal(one.strip('"')) for one in words[17:].removesuffix(" (CAST in SQL)").split(" .. ")] == [
        Decimal(least),
        Decimal(greatest),
    ]
    total = numbers_in_text(column, summed=True).partition(", sum ")[2].partition(" ")[0]
    assert Decimal(total) == sum(numbers)


@pytest.mark.parametrize("places", [0, 2])
def test_so_many_different_ones_that_they_are_not_counted_are_summed_all_the_same(places: int) -> None:
    numbers = [Decimal(number).scaleb(-places) for number in range(2 * MANY)]
    column = Column()
    column.learn([f"{one:.{places}f}" for one in numbers], range(len(numbers)), later=True)
    assert column.writes_numbers
    assert column.counts is None
    assert column.writes_numbers
    assert f", sum {sum(numbers):f} " in numbers_in_text(column, summed=True)
