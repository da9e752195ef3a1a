"""XML becomes the JSON that the docstring of ``from_xml`` promises, or is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.query.parse.from_xml import convert
from penstock.query.parse.refusal import Refusal


def value(text: str) -> Any:
    return json.loads(convert(text.encode())[0])


def test_an_element_is_its_text_or_an_object_of_attributes_elements_and_text() -> None:
    assert value("<a>x &amp; y</a>") == {"a": "x & y"}
    assert value("<a/>") == {"a": None}
    assert value("<a><![CDATA[<b>]]></a>") == {"a": "<b>"}
    assert value('<a id="q"><b>x</b></a>') == {"a": {"id": "q", "b": "x"}}
    assert value('<a id="q">x</a>') == {"a": {"id": "q", "text": "x"}}


def test_elements_that_repeat_in_one_parent_are_arrays_in_all_parents_of_that_name() -> None:
    assert value("<r><p><c>x</c><c>y</c></p><p><c>z</c></p><p/></r>") == {
        "r": {"p": [{"c": ["x", "y"]}, {"c": ["z"]}, None]}
    }


def test_an_attribute_that_is_called_as_an_element_is_marked_in_all_of_the_document() -> None:
    assert value('<r><p n="x"><n>y</n></p><p n="z"/><p><n>w</n></p></r>') == {
        "r": {"p": [{"@n": "x", "n": "y"}, {"@n": "z"}, {"n": "w"}]}
    }
    assert value('<a text="x">y</a>') == {"a": {"text": "x", "#text": "y"}}


def test_mixed_content_keeps_its_words_in_their_order() -> None:
    assert value("<p>see <b>this</b> now</p>") == {"p": {"b": "this", "text": "see this now"}}


def test_texts_are_numbers_only_if_all_of_them_are() -> None:
    found = value('<r><i zip="02139" n="1" t="0.50"/><i zip="10001" n="22" t="1.25"/></r>')
    assert found == {"r": {"i": [{"zip": "02139", "n": 1, "t": 0.5}, {"zip": "10001", "n": 22, "t": 1.25}]}}
    assert value("<r><v>1.9</v><v>1.10</v></r>") == {"r": {"v": ["1.9", "1.10"]}}
    assert value("<r><v>1</v><v/><v>3</v></r>") == {"r": {"v": [1, None, 3]}}
    many = [str(n) for n in range(60)]
    assert value(f"<r>{''.join(f'<v>{n}</v>' for n in (*many, 'x'))}</r>") == {"r": {"v": [*many, "x"]}}
    assert value(f"<r>{''.join(f'<v>x{n}</v>' for n in many)}</r>") == {"r": {"v": [f"x{n}" for n in many]}}


def test_names_keep_their_prefixes_and_elements_are_counted() -> None:
    body, told = convert(b'<s:e xmlns:s="urn:x"><s:b/><s:b/></s:e>')
    assert json.loads(body) == {"s:e": {"xmlns:s": "urn:x", "s:b": [None, None]}}
    assert told == {"root": "s:e", "elements": [("s:b", 2), ("s:e", 1)], "names": 2, "total": 3}


def test_a_document_type_without_entities_is_passed_over() -> None:
    assert value('<!DOCTYPE svg PUBLIC "-//x" "http://127.0.0.1:9/x.dtd"><svg><g/></svg>') == {"svg": {"g": None}}


LAUGHS = "<!DOCTYPE a [<!ENTITY l0 'ha'>" + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))


@pytest.mark.parametrize(
    "text",
    [
        f"{LAUGHS}]><a>&l9;</a>".encode(),
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        b'<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/">%x;]><a/>',
        b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/"><a>&x;</a>',
        b"<a>&x;</a>",
        b"<a>" * 1_000 + b"</a>" * 1_000,
        b"<a>" * 100_000,
        b"<a><b></a></b>",
        b"<a>",
        b"<a/><b/>",
        b"",
        b"<a>\xff</a>",
        b"<a>\x00</a>",
        b'<?xml version="1.0" encoding="x-none"?><a/>',
    ],
    ids=range(14),
)
def test_hostile_and_broken_documents_are_refused(text: bytes) -> None:
    with pytest.raises(Refusal):
        convert(text)


def test_a_huge_attribute_and_many_elements_are_read() -> None:
    assert len(value(f"<a x='{'y' * 1_000_000}'/>")["a"]["x"]) == 1_000_000
    assert len(value(f"<a>{'<b/>' * 50_000}</a>")["a"]["b"]) == 50_000
