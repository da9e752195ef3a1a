"""JSON that is read at once: its index and its value, or nothing where it is none."""

from __future__ import annotations

import pytest

from penstock.core.json.scan import signs_of
from penstock.core.json.whole import read_json


@pytest.mark.parametrize("body", [b"", b"1", b'"[]"', b"[1", b"[1]]", b'["\xff"]', b"[" * 600 + b"]" * 600])
def test_what_is_no_array_or_object_within_the_depth_is_nothing(body: bytes) -> None:
    assert read_json(body, signs_of(body)) is None


def test_an_array_or_object_has_its_value_and_depth() -> None:
    body = b' {"a": [1, {"b": 2}]} '
    found = read_json(body, signs_of(body))
    assert found is not None
    assert (found[1], found[0].depth) == ({"a": [1, {"b": 2}]}, 3)
