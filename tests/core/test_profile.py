"""The facts of a column are those that plain Python finds, however its values come."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.profile import MAX_SHORT, MIN_COUNTED, Column
from tests.kit.forms.facts import check_column
from tests.kit.strategies import any_text, scalars

batches = st.lists(st.lists(scalars, max_size=12), max_size=5)
times = st.datetimes(datetime(1990, 1, 2), datetime(2099, 12, 30))


def learned(*batches: list[Any], columns: int = 1) -> Column:
    column = Column()
    for batch in batches:
        column.learn(batch, columns)
    return column


@given(batches)
def test_a_column_knows_its_values_however_they_come(some: list[list[Any]]) -> None:
    cells = [cell for batch in some for cell in batch]
    column = learned(*some)
    check_column(column, cells)
    assert (column.rows, column.filled) == (len(cells), sum(cell is not None for cell in cells))
    kinds = {type(cell) for cell in cells if cell is not None}
    assert column.is_numeric == (bool(kinds) and kinds <= {int, float})


@given(batches)
def test_a_column_that_refers_to_kept_values_has_the_same_facts(some: list[list[Any]]) -> None:
    column = Column()
    for batch in some:
        column.learn(batch, keep=True)
    cells = [cell for batch in some for cell in batch]
    assert (column.filled, column.weight >= 0) == (sum(cell is not None for cell in cells), True)
    check_column(column, cells)
    column.learn([1], keep=True)
    check_column(column, [*cells, 1])


@given(batches, st.integers(0, 5))
def test_a_column_knows_whether_it_has_more_values_and_whether_it_has_one(some: list[list[Any]], most: int) -> None:
    column, other = Column(), Column()
    for batch in some:
        column.learn(batch, keep=True)
        other.learn(batch, keep=True)
    assert column.has_more_than(most) == ((other.different or 0) > most)
    assert column.is_constant == (other.different == 1)
    assert column.commonest == max((count for _, count in column.values()), default=0)


def test_texts_among_other_values_are_known_to_be_short_or_encoded() -> None:
    short, encoded = Column(), Column()
    short.learn(["a", 1, None, True] * 9, keep=True)
    assert (short.hidden, short.encoded, short.bulk, short.filled) == (False, False, 9, 27)
    encoded.learn(["iVBORw0KGgo" * 99, 1, None] * 9, keep=True)
    assert (encoded.hidden, encoded.encoded) == (True, True)


def stamp(moment: datetime, form: int) -> str:
    match form:
        case 0:
            return moment.strftime("%Y-%m-%d")
        case 1:
            return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        case 2:
            return moment.strftime("%Y-%m-%d %H:%M:%S.%f")
        case 3:
            zone = timezone(timedelta(hours=moment.day % 9 - 4))
            return moment.replace(tzinfo=UTC).astimezone(zone).isoformat()
    return moment.replace(tzinfo=UTC).isoformat()


def as_time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


@given(st.lists(st.lists(times, min_size=1, max_size=9), min_size=1, max_size=3), st.integers(0, 4))
def test_the_earliest_and_the_latest_time_are_known_with_their_rows(some: list[list[datetime]], form: int) -> None:
    texts = [[stamp(moment, form) for moment in batch] for batch in some]
    column = learned(*texts)
    every = [text for batch in texts for text in batch]
    assert column.is_time
    assert column.earliest is not None
    assert column.latest is not None
    first, last = min(map(as_time, every)), max(map(as_time, every))
    assert (as_time(column.earliest.value), as_time(column.latest.value)) == (first, last)


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-01-01", "soon"],
        ["soon", "2024-01-01"],
        ["2024-02-31", "2024-02-31"],
        ["2024-01-01", "2024-01-01\n2024-01-02"],
        ["2024-02-31T10:00:00+01:00", "2024-02-01T10:00:00Z"],
        ["1024-01-01"],
        [""],
        ["2024-01-01", "2124-01-01"],
        ["2024-01-01", "1924-01-01"],
        ["2024-01-01", "2024-13-01"],
        ["2024-01-01", "2024-00-01"],
        ["2024-01-01", "2024-01-32"],
        ["2024-01-01", "2024-01.01"],
        ["2024-01-01", "2024-01-٠١"],
        ["2024-01-01T10:00Z", "2024-01-01T25:00Z"],
        ["2024-01-01T10:00Z", "2024-01-01T10:60Z"],
        ["2024-01-01T10:00:00Z", "2024-01-01T10:00:70Z"],
    ],
)
def test_what_is_no_time_makes_no_column_of_times(texts: list[str]) -> None:
    assert not learned(texts).is_time
    assert not learned(*([text] for text in texts)).is_time


@pytest.mark.parametrize(
    ("texts", "last"),
    [
        (["2024-01-01T10:00+02:00", "2024-01-01T10:00+01:00"], 1),
        (["2024-01-01T10:00:00+99:00", "2024-01-01T10:00:00+01:00"], None),
        (["2024-01-01T10:00:60Z", "2024-01-01T24:00:00Z"], 1),
        (["2024-01-01T10:00:00.5Z", "2024-01-01T10:00:00,7Z", "2024-01-01 10:00:00.6Z"], 1),
    ],
)
def test_times_are_in_order_whatever_their_layout(texts: list[str], last: int | None) -> None:
    column = learned(texts)
    found = column.latest.value if column.is_time and column.latest is not None else None
    assert found == (None if last is None else texts[last])


@pytest.mark.parametrize(
    ("texts", "are"),
    [
        (["1", "-2.50", "0", "-0.25", "123456789012345"], True),
        (["1", "02139"], False),
        (["1", "1,2"], False),
        (["1", "1.5e3"], False),
        (["1", "1."], False),
        (["1", ""], False),
        (["1", "١"], False),
        (["1", "1234567890123456"], False),
        (["1", "0.1234567890123456"], False),
        (["one", "1"], False),
    ],
)
def test_texts_that_all_write_numbers_are_known(texts: list[str], are: bool) -> None:
    assert learned(texts).writes_numbers == are
    column = Column()
    column.learn(texts, keep=True)
    assert column.writes_numbers == are
    assert (column.different, column.writes_numbers) == (len(texts), are)


def test_long_texts_are_counted_but_not_kept() -> None:
    texts = ["word " * MAX_SHORT + str(number % 7) for number in range(50)]
    column = learned(texts)
    assert column.hidden
    assert (column.different, column.values(), column.encoded) == (7, [], False)


def test_encoded_data_is_known() -> None:
    assert learned(["QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w" * 20]).encoded


@given(st.lists(st.lists(scalars, max_size=3).map(json.dumps), min_size=1))
def test_texts_that_are_all_json_are_known(texts: list[str]) -> None:
    assert learned(texts).is_json
    assert learned(texts, texts).is_json
    assert not learned([*texts, "[1, 2"]).is_json
    assert not learned(texts, ["word"]).is_json
    assert not learned(["word", *texts]).is_json
    assert not learned(["[\ud800]"]).is_json


@given(st.lists(any_text, min_size=1))
def test_any_texts_are_taken(texts: list[str]) -> None:
    check_column(learned(texts), texts)


@pytest.mark.parametrize(
    "numbers",
    [[1e308, 1e308], [math.inf, -math.inf], [10**400, 1.5], [1.5, 10**400]],
)
def test_a_sum_that_no_float_holds_is_not_told(numbers: list[Any]) -> None:
    for column in (learned(numbers), learned(*([number] for number in numbers))):
        assert not math.isfinite(column.total)
        assert column.least is not None
        assert column.greatest is not None
        assert (column.least.value, column.greatest.value) == (min(numbers), max(numbers))


def test_arrays_and_objects_among_values_are_counted_apart() -> None:
    column = Column()
    column.learn([1, [2], {"a": 3}, None, "x"])
    assert (column.rows, column.nested, column.filled) == (5, 2, 2)


def test_times_of_several_types_are_no_times() -> None:
    assert not learned(["2024-01-01"], [7]).is_time


def test_too_many_different_values_are_more_than_a_number() -> None:
    names = [f"name {number}" for number in range(70_000)]
    column = learned(names, columns=200)
    assert (column.different, column.values(), column.commonest) == (None, [], 0)
    assert MIN_COUNTED <= column.over < 70_000
    assert learned([f"name {number % 300}" for number in range(70_000)], columns=200).different == 300
    assert learned(names[:100], names[100:], columns=200).different is None


def test_numbers_that_rise_are_known_to_differ_even_if_they_are_too_many_to_count() -> None:
    lines = list(range(2, 90_000, 3))
    for column in (learned(lines, columns=200), learned(lines[:50], lines[50:], columns=200)):
        assert (column.counts, column.different, column.filled) == (None, len(lines), len(lines))
    assert learned(lines, [7], columns=200).different is None
    assert learned(lines, ["x"], columns=200).different is None
    assert learned([9, *lines], columns=200).different is None
