"""Values are parted by class as plain Python would, however many there are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.value_classes import FEW, NESTED, by_class, by_nesting, only_type
from tests.kit.strategies import clean_text, scalars

anything = scalars | st.lists(st.integers(), max_size=3) | st.dictionaries(clean_text, scalars, max_size=3)
of_one_type = st.one_of(st.text(), st.integers(), st.booleans(), st.floats(allow_nan=False), st.none())


@given(st.lists(anything) | st.lists(anything, min_size=FEW + 1, max_size=FEW + 9))
def test_values_are_parted_by_class_with_their_rows(values: list[Any]) -> None:
    seen: list[int] = []
    for kinds, some, rows in by_class(values, range(100, 100 + len(values))):
        assert kinds == {kind: sum(type(value) is kind for value in some) for kind in kinds}
        assert sum(kinds.values()) == len(some)
        assert [values[row - 100] for row in rows] == some
        seen += rows
    assert sorted(seen) == [100 + at for at, value in enumerate(values) if value is not None]


@given(st.data(), st.integers(1, 2 * FEW), st.lists(of_one_type, max_size=2))
def test_the_only_type_is_told_where_all_values_have_it(data: st.DataObject, count: int, others: list[Any]) -> None:
    first = data.draw(of_one_type)
    values = data.draw(st.permutations([*[first] * count, *others]))
    types = set(map(type, values))
    assert only_type(values) == (types.pop() if len(types) == 1 else None)


def test_no_values_have_no_type() -> None:
    assert only_type([]) is None


@pytest.mark.parametrize("value", ["a", 1, 1.5, True])
def test_a_value_behind_many_nulls_stands_alone(value: Any) -> None:
    [(kinds, some, rows)] = by_class([*[None] * FEW, value], range(FEW + 1))
    assert (kinds, some, list(rows)) == ({type(value): 1}, [value], [FEW])


@given(st.lists(anything))
def test_scalars_of_several_classes_stay_together_where_only_nesting_counts(values: list[Any]) -> None:
    types = [type(value) for value in values if value is not None]
    parts = list(by_nesting(values, range(len(values))))
    assert sum(NESTED.isdisjoint(kinds) for kinds, _, _ in parts) <= 1
    for kinds, some, rows in parts:
        assert kinds == {kind: types.count(kind) for kind in kinds}
        assert [values[row] for row in rows] == some
    assert {kind for kinds, _, _ in parts for kind in kinds} == set(types)


@pytest.mark.parametrize("first", ["a", 10**30, True])
def test_many_values_and_nulls_are_parted_by_class_with_their_rows(first: Any) -> None:
    values = [None, *[first, None] * FEW]
    [(kinds, some, rows)] = by_class(values, range(len(values)))
    assert (kinds, some, list(rows)) == ({type(first): FEW}, [first] * FEW, list(range(1, 2 * FEW, 2)))
    assert [kind for kinds, _, _ in by_class([*values, 1.5], range(99)) for kind in kinds] == sorted(
        {type(first), float}, key=[str, bool, int, float].index
    )
