"""First drafts of queries: what Penstock reads in them is right, and what cannot match comes with the way that does."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.query.sandbox.worker.sql_functions import number, unit
from penstock.query.sql.query import run_sql
from tests.kit.held_results import held_value
from tests.query.test_sql import POOL, rows

ROWS: Final[list[dict[str, Any]]] = [
    {
        "id": n,
        "price": f"${n * 10 + 9.99:.2f}",
        "value": str(n * 20),
        "rating": 4.0 + n / 10,
        "type": ["Fire", "Ice"] if n % 2 else ["Water"],
        "state": ["OPEN", "CLOSED"][n % 2],
        "date": f"2019-03-{n % 28 + 1:02d}T00:00:00",
        "epoch": 1_700_000_000 + n * 86_400,
        "user": {"login": f"u{n % 3}"},
        "x": "2019-05-01",
        "ok": n % 2 == 0,
    }
    for n in range(1, 21)
]
COMPARE: Final = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt, "<>": ne}
# The drafts of the page about queries, by the words of the page.
PROBES: Final = {
    "state = 'open'": "SELECT count(*) FROM items WHERE state = 'open'",
    "type = 'Fire'": "SELECT count(*) FROM items WHERE type = 'Fire'",
    "date = '2019-03-20'": "SELECT count(*) FROM items WHERE date = '2019-03-20'",
    "date <= '2019-03-20'": "SELECT count(*) FROM items WHERE date <= '2019-03-20'",
    "avg(price)": "SELECT avg(price) FROM items",
    "price > 60": "SELECT count(*) FROM items WHERE price > 60",
    "epoch > '2023-11-20'": "SELECT count(*) FROM items WHERE epoch > '2023-11-20'",
    "strftime('%Y', x) = 2019": "SELECT count(*) FROM items WHERE strftime('%Y', x) = 2019",
    "ORDER BY n DESC LIMIT 1": "SELECT user.login, count(*) AS n FROM items GROUP BY 1 ORDER BY n DESC LIMIT 1",
}


def notes_of(sql: str, value: Any = None) -> tuple[str, ...]:
    return run_sql(sql, {"held": held_value(ROWS if value is None else value)}, POOL).notes


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ("value > 60", 17),
        ("value BETWEEN 60 AND 100", 3),
        ("coalesce(value, 0) > 60", 17),
        ("id = '1'", 1),
        ("id IN ('1', '2')", 2),
        ("rating >= '4.5'", 16),
        ("ok = 'true'", 10),
        ("user.login = 'u1'", 7),
        ("login = 'u1'", 7),
        ("items.user.login = 'u1'", 7),
        ('state = "OPEN"', 10),
        ("state ILIKE 'op%'", 10),
        ("state REGEXP '^OP'", 10),
        ("number(price) > 60", 15),
        ("date_trunc('month', date) = '2019-03-01'", 20),
    ],
)
def test_query_is_read_as_it_was_meant(where: str, count: int) -> None:
    assert rows(f"SELECT count(*) AS n FROM items WHERE {where}", ROWS) == [{"n": count}]


@pytest.mark.parametrize(
    ("sql", "note"),
    [
        ("SELECT sum(state = 'open') FROM items", "state = 'OPEN' matches 10 rows"),
        ("SELECT id FROM items WHERE state NOT IN ('open', 'CLOSED')", "state = 'OPEN' matches 10 rows"),
        ("SELECT id FROM items WHERE 'open' = state", "state = 'OPEN' matches 10 rows"),
        ("SELECT id FROM items WHERE state = 'OPN'", "nearest: 'OPEN'"),
        ("SELECT id FROM items WHERE id = 99", "it holds numbers from 1 to 20"),
        ("SELECT id FROM items WHERE price = 19.99", "number(price) = 19.99 matches 1 row"),
        ("SELECT id FROM items WHERE state = NULL", "a comparison with NULL is never true: state IS NULL"),
        ("SELECT max(price) FROM items", "number(price) sorts by value"),
        ("SELECT id FROM items ORDER BY price", "number(price) sorts by value"),
        ("SELECT CAST(price AS REAL) FROM items", "number(price) reads them"),
        ("SELECT sum(price * 2) FROM items", "number(price) reads them"),
        ("SELECT date(epoch) FROM items", "date(epoch, 'unixepoch')"),
        ("SELECT user ->> 'lgin' FROM items", "no row of items has lgin in user; its keys: login"),
        ("SELECT id FROM items WHERE login = 'U1'", "\"user.login\" = 'u1' matches 7 rows"),
    ],
)
def test_what_cannot_match_is_said_with_the_expression_that_does(sql: str, note: str) -> None:
    assert note in "; ".join(notes_of(sql))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM items WHERE state = 'OPEN' AND id > 3",
        "SELECT state, avg(number(price)) FROM items GROUP BY 1",
        "SELECT id FROM items WHERE date >= '2019-03-05' ORDER BY date LIMIT 3",
        "SELECT id FROM items ORDER BY rating DESC LIMIT 3",
        "SELECT lower(state) AS state FROM items WHERE state LIKE 'o%'",
        "SELECT s FROM (SELECT lower(state) AS s FROM items) WHERE s = 'open'",
        "SELECT value, max(value) FROM items",
        "SELECT id FROM items WHERE id = 0x1F",
    ],
)
def test_query_that_does_what_it_says_has_no_note(sql: str) -> None:
    assert notes_of(sql) == ()


def test_numbers_in_texts_come_back_as_they_were_written() -> None:
    value = [{"price": f"{n}.50", "id": str(n), "zip": f"0{n}", "version": v} for n, v in ((7, "1.1"), (12, "1.10"))]
    assert rows("SELECT * FROM items ORDER BY price DESC", value) == value[::-1]
    assert rows("SELECT max(id) AS i, sum(price) AS p, count(DISTINCT version) AS v FROM items", value) == [
        {"i": 12, "p": 20.0, "v": 2}
    ]


def test_types_that_change_between_batches_lose_nothing() -> None:
    value = [{"v": 1}] * 3 + [{"v": "007"}] * 3 + [{"v": 2.5}] * 3
    assert [row["v"] for row in rows("SELECT v FROM items", value)] == [row["v"] for row in value]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.decimals(-(10**6), 10**6, places=2), min_size=1, max_size=12),
    st.decimals(-(10**6), 10**6, places=2),
    st.sampled_from(["<", "<=", "=", ">=", ">", "<>"]),
)
def test_numbers_in_texts_compare_as_python_compares_them(values: list[Decimal], bound: Decimal, operator: str) -> None:
    texts = [f"{value + 0:.2f}" for value in values]
    expected = [text for text in texts if COMPARE[operator](Decimal(text), bound)]
    for right in (f"'{bound}'", f"{bound:f}"):
        found = rows(f"SELECT v FROM items WHERE v {operator} {right} ORDER BY rowid", [{"v": text} for text in texts])
        assert [row["v"] for row in found] == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=8), st.integers(-(2**70), 2**70))
@example([2**63, 1], 2**63)
def test_integers_of_any_size_compare_exactly(values: list[int], bound: int) -> None:
    found = rows(f"SELECT v FROM items WHERE v > '{bound}' ORDER BY rowid", [{"v": value} for value in values])
    is_wide = any(not -(2**63) <= value < 2**63 for value in values)
    if is_wide or -(2**63) <= bound < 2**63:
        assert [row["v"] for row in found] == [value for value in values if value > bound]


@settings(max_examples=80, deadline=None)
@given(st.decimals(0, 10**9, places=2), st.sampled_from(["$", "€", "USD ", "£", ""]), st.booleans())
def test_amounts_are_read_as_they_were_written(amount: Decimal, sign: str, is_negative: bool) -> None:
    text = f"{'-' if is_negative else ''}{sign}{amount:,.2f}"
    assert number(text) == pytest.approx(float(-amount if is_negative else amount))
    european = f"{amount:,.2f} €".replace(",", " ").replace(".", ",")
    assert number(european) == pytest.approx(float(amount))


@pytest.mark.parametrize(
    ("text", "value", "left"),
    [
        *(("$99.99", 99.99, "$"), ("1,234", 1234, ""), ("1.234,50 €", 1234.5, "€"), ("12,5 %", 12.5, "%")),
        *(("(1,200.00)", -1200, ""), ("5 GB", 5, "GB"), ("-3.2e3", -3200, ""), ("US$ 7", 7, "US$"), (".5", 0.5, "")),
        *(("N/A", None, None), ("2019-03-20", None, None), ("1.2.3", None, None), ("10:30", None, None)),
        *(("ABC-123", None, None), ("", None, None), ("12 34", None, None), (None, None, None), (7, 7, None)),
    ],
)
def test_number_and_unit_of_a_text(text: Any, value: float | None, left: str | None) -> None:
    assert number(text) == value
    assert unit(text) == left


def test_units_that_differ_are_named() -> None:
    value = [{"size": f"{n} {'MB' if n % 2 else 'GB'}"} for n in range(9)]
    [note] = notes_of("SELECT max(number(size)) FROM items", value)
    assert re.search(r"leaves out the units, which differ: GB ×5 · MB ×4; unit\(size\)", note)


def test_notes_are_few_and_short() -> None:
    value = [{f"k{n}": "A" * 500 for n in range(20)}]
    notes = notes_of("SELECT 1 FROM items WHERE " + " AND ".join(f"k{n} = 'a'" for n in range(20)), value)
    assert len(notes) <= 3
    assert len(json.dumps(notes)) < 3_000
