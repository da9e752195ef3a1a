"""What differs between two JSON values: told changes turn the old value into the new one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from penstock.core.changes import values
from penstock.core.changes.values import Known, ValueChange, brief_changes, same_value, value_changes
from penstock.core.json.path import KEY

if TYPE_CHECKING:
    from penstock.core.json.path import Path

NAMES = st.sampled_from(["id", "a", "b", "é"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 2.5, 2**60]) | st.sampled_from(["x", "y\n"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def same_json(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def applied(old: Any, changes: list[ValueChange]) -> Any:
    """Return a value with changes made to it: what was changed, then what was removed, the last first, then what was
    added."""
    top = [json.loads(json.dumps(old))]

    def holder(path: Path) -> tuple[Any, Any]:
        inside: Any = top
        for step in (0, *path)[:-1]:
            inside = inside[step]
        return inside, (0, *path)[-1]

    def by_place(change: ValueChange) -> list[tuple[bool, Any]]:
        return [(isinstance(step, str), step) for step in change.path]

    for one in changes:
        if one.old is not None and one.new is not None:
            inside, step = holder(one.old_path)
            inside[step] = json.loads(one.new)
    for one in sorted((one for one in changes if one.new is None and not one.is_moved), key=by_place, reverse=True):
        inside, step = holder(one.path)
        assert same_json(inside.pop(step), json.loads(one.old or b""))
    for one in sorted((one for one in changes if one.old is None and not one.is_moved), key=by_place):
        inside, step = holder(one.path)
        if isinstance(inside, list):
            inside.insert(step, json.loads(one.new or b""))
        else:
            inside[step] = json.loads(one.new or b"")
    return top[0]


@given(VALUES, VALUES)
def test_told_changes_turn_the_old_value_into_the_new_one(old: Any, new: Any) -> None:
    changes, rows = value_changes(compact(old), compact(new))
    assert rows is None
    if not any(one.is_moved for one in changes):
        assert same_json(applied(old, changes), new)


@given(VALUES, VALUES)
def test_values_are_the_same_only_if_nothing_is_told(old: Any, new: Any) -> None:
    assert same_value(compact(old), compact(new)) is same_json(old, new)
    assert same_value(json.dumps(old, indent=2).encode(), compact(old))


def changes_of(old: Any, new: Any) -> list[ValueChange]:
    return value_changes(compact(old), compact(new))[0]


def test_numbers_are_compared_as_they_are_written() -> None:
    (found,) = value_changes(b'{"a":1,"b":9007199254740993}', b'{"a":1.0,"b":9007199254740993}')[0]
    assert (found.path, found.old, found.new) == (("a",), b"1", b"1.0")


def test_the_way_in_which_a_text_is_escaped_makes_no_difference() -> None:
    assert same_value(b'{"b":"\\u00e9","a":"/"}', '{"a":"\\/","b":"é"}'.encode())


def test_a_long_text_is_compared_line_by_line() -> None:
    lines = [f"line {number}" for number in range(40)]
    (found,) = changes_of({"text": "\n".join(lines)}, {"text": "\n".join([*lines[:20], "new", *lines[20:]])})
    assert [(list(hunk.old), list(hunk.new)) for hunk in found.hunks] == [([], [20])]
    assert changes_of({"text": "x" * 300}, {"text": "y" * 300})[0].hunks == ()


def test_items_that_were_only_moved_are_told_as_moved() -> None:
    (found,) = changes_of({"tags": ["a", "b"]}, {"tags": ["b", "a"]})
    assert (found.path, found.is_moved) == (("tags",), True)


def test_what_lies_too_deep_differs_as_a_whole() -> None:
    old, new = b"[" * 40 + b"1" + b"]" * 40, b"[" * 40 + b"2" + b"]" * 40
    (found,) = value_changes(old, new)[0]
    assert len(found.path) == values.MOST_LEVELS
    assert found.new == b"[" * 8 + b"2" + b"]" * 8


def nested(leaf: str, levels: int) -> bytes:
    """A long text with something to change beside it, deep inside."""
    return b'{"a":' * levels + compact({"text": "x" * values.FREE, "leaf": leaf}) + b"}" * levels


def test_what_would_take_too_long_differs_as_a_whole() -> None:
    (found,) = value_changes(nested("old", 20), nested("new", 20))[0]
    assert values.MOST_TIMES <= len(found.path) < 20
    (found,) = value_changes(nested("old", 3), nested("new", 3))[0]
    assert found.path == ("a", "a", "a", "leaf")


def test_rows_are_told_apart_from_what_stands_beside_them() -> None:
    old = {"total": 2, "data": {"rows": [{"id": 1, "n": 1}, {"id": 2, "n": 2}]}}
    new = {"total": 3, "data": {"rows": [{"id": 1, "n": 7}, {"id": 2, "n": 2}, {"id": 3, "n": 3}]}}
    changes, rows = value_changes(compact(old), compact(new), ("data", "rows"))
    assert [one.path for one in changes] == [("total",)]
    assert rows is not None
    assert (rows.alignment.added, rows.alignment.key, rows.count_changed()) == ((2,), ("id",), 1)
    ((one, other, inside),) = rows.changed()
    assert (one, other, [change.path for change in inside]) == (0, 0, [("n",)])


def test_rows_are_found_where_nothing_around_them_differs() -> None:
    old = {"a": 1, "data": {"rows": [{"id": 1}]}}
    changes, rows = value_changes(compact(old), compact({**old, "a": 2}), ("data", "rows"))
    assert len(changes) == 1
    assert rows is not None
    assert rows.alignment.same == 1
    assert rows.is_rewritten


def test_members_of_a_map_are_rows_by_their_keys() -> None:
    old, new = {"x": {"n": 1}, "y": {"n": 2}, "z": {"n": 3}}, {"z": {"n": 3}, "y": {"n": 9}, "w": {"n": 0}}
    changes, rows = value_changes(compact(old), compact(new), ())
    assert changes == []
    assert rows is not None
    found = rows.alignment
    assert (found.key, found.pairs, found.added, found.removed, found.same) == ((KEY,), ((1, 1),), (2,), (0,), 1)
    assert [rows.new_names[at] for at in found.added] == ["w"]


def test_rows_that_are_written_differently_have_not_changed() -> None:
    old = b'[{"id":1,"t":"a"},{"id":2,"t":"\\u00e9"},{"id":3,"t":"b"}]'
    new = '[{"t":"a","id":1},{"t":"é","id":2},{ "id" : 3,"t":"b"}]'.encode()
    _, rows = value_changes(old, new, ())
    assert rows is not None
    assert (rows.count_changed(), list(rows.changed()), rows.is_rewritten) == (0, [], True)


def test_items_without_a_key_that_differ_in_white_space_are_the_same() -> None:
    changes, _ = value_changes(b'[{"a":[1,2]},5,{"a":[3]}]', b'[{"a":[3]},{"a": [1, 2]},6,7]')
    assert [(one.old, one.new) for one in changes] == [(b"5", None), (None, b"6"), (None, b"7"), (None, None)]


def test_the_same_key_twice_in_a_row_is_told_as_a_change_of_the_row() -> None:
    _, rows = value_changes(b'[{"id":1,"a":2}]', b'[{"id":1,"a":2,"a":2}]', ())
    assert rows is not None
    assert rows.count_changed() == 1
    ((_, _, (change,)),) = rows.changed()
    assert (change.path, change.new) == ((), b'{"id":1,"a":2,"a":2}')


def test_a_brief_comparison_gives_up_where_there_is_too_much_to_read() -> None:
    assert brief_changes(nested("old", 20), nested("new", 20), Known()) is None
    items = [compact({"a": ["x" * 2 * values.FREE, leaf]}) for leaf in (1, 2)]
    assert brief_changes(items[0], items[1], Known()) is None
    found = brief_changes(b'{"a":1}', b'{"a":2}', Known())
    assert found is not None
    assert [one.path for one in found[0]] == [("a",)]


def test_values_that_stand_one_after_the_other_are_items() -> None:
    changes, rows = value_changes([Raw(b"1")], [Raw(b"1"), Raw(b"2")], ())
    assert changes == []
    assert rows is not None
    assert rows.alignment.added == (1,)
    (change,) = value_changes([Raw(b"1")], b"[1,2]")[0]
    assert (change.path, change.new) == ((1,), b"2")
