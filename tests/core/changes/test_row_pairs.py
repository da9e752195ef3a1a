"""Two versions of a table: every row is the same, changed, added or removed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from penstock.core.changes.row_pairs import RowChanges, canonical, match_members, match_rows, same_value
from penstock.core.json.path import KEY

ROWS = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 6), "state": st.sampled_from(["open", "closed"])})
    | st.integers(0, 3)
    | st.sampled_from(["a", "b"]),
    max_size=8,
)
# Edits of a longer table: rows are inserted, removed, changed, doubled and moved, at any place.
EDITS = st.lists(
    st.tuples(st.sampled_from(["insert", "remove", "change", "double", "move"]), st.integers(0, 99)), max_size=12
)


def written(rows: list[Any]) -> list[bytes]:
    return [json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() for row in rows]


def matched(old: list[Any], new: list[Any]) -> RowChanges:
    return match_rows(written(old), written(new))


def edited(rows: list[Any], edits: list[tuple[str, int]]) -> list[Any]:
    made = list(rows)
    for number, (kind, place) in enumerate(edits):
        at = place % len(made)
        if kind == "insert":
            made.insert(at, {"id": 1_000 + number, "state": "new"})
        elif kind == "change":
            made[at] = {**made[at], "state": f"changed {number}"}
        elif kind == "double":
            made.insert(at, made[at])
        elif len(made) > 1:
            row = made.pop(at)
            if kind == "move":
                made.append(row)
    return made


def applied(old: list[bytes], found: RowChanges) -> list[bytes]:
    """Return the old rows with the changes made to them, in the order of the old rows."""
    made = dict(enumerate(old)) | {one: found.new[at] for one, at in found.changed}
    kept = [made[at] for at in sorted(made) if at not in set(found.removed)]
    for at in found.added:
        kept.insert(at, found.new[at])
    return kept


def check(old: list[bytes], new: list[bytes]) -> RowChanges:
    found = match_rows(old, new)
    made = applied(old, found)
    assert Counter(map(canonical, made)) == Counter(map(canonical, new))
    if not found.is_reordered:
        assert list(map(canonical, made)) == list(map(canonical, new))
    assert all(canonical(old[one]) != canonical(new[at]) for one, at in found.changed)
    assert found.has_changes is (list(map(canonical, old)) != list(map(canonical, new)))
    return found


@given(ROWS, ROWS)
def test_changes_turn_the_old_rows_into_the_new_ones(old: list[Any], new: list[Any]) -> None:
    check(written(old), written(new))


@given(EDITS)
def test_changes_of_an_edited_table_turn_the_old_rows_into_the_new_ones(edits: list[tuple[str, int]]) -> None:
    rows = [{"id": number, "state": "open"} for number in range(20)]
    check(written(rows), written(edited(rows, edits)))


def test_rows_with_the_same_key_are_versions_of_one_row() -> None:
    old = [{"id": number, "state": "open"} for number in range(6)]
    new = [old[0], {"id": 9, "state": "new"}, {**old[1], "state": "closed"}, *old[3:]]
    found = matched(old, new)
    assert (found.changed, found.added, found.removed, found.key) == ([(1, 2)], [1], [2], ("id",))
    assert found.words == "+1 -1 ~1 rows, 4 unchanged, matched by .id"
    assert found.key_of(2) == Raw(b"1")


def test_a_key_can_be_in_objects_inside_rows() -> None:
    old = [{"kind": "Pod", "metadata": {"labels": {}, "uid": f"u{at}"}, "n": 0} for at in range(3)]
    assert matched(old, [{**row, "n": 1} for row in old]).key == ("metadata", "uid")


def test_the_column_that_most_changed_rows_kept_is_the_key() -> None:
    old = [{"id": at, "name": f"s{at}", "n": 0} for at in range(10)]
    new = [{"id": 100 + at if at else 0, "name": f"s{at}", "n": 1} for at in range(10)]
    assert matched(old, new).key == ("name",)


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": 1.5}, {"id": 2.5}],
        [{"id": True}, {"id": None}],
        [{"id": "x" * 400}, {"id": "y" * 400}],
        [{"id": [1]}, {"id": [2]}],
        [{"id": 1}, {"other": 2}],
        [{"id": 1}, 2],
        [{"a": {"id": 1}}, {"a": None}],
        [{"a": {"id": 1}}, {"a": {}}],
        [{"id": 7, "n": 1}, {"id": 7, "n": 2}],
        [{"colour": "red"}, {"colour": "blue"}],
        [{"a": {"a": {"a": {"id": 1}}}}, {"a": {"a": {"a": {"id": 2}}}}],
    ],
)
def test_a_column_that_does_not_identify_all_rows_is_not_a_key(rows: list[Any]) -> None:
    new = [{**row, "more": 1} if isinstance(row, dict) else row for row in rows]
    assert matched(rows, new).key is None


def test_rows_without_a_key_are_versions_of_one_row_only_if_the_others_stayed() -> None:
    old = [{"colour": name} for name in ("red", "blue", "green")]
    in_place = matched(old, [old[0], {"colour": "grey"}, old[2]])
    assert (in_place.changed, in_place.key) == ([(1, 1)], None)
    assert in_place.words == "~1 row, 2 unchanged"
    shifted = matched(old, [{"colour": "grey"}, *old[:2]])
    assert (shifted.changed, shifted.added, shifted.removed) == ((), [0], [2])


def test_rows_in_another_order_are_reported_as_such() -> None:
    old = [{"id": number} for number in range(4)]
    found = matched(old, [old[2], old[0], old[1], old[3]])
    assert (found.is_reordered, found.words) == (True, "no rows changed, 4 unchanged, in another order")


def test_the_order_of_members_and_escapes_make_no_difference() -> None:
    old = [b'{"a":"\\u00e9","b":[1,{"x":1,"y":2}]}', b"1"]
    new = [b"2", '{"b":[1,{"y":2,"x":1}],"a":"é"}'.encode()]
    found = match_rows(old, new)
    assert (found.added, found.removed) == ([0], [1])
    assert same_value(old[0], new[1])
    assert not same_value(b"1", b"1.0")
    deep = b"[" * 40 + b'{"a":1,"b":2}' + b"]" * 40
    assert not same_value(deep, deep.replace(b'"a":1,"b":2', b'"b":2,"a":1'))


def test_members_of_a_map_are_rows_by_their_names() -> None:
    old = {"x": b'{"n":1}', "y": b'{"n":2}', "z": b'{"n":3}'}
    found = match_members(old, {"z": b'{"n":3}', "y": b'{"n":9}', "w": b"0"})
    assert (found.key, found.changed, found.added, found.removed) == ((KEY,), [(1, 1)], [2], [0])
    assert (found.key_of(1), found.words) == ("y", "+1 -1 ~1 rows, 1 unchanged, matched by key")
    assert match_rows([], []).key_of(0) is None
