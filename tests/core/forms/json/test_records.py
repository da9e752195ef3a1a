"""Records: a row for each item or member, columns with dots, tables inside rows, and what stands beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import Kind, read
from penstock.core.forms.recognise import read_form
from penstock.core.json.path import KEY
from tests.kit.forms.facts import check_rows, column_of, main_of, names_of, reading_of, rows_of, table_named
from tests.kit.strategies import clean_text

ids = st.from_regex(r"[0-9]{4}-[a-z]{1,6}", fullmatch=True)


@given(st.dictionaries(ids, st.fixed_dictionaries({"cpu": st.integers(), "zone": clean_text}), min_size=2))
def test_members_of_a_map_are_rows_with_their_keys(hosts: dict[str, dict[str, Any]]) -> None:
    rows = [{"key": key, **host} for key, host in hosts.items()]
    check_rows(reading_of(hosts), rows)
    wrapped = reading_of({"hosts": hosts, "count": len(hosts)})
    check_rows(wrapped, rows)
    assert wrapped.words == f"{len(rows)} hosts by key in .hosts (3 columns)"
    assert wrapped.facts == (f"other fields: count={len(rows)}",)
    assert wrapped.pages == ("hosts",)


@given(st.dictionaries(ids, st.lists(st.fixed_dictionaries({"n": st.integers(), "who": clean_text})), min_size=2))
def test_arrays_in_a_map_are_one_table_with_the_key_of_each(groups: dict[str, list[dict[str, Any]]]) -> None:
    groups = {key: [{**row, "about": "word " * 20} for row in some] for key, some in groups.items()}
    rows = [{"root.key": key, **row} for key, some in groups.items() for row in some]
    reading = reading_of(groups)
    if len(rows) > 1 and len(rows) >= 2 * len(groups):
        check_rows(reading, rows)
        assert reading.words == f"{len(rows)} records in .[*][] (4 columns)"


@given(
    st.lists(
        st.tuples(clean_text, st.lists(st.tuples(st.integers(), st.booleans()), min_size=2, max_size=5)),
        min_size=2,
        max_size=8,
        unique_by=lambda one: one[0],
    )
)
def test_arrays_of_one_kind_in_a_wrapper_are_one_table(packages: list[tuple[str, list[tuple[int, bool]]]]) -> None:
    data: list[dict[str, Any]] = [
        {"name": name, "flaws": [{"score": score, "fixed": fixed, "about": "x" * 60} for score, fixed in flaws]}
        for name, flaws in packages
    ]
    rows = [{"packages.name": one["name"], **flaw} for one in data for flaw in one["flaws"]]
    reading = reading_of({"results": [{"packages": data}]})
    check_rows(reading, rows)
    assert main_of(reading).path == ".results[].packages[].flaws[]"
    assert reading.pages == ("results",)


@given(st.lists(st.tuples(st.integers(), st.lists(clean_text, max_size=4)), min_size=3, max_size=20))
def test_arrays_of_objects_in_rows_are_tables_of_their_own(orders: list[tuple[int, list[str]]]) -> None:
    data = [
        {"id": number, "note": "n" * 200, "lines": [{"item": item, "at": at} for at, item in enumerate(items)]}
        for number, items in orders
    ]
    reading = reading_of({"orders": data})
    main = main_of(reading)
    count = sum(len(items) for _, items in orders)
    assert (main.path, main.count) == (".orders", len(orders))
    assert [one["id"] for one in rows_of(reading)] == [number for number, _ in orders]
    if max(len(items) for _, items in orders) > 1:
        inner = table_named(reading, "items_lines")
        assert (inner.count, inner.inside, inner.path) == (count, "items", ".orders[].lines[]")
        assert column_of(inner, "item").filled == count
        assert names_of(main) == ["id", "note", "lines"]


@given(st.lists(st.none() | st.tuples(clean_text, st.integers()), min_size=3, max_size=20))
def test_the_only_item_of_an_array_gives_columns(places: list[tuple[str, int] | None]) -> None:
    data = [
        {"id": number, "at": [{"uri": place[0], "span": {"from": place[1]}}] if place is not None else []}
        for number, place in enumerate(places)
    ]
    reading = reading_of(data)
    if any(places):
        truth = [
            {"id": number, "at[0].uri": place and place[0], "at[0].span.from": place and place[1]}
            for number, place in enumerate(places)
        ]
        check_rows(reading, truth)


def test_rows_with_as_many_fields_but_others_have_the_columns_of_all() -> None:
    rows = [{"name": "a", "size": 1}, {"name": "b", "color": "red"}, {"size": 3, "name": "c"}]
    table = main_of(reading_of(rows))
    assert (column_of(table, "name").filled, column_of(table, "size").filled) == (3, 2)
    greatest = column_of(table, "size").greatest
    assert greatest is not None
    assert greatest.value == 3
    assert column_of(table, "color").values() == [("red", 1)]


def test_tables_beside_the_main_one_have_the_names_of_their_keys() -> None:
    big = [{"id": number, "text": "word " * 9} for number in range(30)]
    small = [{"login": f"u{number}", "age": number} for number in range(7)]
    reading = reading_of({"data": {"posts": big, "users": small, "a": {"users": small[:3]}}})
    assert [(table.name, table.count, table.path, table.inside) for table in reading.tables] == [
        ("items", 30, ".data.posts", None),
        ("users", 7, ".data.users", None),
        ("data_a_users", 3, ".data.a.users", None),
    ]
    assert reading.words == "30 posts in .data.posts (2 columns)"


def test_names_of_tables_and_columns_that_are_taken_get_a_number() -> None:
    odd = [{"A": 1, "a": 2, "b": {"c": 3}, "b.c": 4, "value": 5} for _ in range(20)]
    assert names_of(main_of(reading_of(odd))) == ["A", "a_2", "b.c", "b.c_2", "value"]
    rows = [{"n": number, "t": "t" * 20} for number in range(9)]
    reading = reading_of({"posts": rows * 9, "x": {"!": rows}, "?": rows[1:], "items": rows[2:], "Items": rows[3:]})
    assert [table.name for table in reading.tables] == ["items", "x", "array_2", "items_2", "Items_3"]


def test_rows_with_one_field_that_is_not_always_an_object_are_records() -> None:
    reading = reading_of([{"a": {"x": n}} if n % 3 else {"b": n} for n in range(30)])
    assert (reading.form, [table.name for table in reading.tables]) == ("records", ["items"])


def test_scalars_next_to_a_table_are_shown_outer_ones_and_numbers_first() -> None:
    rows = [{"id": number, "text": "word " * 9} for number in range(30)]
    reading = reading_of({"kind": "list", "page": {"total_count": 593, "next": "abc"}, "rows": rows, "none": None})
    assert reading.facts == ("other fields: kind=list · page.total_count=593 · page.next=abc",)
    many = reading_of({**{f"name_{letter}": letter for letter in "abcdefghijk"}, "limit": 5, "rows": rows})
    assert many.facts[0].startswith("other fields: limit=5 · name_a=a · name_b=b")
    assert many.facts[0].endswith(" · +4 fields")
    deep = reading_of({"meta": {"x": 1}, "data": {"total": 30, "rows": rows}})
    assert deep.facts == ("other fields: meta.x=1 · data.total=30",)


def test_what_a_map_has_beside_a_table_is_not_told() -> None:
    rows = [{"id": number, "text": "word " * 9} for number in range(30)]
    assert reading_of({"a/1": {"rows": rows}, "a/2": {"rows": rows}}).facts == ()


@pytest.mark.parametrize("name", ["data", "rows", "x", "class", "two words"])
def test_a_name_that_says_nothing_is_not_what_rows_are_called(name: str) -> None:
    assert reading_of({name: [{"a": 1, "b": 2}] * 9}).words.startswith("9 records in ")


def test_values_are_rows_with_one_column() -> None:
    words = ["red", "green", "red", None, "blue"]
    reading = reading_of({"colors": words})
    assert (reading.form, reading.words) == ("values", "5 colors in .colors")
    check_rows(reading, [{"value": word} for word in words])


def test_rows_that_are_not_all_objects_have_the_others_as_a_value() -> None:
    mixed: list[Any] = [{"a": 1}, {"a": 2}, {"a": None}, 7, [8], "nine", None]
    reading = reading_of(mixed)
    assert names_of(main_of(reading)) == ["a", "value"]
    assert [one["a"] for one in rows_of(reading)] == [1, 2, None, None, None, None, None]
    assert [one["value"] for one in rows_of(reading)] == mixed
    assert reading.shape == "[{a: int|null}|[int]|str|int|null]"


def test_a_table_in_which_little_lies_is_not_what_the_document_is() -> None:
    reading = reading_of({"readme": ["x"], "info": {"about": "word " * 400, "more": "word " * 100}})
    assert (reading.form, reading.tables) == ("object", ())


def test_records_among_values_keep_the_keys_of_all_maps_they_lie_in() -> None:
    data = {f"10.{n}.0.0/16": {f"10.{n}.0.{m}": {"up": True, "load": m} for m in range(6)} for n in range(5)}
    reading = reading_of(data)
    assert main_of(reading).spec.inner == (KEY, KEY)  # type: ignore[union-attr]
    check_rows(
        reading,
        [{"root.key": one, "key": key, **row} for one, rows in data.items() for key, row in rows.items()],
    )


def test_nothing_is_a_row_of_a_table_inside_of_rows_where_an_item_is_null() -> None:
    data = {"teams": [{"name": "a", "people": [{"id": 1, "x": "x" * 90}, None, {"id": 3, "x": "x" * 90}]}]}
    reading = reading_of(data)
    assert [one["id"] for one in rows_of(reading)] == [1, None, 3]


def test_a_large_document_is_read_by_batches_with_the_same_facts() -> None:
    rows = [{"id": n, "user": {"name": f"u{n % 50}"}, "text": f"{n} {'word ' * 30}"} for n in range(20_000)]
    document = read(json.dumps({"version": 3, "rows": rows, "small": [{"a": 1, "b": 2}] * 3}))
    assert len(document.body) > 3_000_000
    reading = read_form(document)
    main = main_of(reading)
    assert reading.exact
    assert (main.count, reading.facts) == (20_000, ("other fields: version=3",))
    assert column_of(main, "user.name").different == 50
    assert column_of(main, "text").different is None
    assert column_of(main, "text").over >= 512
    least, greatest = column_of(main, "id").least, column_of(main, "id").greatest
    assert least is not None
    assert greatest is not None
    assert (least.value, greatest.value, column_of(main, "id").total) == (0, 19_999, sum(range(20_000)))
    assert rows_of(reading)[12_345] == {"id": 12_345, "user.name": "u45", "text": rows[12_345]["text"]}
    assert reading.cells is not None
    assert reading.cells.rows([19_999, 3], ["id"]) == [[19_999], [3]]
    assert table_named(reading, "small").count == 3


def test_of_a_very_large_document_some_batches_are_learned() -> None:
    row = '{"id": %d, "kind": "a", "text": "' + "word " * 200 + '"}'
    body = f'{{"rows": [{",".join(row % n for n in range(17_000))}]}}'
    reading = reading_of(body)
    main = main_of(reading)
    assert not reading.exact
    assert not main.exact
    assert (main.rows, main.count) == (17_000, column_of(main, "kind").filled)
    assert 500 < main.count < 10_000
    assert column_of(main, "kind").different == 1


def test_json_lines_of_a_large_document_are_rows() -> None:
    lines = "\n".join(json.dumps({"n": n, "text": "word " * 20}) for n in range(25_000))
    document = read(lines)
    assert document.kind is Kind.VALUES
    reading = read_form(document)
    assert main_of(reading).count == 25_000
    assert [row["n"] for row in rows_of(reading)] == list(range(25_000))


def test_rows_of_a_map_are_read_by_their_numbers() -> None:
    data = {f"k-{n}": {"n": n, "text": "word " * 20} for n in range(2_000)}
    reading = reading_of(data)
    assert reading.cells is not None
    assert reading.cells.rows([1_999, 0], ["key", "n"]) == [["k-1999", 1_999], ["k-0", 0]]


def test_list_of_paths_is_read_as_paths() -> None:
    paths = [f"{folder}/note-{n}.md" for folder, many in (("work/now", 30), ("work/later", 20)) for n in range(many)]
    reading = reading_of({"files": paths})
    assert (reading.form, [field.name for field in main_of(reading).fields][1:4]) == (
        "paths",
        ["path", "name", "folder"],
    )
    assert reading_of({"words": [f"word {n}.md" for n in range(50)]}).form != "paths"


def test_records_about_files_say_how_many_files_there_are() -> None:
    rows = [{"file": f"src/a{n % 5}.py", "line": n, "severity": "error", "message": f"m{n}"} for n in range(60)]
    assert reading_of({"results": rows}).words == "60 records in .results (4 columns), in 5 files"
    each = reading_of([{"file": f"src/a{n}.py", "size": n} for n in range(60)])
    assert each.words == "60 records (2 columns)"
