"""Where what is wrong comes from is told with exact counts, and only where something is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from penstock.core.answer.crossed import MOST_COUNTED, own_facts
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form


def crossed(rows: list[dict[str, Any]]) -> list[str]:
    reading = read_form(read(json.dumps(rows)))
    return [line for line in own_facts(reading) if line not in reading.facts]


def runs(number: int = 60, **other: Any) -> list[dict[str, Any]]:
    return [
        {
            "id": at,
            "name": ("lint", "build", "tests")[at % 3],
            "outcome": "failure" if at % 5 == 0 and at % 3 else "success",
            "attempt": at % 2,
            **other,
        }
        for at in range(number)
    ]


def test_failures_are_counted_by_what_failed() -> None:
    assert crossed(runs()) == ["outcome failure by name: tests ×4 · build ×4"]


def test_nothing_is_said_where_nothing_is_wrong_or_all_comes_from_one() -> None:
    assert crossed([{**row, "outcome": "success"} for row in runs()]) == []
    assert crossed([{**row, "name": "tests"} for row in runs()]) == []
    assert crossed([{**row, "name": "tests" if row["outcome"] == "failure" else row["name"]} for row in runs()]) == []


def test_the_worst_value_is_taken_and_absent_ones_are_left_out() -> None:
    rows = [
        {"id": at, "level": ("low", "high", "critical", "low")[at % 4], "team": ("a", "b", None)[at % 3]}
        for at in range(96)
    ]
    assert crossed(rows) == ["level critical by team: b ×8 · a ×8"] or crossed(rows) == [
        "level critical by team: a ×8 · b ×8"
    ]


def test_a_line_that_would_be_long_is_left_out() -> None:
    rows = [{**row, "name": f"{row['name']} {'x' * 30} {row['id'] % 6}"} for row in runs(240)]
    assert crossed(rows) == []


def test_nothing_is_counted_in_a_sample_or_in_very_many_rows() -> None:
    reading = read_form(read(json.dumps(runs())))
    assert reading.main is not None
    several = [replace(reading, exact=False), replace(reading, cells=None), replace(reading, tables=())]
    many = replace(reading.main, count=MOST_COUNTED + 1)
    for one in (*several, replace(reading, tables=(many,)), replace(reading, tables=(replace(many, exact=False),))):
        assert own_facts(one) == reading.facts


def test_a_log_and_cells_that_are_not_at_hand_say_nothing() -> None:
    class NoCells:
        numbers = range(0)

        def columns(self, names: Any) -> None:
            del names

        def rows(self, numbers: Any, names: Any) -> list[list[Any]]:
            raise AssertionError("no row is needed")

    for change in ({"form": "logs"}, {"cells": NoCells()}):
        reading = read_form(read(json.dumps(runs())))
        assert own_facts(replace(reading, **change)) == reading.facts


def test_a_word_that_says_that_something_is_wrong_in_a_status_says_nothing_in_a_rating() -> None:
    rows = [{"rating": "open" if n % 9 == 0 else "general", "genre": ("drama", "comedy")[n % 2]} for n in range(90)]
    assert crossed(rows) == []
    rows = [{"status": one["rating"], "genre": one["genre"]} for one in rows]
    assert crossed(rows) == ["status open by genre: drama ×5 · comedy ×5"]
