"""Rows that are taken out of a document: with what stands around them they are the document again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes.envelope import take_rows
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
        assert list(map(json.loads, map(bytes, taken.rows))) == made["data"]["items"]
        around = json.loads(taken.around)
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
    assert list(map(json.loads, map(bytes, taken.rows))) == rows
    assert json.loads(taken.around) == {"kind": "List", "items": [], "total": 3}


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
