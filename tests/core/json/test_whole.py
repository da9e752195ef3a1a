"""JSON that is read at once: its value, or nothing where it is none."""

from __future__ import annotations

import pytest

from penstock.core.json.whole import decode, read_json


@pytest.mark.parametrize(
    "body", [b"", b"1", b'"[]"', b"[1", b"[1]]", b'["\xff"]', b"[NaN]", b"[" * 50_000 + b"]" * 50_000]
)
def test_what_is_no_array_or_object_is_nothing(body: bytes) -> None:
    assert read_json(body) is None


def test_an_array_or_object_has_its_value() -> None:
    assert read_json(b' {"a": [1, {"b": 2}]} ') == {"a": [1, {"b": 2}]}


def test_number_that_no_type_keeps_is_its_text() -> None:
    assert read_json(b"[1e999, 1e-400, 0.5]") == ["1e999", "1e-400", 0.5]
    assert decode(b"[" + b"9" * 5_000 + b", 1]") == ["9" * 5_000, 1]
