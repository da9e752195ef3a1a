"""YAML, XML, HTML and Python literals: what is said of generated texts agrees with what their generators know."""

from __future__ import annotations

import random
from html import escape
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.facts.truth import assert_columns, assert_rows, assert_true, told_of

if TYPE_CHECKING:
    from collections.abc import Sequence

RANDOM = random.Random(13)
STATES = [RANDOM.choice(["open", "closed", "late"]) for _ in range(300)]
AMOUNTS = [RANDOM.randrange(10_000) for _ in range(300)]
NAMES = [f"name & <{n}>" for n in range(300)]
COLUMNS: dict[str, Sequence[Any]] = {"state": STATES, "amount": AMOUNTS, "name": NAMES}


def as_yaml() -> str:
    rows = zip(NAMES, STATES, AMOUNTS, strict=True)
    return "".join(f"---\nname: '{name}'\nstate: {state}\nin:\n  amount: {amount}\n" for name, state, amount in rows)


def as_xml() -> str:
    rows = zip(NAMES, STATES, AMOUNTS, strict=True)
    items = "".join(
        f'<bill state="{state}" amount="{amount}">\n<name>{escape(name)}</name></bill>\n'
        for name, state, amount in rows
    )
    return f'<?xml version="1.0"?>\n<bills>\n{items}</bills>\n'


def as_html() -> str:
    rows = zip(NAMES, STATES, AMOUNTS, strict=True)
    cells = "".join(
        f"<tr><td>{escape(name)}</td><td>{state}</td><td>{amount}</td></tr>\n" for name, state, amount in rows
    )
    head = "<!doctype html><html><head><title>Bills</title></head><body><h1>All bills</h1>"
    return f"{head}<table><tr><th>name</th><th>state</th><th>amount</th></tr>{cells}</table></body></html>"


def as_python() -> str:
    return repr(
        [{"name": name, "state": state, "amount": n} for name, state, n in zip(NAMES, STATES, AMOUNTS, strict=True)]
    )


LANGUAGES = [(as_yaml(), "yaml"), (as_xml(), "xml"), (as_html(), "html"), (as_python(), "python")]


@pytest.mark.parametrize(("text", "form"), LANGUAGES)
def test_rows_and_columns_are_those_that_were_written(text: str, form: str) -> None:
    judged = told_of(text)
    assert_true(judged)
    assert_rows(judged, 300, form)
    columns = {("in.amount" if form == "yaml" and name == "amount" else name): cells for name, cells in COLUMNS.items()}
    assert_columns(judged, columns)
