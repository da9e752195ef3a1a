"""A time in a call is the one that is meant, in a form that the tool takes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.answer.suggestions.moments import DAY, since, written, written_date
from penstock.core.answer.suggestions.parameters import AdjustableCall
from penstock.core.forms.times import SECOND, parse_time

NOON = 1_717_416_000 * SECOND  # 2024-06-03T12:00:00Z


def made(name: str, schema: Any, time: int = NOON, field: str = "at", **given: Any) -> Any:
    found = since(AdjustableCall(given, {"properties": {name: schema}}), time, field)
    return None if found is None else found[name]


@given(st.datetimes(datetime(1990, 1, 1), datetime(2099, 1, 1)))
def test_a_written_time_is_the_time(moment: datetime) -> None:
    time = int(moment.replace(tzinfo=UTC, microsecond=0).timestamp()) * SECOND
    assert parse_time(written(time)) == time
    assert (written_date(time) is not None) == (time % DAY == 0)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "2024-06-03T12:00:00Z"),
        ({"type": "integer"}, 1_717_416_000),
        ({"type": "integer", "description": "Milliseconds"}, 1_717_416_000_000),
    ],
)
def test_a_number_is_in_the_unit_of_the_parameter(schema: Any, expected: Any) -> None:
    assert made("since", schema) == expected


@pytest.mark.parametrize(
    ("name", "description", "field", "is_meant"),
    [
        ("since", "", "created_at", True),
        ("since", "", "updated_at", False),
        ("since", "Only issues updated after this", "updated_at", True),
        ("since", "Only issues updated after this", "created_at", False),
        ("updated_after", "", "updatedAt", True),
        ("created_after", "", "updated_at", False),
    ],
)
def test_a_parameter_that_is_about_another_field_is_not_used(
    name: str, description: str, field: str, *, is_meant: bool
) -> None:
    found = made(name, {"type": "string", "description": description}, field=field)
    assert (found is not None) == is_meant


def test_a_format_in_an_alternative_tells_that_a_time_is_meant() -> None:
    assert made("from", {"anyOf": [{"type": "string", "format": "date-time"}, 7]}) == "2024-06-03T12:00:00Z"
    assert made("from", {"anyOf": 7}) is None
    assert made("from", True) is None
