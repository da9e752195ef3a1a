"""Python literals become the JSON that the docstring of ``from_python`` promises, or are refused."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pprint import pformat
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.query.parse.from_python import convert
from penstock.query.parse.refusal import Refusal

ZONES = st.none() | st.just(UTC) | st.integers(-1_000, 1_000).map(lambda n: timezone(timedelta(minutes=n)))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.decimals(allow_nan=False, allow_infinity=False, places=2)
    | st.datetimes(timezones=ZONES)
    | st.dates()
    | st.times()
    | st.uuids()
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(KEYS, inner),
    max_leaves=30,
)


def value(text: str) -> Any:
    return json.loads(convert(text.encode())[0])


def as_json(value: Any) -> Any:
    """Return what JSON has in the place of a value of Python."""
    if isinstance(value, dict):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return json.loads(str(value))
    return str(value) if isinstance(value, UUID) else value


@given(VALUES)
def test_what_python_writes_is_read_back(written: Any) -> None:
    assert value(repr([written])) == [as_json(written)]


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.integers())))
def test_what_pprint_writes_is_read_back(rows: list[tuple[str, int]]) -> None:
    assert value(pformat({"rows": rows}, width=30)) == {"rows": as_json(rows)}


def test_rows_of_a_database_keep_their_values() -> None:
    text = (
        "[(1, 'O\\'Hara', Decimal('1.50'), datetime.date(2026, 1, 2), UUID('00000000-0000-0000-0000-000000000001')),\n"
        " (9007199254740993, None, Decimal('NaN'), datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone.utc),"
        " ObjectId('6566'),),]"
    )
    body = convert(text.encode())[0]
    assert b"9007199254740993" in body
    assert b"1.50" in body
    assert json.loads(body) == [
        [1, "O'Hara", 1.5, "2026-01-02", "00000000-0000-0000-0000-000000000001"],
        [9007199254740993, None, "NaN", "2026-01-02T03:04:00+00:00", "6566"],
    ]


def test_keys_that_are_no_texts_become_texts_and_bytes_stay_as_they_are_written() -> None:
    written = "{1: 'a', None: b'\\x00', -2.5: (), True: (3,)}"
    assert value(written) == {"1": "a", "null": "b'\\x00'", "-2.5": [], "true": [3]}


@pytest.mark.parametrize(
    "text",
    [
        "{1: 'a', '1': 'b'}",
        "[(5)]",
        "[UUID('b') UUID('c')]",
        "['a' UUID('c')]",
        "[UUID('b') Decimal('1')]",
        "[print('x')]",
        "[datetime.datetime(2026, 99, 1)]",
        "[datetime.datetime(x)]",
        "[Decimal('1', '2')]",
        "[Decimal(1)]",
        "[datetime.timedelta(seconds=1)]",
        "['\\ud800']",
        "['\\x4']",
        "[f(" + "-" * 9_000 + "1)]",
        "['\x00']",
    ],
)
def test_what_is_no_plain_value_is_refused(text: str) -> None:
    with pytest.raises(Refusal):
        convert(text.encode())


@pytest.mark.parametrize("text", [b"['\xff']"])
def test_what_is_no_text_is_refused(text: bytes) -> None:
    with pytest.raises(Refusal):
        convert(text)


@pytest.mark.parametrize("text", ["{1, 2}", "[inf]", "[<object at 0x1>]", "[1 2]", "['a' 5]", "[", "['a"])
def test_what_is_broken_is_refused_or_is_no_json(text: str) -> None:
    try:
        body = convert(text.encode())[0]
    except Refusal:
        return
    with pytest.raises(ValueError, match=r"Expecting|Extra|Invalid|Unterminated"):
        json.loads(body)
