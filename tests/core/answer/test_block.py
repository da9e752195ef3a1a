"""A block is what its members make it: only valid base64 is a picture, and no member of it is overlooked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.answer.block import Block, read_block, texts_in
from penstock.core.answer.result import parse
from tests.kit.strategies import any_text

PIXELS = "iVBORw0KGgoA"
IMAGE = {"type": "image", "data": PIXELS, "mimeType": "image/png"}
LONG = "some words\n" * 1_000


def blocks_of(*blocks: Any) -> tuple[Block, ...]:
    return parse(json.dumps({"content": list(blocks)}).encode()).blocks


@pytest.mark.parametrize("data", [PIXELS, "aGk=", "aA==", "aA", "", "+/+/"])
def test_image_with_valid_base64_is_media_and_its_frame_has_all_but_the_data(data: str) -> None:
    (block,) = blocks_of({**IMAGE, "data": data, "alt": "a dog"})
    assert block.is_media
    assert json.loads(block.frame) == {**IMAGE, "data": "", "alt": "a dog"}


@pytest.mark.parametrize("data", ["two words", "a===", "a=b", "é", "data:image/png;base64,aGk=", 5, None, ["aGk="]])
def test_image_without_valid_base64_is_not_media(data: Any) -> None:
    (block,) = blocks_of({**IMAGE, "data": data})
    assert not block.is_media
    assert not block.is_binary
    assert block.frame == block.raw


def test_base64_with_escaped_slashes_is_media() -> None:
    assert read_block(rb'{"type":"audio","data":"ab\/d"}').is_media


def test_text_in_an_image_block_is_part_of_its_frame() -> None:
    (block,) = blocks_of({**IMAGE, "text": LONG})
    assert block.is_media
    assert json.loads(block.frame)["text"] == LONG


def test_text_in_an_image_block_without_a_picture_is_its_text() -> None:
    (block,) = blocks_of({"type": "image", "text": "words"})
    assert (block.text, block.is_media) == ("words", False)


@pytest.mark.parametrize(
    ("resource", "binary", "text"),
    [
        ({"uri": "a:b", "blob": PIXELS}, True, None),
        ({"uri": "a:b", "blob": "no base64"}, False, None),
        ({"uri": "a:b", "blob": PIXELS, "text": "words"}, False, "words"),
        ({"uri": 5, "text": "words"}, False, "words"),
    ],
)
def test_resource_is_a_file_if_it_has_valid_base64_and_no_text(resource: Any, binary: bool, text: str | None) -> None:
    (block,) = blocks_of({"type": "resource", "resource": resource})
    assert (block.is_binary, block.is_media, block.text) == (binary, False, text)
    assert block.uri == (resource["uri"] if isinstance(resource["uri"], str) else None)


@pytest.mark.parametrize(
    ("raw", "is_bare"),
    [
        (b'{"type":"text","text":"a"}', True),
        (b'{ "text" : "a" , "type" : "text" }', True),
        (b'{"type":"text","text":"a","annotations":{}}', False),
        (b'{"type":"text","text":"a","text":"b"}', False),
        (b'{"type":"te xt","text":"a"}', False),
        (b'{"text":"a"}', False),
        (rb'{"type":"text","text":"a","x":"\ud83d"}', False),
    ],
)
def test_block_is_bare_only_if_it_has_nothing_but_one_type_and_one_text(raw: bytes, is_bare: bool) -> None:
    (block,) = parse(b'{"content":[' + raw + b"]}").blocks
    assert block.is_bare is is_bare


@given(any_text, st.sampled_from(["", LONG]), st.booleans())
def test_frame_and_text_of_a_block_are_all_of_it(text: str, more: str, with_resource: bool) -> None:
    inner = {"uri": "a:b", "text": text + more, "mimeType": text}
    block = {"type": "resource", "resource": inner} if with_resource else {"type": "text", **inner}
    for found in (*blocks_of(block), *blocks_of(block, {"type": "text", "text": "other"})[:1]):
        frame = json.loads(found.frame)
        assert (frame["resource"] if with_resource else frame) == {
            **({} if with_resource else {"type": "text"}),
            **inner,
            "text": "",
        }
        assert found.text == text + more
        assert json.loads(found.whole) == block
        assert json.loads(found.with_value(json.dumps(found.text).encode())) == block


def test_repeated_text_of_several_plain_blocks_stays_in_their_frames() -> None:
    raw = b'[{"type":"text","text":"first","text":"a"},{"type":"text","text":"b"}]'
    blocks = parse(b'{"content":' + raw + b"}").blocks
    assert [block.text for block in blocks] == ["a", "b"]
    assert b"first" in blocks[0].frame
    with pytest.raises(ValueError, match="repeated"):
        texts_in(raw)


def test_block_that_a_strict_parser_refuses_is_not_read() -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_block(rb'{"type":"text","text":"\ud83d"}')
