"""Invariant: a field is found wherever most items have one of its kind; one that is named must exist somewhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.times import looks_like_time
from penstock.core.ranking import ABSENT, LONGEST_NAME, dotted, named_field, priority_field, time_field, value_at
from penstock.core.severity import Scale
from penstock.errors import CallerError

KEYS = st.sampled_from(["severity", "level", "a", "name", "time", "created_at", "a.b"]) | st.text(max_size=4)
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=4) | st.sampled_from(["HIGH", "2024-01-01"]),
    lambda inner: st.dictionaries(KEYS | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def priority(items: list[Any]) -> str | None:
    found = priority_field(items, Scale())
    return None if found is None else dotted(found)


def time(items: list[Any]) -> str | None:
    found = time_field(items)
    return None if found is None else dotted(found)


@given(st.lists(VALUES, max_size=8))
def test_a_found_field_holds_a_usable_value_in_some_item(items: list[Any]) -> None:
    for found, usable in ((priority_field(items, Scale()), Scale().knows), (time_field(items), looks_like_time)):
        assert found is None or any(usable(value_at(item, found)) for item in items)


@given(st.lists(VALUES, min_size=1, max_size=8), KEYS)
def test_a_named_field_exists_in_some_item_or_is_the_callers_mistake(items: list[Any], name: str) -> None:
    paths = ((name,), tuple(name.removeprefix(".").split(".")))
    if any(value_at(item, path) is not ABSENT for item in items for path in paths):
        assert any(value_at(item, named_field(items, name)) is not ABSENT for item in items)
    else:
        with pytest.raises(CallerError, match="no item has the field"):
            named_field(items, name)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"severity": "HIGH", "level": "ERROR", "priority": 1}, "severity"),
        ({"level": 30, "msg": "x"}, "level"),
        ({"Priority": "P1"}, "Priority"),
        ({"log-level": "warn"}, "log-level"),
        ({"issue_severity": "LOW", "issue_confidence": "HIGH"}, "issue_severity"),
        ({"metadata": {"severity": "low"}}, "metadata.severity"),
        ({"priority": {"id": 3, "name": "High"}}, "priority.name"),
        ({"fields": {"deeper": {"severity": "HIGH"}}}, None),
        ({"severity": "sev of some kind", "level": "info"}, "level"),
        ({"level": "HIGH", "metadata": {"level": "LOW"}}, "level"),
        ({"score": 0.7, "id": 4}, "score"),
        ({"name": "HIGH", "id": 4}, None),
        ({"x" * LONGEST_NAME + "severity": "HIGH"}, None),
        ({1: {"severity": "HIGH"}, "a": {2: "HIGH"}}, None),
        ("CRITICAL", None),
    ],
)
def test_fields_of_priority(item: Any, expected: str | None) -> None:
    assert priority([item]) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"@timestamp": "2024-01-15T10:11:12Z", "date": "2024-01-15"}, "@timestamp"),
        ({"time": 12.5, "createdAt": 1_705_313_472_000}, "createdAt"),
        ({"created_at": "2024-01-15", "updated_at": "2024-02-15"}, "created_at"),
        ({"metadata": {"date": "2024-01-15"}}, "metadata.date"),
        ({"reviewed_at": "2024-01-15", "lat": 48.1}, "reviewed_at"),
        ({"format": "2024-01-15", "update": "2024-01-15"}, None),
        ({"timestamp": "yesterday"}, None),
    ],
)
def test_fields_of_time(item: Any, expected: str | None) -> None:
    assert time([item]) == expected


def test_a_better_name_wins_if_it_is_filled_half_as_often() -> None:
    with_both = {"severity": "HIGH", "level": "ERROR"}
    assert priority([with_both, {"level": "INFO"}]) == "severity"
    assert priority([with_both, {"level": "INFO"}, {"level": "INFO"}]) == "level"


def test_a_field_that_begins_late_is_still_found() -> None:
    assert priority([{"id": n} for n in range(9_000)] + [{"severity": "LOW"}] * 1_000) == "severity"


def test_a_named_field_is_a_key_or_a_path() -> None:
    items = [{"a.b": 1, "a": {"b": 2, "c": {"d": None}}}]
    assert value_at(items[0], named_field(items, "a.b")) == 1
    assert value_at(items[0], named_field(items, "a.c.d")) is None
    assert named_field(items, ".a.c") == ("a", "c")
    assert named_field([], "anything") == ("anything",)


def test_without_a_field_there_is_no_value() -> None:
    assert value_at({"severity": "HIGH"}, None) is ABSENT


def test_a_misspelled_field_is_answered_with_the_nearest_names() -> None:
    with pytest.raises(CallerError) as caught:
        named_field([{"severity": 1, "metadata": {"created_at": 2}}], "metadata.created")
    assert "metadata.created_at" in caught.value.do


def test_a_field_like_no_other_is_answered_with_those_there_are() -> None:
    with pytest.raises(CallerError) as caught:
        named_field([{"abc": 1, "def": 2}], "xyz" * 100)
    assert "abc, def" in caught.value.do
    assert len(str(caught.value)) < 200


def test_items_without_fields_are_said_to_be_that() -> None:
    with pytest.raises(CallerError, match="no objects"):
        named_field(["a", 1, None], "severity")


def test_a_lone_surrogate_in_a_name_is_escaped() -> None:
    assert dotted(("meta\ud800", "severity")) == "meta\\ud800.severity"
