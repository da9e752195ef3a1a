"""Batches put together are the items of a container, in order, each exactly once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.forms.document import Kind
from penstock.errors import CallerError
from penstock.query.source import batches, whole
from tests.query.held import held
from tests.strategies import clean_text, json_bytes, values

sizes = st.integers(1, 200)


@settings(max_examples=50)
@given(json_bytes(st.lists(values, max_size=30)), sizes)
def test_batches_of_an_array_put_together_are_its_items(data: bytes, size: int) -> None:
    source = held(data)
    together = [item for batch in batches(source.root(), source.read, size) for item in json.loads(b"[" + batch + b"]")]
    assert together == json.loads(data)


@settings(max_examples=50)
@given(json_bytes(st.dictionaries(clean_text, values, min_size=1, max_size=12)), sizes)
def test_batches_of_an_object_put_together_are_its_members(data: bytes, size: int) -> None:
    source = held(data)
    together: dict[str, Any] = {}
    for batch in batches(source.root(), source.read, size):
        together |= json.loads(b"{" + batch + b"}")
    assert together == json.loads(data)


@settings(max_examples=50)
@given(st.lists(st.lists(values, max_size=4), min_size=2, max_size=20), st.sampled_from(["\n", "\r\n", "\n\n"]), sizes)
def test_json_lines_are_one_array_of_their_records(records: list[Any], between: str, size: int) -> None:
    source = held(between.join(map(json.dumps, records)))
    assert source.index.kind is Kind.JSONL
    assert json.loads(b"".join(whole(source))) == records
    together = [item for batch in batches(source.root(), source.read, size) for item in json.loads(b"[" + batch + b"]")]
    assert together == records


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12), min_size=1, max_size=20), sizes)
def test_a_text_is_one_array_of_its_lines(lines: list[str], size: int) -> None:
    source = held("words: " + "\n".join(lines) + "\n")
    together = [item for batch in batches(source.root(), source.read, size) for item in json.loads(b"[" + batch + b"]")]
    assert together == ["words: " + lines[0], *lines[1:]]
    assert json.loads(b"".join(whole(source))) == together


@settings(max_examples=50)
@given(json_bytes())
def test_json_as_a_whole_is_itself(data: bytes) -> None:
    assert json.loads(b"".join(whole(held(data)))) == json.loads(data)


@pytest.mark.parametrize(("data", "what"), [(b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "binary data"), (b"", "empty")])
def test_what_has_neither_fields_nor_lines_cannot_be_asked(data: bytes, what: str) -> None:
    with pytest.raises(CallerError, match=what):
        held(data).root()
