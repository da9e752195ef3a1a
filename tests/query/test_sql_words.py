"""A boolean column compared with the text 'true' is compared with the truth; no other text changes its meaning."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.errors import CallerError
from penstock.query.sandbox.sandbox import JobLimits
from penstock.query.sandbox.worker.sql_words import comparisons, name_of, words_of
from penstock.query.sql.query import run_sql
from tests.kit.held_results import held, held_value
from tests.query.test_sql import POOL, InProcess, rows

VALUE: list[dict[str, Any]] = [
    {"id": number, "ok": number < 3, "odd one": number == 4, "state": "true"} for number in range(5)
]


@pytest.mark.parametrize(
    "where",
    [
        *(
            "ok = 'true'",
            "ok == 'TRUE'",
            "'true' = ok",
            "i.ok = 'true'",
            "'true' = i.ok",
            "\"ok\"='true'",
            "[ok] = 'true'",
        ),
        *(
            "ok IS 'true'",
            "ok <> 'false'",
            "ok IS NOT 'false'",
            "ok IN ('true')",
            "NOT ok = 'false'",
            "ok NOT IN ('false')",
        ),
        *(
            "ok IN (5, 'true') AND state = 'true'",
            "ok",
            "ok = true",
            "ok = 1",
            "(ok = 'true' OR \"odd one\" = 'true') AND id < 4",
        ),
    ],
)
def test_a_boolean_column_matches_the_text_of_its_values(where: str) -> None:
    found = rows(f"SELECT id, ok, state FROM items i WHERE {where} ORDER BY id", VALUE)
    assert found == [{"id": number, "ok": True, "state": "true"} for number in range(3)]


@pytest.mark.parametrize(
    "sql",
    [
        *("state = 'true'", "x || ok = 'true'", "ok = 'true' || x", "ok LIKE 'true'", "'true'", "ok + 1 = 'true'"),
        *(
            "'a''true' = ok -- = 'true'",
            "f(ok, 'true')",
            "'true' = ok || x",
            "x || 'true' = ok",
            "ok = 'yes'",
            "/* ok = */ 'true'",
        ),
        "state IN ('true')",
    ],
)
def test_other_texts_are_compared_with_no_such_column(sql: str) -> None:
    found = [one for one in comparisons(words_of(sql)) if one.operator != "like" and name_of(one.column[-1]) == "ok"]
    assert [value.text for one in found for value in one.literals] == [
        text for text in ("'yes'", "'a''true'") if sql.startswith((text, f"ok = {text}"))
    ]


def test_the_words_of_a_query_are_all_of_it_but_blanks_and_comments() -> None:
    texts = [word.text for word in words_of("""SELECT "a""b", 'it''s', 1.5 -- no\nFROM /* no */ [t]""")]
    assert texts == ["SELECT", '"a""b"', ",", "'it''s'", ",", "1.5", "FROM", "[t]"]


def test_expressions_over_booleans_are_the_numbers_of_sqlite() -> None:
    assert rows("SELECT sum(ok) AS s, max(ok) AS m, ok = 'true' AS e FROM items WHERE id = 0", VALUE) == [
        {"s": 1, "m": 1, "e": 1}
    ]


def test_every_text_has_its_lines_beside_other_tables() -> None:
    text = "id,name\n" + "".join(f"{number},n{number}\n" for number in range(80))
    for value in (held(text), held_value({"path": "a.csv", "content": text})):
        found = run_sql(
            "SELECT l.n, l.text, i.name FROM lines l JOIN items i ON l.n = i.id WHERE n = 3", {"t": value}, POOL
        )
        assert found.lines == b'{"n":3,"text":"1,n1","name":"n3"}'
    plain = run_sql("SELECT n FROM lines WHERE text LIKE '%two%'", {"t": held("some one\nsome two\n")}, POOL)
    assert plain.lines == b'{"n":2}'


def test_results_with_several_tables_are_schemas() -> None:
    left, right = {"rows": [{"id": 1}] * 9, "notes": [{"v": "x"}]}, {"rows": [{"id": 2}] * 9, "notes": [{"v": "y"}]}
    sql = "SELECT a.id AS a, b.id AS b, m.v AS m, n.v AS n FROM a, b, a.notes m, b.notes n LIMIT 1"
    assert rows(sql, a=left, b=right) == [{"a": 1, "b": 2, "m": "x", "n": "y"}]
    assert rows("SELECT count(*) AS n FROM a.items, b.rows", a=left, b=right) == [{"n": 81}]
    assert rows("SELECT v FROM one.notes", one=left) == [{"v": "x"}]
    assert rows("SELECT max(rowid) AS n FROM a", a=left, b=right) == [{"n": 9}]
    with pytest.raises(CallerError, match=r"several results have a\.notes or b\.notes; write it with its result"):
        rows("SELECT * FROM notes", a=left, b=right)
    # A result may have the name of a table of another; its own name is its main table.
    assert rows("SELECT id FROM notes LIMIT 1", a=left, notes=right) == [{"id": 2}]
    assert rows("SELECT v FROM a.notes", a=left, notes=right) == [{"v": "x"}]


def test_an_answer_is_sent_as_far_as_it_has_room_and_counted_whole() -> None:
    pool = InProcess(limits=JobLimits(seconds=5, page=1_000))
    source = {"h": held_value([{"id": number, "pad": "x" * 80} for number in range(50)])}
    found = run_sql("SELECT * FROM items", source, pool)
    assert (found.count, found.sent) == (50, 10)
    assert [json.loads(row)["id"] for row in found.rows] == list(range(10))
    with pytest.raises(CallerError, match="first row of the answer has 2,008 bytes, more than 1,000"):
        run_sql("SELECT hex(zeroblob(1000)) AS a FROM items", source, pool)
