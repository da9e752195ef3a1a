"""Amounts in texts: recognised only if all are alike, and read as the SQL function reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.amounts import plain_numbers
from penstock.query.sandbox.worker.sql_functions import number


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["$9.99", "-$1,204.50"], ["9.99", "-1204.50"]),
        (["US$5", "US$7.5"], ["5", "7.5"]),
        (["12 kg", "7 kg"], ["12", "7"]),
        (["45%"], ["45"]),
        (["1,234", "999"], ["1234", "999"]),
    ],
)
def test_amounts_with_one_sign_or_unit_are_plain_numbers(texts: list[str], numbers: list[str]) -> None:
    assert plain_numbers(texts) == numbers


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["02139", "10001"],
        ["$5", "€5"],
        ["12 kg", "12 lb"],
        ["1,23,4"],
        ["$5", "free"],
        ["$5\n", "$6"],
        ["2026-01-05"],
        ["1.2.3"],
        ["v1.2"],
    ],
)
def test_other_texts_are_not_amounts(texts: list[str]) -> None:
    assert plain_numbers(texts) is None


@given(
    st.sampled_from(["", "$", "US$", "€", "£", "₹"]),
    st.sampled_from(["", "%", " kg", "GB", " €"]),
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1),
)
def test_plain_numbers_are_those_that_sql_reads(before: str, after: str, values: list[object]) -> None:
    texts = [f"{value:,}" for value in values]
    signed = [f"-{before}{text[1:]}{after}" if text[0] == "-" else f"{before}{text}{after}" for text in texts]
    plain = plain_numbers(signed)
    if plain is not None:
        assert list(map(float, plain)) == list(map(number, signed))
