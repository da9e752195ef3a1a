"""Rows that are cut out of two documents: with those that are the same, they are all rows of both."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes.compare import CHANGED, Version, compare, compare_briefly
from penstock.core.changes.cut import RowCut, Start, cut_rows, mark_of

PATH = ("data", "items")
TEXTS = st.sampled_from(["open", "closed", '},{"id":', "],", "é"])
ROW = st.fixed_dictionaries({"id": st.integers(0, 9), "s": TEXTS, "t": st.lists(st.just({"id": 1}), max_size=2)})
ROWS = st.lists(ROW, min_size=2, max_size=9) | st.lists(st.lists(st.integers(0, 2), max_size=2), min_size=2, max_size=9)
EDITS = st.lists(st.tuples(st.sampled_from(["put", "take", "change", "move"]), st.integers(0, 20), ROW), max_size=4)
STYLES = st.sampled_from([(None, (",", ":")), (None, (", ", ": ")), (1, (",", ": ")), (4, (",", ": "))])


def edited(rows: list[Any], edits: list[tuple[str, int, Any]]) -> list[Any]:
    made = list(rows)
    for edit, place, row in edits:
        at = place % (len(made) + 1)
        if edit == "put":
            made.insert(at, row)
        elif at < len(made):
            taken = made.pop(at)
            made[at:at] = [row] if edit == "change" else []
            made[place // 2 : place // 2] = [taken] if edit == "move" else []
    return made


def written(rows: list[Any], beside: int, style: tuple[Any, Any]) -> bytes:
    made = {"total": beside, "data": {"items": rows, "next": beside}}
    return json.dumps(made, indent=style[0], separators=style[1]).encode()


def decoded(rows: list[Any], numbers: list[int]) -> dict[int, Any]:
    """Return the rows by their numbers, without what stands between two places."""
    return {at: json.loads(bytes(row)) for at, row in zip(numbers, rows, strict=True) if bytes(row)[:3] != b'"\\u'}


@given(ROWS, EDITS, STYLES, st.integers(0, 1), st.integers(0, 1))
def test_the_rows_that_are_not_cut_out_are_the_same(
    rows: list[Any], edits: list[tuple[str, int, Any]], style: tuple[Any, Any], beside: int, beside_later: int
) -> None:
    new = edited(rows, edits)
    cut = cut_rows(written(rows, beside, style), written(new, beside_later, style), PATH)
    if not isinstance(cut, RowCut):
        assert cut is None
        return
    was, now = decoded(cut.old, cut.numbers), decoded(cut.new, cut.new_numbers)
    assert all(rows[at] == row for at, row in was.items())
    assert all(new[at] == row for at, row in now.items())
    assert [row for at, row in enumerate(rows) if at not in was] == [row for at, row in enumerate(new) if at not in now]
    around = [json.loads(one) for one in cut.around]
    assert around == [json.loads(written([], one, style)) for one in (beside, beside_later)]


@given(ROWS, EDITS, STYLES, st.integers(0, 1))
def test_a_notice_says_what_the_action_says(
    rows: list[Any], edits: list[tuple[str, int, Any]], style: tuple[Any, Any], beside: int
) -> None:
    was, now = (
        Version(raw=raw, kind="json", body=raw, rows=PATH)
        for raw in (written(rows, 0, style), written(edited(rows, edits), beside, style))
    )
    assert compare_briefly(was, now) == compare(was, now).words


@given(st.lists(ROW, min_size=2, max_size=9), EDITS)
def test_values_one_after_the_other_are_cut_alike(rows: list[Any], edits: list[tuple[str, int, Any]]) -> None:
    new = edited(rows, edits)
    before, after = ("\n".join(map(json.dumps, one)).encode() for one in (rows, new))
    cut = cut_rows(before, after, None)
    if isinstance(cut, RowCut):
        was, now = decoded(cut.old, cut.numbers), decoded(cut.new, cut.new_numbers)
        kept = [row for at, row in enumerate(rows) if at not in was]
        assert kept == [row for at, row in enumerate(new) if at not in now]


def test_rows_before_the_first_that_differs_are_the_same_where_too_much_does() -> None:
    rows = [{"id": number, "text": f"{number} " * 30} for number in range(2_000)]
    new = [*rows[:20], *({**row, "text": "other" * 9} for row in rows[20:])]
    assert cut_rows(json.dumps(rows).encode(), json.dumps(new).encode(), ()) == Start(20, 2_000)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'{"items":[{"a":1},{"a":2}]}', b'{"items":[{"a":1}]}'),  # fewer than two rows now
        (b'{"other":[{"a":1},{"a":2}]}', b'{"items":[{"a":1},{"a":3}]}'),  # at another place
        (b'{"items":{"a":1}}', b'{"items":[{"a":1},{"a":3}]}'),  # no array before
        (b'{"items":[{"a":1},{"a":2}],"x":[{"a":2}]}', b'{"items":[{"a":1},{"a":2}]}'),  # another array behind it
        (b'{"x":"{\\"items\\":[","items":[{"a":1},{"a":2}]}', b'{"x":1,"items":[{"a":1},{"a":3}]}'),
    ],
)
def test_rows_that_cannot_be_told_from_the_rest_are_not_cut(old: bytes, new: bytes) -> None:
    assert cut_rows(old, new, ("items",)) is None
    was, now = (Version(raw=raw, kind="json", body=raw, rows=("items",)) for raw in (old, new))
    assert compare_briefly(was, now) == compare(was, now).words != CHANGED


def test_white_space_between_rows_is_no_row() -> None:
    cut = cut_rows(b'[{"a":1},\n\n {"a":2},\n {"a":3}]', b'[{"a":1},\n {"a":2},\n {"a":3}]', ())
    assert isinstance(cut, RowCut)
    assert decoded(cut.old, cut.numbers) == decoded(cut.new, cut.new_numbers)


def test_places_in_the_same_row_are_one() -> None:
    inside = [{"a": number, "text": "words " * 9} for number in range(30)]
    changed = [{**one, "text": "new"} if one["a"] in (3, 25) else one for one in inside]
    rows = [{"a": number, "in": inside} for number in range(3)]
    cut = cut_rows(json.dumps(rows).encode(), json.dumps([rows[0], {"a": 1, "in": changed}, rows[2]]).encode(), ())
    assert isinstance(cut, RowCut)
    assert decoded(cut.old, cut.numbers) == {1: rows[1]}
    assert decoded(cut.new, cut.new_numbers) == {1: {"a": 1, "in": changed}}


def test_rows_that_came_into_an_empty_array_are_all_rows() -> None:
    cut = cut_rows(b'{"items":[],"n":0}', b'{"items":[{"a":1},{"a":2}],"n":2}', ("items",))
    assert isinstance(cut, RowCut)
    assert (len(cut.old), len(cut.new), cut.same) == (1, 3, -1)
    assert cut.around == (b'{"items":[],"n":0}', b'{"items":[],"n":2}')


def test_a_new_row_at_the_top_and_another_total_before_it_are_both_told() -> None:
    rows = [{"id": number, "text": "words " * 9} for number in range(99, 0, -1)]
    old, new = ({"total": len(one), "items": one, "page": 1} for one in (rows, [{"id": 100, "text": "new"}, *rows]))
    was, now = (
        Version(raw=raw, kind="json", body=raw, rows=("items",))
        for raw in (json.dumps(one).encode() for one in (old, new))
    )
    words = "1 row added, 0 removed, 0 changed, 99 unchanged; 1 value changed, 0 added, 0 removed beside them"
    assert compare_briefly(was, now) == words
    assert [json.loads(line)["op"] for line in compare(was, now).listed()] == ["added", "changed"]


def test_parts_of_json_are_lines_or_objects() -> None:
    assert mark_of(json.dumps([{"a": 1}] * 9, indent=1).encode()) == b"\n"
    assert mark_of(b'[{"a":1}]') == b"{"
