"""Rows that are arrays: their columns are named by the first row, by an array next to the rows, or by numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import whole
from tests.kit.forms.facts import check_rows, column_of, main_of, names_of, reading_of, rows_of
from tests.kit.strategies import clean_text

numbers = st.integers() | st.floats(-1e12, 1e12)


@given(st.lists(st.integers(0, 99), min_size=5, max_size=200))
def test_an_array_of_numbers_is_one_column(values: list[int]) -> None:
    for document, where in ((values, ""), ({"load": values}, " in .load")):
        reading = reading_of(document)
        assert (reading.form, reading.words, reading.facts) == ("values", f"{len(values)} values{where}", ())
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
    assert rows_of(reading)[45] == {"result.metric": "cpu2", "c1": 5, "c2": 205}


def test_points_of_series_are_rows_even_if_their_numbers_are_texts() -> None:
    series = [
        {
            "metric": {"job": ("api", "web")[n % 2], "host": f"h{n}", "code": "200", "zone": "a"},
            "values": [[1_772_300_000 + 60 * at, f"{at % 7}.5"] for at in range(60)],
        }
        for n in range(5)
    ]
    reading = reading_of({"status": "success", "data": {"resultType": "matrix", "result": series}})
    assert main_of(reading).path == ".data.result[].values[]"
    assert names_of(main_of(reading)) == ["result.metric.job", "result.metric.host", "c1", "c2"]
    assert column_of(main_of(reading), "c2").writes_numbers


def test_a_null_among_rows_counts_as_one() -> None:
    reading = reading_of([[1, 2], None, [3, 9], [0, 4]])
    assert main_of(reading).count == 4
    assert [one["c2"] for one in rows_of(reading)] == [2, None, 9, 4]


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


NAMES = ["Day", "Region", "Units"]
grid_rows = st.lists(
    st.tuples(st.dates().map(str), clean_text.filter(lambda text: text not in NAMES), st.integers() | st.none()),
    min_size=3,
    max_size=40,
).filter(lambda rows: any(row[2] is not None for row in rows))


@given(grid_rows)
def test_the_first_array_names_the_columns(rows: list[tuple[Any, ...]]) -> None:
    for document, where in (([NAMES, *rows], ""), ({"range": "A1:C9", "values": [NAMES, *rows]}, " in .values")):
        reading = reading_of(document)
        assert reading.form == "columnar"
        assert reading.words.endswith(f"{len(rows)} rows{where} (3 columns)")
        assert f"the first of the {len(rows) + 1} arrays names the columns" in reading.facts
        check_rows(reading, [dict(zip(NAMES, row, strict=True)) for row in rows])


@given(grid_rows, st.data())
def test_a_row_that_is_shorter_has_no_last_cells(rows: list[tuple[Any, ...]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(rows) - 1))
    rows = [(*row[:2], number) for number, row in enumerate(rows)]
    cut = [list(row) for row in rows]
    cut[at] = cut[at][:1]
    truth = [dict(zip(NAMES, row, strict=False)) for row in cut]
    check_rows(reading_of([NAMES, *cut]), [{name: one.get(name) for name in NAMES} for one in truth])


@pytest.mark.parametrize(
    "arrays",
    [
        [["a", "b"], *(["x", "y"],) * 5],  # texts below texts
        [["a", "a"], *([1, 2],) * 5],
        [["a", "A"], *([1, 2],) * 5],
        [["a", " "], *([1, 2],) * 5],
        [["a"], *([1],) * 5],
        [["a", 1], *([1, 2],) * 5],
        [["a", "b"], *([1, 2, 3],) * 5],
        [["a", "b"], *([1, [2]],) * 5],
        [["a", "b"], ["a", 2], *([1, 2],) * 5],
        [["a", "b"], [1, 2]],
        [["2026-01-01", "north"], *([f"2026-01-0{day}", "south"] for day in range(2, 9))],
        [["9.50", "x"], *([f"{day}.25", "y"] for day in range(2, 9))],
        [["a", "b"], *([None, "x"],) * 5],
        [["a", "b"], *({"a": 1},) * 5],
    ],
)
def test_what_may_be_a_row_is_no_header(arrays: list[Any]) -> None:
    main = main_of(reading_of(arrays))
    assert main.count == len(arrays)
    assert names_of(main) != arrays[0]


def test_a_large_grid_has_a_row_for_each_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "LARGEST_RETAINED", 100)
    assert main_of(reading_of([["a", "b"], *([1, 2],) * 50])).count == 51
