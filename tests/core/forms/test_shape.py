"""The shape of data in one line: what is there, what may be missing, and never too long."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from penstock.core.forms.document import read
from penstock.core.forms.shape import LONGEST, shape
from penstock.core.forms.structure_reader import read_structure
from tests.kit.forms.facts import reading_of
from tests.kit.strategies import containers, json_bytes


@pytest.mark.parametrize("end", ["", None, [], 7])
def test_what_ends_the_branches_of_a_tree_is_not_said_of_its_roots(end: Any) -> None:
    def comment(depth: int) -> dict[str, Any]:
        below = {"kind": "L", "data": {"children": [comment(depth - 1)] * 2}} if depth else end
        return {"kind": "t1", "data": {"id": f"x{depth}", "replies": below}}

    found = reading_of([{"kind": "L", "data": {"children": [comment(3)] * 20}}] * 2).shape
    assert found.startswith("[{kind: str, data: {")
    assert found.endswith("}}|…]")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([], "[]"),
        ({}, "{}"),
        ([None], "[null]"),
        ([1, 1.5], "[float]"),
        ([1, "a", True, None], "[int|str|bool|null]"),
        ([{"a": 1}, {"a": None, "b": "x"}], "[{a: int|null, b?: str}]"),
        ({"matches": [{"file": "a", "n": 1}], "x": {"y": []}}, "{matches: [{file: str, n: int}], x: {y: []}}"),
        ({"2024-01": 1, "2024-02": 2}, "{<key>: int}"),
        ({"a": {"1/2": {"x": 1}, "3/4": {"x": 2}}}, "{a: {<key>: {x: int}}}"),
        ([[1, "a"], [2, None]], "[[int|str|null]]"),
        ([[1, 2], [3]], "[[int]]"),
        ({"a b": 1, "c-d": 2, "\u00e9": 3}, '{"a b": int, c-d: int, "\u00e9": int}'),
        ({"x" * 60: 1}, '{"' + "x" * 39 + '…": int}'),
    ],
)
def test_shapes(data: Any, text: str) -> None:
    found = reading_of(data).shape
    order = str.maketrans("", "", " ")
    assert sorted(found.translate(order)) == sorted(text.translate(order))
    assert found == text or "|" in text


@given(json_bytes(containers))
def test_a_shape_is_one_line_and_not_long(data: bytes) -> None:
    place = read_structure(read(data)).root
    for longest in (LONGEST, 100, 30, 6):
        text = shape(place, longest)
        assert "\n" not in text
        assert len(text) <= 4 * longest


def test_a_shape_that_is_too_long_has_fewer_levels_and_fields() -> None:
    deep = {f"name_{chr(97 + n)}": {f"inner_{chr(97 + m)}": {"x": [1]} for m in range(9)} for n in range(9)}
    place = read_structure(read(json.dumps(deep))).root
    assert "…" in shape(place)
    assert shape(place, 2) == "{…}"
    assert shape(read_structure(read("[[[1, 2, 3]]]")).root, 2) == "[…]"


def test_the_shape_of_a_wide_table_of_text_ends_where_it_is_too_long() -> None:
    names = [f"column_number_{chr(97 + n % 26)}{n}" for n in range(60)]
    text = "\n".join([",".join(names), *(",".join(str(n * m) for n in range(60)) for m in range(5))])
    found = reading_of(text).shape
    assert found.endswith(", …}]")
    assert len(found) < 2 * LONGEST


def test_a_column_of_text_that_some_rows_lack_is_marked() -> None:
    assert reading_of("a,b\n1,x\n2,\n3,y\n").shape == "[{a: int, b?: str}]"


def test_the_fields_of_the_rows_are_written_however_deep_the_rows_are() -> None:
    row = {f"product_field_{n}": n for n in range(40)}
    found = reading_of({"status": "OK", "data": {"page": {"of": 1}, "products": [row] * 9}}).shape
    assert "data: {page: {of: int}, products: [{product_field_0: int, product_field_1: int, " in found
    assert ", …}]" in found
    assert len(found) <= 4 * LONGEST
