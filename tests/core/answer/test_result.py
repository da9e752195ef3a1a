"""The data of a result is found once, whichever way the server sent it, and nothing of it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.answer.block import MOST_BLOCKS
from penstock.core.answer.result import parse, payload, text_result
from penstock.core.fit import Budget, Hold, fit
from penstock.core.forms.document import Kind
from tests.kit.mapped import in_file, mapped
from tests.kit.strategies import any_text, clean_text, containers, layouts

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
    assert json.loads(found.document.raw[:]) == value


@pytest.mark.parametrize(
    ("blocks", "structured"),
    [
        ([text(json.dumps(ROWS))], {"result": ROWS}),
        ([text("plain words " * 50)], {"content": "plain words " * 50}),
        ([text(json.dumps(row)) for row in ROWS], {"result": ROWS}),
        ([text(json.dumps({"b": 1, "a": "é"}))], {"a": "é", "b": 1}),
        ([text("42")], {"result": 42}),
        ([text("src/a.py"), text('src/b "c".py')], {"result": ["src/a.py", 'src/b "c".py']}),
        ([text("two\nlines"), text("[1]")], ["two\nlines", "[1]"]),
        ([text("4"), text("true"), text("[null, 2]")], {"result": [4, True, [None, 2]]}),
    ],
)
def test_twins_are_recognised_through_the_usual_wrappings(blocks: list[Any], structured: Any) -> None:
    found = payload(parse(result(*blocks, structuredContent=structured)))
    assert found.twin
    assert found.rest == ()


@pytest.mark.parametrize(
    ("texts", "structured"),
    [
        (["a", "b"], {"result": ["a"]}),
        (["a", "b"], {"result": ["a", 2]}),
        (["a", "b"], {"result": ["a", "b"], "count": 2}),
        (["1,2", "3"], {"result": [1, 2, 3]}),
        (["1", "2"], {"result": [1, 3]}),
        (["1", "2"], {"result": {"a": 1}}),
        (["{", "}"], {"result": [{}]}),
    ],
)
def test_a_list_that_is_not_that_of_the_blocks_is_no_twin_of_them(texts: list[str], structured: Any) -> None:
    assert not payload(parse(result(*map(text, texts), structuredContent=structured))).twin


@given(st.lists(clean_text, min_size=2), st.booleans())
def test_a_list_of_texts_sent_as_blocks_and_as_structure_is_found_once(texts: list[str], wrapped: bool) -> None:
    found = payload(parse(result(*map(text, texts), structuredContent={"result": texts} if wrapped else texts)))
    assert (found.twin, json.loads(found.document.raw[:])) == (True, texts)


def test_a_short_remark_beside_structure_goes_along_and_the_structure_is_the_payload() -> None:
    found = payload(parse(result(text("Found 100 rows."), structuredContent={"rows": ROWS})))
    assert (found.origin, found.twin) == ("structured", False)
    assert [block.text for block in found.rest] == ["Found 100 rows."]


def test_a_long_text_beside_other_structure_is_kept_together_with_it() -> None:
    prose = "these words are not in the structure " * 30
    found = payload(parse(result(text(prose), structuredContent={"rows": ROWS})))
    assert found.origin == "both"
    assert json.loads(found.document.raw[:]) == {"content": prose, "structuredContent": {"rows": ROWS}}
    other = payload(parse(result(text(json.dumps({"other": ROWS})), structuredContent={"rows": ROWS})))
    assert json.loads(other.document.raw[:]) == {"content": {"other": ROWS}, "structuredContent": {"rows": ROWS}}


def test_text_around_json_is_held_beside_other_data() -> None:
    """Regression: of a text with JSON in it only the JSON was held, where ``structuredContent`` has other data."""
    told = f"Found these:\n{json.dumps(ROWS)}\nand no others."
    found = payload(parse(result(text(told), structuredContent={"total": 100})))
    assert json.loads(found.document.raw[:]) == {"content": told, "structuredContent": {"total": 100}}


def test_structure_alone_is_the_payload() -> None:
    found = payload(parse(result(structuredContent={"rows": ROWS})))
    assert (found.origin, json.loads(found.document.raw[:])) == ("structured", {"rows": ROWS})


def test_a_block_per_item_becomes_an_array_and_texts_become_one_text() -> None:
    found = payload(parse(result(*(text(json.dumps(row)) for row in ROWS))))
    assert (found.origin, found.document.kind) == ("blocks", Kind.JSON)
    assert json.loads(found.document.raw[:]) == ROWS
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


LONG = 'a long text, "quoted"\n' * 2_000
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": LONG}}


@pytest.mark.parametrize(
    "raw",
    [
        result(text(LONG)),
        result(text(LONG + "half \ud83d"), isError=True),
        result(text(LONG), IMAGE, text("words"), structuredContent={"a": [1]}, _meta={"a": 1}),
        result(text(LONG), text("half \ud83d"), isError=True),
        result(RESOURCE, text("words")),
        result({"text": LONG}),
        b" " + result(text(LONG)) + b"\n",
    ],
)
def test_a_result_in_a_file_is_read_like_any_other(raw: bytes) -> None:
    found, plain = parse(memoryview(mapped(raw)), in_file), parse(raw)
    assert [block.data and block.data[:] for block in found.blocks] == [block.data for block in plain.blocks]
    assert [(block.type, block.raw) for block in found.blocks] == [(block.type, block.raw) for block in plain.blocks]
    assert (found.is_error, found.meta) == (plain.is_error, plain.meta)
    assert payload(found).document.text == payload(plain).document.text
    assert (found.size, bytes(found.raw)) == (len(raw), raw)


@given(
    st.one_of(containers, clean_text), containers, layouts, st.sampled_from(["{}", '{"result":%s}', '{"a":1,"b":%s}'])
)
def test_the_data_of_a_result_in_a_file_is_that_of_the_same_in_memory(
    text_of: Any, data: Any, layout: dict[str, Any], around: str
) -> None:
    said = text_of if isinstance(text_of, str) else json.dumps(text_of, **layout)
    structured = (
        around % json.dumps(data if isinstance(text_of, str) else text_of) if "%" in around else json.dumps(data)
    )
    for repeated in (1, 300):
        raw = b'{"content":[%s],"structuredContent":%s}' % (
            json.dumps({"type": "text", "text": said * repeated}).encode(),
            structured.encode(),
        )
        found, plain = payload(parse(memoryview(mapped(raw)), in_file)), payload(parse(raw))
        assert found.document.body[:] == plain.document.body[:]
        assert (found.origin, found.twin, found.left, found.uri) == (plain.origin, plain.twin, plain.left, plain.uri)
        assert found.document.kind == plain.document.kind


def test_a_long_text_in_any_block_is_kept_once() -> None:
    parsed = parse(result(text("words"), text(LONG), RESOURCE))
    assert [block.text for block in parsed.blocks] == ["words", LONG, LONG]
    assert [len(block.raw) < 200 for block in parsed.blocks] == [True, True, True]
    assert all(len(block.frame) < 100 for block in parsed.blocks)
    broken = parse(result(text("words"), text(LONG), more=1).replace(b"a long", b"\xff long"))
    assert (payload(broken).origin, len(broken.blocks)) == ("whole", 1)


def test_a_structure_with_half_an_emoji_is_kept_beside_any_text() -> None:
    for said in ("cut", '{"a": 1}', '{"a": "\ud83d"}'):
        for structured in ({"a": "\ud83d"}, {"a": "\ud83d", "b": "words " * 100}):
            found = payload(parse(result(text(said), structuredContent=structured)))
            assert (found.origin, json.loads(found.document.raw[:])) == ("structured", structured)


def test_a_structure_is_a_twin_of_its_own_json_and_of_its_own_text() -> None:
    assert payload(parse(result(text('"words"'), structuredContent="words"))).twin
    assert payload(parse(result(text("words \ud83d"), structuredContent={"result": "words \ud83d"}))).origin != "both"
    assert payload(parse(result(text("é \\"), structuredContent={"result": "é \\"}))).twin
    assert not payload(parse(result(text("words"), structuredContent={"a": "words", "b": "words"}))).twin


def test_a_block_with_half_an_emoji_that_has_no_room_is_told_of_all_the_same() -> None:
    raw = result(text("\ud83d" * 60), structuredContent={"rows": ROWS})
    plan = fit(raw, Budget(max_tokens=1_000, preview_tokens=1_000, page_tokens=1_000))
    assert isinstance(plan, Hold)
    assert b"text block" in plan.answer(None)


def test_a_structure_with_a_key_that_is_half_an_emoji_is_no_twin() -> None:
    parsed = parse(rb'{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"\ud83d":[1]}}')
    assert not payload(parsed).twin


def test_very_many_blocks_are_one_array_of_themselves() -> None:
    blocks = [text(f"words {n}") for n in range(MOST_BLOCKS + 1)]
    found = payload(parse(result(*blocks)))
    assert (found.origin, json.loads(found.document.raw[:])) == ("blocks", blocks)
    fewer = payload(parse(result(*blocks[:-1])))
    assert fewer.document.text == "\n".join(block["text"] for block in blocks[:-1])


MANY = [{"n": n} for n in range(MOST_BLOCKS + 1)]


def test_very_many_blocks_of_json_are_a_twin_of_the_structure_that_has_them_all() -> None:
    found = payload(parse(result(*(text(json.dumps(one)) for one in MANY), structuredContent={"result": MANY})))
    assert (found.origin, found.twin, json.loads(found.document.raw[:])) == ("blocks", True, MANY)


def test_very_many_blocks_of_texts_are_a_twin_of_the_list_of_them() -> None:
    names = [f"src/file {n}.py" for n in range(MOST_BLOCKS + 1)]
    found = payload(parse(result(*map(text, names), structuredContent={"result": names})))
    assert (found.origin, found.twin, json.loads(found.document.raw[:])) == ("blocks", True, names)


@pytest.mark.parametrize(
    "last",
    [
        text("words"),
        text("[1],[2]"),
        text("[1"),
        {"type": "text", "text": "{}", "annotations": {}},
        {"type": "image", "data": "QUJD", "mimeType": "image/png"},
    ],
)
def test_very_many_blocks_of_which_one_is_no_json_are_no_twin(last: Any) -> None:
    blocks = [*(text(json.dumps(one)) for one in MANY), last]
    found = payload(parse(result(*blocks, structuredContent={"result": MANY})))
    assert not found.twin
    assert json.loads(found.document.raw[:]) == {"content": blocks, "structuredContent": {"result": MANY}}


def test_many_texts_of_several_lines_are_a_list_of_texts() -> None:
    pages = [f"# Page {n}\n\nSome words." for n in range(20)]
    found = payload(parse(result(*map(text, pages))))
    assert (found.origin, json.loads(found.document.raw[:])) == ("blocks", pages)
    assert payload(parse(result(*map(text, pages[:-1])))).document.text == "\n".join(pages[:-1])


ODDLY = b'{"rows": [{"a":1.0, "a":2.50,"b":1E2,"c":9007199254740993.0,"e":1E+400}]}'


@pytest.mark.parametrize("beside", [b"see \\ud83d", b"see \xed\xa0\x80", b'see","n":NaN,"m":"'])
def test_half_an_emoji_in_one_block_leaves_every_other_byte_as_it_was(beside: bytes) -> None:
    """Regression: the structure was written anew, with a key lost, other numbers, and Infinity."""
    block = b'{"type":"text", "text":"' + beside + b'"}'
    image = b'{"type":"image" , "data":"aGk=", "x":1E+400}'
    parsed = parse(b'{"content":[' + block + b" , " + image + b'],"structuredContent":' + ODDLY + b"}")
    assert parsed.structured == ODDLY
    assert [one.raw for one in parsed.blocks] == [block, image]
    assert [one.type for one in parsed.blocks] == ["text", "image"]


def test_very_many_blocks_with_half_an_emoji_are_one_array_in_their_bytes() -> None:
    content = b"[" + b",".join([b'{"type":"text","text":"\\ud83d", "n":1.0}'] * 2_001) + b"]"
    (only,) = parse(b'{"content":' + content + b"}").blocks
    assert (only.type, only.raw) == ("content", content)


def test_what_no_parser_takes_even_mended_is_one_block() -> None:
    raw = b'{"content":[{"type":"text","text":"\\ud83d"]}'
    assert [block.raw for block in parse(raw).blocks] == [raw]
    long = b'{"content":[{"type":"odd","n":' + b"1" * 5_000 + b',"x":"\\ud83d"}]}'
    assert [block.type for block in parse(long).blocks] == ["odd"]
