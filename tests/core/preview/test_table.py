"""A table is valid JSON within its room; what it does not show it counts, what it claims of its rows is true, and a
bigger room never shows fewer rows or columns."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.preview.table import MOST_ROWS, table
from penstock.core.subject import study
from tests.core.preview import hostile
from tests.core.preview.promises import WIDE, growing, must_show, shown
from tests.strategies import json_bytes, records

ROOM = Room(tokens=1_500, size=8_192)


def told(data: object, room: Room = ROOM) -> dict[str, Any]:
    text = must_show(table, data if isinstance(data, bytes) else json.dumps(data), room).text
    return dict(json.loads(text))


def columns(preview_text: str) -> set[str]:
    body = json.loads(preview_text)
    return {*body.get("columns", ()), *body.get("same_in_rows_shown", {})}


@given(hostile.documents)
@settings(max_examples=40)
def test_any_json_is_shown_within_its_room_or_left_to_others(document: bytes) -> None:
    for preview in growing(table, document):
        body = json.loads(preview.text)
        shown_rows = body.get("rows", body.get("items"))
        hidden = body.get("not_shown", {})
        assert len(shown_rows) == preview.shown.end
        assert len(shown_rows) + hidden.get("rows", hidden.get("items", 0)) == preview.shown.total


@pytest.mark.parametrize("name", hostile.fixed)
def test_hostile_documents_are_shown_within_their_room_or_left_to_others(name: str) -> None:
    for preview in growing(table, hostile.fixed[name]):
        json.loads(preview.text)


@given(json_bytes(records))
@settings(max_examples=30)
def test_columns_only_grow_with_the_room(document: bytes) -> None:
    before: set[str] = set()
    for preview in growing(table, document):
        assert before <= columns(preview.text)
        before = columns(preview.text)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"id": st.integers(0, 99), "on": st.booleans()}, optional={"repo": st.sampled_from(["x", "y", None])}
        ),
        min_size=4,
        max_size=60,
    ),
    st.integers(60, 800),
)
def test_every_cell_and_every_claim_is_true(rows: list[dict[str, Any]], tokens: int) -> None:
    preview = shown(table, json.dumps(rows), Room(tokens=tokens))
    if preview is None or preview.style != "table":
        return
    body = json.loads(preview.text)
    for record, row in zip(rows, body["rows"], strict=False):
        assert row == [record.get(column) for column in body["columns"]]
        assert body.get("same_in_rows_shown", {}).items() <= record.items()
        accounted = {*columns(preview.text)}
        hidden = body.get("not_shown", {})
        if isinstance(hidden.get("columns", []), list):
            accounted |= {*hidden.get("columns", [])}
            assert {key for key, value in record.items() if value is not None} <= accounted


def test_records_become_columns_and_rows() -> None:
    rows = [{"id": number, "name": f"n{number}", "ok": number % 2 == 0} for number in range(1_000)]
    preview = must_show(table, json.dumps({"total": 1_000, "rows": rows}), Room(tokens=150))
    body = json.loads(preview.text)
    count = len(body["rows"])
    assert body["columns"] == ["id", "name", "ok"]
    assert body["rows"][:2] == [[0, "n0", True], [1, "n1", False]]
    assert body["beside"] == {".total": 1_000}
    assert body["not_shown"] == {"rows": 1_000 - count}
    assert (preview.style, preview.headline) == ("table", "1,000 records")
    assert (preview.shown.path, preview.shown.start, preview.shown.end) == (("rows",), 0, count)
    assert " " not in preview.text.replace("not_shown", "")


def test_integers_and_floats_keep_their_digits() -> None:
    document = b'[{"n": 9007199254740993, "f": 1.0}, {"n": 1e999, "f": 2.50}, {"n": 1, "f": 3}, {"n": 2, "f": 4}]'
    assert "[9007199254740993,1.0],[1e999,2.50]" in must_show(table, document).text


def test_a_field_that_is_the_same_in_all_rows_is_told_once() -> None:
    rows: list[dict[str, Any]] = [{"id": number, "repo": "x/y", "owner": {"login": "me"}} for number in range(50)]
    assert told(rows, WIDE)["same_in_rows_shown"] == {"repo": "x/y", "owner": {"login": "me"}}


def test_a_field_that_differs_in_one_row_is_a_column_as_soon_as_that_row_is_shown() -> None:
    rows: list[dict[str, Any]] = [{"id": number, "repo": "x/y"} for number in range(3_000)]
    rows[31]["repo"] = "other"  # between the records at the front and those of the sample
    assert told(rows, Room(tokens=150))["same_in_rows_shown"] == {"repo": "x/y"}
    body = told(rows, WIDE)
    assert body["columns"] == ["id", "repo"]
    assert body["rows"][30:32] == [[30, "x/y"], [31, "other"]]
    assert "same_in_rows_shown" not in body


def test_columns_without_a_value_are_counted_and_named_when_a_row_has_one() -> None:
    rows: list[dict[str, Any]] = [{"id": number, "none": None, "nil": None} for number in range(3_000)]
    rows[31]["nil"] = 5
    rows[32]["unheard_of"] = 6
    assert told(rows, Room(tokens=150))["not_shown"]["empty_columns"] == 2
    hidden = told(rows, WIDE)["not_shown"]
    assert hidden == {"rows": 1_000, "columns": ["nil", "unheard_of"], "empty_columns": 1}


def test_heavy_and_opaque_columns_are_left_out_by_name() -> None:
    rows = [
        {
            "html": f"<p>{number}</p>" * 50,
            "node": f"MDU6SXNzdWU{number:040}",
            "id": number,
            "title": f"About number {number}",
            "url": f"https://example.org/{number}",
            "embedding": [number / 7] * 300,
            "state": "open" if number % 2 else "closed",
            "rare": "once" if number == 7 else None,
        }
        for number in range(100)
    ]
    body = told(rows)
    assert body["columns"] == ["id", "title", "state", "rare"]
    assert body["not_shown"]["columns"] == ["html", "node", "url", "embedding"]


def test_columns_that_tell_nothing_are_shown_where_there_are_no_others() -> None:
    assert told([{"url": f"https://example.org/{number}"} for number in range(20)])["columns"] == ["url"]


def test_wide_records_show_the_telling_columns_and_count_the_rest() -> None:
    rows = [
        {f"c{column}": f"{number} {column} words" for column in range(60)} | {"status": number} for number in range(9)
    ]
    body = told(rows, Room(tokens=3_000))
    assert body["columns"][-1] == "status"
    assert len(body["columns"]) == 12
    assert len(body["not_shown"]["columns"]) == 25
    assert body["not_shown"]["columns"][-1] == "+25 more"
    long = [{f"c{column}": "many words " * 9 + str(number) for column in range(9)} for number in range(9)]
    assert len(told(long)["columns"]) == 5


def test_nested_values_are_summed_up_in_their_cell() -> None:
    rows = [
        {
            "id": number,
            "user": {"login": f"u{number}", "bio": "b" * 80},
            "tags": ["a"] * (number % 3),
            "tree": [[[0] * 99]],
        }
        for number in range(9)
    ]
    body = told(rows)
    assert body["rows"][1] == [1, "{2 fields: login u1}", ["a"]]
    assert body["same_in_rows_shown"] == {"tree": "[1 item]"}


def test_a_map_of_records_has_its_keys_in_the_first_column() -> None:
    rows = {f"k{number}": {"size": number} for number in range(100)}
    body = told(rows)
    assert body["columns"] == ["key", "size"]
    assert body["rows"][0] == ["k0", 0]
    assert must_show(table, json.dumps(rows)).headline == "100 records by key"
    assert told({f"k{number}": {"key": number} for number in range(9)})["columns"] == ["(key)", "key"]


def test_an_object_with_fields_of_its_own_is_no_map() -> None:
    assert shown(table, json.dumps({"build": {"a": 1}, "test": {"b": 2}, "run": {"c": 3}, "end": {"d": 4}})) is None
    assert shown(table, json.dumps({"a": {"x": 1}, "b": {"x": 2}})) is None


def test_records_with_little_in_common_are_shown_as_items() -> None:
    rows = [
        {f"k{number}": number, "list": list(range(number))} if number % 2 else {f"k{number}": number}
        for number in range(9)
    ]
    preview = must_show(table, json.dumps(rows), Room(tokens=120))
    body = json.loads(preview.text)
    assert preview.style == "items"
    assert body["items"] == rows[: preview.shown.end]
    assert body["not_shown"] == {"items": 9 - preview.shown.end}


def test_very_few_records_are_shown_as_items_with_long_values_cut() -> None:
    large = {f"field {number}": "text " * 100 for number in range(30)}
    preview = must_show(table, json.dumps({"next": 2, "rows": [large, large]}), Room(tokens=8_000))
    body = json.loads(preview.text)
    assert body["items"][0]["…"] == "+6 fields"
    assert len(body["items"]) == 2
    assert body["beside"] == {".next": 2}
    small = json.loads(must_show(table, json.dumps({"next": 2, "rows": [large, large]}), Room(tokens=250)).text)
    assert 1 <= len(small["items"][0]) < 24
    assert small["not_shown"] == {"items": 1}


def test_what_is_no_record_stands_among_the_rows_as_what_it_is() -> None:
    mixed = [{"a": 1}, 2, {"a": 3}, {"a": 4}, {"a": 5}, {}]
    preview = must_show(table, json.dumps(mixed))
    assert json.loads(preview.text)["rows"] == [[1], {"item": 2}, [3], [4], [5], [None]]
    assert preview.headline == "6 items"
    assert told({"x": {"a": 1}, "y": 2, "z": {"a": 3}, "w": {"a": 4}})["rows"][1] == {"y": 2}
    items = [5, {"a": 1}, {"b": 2}]
    assert told(items)["items"] == items


def test_records_of_nulls_have_a_column() -> None:
    assert told([{"a": None}] * 9) == {"columns": ["a"], "rows": [[None]] * 9}
    assert told([{"a": 1}] * 9) == {"columns": ["a"], "rows": [[1]] * 9}


def test_a_strategy_decides_which_rows_come_first() -> None:
    rows = [{"id": number, "v": number * 2} for number in range(100)]
    ordered = partial(table, order=[7, 3, 500, -1, 99])
    preview = must_show(ordered, json.dumps(rows))
    body = json.loads(preview.text)
    assert body["columns"] == ["#", "id", "v"]
    assert body["rows"] == [[7, 7, 14], [3, 3, 6], [99, 99, 198]]
    assert preview.shown.end == 3
    assert json.loads(must_show(partial(table, order=[]), json.dumps(rows)).text)["columns"] == ["id", "v"]
    mixed = [{"a": 1}, 2, {"a": 3}]
    assert json.loads(must_show(partial(table, order=[1, 0]), json.dumps(mixed)).text)["at"] == [1, 0]
    stray = json.loads(must_show(partial(table, order=[1, 0]), json.dumps([*mixed, {"a": 4}])).text)
    assert stray["rows"] == [{"#": 1, "item": 2}, [0, 1]]


def test_the_first_row_shows_fewer_columns_when_room_is_short() -> None:
    rows = [{"id": number, "name": f"name {number}", "comment": f"words {number}"} for number in range(100)]
    seen = [json.loads(preview.text) for preview in growing(table, json.dumps(rows))]
    assert seen[0]["columns"] == ["id"]
    assert seen[0]["not_shown"] == {"rows": 99, "columns": 2}


def test_no_more_rows_are_read_than_can_be_shown() -> None:
    read_parts: list[int] = []
    subject = study(read(json.dumps([{"id": number} for number in range(100_000)])))
    real = subject.read

    def counting(start: int, end: int) -> bytes:
        read_parts.append(start)
        return real(start, end)

    object.__setattr__(subject, "read", counting)
    assert table(subject, ROOM) is not None
    assert len(read_parts) < 2_500
    assert must_show(table, json.dumps([{"id": 1}, {"id": 2}] * 5_000), WIDE).shown.end == MOST_ROWS


@pytest.mark.parametrize(
    "document", [b"", b"some text", b"[]", b"{}", b"[1,2,3]", b"[{},{},{},{}]", b"[[1],[2]]", b"\x00\x01"]
)
def test_what_is_no_table_is_left_to_others(document: bytes) -> None:
    assert shown(table, document) is None
