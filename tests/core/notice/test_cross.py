"""Two columns together: the counts of each pair of values, and the sums of an amount by one of them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms import json_values
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.notice import cross
from penstock.core.notice.cross import column_facts, cross_of


def lines(rows: list[dict[str, Any]]) -> list[str]:
    return [text for _, text in cross_of(read_form(read(json.dumps(rows)))).lines]


def test_state_is_tabulated_by_the_most_even_category_and_the_amount_is_summed() -> None:
    rows = [
        {"id": n, "status": "open" if n % 3 else "done", "colour": "rgb"[n % 4 % 3], "flag": n == 7, "amount": n * 3}
        for n in range(1, 25)
    ]
    found = lines(rows)
    assert found == [
        "colour by status (open ×16 · done ×8): r ×12: 8 4 · g ×6: 4 2 · b ×6: 4 2",
        "sum of amount by status: open 576 · done 324",
    ]


def test_columns_of_the_table_have_no_line_of_their_own() -> None:
    rows = [{"id": n, "status": "ab"[n % 2], "colour": "rgb"[n % 3], "size": n * n} for n in range(24)]
    reading = read_form(read(json.dumps(rows)))
    assert reading.main is not None
    facts = column_facts(reading.main, cross_of(reading))
    assert [fact.text.partition(":")[0] for fact in facts] == ["size", "id"]


@pytest.mark.parametrize(
    ("absent", "name"),
    [([{"status": None}], "null"), ([{}], "missing"), ([{}, {"status": None}], "null or missing")],
)
def test_rows_without_a_value_are_a_group_that_says_why(absent: list[dict[str, Any]], name: str) -> None:
    states: list[dict[str, Any]] = [{"status": "a"}, {"status": "b"}]
    rows = [{"id": n, **[*states, absent[n // 3 % len(absent)]][n % 3], "colour": "rg"[n // 6 % 2]} for n in range(24)]
    assert lines(rows) == [f"status by colour (r ×12 · g ×12): a ×8: 4 4 · b ×8: 4 4 · {name} ×8: 4 4"]


def test_columns_that_say_the_same_are_not_tabulated() -> None:
    assert lines([{"id": n, "status": "ab"[n % 2], "colour": "rg"[n % 2]} for n in range(24)]) == []
    assert lines([{"id": n, "note": f"n {n}"} for n in range(24)]) == []
    assert lines([{"id": n, "status": "ab"[n % 2]} for n in range(24)]) == []


def test_table_and_sums_that_do_not_fit_a_line_are_left_out() -> None:
    wide = [
        {"id": n, "status": f"{'state ' * 6}{n % 9}", "type": f"{'type ' * 6}{n % 7}", "amount": n} for n in range(630)
    ]
    assert lines(wide) == []


def test_samples_and_very_long_tables_have_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": n, "status": "ab"[n % 2], "colour": "rgb"[n % 3]} for n in range(24)]
    monkeypatch.setattr(cross, "MAX_ROWS", 20)
    assert lines(rows) == []
    monkeypatch.setattr(cross, "MAX_ROWS", 50_000)
    monkeypatch.setattr(json_values, "MAX_EXACT", 100)
    assert lines(rows) == []


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 99)), min_size=8, max_size=40))
def test_every_count_and_sum_is_that_of_the_rows(cells: list[tuple[str, str, int]]) -> None:
    rows = [{"id": f"r {n}", "status": a, "kind": b, "amount": c * 2 + n % 2} for n, (a, b, c) in enumerate(cells)]
    pairs = Counter((row["status"], row["kind"]) for row in rows)
    for line in lines(rows):
        head, _, body = line.partition("): ")
        if line.startswith("sum of amount by "):
            for part in line.partition(": ")[2].split(" · "):
                value, _, total = part.partition(" ")
                assert int(total) == sum(c * 2 + n % 2 for n, (a, b, c) in enumerate(cells) if value in (a, b))
            continue
        outer, inner = head.partition(" (")[0].split(" by ")
        columns = [part.split(" ×")[0] for part in head.partition(" (")[2].split(" · ")]
        for part in body.split(" · "):
            value, _, numbers = part.partition(": ")
            name = value.split(" ×")[0]
            for column, number in zip(columns, numbers.split(" "), strict=True):
                pair = {outer: name, inner: column}
                assert int(number) == pairs[pair["status"], pair["kind"]]
