"""Rows that are taken out of a document: with what stands around them they are the document again."""

from __future__ import annotations

import json
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes import values
from penstock.core.changes.cut import take_members, take_rows
from penstock.core.changes.values import Known, brief_changes, value_changes

NAMES = st.sampled_from(["items", "data", "n", "é", '"'])
LEAVES = st.integers(0, 3) | st.sampled_from(["x", '{"n":0}', "],}"])
ROWS = st.lists(st.dictionaries(NAMES, LEAVES | st.lists(LEAVES, max_size=2), max_size=3) | LEAVES, max_size=5)
AROUND = st.dictionaries(NAMES, LEAVES | ROWS, max_size=3)
PATH = ("data", "items")


def document(rows: list[Any], inside: dict[str, Any], outside: dict[str, Any], *, is_last: bool) -> dict[str, Any]:
    inside.pop("items", None)
    outside.pop("data", None)
    inner = {**inside, "items": rows} if is_last else {"items": rows, **inside}
    return {**outside, "data": inner} if is_last else {"data": inner, **outside}


DOCUMENTS = st.builds(document, ROWS, AROUND, AROUND, is_last=st.booleans())


@given(DOCUMENTS, st.sampled_from([None, 1]), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_rows_and_what_is_around_them_are_the_document(
    made: dict[str, Any], indent: int | None, separators: tuple[str, str]
) -> None:
    taken = take_rows(json.dumps(made, indent=indent, separators=separators, ensure_ascii=False).encode(), PATH)
    if taken is not None:
        assert list(map(json.loads, map(bytes, taken[0]))) == made["data"]["items"]
        around = json.loads(taken[1])
        assert around == {**made, "data": {**made["data"], "items": []}}
        assert list(around) == list(made)


def written(made: dict[str, Any], first: bytes = b",") -> bytes:
    """Write a document with something of its own between the first two rows."""
    rows = [json.dumps(row, separators=(",", ":")).encode() for row in made["data"]["items"]]
    listed = first.join([*rows[:1], b",".join(rows[1:])]) if len(rows) > 1 else b"".join(rows)
    without = {**made, "data": {**made["data"], "items": "the rows"}}
    return json.dumps(without, separators=(",", ":")).encode().replace(b'"the rows"', b"[" + listed + b"]")


@given(DOCUMENTS, DOCUMENTS)
def test_the_changes_are_those_that_are_seen_level_by_level(old: dict[str, Any], new: dict[str, Any]) -> None:
    changes, rows = value_changes(written(old), written(new), PATH)
    uneven = written(old, first=b" ,")
    assert len(old["data"]["items"]) < 3 or take_rows(uneven, PATH) is None
    by_level, aligned = value_changes(uneven, written(new), PATH)
    assert changes == by_level
    assert rows is not None
    assert aligned is not None
    assert rows.alignment == aligned.alignment


def test_rows_are_taken_out_of_a_document_that_is_indented() -> None:
    rows = [{"id": number, "tags": ["a"]} for number in range(3)]
    raw = json.dumps({"kind": "List", "items": rows, "total": 3}, indent=4).encode()
    taken = take_rows(raw, ("items",))
    assert taken is not None
    assert list(map(json.loads, map(bytes, taken[0]))) == rows
    assert json.loads(taken[1]) == {"kind": "List", "items": [], "total": 3}


@pytest.mark.parametrize(
    "raw",
    [
        b'{"items":[{"a":1}]}',  # one row
        b'{"items":[1,2]}',
        b'{"items":{"a":{},"b":{}}}',
        b'{"other":[{"a":1},{"a":2}]}',
        b'{"items":null}',
        b'[{"a":1},{"a":2}]',
        b'{"items":[{"a":1},{"a":2}, {"a":3}]}',  # not the same between all
        b'{"one":{"a":1},"items":[{"a":1},{"a":2}]}',  # the first row stands elsewhere, before
        b'{"items":[{"a":1},{"a":2}',
    ],
)
def test_other_documents_are_left_whole(raw: bytes) -> None:
    assert take_rows(raw, ("items",)) is None


def test_only_names_lead_to_rows_that_are_taken_out() -> None:
    assert take_rows(b'[{"a":1},{"a":2}]', ()) is None
    assert take_rows(b'[[{"a":1},{"a":2}]]', (0,)) is None
    assert take_rows(b'{"\\"":[{"a":1},{"a":2}]}', ('"',)) is None


def test_deep_rows_are_read_once() -> None:
    def nested(state: str) -> bytes:
        rows = [{"id": number, "state": state if number == 7 else "same", "text": "x" * 99} for number in range(2_000)]
        inside: Any = rows
        for _ in range(6):
            inside = {"in": inside}
        return json.dumps(inside).encode()

    changes = brief_changes(nested("old"), nested("new"), Known(path=("in",) * 6))
    assert changes is not None
    assert changes[0] == []
    assert changes[1] is not None
    assert changes[1].alignment.pairs == ((7, 7),)


MAPS = st.builds(document, st.dictionaries(NAMES, LEAVES | ROWS, max_size=5), AROUND, AROUND, is_last=st.booleans())


@given(MAPS, st.sampled_from([None, 1]), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_members_and_what_is_around_them_are_the_document(
    made: dict[str, Any], indent: int | None, separators: tuple[str, str]
) -> None:
    taken = take_members(json.dumps(made, indent=indent, separators=separators, ensure_ascii=False).encode(), PATH)
    if taken is not None:
        assert {key: json.loads(bytes(value)) for key, value in taken[0].items()} == made["data"]["items"]
        assert json.loads(taken[1]) == {**made, "data": {**made["data"], "items": {}}}


def test_members_are_taken_where_all_are_written_alike() -> None:
    even = {"v": 2, "data": {"items": {"b": {"n": 1}, "c": {"n": 2}, "d": 4}, "n": 3}}
    taken = take_members(json.dumps(even).encode(), PATH)
    assert taken is not None
    assert json.loads(taken[1]) == {"v": 2, "data": {"items": {}, "n": 3}}
    text = json.dumps(even, separators=(",", ":")).encode()
    assert take_members(text, PATH) is not None
    assert take_members(text.replace(b',"c"', b' ,"c"'), PATH) is None
    assert take_members(text, ()) is None
    assert take_members(text, ("data", "n")) is None
    twice = b'{"data":{"items":{"b":{"n":1},"c":2},"n":3,"items":{"b":{"n":1},"c":2}}}'
    assert take_members(twice, PATH) is None
    assert take_members(b'{"v":1,"data":{"items":{"b":1,"c":2}}}', PATH) is None


@given(MAPS, MAPS)
def test_the_changes_of_maps_are_those_that_are_seen_level_by_level(old: dict[str, Any], new: dict[str, Any]) -> None:
    was, now = (json.dumps(one, separators=(",", ":")).encode() for one in (old, new))
    changes, rows = value_changes(was, now, PATH)
    with mock.patch.object(values, "take_members", return_value=None):
        by_level, by_members = value_changes(was, now, PATH)
    assert changes == by_level
    assert rows is not None
    assert by_members is not None
    assert rows.alignment == by_members.alignment


def test_a_map_is_compared_by_its_members_and_the_rest_beside_it() -> None:
    def made(state: str, version: int) -> bytes:
        members = {f"k{at}": {"at": at, "state": state if at == 7 else "same"} for at in range(40)}
        return json.dumps({"version": version, "data": {"items": members}}).encode()

    changes, rows = value_changes(made("old", 101), made("new", 102), PATH)
    assert [(one.path, one.old, one.new) for one in changes] == [(("version",), b"101", b"102")]
    assert rows is not None
    assert (rows.alignment.pairs, rows.alignment.same) == (((7, 7),), 39)
