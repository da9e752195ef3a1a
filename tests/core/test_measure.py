"""The figures of a document are those of all of it."""

from __future__ import annotations

import json

from hypothesis import given

from penstock.core.forms.document import Kind, read
from penstock.core.forms.recognise import read_form
from penstock.core.measure import measure
from penstock.core.tokens.count import count
from tests.kit.strategies import any_text, json_bytes


def test_the_figures_of_json() -> None:
    rows = [{"id": n, "tags": ["a"]} for n in range(30)]
    raw = json.dumps({"n": 3, "rows": rows})
    found = measure(read(raw))
    assert (found.kind, found.size, found.items, found.depth) == (Kind.JSON, len(raw), 30, 4)
    assert (found.main, found.form) == (".rows", "records")
    assert found.shape == "{n: int, rows: [{id: int, tags: [str]}]}"
    assert found.tokens == count(raw)


def test_the_figures_of_text_are_its_lines() -> None:
    found = measure(read("some words\n" * 30))
    assert (found.kind, found.items, found.depth, found.main) == (Kind.TEXT, 30, 0, ".")
    nothing = measure(read(b""))
    assert (nothing.size, nothing.items, nothing.tokens.tokens) == (0, 0, 0)


@given(any_text | json_bytes())
def test_any_document_has_figures_and_what_is_known_is_used_again(data: str | bytes) -> None:
    document = read(data)
    found = measure(document)
    assert found.size == len(document.raw)
    assert found.items >= 0
    known = measure(document, reading=read_form(document), tokens=found.tokens)
    assert known.tokens is found.tokens
    assert (known.items, known.depth, known.shape) == (found.items, found.depth, found.shape)
