"""The outline of a tree of values has each name once, with how often it stands there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reading.value_tree import Branch, outline_tree, tree_lines

SUITE = {
    "suite": {
        "name": "all",
        "case": [
            {"name": f"t{n}", "time": n, **({"failure": {"message": "m", "text": "x"}} if n % 5 == 0 else {})}
            for n in range(20)
        ],
        "tags": ["a", "b", "c"],
    }
}


def test_names_are_told_with_their_counts_and_what_only_some_have() -> None:
    assert outline_tree(SUITE, 4) == [
        ".",
        "  suite: name",
        "    case ×20: name, time",
        "      failure ×4: message, text",
        "    tags: 3 values",
    ]
    rows = [{"a": 1}, {"a": 2, "b": None}, {"a": 3, "b": [], "c": {}}]
    assert outline_tree(rows, 3) == [". ×3: a, b ×2, c ×1"]


def test_below_the_depth_values_are_counted() -> None:
    assert outline_tree(SUITE, 2) == [".", "  suite: name; below: case (48 values), tags (3 values)"]
    assert outline_tree(SUITE, 1) == [".: below: suite (52 values)"]


def test_very_many_names_are_counted() -> None:
    wide = {f"k{n}": n for n in range(50)}
    assert outline_tree(wide, 2)[0].endswith("k11, +38 names")
    lines = outline_tree({f"k{n}": {"a": n} for n in range(50)}, 2)
    assert (len(lines), lines[-1]) == (32, "  +20 names")


def test_a_name_is_no_line_of_its_own() -> None:
    assert outline_tree({"a\nb": {"c: d": 1}}, 2) == [".", '  "a\\nb": c: d']


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=30,
)


@given(st.dictionaries(st.text(max_size=3), st.integers() | st.lists(st.integers(), min_size=1), max_size=6))
def test_every_value_is_counted(value: dict[str, Any]) -> None:
    branch = Branch()
    branch.add(value)
    assert branch.total == sum(len(one) if isinstance(one, list) else 1 for one in value.values())


@pytest.mark.parametrize("depth", [1, 3, 9])
@given(value=st.lists(values, max_size=4) | st.dictionaries(st.text(max_size=3), values, max_size=4))
def test_any_value_has_lines_that_can_be_printed(depth: int, value: Any) -> None:
    lines = tree_lines(value, depth)
    assert lines
    assert all(line.isprintable() for line in lines)
