"""Facts read off JSON bytes agree with what a parser would say, and never need an object for it."""

from __future__ import annotations

import itertools
import json
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.json import scan
from tests.strategies import any_text, clean_text, containers, json_bytes, values


def parsed_depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(parsed_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(parsed_depth, value), default=0)
    return 0


@given(json_bytes())
def test_depth_equals_the_depth_of_the_parsed_value(data: bytes) -> None:
    assert scan.depth(data) == parsed_depth(json.loads(data))


@given(values, st.integers(0, 9))
def test_depth_is_right_wherever_a_chunk_ends(value: Any, shift: int) -> None:
    awkward = '\\"[{' * 9_000 + "\\\\" * 9_000
    data = json.dumps(["x" * (scan.CHUNK - 20 + shift), awkward, value, awkward]).encode()
    assert scan.depth(data) == 1 + parsed_depth(value)


def test_depth_of_a_run_of_backslashes_longer_than_a_chunk() -> None:
    data = json.dumps(["\\" * 100_000, [[]]]).encode()
    assert scan.depth(data) == 3


def test_a_hundred_thousand_levels_are_counted_without_recursion() -> None:
    assert scan.depth(b"[" * 100_000 + b"]" * 100_000) == 100_000


@given(st.binary())
def test_depth_of_any_bytes_is_a_number(data: bytes) -> None:
    assert scan.depth(data) >= 0


@given(json_bytes(st.lists(values, max_size=30)))
def test_item_starts_cut_an_array_into_its_items(data: bytes) -> None:
    start, end = len(data) - len(data.lstrip()), len(data.rstrip())
    starts = scan.item_starts(data, start, end)
    found = [data[a:b].rstrip(b", \t\r\n") for a, b in itertools.pairwise(starts)]
    assert [json.loads(item) for item in found] == json.loads(data)
    assert found == scan.items(data)
    assert scan.count_items(data) == len(found)


def test_positions_past_four_gigabytes_would_be_kept_in_eight_bytes() -> None:
    class Huge(bytes):
        def __len__(self) -> int:
            return 2**32

    assert scan.line_starts(Huge(b'{"a":1}\n')).typecode == "Q"


@given(json_bytes(st.dictionaries(clean_text, values, max_size=12)))
def test_members_are_those_of_the_object_in_order(data: bytes) -> None:
    found = scan.members(data.strip())
    assert [(key, json.loads(value)) for key, value in found] == list(json.loads(data).items())


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "\u00e9", 'q"']), values), max_size=8))
@example([("a", {"x": 1, "a": 2}), ("a", "abcd")])
@example([("a", 12), ("a", 1)])
@example([("a", [1, "]"]), ("a", [])])
@example([("a", True), ("a", None)])
def test_duplicate_keys_survive_with_their_own_values(pairs: list[tuple[str, Any]]) -> None:
    data = ("{" + ", ".join(f"{json.dumps(key)} : {json.dumps(value)}" for key, value in pairs) + "}").encode()
    assert [(key, json.loads(value)) for key, value in scan.members(data)] == pairs


@given(json_bytes())
def test_minifying_changes_no_value_and_leaves_no_white_space(data: bytes) -> None:
    small = scan.minify(data)
    assert json.loads(small) == json.loads(data)
    assert len(small) <= len(data)


def test_minifying_keeps_digits_escapes_and_duplicates_as_they_were() -> None:
    data = b'{ "a" : 1.0 , "a": 12345678901234567890123, "b":[ 1e999 , "x y\\u0041" ] }'
    assert scan.minify(data) == b'{"a":1.0,"a":12345678901234567890123,"b":[1e999,"x y\\u0041"]}'


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (b'"x"', "str"),
        (b"1", "int"),
        (b"-1", "int"),
        (b"1.0", "float"),
        (b"1e9", "float"),
        (b"true", "bool"),
        (b"false", "bool"),
        (b"null", "null"),
    ],
)
def test_scalar_types_are_told_by_their_bytes(value: bytes, kind: str) -> None:
    assert scan.scalar_type(value) == kind


