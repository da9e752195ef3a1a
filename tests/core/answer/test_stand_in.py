"""An answer has the notice, the preview and what goes along; all that does not is a stub with a handle of its own."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.answer.notice import SAMPLE_HANDLE
from penstock.core.answer.result import parse, payload
from penstock.core.answer.stand_in import (
    MOST_EXTRAS,
    Extras,
    StandIn,
    compacted,
    cost,
    extras_within,
    joined,
    kept_members,
    text_block,
    with_preview,
)
from penstock.core.budget import MEDIA_TOKENS, Room
from penstock.core.tokens.count import count
from penstock.core.tokens.profiles import PROFILES
from tests.kit import hostile_names as hostile
from tests.kit.strategies import any_text, values

PIXELS = base64.b64encode(bytes(range(256)) * 20).decode()
IMAGE = {"type": "image", "data": PIXELS, "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a"}
ROOM = Room(tokens=500, size=2_000)


def result(*blocks: Any, **members: Any) -> bytes:
    return json.dumps({"content": list(blocks), **members}).encode()


def extras(
    *blocks: Any,
    room: Room = ROOM,
    tokens: int = 0,
    size: int = 10**6,
    names: dict[str, Any] | None = None,
    **dropped: Any,
) -> Extras:
    rest = parse(result(*blocks)).blocks if blocks else ()
    members = [(name, json.dumps(value).encode()) for name, value in {**dropped, **(names or {})}.items()]
    return extras_within(rest, members, room, media_tokens=tokens, media_bytes=size)


def texts(found: Extras) -> list[str]:
    return [json.loads(block).get("text", "") for block in found.blocks]


@given(any_text)
def test_any_text_can_be_a_block(text: str) -> None:
    assert json.loads(text_block(text)) == {"type": "text", "text": text}


def test_an_answer_keeps_the_flag_and_what_it_is_told_to_keep() -> None:
    came = parse(result(LINK, isError=True, _meta={"a": 1}, structuredContent={"b": 2}, other=3))
    parts = StandIn(
        notice={"n": 1},
        preview="p\n q ",
        blocks=(json.dumps(LINK).encode(),),
        members=kept_members(came, meta=True, structured=b'{"c":3}'),
        token_limit=1,
    )
    assert json.loads(parts.raw) == {
        "content": [{"type": "text", "text": '{"n":1}\np\n q '}, LINK],
        "structuredContent": {"c": 3},
        "isError": True,
        "_meta": {"a": 1},
    }
    assert kept_members(came, meta=False) == (("isError", b"true"),)


def test_stand_in_without_a_preview_is_one_line() -> None:
    parts = StandIn(notice={"n": "a\nb"}, token_limit=1)
    assert json.loads(parts.raw) == {"content": [{"type": "text", "text": '{"n":"a\\nb"}'}]}


def test_the_structure_of_an_answer_is_the_notice_with_the_preview_in_it() -> None:
    assert json.loads(with_preview(b'{"type":"x"}', 'a\n"b"')) == {"type": "x", "preview": 'a\n"b"'}


def test_small_blocks_go_along_and_large_ones_become_stubs() -> None:
    odd = {"type": "hologram", "payload": "x" * 9_000}
    blob = {"type": "resource", "resource": {"uri": "b", "blob": PIXELS, "mimeType": "application/pdf"}}
    found = extras(LINK, odd, blob, IMAGE)
    assert found.blocks[0] == json.dumps(LINK).encode()
    assert texts(found)[1].startswith("[hologram block, 9,")
    assert "application/pdf" in texts(found)[2]
    assert "image/png" in texts(found)[3]
    assert [(one.stub, one.block) for one in found.hidden] == [(1, None), (2, "resource"), (3, "image")]
    assert [json.loads(one.raw) for one in found.hidden] == [odd, blob, IMAGE]


def test_pictures_go_along_while_there_is_room_for_them() -> None:
    found = extras(IMAGE, IMAGE, IMAGE, tokens=2 * MEDIA_TOKENS)
    assert (found.media, len(found.hidden)) == (2, 1)
    raw = len(json.dumps(IMAGE))
    assert extras(IMAGE, IMAGE, IMAGE, tokens=9 * MEDIA_TOKENS, size=2 * raw).media == 2


def test_more_blocks_than_have_room_are_one_stub() -> None:
    found = extras(*[LINK] * 50, room=Room(tokens=10**6))
    assert len(found.blocks) == MOST_EXTRAS + 1
    assert texts(found)[-1].startswith(f"[+{50 - MOST_EXTRAS} more blocks, not shown; held as ")
    assert json.loads(found.hidden[0].raw) == [LINK] * (50 - MOST_EXTRAS)
    tight = extras(*[LINK] * 50, room=Room(tokens=150))
    assert len(tight.blocks) < MOST_EXTRAS
    assert len(json.loads(tight.hidden[0].raw)) == 50 - len(tight.blocks) + 1


def test_members_that_do_not_go_along_are_a_stub_with_their_names_where_those_are_plain() -> None:
    found = extras(progress=[1, 2], other="x")
    assert texts(found) == [f"[progress, other: 31 bytes, not shown; held as {SAMPLE_HANDLE}]"]
    assert json.loads(found.hidden[0].raw) == {"progress": [1, 2], "other": "x"}
    assert texts(extras(é=1))[0].startswith("[1 other members: 8 bytes")
    assert texts(extras(names={"a\nb": 1}))[0].startswith("[1 other members: ")
    assert texts(extras(names={"n" * 41: 1}))[0].startswith("[1 other members: ")


def test_where_two_stubs_have_no_room_one_stands_for_all() -> None:
    found = extras(IMAGE, room=Room(tokens=60), other=1)
    assert [json.loads(one.raw) for one in found.hidden] == [{"content": [IMAGE], "other": 1}]
    assert texts(found)[0].startswith("[+2 more blocks")


def test_stubs_name_their_handles_or_say_that_nothing_was_kept() -> None:
    found = extras(LINK, IMAGE, IMAGE, other=1)
    handles = ["r_" + letter * 22 for letter in "abc"]
    named = [json.loads(block).get("text", "") for block in found.naming(handles)]
    assert [f"held as {handle}" in text for handle, text in zip(handles, named[1:], strict=True)] == [True] * 3
    assert [text.endswith("; not kept]") for text in (json.loads(one)["text"] for one in found.naming([])[1:])] == [
        True
    ] * 3
    partly = [json.loads(block)["text"] for block in found.naming(handles[:1])[1:]]
    assert ("held as" in partly[0], "not kept" in partly[1]) == (True, True)
    assert found.naming([*handles, "r_more"]) == found.naming(handles)
    assert Extras().naming(["r_1"]) == ()


odd_blocks = (
    st.fixed_dictionaries(
        {"type": hostile.texts | st.sampled_from(["image", "audio", "resource", "text"])},
        optional={
            "data": hostile.texts | st.just(PIXELS) | values,
            "mimeType": hostile.texts | values,
            "resource": st.fixed_dictionaries(
                {}, optional={"blob": st.just(PIXELS) | values, "mimeType": hostile.texts}
            )
            | values,
        },
    )
    | values
)


@settings(max_examples=150, deadline=None)
@given(st.lists(odd_blocks, max_size=8), st.integers(100, 600), st.sampled_from([{}, {"next": [1] * 50}]))
def test_any_blocks_go_along_in_their_room_and_nothing_is_lost(blocks: list[Any], tokens: int, dropped: Any) -> None:
    rest = parse(result(*blocks)).blocks if blocks else ()
    rest = tuple(block for block in rest if not block.is_whole)
    members = [(name, json.dumps(value).encode()) for name, value in dropped.items()]
    room = Room(tokens=tokens)
    found = extras_within(rest, members, room, media_tokens=0, media_bytes=0)
    lines = [json.loads(block) for block in found.blocks]
    for hidden in found.hidden:
        assert lines[hidden.stub]["text"].endswith(f"held as {SAMPLE_HANDLE}]")
        assert lines[hidden.stub]["text"].isprintable()
        json.loads(hidden.raw)
    stubs = {hidden.stub for hidden in found.hidden}
    whole = sum(at not in stubs for at in range(len(lines)))
    assert whole <= len(rest)
    assert len(found.hidden) >= (1 if len(rest) + len(members) > whole else 0)


def test_a_block_with_half_an_emoji_is_a_stub_too() -> None:
    rest = parse(b'{"content":[{"type":"odd","a":"\\ud83d' + b"x" * 9_000 + b'"}]}').blocks
    found = extras_within(rest, [], ROOM, media_tokens=0, media_bytes=0)
    assert texts(found)[0].startswith("[odd block, ")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "data": 5, "mimeType": "image/png", "pad": "x" * 9_000},
        {"type": "image", "data": PIXELS, "mimeType": 7},
        {"type": "resource", "resource": {"blob": PIXELS * 9}},
        ["x" * 9_000],
    ],
)
def test_malformed_blocks_are_stubs(block: Any) -> None:
    [text] = texts(extras(block))
    assert text.startswith("[")
    assert text.endswith(f"; held as {SAMPLE_HANDLE}]")


def test_a_whole_result_costs_its_text_a_picture_and_the_rest() -> None:
    text = {"type": "text", "text": "some words " * 99}
    assert cost(parse(result(IMAGE, IMAGE)), "claude") >= 2 * MEDIA_TOKENS
    assert cost(parse(result(IMAGE)), "claude") < MEDIA_TOKENS + 100
    both = cost(parse(result(text, structuredContent={"a": "some words " * 99})), "claude")
    assert both > 1.8 * cost(parse(result(text)), "claude")
    assert cost(parse(b"no result at all " * 99), "claude") > 200
    assert cost(parse(result(LINK)), "claude") > 10


WORDS = "lorem ipsum dolor " * 200


@pytest.mark.parametrize(
    "member",
    [{"alt": WORDS}, {"mimeType": WORDS}, {"text": WORDS}, {"_meta": {"a": [WORDS]}}, {"data": WORDS}, {WORDS: 1}],
)
def test_text_in_a_picture_block_is_charged_as_text(member: dict[str, Any]) -> None:
    assert cost(parse(result({**IMAGE, **member})), "claude") >= count(WORDS).upper
    assert not extras({**IMAGE, **member}, tokens=9 * MEDIA_TOKENS).media


@pytest.mark.parametrize(
    "raw",
    [
        b'{"content":[{"type":"text","text":"x"}],%b:1}',
        b'{"content":[{"type":"text","text":"x"}],"isError":%b}',
        b'{"content":[{"type":"text","text":"x"}],"resultType":%b}',
        b'{"content":[{"type":"text","text":"x"}],"isError":%b,"isError":true}',
        b'{"content":%b,"content":[{"type":"text","text":"x"}]}',
        b'{"content":[{"type":"text","text":"x","annotations":{%b:1}}]}',
        b'{"content":[{"type":"text","text":%b,"text":"x"}]}',
        b'{"content":[{"type":"text","text":%b,"text":"x"},{"type":"text","text":"y"}]}',
        b'{"content":[{"type":%b,"text":"x"}]}',
        b'{"content":[],"task":%b}',
        b'{"resultType":"input_required","inputRequests":%b}',
    ],
)
def test_every_member_of_a_result_is_charged(raw: bytes) -> None:
    charged = cost(parse(raw % json.dumps(WORDS).encode()), "claude")
    assert count(WORDS).upper <= charged <= 1.1 * count(WORDS).upper + 100


@pytest.mark.parametrize(
    ("value", "is_error"),
    [("true", True), ("false", False), ("null", False), ("0", False), ('""', False), ('"false"', True), ("{}", True)],
)
def test_is_error_of_a_stand_in_is_true_or_false(value: str, is_error: bool) -> None:
    came = parse(b'{"content":[],"resultType":"of tomorrow","isError":%b}' % value.encode())
    flag = b"true" if is_error else b"false"
    assert came.is_error is is_error
    assert kept_members(came, meta=False) == (("resultType", b'"complete"'), ("isError", flag))


def test_remark_whose_text_is_apart_goes_along_with_its_text() -> None:
    rest = parse(result({"type": "text", "text": "one"}, {"type": "text", "text": "two"})).blocks
    assert all(block.is_apart for block in rest)
    found = extras_within(rest, [], ROOM, media_tokens=0, media_bytes=0)
    assert texts(found) == ["one", "two"]
    hidden = extras_within(rest, [], Room(tokens=60), media_tokens=0, media_bytes=0).hidden
    assert b"one" in hidden[0].raw


def test_json_is_joined_from_its_members_as_they_came() -> None:
    assert joined([("a", b"1.0"), ("b\n", b"[ ]")]) == b'{"a":1.0,"b\\n":[ ]}'


def test_a_result_that_cannot_be_smaller_is_not_compacted() -> None:
    for raw in (
        result({"type": "text", "text": "words"}),
        result({"type": "text", "text": "[1,2]"}),
        result({"type": "text", "text": "[1]"}, {"type": "text", "text": "[2]"}),
    ):
        came = parse(raw)
        assert compacted(came, payload(came)) is None


def test_a_compacted_result_has_the_same_data_and_says_what_was_done() -> None:
    rows = [{"a": n} for n in range(3)]
    raw = result(
        {"type": "text", "text": json.dumps(rows, indent=2), "annotations": {"x": 1}}, IMAGE, _meta=7, other=None
    )
    came = parse(raw)
    made = compacted(came, payload(came))
    assert made is not None
    told = json.loads(made)
    assert told["content"][0] == {"type": "text", "text": '[{"a":0},{"a":1},{"a":2}]', "annotations": {"x": 1}}
    assert told["content"][1] == IMAGE
    assert told["other"] is None
    assert told["_meta"] == 7
    assert made.count(b'"_meta"') == 1


@given(values, st.sampled_from((None, 0, 3, "\t")), st.sampled_from(PROFILES), st.integers(1, 30))
def test_what_fits_without_its_white_space_is_compacted_and_nothing_else(
    value: Any, indent: int | str | None, profile: str, times: int
) -> None:
    text = json.dumps([value] * times, indent=indent)
    came = parse(result({"type": "text", "text": text}))
    found = payload(came)
    small = count(json.dumps(json.loads(text), separators=(",", ":")), profile).tokens
    assert compacted(came, found, most=small, profile=profile) == compacted(came, found, profile=profile)
    assert compacted(came, found, most=small - 1, profile=profile) is None


@pytest.mark.parametrize("members", [{}, {"_meta": {"theirs": 1}}])
def test_what_was_done_is_noted_beside_what_is_known_already(members: dict[str, Any]) -> None:
    came = parse(result({"type": "text", "text": "[1,  2]"}, **members))
    noted = {**members.get("_meta", {}), "penstock/compacted": True, "penstock/original_bytes": came.size}
    assert json.loads(compacted(came, payload(came)) or b"")["_meta"] == noted


def test_a_resource_keeps_its_place_when_its_text_is_compacted() -> None:
    resource = {"type": "resource", "resource": {"uri": "a", "text": "[1,   2]", "mimeType": "m"}, "annotations": {}}
    came = parse(result(resource, structuredContent=[1, 2]))
    made = compacted(came, payload(came))
    assert made is not None
    told = json.loads(made)
    assert told["content"] == [{**resource, "resource": {**resource["resource"], "text": "[1,2]"}}]  # type: ignore[dict-item]
    assert "structuredContent" not in told
    kept = compacted(came, payload(came), structured=True)
    assert kept is not None
    assert json.loads(kept)["structuredContent"] == [1, 2]


def test_half_an_emoji_in_the_metadata_keeps_a_result_from_being_compacted() -> None:
    parsed = parse(rb'{"content":[{"type":"text","text":"{ \"a\": 1 }"}],"_meta":{"half":"\ud83d"}}')
    assert compacted(parsed, payload(parsed)) is None


def test_half_an_emoji_in_a_block_stays_as_it_is_when_the_text_is_compacted() -> None:
    parsed = parse(rb'{"content":[{"type":"text","text":"{ \"a\": 1 }","_meta":{"half":"\ud83d"}}]}')
    made = compacted(parsed, payload(parsed))
    assert made is not None
    assert rb'[{"type":"text","text":"{\"a\":1}","_meta":{"half":"\ud83d"}}]' in made
