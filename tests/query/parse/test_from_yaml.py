"""YAML becomes the JSON that the docstring of ``from_yaml`` promises, or is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from penstock.query.parse import from_yaml
from penstock.query.parse.from_yaml import convert
from penstock.query.parse.refusal import Refusal


def value(text: str) -> Any:
    return json.loads(convert(text.encode())[0])


def test_scalars_are_what_yaml_and_json_agree_on_and_all_others_are_texts() -> None:
    text = "a: 1\nb: -2.50\nc: true\nd: null\ne:\nf: '12'\ng: 012\nh: 0x1F\ni: yes\nj: 2026-01-01\nk: 1_000\nl: .inf\n"
    assert value(text) == {
        "a": 1,
        "b": -2.5,
        "c": True,
        "d": None,
        "e": None,
        "f": "12",
        "g": "012",
        "h": "0x1F",
        "i": "yes",
        "j": "2026-01-01",
        "k": "1_000",
        "l": ".inf",
    }
    assert value("a: +1\nb: [~, True]\nc: 'x: +1'\n") == {"a": 1, "b": [None, True], "c": "x: +1"}
    assert value("a: ~\nb: '~'\n") == {"a": "~", "b": "~"}


def test_no_digit_is_lost() -> None:
    assert convert(b"a: 123456789012345678901234567890\nb: 1.10\n")[0] == (
        b'{"a":123456789012345678901234567890,"b":1.10}'
    )
    assert value("guid: 0000000000000000e000000000000000\n") == {"guid": "0000000000000000e000000000000000"}


def test_what_no_number_can_be_is_a_text_and_does_not_spoil_the_others() -> None:
    text = "hash: 381e94521\nback: -1e-999\nat: +5\nfar: +12e3456\nsaid: '9e9999'\n"
    assert value(text) == {"hash": "381e94521", "back": 0, "at": 5, "far": "+12e3456", "said": "9e9999"}


def test_several_documents_are_an_array_without_empty_ones() -> None:
    assert convert(b"---\na: 1\n---\n# nothing\n---\n- b\n...\n") == (
        b'[{"a":1},["b"]]',
        {"documents": 2, "unity": False},
    )
    assert value("---\na: 1\n") == {"a": 1}
    assert value("%YAML 1.2\n---\n- 1\n") == [1]


def test_blocks_quotes_and_flows_are_read() -> None:
    text = 'a: |\n  x: 1\n   y\nb: >-\n  one\n  two\nc: {d: [1, \'e: f\'], "g": "\\u00e9\\n"}\nh: one\n  more\n'
    assert value(text) == {"a": "x: 1\n y\n", "b": "one two", "c": {"d": [1, "e: f"], "g": "é\n"}, "h": "one more"}


def test_aliases_and_merges_are_put_in_place() -> None:
    assert value("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n") == {"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1, "e": 2}}


def test_a_file_of_unity_has_a_row_for_every_object() -> None:
    text = (
        "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &42\nGameObject:\n  m_Name: Cube\n  m_Pos: {x: 0.10}\n"
        "--- !u!4 &-7 stripped\nTransform: {}\n"
    )
    assert convert(text.encode()) == (
        b'[{"_id":42,"_class":1,"_type":"GameObject","m_Name":"Cube","m_Pos":{"x":0.10}},'
        b'{"_id":-7,"_class":4,"_type":"Transform"}]',
        {"documents": 2, "unity": True},
    )
    odd = "--- !u!1 &42\nGameObject:\n  _id: 1\n--- !u!1 &43\na: {}\nb: {}\n"
    assert value(odd) == [{"GameObject": {"_id": 1}}, {"a": {}, "b": {}}]


keys = st.text("abcdefgh", min_size=1, max_size=6)
scalars = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text("abc: #-'\"\n[]{}é", max_size=12)
trees = st.recursive(
    scalars, lambda one: st.lists(one, max_size=4) | st.dictionaries(keys, one, max_size=4), max_leaves=12
)


@given(st.dictionaries(keys, trees, min_size=1) | st.lists(trees, min_size=1), st.booleans())
def test_what_another_library_writes_is_read_as_it_was(tree: Any, flow: bool) -> None:
    try:
        found = value(yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=True))
    except Refusal:  # a text may always be refused, and then stays text
        return
    assert found == tree


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 6)
)


@pytest.mark.parametrize(
    "text",
    [
        b"a: 1\na: 2\n",
        b"a:\n  b: 1\n  c: 2\n  b: 3\n",
        b"a sentence that is one scalar",
        b"a: 1\n---\ntext\n",
        b"a: b: c\n",
        b"a:\n\tb: 1\n",
        b"a: [1, 2\n",
        b'a: "x\n',
        b"a: *none\n",
        b"a: \x00\n",
        b"? [a, b]\n: c\n",
        b"[" * 5_000 + b"]" * 5_000,
        b"".join(b" " * n + b"a:\n" for n in range(1_000)),
        BOMB.encode(),
    ],
    ids=range(14),
)
def test_hostile_and_broken_texts_are_refused(text: bytes) -> None:
    with pytest.raises(Refusal):
        convert(text)


def test_a_hundred_thousand_documents_are_read() -> None:
    assert convert(b"---\na: 1\n" * 100_000)[1]["documents"] == 100_000


def test_the_parser_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_yaml, "ryml", None)
    assert not from_yaml.is_available()


def test_a_scalar_with_a_tag_is_a_text_that_begins_with_it() -> None:
    text = "a: !Ref Bucket\nb: !Join [',', [x, !Sub 'y ${z}']]\nc: !!str 12\nd: !Empty\ne: !Sub |\n  two\n  lines\n"
    assert value(text) == {
        "a": "!Ref Bucket",
        "b": [",", ["x", "!Sub y ${z}"]],
        "c": "12",
        "d": "!Empty",
        "e": "!Sub two\nlines\n",
    }
    many = value("".join(f"k{n}: !Ref Name{n}\n" for n in range(3_000)))
    assert many == {f"k{n}": f"!Ref Name{n}" for n in range(3_000)}
    assert value("a: what !Ref is\nb: 'x !y'\n") == {"a": "what !Ref is", "b": "x !y"}
