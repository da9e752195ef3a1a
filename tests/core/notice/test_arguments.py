"""An argument that names a value of a column is compared with the rows that came."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.budget import Budget
from penstock.core.fit import Call, Hold, fit
from penstock.core.forms import json_values
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.notice.arguments import unheeded_arguments

ROWS = [
    {"number": n, "state": "open" if n % 7 else "closed", "author": ["ada", "bob"][n % 2], "title": f"Title {n}"}
    for n in range(700)
]
LINE = "not only state=open, as the call asked: open ×600 · closed ×100"


def lines(arguments: dict[str, Any], rows: Any = ROWS) -> list[str]:
    main = read_form(read(json.dumps(rows))).main
    assert main is not None
    return [one.text for one in unheeded_arguments(arguments, main)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"state": "open"}, [LINE]),
        ({"state": "OPEN"}, [LINE]),
        ({"state": ["open"]}, [LINE]),
        ({"state": ["open", "closed"]}, []),
        ({"state": "all"}, []),
        ({"state": None, "author": {"name": "ada"}}, []),
        ({"states": "open"}, []),
        ({"number": 5, "title": "Title 5"}, []),
        ({"author": "ada"}, ["not only author=ada, as the call asked: ada ×350 · bob ×350"]),
        ({}, []),
    ],
)
def test_an_argument_is_named_if_other_values_came(arguments: dict[str, Any], expected: list[str]) -> None:
    assert lines(arguments) == expected


def test_an_argument_that_selected_the_rows_is_not_named() -> None:
    assert lines({"state": "open"}, [row for row in ROWS if row["state"] == "open"]) == []


def test_rows_without_a_value_have_no_other_value() -> None:
    rows = [row if row["number"] % 5 else {**row, "state": None} for row in ROWS if row["state"] == "open"]
    assert lines({"state": "open"}, rows) == []


def test_a_sample_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "MAX_EXACT", 100)
    assert lines({"state": "open"}) == []


def test_the_line_comes_first_and_replaces_the_fact_of_its_column() -> None:
    plan = fit(ROWS, Budget(max_tokens=2_000), Call(tool="list", arguments={"state": "open"}))
    assert isinstance(plan, Hold)
    text = plan.preview.text.splitlines()
    assert text[0] == LINE
    assert not any(line.startswith("state: ") for line in text)
