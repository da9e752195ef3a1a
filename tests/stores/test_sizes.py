"""Sizes are added up under names that every store can write, and say what a lower limit would have held."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.tokens.size_class import UP_TO
from penstock.stores.sizes import (
    DAY,
    KEPT_DAYS,
    MAX_NAME,
    SizeKey,
    Sizes,
    day_of,
    oldest_day,
    others,
    passed_above,
    tidied,
    total,
)

KEYS = st.builds(SizeKey, st.integers(0, 3), st.text(max_size=200), st.text(max_size=200), st.sampled_from(UP_TO))
FIGURES = st.builds(Sizes, calls=st.integers(1, 9), held=st.just(0), tokens_in=st.integers(0, 99))


@given(st.dictionaries(KEYS, FIGURES, max_size=9))
def test_tidy_names_are_short_and_writable_and_nothing_is_lost(sizes: dict[SizeKey, Sizes]) -> None:
    found = tidied(sizes)
    assert total(found.values()) == total(sizes.values())
    for key in found:
        assert max(len(key.server), len(key.tool)) <= MAX_NAME
        assert "\0" not in key.server + key.tool
        (key.server + key.tool).encode()


@given(st.dictionaries(KEYS, FIGURES, max_size=9), st.sampled_from(UP_TO))
def test_the_lower_the_limit_the_more_would_have_been_held(sizes: dict[SizeKey, Sizes], limit: int) -> None:
    counts = [passed_above(sizes, one) for one in (0, limit, UP_TO[-1])]
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[-1]) == (total(sizes.values()).calls, 0)


def test_figures_that_follow_from_others() -> None:
    one = Sizes(calls=5, held=2, tokens_in=100, tokens_out=30)
    assert (one.passed, one.tokens_saved) == (3, 70)
    assert Sizes(tokens_in=1, tokens_out=2).tokens_saved == 0
    assert others(SizeKey(3, "a", "b", 250)) == SizeKey(3, "", "(others)", 250)
    assert oldest_day(100 * DAY + 5) == day_of(100 * DAY) - KEPT_DAYS + 1
