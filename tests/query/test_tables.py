"""SQL and jq see the tables that a document was read as: records with dots, maps, trees, and texts with a form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.forms.reading import TextSpec
from penstock.errors import CallerError
from penstock.query.jq.filter import run_filter
from penstock.query.source import Source
from penstock.query.sql.query import run_sql
from tests.kit.held_results import held, held_value
from tests.kit.strategies import clean_text, values
from tests.query.test_sql import POOL

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

TICKETS = {
    "tickets": [
        {
            "id": 100 + number,
            "status": ("open", "closed")[number % 2],
            "requester": {"name": f"user {number}", "org": {"name": "Acme"}} if number else None,
            "comments": [{"body": f"comment {at}", "author": {"id": at}} for at in range(number % 3)],
            "tags": ["a", "b"],
            "places": [{"file": f"{number}.py"}],
        }
        for number in range(12)
    ],
    "total": 12,
}
CSV = "id,name,price,note\n" + "".join(
    f'{number},"Smith, {number}",{number}.5,{"late" if number % 2 else ""}\n' for number in range(40)
)
LOG = "".join(
    f"2026-09-02T11:00:{number:02d}Z {'ERROR' if number % 5 == 0 else 'INFO'} ledger: request {number} took={number}\n"
    for number in range(40)
)
DIFF = "".join(
    f"diff --git a/{name}.py b/{name}.py\nindex 1111111..2222222 100644\n--- a/{name}.py\n+++ b/{name}.py\n"
    "@@ -1,2 +1,3 @@\n one\n+two\n three\n@@ -9,2 +10,1 @@\n nine\n-ten\n"
    for name in ("gate", "store")
)
TREE = {
    "root": {
        "name": "a",
        "children": [
            {"name": "b", "size": 1, "children": [{"name": "c", "size": 2, "children": []}]},
            {"name": "d", "size": 3, "children": []},
        ],
    }
}


def rows(sql: str, data: Any) -> list[dict[str, Any]]:
    source = held(data) if isinstance(data, str) else held_value(data)
    found: list[dict[str, Any]] = json.loads(run_sql(sql, {"held": source}, POOL).json)
    return found


def refused(sql: str, data: Any) -> str:
    with pytest.raises(CallerError) as caught:
        rows(sql, data)
    assert len(str(caught.value).encode()) < 1_000
    return str(caught.value)


def test_fields_of_nested_objects_are_columns_with_dots() -> None:
    assert rows('SELECT id, "requester.name", "requester.org.name" FROM items LIMIT 2', TICKETS) == [
        {"id": 100, "requester.name": None, "requester.org.name": None},
        {"id": 101, "requester.name": "user 1", "requester.org.name": "Acme"},
    ]
    assert rows('SELECT count("requester.name") AS n FROM tickets', TICKETS) == [{"n": 11}]


def test_a_nested_object_is_json_in_a_column_of_its_own_where_a_query_names_it() -> None:
    second = TICKETS["tickets"][1]  # type: ignore[index]
    assert rows('SELECT requester, "requester.org", places FROM items WHERE id = 101', TICKETS) == [
        {"requester": second["requester"], "requester.org": {"name": "Acme"}, "places": [{"file": "1.py"}]}
    ]
    assert rows("SELECT requester->>'$.org.name' AS org FROM items WHERE id = 101", TICKETS) == [{"org": "Acme"}]
    assert list(rows("SELECT * FROM items", TICKETS)[0]) == [
        *("id", "status", "requester.name", "requester.org.name", "comments", "tags", "places[0].file")
    ]
    assert rows("SELECT tags FROM items WHERE id = 101", TICKETS) == [{"tags": ["a", "b"]}]


def test_arrays_in_rows_are_tables_that_are_joined_by_the_number_of_the_row() -> None:
    sql = "SELECT t.id, c.body FROM items t JOIN items_comments c ON c._row = t.rowid ORDER BY t.id, c.body LIMIT 3"
    assert rows(sql, TICKETS) == [
        {"id": 101, "body": "comment 0"},
        {"id": 102, "body": "comment 0"},
        {"id": 102, "body": "comment 1"},
    ]
    assert rows("SELECT _row, \"author.id\" FROM items_comments WHERE body = 'comment 1' LIMIT 1", TICKETS) == [
        {"_row": 3, "author.id": 1}
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=12))
def test_every_row_of_an_inner_table_knows_the_row_that_it_lies_in(groups: list[list[int]]) -> None:
    value = [
        {"id": at, "name": f"a longer name {at}", "parts": [{"n": one, "_row": -1} for one in group]}
        for at, group in enumerate(groups)
    ]
    if max(map(len, groups)) < 2 or len(groups) < 3 or len(groups) * 2 <= sum(map(len, groups)):
        return  # a wrapper around few or many rows is another table
    found = rows("SELECT i.id, p.n, p._row_2 AS own FROM items i JOIN items_parts p ON p._row = i.rowid", value)
    told = sorted((row["id"], row["n"]) for row in found)
    assert told == sorted((at, one) for at, group in enumerate(groups) for one in group)
    assert {row["own"] for row in found} <= {-1}


def test_the_members_of_a_map_are_rows_with_a_key_whatever_fields_they_have() -> None:
    value = {"users": {f"u-{at}": {"age": at, "key": f"k{at}", "home": {"city": "Oslo"}} for at in range(20)}}
    assert rows('SELECT key, age, key_2, "home.city" FROM items WHERE age > 18', value) == [
        {"key": "u-19", "age": 19, "key_2": "k19", "home.city": "Oslo"}
    ]
    assert rows("SELECT key, value FROM items WHERE value > 28", {f"n{at}": at for at in range(30)}) == [
        {"key": "n29", "value": 29}
    ]


def test_every_node_of_a_tree_is_a_row_that_knows_its_path_depth_and_parent() -> None:
    assert rows("SELECT _path, _depth, name, size FROM items", TREE) == [
        {"_path": ".root", "_depth": 0, "name": "a", "size": None},
        {"_path": ".root.children[0]", "_depth": 1, "name": "b", "size": 1},
        {"_path": ".root.children[0].children[0]", "_depth": 2, "name": "c", "size": 2},
        {"_path": ".root.children[1]", "_depth": 1, "name": "d", "size": 3},
    ]
    joined = rows("SELECT c.name, p.name AS parent FROM items c JOIN items p ON p.rowid = c._parent", TREE)
    assert [(row["name"], row["parent"]) for row in joined] == [("b", "a"), ("c", "b"), ("d", "a")]


def test_fields_of_nodes_that_are_called_like_columns_of_a_tree_get_a_number() -> None:
    leaf = {"_path": "/usr/lib/x", "_depth": 8, "name": "c", "children": []}
    branch = {"_path": "/usr/lib", "_depth": 7, "name": "b", "children": [leaf]}
    value = {"root": {"_path": "/usr", "_depth": 6, "name": "a", "children": [branch, leaf]}}
    assert rows("SELECT _path, _path_2, _depth, _depth_2 FROM items LIMIT 2", value) == [
        {"_path": ".root", "_path_2": "/usr", "_depth": 0, "_depth_2": 6},
        {"_path": ".root.children[0]", "_path_2": "/usr/lib", "_depth": 1, "_depth_2": 7},
    ]


def test_rows_of_separated_values_have_the_types_of_their_columns() -> None:
    sql = "SELECT *, typeof(id) AS i, typeof(price) AS p, typeof(note) AS n FROM items LIMIT 2"
    assert rows(sql, CSV) == [
        {"id": 0, "name": "Smith, 0", "price": 0.5, "note": None, "i": "integer", "p": "real", "n": "null"},
        {"id": 1, "name": "Smith, 1", "price": 1.5, "note": "late", "i": "integer", "p": "real", "n": "text"},
    ]
    assert rows("SELECT sum(price) AS s, count(*) AS n FROM items", CSV) == [{"s": 800.0, "n": 40}]


def test_lines_of_a_log_have_time_level_and_what_their_messages_tell() -> None:
    assert rows("SELECT line, time, level, source, took FROM items WHERE took > 38", LOG) == [
        {"line": 40, "time": "2026-09-02T11:00:39Z", "level": "INFO", "source": "ledger", "took": 39}
    ]
    assert rows("SELECT level, count(*) AS n FROM items GROUP BY 1 ORDER BY 1", LOG) == [
        {"level": "ERROR", "n": 8},
        {"level": "INFO", "n": 32},
    ]


def test_a_form_may_have_several_tables() -> None:
    assert rows("SELECT file, added, removed, hunks FROM items", DIFF) == [
        {"file": "gate.py", "added": 1, "removed": 1, "hunks": 2},
        {"file": "store.py", "added": 1, "removed": 1, "hunks": 2},
    ]
    assert rows("SELECT count(*) AS n FROM hunks JOIN items USING (file)", DIFF) == [{"n": 4}]


def test_a_text_in_a_field_is_the_table_of_the_result() -> None:
    value = {"path": "people.csv", "size": len(CSV), "content": CSV}
    assert rows("SELECT sum(price) AS s FROM items", value) == [{"s": 800.0}]
    assert rows("SELECT max(took) AS t FROM items", {"log": LOG}) == [{"t": 39}]


def test_the_lines_of_a_text_without_a_form_are_rows() -> None:
    text = "some words\nand more of them\r\nthe end"
    assert rows("SELECT * FROM items", text) == [
        {"n": 1, "text": "some words"},
        {"n": 2, "text": "and more of them"},
        {"n": 3, "text": "the end"},
    ]


def test_arrays_side_by_side_and_rows_of_arrays_are_tables_with_names() -> None:
    series = {"time": [f"2026-01-{day:02d}" for day in range(1, 20)], "value": list(range(19))}
    assert rows("SELECT time FROM items WHERE value = 18", series) == [{"time": "2026-01-19"}]
    columns = {"columns": ["city", "n"], "rows": [[f"c{at}", at] for at in range(20)]}
    assert rows("SELECT city FROM items WHERE n = 19", columns) == [{"city": "c19"}]
    assert rows("SELECT c1 FROM items WHERE c2 = 6", [[1, 2], [3, 4], [5, 6]]) == [{"c1": 5}]


def test_rows_of_different_kinds_are_one_table_with_the_columns_of_all() -> None:
    lines = [{"finding": {"id": at}} if at % 2 else {"osv": {"id": f"G{at}", "x": {"y": at}}} for at in range(20)]
    text = "\n".join(map(json.dumps, lines))
    assert rows('SELECT "osv.id", "osv.x.y" FROM items LIMIT 1', text) == [{"osv.id": "G0", "osv.x.y": 0}]
    assert rows('SELECT sum("finding.id") AS s FROM items', text) == [{"s": 100}]
    assert rows("SELECT count(*) AS n FROM items", text) == [{"n": 20}]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.dictionaries(clean_text, values, max_size=4), min_size=1, max_size=6))
def test_any_array_of_objects_has_a_table_that_can_be_read_whole(value: list[dict[str, Any]]) -> None:
    source = held_value(value)
    result = run_sql("SELECT * FROM items", {"held": source}, POOL)
    assert result.count == source.tables[0].count


@pytest.mark.parametrize("name", ["requester.name", "t.requester.name", "T.Requester.Name", "'x' AS a, requester.name"])
def test_nested_name_without_quotes_is_read_with_them(name: str) -> None:
    result = run_sql(
        f"SELECT {name} FROM items t WHERE requester.name IS NOT NULL", {"held": held_value(TICKETS)}, POOL
    )
    assert result.columns[-1].lower() == "requester.name"
    assert result.count == 11
    assert result.notes[-1].endswith('equester.name was read as "requester.name"')


def test_a_wrong_name_with_dots_is_answered_with_the_right_one_in_quotes() -> None:
    for wrong in ('"requester.nmae"', "requester_name"):
        assert 'nearest: "requester.name"' in refused(f"SELECT {wrong} FROM items t", TICKETS), wrong
    assert "nearest: level; items(line, time, level" in refused("SELECT lvl FROM items", LOG)
    assert "nearest: price; items(id, name, price, note)" in refused("SELECT pric FROM items", CSV)
    assert "nearest: items_comments, " in refused("SELECT 1 FROM items_coments", TICKETS)
    assert "nearest: hunks; tables: items, held, hunks" in refused("SELECT 1 FROM hunk", DIFF)


def test_jq_sees_the_rows_of_a_text_as_objects_without_what_is_absent(sandbox: Sandbox) -> None:
    table = held(CSV)
    assert run_filter(".[1]", table, sandbox).lines == b'{"id":1,"name":"Smith, 1","price":1.5,"note":"late"}'
    assert run_filter("map(select(.note == null)) | length", table, sandbox).lines == b"20"
    assert run_filter(".[0] | keys", table, sandbox).lines == b'["id","name","price"]'
    assert run_filter("map(.price) | add", table, sandbox).lines == b"800"
    log = held(LOG)
    assert run_filter('[.[] | select(.level == "ERROR") | .line]', log, sandbox, batch=10).lines == (
        b"[1,6,11,16,21,26,31,36]"
    )
    assert run_filter(".[].file", held(DIFF), sandbox).lines == b'"gate.py"\n"store.py"'


def test_jq_sees_json_as_it_came_whatever_its_tables_are(sandbox: Sandbox) -> None:
    assert json.loads(run_filter(".", held_value(TICKETS), sandbox).json) == TICKETS
    assert json.loads(run_filter(".content", held_value({"content": CSV}), sandbox).json) == CSV
    assert run_filter("map(length)", held("a few\nwords\n"), sandbox).lines == b"[5,5]"


def test_a_text_with_bytes_that_are_no_text_can_be_asked(sandbox: Sandbox) -> None:
    source = held(b"caf\xe9 one\nplain two\n" * 3)
    assert json.loads(run_filter("length", source, sandbox).json) == 6
    assert run_filter(".[1]", source, sandbox).lines == b'"plain two"'
    found = run_sql("SELECT text FROM items WHERE text LIKE '%two' LIMIT 1", {"h": source}, sandbox)
    assert found.lines == b'{"text":"plain two"}'
    assert run_sql("SELECT count(text) AS n FROM items", {"h": source}, sandbox).lines == b'{"n":6}'
    assert run_sql("SELECT text FROM items LIMIT 1", {"h": source}, sandbox).count == 1


def test_a_text_that_does_not_go_on_as_it_begins_is_refused_with_what_to_do() -> None:
    table, plain = held(DIFF), held(DIFF.replace(" three", "?three"))
    source = Source(read=plain.read, index=plain.index, tables=table.tables)  # as if only its beginning was looked at
    assert isinstance(table.tables[0].rows, TextSpec)
    with pytest.raises(CallerError, match=r"does not go on as it begins.*; search it"):
        run_sql("SELECT * FROM items", {"h": source}, POOL)
