"""Invariant: any value has a rank and a short, writable label; the usual words stand in their usual order."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.severity import LONGEST_LABEL, UNKNOWN, Scale

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.text(st.characters(categories=["Cs"]))
    | st.sampled_from(["HIGH", " low ", "P1", "7.5"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@given(VALUES, st.none() | st.lists(VALUES, max_size=4), st.sampled_from(["severity", "priority"]))
def test_any_value_has_a_rank_and_a_label_that_can_be_written(value: Any, order: list[Any] | None, field: str) -> None:
    rank, label = Scale(order, field=field).grade(value)
    assert all(isfinite(part) for part in rank)
    assert 0 < len(label) <= LONGEST_LABEL
    json.dumps(label, ensure_ascii=False).encode("utf-8")


@given(VALUES)
def test_a_label_has_the_rank_of_its_value(value: Any) -> None:
    scale = Scale()
    rank, label = scale.grade(value)
    assert scale.grade(label) == (rank, label)


@pytest.mark.parametrize(
    "words",
    [
        "CRITICAL HIGH MEDIUM LOW INFO weird unknown",
        "emerg alert crit err warning notice info debug",
        "FATAL ERROR WARN INFO DEBUG TRACE",
        "blocker critical major minor trivial",
        "highest high medium low lowest",
        "urgent high normal low",
        "critical important moderate low none",
        "SEVERE WARNING INFO FINE FINER",
        "error warning note none",
        "P0 P1 P2 P3 P4 P5 P6",
        "sev-1 SEV2 Severity_3",
        "HIGH 9.8 7 0 -1 other",
    ],
)
def test_words_stand_in_their_usual_order(words: str) -> None:
    scale = Scale(field="level")
    ranks = [scale.grade(word)[0] for word in words.split()]
    assert ranks == sorted(set(ranks))


def test_case_and_blanks_do_not_matter_and_the_first_spelling_names_the_group() -> None:
    scale = Scale()
    assert scale.grade("High") == scale.grade(" HIGH ") == scale.grade("high")
    assert scale.grade("high")[1] == "High"


def test_words_that_no_scale_knows_keep_their_case_apart() -> None:
    scale = Scale()
    assert scale.grade("src/A.py")[1] != scale.grade("src/a.py")[1]


def test_higher_numbers_come_first_but_lower_ones_in_a_priority() -> None:
    assert Scale(field="cvss").grade(9.8) < Scale(field="cvss").grade(4)
    for field in ("priority", "issuePriority", "rank", "prio"):
        assert Scale(field=field).grade(1) < Scale(field=field).grade("4")


@pytest.mark.parametrize("value", [None, "", "  ", "Unknown", [], {}, float("nan"), float("inf"), b"HIGH", object()])
def test_what_has_no_importance_is_unknown_and_last(value: object) -> None:
    rank, label = Scale().grade(value)
    assert label == UNKNOWN
    assert rank > Scale().grade("anything")[0]


def test_an_integer_too_large_for_a_float_is_unknown() -> None:
    assert Scale().grade(10**5_000)[1] == UNKNOWN


def test_a_given_order_is_the_only_one_that_counts() -> None:
    scale = Scale(["Todo", "doing", "Done"])
    ranked = sorted(["HIGH", None, "done", "TODO", "Doing"], key=lambda value: scale.grade(value)[0])
    assert [scale.grade(value)[1] for value in ranked] == ["Todo", "doing", "Done", "HIGH", UNKNOWN]


def test_a_given_order_may_be_of_numbers_and_may_place_the_unknown() -> None:
    scale = Scale([1, "unknown", 2.0])
    ranked = sorted([2, None, 1.0], key=lambda value: scale.grade(value)[0])
    assert ranked == [1.0, None, 2]


def test_labels_of_numbers_and_truth_values() -> None:
    scale = Scale()
    assert [scale.grade(value)[1] for value in (7, 7.0, 7.5, "7.5", True, 1e300)] == [
        "7",
        "7",
        "7.5",
        "7.5",
        "true",
        "1e+300",
    ]


def test_a_long_value_is_a_short_label() -> None:
    assert Scale().grade("word " * 10_000)[1] == " ".join(["word"] * 12) + "…"
    assert len(Scale().grade("漢" * 10_000)[1]) <= LONGEST_LABEL
