"""Size classes are a division of all sizes, and the limits that people choose end one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.tokens.size_class import BEYOND, UP_TO, size_class


@given(st.integers(0, BEYOND))
def test_a_size_is_within_its_class_and_above_the_class_before(tokens: int) -> None:
    found = size_class(tokens)
    assert tokens <= found
    assert all(other >= found or other < tokens for other in UP_TO)


def test_every_class_is_its_own_and_the_default_limit_ends_one() -> None:
    assert [size_class(most) for most in UP_TO] == list(UP_TO)
    assert [size_class(most + 1) for most in UP_TO] == [*UP_TO[1:], BEYOND]
    assert Config().max_tokens in UP_TO
