"""The facts of a column are those that plain Python finds, however its values come."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.profile import LEAST_DIFFERENT, LONG, Column
from penstock.core.profile_counts import MANY
from penstock.core.profile_values import FIRST
from tests.kit.forms.facts import check_column
from tests.kit.strategies import any_text, scalars

batches = st.lists(st.lists(scalars, max_size=12), max_size=5)
times = st.datetimes(datetime(1990, 1, 2), datetime(2099, 12, 30))


def learned(*batches: list[Any], columns: int = 1) -> Column:
    column = Column()
    for batch in batches:
        column.learn(batch, range(column.rows, column.rows + len(batch)), columns)
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
        column.learn(batch, range(column.rows, column.rows + len(batch)), keep=True)
    cells = [cell for batch in some for cell in batch]
    assert (column.filled, column.weight >= 0) == (sum(cell is not None for cell in cells), True)
    check_column(column, cells)
    column.learn([1], [len(cells)], keep=True)
    check_column(column, [*cells, 1])


@given(batches, st.integers(0, 5))
def test_a_column_knows_whether_it_has_more_values_and_whether_it_has_one(some: list[list[Any]], most: int) -> None:
    column, other = Column(), Column()
    for batch in some:
        column.learn(batch, range(column.rows, column.rows + len(batch)), keep=True)
        other.learn(batch, range(other.rows, other.rows + len(batch)), keep=True)
    assert column.has_more_than(most) == ((other.different or 0) > most)
    assert column.is_constant == (other.different == 1)
    assert column.commonest == max((count for _, count in column.values()), default=0)


def test_texts_among_other_values_are_known_to_be_short_or_encoded() -> None:
    short, encoded = Column(), Column()
    short.learn(["a", 1, None, True] * 9, range(36), keep=True)
    assert (short.hidden, short.encoded, short.bulk, short.filled) == (False, False, 9, 27)
    encoded.learn(["iVBORw0KGgo" * 99, 1, None] * 9, range(27), keep=True)
    assert (encoded.hidden, encoded.encoded) == (True, True)


@given(st.lists(st.tuples(scalars, st.integers(1, 4)), max_size=12))
def test_values_of_several_rows_are_learned_once_and_counted_for_each(some: list[tuple[Any, int]]) -> None:
    cells = [cell for cell, times in some for _ in range(times)]
    firsts = [sum(times for _, times in some[:at]) for at in range(len(some))]
    column = Column()
    column.learn_repeated([cell for cell, _ in some], [times for _, times in some], firsts)
    check_column(column, cells)
    assert column.rows == len(cells)


def test_repeated_values_that_are_too_many_to_count_are_more_than_some() -> None:
    column = Column()
    column.learn_repeated([f"id {number}" for number in range(3_000)], [2] * 3_000, list(range(0, 6_000, 2)), 1_000)
    assert (column.rows, column.filled, column.different) == (6_000, 6_000, None)
    assert 512 <= column.over < 3_000


@given(batches, batches)
def test_merged_columns_know_the_values_of_both(some: list[list[Any]], more: list[list[Any]]) -> None:
    one, other = learned(*some), Column()
    for batch in more:
        other.learn(batch, range(one.rows + other.rows, one.rows + other.rows + len(batch)))
    cells = [cell for batch in (*some, *more) for cell in batch]
    one.merge(other)
    check_column(one, cells)


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
    assert every[column.earliest.row] == column.earliest.value
    assert every[column.latest.row] == column.latest.value
    assert column.earliest.row == next(at for at, text in enumerate(every) if as_time(text) == first)


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
    assert (column.latest.row if column.is_time and column.latest is not None else None) == last


def test_times_of_several_types_are_no_times() -> None:
    assert not learned(["2024-01-01"], [7]).is_time
    merged = learned(["2024-01-01"])
    merged.merge(learned(["2024-01-02"]))
    assert not merged.is_time


def test_too_many_different_values_are_not_counted_but_said_to_be_many() -> None:
    names = [f"name {number}" for number in range(70_000)]
    column = learned(names, columns=200)
    assert column.different is None
    assert column.values() == []
    assert LEAST_DIFFERENT <= column.over < 70_000
    again = [f"name {number % 600}" for number in range(70_000)]
    repeated = learned(again, columns=200)
    assert repeated.different == 600
    late = learned(names[:FIRST], names[FIRST:60_000], names[60_000:] * 2)
    assert late.different is None
    column.merge(repeated)
    assert (column.different, column.filled) == (None, 140_000)
    assert column.over >= 599


def test_values_of_which_none_stands_out_are_not_counted_where_they_are_many() -> None:
    def later(values: list[Any]) -> Column:
        column = Column()
        column.learn(values, range(len(values)), keep=True)
        return column

    flat = later([f"name {number * number % 30_011}" for number in range(MANY + 1)])
    assert flat.different is None
    assert 1_000 < flat.over < 15_006
    fewer = later([f"name {number * number % 30_011}" for number in range(MANY)])
    assert fewer.different == len({number * number % 30_011 for number in range(MANY)})
    one = later(["many" if number % 20 == 0 else f"name {number % 20_000}" for number in range(2 * MANY)])
    assert one.values()[0] == ("many", -(-2 * MANY // 20))


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
    column.learn(texts, range(len(texts)), keep=True)
    assert column.writes_numbers == are
    assert (column.different, column.writes_numbers) == (len(texts), are)


def test_floats_are_counted_while_they_are_few() -> None:
    assert learned([number / 7 for number in range(400)]).different == 400
    assert learned([number / 7 for number in range(4_000)]).different is None


def test_long_texts_are_counted_but_not_kept() -> None:
    texts = ["word " * LONG + str(number % 7) for number in range(50)]
    column = learned(texts)
    assert column.hidden
    assert (column.different, column.values(), column.encoded) == (7, [], False)
    mixed = learned(["short"])
    mixed.merge(column)
    assert mixed.different is None


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


def test_numbers_of_lines_are_learned_without_being_counted() -> None:
    column = Column()
    assert not column.learn_lines([7], range(1))  # a single one is told by its value
    assert column.learn_lines([2, 3, 7], range(3))
    assert column.learn_lines([9], range(3, 4))
    assert (column.rows, column.filled, column.different, column.kinds) == (4, 4, 4, {int: 4})
    assert column.least is not None
    assert (column.least.value, column.least.row) == (2, 0)
    assert column.greatest is not None
    assert (column.greatest.value, column.greatest.row) == (9, 3)
    assert column.total == 21
    assert column.values() == []
    for others in ([9, 10], [12, 11], ["x"], [None, 13]):
        assert not column.learn_lines(others, range(4, 6))
    column.learn([11, None], range(4, 6))
    assert not column.learn_lines([12, 13], range(6, 8))
    assert (column.filled, column.different, column.over, column.total) == (5, None, 3, 32)


def test_arrays_and_objects_among_values_are_counted_apart() -> None:
    column = Column()
    column.learn([1, [2], {"a": 3}, None, "x"], range(5))
    assert (column.rows, column.nested, column.filled) == (5, 2, 2)


def test_values_that_are_given_up_in_one_batch_are_not_counted_in_the_next() -> None:
    column = Column()
    for at in range(3):
        column.learn(
            [f"{at} {number}" for number in range(3_000)], range(column.rows, column.rows + 3_000), 1_000, keep=True
        )
    assert column.counts is None
    assert column.over >= LEAST_DIFFERENT
    assert column.commonest == 0
