"""A question in SQL runs as it is written, and its answer, made from the cells at hand, is the one that SQL gives."""

from __future__ import annotations

import json
import sqlite3
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.answer.suggestions.queries import (
    MOST_GROUPS,
    MOST_ROWS,
    TOP,
    Query,
    counted_rows,
    counting,
    queries,
)
from penstock.core.forms.document import read
from penstock.core.forms.reading import Reading
from penstock.core.forms.recognise import read_form


def reading_of(data: Any) -> Reading:
    return read_form(read(data if isinstance(data, str) else json.dumps(data)))


def database(reading: Reading) -> sqlite3.Connection:
    """The main table in SQLite."""
    assert reading.main is not None
    assert reading.cells is not None
    names = [field.name for field in reading.main.fields]
    cells = reading.cells.columns(names)
    assert cells is not None
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    connection.execute(f"CREATE TABLE items ({columns})")
    rows = [
        [json.dumps(cell) if isinstance(cell, list | dict) else cell for cell in row]
        for row in zip(*(cells[name] for name in names), strict=True)
    ]
    connection.executemany(f"INSERT INTO items VALUES ({', '.join('?' * len(names))})", rows)
    return connection


def both(reading: Reading, query: Query) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The answer of the query, and the answer of SQLite."""
    assert reading.main is not None
    assert reading.cells is not None
    found = reading.cells.columns(list(dict.fromkeys(query.needed))) or {}
    own = query.answer(reading.cells, found, reading.main.count)
    connection = database(reading)
    theirs = [dict(row) for row in connection.execute(query.sql)]
    connection.close()
    return own, theirs


def in_order(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(
        json.dumps({key: round(one, 6) if isinstance(one, float) else one for key, one in row.items()}) for row in rows
    )


words = st.sampled_from(["open", "closed", "o'brien", 'say "x"', "failed", "é", "select", ""])
rows_of_tickets = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(0, 10**6), "status": words, "size": st.integers(-99, 999)},
        optional={
            "user.group name": st.sampled_from(["a", "b", "c"]) | st.none(),
            "cost": st.floats(0, 1e6) | st.none(),
            "at": st.dates(date(2000, 1, 1), date(2049, 12, 31)).map(lambda day: f"{day}T10:00:00Z"),
            "ok": st.booleans(),
            "note": st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=300),
            "mixed": st.sampled_from([1, "a", [1], {"b": 2}]),
        },
    ),
    min_size=4,
    max_size=25,
).map(lambda rows: rows * 4)


@settings(max_examples=80, deadline=None)
@given(rows_of_tickets)
def test_the_answer_to_every_question_is_the_one_that_sql_gives(rows: list[dict[str, Any]]) -> None:
    reading = reading_of(rows)
    for query in queries(reading):
        own, theirs = both(reading, query)
        assert len(own) == len(theirs)
        if query.order is not None:
            assert [row[query.order] for row in own] == [row[query.order] for row in theirs]
        elif not query.group or len(own) < MOST_GROUPS:
            plain = [
                {key: one if not isinstance(one, list | dict) else json.dumps(one) for key, one in row.items()}
                for row in own
            ]
            truths = [{key: int(one) if isinstance(one, bool) else one for key, one in row.items()} for row in plain]
            assert in_order(truths) == in_order(theirs)


TICKETS = [
    {
        "id": n,
        "status": ("open", "pending", "solved")[n % 3],
        "priority": "urgent" if n % 40 == 0 else ("low", "high")[n % 2],
        "cost": n * 1.5,
        "created_at": f"2026-01-{1 + n % 28:02}T00:00:00Z",
        "subject": f"subject {n}",
    }
    for n in range(200)
]


def test_the_questions_to_a_table_are_by_its_alarms_its_columns_its_extremes_and_its_rows() -> None:
    made = [(query.why, query.sql) for query in queries(reading_of(TICKETS))]
    assert made[0][0] == "the 5 with priority urgent"
    assert made[0][1].startswith("SELECT id, status, ")
    assert made[0][1].endswith(" FROM items WHERE priority = 'urgent' LIMIT 20")
    assert made[1][0] == "the 10 with the greatest cost"
    assert made[1][1].startswith("SELECT cost, id, ")
    assert made[1][1].endswith(" FROM items ORDER BY cost DESC LIMIT 10")
    assert made[2] == (
        "how many by status and priority",
        "SELECT status, priority, count(*) AS n FROM items GROUP BY 1, 2 ORDER BY n DESC",
    )
    assert made[3][0] == "the 10 with the latest created_at"
    assert made[4] == (
        "the first 20 rows in few columns",
        "SELECT id, status, priority, cost, created_at, subject FROM items LIMIT 20",
    )


def test_few_rows_are_all_listed() -> None:
    reading = reading_of([{"name": f"dashboard {n}"} for n in range(33)])
    *_, every, first, _ = queries(reading)
    assert (every.why, every.sql) == ("all rows in few columns", "SELECT name FROM items")
    assert reading.cells is not None
    assert len(every.answer(reading.cells, {}, 33)) == 33
    assert first.sql.endswith("LIMIT 20")


def test_yes_and_no_do_not_divide_what_is_added_up() -> None:
    rows = [{"subject": f"s {n}", "merge": n % 3 == 0, "files": n * 7919 % 1000} for n in range(100)]
    assert next(queries(reading_of(rows))).why == "the 10 with the greatest files"


def test_one_dividing_column_is_counted_with_the_sum_of_a_number() -> None:
    rows: list[dict[str, Any]] = [{"kind": "ab"[n % 4 == 0], "bytes": n if n % 5 else None} for n in range(100)]
    query = next(queries(reading_of(rows)))
    assert query.sql == ("SELECT kind, count(*) AS n, sum(bytes) AS total FROM items GROUP BY 1 ORDER BY n DESC")
    own, theirs = both(reading_of(rows), query)
    assert own == theirs
    assert own[0] == {"kind": "a", "n": 75, "total": sum(row["bytes"] or 0 for row in rows if row["kind"] == "a")}


def test_a_number_is_not_summed_by_itself() -> None:
    rows = [{"size": n % 4, "text": f"x {n}"} for n in range(100)]
    assert all("sum(" not in query.sql for query in queries(reading_of(rows)))


def test_many_rows_with_an_alarm_are_told_to_be_the_first_of_them() -> None:
    rows = [{"id": n, "level": "error" if n % 2 else "info"} for n in range(100)]
    [query] = [one for one in queries(reading_of(rows)) if one.where is not None]
    assert query.why == f"the first {MOST_ROWS} of 50 with level error"
    assert len(both(reading_of(rows), query)[0]) == MOST_ROWS


def test_the_worst_of_many_rows_with_an_alarm_come_first() -> None:
    levels = ["ERROR"] * 60 + ["WARN"] * 40 + ["INFO"] * 200
    rows = [{"level": level, "text": f"text {n}"} for n, level in enumerate(levels)]
    [query] = [one for one in queries(reading_of(rows)) if one.where is not None]
    assert query.why == f"the first {MOST_ROWS} of 60 with level ERROR"


def test_where_a_row_has_only_the_column_asked_by_nothing_is_listed() -> None:
    rows = [{"level": "error" if n % 2 else "info"} for n in range(100)]
    assert [one for one in queries(reading_of(rows)) if one.where is not None] == []


def test_values_that_repeat_are_counted_and_values_that_do_not_are_listed() -> None:
    words = [f"word {n % 90}" for n in range(300)]
    first = next(queries(reading_of(words)))
    assert first.why == "the commonest of 300 values"
    assert first.sql == "SELECT value, count(*) AS n FROM items GROUP BY 1 ORDER BY n DESC LIMIT 40"
    others = list(queries(reading_of([f"word {n}" for n in range(300)])))
    assert [one.sql for one in others] == [f"SELECT value FROM items LIMIT {most}" for most in (MOST_ROWS, 5)]


def test_a_table_of_which_no_column_is_shown_has_no_questions() -> None:
    rows = [{"deep": [{"a": [{"b": 1}] * 9}] * 9} for _ in range(9)]
    same = reading_of([{"same": "x", "always": 1} for _ in range(9)])
    assert list(queries(same)) == []
    assert all(query.columns for query in queries(reading_of(rows)))


def test_without_a_table_or_rows_there_are_no_questions() -> None:
    assert list(queries(Reading(form="text", words="", shape=""))) == []
    assert list(queries(reading_of("[]"))) == []


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2.5, [1], {"a": 1}],
        ["a", "b", ["c"]],
        ["2026-01-01", "2026-01-02", ["x"]],
        [True, 1, "x", None],
        [1e308, 9e307],
    ],
)
@pytest.mark.parametrize("keyed", [True, False])
def test_cells_of_several_kinds_break_no_question(cells: list[Any], *, keyed: bool) -> None:
    rows = [{"cell": cells[n % len(cells)], "id": n} if keyed else cells[n % len(cells)] for n in range(60)]
    reading = reading_of(rows)
    assert list(queries(reading))
    for query in queries(reading):
        own, theirs = both(reading, query)
        assert len(own) == len(theirs)


def test_a_sum_that_sql_cannot_hold_is_not_asked_for() -> None:
    rows = [{"kind": "ab"[n % 4 == 0], "amount": 2**62 + n} for n in range(100)]
    assert all("sum(" not in query.sql for query in queries(reading_of(rows)))
    floats = [{"kind": "ab"[n % 4 == 0], "amount": 1e308 - n * 1e305} for n in range(100)]
    assert all("sum(" not in query.sql for query in queries(reading_of(floats)))


def test_the_facts_of_a_column_answer_how_many_have_which_value() -> None:
    rows = [{"kind": "ab"[n % 4 == 0] if n % 10 else None, "text": f"x {n}"} for n in range(100)]
    reading = reading_of(rows)
    assert reading.main is not None
    [query] = counting(reading.main)
    assert query.why == "how many by kind"
    answer = counted_rows(query, reading.main)
    assert answer == [{"kind": "a", "n": 70}, {"kind": "b", "n": 20}, {"kind": None, "n": 10}]
    assert in_order(answer) == in_order(both(reading, query)[1])
    assert counted_rows(Query(why="", group=("gone",)), reading.main) == []
    single = reading_of([f"word {n % 90}" for n in range(300)])
    assert single.main is not None
    assert [one.group for one in counting(single.main)] == [("value",)]
    mixed = reading_of(["a", ["b"]] * 9)
    assert mixed.main is not None
    assert list(counting(mixed.main)) == []


def test_the_most_rows_with_the_greatest_number_are_ten() -> None:
    rows = [{"name": f"n {n}", "size": n % 50} for n in range(200)]
    [query] = [one for one in queries(reading_of(rows)) if one.order is not None]
    assert query.why == "the 10 with the greatest size"
    own, theirs = both(reading_of(rows), query)
    assert len(own) == TOP
    assert [row["size"] for row in own] == [row["size"] for row in theirs]


def test_the_text_that_says_what_a_row_is_about_is_listed_whatever_its_place() -> None:
    short = ("id", "name", "level", "kind", "time", "user")
    rows = [
        {**{one: f"{one[0]}{n}" for one in short}, "level": "error" if n < 5 else "info", "message": f"{n} words " * 5}
        for n in range(40)
    ]
    listing = [query.columns for query in queries(reading_of(rows)) if query.columns]
    assert listing
    assert all("message" in columns for columns in listing)


def test_the_depth_of_a_node_is_no_amount_to_add_up() -> None:
    tree = {"name": "root", "on": True, "children": [{"name": f"n{n}", "on": n % 3 == 0} for n in range(40)]}
    found = list(queries(reading_of(tree)))
    assert found
    assert all(query.total is None and query.order is None for query in found)


def test_a_column_that_says_the_same_as_another_is_not_counted_with_it() -> None:
    rows = [{"code": f"C{n % 3}", "name": f"name {n % 3}", "team": f"t{n % 4}"} for n in range(36)] * 2 + [
        {"code": "C0", "name": "name 0", "team": "t1"}
    ]
    query = next(queries(reading_of(rows)))
    assert query.why == "how many by code and team"


def test_amounts_that_people_ask_for_come_before_counts_and_other_amounts_behind() -> None:
    rows = [{"country": f"c{n % 60}", "dst": "ABC"[n % 3], "zone": f"z{n % 5}", "size": n} for n in range(600)]
    why = [query.why for query in queries(reading_of(rows))]
    assert why[0] == "the 10 with the greatest size"
    assert "which country has most, and the sum of size" in why
    other = [{**{key: value for key, value in row.items() if key != "size"}, "wind": row["size"]} for row in rows]
    why = [query.why for query in queries(reading_of(other))]
    assert why.index("how many by dst and zone") < why.index("the 10 with the greatest wind")


def test_the_latest_of_many_rows_with_a_value_are_listed_with_long_texts_cut() -> None:
    rows = [
        {
            "at": f"2026-02-{1 + n * 7 % 28:02}T{n % 24:02}:00:00Z",
            "level": "error" if n % 3 == 0 else "info",
            "n": f"#{n}",
        }
        for n in range(90)
    ]
    reading = reading_of([{**row, "message": f"{row['n']} " + "é words " * 60} for row in rows])
    query = next(queries(reading))
    assert query.why == "the latest 20 of 30 with level error"
    assert "substr(message, 1, 160) AS message" in query.sql
    own, theirs = both(reading, query)
    assert own == theirs
    assert len(own) == MOST_ROWS


def test_what_few_rows_have_is_listed_and_the_roles_of_a_page_are_those_that_are_looked_for() -> None:
    rows = [{"name": f"n{n}", "phase": "odd" if n % 50 == 7 else "ab"[n % 2]} for n in range(100)]
    assert next(queries(reading_of(rows))).why == "the 2 with phase odd"
    page = "- main [ref=e0]:\n" + "".join(f'  - button "Save {n}" [ref=e{n}]\n' for n in range(1, 40))
    assert next(queries(reading_of(page))).why == "the first 20 of 39 with role button"


def test_of_one_column_that_divides_the_rows_with_its_rarest_value_are_listed() -> None:
    rows = [{"land": f"land {n}", "faith": "x" if n == 7 else "ab"[n % 2]} for n in range(50)]
    assert next(queries(reading_of(rows))).why == "the one with faith x"


def test_a_group_without_a_number_has_no_sum() -> None:
    rows = [{"kind": "ab"[n % 2], "cost": n + 0.5 if n % 2 else None, "part": n % 2} for n in range(40)]
    rows += [{"kind": "a", "cost": 0.0, "part": 0}] * 60
    query = next(one for one in queries(reading_of(rows)) if one.total == "cost")
    own, theirs = both(reading_of(rows), query)
    assert in_order(own) == in_order(theirs)


def test_of_one_row_with_a_long_text_the_beginning_of_it_is_listed() -> None:
    text = "some words é " * 900
    reading = reading_of([{"level": 0, "text": text}])
    query = next(queries(reading))
    assert query.why == "the beginning of text"
    own, theirs = both(reading, query)
    assert own == theirs
    assert own[0]["text"] == text[:4_000]


def test_what_several_rows_share_is_not_asked_by_what_it_has_itself() -> None:
    rows = [
        {
            "title": f"issue {n}",
            "comments": n % 20 and 1,
            "milestone": {"title": f"v{n % 7}", "closed": n and n % 3 + 4},
        }
        for n in range(42)
    ]
    assert next(one.why for one in queries(reading_of(rows))) == "the 3 with comments 0"


def test_rows_with_an_error_are_listed_with_it() -> None:
    rows: list[dict[str, Any]] = [{"time": f"2026-01-{n % 28 + 1:02}", "event": f"e{n}", "n": 1} for n in range(60)]
    for number in range(0, 60, 4):
        rows[number] |= {"errorCode": f"E{number % 3}"}
    reading = reading_of(rows)
    first = next(queries(reading))
    assert first.why == "the 15 with errorCode"
    assert first.sql == "SELECT errorCode, time, event FROM items WHERE errorCode IS NOT NULL LIMIT 20"
    own, theirs = both(reading, first)
    assert own == theirs
    assert len(own) == 15
    without = [{**row, "errorCode": row.get("errorCode", "")} for row in rows]
    assert not any(one.why.endswith("with errorCode") for one in queries(reading_of(without)))


def test_the_sections_of_a_page_are_not_counted_by_their_level() -> None:
    data = {"sections": [{"level": 1 + n % 3, "heading": f"h {n}", "text": "word " * 90} for n in range(60)]}
    assert next(queries(reading_of(data))).why == "the first 20 rows in few columns"


def test_groups_are_cut_where_the_next_one_has_fewer_rows() -> None:
    query = Query(why="which has most", group=("a",), most=3)
    rows = [{"a": "x", "n": 9}, {"a": "y", "n": 4}, {"a": "z", "n": 2}, {"a": "b", "n": 2}]
    fewer, kept = query.of_whole_ranks(rows)
    assert (fewer.most, kept) == (2, rows[:2])
    assert fewer.sql.endswith("LIMIT 2")
    assert query.of_whole_ranks(rows[:3]) == (query, rows[:3])
    assert query.of_whole_ranks([{"a": value, "n": 1} for value in "abcd"])[1] == []
    listing = Query(why="rows", columns=("a",), most=2)
    assert listing.of_whole_ranks([{"a": value} for value in "abcd"])[0] == listing


def test_amounts_in_texts_are_ordered_and_added_up_as_numbers() -> None:
    prices = [f"{(n * 37) % 101}.{n % 10}0" for n in range(60)]
    rows = [{"item": f"i{n}", "price": price, "shop": f"s{n % 3}"} for n, price in enumerate(prices)]
    for more in ({}, {"price": None}):  # absent in one row
        [*some, last] = rows
        reading = reading_of([*some, last | more])
        made = list(queries(reading))
        greatest = next(one for one in made if "greatest" in one.why)
        summing = next(one for one in made if one.total == "price")
        assert "ORDER BY CAST(price AS REAL) DESC" in greatest.sql
        own, theirs = both(reading, greatest)
        assert own == theirs
        assert [float(one["price"]) for one in own] == sorted(map(float, prices[: 59 + (not more)]), reverse=True)[:TOP]
        own, theirs = both(reading, summing)
        assert in_order(own) == in_order(theirs)
        assert sum(one["total"] for one in own) == pytest.approx(sum(map(float, prices[: 59 + (not more)])))


@pytest.mark.parametrize("name", ["subject", "key", "page", "orderNo.$numberLong", "added_in"])
def test_texts_that_number_or_name_rows_are_no_amounts(name: str) -> None:
    rows = [{name: str(n if name == "subject" else n % 30), "text": f"t{n}"} for n in range(300)]
    assert not any("greatest" in one.why or one.total for one in queries(reading_of(rows)))


def test_what_is_added_up_of_others_is_asked_for_before_its_parts() -> None:
    rows = [{"name": f"n{n}", "price": n * 7 % 50, "units": n % 9, "total": n * 31 % 997} for n in range(60)]
    assert next(one.why for one in queries(reading_of(rows)) if "greatest" in one.why).endswith("total")


def test_the_latest_are_asked_for_by_times_that_are_numbers_too() -> None:
    times = [1794936679 + n * 61 % 997 for n in range(200)]
    reading = reading_of([{"timestamp": at, "subject": f"subject {at}", "same": "x"} for at in times])
    [latest] = [one for one in queries(reading) if "latest" in one.why]
    assert latest.why == "the 10 with the latest timestamp"
    own, theirs = both(reading, latest)
    assert own == theirs
    assert own[0]["timestamp"] == max(times)
