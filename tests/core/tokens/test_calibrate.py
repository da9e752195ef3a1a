"""Observed true counts pull later estimates towards the truth, and never make a bound fall below the evidence.

For any observations: an adjusted count keeps ``1 <= tokens <= upper``, memory stays within its limit, and what is
exported and restored adjusts just as before.
"""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.tokens.calibrate import Calibration
from penstock.core.tokens.count import Count

COUNT = Count(tokens=1_000, upper=1_200, method="classes")
anything = st.one_of(st.integers(), st.floats(), st.just(10**400))
observations = st.lists(st.tuples(st.sampled_from("abcd"), anything, anything), max_size=30)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
junk = st.recursive(leaves, lambda deep: st.lists(deep) | st.dictionaries(st.text(), deep), max_leaves=20)


def learned(*observed: tuple[float, float]) -> Calibration:
    calibration = Calibration()
    for estimate, actual in observed:
        calibration.observe("search", "claude", estimate, actual)
    return calibration


@given(observations, st.integers(1, 10**9), st.floats(1, 2))
def test_an_adjusted_count_is_a_count_whatever_was_observed(
    observed: list[tuple[str, float, float]], tokens: int, margin: float
) -> None:
    calibration = Calibration(limit=3)
    for tool, estimate, actual in observed:
        calibration.observe(tool, "claude", estimate, actual)
    assert len(calibration) <= 3
    count = Count(tokens=tokens, upper=math.ceil(tokens * margin), method="classes")
    for tool in "abcd":
        adjusted = calibration.adjust(count, tool, "claude")
        assert 1 <= adjusted.tokens <= adjusted.upper <= 4 * count.upper + 1
        assert adjusted.method == "classes"


@given(observations)
def test_what_is_exported_and_restored_adjusts_as_before(observed: list[tuple[str, float, float]]) -> None:
    calibration = Calibration()
    for tool, estimate, actual in observed:
        calibration.observe(tool, "claude", estimate, actual)
    kept = json.loads(json.dumps(calibration.exported()))
    restored = Calibration.restored(kept)
    assert restored.exported() == calibration.exported()
    for tool in "abcd":
        assert restored.adjust(COUNT, tool, "claude") == calibration.adjust(COUNT, tool, "claude")


@given(junk)
def test_restoring_from_anything_else_starts_anew(exported: object) -> None:
    assert len(Calibration.restored(exported)) == 0
    assert len(Calibration.restored({"version": 1, "learned": exported})) == 0
    assert len(Calibration.restored({"version": 1, "learned": [exported]})) == 0


@pytest.mark.parametrize(
    "row",
    [
        ["t", "claude", 0, 0.1, 0.1, 0.1],
        ["t", "claude", 10**400, 0.1, 0.1, 0.1],
        ["t", "claude", 3, math.nan, 0.1, 0.1],
        ["t", "claude", 3, 99.0, 0.1, 0.1],
        ["t", "claude", 3, 0.1, -0.1, 0.1],
        ["t", "claude", 3, 0.1, 0.1, "high"],
        ["t", "claude", 3, 0.1, 0.1],
    ],
)
def test_a_row_that_could_not_have_been_learned_is_left_out(row: list[object]) -> None:
    good = ["u", "claude", 3, 0.1, 0.01, 0.2]
    restored = Calibration.restored({"version": 1, "learned": [row, good]})
    assert restored.exported() == {"version": 1, "learned": [good]}


def test_estimates_follow_a_tool_that_costs_more_than_it_looks() -> None:
    calibration = learned((1_000, 1_300), (2_000, 2_600), (500, 650))
    adjusted = calibration.adjust(COUNT, "search", "claude")
    assert 1_230 < adjusted.tokens <= 1_300
    assert adjusted.upper >= 1_300


def test_estimates_and_bounds_follow_a_tool_that_costs_less() -> None:
    adjusted = learned(*[(1_000, 800)] * 5).adjust(COUNT, "search", "claude")
    assert 800 <= adjusted.tokens < 820
    assert adjusted.upper < COUNT.upper


def test_the_bound_stays_above_the_worst_ratio_seen_lately() -> None:
    adjusted = learned((1_000, 900), (1_000, 1_600), (1_000, 900)).adjust(COUNT, "search", "claude")
    assert adjusted.upper > 1_400


def test_the_bound_widens_when_the_observations_disagree() -> None:
    agreeing = learned(*[(1_000, 1_000)] * 6).adjust(COUNT, "search", "claude")
    differing = learned(*[(1_000, 700), (1_000, 1_400)] * 3).adjust(COUNT, "search", "claude")
    assert agreeing.upper < COUNT.upper < differing.upper


def test_an_absurd_ratio_is_clamped() -> None:
    adjusted = learned((1, 10**14)).adjust(COUNT, "search", "claude")
    assert adjusted.tokens <= 4_000
    assert adjusted.upper <= 5_000


@pytest.mark.parametrize(("estimate", "actual"), [(0, 5), (5, 0), (-1, 5), (5, math.inf), (math.nan, 5)])
def test_what_cannot_be_a_count_teaches_nothing(estimate: float, actual: float) -> None:
    assert len(learned((estimate, actual))) == 0


def test_tools_and_profiles_are_learned_apart() -> None:
    calibration = learned((1_000, 2_000))
    assert calibration.adjust(COUNT, "search", "o200k") == COUNT
    assert calibration.adjust(COUNT, "read", "claude") == COUNT


@pytest.mark.parametrize("method", ["exact", "bytes"])
def test_a_count_that_is_certain_is_not_adjusted(method: str) -> None:
    certain = Count(tokens=10, upper=10, method=method)
    assert learned((1_000, 2_000)).adjust(certain, "search", "claude") == certain


def test_the_tool_observed_longest_ago_is_forgotten_first() -> None:
    calibration = Calibration(limit=2)
    for tool in ("a", "b", "a", "c"):
        calibration.observe(tool, "claude", 100, 150)
    assert calibration.adjust(COUNT, "b", "claude") == COUNT
    assert calibration.adjust(COUNT, "a", "claude") != COUNT
