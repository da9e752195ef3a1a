"""A strategy orders the rows of a table by a field that they have, and leaves any other data alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.reading import order as ordering
from penstock.core.reading.order import SORTED_ITEMS, order_by

FINDINGS = [{"severity": ("low", "medium", "critical")[n % 3], "date": f"2026-01-{n + 1:02}"} for n in range(9)]


def order(data: Any, strategy: Any = "priority", field: str | None = None) -> list[int] | None:
    document = read(data if isinstance(data, str) else json.dumps(data))
    return order_by(document, read_form(document), strategy, field)


def test_rows_come_in_the_order_of_the_strategy() -> None:
    by_priority = order(FINDINGS)
    assert by_priority is not None
    assert [FINDINGS[at]["severity"] for at in by_priority] == ["critical"] * 3 + ["medium"] * 3 + ["low"] * 3
    assert order(FINDINGS, "newest") == list(range(8, -1, -1))
    assert order({"n": 1, "rows": FINDINGS}, "oldest") == list(range(9))
    assert order(FINDINGS, "priority", "severity") == by_priority


@pytest.mark.parametrize(
    "data",
    [
        "just some words\n" * 9,
        {f"key {n}": {"severity": "low", "n": n} for n in range(30)},
        [{"n": n} for n in range(9)],
        {"a": [{"severity": "low", "parts": [{"n": n, "m": 1} for n in range(9)]} for _ in range(9)]},
        {"name": "x"},
    ],
)
def test_what_has_nothing_to_order_by_keeps_its_order(data: Any) -> None:
    assert order(data) is None


def test_a_field_that_is_not_there_is_no_error() -> None:
    assert order(FINDINGS, "priority", "no_such_field") is None


def test_no_more_rows_are_ordered_than_any_preview_shows() -> None:
    many = [{"priority": n % 5} for n in range(3_000)]
    found = order(many)
    assert found is not None
    assert len(found) == SORTED_ITEMS


def test_of_something_huge_only_the_first_rows_are_ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "SORTED_BYTES", 2_000)
    rows = [{"id": n, "severity": "critical" if n == 70_007 else "low"} for n in range(100_000)]
    found = order(rows)
    assert found is not None
    assert 70_007 not in found
