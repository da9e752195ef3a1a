"""Grids: the first array names the columns where that is certain, and is a row like the others where it is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import whole
from tests.kit.forms.facts import check_rows, main_of, names_of, reading_of
from tests.kit.strategies import clean_text

NAMES = ["Day", "Region", "Units"]
rows_of_cells = st.lists(
    st.tuples(st.dates().map(str), clean_text.filter(lambda text: text not in NAMES), st.integers() | st.none()),
    min_size=3,
    max_size=40,
).filter(lambda rows: any(row[2] is not None for row in rows))


@given(rows_of_cells)
def test_the_first_array_names_the_columns(rows: list[tuple[Any, ...]]) -> None:
    for document, where in (([NAMES, *rows], ""), ({"range": "A1:C9", "values": [NAMES, *rows]}, " in .values")):
        reading = reading_of(document)
        assert reading.form == "columnar"
        assert reading.words.endswith(f"{len(rows)} rows{where} (3 columns)")
        assert f"the first of the {len(rows) + 1} arrays names the columns" in reading.facts
        check_rows(reading, [dict(zip(NAMES, row, strict=True)) for row in rows])


@given(rows_of_cells, st.data())
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
