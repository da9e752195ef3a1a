"""The answer to a question in SQL says how many rows it has; and its columns, where no row has them."""

from __future__ import annotations

import json

from penstock.core.reading.query_text import MOST_COLUMNS, about_rows, rows_text


def test_rows_come_with_their_number_and_no_rows_with_their_columns() -> None:
    rows = [{"a": 1, "b": None}]
    assert json.loads(rows_text(rows, ["a", "b"])) == {"row_count": 1, "result": rows}
    assert json.loads(rows_text([], ["a", "b"])) == {"row_count": 0, "columns": ["a", "b"], "result": []}


def test_half_an_emoji_in_a_cell_is_an_escape() -> None:
    assert rows_text([{"a": "\ud83d"}], ["a"]) == rb'{"row_count":1,"result":[{"a":"\ud83d"}]}'


def test_very_many_columns_are_counted_and_long_names_are_cut() -> None:
    told = about_rows(0, ["n" * 90, *map(str, range(99))])["columns"]
    assert len(told) == MOST_COLUMNS + 1
    assert told[0] == "n" * 59 + "…"
    assert told[-1] == "+70 columns"
