"""Parts of a text replaced, in the text itself or in the JSON string that it stands in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.act.edits import in_json, in_json_string, literal_splices
from penstock.core.json.decoded import decoded
from penstock.core.json.splice import Splice, splice
from penstock.errors import CallerError


def test_each_place_is_found_once() -> None:
    assert [one.start for one in literal_splices(b"aaaa b aa", b"aa", b"x")] == [0, 2, 7]
    assert not list(literal_splices(b"abc", b"x", b"y"))


def test_other_escapes_of_the_string_stay() -> None:
    literal = rb'"\u00e9\/\ud83d\ude00 old \n\"old\" \ud83d end"'
    text = json.loads(literal).encode("utf-8", "surrogatepass")
    told = splice(literal, in_json_string(literal, list(literal_splices(text, b"old", 'n"é'.encode()))))
    assert told == literal.replace(b"old", 'n\\"é'.encode())


def test_an_escape_itself_can_be_replaced() -> None:
    literal = rb'"a\nb\u00e9c"'
    text = json.loads(literal).encode()
    assert splice(literal, in_json_string(literal, list(literal_splices(text, b"\n", b"-")))) == rb'"a-b\u00e9c"'
    assert splice(literal, in_json_string(literal, list(literal_splices(text, "é".encode(), b"")))) == rb'"a\nbc"'


def test_half_a_character_is_refused() -> None:
    with pytest.raises(CallerError, match="inside a character"):
        in_json_string(rb'"\u00e9"', [Splice(1, 2, b"")])


@given(st.text(), st.text(min_size=1), st.text(), st.booleans())
def test_a_string_and_its_text_are_changed_alike(text: str, find: str, new: str, ascii_only: bool) -> None:
    joined = f"{text}{find}{text}{find}"
    literal = json.dumps(joined, ensure_ascii=ascii_only).encode()
    found = list(literal_splices(joined.encode(), find.encode(), new.encode()))
    assert json.loads(splice(literal, in_json_string(literal, found))).encode() == splice(joined.encode(), found)


def replaced(document: str, find: str, new: str) -> str:
    raw = document.encode()
    return splice(raw, in_json(raw, list(literal_splices(decoded(raw), find.encode(), new.encode())))).decode()


@given(
    st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4),
    st.text(st.characters(exclude_characters=' ,:{}[]"', exclude_categories=["Cs"]), min_size=1, max_size=2),
    st.text(max_size=3),
    st.booleans(),
)
def test_replace_in_json_changes_what_strings_say(value: dict[str, str], find: str, new: str, ascii_only: bool) -> None:
    changed = replaced(json.dumps(value, ensure_ascii=ascii_only), find, new)
    expected = [(key.replace(find, new), text.replace(find, new)) for key, text in value.items()]
    assert json.loads(changed, object_pairs_hook=list) == expected


def test_replace_in_json_escapes_what_goes_into_a_string_only() -> None:
    document = r'{"a": "x\u2019y", "b": [1, 2]}'
    assert replaced(document, "x’", 'a"b\\\n') == r'{"a": "a\"b\\\ny", "b": [1, 2]}'
    assert replaced(document, '"b": [1', '"c": ["1"') == r'{"a": "x\u2019y", "c": ["1", 2]}'
    assert replaced(document, "2", "3") == r'{"a": "x\u2019y", "b": [1, 3]}'
    assert replaced(document, 'y", "b": [1', 'y", "b": ["') == r'{"a": "x\u2019y", "b": [", 2]}'
