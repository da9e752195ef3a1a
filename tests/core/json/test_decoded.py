"""The decoded text of JSON says what its strings say, and each place in it leads back to the document."""

from __future__ import annotations

import json
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.decoded import STEP, decoded, positions
from penstock.errors import CallerError

TEXTS = st.lists(st.text(st.sampled_from('ab"\\/\n\t\x01é€\U0001f600'), max_size=20), max_size=4)


@given(TEXTS, st.booleans())
def test_decoded_document_has_its_strings_without_escapes(texts: list[str], ascii_only: bool) -> None:
    written = json.dumps(texts, ensure_ascii=ascii_only, indent=1)
    expected = "[\n" + ",\n".join(f' "{text}"' for text in texts) + "\n]" if texts else "[]"
    assert decoded(written.encode()).decode() == expected


@given(TEXTS, st.booleans())
def test_hidden_syntax_leaves_only_the_quotes_of_strings(texts: list[str], ascii_only: bool) -> None:
    written = json.dumps(texts, ensure_ascii=ascii_only, indent=1).encode()
    hidden = decoded(written, hide_syntax=True)
    assert len(hidden) == len(decoded(written))
    for sign in ('"', "\n", "\t"):
        assert hidden.count(sign.encode()) == sum(text.count(sign) for text in texts)


@given(st.text(st.sampled_from('a"\\\n é\U0001f600'), max_size=20), st.integers(0, 3), st.booleans())
def test_positions_are_those_of_each_character(text: str, times: int, ascii_only: bool) -> None:
    text = text + ("x" * STEP + text) * times
    written = [json.dumps(char, ensure_ascii=ascii_only)[1:-1].encode() for char in text]
    places = [0, *accumulate(len(char.encode()) for char in text)]
    expected = [0, *accumulate(map(len, written))]
    assert list(positions(b"".join(written), places)) == expected
    assert list(positions(b"".join(written), places[-1:])) == expected[-1:]


def test_position_inside_a_character_is_refused() -> None:
    with pytest.raises(CallerError, match="inside a character"):
        list(positions(rb'"\u00e9"', [2]))
