"""A picture, a sound or a file that was held by itself comes back as the block it was, where the client takes it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.stores import open_store
from tests.gate.conftest import notice
from tests.kit.answers import head_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.sandbox.sandbox import Sandbox

DATA = "QUJD" * 20_000
IMAGE = {"type": "image", "mimeType": "image/png", "data": DATA, "annotations": {"audience": ["user"]}}
AUDIO = {"type": "audio", "mimeType": "audio/wav", "data": DATA}
FILE = {"type": "resource", "resource": {"uri": "file:///a.pdf", "blob": DATA, "mimeType": "application/pdf"}}
HOLOGRAM = {"type": "hologram", "payload": "word " * 8_000}
NARROW: Any = {"narrow": {"max_media_bytes": 60_000}, "wide": {"max_media_bytes": 200_000}}


@pytest.fixture
def gate(sandbox: Sandbox) -> Iterator[Gate]:
    with open_store("memory:") as store:
        yield Gate(store, Config(clients=NARROW, notice="full"), sandbox=sandbox)


def held_block(gate: Gate, block: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The handle of a block that did not go along, and the whole answer. The client is too narrow for it."""
    result = json.dumps({"content": [{"type": "text", "text": "see"}, block], "x": "y " * 20_000}).encode()
    answer: dict[str, Any] = json.loads(gate.admit(Call(tool="t", owner="o", client="narrow"), result))
    stub = next(one["text"] for one in answer["content"] if one["text"].startswith("["))
    return re.findall(r"held as (r_[\w-]{22})", stub)[0], answer


def windows(gate: Gate, handle: str, client: str, **first: Any) -> tuple[str, str | None]:
    """The text of all windows put together, and the note of the first."""
    parts: list[str] = []
    note = None
    given = {"cache_id": handle, "action": "get", **first}
    while True:
        where, text = split(gate.fetch("o", given, client))
        note = note or where.get("note")
        parts.append(text)
        if where["next_index"] is None:
            return "".join(parts), note
        given = {"cache_id": handle, "action": "get", "start_index": where["next_index"], "max_length": 40_000}


@pytest.mark.parametrize("block", [IMAGE, AUDIO, FILE], ids=lambda block: str(block["type"]))
@pytest.mark.parametrize("client", ["wide", "nobody", ""])
def test_get_gives_the_block_back_to_a_client_that_takes_it(gate: Gate, block: dict[str, Any], client: str) -> None:
    handle, _ = held_block(gate, block)
    told = json.loads(gate.fetch("o", {"cache_id": handle, "action": "get"}, client))
    _, given_back = told["content"]
    assert given_back == block
    length = len(json.dumps(block))
    assert head_of(told) == {
        "total_length": length,
        "start_index": 0,
        "end_index": length,
        "next_index": None,
        "has_more": False,
        "characters_after": 0,
    }
    assert head_of(gate.fetch("o", {"cache_id": handle}))["kind"] == block["type"]


@pytest.mark.parametrize("block", [IMAGE, AUDIO, FILE], ids=lambda block: str(block["type"]))
def test_a_client_that_does_not_take_it_reads_its_json_in_windows(gate: Gate, block: dict[str, Any]) -> None:
    handle, _ = held_block(gate, block)
    text, note = windows(gate, handle, "narrow")
    assert json.loads(text) == block
    assert note == f"the JSON of a block of type {block['type']}, in parts: it is too large to come as it was"


@pytest.mark.parametrize("span", [{"start_index": 0}, {"max_length": 500}, {"start_index": 0, "max_length": 500}])
def test_who_asks_for_a_span_gets_text_and_is_told_why(gate: Gate, span: dict[str, Any]) -> None:
    handle, _ = held_block(gate, IMAGE)
    text, note = windows(gate, handle, "", **span)
    assert json.loads(text) == IMAGE
    assert note == f"the JSON of a block of type image, in parts: without {' and '.join(span)} it comes as it was"


def test_a_block_of_no_known_kind_is_read_as_the_json_it_is(gate: Gate) -> None:
    handle, _ = held_block(gate, HOLOGRAM)
    text, note = windows(gate, handle, "")
    assert (json.loads(text), note) == (HOLOGRAM, None)


