"""Strings in arguments that name held results: found by their exact syntax, replaced without touching another byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.act import may_name_results
from penstock.core.act.references import (
    MAX_REFERENCES,
    as_argument,
    bare_handles,
    find_references,
    has_reference,
    replaced,
)
from penstock.errors import CallerError

HANDLE = "r_0123456789abcdefghij-_"
NAMED = f"held:{HANDLE}"


def found(arguments: Any, **options: Any) -> list[tuple[Any, ...]]:
    data = json.dumps(arguments, **options).encode()
    references = find_references(data)
    assert all(json.loads(data[one.start : one.end]).startswith(NAMED) for one in references)
    return [(one.way, one.handle, one.path) for one in references]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_reference_is_found_at_any_depth_with_the_way_to_it(indent: int | None) -> None:
    arguments = {"a": NAMED, "b": [1, {"c d": f"{NAMED} .x[0]"}, [], {}], "e": {"f": [[f'{NAMED} .["odd key"]']]}}
    assert found(arguments, indent=indent) == [
        (("a",), HANDLE, None),
        (("b", 1, "c d"), HANDLE, ".x[0]"),
        (("e", "f", 0, 0), HANDLE, '.["odd key"]'),
    ]
    assert found([NAMED]) == [((0,), HANDLE, None)]
    assert found(NAMED) == [((), HANDLE, None)]


@pytest.mark.parametrize(
    "text",
    [
        "held:inventory",
        "held:r_short",
        f"{NAMED}x",
        f"{NAMED} ",
        f"{NAMED} is the handle",
        f"{NAMED}  .two_blanks",
        f"{NAMED}.items",
        f" {NAMED}",
        f"see {NAMED}",
        f'"{NAMED}"',
        f'\\"{NAMED}',
        f"HELD:{HANDLE}",
        f"held: {HANDLE}",
        NAMED.replace("0", "é"),
    ],
)
def test_any_other_string_is_data(text: str) -> None:
    assert found({"a": text, "b": [text]}) == []
    assert not has_reference(json.dumps({"a": text}).encode())


def test_a_key_is_no_argument() -> None:
    assert found({NAMED: 1}) == []
    assert find_references(f'{{"{NAMED}" \n : 1}}'.encode()) == []


def test_a_path_may_be_written_with_escapes_of_json() -> None:
    written = rb'{"a":"held:%b .[\u0022\u00e9\u0022]"}' % HANDLE.encode()
    assert [one.path for one in find_references(written)] == ['.["é"]']


def test_arguments_that_only_a_lenient_parser_takes_are_searched_too() -> None:
    written = rb'{"half":"\ud83d","no":NaN,"a":"%b"}' % NAMED.encode()
    assert [one.way for one in find_references(written)] == [("a",)]


@pytest.mark.parametrize("broken", ['{"a":"%s"', '["%s",]', '1 "%s"', '{"a":"%s"}}'])
def test_what_is_no_json_is_left_to_the_upstream(broken: str) -> None:
    assert find_references((broken % NAMED).encode()) == []


def test_more_references_than_anyone_needs_are_refused() -> None:
    assert len(find_references(json.dumps([NAMED] * MAX_REFERENCES).encode())) == MAX_REFERENCES
    with pytest.raises(CallerError, match="1,001 times"):
        find_references(json.dumps([NAMED] * (MAX_REFERENCES + 1)).encode())


def test_ten_megabytes_around_a_reference_are_no_trouble() -> None:
    arguments = {"before": ["x" * 100] * 50_000, "a": NAMED, "after": "held:" * 1_000_000}
    assert [way for way, *_ in found(arguments)] == [("a",)]


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_all_but_the_reference_keeps_its_bytes(value: Any) -> None:
    before = json.dumps({"v": value, "a": NAMED, "w": [value]}).encode()
    references = find_references(before)
    after = replaced(before, references, lambda _: b'"new"')
    assert after == before.replace(f'"{NAMED}"'.encode(), b'"new"')
    assert may_name_results(before)


@pytest.mark.parametrize(
    ("value", "accepted", "written"),
    [
        (b'{"a": 1}', None, b'{"a": 1}'),
        (b'{"a": 1}', {"object"}, b'{"a": 1}'),
        (b'{"a": 1.0}', {"string"}, rb'"{\"a\": 1.0}"'),
        (b"[1]", {"string", "array"}, b"[1]"),
        (b"[1]", {"object"}, b"[1]"),
        (b'"text"', {"string"}, b'"text"'),
        (b"9007199254740993", {"string"}, b'"9007199254740993"'),
        (b"9007199254740993", {"string", "integer"}, b"9007199254740993"),
        (b"1.0", {"number"}, b"1.0"),
        (b"1.0", {"integer", "string"}, b'"1.0"'),
        (b"true", {"string"}, b'"true"'),
        (b"null", {"string", "null"}, b"null"),
    ],
)
def test_a_value_goes_as_json_and_as_text_where_the_schema_wants_one(
    value: bytes, accepted: set[str] | None, written: bytes
) -> None:
    assert as_argument(value, None if accepted is None else frozenset(accepted)) == written


def test_a_value_of_several_lines_goes_on_one_and_its_text_keeps_them() -> None:
    value = b'{\r\n  "a": "b\\n"\n}'
    assert b"\n" not in as_argument(value, None)
    assert json.loads(as_argument(value, None)) == json.loads(value)
    assert json.loads(as_argument(value, frozenset({"string"}))) == value.decode()


def test_bare_handles_are_whole_strings_and_no_keys() -> None:
    arguments = {"a": HANDLE, "b": [HANDLE], HANDLE: 1, "c": f"x {HANDLE}", "d": f'"{HANDLE}"', "e": NAMED}
    assert bare_handles(json.dumps(arguments).encode()) == [HANDLE]
    assert has_reference(json.dumps({"a": HANDLE}).encode())
    assert not may_name_results(json.dumps({"a": "resume", "b": "her_"}).encode())
