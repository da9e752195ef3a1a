"""An outline is valid JSON with the upper levels as they were, and every mark counts what is behind it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.json import nesting
from penstock.core.json.index import reader
from penstock.core.reading.cut import shorten_scalar
from penstock.core.reading.indicator import Indicator
from penstock.core.reading.outline import LEVELS, MOST_OPENED, Outline, outline, outline_within
from penstock.errors import CallerError
from tests.core.json.test_scan import parsed_depth
from tests.kit.strategies import json_bytes


def within(value: Any, tokens: int) -> Outline:
    document = read(json.dumps(value))
    assert document.index.root is not None
    return outline_within(document.index.root, reader(document.body), Room(tokens=tokens))


@given(json_bytes(), st.integers(0, 6))
def test_no_outline_is_deeper_than_asked(data: bytes, depth: int) -> None:
    cut = outline(data.strip(), depth)
    value = json.loads(cut.text)
    assert parsed_depth(value) <= depth
    assert cut.depth + cut.levels_hidden == parsed_depth(json.loads(data))


@given(json_bytes())
def test_an_outline_deep_enough_is_the_value(data: bytes) -> None:
    cut = outline(data.strip(), 40)
    assert json.loads(cut.text) == json.loads(data)
    assert cut.note == ""


def test_marks_count_what_is_behind_them() -> None:
    value = {"a": list(range(12)), "b": {"x": 1, "y": 2, "z": 3}, "c": 5}
    cut = outline(json.dumps(value).encode(), 1)
    assert json.loads(cut.text) == {
        "a": "[Array: 12 items, truncated]",
        "b": "[Object: 3 properties, truncated]",
        "c": 5,
    }


def test_a_tree_cut_as_a_whole_says_how_many_levels_are_gone() -> None:
    tree: Any = []
    for _ in range(11):
        tree = [tree]
    cut = outline(json.dumps(tree).encode())
    assert (cut.depth, cut.levels_hidden, cut.note) == (3, 9, "[+9 levels truncated]")
    assert b"[+9 levels truncated]" in outline(json.dumps(tree).encode(), 3, Indicator(text=LEVELS)).text


@pytest.mark.parametrize(
    ("indicator", "array", "thing"),
    [
        (Indicator(text="[truncated]"), "[truncated]", "[truncated]"),
        (Indicator(text="[truncated]", keep_lengths=True), "[truncated: 3 items]", "[truncated]"),
        (Indicator(text="...", keep_lengths=True), "... (3 items)", "..."),
        (Indicator(text="<{type}/{count}>", keep_lengths=True), "<Array/3>", "<Object/1>"),
    ],
)
def test_the_indicator_is_configurable_and_can_keep_array_lengths(indicator: Indicator, array: str, thing: str) -> None:
    cut = outline(b'{"a":[1,2,3],"b":{"c":1}}', 1, indicator)
    assert json.loads(cut.text) == {"a": array, "b": thing}


def test_json_deeper_than_any_parser_takes_is_one_mark() -> None:
    cut = outline(b"[" * 100_000 + b"]" * 100_000, 3)
    assert (cut.text, cut.depth, cut.levels_hidden) == (b'"[+100000 levels truncated]"', 0, 100_000)


def test_what_is_not_json_has_no_levels() -> None:
    with pytest.raises(CallerError, match="not JSON"):
        outline(b"[[[[1,", 2)


def test_scalars_keep_their_digits() -> None:
    data = b'[1.0,1e999,123456789012345678901234567890,"\\u0041"]'
    assert outline(data).text == data


@given(json_bytes(), st.integers(30, 400))
def test_an_outline_within_a_room_is_valid_and_fits_when_anything_can(data: bytes, tokens: int) -> None:
    document = read(data)
    root = document.index.root
    assert root is not None
    cut = outline_within(root, reader(document.body), Room(tokens=tokens))
    json.loads(cut.text)
    closed = outline_within(root, reader(document.body), Room(tokens=0))
    assert Room(tokens=tokens).fits(cut.text) or cut.text == closed.text


@given(json_bytes(), st.integers(30, 400), st.integers(0, 400))
def test_a_bigger_room_never_opens_fewer_containers(data: bytes, tokens: int, more: int) -> None:
    value = json.loads(data)
    small, large = within(value, tokens), within(value, tokens + more)
    assert nesting.depth(small.text) <= nesting.depth(large.text)
    assert small.depth <= large.depth


def test_upper_levels_are_opened_before_lower_ones() -> None:
    tree = {"name": "root", "children": [{"name": f"n{n}", "children": [{"name": "leaf"}] * 3} for n in range(40)]}
    cut = within(tree, 300)
    shown = json.loads(cut.text)
    assert [child["name"] for child in shown["children"][:-1]] == [f"n{n}" for n in range(len(shown["children"]) - 1)]
    assert shown["children"][-1] == f"[+{40 - (len(shown['children']) - 1)} items, truncated]"
    assert shown["children"][0]["children"] == "[Array: 3 items, truncated]"


def test_long_strings_many_scalars_and_wide_objects_are_counted_not_shown() -> None:
    cut = within({"text": "word " * 500, "numbers": list(range(100)), "wide": {f"k{n}": n for n in range(100)}}, 2_000)
    shown = json.loads(cut.text)
    assert "characters]" in shown["text"]
    assert shown["numbers"][-1] == "[+80 items, truncated]"
    assert shown["wide"]["…"] == "[+60 properties, truncated]"


def test_lines_of_text_can_be_outlined_too() -> None:
    document = read("one\ntwo")
    root = document.index.root
    assert root is not None
    assert json.loads(outline_within(root, reader(document.body), Room(tokens=100)).text) == ["one", "two"]


def test_a_scalar_is_shortened_only_when_it_is_long() -> None:
    assert shorten_scalar(b"12") == b"12"
    assert shorten_scalar(b'"' + b"\\n" * 150 + b'"') == b'"' + b"\\n" * 150 + b'"'
    assert json.loads(shorten_scalar(b"1" * 5_000)) == "[number of 5000 digits, truncated]"
    assert shorten_scalar(b"1" * 30, lambda _: False) == b"1" * 30
    assert json.loads(shorten_scalar(json.dumps("word " * 100).encode(), 40)).endswith("characters]")


def test_no_more_levels_are_opened_than_asked_for() -> None:
    document = read(json.dumps({"a": {"b": {"c": {"d": 1}}}, "e": 2}))
    root = document.index.root
    assert root is not None
    cut = outline_within(root, reader(document.body), Room(tokens=1_000), 2)
    assert json.loads(cut.text) == {"a": {"b": "[Object: 1 properties, truncated]"}, "e": 2}
    assert (cut.depth, cut.levels_hidden) == (2, 2)


def test_no_more_containers_are_opened_than_an_answer_could_hold() -> None:
    document = read(json.dumps([["x" * 40]] * (MOST_OPENED + 9)))
    assert document.index.root is not None
    cut = outline_within(document.index.root, reader(document.body), Room(tokens=900_000), 3)
    assert cut.text.count(b"x" * 40) == MOST_OPENED - 1
    assert (cut.depth, cut.levels_hidden) == (2, 0)


def test_members_that_are_not_shown_do_not_keep_others_closed() -> None:
    wide = {f"k{at}": {"in": {"deep": at}} for at in range(MOST_OPENED + 9)}
    document = read(json.dumps(wide))
    assert document.index.root is not None
    cut = outline_within(document.index.root, reader(document.body), Room(tokens=900_000), 3)
    assert json.loads(cut.text)["k0"] == {"in": {"deep": 0}}
