"""Any name and any value can be written in SQL, and finds itself."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.sql_text import literal, quoted
from tests.kit.strategies import any_text


@given(any_text.filter(lambda name: "\0" not in name and name.encode("utf-8", "replace").decode() == name))
def test_any_name_and_any_text_can_be_written_in_sql(name: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE items ({quoted(name)})")
    connection.execute("INSERT INTO items VALUES (?)", [name])
    found = connection.execute(f"SELECT {quoted(name)} FROM items WHERE {quoted(name)} = {literal(name)}").fetchall()
    connection.close()
    assert found == [(name,)]


@pytest.mark.parametrize(
    ("value", "expected"), [(True, "true"), (False, "false"), (3, "3"), (2.5, "2.5"), ("it's", "'it''s'")]
)
def test_a_value_in_sql(value: Any, expected: str) -> None:
    assert literal(value) == expected


@given(
    st.integers(-(10**14), 10**14).map(lambda n: n / 1000) | st.integers(-(2**63), 2**63 - 1) | st.just(float("inf"))
)
def test_a_number_in_sql_finds_itself(number: float) -> None:
    connection = sqlite3.connect(":memory:")
    found = connection.execute(f"SELECT ? = {literal(number)}", [number]).fetchall()
    connection.close()
    assert found == [(1,)]


def test_words_of_sql_and_odd_names_are_quoted() -> None:
    assert [quoted(name) for name in ("status", "order", "a.b", 'a"b', "é", "1a")] == [
        "status",
        '"order"',
        '"a.b"',
        '"a""b"',
        '"é"',
        '"1a"',
    ]