def test_the_notice_names_the_call_that_gives_the_block_back_and_what_it_costs(gate: Gate) -> None:
    picture = {**IMAGE, "data": "QUJD" * 14_000}
    result = json.dumps({"content": [picture, picture]}).encode()
    told = notice(json.loads(gate.admit(Call(tool="t", owner="o", client="narrow"), result)))
    assert told["message"].startswith("2 blocks that are not text, about ")
    for call in told["next"]:
        raw = gate.fetch("o", call["arguments"], "narrow")
        assert json.loads(raw)["content"][1] == picture
        assert abs(cost(parse(raw), "claude") - call["tokens"]) <= 0.25 * call["tokens"]
    assert [call["tool"] for call in told["next"]] == ["fetch_cached_response"] * 2


def held_texts(gate: Gate, answer: bytes) -> list[str]:
    """All that was held of an answer, each part put together from its windows."""
    handles = dict.fromkeys(re.findall(r"r_[\w-]{22}", answer.decode()))
    return [windows(gate, handle, "")[0] for handle in handles]


def test_what_stands_beside_very_many_blocks_is_held_as_well(gate: Gate) -> None:
    many = [{"type": "text", "text": f"note {number}"} for number in range(2_500)]
    result = json.dumps({"content": many, "x": "y " * 20_000, "n": 7}).encode()
    answer = gate.admit(Call(tool="t", owner="o"), result)
    assert cost(parse(answer), "claude") <= 20_000
    found = [json.loads(text) for text in held_texts(gate, answer)]
    assert many in found
    assert any(isinstance(one, dict) and one.get("x") == "y " * 20_000 for one in found)


def test_very_many_blocks_that_repeat_the_structured_content_are_the_same_data_once(gate: Gate) -> None:
    rows = [{"id": number, "team": ["red", "blue"][number % 2]} for number in range(2_500)]
    many = [{"type": "text", "text": json.dumps(row, indent=2)} for row in rows]
    result = json.dumps({"content": many, "structuredContent": {"result": rows}}).encode()
    answer = gate.admit(Call(tool="t", owner="o"), result)
    told = notice(json.loads(answer))
    assert told["message"].startswith("2,500 records (2 columns), ")
    assert told["shape"] == "[{id: int, team: str}]"
    assert [json.loads(text) for text in held_texts(gate, answer)] == [rows]


def test_very_many_blocks_that_say_something_else_than_the_structured_content_are_held_with_it(gate: Gate) -> None:
    rows = [{"id": number} for number in range(2_500)]
    for text in ("{}", "words"):
        many = [{"type": "text", "text": json.dumps(row)} for row in rows[:-1]] + [{"type": "text", "text": text}]
        result = json.dumps({"content": many, "structuredContent": {"result": rows}}).encode()
        answer = gate.admit(Call(tool="t", owner="o", arguments={"last": text}), result)
        assert [json.loads(text) for text in held_texts(gate, answer)] == [
            {"content": many, "structuredContent": {"result": rows}}
        ]


def test_picture_whose_other_members_are_large_comes_back_in_parts(gate: Gate) -> None:
    picture = {**IMAGE, "alt": "lorem ipsum dolor " * 20_000}
    handle, answer = held_block(gate, picture)
    assert handle not in [call["arguments"]["cache_id"] for call in notice(answer).get("next", [])]
    raw = gate.fetch("o", {"cache_id": handle, "action": "get"})
    assert cost(parse(raw), "claude") <= 20_000
    text, note = windows(gate, handle, "")
    assert json.loads(text) == picture
    assert note == "the JSON of a block of type image, in parts: it is too large to come as it was"


def test_picture_with_half_an_emoji_comes_back_in_parts(gate: Gate) -> None:
    picture = {**IMAGE, "alt": "\ud83d"}
    handle, _ = held_block(gate, picture)
    text, note = windows(gate, handle, "")
    assert json.loads(text) == picture
    assert note == "the JSON of a block of type image, in parts: it is too large to come as it was"


def test_a_budget_without_room_for_a_picture_gives_none_back(sandbox: Sandbox) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(notice="full", max_tokens=1_700, clients=NARROW), sandbox=sandbox)
        handle, answer = held_block(gate, IMAGE)
        raw = gate.fetch("o", {"cache_id": handle, "action": "get"})
        assert cost(parse(raw), "claude") <= 1_700
        assert "too large" in head_of(raw)["note"]
        offered = [call["arguments"]["cache_id"] for call in notice(answer).get("next", [])]
        assert handle not in offered
