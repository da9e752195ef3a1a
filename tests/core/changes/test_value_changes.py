"""Two JSON values: the reported changes turn the old value into the new one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes.row_pairs import MAX_LEVELS, same_value
from penstock.core.changes.value_changes import ValueChange, count_in_words, value_changes
from penstock.core.json.scan import minify

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


def changes_of(old: Any, new: Any) -> list[ValueChange]:
    return list(value_changes(compact(old), compact(new)))


def applied(old: Any, changes: list[ValueChange]) -> Any:
    """Return a value with changes made to it: first the changed parts, then the removed ones from the last to the
    first, then the added ones."""
    top = [json.loads(json.dumps(old))]

    def holder(path: Path) -> tuple[Any, Any]:
        inside: Any = top
        for step in (0, *path)[:-1]:
            inside = inside[step]
        return inside, (0, *path)[-1]

    def by_place(change: ValueChange) -> list[tuple[bool, Any]]:
        return [(isinstance(step, str), step) for step in change.path]

    for change in changes:
        if change.old is not None and change.new is not None:
            inside, step = holder(change.old_path)
            inside[step] = json.loads(change.new)
    removed = [change for change in changes if change.new is None and not change.is_reordered]
    for change in sorted(removed, key=by_place, reverse=True):
        inside, step = holder(change.path)
        assert same_json(inside.pop(step), json.loads(change.old or b""))
    added = [change for change in changes if change.old is None and not change.is_reordered]
    for change in sorted(added, key=by_place):
        inside, step = holder(change.path)
        if isinstance(inside, list):
            inside.insert(step, json.loads(change.new or b""))
        else:
            inside[step] = json.loads(change.new or b"")
    return top[0]


@given(VALUES, VALUES)
def test_changes_turn_the_old_value_into_the_new_one(old: Any, new: Any) -> None:
    changes = changes_of(old, new)
    if not any(change.is_reordered for change in changes):
        assert same_json(applied(old, changes), new)


@given(VALUES, VALUES)
def test_values_are_the_same_only_if_no_change_is_reported(old: Any, new: Any) -> None:
    assert same_value(compact(old), compact(new)) is same_json(old, new)
    assert (not changes_of(old, new)) is same_json(old, new)
    assert same_value(minify(json.dumps(old, indent=2).encode()), compact(old))


def test_numbers_are_compared_as_they_are_written() -> None:
    (found,) = value_changes(b'{"a":1,"b":9007199254740993}', b'{"a":1.0,"b":9007199254740993}')
    assert (found.path, found.old, found.new) == (("a",), b"1", b"1.0")


def test_escapes_make_no_difference() -> None:
    assert list(value_changes(b'{"b":"\\u00e9","a":"/"}', '{"a":"\\/","b":"é"}'.encode())) == []


def test_a_long_text_is_compared_line_by_line() -> None:
    lines = [f"line {number}" for number in range(40)]
    (found,) = changes_of({"text": "\n".join(lines)}, {"text": "\n".join([*lines[:20], "new", *lines[20:]])})
    assert found.lines is not None
    assert [(list(hunk.old), list(hunk.new)) for hunk in found.lines.hunks] == [([], [20])]
    assert changes_of({"text": "x" * 300}, {"text": "y" * 300})[0].lines is None


def test_items_in_another_order_are_reported_as_reordered() -> None:
    found = changes_of({"tags": ["a", "b"]}, {"tags": ["b", "a"]})
    assert [(change.path, change.is_reordered) for change in found] == [(("tags",), True)]
    assert count_in_words(found) == "1 array in another order"


def test_values_below_the_last_level_differ_as_a_whole() -> None:
    old, new = b"[" * 40 + b"1" + b"]" * 40, b"[" * 40 + b"2" + b"]" * 40
    (found,) = value_changes(old, new)
    assert len(found.path) == MAX_LEVELS
    assert found.new == b"[" * 8 + b"2" + b"]" * 8
    deep = b'{"a":' * (MAX_LEVELS + 1) + b'{"a":1,"b":2}' + b"}" * (MAX_LEVELS + 1)
    assert list(value_changes(deep, deep.replace(b'"a":1,"b":2', b'"b":2,"a":1'))) == []


def test_kinds_of_changes_are_counted_in_words() -> None:
    found = changes_of({"a": 1, "b": 2, "c": [1, 2], "d": 4}, {"a": 7, "c": [2, 1], "d": 4, "e": 5, "f": 6})
    assert count_in_words(found) == "+2 -1 ~1 values, 1 array in another order"
