"""Facts read off JSON bytes agree with what a parser would say, and never need an object for it."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from penstock.core.json import nesting, scan
from tests.kit.mapped import mapped
from tests.kit.strategies import any_text, clean_text, json_bytes, layouts, records, values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def parsed_depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(parsed_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(parsed_depth, value), default=0)
    return 0


def starts_of(found: Iterable[tuple[int, Sequence[int]]]) -> list[int]:
    return [start for first, steps in found for start in itertools.accumulate(steps, initial=first)]


@given(json_bytes())
def test_depth_equals_the_depth_of_the_parsed_value(data: bytes) -> None:
    assert nesting.depth(data) == parsed_depth(json.loads(data))


@given(values, st.sampled_from(["", "x" * 40]), st.text(alphabet='\\\\"[{a', max_size=60))
def test_the_signs_of_json_tell_its_depth_whether_escapes_are_many_or_few(value: Any, between: str, text: str) -> None:
    data = json.dumps([between.join(text), {between.join(text): value}]).encode()
    assert nesting.depth_of(nesting.signs_of(data)) == parsed_depth(json.loads(data)) == nesting.depth(data)


def test_depth_of_a_run_of_backslashes_longer_than_a_chunk() -> None:
    data = json.dumps(["\\" * 100_000, [[]]]).encode()
    assert nesting.depth(data) == 3


def test_a_hundred_thousand_levels_are_counted_without_recursion() -> None:
    assert nesting.depth(b"[" * 100_000 + b"]" * 100_000) == 100_000


@given(st.binary())
def test_depth_of_any_bytes_is_a_number(data: bytes) -> None:
    assert nesting.depth(data) >= 0


@given(json_bytes(st.lists(values, min_size=1, max_size=30)))
def test_the_steps_from_item_to_item_cut_the_inside_of_an_array_into_its_items(data: bytes) -> None:
    inside = data.strip()[1:-1]
    first, steps = scan.item_steps(inside)
    starts = [*itertools.accumulate(steps, initial=first), len(inside)]
    found = [inside[a:b].rstrip(b", \t\r\n") for a, b in itertools.pairwise(starts)]
    assert [json.loads(item) for item in found] == json.loads(data)
    assert found == scan.items(data)
    assert scan.count_items(data) == len(found)


@given(
    st.lists(st.integers() | st.booleans() | st.none(), min_size=1, max_size=30), st.sampled_from([",", ", ", " , "])
)
def test_plain_numbers_and_words_are_cut_at_their_commas(items: list[Any], comma: str) -> None:
    inside = comma.join(map(json.dumps, items)).encode()
    first, steps = scan.item_steps(inside)
    starts = [*itertools.accumulate(steps, initial=first), len(inside)]
    assert [json.loads(inside[a:b].rstrip(b", ")) for a, b in itertools.pairwise(starts)] == items


@pytest.mark.parametrize("piece", [b"1,,2", b"1 2", b"{}]", b"nul"])
def test_what_is_not_the_inside_of_an_array_is_refused(piece: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        scan.item_steps(piece)


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
    starts = starts_of(scan.line_steps(data))
    lines = [data[a : b - 1] for a, b in itertools.pairwise(starts)]
    assert b"\n".join(lines) == data.removesuffix(b"\n")
    assert lines == data.removesuffix(b"\n").split(b"\n")


def test_lines_are_found_across_chunks() -> None:
    data = b"\n".join(b"x" * (n % 5_000) for n in range(3_000))
    assert len(data) > 2 * scan.LINES_CHUNK
    starts = starts_of(scan.line_steps(data))
    assert [data[a : b - 1] for a, b in itertools.pairwise(starts)] == data.split(b"\n")


@given(
    st.lists(records, min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n  \n", "\n ", " ", ""]),
    st.booleans(),
)
def test_json_values_are_found_one_after_the_other_on_lines_or_not(rows: list[Any], between: str, indent: bool) -> None:
    data = between.join(json.dumps(row, indent=2 if indent else None) for row in rows).encode()
    starts = starts_of(scan.value_steps(data))
    found = [data[a:b].strip() for a, b in itertools.pairwise(starts)]
    assert [json.loads(one) for one in found] == rows


@given(st.lists(records, min_size=2, max_size=5), st.booleans())
def test_json_values_are_found_chunk_by_chunk(rows: list[Any], indent: bool) -> None:
    data = "\n".join(json.dumps(row, indent=1 if indent else None) for row in rows).encode()
    whole = starts_of(scan.value_steps(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "LINES_CHUNK", 40)
        assert starts_of(scan.value_steps(data)) == whole


@pytest.mark.parametrize("data", [b'{"a":1}\nnot json', b'{"a":1}\n{"b":', b'{"a":1},{"b":2}', b"1 " * 5_000])
def test_what_is_not_json_values_with_blanks_between_them_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        list(scan.value_steps(data))


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


@given(st.binary(max_size=8).map(lambda data: data.replace(b"\x0b", b"").replace(b"\x0c", b"")))
def test_bounds_are_where_something_is(data: bytes) -> None:
    start, end = scan.bounds(data)
    assert data[start:end] == data.strip()
    assert scan.bounds(b" \n" + data + b"\t") == ((start + 2, end + 2) if start < end else (len(data) + 3,) * 2)


@given(st.lists(st.tuples(clean_text, values), max_size=6), layouts)
def test_the_members_of_a_wide_object_are_found_all_at_once_or_one_by_one(
    odd: list[tuple[str, Any]], layout: dict[str, Any]
) -> None:
    value = {f"key {n}": n for n in range(scan.MANY_MEMBERS)} | dict(odd)
    data = json.dumps(value, **layout).encode()
    found = [(key, json.loads(data[a:b])) for key, _, a, b in scan.member_spans(data, 0, len(data))]
    assert found == list(value.items())
    assert all(data[at : at + 1] == b'"' for _, at, _, _ in scan.member_spans(data, 0, len(data)))


@pytest.mark.parametrize("odd", ['"k3":3, "k3":3', '"k3" :3', '"k3":[3,\n3]', '  "k3":3'])
def test_a_wide_object_that_is_not_written_evenly_is_read_member_by_member(odd: str) -> None:
    members = [f'"k{n}":{n}' for n in range(40)]
    data = ("{" + ",".join([*members[:3], odd, *members[4:]]) + " }").encode()
    pairs = json.loads(data, object_pairs_hook=list)
    assert [(key, json.loads(data[a:b])) for key, _, a, b in scan.member_spans(data, 0, len(data))] == pairs


@pytest.mark.parametrize("again", ['"k0":0', '"k0":[0, 0]'])
def test_a_wide_object_with_a_key_twice_has_both_members(again: str) -> None:
    data = ("{" + ",".join([*(f'"k{n}":{n}' for n in range(40)), again]) + "}").encode()
    pairs = json.loads(data, object_pairs_hook=list)
    assert [(key, json.loads(data[a:b])) for key, _, a, b in scan.member_spans(data, 0, len(data))] == pairs


@given(st.lists(values, max_size=5), st.integers(0, 6), layouts)
def test_an_array_has_more_items_than_are_asked_for_or_not(items: list[Any], most: int, layout: dict[str, Any]) -> None:
    data = json.dumps(items, **layout).encode()
    assert scan.has_more_items(data + b",1", 0, most) == (len(items) > most or (not items and most == 0))


@given(st.one_of(st.lists(values, max_size=3), st.dictionaries(st.text(), values, max_size=3)), layouts)
def test_the_only_item_of_an_array_is_found_and_none_in_other_values(value: Any, layout: dict[str, Any]) -> None:
    inside = json.dumps(value, **layout)
    data = f"[0, {inside}]".encode()
    only = scan.only_item(data, 4, len(data) - 1)
    assert (only is not None) == (isinstance(value, list) and len(value) == 1)
    assert only is None or json.loads(data[slice(*only)]) == value[0]


@given(st.one_of(values, st.text()), layouts, st.sampled_from(["", " ", ",", " ]", "}", "\n1", ' "x', " ["]))
def test_the_end_of_a_value_is_found_whatever_follows_it(value: Any, layout: dict[str, Any], behind: str) -> None:
    text = json.dumps(value, **layout)
    assume(text[-1] in '"]}le' or behind[:1] not in tuple("0123456789"))
    data = ("[1, " + text + behind).encode()
    for one in (data, mapped(data), memoryview(data)):
        assert scan.value_end(one, 4) == 4 + len(text.encode())


@given(json_bytes())
def test_a_value_that_does_not_end_is_refused(data: bytes) -> None:
    start, end = scan.bounds(data)
    with pytest.raises(msgspec.DecodeError):
        scan.value_end(data[: end - 1], start)


def test_the_value_of_a_member_is_what_follows_its_key() -> None:
    assert scan.member_value(b'"a b" : [1, 2]') == b"[1, 2]"
    assert scan.member_value(b"[1]") == b"[1]"


@pytest.mark.parametrize("again", ["", "much longer than the first"])
def test_keys_that_come_twice_among_many_are_found_where_they_stand(again: str) -> None:
    members = [f'"k{number:02}":"v"' for number in range(40)]
    data = ("{" + ",".join([*members, f'"k00":"{again}"']) + "}").encode()
    keys, found = scan.member_starts(data, 0, len(data))
    assert keys == [f"k{number:02}" for number in range(40)] + ["k00"]
    assert [data[at : at + 5] for at in found] == [f'"{key}"'.encode() for key in keys]


@pytest.mark.parametrize("length", [3, 2_000, 100_000])
def test_key_of_a_member_is_read_however_long_it_is(length: int) -> None:
    key = "k" * length
    data = json.dumps({key: 7}).encode()
    assert scan.open_member(data, 1) == (key, len(data) - 2)


def test_member_without_a_key_cannot_be_read() -> None:
    with pytest.raises(msgspec.DecodeError, match="without a key"):
        scan.open_member(b"{7}", 1)
