"""The query of a notice runs as it is written, on the real SQL engine, and uses the data's own names."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings

from penstock import Call, Config, Gate, open_store
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.notice.query import next_query
from tests.kit import hostile_names as hostile


def query_of(data: Any) -> str | None:
    return next_query(read_form(read(json.dumps(data))))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [{"id": n, "user": {"login": f"u{n % 60}"}, "cost": f"{n % 7}.50"} for n in range(200)],
            'SELECT "user.login", count(*) AS n, sum(number(cost)) AS total FROM items'
            " GROUP BY 1 ORDER BY n DESC LIMIT 100",
        ),
        (
            [{"id": n, "tags": ["a", "b", "c"][: n % 4]} for n in range(40)],
            "SELECT value, count(*) AS n FROM items, json_each(items.tags) GROUP BY 1 ORDER BY n DESC LIMIT 100",
        ),
        (
            [
                {
                    "id": n,
                    "state": "ab"[n % 2],
                    "lines": [{"sku": f"s{k}", "quantity": k * n} for k in range(1 + n % 4)],
                }
                for n in range(40)
            ],
            "SELECT c.sku, count(*) AS n, count(DISTINCT c._row) AS in_rows, sum(c.quantity) AS total"
            " FROM items_lines c GROUP BY 1 ORDER BY n DESC LIMIT 100",
        ),
        (
            [{"id": n, "state": "ab"[n % 2], "lines": [{"at": k, "cost": k * n} for k in range(3)]} for n in range(40)],
            "SELECT items.state, count(*) AS n, sum(c.cost) AS total FROM items"
            " JOIN items_lines c ON c._row = items.rowid GROUP BY 1 ORDER BY n DESC LIMIT 100",
        ),
        (
            [{"id": n, "lines": [{"at": 3 * n + k, "cost": 3 * n + k} for k in range(3)]} for n in range(40)],
            None,
        ),
        ([{"id": n, "pages": [n, n % 3]} for n in range(40)], None),
        (
            [
                {"id": n, "note": f"words {n} " * 9, "parts": [{"at": n}, {"at": 50 + n}], "tags": ["a", "b"][: n % 3]}
                for n in range(40)
            ],
            "SELECT value, count(*) AS n FROM items, json_each(items.tags) GROUP BY 1 ORDER BY n DESC LIMIT 100",
        ),
        (
            [{"id": n, "at": f"2026-{n % 9 + 1:02}-01T08:00:00Z", "ok": n % 2 == 0} for n in range(40)],
            "SELECT substr(at, 1, 7) AS month, ok, count(*) AS n FROM items GROUP BY 1, 2 ORDER BY 1 LIMIT 100",
        ),
        (
            [{"id": n, "at": 1_767_225_600_000 + n * 3_600_000} for n in range(40)],
            "SELECT substr(datetime(at / 1000, 'unixepoch'), 1, 13) AS hour, count(*) AS n FROM items"
            " GROUP BY 1 ORDER BY 1 LIMIT 100",
        ),
        (
            [{"id": n, "created": 1_767_225_600 + n * 3_600} for n in range(400)],
            "SELECT substr(datetime(created, 'unixepoch'), 1, 10) AS day, count(*) AS n FROM items"
            " GROUP BY 1 ORDER BY 1 LIMIT 100",
        ),
        ([{"id": n, "created": f"2026{n % 9 + 1:02}01T{n:02}0000Z"} for n in range(18)], None),
        ([{"id": n, "created": 1_767_225_600 + n} for n in range(4)], None),
        (
            [{"id": n, "path": f"src/f{n % 9}.py"} for n in range(40)],
            "SELECT path, count(*) AS n FROM items GROUP BY 1 ORDER BY n DESC LIMIT 100",
        ),
        (
            [{"id": n, "state": "ab"[n % 2], "colour": "rgb"[n % 3], "score": n * 0.5} for n in range(40)],
            "SELECT state, colour, count(*) AS n, avg(score) AS mean FROM items"
            " GROUP BY 1, 2 ORDER BY n DESC LIMIT 100",
        ),
        (
            [{"id": n, "city": f"c{n % 60}", "country": f"k{n % 60 % 3}"} for n in range(240)],
            "SELECT city, country, count(*) AS n FROM items GROUP BY 1, 2 ORDER BY n DESC LIMIT 100",
        ),
        (
            [{"id": n, "city": f"c{n % 61}", "kind": f"k{n % 5}"} for n in range(610)],
            "SELECT city, count(*) AS n FROM items GROUP BY 1 ORDER BY n DESC LIMIT 100",
        ),
        ([{"id": n, "title": f"t {n}"} for n in range(40)], None),
        ([{"a": 1}], None),
        ("text", None),
    ],
)
def test_query_asks_for_what_the_facts_leave_open(rows: Any, expected: str | None) -> None:
    assert query_of(rows) == expected


def test_query_with_characters_that_sql_refuses_is_not_offered() -> None:
    assert query_of([{"id": n, "sta\x00te": "ab"[n % 2]} for n in range(40)]) is None


@settings(max_examples=25, deadline=None)
@given(hostile.records)
def test_query_runs_as_it_is_written(rows: list[dict[str, Any]]) -> None:
    data = [{**row, "extra": "ab"[n % 2], "tags": ["x"] * (n % 3)} for n, row in enumerate(rows * 4)]
    sql = query_of(data)
    if sql is None:
        return
    raw = json.dumps({"content": [{"type": "text", "text": json.dumps(data)}]}).encode()
    with open_store("memory:") as store, closing(Gate(store, Config(always_hold=True))) as gate:
        notice = json.loads(json.loads(gate.admit(Call(tool="t", owner="o"), raw))["content"][0]["text"].split("\n")[0])
        answer = json.loads(gate.fetch("o", {"action": "sql", "cache_id": notice["cache_id"], "sql": sql}))
    assert not answer.get("isError"), (sql, answer)


def test_query_on_a_text_uses_the_columns_of_its_rows() -> None:
    text = "time,note\n" + "".join(f"2026-03-{n % 28 + 1:02} 08:00:00,words {n}\n" for n in range(200))
    assert next_query(read_form(read(text))) == (
        "SELECT substr(time, 1, 10) AS day, count(*) AS n FROM items GROUP BY 1 ORDER BY 1 LIMIT 100"
    )
