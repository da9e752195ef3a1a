"""A bound from above on JSON: it may doubt, but is never wrong."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.middleware.size_bound import surely_within

data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=30,
)


@given(data, st.integers(0, 2_000))
def test_what_is_surely_within_is_within(value: Any, limit: int) -> None:
    if surely_within(value, limit):
        assert len(json.dumps(value, separators=(",", ":")).encode()) <= limit


@pytest.mark.parametrize("value", ["plain words", ["a"] * 20, {"a": 1, "b": [True, None, 2.5]}, 10**50, ""])
def test_what_is_small_is_found_to_be_so(value: Any) -> None:
    assert surely_within(value, 500)


@pytest.mark.parametrize("value", ["x" * 501, ["abc"] * 500, {str(n): n for n in range(100)}, 10**2_000, Decimal(1)])
def test_what_is_large_or_strange_is_not(value: Any) -> None:
    assert not surely_within(value, 500)
