"""JSON for lenient parsers only: a strict one finds its parts, at their places, and no byte of it changes."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import scan
from penstock.core.json.mend import item_spans, mended
from tests.kit.strategies import any_text

ODD = [
    rb'"\ud83d"',
    rb'"\uD83d x"',
    rb'"\udc00"',
    rb'"\ud83d\ud83d\ude00"',
    rb'"\\\ud83d"',
    b'"\xed\xa0\xbd"',
    b"NaN",
    b"[Infinity, -Infinity]",
    b"\xef\xbb\xbf1",
]


@pytest.mark.parametrize("data", ODD)
def test_a_strict_parser_takes_the_mended_copy(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        msgspec.json.decode(data)
    made = mended(data)
    assert len(made) == len(data)
    msgspec.json.decode(made)


@pytest.mark.parametrize(
    "data",
    [
        rb'"\ud83d\ude00"',
        rb'"\\ud83d"',
        rb'"NaN \"Infinity\" \\"',
        b'"\xed\x95\x9c"',
        rb'"\u00e9\ud7ff\ue000"',
        b"[1, 2]",
        b"",
    ],
)
def test_what_is_strict_already_is_the_same_object(data: bytes) -> None:
    assert mended(data) is data


def test_what_is_no_json_stays_so() -> None:
    for data in (b"NaN NaN", b'{"a":NaN', rb'"\ud83d', b"\xef\xbb\xbf"):
        with pytest.raises(msgspec.DecodeError):
            msgspec.json.decode(mended(data))


any_value = st.recursive(
    any_text | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=3), any_value, max_size=5), st.booleans(), st.booleans())
def test_parts_are_found_at_their_places(value: dict[str, object], is_ascii: bool, is_spaced: bool) -> None:
    separators = (" , ", " :\t") if is_spaced else (",", ":")
    data = json.dumps(value, ensure_ascii=is_ascii, separators=separators).encode("utf-8", "surrogatepass")
    strict = mended(data)
    spans = list(scan.member_spans(strict, *scan.bounds(strict)))
    read = [json.loads(data[start:end]) for _, _, start, end in spans]
    assert json.dumps(read) == json.dumps(list(value.values()))


@given(st.lists(any_value, max_size=6), st.booleans())
def test_items_are_found_at_their_places(value: list[object], is_ascii: bool) -> None:
    data = b"  " + json.dumps(value, ensure_ascii=is_ascii, indent=1).encode("utf-8", "surrogatepass")
    strict = mended(data)
    read = [json.loads(data[start:end]) for start, end in item_spans(strict, *scan.bounds(strict))]
    assert json.dumps(read) == json.dumps(value)
