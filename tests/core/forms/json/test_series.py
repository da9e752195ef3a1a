"""Series and columns: arrays of numbers with their extremes, rows that are arrays, objects whose fields are columns."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.json import series
from penstock.core.json import whole
from tests.kit.forms.facts import check_rows, main_of, names_of, reading_of, rows_of
from tests.kit.strategies import clean_text

numbers = st.integers() | st.floats(-1e12, 1e12)


@given(st.lists(st.integers(0, 99), min_size=5, max_size=200), st.data())
def test_one_spike_in_a_series_is_told_with_its_row(values: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(values) - 1))
    values[at] = 100_000
    least = values.index(min(values))
    for document, where in ((values, ""), ({"load": values}, " in .load")):
        reading = reading_of(document)
        assert reading.words == f"{len(values)} values{where}"
        assert reading.facts == (f"value: least {values[least]} in row {least + 1}, greatest 100000 in row {at + 1}",)
        check_rows(reading, [{"value": value} for value in values])


@given(st.lists(st.tuples(st.integers(), numbers, clean_text | st.none()), min_size=2, max_size=40))
def test_rows_that_are_arrays_have_numbered_columns(rows: list[tuple[Any, ...]]) -> None:
    reading = reading_of(rows)
    assert reading.form == "rows"
    check_rows(reading, [{"c1": one, "c2": two, "c3": three} for one, two, three in rows])


@pytest.mark.parametrize(
    "names",
    [
        ["when", "how much", "note"],
        [{"name": "when", "type": "int"}, {"name": "how much"}, {"label": "note"}],
    ],
)
@given(rows=st.lists(st.tuples(st.integers(), numbers, clean_text), min_size=20, max_size=40))
def test_names_beside_rows_are_those_of_their_columns(names: list[Any], rows: list[tuple[Any, ...]]) -> None:
    truth = [dict(zip(("when", "how much", "note"), row, strict=True)) for row in rows]
    for data, path in (
        ({"columns": names, "rows": rows}, ".rows"),
        ({"result": {"schema": {"fields": names}, "data": rows}}, ".result.data"),
    ):
        reading = reading_of(data)
        assert reading.form == "columnar"
        assert reading.words.endswith(f"{len(rows)} rows in {path} (3 columns)")
        check_rows(reading, truth)


@pytest.mark.parametrize("names", [["a", "a"], ["a", ""], ["a", 1], ["a", {"type": "int"}], ["A", "a"], ["a"], []])
def test_what_is_no_set_of_names_does_not_name_columns(names: list[Any]) -> None:
    reading = reading_of({"columns": names, "rows": [[1, 2], [3, 4], [5, 6]]})
    assert (reading.form, names_of(main_of(reading))) == ("rows", ["c1", "c2"])


def test_rows_in_several_arrays_keep_their_numbers() -> None:
    metrics = [{"metric": f"cpu{n}", "points": [[m, n * 100 + m] for m in range(20)]} for n in range(4)]
    reading = reading_of({"result": metrics})
    assert main_of(reading).path == ".result[].points[]"
    assert (
        reading.facts[-1]
        == "c2: least 0 in row 1 (result.metric cpu0 · c1 0), greatest 319 in row 80 (result.metric cpu3 · c1 19)"
    )
    assert rows_of(reading)[45] == {"result.metric": "cpu2", "c1": 5, "c2": 205}


@pytest.mark.parametrize("least", ["0.10", "-3"])
def test_numbers_in_texts_are_a_series_and_have_their_extremes(least: str) -> None:
    start = 1_772_300_000
    series = [
        {
            "metric": {"job": ("api", "web")[n % 2], "host": f"h{n}", "code": "200", "zone": "a"},
            "values": [[start + 60 * at, f"{at % 7}.5"] for at in range(60)],
        }
        for n in range(5)
    ]
    series[3]["values"][17][1] = "87.25"  # type: ignore[index]
    series[4]["values"][2][1] = least  # type: ignore[index]
    reading = reading_of({"status": "success", "data": {"resultType": "matrix", "result": series}})
    assert main_of(reading).path == ".data.result[].values[]"
    [fact] = [one for one in reading.facts if "in row" in one]  # and none of the times
    job = "result.metric.job {} · result.metric.host {}"  # not what all series have in common
    assert fact == (
        f'c2: least "{least}" in row 243 ({job.format("api", "h4")} · c1 {start + 120}), '
        f'greatest "87.25" in row 198 ({job.format("web", "h3")} · c1 {start + 17 * 60})'
    )


def test_very_many_numbers_in_texts_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "MOST_WRITTEN", 20)
    reading = reading_of([[n, f"{n}.5"] for n in range(30)])
    assert [one.partition(":")[0] for one in reading.facts] == ["c1"]


def test_of_numbers_that_are_one_as_floats_the_greatest_is_told() -> None:
    near = ["300000000000000.3", "300000000000000.31", "300000000000000.305"]
    assert len(set(map(float, near))) < 3
    reading = reading_of([["a", one] for one in near])
    assert reading.facts == (f'c2: least "{near[0]}" in row 1 (c1 a), greatest "{near[1]}" in row 2 (c1 a)',)


def test_rows_are_not_told_where_large_arrays_number_their_own() -> None:
    points = [[m, m + 0.5] for m in range(90_000)]
    data = {"series": [{"name": "a", "points": points}, {"name": "b", "points": points[::-1]}]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole, "LARGEST_RETAINED", 0)
        reading = reading_of(data)
    assert main_of(reading).path == ".series[].points[]"
    assert main_of(reading).count == 2 * len(points)
    assert not any("in row" in fact for fact in reading.facts)


def test_a_null_among_rows_counts_as_one() -> None:
    reading = reading_of([[1, 2], None, [3, 9], [0, 4]])
    assert main_of(reading).count == 4
    assert reading.facts == (
        "c1: least 0 in row 4, greatest 3 in row 3",
        "c2: least 2 in row 1 (c1 1), greatest 9 in row 3 (c1 3)",
    )


def test_rows_with_something_nested_have_no_columns_of_their_own() -> None:
    rows = [[n, {"a": n}] for n in range(9)]
    assert [one["value"] for one in rows_of(reading_of(rows))] == rows
    assert reading_of([[n, [n]] for n in range(9)]).form == "values"


def test_rows_of_different_lengths_have_no_columns_even_if_that_shows_late() -> None:
    rows = [[n, f"text {n}"] for n in range(150_000)]
    late: list[list[Any]] = [*rows, [1, 2, 3]]
    reading = reading_of(late)
    assert reading.form == "values"
    assert main_of(reading).count == len(late)
    assert reading.shape == "[[str|int]]"


def test_one_column_of_numbers_in_records_is_no_series() -> None:
    reading = reading_of([{"n": 1}, {"n": 5}])
    assert (reading.form, reading.words, reading.facts) == ("records", "2 records", ())


def test_names_beside_rows_of_a_large_document_are_those_of_their_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "LARGEST_RETAINED", 0)
    reading = reading_of({"columns": ["when", "much"], "rows": [[n, n * 2] for n in range(40)]})
    assert reading.form == "columnar"
    assert names_of(main_of(reading)) == ["when", "much"]


def series_of(columns: list[Any], width: int = 2) -> dict[str, Any]:
    """Series by host, each with the next of some columns."""
    values = [[n * 10**at for at in range(width)] for n in range(40)]
    each = [
        {"tags": {"host": f"h{n}"}, "note": f"n{n}", "columns": one, "values": values} for n, one in enumerate(columns)
    ]
    return {"results": [{"series": each}]}


def test_names_in_every_series_are_those_of_its_columns() -> None:
    reading = reading_of(series_of([["time", {"name": "usage"}]] * 9))
    assert reading.main is not None
    assert reading.cells is not None
    assert [one.name for one in reading.main.fields][-2:] == ["time", "usage"]
    assert reading.cells.rows([41], ["series.tags.host", "time", "usage"]) == [["h1", 1, 10]]
    assert any(line.startswith("usage: least 0 in row 1 (") for line in reading.facts)


@pytest.mark.parametrize(
    "columns",
    [
        [["time", "usage"], ["time", "load"]] * 4,
        [["time", "time"]] * 9,
        [["time", "series.note"]] * 9,
        [["time", 7]] * 9,
        [["time", "usage", "load"]] * 9,
        [["time", "usage"], None] * 4,
    ],
)
def test_names_that_differ_between_series_or_are_none_do_not_name_columns(columns: list[Any]) -> None:
    reading = reading_of(series_of(columns))
    assert reading.main is not None
    assert [one.name for one in reading.main.fields][-2:] == ["c1", "c2"]
