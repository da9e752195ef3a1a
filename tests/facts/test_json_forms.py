from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.kit.facts.made_json import JSON_FORMS, Made, phrase, series_with_a_spike, tickets
from tests.kit.facts.made_text import changes
from tests.kit.facts.truth import assert_columns, assert_rows, assert_true, told_of

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("seed", [11, 29])
@pytest.mark.parametrize("make", JSON_FORMS, ids=lambda make: make.__name__)
def test_every_statement_about_json_agrees_with_the_data(make: Callable[[int], Made], seed: int) -> None:
    made = make(seed)
    judged = told_of(made.text)
    assert_true(judged)
    assert_rows(judged, made.count, made.form)
    assert_columns(judged, made.columns)


def test_the_row_of_a_spike_is_told() -> None:
    made = series_with_a_spike(3)
    row = made.columns["value"].index(987.65) + 1
    preview = str(told_of(made.text).preview)
    assert "value: 10.0 to 987.65" in preview
    assert str(row) in preview.partition("sample row")[2].partition(":")[0]


def test_an_object_tells_how_much_is_in_each_field() -> None:
    random = Random(5)
    parts = {
        f"part_{at}": {phrase(random, 2).replace(" ", "_"): phrase(random) for _ in range(at + 2)} for at in range(20)
    }
    parts["notes"] = {"text": phrase(random, 2_000)}
    judged = told_of(json.dumps({"name": "all", "count": 3, **parts}))
    assert_true(judged)
    assert judged.form == "object"
    assert "count: 3" in judged.info["facts"]


def test_a_diff_in_a_string_is_told_as_a_diff() -> None:
    made = changes(7)
    judged = told_of(json.dumps({"number": 118, "title": "Faster", "patch": made.text}))
    assert_true(judged)
    assert_rows(judged, made.count, "diff")
    assert_columns(judged, made.columns, loose=True)
    assert judged.info["what"].endswith(", in .patch")


def test_many_blocks_of_records_are_one_table() -> None:
    rows = tickets(9)
    judged = told_of([json.dumps(row) for row in rows])
    assert_true(judged)
    assert judged.notice["metadata"]["item_count"] == len(rows)


def test_facts_of_the_preview_are_facts_of_info() -> None:
    judged = told_of(json.dumps(tickets(2)))
    said = set(judged.info["facts"])
    lines = judged.preview.split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("sample row"))
    told = [line for line in lines[:at] if not line.startswith("+")]
    assert told
    assert set(told) <= said
