"""Items of short arrays that are as long in every row are columns where each place means something of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Call, Config, Gate, open_store
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from penstock.core.forms.reading import Table


def table_of(data: Any) -> Table:
    main = read_form(read(json.dumps(data))).main
    assert main is not None
    return main


def names_of(data: Any) -> list[str]:
    return [field.name for field in table_of(data).fields]


def rows_with(arrays: list[Any]) -> list[dict[str, Any]]:
    return [{"name": f"n{n}", "at": array} for n, array in enumerate(arrays)]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from("abc")), min_size=8, max_size=30))
def test_a_number_and_a_text_in_each_row_are_two_columns_with_facts_of_their_own(points: list[tuple[int, str]]) -> None:
    table = table_of({"result": rows_with([list(one) for one in points])})
    number, text = table.field("at[0]"), table.field("at[1]")
    assert number is not None
    assert text is not None
    assert number.column.total == sum(one[0] for one in points)
    assert dict(text.column.values()) == {one: sum(p[1] == one for p in points) for one in {p[1] for p in points}}
    assert number.column.greatest is not None
    assert number.column.greatest.value == max(one[0] for one in points)


@pytest.mark.parametrize(
    "arrays",
    [
        [[n, True] for n in range(20)],
        [*[[n, f"t{n % 2}"] for n in range(20)], None],
    ],
)
def test_places_with_a_meaning_are_columns(arrays: list[Any]) -> None:
    width = len(arrays[0])
    assert names_of(rows_with(arrays)) == ["name", *(f"at[{at}]" for at in range(width))]


@pytest.mark.parametrize(
    "arrays",
    [
        [[["bug", "docs", "api"][n % 3], ["docs", "api", "bug"][n % 3]] for n in range(20)],
        [[f"query {n}", ["MOBILE", "DESKTOP"][n % 2]] for n in range(20)],
        [[f"only {n % 3}"] for n in range(20)],
        [[n * 1.5, -n] for n in range(20)],
        [[n, "a"][: 1 + n % 2] for n in range(20)],
        [[1, "a"]] * 7 + [None] * 30,
        [[1, "a", 2, "b", 3, "c", 4]] * 20,
        [[None, "a"]] * 20,
        [[1 if n % 2 else "x", "a"] for n in range(20)],
        [[{"v": [n]}, {"v": [n]}] for n in range(20)],
        [[[n], [n, n]] for n in range(20)],
        [[{}, {}] for n in range(20)],
        ["x", *([[1, "a"]] * 20)],
    ],
)
def test_other_arrays_stay_arrays(arrays: list[Any]) -> None:
    assert names_of(rows_with(arrays))[:2] == ["name", "at"]


CELLS = [{"f": [{"v": f"2026-01-{n + 1:02}"}, {"v": ["DE", "FR"][n % 2]}, {"v": str(n * 7)}]} for n in range(20)]


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        (["day", "country", "revenue"], ["day", "country", "revenue"]),
        (["day", "country"], ["f"]),
        (["day", "DAY", "revenue"], ["f"]),
        (["f", "country", "revenue"], ["f[0].v", "f[1].v", "f[2].v"]),
    ],
)
def test_cells_have_the_names_of_a_schema_beside_them(fields: list[str], names: list[str]) -> None:
    schema = {"schema": {"fields": [{"name": name, "type": "STRING"} for name in fields]}, "totalRows": "20"}
    assert names_of({**schema, "rows": CELLS}) == names


def test_headers_are_those_that_begin_as_the_arrays_do_and_tell_of_places_that_are_alike() -> None:
    rows = [
        {
            "metricValues": [{"value": str(n * 3 % 20)}, {"value": str(n * 7 % 20)}],
            "dimensionValues": [{"value": "DE"}, {"value": ["DE", "FR"][n % 2]}],
        }
        for n in range(20)
    ]
    heads = {
        "dimensionHeaders": [{"name": "country"}, {"name": "origin"}],
        "metricHeaders": [{"name": "users"}, {"name": "sessions"}],
    }
    assert names_of({**heads, "rows": rows}) == ["users", "sessions", "country", "origin"]
    assert names_of({"rows": rows, "rowCount": 20}) == ["metricValues", "dimensionValues"]


def test_sql_has_the_columns_and_the_arrays() -> None:
    data = {"schema": {"fields": [{"name": name} for name in ("day", "country", "revenue")]}, "rows": CELLS * 9}
    result = {"content": [{"type": "text", "text": json.dumps(data)}]}
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=1_000))
        notice = head_of(gate.admit(Call(tool="query", owner="o"), json.dumps(result).encode()))
        sql = "SELECT sum(CAST(revenue AS REAL)) AS total, max(json_array_length(f)) AS width FROM items"
        asked = {"cache_id": notice["cache_id"], "action": "sql", "sql": sql}
        answer = head_of(gate.fetch("o", asked))
    assert answer["result"] == [{"total": 9.0 * sum(n * 7 for n in range(20)), "width": 3}]