@given(any_text, st.integers(0, 3))
def test_lines_joined_by_newlines_are_the_text_but_for_a_newline_at_its_end(text: str, pad: int) -> None:
    data = ("\n" * pad + text).encode("utf-8", "surrogatepass")
    starts = scan.line_starts(data)
    lines = [data[a : b - 1] for a, b in itertools.pairwise(starts)]
    assert b"\n".join(lines) == data.removesuffix(b"\n")
    assert lines == data.removesuffix(b"\n").split(b"\n")


def test_lines_are_found_across_chunks() -> None:
    data = b"\n".join(b"x" * (n % 5_000) for n in range(3_000))
    assert len(data) > 2 * scan.LINES_CHUNK
    starts = scan.line_starts(data)
    assert [data[a : b - 1] for a, b in itertools.pairwise(starts)] == data.split(b"\n")


@given(st.lists(containers, min_size=2, max_size=10), st.sampled_from(["\n", "\r\n", "\n\n", "\n  \n", "\n "]))
def test_records_of_json_lines_are_found_past_blank_lines(rows: list[Any], newline: str) -> None:
    data = newline.join(json.dumps(row) for row in rows).encode()
    starts = scan.records(data)
    assert starts is not None
    found = [data[a:b].strip() for a, b in itertools.pairwise(starts)]
    assert [json.loads(one) for one in found] == rows


@pytest.mark.parametrize(
    "data",
    [b'{"a":1}', b'{"a":1}\nnot json', b'{"a":1}\n{"b":', b"", b"[\n1\n][\n2\n]", b"[1][2]\n[3,\n4]", b"[1] [2]\n[3]"],
)
def test_what_is_not_one_value_on_each_of_two_lines_is_not_json_lines(data: bytes) -> None:
    assert scan.records(data) is None


@given(st.binary(max_size=200))
def test_utf8_is_judged_as_the_decoder_judges_it(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not scan.is_utf8(data)
    else:
        assert scan.is_utf8(data)


def test_a_character_torn_by_a_chunk_is_still_utf8() -> None:
    assert scan.is_utf8(b"x" * (scan.CHUNK - 1) + "é".encode())
    assert not scan.is_utf8(b"x" * (scan.CHUNK - 1) + "é".encode()[:1])


@given(st.binary(max_size=60) | json_bytes())
@example(b"[1] ")
@example(b"[1] [2]")
@example(b'\n{"a":[]}\r\n')
@example(b'{"a":')
@example(b"[" * 5_000)
def test_what_can_be_split_is_what_the_parser_takes(data: bytes) -> None:
    try:
        value = msgspec.json.decode(data, type=list[msgspec.Raw] | dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        assert scan.split(data) is None
    else:
        parts = scan.split(data)
        assert parts == value if isinstance(value, dict) else parts is not None and len(parts) == len(value) + 1


@given(st.binary(max_size=8).map(lambda data: data.replace(b"\x0b", b"").replace(b"\x0c", b"")))
def test_bounds_are_where_something_is(data: bytes) -> None:
    start, end = scan.bounds(data)
    assert data[start:end] == data.strip()
    assert scan.bounds(b" \n" + data + b"\t") == ((start + 2, end + 2) if start < end else (len(data) + 3,) * 2)


@given(st.lists(containers, min_size=2, max_size=10))
def test_json_lines_are_told_from_other_lines_chunk_by_chunk(rows: list[Any]) -> None:
    data = "\n".join(json.dumps(row) for row in rows).encode()
    with pytest.MonkeyPatch.context() as patch:
        whole = scan.records(data)
        patch.setattr(scan, "LINES_CHUNK", 40)
        assert scan.records(data) == whole
        assert scan.records(data + b"\n[1\n]") is None
        assert scan.records(data + b"\nwords") is None


def test_the_value_of_a_member_is_what_follows_its_key() -> None:
    assert scan.member_value(b'"a b" : [1, 2]') == b"[1, 2]"
    assert scan.member_value(b"[1]") == b"[1]"
