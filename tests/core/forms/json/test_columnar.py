"""Arrays next to each other as the columns of a table."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.forms.facts import check_rows, reading_of
from tests.kit.strategies import clean_text

numbers = st.integers() | st.floats(-1e12, 1e12)


@given(
    st.integers(8, 40).flatmap(
        lambda size: st.fixed_dictionaries(
            {
                "time": st.lists(st.integers(), min_size=size, max_size=size),
                "value": st.lists(numbers, min_size=size, max_size=size),
                "zone": st.lists(clean_text, min_size=size, max_size=size),
            }
        )
    )
)
def test_arrays_of_one_length_side_by_side_are_columns(columns: dict[str, list[Any]]) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for data, path in ((columns, ""), ({"hourly": columns, "unit": "C"}, " in .hourly")):
        reading = reading_of(data)
        assert (reading.form, reading.words) == ("columnar", f"{len(rows)} rows{path} (3 columns)")
        check_rows(reading, rows)


@pytest.mark.parametrize(
    "data",
    [
        {"a": list(range(20)), "b": list(range(19))},  # of different lengths
        {"a": [1, 2], "b": [3, 4]},  # a few
        {"a": list(range(20)), "b": [*range(19), None]},  # with a gap
        {"a": list(range(9)), "b": list(range(9)), "text": "word " * 200},  # little of the document
        [{"a": list(range(20)), "b": list(range(20))}] * 3,  # several times
    ],
)
def test_other_arrays_are_not_columns(data: Any) -> None:
    assert reading_of(data).form != "columnar"
