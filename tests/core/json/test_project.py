"""Some fields of many objects are read as a parser would give them, without the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.path import KEY
from penstock.core.json.project import projection

if TYPE_CHECKING:
    from penstock.core.json.path import Path

KEYS = st.sampled_from(["a", "b", "c", "odd key", "é", ""])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3)
ITEMS = st.dictionaries(KEYS, SCALARS | st.dictionaries(KEYS, SCALARS, max_size=3) | st.lists(SCALARS, max_size=2))


def dug(value: Any, path: Path) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


@given(
    st.lists(ITEMS | st.none(), max_size=6), st.lists(st.lists(KEYS, min_size=1, max_size=2), min_size=1, max_size=4)
)
def test_the_values_are_those_of_a_parser_or_it_refuses(items: list[Any], keys: list[list[str]]) -> None:
    paths: list[Path] = [tuple(one) for one in keys]
    read = projection(paths)
    ways = {path[:end] for path in paths for end in range(1, len(path))}
    if read is None:
        assert ways & set(paths)
        return
    try:
        found = read(json.dumps(items).encode())
    except msgspec.MsgspecError:
        inside = [dug(item, way) for item in items for way in ways]
        assert None in items or any(one is not None and not isinstance(one, dict) for one in inside)
        return
    assert found == [[dug(item, path) for item in items] for path in paths]


def test_a_map_is_read_by_its_members() -> None:
    read = projection([("n",), (KEY,), ("at", "line")], by_key=True)
    assert read is not None
    assert read(b'{"x": {"n": 1, "more": [1, 2]}, "y": {"at": {"line": 7}}, "z": {"at": null}}') == [
        [1, None, None],
        ["x", "y", "z"],
        [None, 7, None],
    ]


@pytest.mark.parametrize(
    "paths", [[()], [("a", 0)], [(KEY,)], [("a",), ("a", "b")], [("a", "b"), ("a",)], [('quo"te',)]]
)
def test_other_paths_are_left_to_a_parser(paths: list[Path]) -> None:
    assert projection(paths) is None


def test_a_key_that_no_path_leads_to_is_refused_where_that_is_asked_for() -> None:
    read = projection([("a",), ("b", "c")], only=True)
    assert read is not None
    assert read(b'[{"a": {"any": 1}}, {"b": {"c": 2}}, {"b": null}]') == [[{"any": 1}, None, None], [None, 2, None]]
    for text in (b'[{"x": 1}]', b'[{"b": {"x": 1}}]'):
        with pytest.raises(msgspec.ValidationError):
            read(text)
