"""The data of a result is found once, whichever way the server sent it, and nothing of it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.document import Kind
from penstock.core.result import parse, payload, text_result
from tests.strategies import any_text, containers

ROWS = [{"id": n, "name": f"name {n}"} for n in range(100)]
IMAGE = {"type": "image", "data": "QUJD", "mimeType": "image/png"}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def result(*blocks: Any, **members: Any) -> bytes:
    return json.dumps({"content": list(blocks), **members}).encode()


@given(any_text)
def test_a_single_text_is_the_payload_character_for_character(data: str) -> None:
    found = payload(text_result(data))
    assert (found.document.text, found.origin) == (data, "text")


@given(st.binary())
def test_any_bytes_are_a_result_of_some_kind(raw: bytes) -> None:
    assert payload(parse(raw)).document is not None


@given(containers)
def test_data_sent_as_text_and_as_structure_is_found_once(value: Any) -> None:
    raw = result(text(json.dumps(value, indent=2)), structuredContent=value)
    found = payload(parse(raw))
    assert found.twin
    assert json.loads(found.document.raw) == value


@pytest.mark.parametrize(
    ("blocks", "structured"),
    [
        ([text(json.dumps(ROWS))], {"result": ROWS}),
        ([text("plain words " * 50)], {"content": "plain words " * 50}),
        ([text(json.dumps(row)) for row in ROWS], {"result": ROWS}),
        ([text(json.dumps({"b": 1, "a": "é"}))], {"a": "é", "b": 1}),
        ([text("42")], {"result": 42}),
    ],
)
def test_twins_are_recognised_through_the_usual_wrappings(blocks: list[Any], structured: Any) -> None:
    found = payload(parse(result(*blocks, structuredContent=structured)))
    assert found.twin
    assert found.rest == ()


def test_a_short_remark_beside_structure_goes_along_and_the_structure_is_the_payload() -> None:
    found = payload(parse(result(text("Found 100 rows."), structuredContent={"rows": ROWS})))
    assert (found.origin, found.twin) == ("structured", False)
    assert [block.text for block in found.rest] == ["Found 100 rows."]


def test_a_long_text_beside_other_structure_is_kept_together_with_it() -> None:
    prose = "these words are not in the structure " * 30
    found = payload(parse(result(text(prose), structuredContent={"rows": ROWS})))
    assert found.origin == "both"
    assert json.loads(found.document.raw) == {"content": prose, "structuredContent": {"rows": ROWS}}
    other = payload(parse(result(text(json.dumps({"other": ROWS})), structuredContent={"rows": ROWS})))
    assert json.loads(other.document.raw) == {"content": {"other": ROWS}, "structuredContent": {"rows": ROWS}}


def test_structure_alone_is_the_payload() -> None:
    found = payload(parse(result(structuredContent={"rows": ROWS})))
    assert (found.origin, json.loads(found.document.raw)) == ("structured", {"rows": ROWS})


def test_a_block_per_item_becomes_an_array_and_texts_become_one_text() -> None:
    found = payload(parse(result(*(text(json.dumps(row)) for row in ROWS))))
    assert (found.origin, found.document.kind) == ("blocks", Kind.JSON)
    assert json.loads(found.document.raw) == ROWS
    mixed = payload(parse(result(text("one"), IMAGE, text("two"))))
    assert mixed.document.text == "one\ntwo"
    assert [block.type for block in mixed.rest] == ["image"]


def test_embedded_text_resources_are_text_and_blobs_are_not() -> None:
    resource = {"type": "resource", "resource": {"uri": "file:///a", "text": "words"}}
    blob = {"type": "resource", "resource": {"uri": "file:///b", "blob": "QUJD"}}
    found = payload(parse(result(resource, blob)))
    assert found.document.text == "words"
    assert [block.type for block in found.rest] == ["resource"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"null",
        b'{"other":1}',
        b'{"content":[]}',
        b'{"content":5}',
        b"not json",
        b"[" * 2_000 + b"]" * 2_000,
        b'{"content":null,"structuredContent":null}',
        b'{"content":"\\ud800"}',
        b'["\\ud800"]',
    ],
)
def test_what_is_no_result_is_its_own_text(raw: bytes) -> None:
    found = payload(parse(raw))
    assert (found.origin, found.document.raw) == ("whole", raw)


@pytest.mark.parametrize(
    "block", [5, "text", None, [], {}, {"type": 5}, {"type": "text", "text": 7}, {"type": "resource"}]
)
def test_a_strange_block_is_not_data_but_is_kept(block: Any) -> None:
    found = payload(parse(result(text("words"), block)))
    assert found.document.text == "words"
    assert [json.loads(one.raw) for one in found.rest] == [block]


def test_flags_and_metadata_are_seen() -> None:
    parsed = parse(result(text("no"), isError=True, _meta={"a": 1}))
    assert parsed.is_error
    assert parsed.meta == b'{"a": 1}'
    assert not parse(result(text("yes"))).is_error
    assert parse(b'{"isError":true}').is_error


def test_twins_too_different_or_out_of_range_are_not_twins() -> None:
    assert not payload(parse(result(text('{"a": 1e999}'), structuredContent={"a": 1}))).twin
    assert not payload(parse(result(text("[1]"), structuredContent={"a": [2]}))).twin
    assert not payload(parse(result(text("[1]"), structuredContent=[3, 4]))).twin


def test_half_an_emoji_from_a_server_is_read_all_the_same() -> None:
    raw = (
        b'{"content":[{"type":"text","text":"cut \\ud83d"},{"type":"resource","resource":{"text":"t"}},7],'
        b'"structuredContent":null,"isError":true}'
    )
    parsed = parse(raw)
    assert [block.text for block in parsed.blocks] == ["cut \ud83d", "t", None]
    assert [block.type for block in parsed.blocks] == ["text", "resource", "unknown"]
    assert parsed.is_error
    assert payload(parsed).document.text == "cut \ud83d\nt"
