"""Rows out of JSON values: what lies at a path, or nothing."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.rows import ColumnPath, Member, Rows, RowSpec
from penstock.core.forms.tree_nodes import dig
from penstock.core.json.path import EACH, KEY, Path
from tests.kit.strategies import values

steps = st.lists(st.integers(0, 3) | st.sampled_from(["a", "b"]), max_size=4).map(tuple)


@given(values | st.just({"a": [{"b": 1}]}), steps)
def test_what_lies_at_a_path_is_found_or_nothing(value: Any, path: Path) -> None:
    truth = value
    try:
        for step in path:
            is_there = isinstance(truth, list if isinstance(step, int) else dict)
            truth = truth.__getitem__(step) if is_there else None
    except (KeyError, IndexError):
        truth = None
    assert dig(value, path) == truth


@pytest.mark.parametrize(
    ("inner", "value", "rows"),
    [
        ((EACH,), [1, None], [(1,), (None,)]),
        ((KEY,), {"a": 1}, [(Member("a", 1),)]),
        ((EACH, "x", EACH), [{"x": [1, None]}, {"x": 2}, {}, None], [({"x": [1, None]}, 1), ({"x": [1, None]}, None)]),
        ((KEY, EACH), {"a": [1], "b": 2}, [(Member("a", [1]), 1)]),
        ((EACH, KEY), [{"a": 1}, 2], [({"a": 1}, Member("a", 1))]),
    ],
)
def test_rows_come_with_all_that_is_passed(inner: Path, value: Any, rows: list[Any]) -> None:
    assert Rows(RowSpec(inner=inner)).take(value) == rows


def test_rows_inside_of_rows_have_the_number_of_those() -> None:
    number = ColumnPath(name="_row", path=(), level=1)
    own = ColumnPath(name="n", path=("n",), level=-1)
    made = Rows(RowSpec(inner=(EACH, "in", EACH), within=1, columns=(number, own)))
    rows = made.take([{"in": [{"n": 1}, {"n": 2}]}, {"in": []}])
    rows += made.take([{"in": [{"n": 3}]}])
    assert made.columns(rows, [number, own]) == [[1, 1, 3], [1, 2, 3]]


def test_a_spec_is_plain_values() -> None:
    spec = RowSpec(outer=("a", 0), inner=(EACH, "b", KEY), columns=(ColumnPath(name="k", path=(KEY,)),))
    assert msgspec.json.decode(json.dumps(json.loads(msgspec.json.encode(spec))), type=RowSpec) == spec
    assert not spec.is_plain
    assert not spec.is_whole
    assert RowSpec(kind="columns").is_whole
    assert RowSpec(kind="tree", inner=()).is_whole
