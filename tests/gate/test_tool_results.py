"""The form of Penstock's own answers: one text block, whose first line is JSON, then the exact text."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.answer.notice import encode
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.budget import Room
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.gate.actions.request import answer_within
from penstock.gate.arguments import FetchArguments
from penstock.gate.filtering import failure_note, filter_note
from penstock.gate.tool_results import NOTE, NOTE_BYTES, block_result, json_result, text_result, with_member
from penstock.stores import open_store
from tests.gate.conftest import OWNER, notice
from tests.kit.answers import head_of, split, text_of
from tests.kit.strategies import any_text

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox
    from tests.gate.conftest import Desk

ROWS = [{"id": n, "name": f"name {n}", "tags": ["a"]} for n in range(900)]
PICTURE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
HELD = {
    "records": json.dumps(ROWS),
    "indented": json.dumps(ROWS, indent=2),
    "a log": "".join(f"2026-11-18 10:{n % 60:02}:00 INFO job {n}\n" for n in range(2_000)),
    "lines of blanks": "\n\n\t\r\n" * 4_000,
    "markdown": "".join(f"# Part {n}\n\nSome words.\n\n" for n in range(900)),
}
CALLS: tuple[dict[str, Any], ...] = (
    {"action": "info"},
    {"action": "list", "cache_id": None},
    {"action": "get"},
    {"action": "get", "start_line": 3, "lines": 4},
    {"action": "get", "start_index": 10**9},
    {"action": "get_page"},
    {"action": "outline"},
    {"action": "search", "pattern": "a"},
    {"action": "search", "pattern": "nowhere at all"},
    {"action": "filter", "jq_filter": "length"},
    {"action": "filter", "jq_filter": "."},
    {"action": "sql", "sql": "SELECT 1 AS one"},
    {"action": "edit", "set": {".[0].id": 7}},
    {"action": "edit", "replace": [{"find": "job 7\n", "with": ""}]},
)


@pytest.mark.parametrize("style", ["brief", "full", "data"])
@pytest.mark.parametrize("name", HELD)
def test_every_answer_is_one_text_block_whose_first_line_is_json(sandbox: Sandbox, style: Any, name: str) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=3_000, notice=style), sandbox=sandbox)
        result = json.dumps({"content": [{"type": "text", "text": HELD[name]}]}).encode()
        first = json.loads(gate.admit(Call(tool="t", owner=OWNER), result))
        handle = notice(first)["cache_id"]
        answers = [first, *(json.loads(gate.fetch(OWNER, {"cache_id": handle, **call})) for call in CALLS)]
    for call, answer in zip(({}, *CALLS), answers, strict=True):
        (block,) = answer["content"]
        assert block.keys() == {"type", "text"}
        if not answer.get("isError") or style == "data":
            assert isinstance(head_of(answer), dict), call


def test_first_block_of_a_stand_in_has_the_notice_and_the_preview_before_other_blocks(desk: Desk) -> None:
    other = {"type": "hologram", "payload": "word " * 9_000}
    told = desk.admit("", content=[{"type": "text", "text": json.dumps(ROWS)}, other])
    first, stub = told["content"]
    line, preview = split(told)
    assert first["text"] == f"{encode(line).decode()}\n{preview}"
    assert line["type"] == "buffered_response"
    assert "sample row" in preview
    assert stub["text"].startswith("[hologram block")


@given(text=any_text.filter(bool))
def test_text_of_an_answer_is_everything_behind_the_first_line_break(text: str) -> None:
    assert split(text_result('{"a":1}', text)) == ({"a": 1}, text)
    assert text_result('{"a":1}') == json_result({"a": 1})


@given(text=any_text, value=any_text | st.integers() | st.dictionaries(any_text, st.none(), max_size=2))
def test_member_is_added_to_the_first_line_and_nothing_else_is_changed(text: str, value: Any) -> None:
    other = json.dumps(PICTURE).encode()
    bare = json.loads(text_result('{"a":{}}', text))
    answer = with_member(block_result(json.dumps(bare["content"][0]).encode(), other), "note", value)
    assert split(answer) == ({"a": {}, "note": value}, text)
    assert json.loads(answer)["content"][1:] == [PICTURE]


NASTY = st.text(st.sampled_from('"\\\n\x01 aé(did'), max_size=200)


@given(words=NASTY)
@example(words='"' * 200)
@example(words="\x01" * 200)
def test_notes_have_room_in_a_notice_whatever_is_quoted_in_them(words: str) -> None:
    room = Room(tokens=NOTE, size=NOTE_BYTES)
    handle = f"r_{'X7qZ0kW9vJ3bN5mT1yR8cL'}"
    for note in (filter_note(words, handle), failure_note(words)):
        assert room.fits(encode({"note": note}))
    assert filter_note(words, handle).endswith(f"unfiltered result: {handle}")
    ignored = FetchArguments.read({f"{words}{number}": 1 for number in range(9)}).ignored_text
    assert room.fits(encode({"ignored": ignored}))


def test_ignored_arguments_are_named_in_the_line_of_a_window_and_not_in_its_text(desk: Desk) -> None:
    text = "".join(f"line {n}\n" for n in range(9_000))
    head, shown = split(desk.raw("get", desk.hold(text), limit=5))
    assert head["ignored"].startswith("ignored unknown arguments: limit")
    assert text.startswith(shown)
    assert head["end_index"] == len(shown)


@pytest.mark.parametrize("given_as", [json.dumps(ROWS[:9], indent=1), json.dumps(ROWS[:9], indent="\t") + "\n"])
def test_get_of_json_with_line_breaks_is_one_line_in_the_style_data(sandbox: Sandbox, given_as: str) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(notice="data", always_hold=True), sandbox=sandbox)
        result = json.dumps({"content": [{"type": "text", "text": given_as}]}).encode()
        handle = notice(json.loads(gate.admit(Call(tool="t", owner=OWNER), result)))["cache_id"]
        assert split(gate.fetch(OWNER, {"action": "get", "cache_id": handle})) == (
            {"success": True, "message": "the answer is in data", "data": ROWS[:9]},
            "",
        )


def test_get_of_json_with_a_text_around_it_is_a_window_in_the_style_data(sandbox: Sandbox) -> None:
    text = f"Found these:\n```json\n{json.dumps(ROWS[:90], indent=1)}\n```\n"
    with open_store("memory:") as store:
        gate = Gate(store, Config(notice="data", always_hold=True), sandbox=sandbox)
        result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
        handle = notice(json.loads(gate.admit(Call(tool="t", owner=OWNER), result)))["cache_id"]
        head, shown = split(gate.fetch(OWNER, {"action": "get", "cache_id": handle}))
    assert head["data"]["total_length"] == len(text)
    assert shown
    assert text.startswith(shown)


def test_answer_is_made_again_for_less_room_until_line_and_text_fit_together() -> None:
    rooms: list[int] = []

    def made(room: Room) -> tuple[str, str]:
        rooms.append(room.tokens)
        return '{"a":1}', "word " * (2 * room.tokens)

    hard = Room(tokens=500)
    answer = answer_within(hard, hard, made)
    assert rooms == sorted(set(rooms), reverse=True)
    assert hard.fits(json.loads(answer)["content"][0]["text"])
    assert text_of(answer_within(Room(tokens=1), Room(tokens=0), made))


@pytest.mark.parametrize(("seed", "tokens"), [(1, 60_000), (41, 40_000)])
def test_largest_windows_fit_though_the_cost_of_a_large_text_is_sampled(seed: int, tokens: int) -> None:
    draw = random.Random(seed)
    kinds = ("word " * 30, "0123 4567 " * 15, '{"a":[1,2,3]},' * 9, "日本語 " * 20, "x" * 150, " " * 100, "aB3$" * 30)
    text = "".join((draw.choice(kinds) + "\n") * draw.randrange(1, 200) for _ in range(90))
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=tokens))
        result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
        handle = notice(json.loads(gate.admit(Call(tool="t", owner=OWNER), result)))["cache_id"]
        start: int | None = 0
        found: list[str] = []
        while start is not None:
            raw = gate.fetch(OWNER, {"action": "get", "cache_id": handle, "start_index": start, "max_length": 900_000})
            assert cost(parse(raw), "claude") <= tokens
            head, part = split(raw)
            found.append(part)
            start = head["next_index"]
    assert "".join(found) == text
