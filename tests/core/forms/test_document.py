"""What the data is, is told without error for any bytes, and the original bytes are always kept."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import Kind, errors_for, errors_of_text, read
from penstock.core.forms.media import data_uri, decoded_size, looks_like_base64, sniff
from penstock.core.json.scan import MAX_DEPTH
from tests.kit.strategies import any_text, containers, json_bytes, small_containers

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


@given(st.binary() | any_text)
def test_any_data_is_read_and_gives_its_bytes_back(data: bytes | str) -> None:
    document = read(data)
    assert document.raw == (data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    assert document.text.encode("utf-8", document.errors) == document.raw


@given(json_bytes())
def test_json_containers_are_json(data: bytes) -> None:
    document = read(data)
    assert document.kind is Kind.JSON
    assert document.body == data


@given(containers)
def test_json_that_is_only_a_string_is_seen_as_json(value: Any) -> None:
    once = json.dumps(value)
    document = read(json.dumps(once))
    assert document.kind is Kind.JSON
    assert json.loads(document.body[:]) == value
    assert document.raw == json.dumps(once).encode()


def test_json_in_a_string_in_a_string_and_so_on_is_text_in_the_end() -> None:
    data = "[1]"
    for _ in range(3):
        data = json.dumps(data)
    assert read(data).kind is Kind.JSON
    assert read(json.dumps(data)).kind is Kind.TEXT


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", Kind.TEXT),
        (b"   ", Kind.TEXT),
        (b"42", Kind.TEXT),
        (b'"just a string"', Kind.TEXT),
        (b'"broken \\q string"', Kind.TEXT),
        (b"hello", Kind.TEXT),
        (b"{not json}", Kind.TEXT),
        (b"[NaN]", Kind.TEXT),
        (b'{"a": Infinity}', Kind.TEXT),
        (b'["\\ud800"]', Kind.TEXT),
        (b'{"a":1}\n{"b":2}\n', Kind.VALUES),
        (b'{"a":1}\n\n[2]\r\n', Kind.VALUES),
        (b'\xef\xbb\xbf{"a":1}', Kind.JSON),
        (b'{"a":"\xff"}', Kind.TEXT),
        ("caf\u00e9\n".encode("latin-1") * 10, Kind.TEXT),
        (b"\x00" * 100, Kind.BINARY),
        (PNG, Kind.BINARY),
        (bytes(range(128, 256)) * 10, Kind.BINARY),
        (b"GIF89a is how such files begin", Kind.TEXT),
    ],
)
def test_kinds(data: bytes, kind: Kind) -> None:
    assert read(data).kind is kind


def test_nesting_past_the_parsers_limit_is_text() -> None:
    assert read(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH).kind is Kind.JSON
    assert read(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1)).kind is Kind.TEXT


def test_the_byte_order_mark_is_kept_but_is_no_part_of_the_json() -> None:
    document = read(b"\xef\xbb\xbf[1]")
    assert document.body == b"[1]"
    assert document.raw == b"\xef\xbb\xbf[1]"


@pytest.mark.parametrize(
    ("data", "errors"),
    [("plain", "strict"), ("\ud800 alone", "surrogatepass"), (b"caf\xe9", "surrogateescape")],
)
def test_text_is_decoded_so_that_it_turns_back_into_its_bytes(data: bytes | str, errors: str) -> None:
    assert read(data).errors == errors


def test_base64_is_binary_with_the_type_of_what_it_encodes() -> None:
    for text in (base64.b64encode(PNG), base64.encodebytes(PNG), base64.urlsafe_b64encode(PNG)):
        document = read(text)
        assert (document.kind, document.media, document.base64) == (Kind.BINARY, "image/png", True)
        assert abs(decoded_size(text) - len(PNG)) <= 2


def test_a_data_uri_is_binary_with_the_type_it_names() -> None:
    uri = b"data:image/svg+xml;charset=utf-8;base64," + base64.b64encode(b"<svg/>" * 60)
    document = read(uri)
    assert (document.kind, document.media, document.base64) == (Kind.BINARY, "image/svg+xml", True)
    assert decoded_size(uri) == 360
    assert data_uri(b"data:;base64,QUJD") == "text/plain"
    assert data_uri(b"data:image/png;base64,no, this is prose") is None


@pytest.mark.parametrize("text", [b"a" * 400, b"deadbeef" * 60, b"word " * 100, b"0123456789" * 40, b"QUJD" * 10])
def test_words_and_digests_are_not_base64(text: bytes) -> None:
    assert not looks_like_base64(text)


@pytest.mark.parametrize(
    ("data", "media"),
    [
        (b"RIFF\x00\x00\x00\x00WAVE", "audio/wav"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
        (b"RIFF\x00\x00\x00\x00AVI ", None),
        (b"\x00\x00\x00\x18ftypmp42", "video/mp4"),
        (b"%PDF-1.7", "application/pdf"),
        (b"nothing known", None),
    ],
)
def test_media_types_are_told_by_their_first_bytes(data: bytes, media: str | None) -> None:
    assert sniff(data) == media


def test_base64_that_cannot_be_decoded_has_no_known_type() -> None:
    assert sniff(b"A", base64=True) is None
    assert sniff(b"A===", base64=True) is None


@given(any_text)
def test_bytes_that_were_a_text_become_it_again(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert data.decode("utf-8", errors_of_text(data)) == text
    assert errors_of_text(data) == errors_for(data)


@given(st.lists(small_containers, min_size=2, max_size=6), st.sampled_from(["\n", "\r\n", "\n\n", " ", ""]))
def test_json_values_one_after_the_other_are_one_document(some: list[Any], between: str) -> None:
    document = read(between.join(map(json.dumps, some)))
    assert document.kind is Kind.VALUES
    root = document.index.root
    assert root is not None
    assert json.loads(root.joined(lambda start, end: document.body[start:end])) == some
    assert document.depth >= 1
    assert read("text").depth == 0


def test_what_is_found_out_about_a_document_is_asked_once() -> None:
    document = read("[1]")
    found = [document.once("parts", lambda one: list(one.raw[:])) for _ in range(2)]
    assert found[0] == list(b"[1]")
    assert found[0] is found[1]
