"""Invariant: ``parse_time`` never raises, and equal instants give equal numbers, however they are written."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.times import SECOND, looks_like_time, parse_time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ZONES = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9000, 1, 1))
T = 1_705_313_472 * SECOND  # 2024-01-15 10:11:12 UTC

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.characters(categories=["Cs"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(JSON)
def test_no_value_raises(value: Any) -> None:
    assert parse_time(value) is None or isinstance(parse_time(value), int)
    assert isinstance(looks_like_time(value), bool)


@given(MOMENTS, ZONES, st.sampled_from(["T", " ", "t", "_"]))
def test_iso_times_of_any_offset_give_the_instant(moment: datetime, zone: timezone, between: str) -> None:
    aware = moment.replace(tzinfo=zone)
    since = aware - EPOCH
    expected = ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * 1_000
    assert parse_time(aware.isoformat(sep=between)) == expected
    assert parse_time(aware) == expected


@given(MOMENTS)
def test_a_time_without_an_offset_is_utc(moment: datetime) -> None:
    assert parse_time(moment.isoformat()) == parse_time(moment.isoformat() + "Z") == parse_time(moment)


@given(st.integers(10**9, 10**10))
def test_seconds_milliseconds_microseconds_and_nanoseconds_are_told_by_their_size(seconds: int) -> None:
    for unit in (1, 10**3, 10**6, 10**9):
        assert parse_time(seconds * unit) == seconds * SECOND
        assert parse_time(str(seconds * unit)) == seconds * SECOND
    assert parse_time(float(seconds)) == seconds * SECOND


@given(st.integers(0, 10**9), st.integers(0, 10**9 - 1))
def test_digits_of_a_written_number_are_not_lost(seconds: int, nanoseconds: int) -> None:
    assert parse_time(f"{seconds}.{nanoseconds:09d}") == seconds * SECOND + nanoseconds


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-15T10:11:12Z",
        "2024-01-15t10:11:12z",
        "2024-01-15 10:11:12",
        "2024-01-15 10:11:12 UTC",
        "2024-01-15 10:11:12 +0000",
        "  2024-01-15T10:11:12.000000000000+00:00 ",
        "2024-01-15T11:11:12+01",
        "2024-01-15T11:11:12+0100",
        "2024-01-15T11:11:12+01:00",
        "2024-01-15T11:11:12+01:00[Europe/Berlin]",
        "2024-01-15T05:11:12-05:00",
        "2024-01-15T10:11:12+00:00:00",
        "20240115T101112Z",
        "2024/01/15 10:11:12",
        "2024.01.15 10:11:12",
        "2024-01-15 10:11:12,000",
        "1705313472",
        "+1705313472.0",
        "1705313472000",
        1_705_313_472,
        1_705_313_472_000.0,
    ],
)
def test_usual_forms_of_one_instant(text: object) -> None:
    assert parse_time(text) == T


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2024-01-15", "2024-01-15T00:00:00Z"),
        ("20240115", "2024-01-15"),
        ("2024-01", "2024-01-01"),
        ("2024", "2024-01-01"),
        ("2024-01-15T10", "2024-01-15T10:00:00"),
        ("2024-01-15T10:11", "2024-01-15T10:11:00"),
        ("2024-01-15T24:00", "2024-01-16"),
        ("2016-12-31T23:59:60Z", "2017-01-01"),
        ("2024-01-15T10:11:12.1", "2024-01-15T10:11:12.100000"),
        ("99999999", "1973-03-03T09:46:39Z"),
        ("0000", "1970-01-01"),
        ("20249999", "1970-08-23T08:59:59Z"),
    ],
)
def test_forms_that_leave_something_out(text: str, same: str) -> None:
    assert parse_time(text) == parse_time(same) is not None


def test_fractions_keep_nanoseconds_and_drop_the_rest() -> None:
    assert parse_time("2024-01-15T10:11:12.123456789Z") == T + 123_456_789
    assert parse_time("2024-01-15T10:11:12." + "9" * 100 + "Z") == T + 999_999_999
    assert parse_time("1705313472000.5") == T + 500_000
    assert parse_time("-1.5") == -3 * SECOND // 2


def test_dates_are_times() -> None:
    assert parse_time(date(2024, 1, 15)) == parse_time("2024-01-15")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        float("nan"),
        float("inf"),
        10**20,
        "9" * 21,
        "100000000000000000000",
        "9" * 5_000,
        "",
        "soon",
        "2024-13-01",
        "2024-02-30",
        "0000-01-01",
        "2024-01-15T25:00",
        "2024-01-15T24:00:01",
        "2024-01-15T10:60",
        "2024-01-15T10:11:61",
        "2024-01-15T10:11:12+24:00",
        "2024-01-15T10:11:12+01:60",
        "2024-01-15T10:11:12+01:00:61",
        "2024-0115",
        "２０２４-01-15",
        "\ud800",
        ["2024-01-15"],
        {"$date": "2024-01-15"},
        b"2024-01-15",
    ],
)
def test_what_is_no_time(value: object) -> None:
    assert parse_time(value) is None


def test_an_integer_of_thousands_of_digits_is_no_time() -> None:
    assert parse_time(10**5_000) is None


@pytest.mark.parametrize("value", ["2024-01-15", "1960-01-01", date(1960, 1, 1), 1_705_313_472, "1705313472", "2024"])
def test_what_looks_like_a_time_under_a_likely_name(value: object) -> None:
    assert looks_like_time(value)


@pytest.mark.parametrize("value", [0, 12.5, 86_400, "3600", None, "later"])
def test_a_small_number_is_rather_a_duration(value: object) -> None:
    assert not looks_like_time(value)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2024/01/15T10:11:12Z", "2024-01-15T10:11:12+00:00"),
        ("2024-01-15T10:11:60Z", "2024-01-15T10:12:00+00:00"),
        ("2024-01-14T24:00:00Z", "2024-01-15T00:00:00+00:00"),
        ("2024-01-15T10:11:12.123Z", "2024-01-15T10:11:12.123+00:00"),
        ("2024-01-15T10:11:12,123456Z", "2024-01-15T10:11:12.123456+00:00"),
    ],
)
def test_a_time_that_ends_with_z_is_that_of_a_zero_offset(text: str, same: str) -> None:
    assert parse_time(text) == parse_time(same) is not None


@pytest.mark.parametrize("text", ["2024-01-15T10:11:12:123Z", "2024-13-15T10:11:12Z", "2024-01-15T10-11-12Z"])
def test_what_only_looks_like_the_usual_form_is_no_time(text: str) -> None:
    assert parse_time(text) is None
