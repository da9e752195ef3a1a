"""Set, remove and append in JSON: what is named changes, and every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.act.edits import JsonEdit, edit_json
from penstock.core.json.index import build, index_values, reader
from penstock.core.json.path import parse
from penstock.core.json.splice import splice
from penstock.errors import CallerError

TEXT = b"""{
  "big": 9007199254740993,
  "one": 1.0, "esc": "\\u00e9\\/",
  "rows": [
    {"id": 1},
    {"id": 2}
  ],
  "none": [], "empty": { },
  "single": [ 7 ]
}
"""


def edited(text: bytes, **given: Any) -> bytes:
    index = build(text) or index_values(text)
    assert index is not None

    def values(name: str) -> dict[Any, bytes]:
        return {parse(path): json.dumps(value).encode() for path, value in given.get(name, {}).items()}

    edit = JsonEdit(
        set=values("set"), remove=[parse(path) for path in given.get("remove", ())], append=values("append")
    )
    return splice(text, edit_json(index, reader(text), edit))


def refused(text: bytes, **given: Any) -> str:
    with pytest.raises(CallerError) as raised:
        edited(text, **given)
    return str(raised.value)


def test_a_value_is_set_and_all_else_stays() -> None:
    assert edited(TEXT, set={".one": 2}) == TEXT.replace(b"1.0", b"2")
    assert edited(TEXT, set={".rows[1].id": [3]}) == TEXT.replace(b'{"id": 2}', b'{"id": [3]}')
    assert edited(TEXT, set={".": {}}) == b"{}\n"


def test_a_member_that_is_not_there_is_added_in_the_style_of_the_others() -> None:
    assert edited(TEXT, set={".rows[0].new": True}) == TEXT.replace(b'{"id": 1}', b'{"id": 1,"new": true}')
    assert edited(TEXT, set={".empty.a": 1, ".empty.b": 2}) == TEXT.replace(b"{ }", b'{"a":1, "b":2 }')
    assert edited(TEXT, set={".last": 0}) == TEXT.replace(b"[ 7 ]\n", b'[ 7 ],\n  "last": 0\n')


def test_items_are_appended_in_the_style_of_the_others() -> None:
    assert edited(TEXT, append={".rows": {"id": 3}}) == TEXT.replace(b'{"id": 2}', b'{"id": 2},\n    {"id": 3}')
    assert edited(TEXT, append={".none": 1}) == TEXT.replace(b"[]", b"[1]")
    assert edited(TEXT, append={".single": 8}) == TEXT.replace(b"[ 7 ]", b"[ 7, 8 ]")
    assert edited(b"{}\n{}\n", append={".": {"a": 1}}) == b'{}\n{}\n{"a": 1}\n'


def test_parts_are_removed_with_what_stands_between_them() -> None:
    assert edited(b"[1, 2, 3]", remove=[".[0]"]) == b"[2, 3]"
    assert edited(b"[1, 2, 3]", remove=[".[1]"]) == b"[1, 3]"
    assert edited(b"[1, 2, 3]", remove=[".[2]"]) == b"[1, 2]"
    assert edited(b"[1, 2, 3]", remove=[".[0]", ".[1]"]) == b"[3]"
    assert edited(b"[1, 2, 3]", remove=[".[2]", ".[1]"]) == b"[1]"
    assert edited(b"[ 1, 2, 3 ]", remove=[".[2]", ".[1]", ".[0]"]) == b"[  ]"
    assert edited(b'{"a": 1, "b": 2, "a": 3}', remove=[".a"]) == b'{"b": 2}'
    assert edited(b"{}\n[]\n", remove=[".[0]"]) == b"[]\n"


def test_several_changes_are_made_at_once_by_the_paths_of_the_document_as_it_was() -> None:
    told = edited(b'{"a": [1, 2, 3], "b": 1}', set={".b": 2, ".c": 3}, remove=[".a[0]", ".a[2]"], append={".a": 4})
    assert json.loads(told) == {"a": [2, 4], "b": 2, "c": 3}
    assert edited(b"[1]", remove=[".[0]"], append={".": 2}) == b"[2]"


def test_what_cannot_be_done_is_said() -> None:
    assert "two changes" in refused(TEXT, set={".rows[0].id": 5}, remove=[".rows[0]"])
    assert "cannot be removed" in refused(TEXT, remove=["."])
    assert "is an object" in refused(TEXT, append={".empty": 1})
    assert ".nothing" in refused(TEXT, remove=[".nothing"])
    assert refused(TEXT, set={".rows[9]": 1})
    assert refused(TEXT, set={".rows.name": 1})
    assert refused(TEXT, set={".one.deep": 1})
    assert refused(TEXT, append={".one": 1})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from("abcd"), VALUES, min_size=1), VALUES, st.sampled_from([None, 2]))
def test_setting_and_setting_back_is_the_original(value: dict[str, Any], new: Any, indent: int | None) -> None:
    before = json.dumps(value, indent=indent).encode()
    key = next(iter(value))
    there = edited(before, set={f".{key}": new})
    assert json.loads(there) == {**value, key: new}
    index = build(before)
    assert index is not None
    start, end = next((one.start, one.end) for one in edit_json(index, reader(before), JsonEdit(set={(key,): b"0"})))
    back = build(there)
    assert back is not None
    edit = JsonEdit(set={(key,): before[start:end]})
    assert splice(there, edit_json(back, reader(there), edit)) == before


@given(st.lists(VALUES), VALUES, st.sampled_from([None, 2]))
def test_appending_and_removing_the_last_is_the_original(value: list[Any], new: Any, indent: int | None) -> None:
    before = json.dumps(value, indent=indent).encode()
    there = edited(before, append={".": new})
    assert json.loads(there) == [*value, new]
    assert edited(there, remove=[f".[{len(value)}]"]) == before


@given(st.lists(VALUES, min_size=1), st.data(), st.sampled_from([None, 2]))
def test_removing_leaves_the_others(value: list[Any], data: st.DataObject, indent: int | None) -> None:
    gone = data.draw(st.sets(st.integers(0, len(value) - 1)))
    told = edited(json.dumps(value, indent=indent).encode(), remove=[f".[{number}]" for number in gone])
    assert json.loads(told) == [one for number, one in enumerate(value) if number not in gone]
