"""Invariant: keys that we wrote are renamed, all of them; keys that are data never are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.key_style import Style, camel, render
from penstock.errors import CallerError

STYLES: tuple[Style, ...] = ("snake", "camel")
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@given(DATA, st.sampled_from(STYLES))
def test_data_comes_through_as_it_is_in_either_style(data: Any, style: Style) -> None:
    assert render({"items": data}, style) == {"items": data}


@given(st.from_regex(r"[a-z]+(_[a-z0-9]+){0,4}", fullmatch=True))
def test_a_name_in_camel_case_has_no_underscore_and_loses_no_letter(name: str) -> None:
    assert "_" not in camel(name)
    assert camel(name).lower() == name.replace("_", "")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("total_items", "totalItems"),
        ("page", "page"),
        ("_pagination", "_pagination"),
        ("__start_index", "__startIndex"),
        ("expires_in_s", "expiresInS"),
        ("alreadyCamel_case", "alreadyCamelCase"),
        ("", ""),
    ],
)
def test_names_in_camel_case(name: str, expected: str) -> None:
    assert camel(name) == expected


def test_only_the_keys_of_the_mapping_itself_are_renamed() -> None:
    groups = {"needs_review": 1, "HIGH": 2}
    assert render({"hidden_by_group": groups, "total_items": 3}, "camel") == {"hiddenByGroup": groups, "totalItems": 3}
    assert render({"total_items": 1}) == {"total_items": 1}


@pytest.mark.parametrize(("style", "hint"), [("camle", "use camel"), ("kebab-case", "use snake or camel")])
def test_an_unknown_style_is_the_callers_mistake(style: Any, hint: str) -> None:
    with pytest.raises(CallerError) as caught:
        render({}, style)
    assert hint in caught.value.do
