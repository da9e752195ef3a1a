"""The figures of a document agree with what a parser counts; of a large one they come from a sample, and say so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from penstock.core.forms.document import Kind, read
from penstock.core.json.index import build, reader
from penstock.core.json.path import render
from penstock.core.measure import measure
from penstock.core.sample import learn, spread
from penstock.core.shape import LONGEST, shape
from tests.core.json.test_scan import parsed_depth
from tests.strategies import json_bytes


def shape_of(value: Any) -> str:
    return measure(read(json.dumps(value))).shape


@given(json_bytes())
def test_any_json_has_a_shape_in_one_short_line(data: bytes) -> None:
    text = measure(read(data)).shape
    assert 0 < len(text) <= LONGEST
    assert "\n" not in text


@given(json_bytes())
def test_bytes_and_depth_are_exact(data: bytes) -> None:
    figures = measure(read(data))
    assert figures.size == len(data)
    assert figures.depth == parsed_depth(json.loads(data))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([], "[]"),
        ({}, "{}"),
        ([1, 2.5], "[float]"),
        ([1, "a", None], "[int|str|null]"),
        ({"a": True, "b": [[1]]}, "{a: bool, b: [[int]]}"),
        ([{"file": "x", "line": 1}, {"file": "y", "line": 2, "text": "z"}], "[{file: str, line: int, text?: str}]"),
        ({"odd key": 1}, '{"odd key": int}'),
        ({str(n): {"x": n} for n in range(30)}, "{<key>: {x: int}}"),
        ({f"f{n}": n for n in range(20)}, "{" + ", ".join(f"f{n}: int" for n in range(16)) + ", …}"),
    ],
)
def test_shapes_read_like_types(value: Any, text: str) -> None:
    assert shape_of(value) == text


def test_an_object_with_many_unlike_fields_is_a_record_not_a_map() -> None:
    unlike = {f"field{n}": [n, "x", {"a": n}, [n]][n % 4] if n % 2 else {f"k{n}": n} for n in range(40)}
    assert not shape_of(unlike).startswith("{<key>")


def test_a_shape_that_would_be_long_shows_fewer_levels_and_fields() -> None:
    form = learn(*_indexed({f"long_name_{n}": {f"inner_{m}": [m] for m in range(9)} for n in range(9)}))
    assert len(shape(form, 200)) <= 200
    assert len(shape(form, 40)) <= 40
    assert "inner_0" in shape(form)
    assert "inner_0" not in shape(form, 200)


def _indexed(value: Any) -> Any:
    document = read(json.dumps(value))
    return build(document), reader(document.body)


def test_arrays_inside_items_are_listed_with_what_they_hold_together() -> None:
    figures = measure(read(json.dumps({"rows": [{"tags": [1, 2]}, {"tags": [3]}, {}]})))
    arrays = {render(one.path): (one.items, one.exact) for one in figures.arrays}
    assert arrays == {
        ".rows": (3, True),
        ".rows[0].tags": (2, True),
        ".rows[1].tags": (1, True),
        ".rows[].tags": (3, True),
    }


def test_a_large_document_is_measured_from_a_sample_that_scales_up() -> None:
    rows = [{"id": n, "tags": ["a"] * (n % 5), "text": "word " * 20} for n in range(20_000)]
    figures = measure(read(json.dumps(rows)))
    [tags] = [one for one in figures.arrays if render(one.path) == ".[].tags"]
    assert not tags.exact
    assert abs(tags.items - 40_000) < 4_000
    heavy = {render(one.path): one.size for one in figures.heavy}
    assert abs(heavy[".[].text"] - 20_000 * 102) < 40_000
    assert max(heavy, key=lambda path: heavy[path]) == ".[]"
    assert figures.items == 20_000


def test_the_heaviest_path_is_the_field_and_not_the_wrapping_around_it() -> None:
    figures = measure(read(json.dumps({"data": {"page": {"html": "x" * 10_000, "title": "t"}}})))
    assert render(figures.heavy[0].path) == ".data.page.html"


def test_deep_trees_are_learned_to_a_few_levels() -> None:
    tree: Any = {"name": "leaf"}
    for _ in range(100):
        tree = {"name": "node", "children": [tree]}
    figures = measure(read(json.dumps(tree)))
    assert figures.depth == 201
    assert "children: [{" in figures.shape


@pytest.mark.parametrize(
    ("data", "kind", "items", "text"),
    [
        (b"one\ntwo\nthree", Kind.TEXT, 3, "text"),
        (b"", Kind.TEXT, 0, "text"),
        (b'{"a":1}\n{"a":2}', Kind.JSONL, 2, "[{a: int}]"),
        (b"\x00" * 200, Kind.BINARY, 0, "application/octet-stream"),
        (b"data:image/png;base64," + b"QUJD" * 30, Kind.BINARY, 0, "image/png in base64"),
    ],
)
def test_other_kinds_are_measured_too(data: bytes, kind: Kind, items: int, text: str) -> None:
    figures = measure(read(data))
    assert (figures.kind, figures.items, figures.shape) == (kind, items, text)


def test_base64_of_unknown_type_is_bytes_in_base64() -> None:
    document = read("qUJDREVGRw8" * 40)
    assert (document.kind, measure(document).shape) == (Kind.BINARY, "bytes in base64")


def test_a_sample_has_both_ends() -> None:
    assert list(spread(3, 10)) == [0, 1, 2]
    chosen = spread(1_000, 10)
    assert (chosen[0], chosen[-1], len(chosen)) == (0, 999, 10)


def test_wide_maps_are_sampled_by_member() -> None:
    value = {f"k{n}": {"x": n} for n in range(5_000)}
    figures = measure(read(json.dumps(value)))
    assert figures.shape == "{<key>: {x: int}}"
    assert figures.items == 5_000


def test_wide_objects_inside_items_are_maps() -> None:
    value = [{"by_id": {f"k{m}": m for m in range(300)}} for _ in range(3)]
    assert shape_of(value) == "[{by_id: {<key>: int}}]"
