"""The column by which rows are told apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.changes.keys import find_key


def key_of(old: list[Any], new: list[Any], both: list[Any] | None = None, **options: Any) -> Any:
    was, now, same = ([json.dumps(row).encode() for row in rows] for rows in (old, new, both or []))
    found = find_key(was, now, [*same, *now], **options)
    return None if found is None else found.path


def test_a_name_that_says_so_goes_first() -> None:
    old = [{"title": f"t{at}", "user_id": at} for at in range(3)]
    new = [{**row, "more": 1} for row in old]
    assert key_of(old, new) == ("user_id",)


def test_a_place_in_the_list_is_a_key_only_where_there_is_no_other() -> None:
    old = [{"rank": at, "song": f"s{at}"} for at in range(3)]
    new = [{**row, "plays": 1} for row in old]
    assert key_of(old, new) == ("song",)
    assert key_of([{"rank": at, "plays": 0} for at in range(3)], [{"rank": at, "plays": 1} for at in range(3)]) == (
        "rank",
    )


def test_a_key_may_lie_in_objects_inside_of_rows() -> None:
    old = [{"kind": "Pod", "metadata": {"labels": {}, "uid": f"u{at}"}, "n": 0} for at in range(3)]
    assert key_of(old, [{**row, "n": 1} for row in old]) == ("metadata", "uid")


def test_the_column_that_most_rows_kept_is_the_key() -> None:
    old = [{"id": at, "slug": f"s{at}"} for at in range(10)]
    new = [{"id": 100 + at if at else 0, "slug": f"s{at}", "n": 1} for at in range(10)]
    assert key_of(old, new) == ("slug",)
    few = [{"id": 100 + at if at else 0, "slug": f"new{at}" if at > 1 else f"s{at}"} for at in range(10)]
    assert key_of(old, few) == ("slug",)  # two rows of ten kept it, and one its id


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": 1.5}, {"id": 2.5}],
        [{"id": True}, {"id": None}],
        [{"id": "x" * 400}, {"id": "y" * 400}],
        [{"id": [1]}, {"id": [2]}],
        [1, 2],
        ["a", "b"],
        [{"id": 1}, {"other": 2}],
        [{"id": 1}, 2],
        [{"a": {"id": 1}}, {"a": None}],
        [{"a": {"id": 1}}, {"a": {}}],
        [{'i"d': 1}, {'i"d': 2}],
        [{"id": 7}, {"id": 7}],
        [{}, {}],
    ],
)
def test_no_other_values_are_keys(rows: list[Any]) -> None:
    new = [{**row, "n": 1} if isinstance(row, dict) else row for row in rows]
    assert key_of(rows, new) is None


def test_a_key_that_another_row_of_the_new_version_has_is_none() -> None:
    old, new = [{"id": 1, "n": 0}], [{"id": 1, "n": 5}]
    assert key_of(old, new, [{"id": 2, "n": 1}]) == ("id",)
    assert key_of(old, new, [{"id": 1, "n": 1}]) is None


def test_what_the_profile_knows_of_a_column_is_not_looked_for_again() -> None:
    old, new = [{"id": 1, "n": 0}], [{"id": 1, "n": 5}]
    assert key_of(old, new, [{"id": 1, "n": 1}], is_unique=lambda _: True) == ("id",)
    assert key_of(old, new, is_unique=lambda _: False) is None
    assert key_of(old, new, is_unique=lambda _: None) == ("id",)


def test_a_column_that_rows_did_not_keep_is_no_key() -> None:
    assert key_of([{"id": 1}, {"id": 2}], [{"id": 3}, {"id": 4}]) is None
