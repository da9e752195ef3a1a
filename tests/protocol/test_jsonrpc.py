"""The envelope: odd messages are read as well as anyone reads them, ids have one spelling, and nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from penstock.protocol.wire import jsonrpc
from tests.kit.strategies import any_text, json_bytes, values

DEEP = b'{"jsonrpc":"2.0","id":7,"result":' + b"[" * 50_000 + b"]" * 50_000 + b"}\n"


def parts(message: jsonrpc.Message | None) -> dict[str, Any]:
    assert message is not None
    found = {name: getattr(message, name) for name in ("id", "method", "params", "result", "error")}
    return {
        name: json.loads(bytes(one)) if isinstance(one, Raw) else one for name, one in found.items() if one is not UNSET
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', {"id": 1, "method": "ping"}),
        (b'{"result":{},"jsonrpc":"2.0","id":"last"}\r\n', {"id": "last", "result": {}}),
        (b' { "id" : null , "error" : null }', {"id": None, "error": None}),
        (b'{"id":1,"id":2,"method":"a","method":"b"}', {"id": 2, "method": "b"}),
        (b'{"id":1,"method":null,"result":{}}', {"id": 1, "result": {}}),
        (b'{"id":1,"method":5}', {"id": 1, "method": ""}),
        (b'\xef\xbb\xbf{"id":1,"method":"bom"}', {"id": 1, "method": "bom"}),
        (rb'{"id":1,"result":{"text":"half \ud83d"}}', {"id": 1, "result": {"text": "half \ud83d"}}),
        (rb'{"id":1,"method":"\ud800"}', {"id": 1, "method": "\ud800"}),
        (b'{"id":1.5,"params":[1,2]}', {"id": 1.5, "params": [1, 2]}),
        (b"{}", {}),
    ],
)
def test_an_odd_envelope_is_read_as_other_parsers_read_it(line: bytes, expected: dict[str, Any]) -> None:
    assert parts(jsonrpc.decode(line)) == expected


@pytest.mark.parametrize("odd", [rb'"\ud83d"', b"NaN", b'"\xed\xa0\x80"', b"1" * 5_000 + rb',"y":"\ud83d"'])
def test_a_part_keeps_its_spelling_whatever_stands_beside_it(odd: bytes) -> None:
    """Regression: half an emoji in one member had all of them written anew, with a key lost and Infinity for 1E+400."""
    result = b'{ "a":1.0, "a":2.50,"b":1E2 ,"c":9007199254740993.0,"e":1E+400}'
    message = jsonrpc.decode(b'{"id":1,"x":' + odd + b',"result":' + result + b"}")
    assert message is not None
    assert bytes(message.result) == result  # type: ignore[arg-type]
    assert jsonrpc.batch(b"[" + odd + b"," + result + b"]") is not None or b":" in odd


def test_numbers_that_are_none_are_read_as_python_sends_them() -> None:
    message = jsonrpc.decode(b'{"id":1,"result":{"x":NaN,"y":-Infinity}}')
    assert message is not None
    assert bytes(message.result) == b'{"x":NaN,"y":-Infinity}'  # type: ignore[arg-type]


@pytest.mark.parametrize("line", [b"", b"\n", b"null", b"5", b'"text"', b"[]", b"{", b'{"a":1}}', b"\xff{}", DEEP])
def test_what_is_no_object_is_no_message(line: bytes) -> None:
    assert jsonrpc.decode(line) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'[{"id":1}, 2 ,[3]]\n', [b'{"id":1}', b"2", b"[3]"]),
        (b"[]", []),
        (rb'["\ud800", NaN]', [rb'"\ud800"', b"NaN"]),
        (b"{}", None),
        (b"[1", None),
        (b"", None),
        (b"[" * 50_000 + b"]" * 50_000, None),
    ],
)
def test_a_batch_is_told_by_its_bracket(line: bytes, expected: list[bytes] | None) -> None:
    assert jsonrpc.batch(line) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"1", b"1.0"),
        (b"1", b"1e0"),
        (b"-3", b"-3.0"),
        ('"é"'.encode(), rb'"\u00e9"'),
        (b'"a/b"', rb'"a\/b"'),
        (rb'"\ud83d\ude00"', '"😀"'.encode()),
        (rb'"\ud800"', rb'"\uD800"'),
    ],
)
def test_two_spellings_of_an_id_are_one(one: bytes, other: bytes) -> None:
    assert jsonrpc.key_of(one) == jsonrpc.key_of(other)


@pytest.mark.parametrize("key", [b"1", b'"1"', b"1.5", b"null", b"true", b'{"a":1}', b"1e999", b'"\xff"', b"9" * 5_000])
def test_an_id_that_has_one_spelling_only_stays_as_it_is(key: bytes) -> None:
    assert jsonrpc.key_of(key) == key


@given(values)
def test_an_id_found_in_a_message_is_the_one_that_stands_there(told: Any) -> None:
    key = jsonrpc.key_of(jsonrpc.spelled(told))
    found = jsonrpc.key_at(jsonrpc.spelled({"requestId": told}), "requestId")
    assert found in (key, b"")
    assert (found != b"") == isinstance(told, str | int) or isinstance(told, float)


@given(any_text)
def test_every_text_is_found_where_it_stands(text: str) -> None:
    raw = json.dumps({"name": text, "_meta": {"a": text}}).encode()
    assert jsonrpc.name_in(raw) == jsonrpc.text_at(raw, "_meta", "a") == text


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"name":5}', b'{"a":{}}', b'{"name":"\xff"}', DEEP, UNSET])
def test_where_there_is_no_text_there_is_an_empty_one(raw: Any) -> None:
    assert jsonrpc.text_at(raw, "name") == ""
    assert raw is UNSET or jsonrpc.name_in(raw) == ""


ANSWER = b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"id":8}]'


@pytest.mark.parametrize(
    ("head", "tail", "key", "first"),
    [
        (ANSWER, b"", b"7", b"result"),
        (b'{"id" : "a\\"b" , "error":', b"", rb'"a\"b"', b"error"),
        (b'{"result":{"id":8', b'"id":9}],"jsonrpc":"2.0","id":7}\n', b"7", b"result"),
        (b'{"method":"tools/call","params":{', b'"id":3}},"id":"x","jsonrpc":"2.0" }', b'"x"', b"method"),
        (b'{"jsonrpc":"2.0","method":"notifications/message","params":{"id":3', b'"id":3}}\n', None, b"method"),
        (b'[{"id":1,', b'"id":2}]', None, b""),
        (b"garbage", b"garbage", None, b""),
    ],
)
def test_the_id_is_found_at_either_end_of_a_line(head: bytes, tail: bytes, key: bytes | None, first: bytes) -> None:
    assert jsonrpc.id_in(head, tail) == key
    assert jsonrpc.first_member(head) == first


def test_the_id_of_what_no_parser_takes_is_found_if_it_is_whole() -> None:
    assert jsonrpc.id_of_unread(DEEP) == b"7"
    assert jsonrpc.id_of_unread(b'{"result":{"text":"a\tb"},"id":"x"}\r\n') == b'"x"'
    assert jsonrpc.id_of_unread(b'{"id":7,"result":{"text":"half') is None
    assert jsonrpc.is_too_deep(DEEP)
    assert not jsonrpc.is_too_deep(b'{"id":7,"result":[[]]')


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b' { "x" : [1, 2] ,\t"result" : {"a":1} , "id":1 }\r\n', b' { "x" : [1, 2] ,\t"result" : NEW , "id":1 }\r\n'),
        (b'{"result":1,"id":1,"result":2}', b'{"result":1,"id":1,"result":NEW}'),
        (b'{"params":{"result":1},"result":2}', b'{"params":{"result":1},"result":NEW}'),
        (b'{"id":1}', None),
        (b'{"result":NaN}', b'{"result":NEW}'),
        (rb'{"a":"\ud83d","result":{"b":1.50,"b":1E2},"c":NaN}', rb'{"a":"\ud83d","result":NEW,"c":NaN}'),
        (b'\xef\xbb\xbf{"result":1}', b'\xef\xbb\xbf{"result":NEW}'),
        (b'{"\xff":1,"result":2}', None),
        (DEEP, None),
    ],
)
def test_one_member_is_replaced_and_every_other_byte_stays(line: bytes, expected: bytes | None) -> None:
    assert jsonrpc.replaced(line, "result", b"NEW") == expected


@given(json_bytes(st.dictionaries(any_text.filter(str.isascii), values, max_size=5)), values)
def test_what_is_replaced_reads_back_and_the_rest_is_as_it_was(line: bytes, new: Any) -> None:
    changed = jsonrpc.replaced(line, "a", jsonrpc.spelled(new))
    told = json.loads(line)
    if "a" in told:
        assert changed is not None
        assert json.loads(changed) == {**told, "a": new}
    else:
        assert changed is None


@given(json_bytes())
def test_members_and_items_are_those_of_the_standard_parser(data: bytes) -> None:
    told = json.loads(data)
    raw = data.strip()
    if isinstance(told, dict):
        assert {name: json.loads(one) for name, one in jsonrpc.members(raw)} == told
        with pytest.raises(ValueError, match="no JSON array"):
            jsonrpc.items(raw)
    else:
        assert [json.loads(one) for one in jsonrpc.items(raw)] == told
        with pytest.raises(ValueError, match="no JSON object"):
            jsonrpc.members(raw)


def test_members_that_only_the_standard_parser_takes_are_members_too() -> None:
    assert jsonrpc.members(rb'{"a":"\ud800","b":[1]}') == [("a", rb'"\ud800"'), ("b", b"[1]")]
    with pytest.raises(ValueError, match="no JSON object"):
        jsonrpc.members(b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}")


@given(st.binary(max_size=60) | json_bytes())
def test_nothing_whatsoever_makes_reading_raise(data: bytes) -> None:
    for mangled in (data, b'{"id":' + data + b"}", b"[" + data + b"]"):
        jsonrpc.decode(mangled)
        jsonrpc.batch(mangled)
        jsonrpc.value(mangled)
        jsonrpc.key_of(mangled)
        jsonrpc.key_at(mangled, "id")
        jsonrpc.name_in(mangled)
        jsonrpc.id_of_unread(mangled)
        jsonrpc.is_too_deep(mangled)
        jsonrpc.first_member(mangled)
        jsonrpc.replaced(mangled, "id", b"1")


@pytest.mark.parametrize("depth", range(300, 1_100, 7))
def test_at_no_depth_does_reading_raise(depth: int) -> None:
    for inner in (b"1", b"NaN"):
        nested = b"[" * depth + inner + b"]" * depth
        jsonrpc.decode(b'{"id":1,"result":' + nested + b"}")
        jsonrpc.batch(nested)
        jsonrpc.key_of(nested)


def test_what_is_nested_too_deeply_cannot_be_written() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(ValueError, match="nested too deeply"):
        jsonrpc.spelled(nested)


def test_own_lines_are_messages() -> None:
    assert parts(jsonrpc.decode(jsonrpc.answer(b"1", b"{}"))) == {"id": 1, "result": {}}
    failed = parts(jsonrpc.decode(jsonrpc.failure(b'"x"', -32_603, 'it "broke"\n\ud800')))
    assert failed == {"id": "x", "error": {"code": -32_603, "message": 'it "broke"\n\ud800'}}
    cancelled = parts(jsonrpc.decode(jsonrpc.cancelled(b"3", "late")))
    assert cancelled == {"method": "notifications/cancelled", "params": {"requestId": 3, "reason": "late"}}
