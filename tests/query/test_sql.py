"""Every key of every row is a column, and what comes straight from a column comes back as the JSON that it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.errors import CallerError
from penstock.query.sandbox import frames
from penstock.query.sandbox.jobs import SqlQuery, SqlSource, SqlTable
from penstock.query.sandbox.process import Answered, Text
from penstock.query.sandbox.sandbox import JobLimits, Sandbox
from penstock.query.sql.names import distinct
from penstock.query.sql.query import run_sql
from penstock.query.sql.tables import tables_of
from tests.kit.held_results import held, held_value, output_of, served, spoken
from tests.kit.strategies import clean_text, values

INTEGERS = st.integers(-(2**63), 2**63 - 1)
OPEN = RowSpec(is_open=True)  # rows of which no column is known before they are read


class InProcess(Sandbox):
    """Asks a worker that runs here, so that its code is tested as any other."""

    def ask(self, question: Any, texts: Any, *, load: Any, what: str, keeping: Any = (), share: Any = None) -> Answered:
        told = served(spoken(question, *texts))
        kind, payload = told[-1]
        if kind == frames.FAILED:
            fault = json.loads(payload)
            raise CallerError(fault["what"], do=fault["do"])
        return Answered(output=output_of(told), summary=json.loads(payload))


POOL = InProcess(limits=JobLimits(seconds=5, rows=1_000))


def rows(sql: str, value: Any = None, **more: Any) -> list[dict[str, Any]]:
    sources = {name: held_value(one) for name, one in more.items()} or {"held": held_value(value)}
    found: list[dict[str, Any]] = json.loads(run_sql(sql, sources, POOL).json)
    return found


def fed(sql: str, spec: RowSpec, parts: list[list[Any]]) -> list[dict[str, Any]]:
    """The answer to a query on a table that comes in these batches."""
    table = SqlTable(name="items", spoken=["items"], rows=spec)
    source = SqlSource(tables=[table])
    question = SqlQuery(sql=sql, sources=[source], known=["items"], rows=1_000, output=10**6, seconds=5, length=0)
    firsts = [sum(map(len, parts[:at])) for at in range(len(parts))]
    texts = [Text(pieces=[json.dumps(part).encode()], first=at) for part, at in zip(parts, firsts, strict=True)]
    told = served(spoken(question, texts))
    assert told[-1][0] == frames.DONE, told[-1]
    return [json.loads(line) for line in output_of(told).splitlines()]


def refused(sql: str, value: Any) -> CallerError:
    with pytest.raises(CallerError) as caught:
        rows(sql, value)
    assert len(str(caught.value).encode()) < 1_000
    return caught.value


columns = st.one_of(
    st.lists(st.none() | st.booleans(), min_size=1, max_size=8),
    st.lists(st.none() | INTEGERS, min_size=1, max_size=8),
    st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8),
    st.lists(st.none() | clean_text.filter(lambda text: "\x00" not in text), min_size=1, max_size=8),
    st.lists(st.none() | st.lists(values, max_size=3), min_size=1, max_size=8),
    st.lists(st.none() | st.dictionaries(clean_text, values, max_size=3), min_size=1, max_size=8),
    st.lists(st.none() | st.integers(2**63, 2**70) | INTEGERS, min_size=1, max_size=8),
)


@settings(max_examples=60, deadline=None)
@given(columns)
@example([2**63, None, -(2**70), 1])
@example([True, None, False])
@example([[None, [None, False]]])
@example([[{"": 0}, [0, "0000", [0, "0000", {"": 0, "0": 0, "00": 0}]], dict.fromkeys(["", "0", "1", "2", "00"], 0)]])
def test_a_column_of_one_type_comes_back_as_it_was(column: list[Any]) -> None:
    about = "the rows weigh more than what is nested in one of them " * 40
    value = [{"n": number, "c": cell, "about": about} for number, cell in enumerate(column)]
    assert rows("SELECT c FROM items ORDER BY n", value) == [{"c": cell} for cell in column]
    through = "WITH t AS (SELECT * FROM held) SELECT c, n FROM (SELECT c, n FROM t) ORDER BY n"
    assert [row["c"] for row in rows(through, value)] == column


@settings(max_examples=40, deadline=None)
@given(st.lists(st.dictionaries(clean_text, INTEGERS, max_size=6), min_size=1, max_size=12))
def test_every_key_of_every_row_is_a_column(value: list[dict[str, int]]) -> None:
    found = rows("SELECT * FROM items", value)
    assert len(found) == len(value)
    keys = {key for row in value for key in row}
    assert len(found[0]) == max(1, len(keys))
    for told, row in zip(found, value, strict=True):
        assert sorted(cell for cell in told.values() if isinstance(cell, int)) == sorted(row.values())


def test_a_key_that_appears_late_is_a_column_too() -> None:
    parts: list[list[Any]] = [[{"a": 1}, {"a": 2}], [{"a": 3, "z": True}], [{"z": False}]]
    assert fed("SELECT a, z FROM items ORDER BY a", OPEN, parts) == [
        {"a": None, "z": False},
        {"a": 1, "z": None},
        {"a": 2, "z": None},
        {"a": 3, "z": True},
    ]


def test_a_late_key_that_is_called_like_a_column_with_dots_gets_a_number() -> None:
    spec = RowSpec(columns=(ColumnPath(name="a.b", path=("a", "b")),), is_open=True)
    parts: list[list[Any]] = [[{"a": {"b": 1, "c": 2}}], [{"a.b": 3, "a": {"b": 4}}]]
    assert fed("SELECT * FROM items", spec, parts) == [
        {"a.b": 1, "a.c": 2, "a.b_2": None},
        {"a.b": 4, "a.c": None, "a.b_2": 3},
    ]


def test_more_keys_than_sqlite_has_columns_for_are_kept_in_one_json_column() -> None:
    value: list[dict[str, Any]] = [{f"k{number}": number for number in range(2_500)}, {"late": [1]}, {"k7": 8}]
    sql = "SELECT k7, _more->>'k2400' AS last, _more->'late' AS late FROM items"
    expected = [
        {"k7": 7, "last": 2400, "late": None},
        {"k7": None, "last": None, "late": "[1]"},
        {"k7": 8, "last": None, "late": None},
    ]
    assert rows(sql, value) == expected
    assert fed(sql, OPEN, [[row] for row in value]) == expected
    assert "in _more, as JSON; items(k0" in refused("SELECT k2400 FROM items", value).do
    assert rows("SELECT _more_2->>'k2400' AS last FROM items LIMIT 1", [{"_more": 1, **value[0]}]) == [{"last": 2400}]


def test_nested_values_are_json_text_and_come_back_as_json() -> None:
    value = [{"user": {"name": "Ann", "tags": ["x", "y"]}}, {"user": {"name": "Bob", "tags": []}}]
    assert rows("SELECT user->>'name' AS name, user->>'$.tags[0]' AS tag FROM items", value) == [
        {"name": "Ann", "tag": "x"},
        {"name": "Bob", "tag": None},
    ]
    assert rows("SELECT user FROM items LIMIT 1", value) == [{"user": value[0]["user"]}]
    assert rows("SELECT count(*) AS n FROM items, json_each(user->'tags')", value) == [{"n": 2}]


def test_a_mixed_column_keeps_its_numbers_and_texts_apart() -> None:
    value = [{"v": 1}, {"v": "1"}, {"v": 1.5}, {"v": True}, {"v": [1]}, {"v": None}]
    assert [row["v"] for row in rows("SELECT v FROM items", value)] == [1, "1", 1.5, 1, "[1]", None]
    assert [row["t"] for row in rows("SELECT typeof(v) AS t FROM items", value)] == [
        *("integer", "text", "real", "integer", "text", "null")
    ]


def test_a_union_under_a_column_of_another_type_keeps_its_values() -> None:
    value = [{"ok": True, "tags": ["a"]}]
    found = rows("SELECT ok AS v FROM items UNION ALL SELECT 5 UNION ALL SELECT 'x'", value)
    assert [row["v"] for row in found] == [True, 5, "x"]
    found = rows("SELECT tags AS v FROM items UNION ALL SELECT 5 UNION ALL SELECT 'x'", value)
    assert [row["v"] for row in found] == [["a"], 5, "x"]


def test_names_that_sqlite_takes_for_the_same_are_told_apart_and_explained() -> None:
    value = [{"Name": 1, "name": 2, "NAME": 3, "": 4, 'q"uote': 5, "nul\x00": 6, "sp ace": 7}]
    found = rows('SELECT Name, name_2, NAME_3, empty, "q""uote", "sp ace" FROM items', value)
    assert list(found[0].values()) == [1, 2, 3, 4, 5, 7]
    assert "name_2 (key 'name')" in refused("SELECT nmae FROM items", value).do


def test_columns_of_an_answer_that_share_a_name_are_told_apart() -> None:
    assert rows("SELECT a.x, b.x, count(*) FROM items a, items b", [{"x": 1}]) == [{"x": 1, "x_2": 1, "count(*)": 1}]


def test_rows_that_are_no_objects_have_a_value() -> None:
    assert rows("SELECT value, rowid FROM items WHERE value > 1", [1, 2, "x"]) == [
        {"value": 2, "rowid": 2},
        {"value": "x", "rowid": 3},
    ]
    assert rows("SELECT value->>1 AS second FROM items", [[1, 2], [3, [4]]]) == [{"second": 2}, {"second": "[4]"}]
    assert rows("SELECT a, value FROM items", [{"a": 1}, 2]) == [{"a": 1, "value": '{"a":1}'}, {"a": None, "value": 2}]
    assert rows("SELECT * FROM items", []) == rows("SELECT * FROM items", {}) == []
    assert rows("SELECT count(*) AS n FROM items", [{}, {}]) == [{"n": 2}]


def test_the_members_of_an_object_without_a_table_are_rows_with_a_key_and_a_value() -> None:
    value = {"ann": {"age": 30}, "total": 2, "note": None}
    assert rows("SELECT key, value FROM items", value) == [
        {"key": "ann", "value": '{"age":30}'},
        {"key": "total", "value": 2},
        {"key": "note", "value": None},
    ]


def test_the_lines_of_a_text_and_the_records_of_json_lines_are_rows() -> None:
    text = run_sql("SELECT rowid AS line FROM items WHERE text LIKE '%fail%'", {"t": held("a\nit failed\nb")}, POOL)
    assert json.loads(text.json) == [{"line": 2}]
    lines = run_sql("SELECT sum(n) AS n FROM items", {"t": held('{"n":1}\n{"n":2}\n')}, POOL)
    assert (lines.count, lines.columns, lines.rows) == (1, ("n",), [b'{"n":3}'])


def test_numbers_that_are_beyond_all_types_are_answered_as_json() -> None:
    value = held('[{"big": 1e999, "long": ' + "9" * 5_000 + "}]")
    result = run_sql("SELECT big, -big AS low, length(long) AS digits, x'00ff' AS b FROM items", {"t": value}, POOL)
    assert result.lines == b'{"big":"1e999","low":-1e999,"digits":5000,"b":"x\'00ff\'"}'


def test_arrays_are_tables_under_their_names() -> None:
    value = {"users": [{"id": 1, "n": "Ann"}] * 9, "orders": [{"user": 1, "sum": 5}], "meta": {"orders": [{"v": 1}]}}
    assert rows("SELECT count(*) AS c FROM items JOIN users USING (id)", value) == [{"c": 81}]
    assert rows("SELECT sum FROM orders, users WHERE user = id LIMIT 1", {**value, "meta": 0}) == [{"sum": 5}]
    assert rows("SELECT v FROM meta_orders", value) == [{"v": 1}]
    assert rows("SELECT sum(value) AS s FROM items", {"items": [1, 2, 3], "n": 1}) == [{"s": 6}]
    assert next(table.names for table in tables_of({"h": held_value(value)})) == ("items", "h", "users")


def test_a_wrapper_around_rows_is_looked_through_and_gives_them_columns() -> None:
    value = [{"name": name, "rows": [{"n": number} for number in range(9)]} for name in ("a", "b")]
    assert rows('SELECT "root.name", sum(n) AS s FROM items GROUP BY 1', value) == [
        {"root.name": "a", "s": 36},
        {"root.name": "b", "s": 36},
    ]


def test_several_results_are_joined_under_their_names() -> None:
    left = [{"id": 1, "n": "Ann"}, {"id": 2, "n": "Bob"}]
    right = {"rows": [{"id": 2, "sum": 5}] * 3, "notes": [{"v": "x"}]}
    assert rows("SELECT a.n, sum(b.sum) AS s FROM a JOIN b USING (id)", a=left, b=right) == [{"n": "Bob", "s": 15}]
    assert rows("SELECT v FROM b.notes", a=left, b=right) == [{"v": "x"}]
    assert rows('SELECT count(*) AS c FROM "r-1"', **{"r-1": left, "b": right}) == [{"c": 2}]


def test_names_of_tables_need_no_quotes_and_never_collide() -> None:
    one = [{"v": 1}]
    value = {"rows": one * 50, "my rows!": one, "ITEMS": one, "9": one, "a": {"b": one}, "c": {"B": one}, "a_b": one}
    names = [table.names for table in tables_of({"held": held_value(value)})]
    assert names[0] == ("items", "held", "rows")
    others = [name for (name,) in names[1:]]
    assert sorted(others) == ["ITEMS_2", "a_b", "array_9", "b", "c_B", "my_rows"]
    for name in (*names[0], *others):
        assert rows(f"SELECT count(v) > 0 AS ok FROM {name}", value) == [{"ok": 1}]


def test_a_wrong_column_or_table_names_the_nearest_and_the_schema() -> None:
    value = [{"name": "x", "price": 1.5, "ok": True, "tags": []}]
    for sql in ("SELECT nmae FROM items", 'SELECT "nmae" FROM items', "SELECT i.nmae FROM items i"):
        error = refused(sql, value)
        assert "no such column" in error.what
        assert error.do == "nearest: name; items(name, price, ok bool, tags JSON)"
    error = refused("SELECT * FROM itms", value)
    assert (error.what, error.do) == (
        "SQL: no such table: itms",
        "nearest: items; tables: items, held; items(name, price, ok, tags)",
    )
    assert refused("SELECT zzz FROM items", value).do == "items(name, price, ok bool, tags JSON)"
    assert refused("SELECT * FROM zzzzzzzz", value).do == "tables: items, held; items(name, price, ok, tags)"


def test_names_in_an_error_stand_as_a_query_takes_them() -> None:
    value = [{"US Gross": 1, "order": 2, "imdb": {"rating": 7, "votes": 8}}]
    error = refused("SELECT imdb_rating FROM items", value)
    assert error.do == 'nearest: "imdb.rating"; items("US Gross", "order", "imdb.rating", "imdb.votes")'
    assert refused("SELECT gross FROM items", value).do.startswith('nearest: "US Gross"; ')
    assert refused("SELECT zzz.path, date FROM items", [{"author": 1, "dates": 2}]).do.startswith("items(")


@pytest.mark.parametrize("sql", ["DESCRIBE items", "SHOW TABLES", "PRAGMA table_info(items)"])
def test_a_question_for_the_tables_is_answered_by_its_refusal(sql: str) -> None:
    error = refused(sql, {"rows": [{"a b": 1, "tags": [{"t": 1}] * 3}] * 9})
    assert error.do.removeprefix("write a SELECT; ") == 'tables: items("a b", tags), items_tags'


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("SELECT TOP 5 value FROM items", "LIMIT 5 at the end"),
        ("SELECT value::int FROM items", "CAST(x AS REAL)"),
        ("SELECT EXTRACT(YEAR FROM value) FROM items", "strftime('%Y', x)"),
        ("SELECT to_char(value, 'YYYY-MM') FROM items", "strftime('%Y-%m', x)"),
        ("SELECT array_agg(value) FROM items", "string_agg(x, ', ')"),
        ("SELECT Year(value) FROM items", "strftime('%Y', x), '%m', '%d', '%H'"),
    ],
)
def test_words_of_other_databases_are_answered_with_those_of_sqlite(sql: str, hint: str) -> None:
    assert refused(sql, [1]).do == f"SQLite has {hint}; items(value)"


def test_what_sqlite_says_itself_has_no_hint() -> None:
    assert refused("SELECT nope(value) FROM items", [1]).do == "items(value)"
    assert refused("SELECT sum(count(value)) FROM items", [1]).do == "items(value)"


def test_medians_percentiles_and_deviations() -> None:
    value = [{"g": "a", "x": 4}, {"g": "a", "x": 1}, {"g": "a", "x": None}, {"g": "a", "x": 2.5}, {"g": "b", "x": 7}]
    assert rows("SELECT g, median(x) AS m FROM items GROUP BY g", value) == [{"g": "a", "m": 2.5}, {"g": "b", "m": 7}]
    numbers = [{"x": number} for number in (2, 4, 4, 4, 5, 5, 7, 9)]
    sql = (
        "SELECT stddev_pop(x) AS p, variance(x) AS v, stddev(x) AS s, percentile(x, 90) AS q, median(x) AS m FROM items"
    )
    [one] = rows(sql, numbers)
    assert one == {
        "p": 2.0,
        "v": pytest.approx(32 / 7),
        "s": pytest.approx((32 / 7) ** 0.5),
        "q": pytest.approx(7.6),
        "m": 4.5,
    }
    assert rows("SELECT stddev(x) AS s, median(y) AS m FROM items", [{"x": 1, "y": None}]) == [{"s": None, "m": None}]


@pytest.mark.parametrize("sql", ["SELECT median(x) FROM items", "SELECT percentile(y, 101) FROM items"])
def test_a_median_of_texts_is_refused(sql: str) -> None:
    error = refused(sql, [{"x": "12 kg", "y": 1}])
    assert "take numbers only" in error.what
    assert "number(x)" in error.do


def test_a_line_is_found_by_its_number_at_once() -> None:
    """From each of many lines another is looked for: without an index that takes a square of the time."""
    source = held("\n".join(f"line {number}" for number in range(1, 40_001)))
    sql = "SELECT max((SELECT l.text FROM lines l WHERE l.n = 40001 - lines.n)) AS last, typeof(n) AS t FROM lines"
    assert json.loads(run_sql(sql, {"held": source}, POOL).json) == [{"last": "line 9999", "t": "integer"}]


def test_double_quotes_are_for_names_also_where_they_are_aliases_or_texts() -> None:
    value = [{"name": "x"}]
    assert rows('SELECT name AS "the name" FROM items ORDER BY "the name"', value) == [{"the name": "x"}]
    assert rows("""SELECT 'a "b" c' AS t, "name" FROM items -- "nothing" """, value) == [{"t": 'a "b" c', "name": "x"}]


def test_other_mistakes_come_with_sqlites_words() -> None:
    assert refused("SELECT * FROM items WHERE", [1]).what == "SQL: incomplete input"
    assert "syntax error" in refused("SELECT FROM items", [1]).what
    assert refused("SELECT 1; SELECT 2", [1]).what == "SQL: only one statement at a time"
    assert "no such function: nope" in refused("SELECT nope(value) FROM items", [1]).what
    assert refused("DELETE FROM items", [1]).what == "SQL can only read here"
    assert refused("WITH t AS (SELECT 1) DELETE FROM items", [1]).what.startswith("SQL can only read here: ")
    assert refused("SELECT value FROM items, items b, items c", [1]).do.startswith("items(value)")
    assert refused("", [1]).what == "SQL can only read here"
    typo = refused("SELEC * FROM items", [{"city": "x"}])
    assert (typo.what, typo.do) == ("SQL: unknown statement 'SELEC'; only SELECT is allowed", "tables: items(city)")
    assert "longer than" in refused("SELECT " + "1," * 20_000, [1]).what
    assert "no text" in refused("SELECT '\x00'", [1]).what
    assert "no text" in refused("SELECT '\ud800'", [1]).what


def test_a_query_without_end_and_one_without_measure_are_stopped() -> None:
    pool = InProcess(limits=JobLimits(seconds=0.05, rows=10))
    source = {"h": held_value([1])}
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    with pytest.raises(CallerError, match="took longer than"):
        run_sql(endless, source, pool)
    with pytest.raises(CallerError, match="more than 10 rows"):
        run_sql("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c", source, pool)


def test_a_long_schema_is_cut_and_the_error_stays_short() -> None:
    refused("SELECT nope FROM items", [{f"a rather long name of a column {number}": 1 for number in range(500)}])
    refused("SELECT " + "x" * 15_000 + " FROM items", [{"y" * 20_000: 1}])


def test_a_worker_answers_as_this_process_does(sandbox: Sandbox) -> None:
    source = {"h": held_value([{"ok": True, "n": number, "tags": [number]} for number in range(5)])}
    sql = "SELECT ok, n, tags, count(*) AS c FROM items GROUP BY n ORDER BY n DESC"
    assert run_sql(sql, source, sandbox) == run_sql(sql, source, POOL)
    with pytest.raises(CallerError, match="nearest: tags"):
        run_sql("SELECT tag FROM items", source, sandbox)


def test_worker_reads_numbers_that_the_fast_parser_refuses(sandbox: Sandbox) -> None:
    source = {"h": held('[{"big": 1e999, "long": ' + "9" * 5_000 + "}]")}
    assert run_sql("SELECT big, length(long) AS n FROM items", source, sandbox).lines == b'{"big":"1e999","n":5000}'


@pytest.mark.parametrize("written", ["0.{}", "{}e-400", "-1.{}", "1.{}e10"])
def test_decimals_that_no_double_keeps_stay_different_in_sql(written: str) -> None:
    numbers = [written.format(12345678901234567890 + n) for n in range(40)]
    source = {"t": held("[" + ",".join(f'{{"id":{n},"v":{one}}}' for n, one in enumerate(numbers)) + "]")}
    assert json.loads(run_sql("SELECT count(DISTINCT v) AS n FROM items", source, POOL).json) == [{"n": 40}]
    assert json.loads(run_sql("SELECT v FROM items", source, POOL).json) == [{"v": one} for one in numbers]


def test_a_name_that_is_taken_gets_the_next_number() -> None:
    assert distinct("a", {"a", "a_2"}) == "a_3"


def test_arrays_with_names_that_sqlite_keeps_for_itself_get_others() -> None:
    value = {"sqlite_foo": [{"v": 2}] * 3, "json_each": [{"v": 4}], "Pragma_x": [{"v": 5}]}
    assert refused("SELECT * FROM sqlite_foo", value).do.startswith("nearest: array_sqlite_foo; tables: items, ")
    assert rows("SELECT sum(v) AS s FROM array_sqlite_foo", value) == [{"s": 6}]
    assert rows("SELECT j.value FROM array_json_each, json_each('[7]') j", value) == [{"value": 7}]
    assert rows("SELECT v FROM array_Pragma_x", value) == [{"v": 5}]
    several = {"a": [{"v": 1}, {"v": 2}], "json_tree": [{"v": 3}]}
    assert rows("SELECT v FROM b.array_json_tree", b=several, c=[0]) == [{"v": 3}]


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (("T", "t"), "SQL takes the names 'T' and 't' for the same"),
        (("sqlite_master",), "SQLite keeps the name 'sqlite_master' for itself"),
        (("a\ud800",), "the name of a result has characters in it that are no text"),
        (("a\x00",), "the name of a result has characters in it that are no text"),
    ],
)
def test_names_of_results_that_sqlite_cannot_take_are_refused(names: tuple[str, ...], what: str) -> None:
    with pytest.raises(CallerError) as caught:
        run_sql("SELECT 1", {name: held_value([1]) for name in names}, POOL)
    assert caught.value.what == what


def test_a_result_may_be_called_as_the_main_table_is_in_any_case() -> None:
    assert rows("SELECT value FROM items", ITEMS=[1]) == [{"value": 1}]


def test_a_message_of_sqlite_that_is_no_text_is_an_error_like_others() -> None:
    assert "no text" in refused("SELECT json_extract('{}', cast(x'24ff' AS text))", [1]).what


def test_an_error_while_rows_are_loaded_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.query.sandbox.worker.sql_table.MOST_COLUMNS", 5_000)
    error = refused("SELECT 1 FROM items", [{f"k{number}": 1 for number in range(2_001)}])
    assert "too many columns on items" in error.what


@example([{}], 1)
@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["a", "b", "c", "rowid", "_rowid_", "oid"]), INTEGERS), min_size=1, max_size=12
    ),
    st.integers(1, 4),
)
def test_rows_keep_their_order_and_their_values_whatever_keys_they_have(value: list[dict[str, int]], by: int) -> None:
    parts: list[list[Any]] = [value[at : at + by] for at in range(0, len(value), by)]
    found = fed("SELECT *, _rowid_ AS number FROM items", OPEN, parts)
    assert [row.pop("number") for row in found] == list(range(1, len(value) + 1))
    for told, row in zip(found, value, strict=True):
        renamed = {"_rowid__2" if key == "_rowid_" else key: cell for key, cell in row.items()}
        assert {key: cell for key, cell in told.items() if cell is not None} == renamed


def test_small_data_with_many_keys_is_answered_in_time() -> None:
    sparse = [{f"k{number}": 1} if number < 300 else {"k1": number} for number in range(40_000)]
    assert rows("SELECT count(*) AS n, count(k1) AS k, count(k299) AS z FROM items", sparse) == [
        {"n": 40_000, "k": 39_701, "z": 1}
    ]


def test_hundreds_of_late_columns_are_added_in_one_step() -> None:
    parts = [[{f"k{number}": number for number in range(at, at + 600)}] for at in (0, 600, 1_200)]
    assert fed("SELECT k0, k600, k1799 FROM items", OPEN, parts) == [
        {"k0": 0, "k600": None, "k1799": None},
        {"k0": None, "k600": 600, "k1799": None},
        {"k0": None, "k600": None, "k1799": 1799},
    ]


def test_decimals_that_no_double_keeps_are_texts_in_nested_values() -> None:
    source = held('[{"a":{"x":[1e999,-1e400,null,1.5]}}]')
    assert run_sql("SELECT * FROM items", {"t": source}, POOL).lines == b'{"a.x":["1e999","-1e400",null,1.5]}'
    assert run_sql("SELECT a FROM items", {"t": source}, POOL).lines == b'{"a":{"x":["1e999","-1e400",null,1.5]}}'
