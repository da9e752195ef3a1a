"""A decimal of JSON is a double only if that keeps all of its digits."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.json.decimals import ExactDecoder, read_decimal

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


@given(DOUBLES, st.sampled_from(["{!r}", "{:.17g}", "{:.20g}", "{:.40e}"]))
@example(0.1, "{:.17g}")
@example(5e-324, "{!r}")
@example(-0.0, "{!r}")
def test_double_is_read_back_from_each_way_to_write_all_its_digits(value: float, way: str) -> None:
    assert read_decimal(way.format(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=18) | st.decimals(-1, 1, places=17))
def test_decimal_is_a_double_that_says_the_same_or_its_text(number: Decimal) -> None:
    text = f"{number:f}"
    value = read_decimal(text)
    digits = max(1, len(number.as_tuple().digits))
    assert value == text or Decimal(f"{value:.{digits}g}") == number


@pytest.mark.parametrize(
    "text",
    [
        *("0.12345678901234567890", "0.12345678901234567", "9007199254740993.0", "1e400", "-1e400", "1e-400"),
        *("2.5e-324", "1E-0400", "1e-99999999999999999999", "1.00000000000000000001"),
    ],
)
def test_decimal_that_no_double_keeps_is_its_text(text: str) -> None:
    assert read_decimal(text) == text


@given(st.lists(DOUBLES | st.integers() | st.text(max_size=5), max_size=5), st.booleans())
def test_decoder_reads_what_python_reads(values: list[Any], with_long_number: bool) -> None:
    written = json.dumps([values, 10**20 if with_long_number else 1]).encode()
    assert ExactDecoder().decode(written) == json.loads(written)
    assert ExactDecoder().decode_lines(written + b"\n" + written) == [json.loads(written)] * 2


@pytest.mark.parametrize("number", ["0.12345678901234567", "1e-400", "1E-400", "-12345678901234567.8"])
def test_decoder_keeps_the_digits_of_decimals(number: str) -> None:
    decoder = ExactDecoder(dict[str, Any])
    assert decoder.decode(f'{{"a": [1.5, {number}]}}'.encode()) == {"a": [1.5, number]}
