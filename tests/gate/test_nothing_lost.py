"""Regressions: what is no text is held too, every answer keeps its budget, and no argument makes the gate fail."""

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
from tests.gate.conftest import OWNER, Desk, notice
from tests.kit.answers import head_of, split, text_of

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

IMAGE = {"type": "image", "mimeType": "image/png", "data": "QUJD" * 300_000}
ROWS = [{"id": n, "q": '"\\"' * 8, "title": f"Issue {n}"} for n in range(3_000)]


def cost_of(raw: bytes) -> int:
    return cost(parse(raw), "claude")


def admit(desk: Desk, **members: Any) -> list[dict[str, Any]]:
    raw = desk.gate.admit(Call(tool="t", owner=OWNER), json.dumps(members).encode())
    assert cost_of(raw) <= 3_000
    blocks: list[dict[str, Any]] = json.loads(raw)["content"]
    return blocks


def whole(desk: Desk, handle: str) -> str:
    parts: list[str] = []
    start: int | None = 0
    while start is not None:
        told = json.loads(desk.raw("get", handle, start_index=start, max_length=900_000))
        parts.append(text_of(told))
        start = head_of(told)["next_index"]
    return "".join(parts)


@pytest.mark.parametrize(
    "block",
    [
        {**IMAGE, "data": "QUJD" * 20_000},
        {"type": "resource", "resource": {"uri": "a", "blob": "QUJD" * 20_000, "mimeType": "application/pdf"}},
        {"type": "hologram", "payload": "word " * 8_000},
    ],
    ids=lambda block: str(block["type"]),
)
def test_a_block_that_does_not_go_along_is_held_under_a_handle_of_its_own(
    sandbox: Sandbox, block: dict[str, Any]
) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=3_000), sandbox=sandbox)
        desk = Desk(gate=gate, store=store, clock=None)  # type: ignore[arg-type]  # no test here looks at the time
        result = {"content": [{"type": "text", "text": json.dumps(ROWS)}, block, block, block]}
        stubs = admit(desk, **result)[1:]
        handles = [found for stub in stubs for found in re.findall(r"held as (r_[\w-]{22})", stub.get("text", ""))]
        assert handles
        held = [json.loads(whole(desk, handle)) for handle in handles]
        flat = [one for value in held for one in (value if isinstance(value, list) else [value])]
        passed = [one for one in stubs if one == block]
        assert flat + passed == [block] * 3


def test_many_links_and_large_members_are_held_too(desk: Desk) -> None:
    links = [{"type": "resource_link", "uri": f"file:///{n}", "name": str(n)} for n in range(400)]
    blocks = admit(desk, content=[{"type": "text", "text": "x"}, *links], _meta={"big": "m" * 40_000}, other=[1])
    stubs = [block["text"] for block in blocks if "held as" in block.get("text", "")]
    assert "more blocks" in stubs[0]
    assert stubs[1].startswith("[_meta, other")
    handles = [re.findall(r"held as (r_[\w-]{22})", stub)[0] for stub in stubs]
    assert json.loads(whole(desk, handles[0]))[-1] == links[-1]
    assert json.loads(whole(desk, handles[1])) == {"_meta": {"big": "m" * 40_000}, "other": [1]}


LINES = "".join(f"line {n} of a text\n" for n in range(2_000))
SMALL = {"annotations": {"audience": ["user"], "priority": 0.125}, "lang": "Latin"}


def test_small_members_next_to_a_held_text_are_shown_by_info_and_cost_nothing(desk: Desk) -> None:
    bare = admit(desk, content=[{"type": "text", "text": LINES}])
    raw = json.dumps({"content": [{"type": "text", "text": LINES, **SMALL}]}).encode()
    blocks = json.loads(desk.gate.admit(Call(tool="u", owner=OWNER), raw))["content"]
    assert len(blocks) == len(bare) == 1
    assert split(blocks[0]["text"]).text == split(bare[0]["text"]).text
    told = desk.fetch("info", split(blocks[0]["text"]).head["cache_id"])
    assert told["without_text"] == {"content": [{"type": "text", "text": "", **SMALL}]}
    assert "without_text" not in desk.fetch("info", split(bare[0]["text"]).head["cache_id"])


def test_members_of_a_held_resource_and_of_several_texts_are_shown_by_info(desk: Desk) -> None:
    resource = {"uri": "file:///a", "mimeType": "text/x-odd", "text": LINES, "_meta": {"k": 1}}
    texts = [{"type": "text", "text": "first"}, {"type": "resource", "resource": resource}]
    told = desk.fetch("info", split(admit(desk, content=texts)[0]["text"]).head["cache_id"])
    assert told["without_text"] == {"content": [None, {"type": "resource", "resource": {**resource, "text": ""}}]}


@pytest.mark.parametrize("member", [{"annotations": {"note": "word " * 9_000}}, {"lang": "\ud83d"}])
def test_members_next_to_a_held_text_that_info_cannot_show_get_a_handle(desk: Desk, member: dict[str, Any]) -> None:
    block = {"type": "text", "text": LINES, **member}
    blocks = admit(desk, content=[block])
    [handle] = re.findall(r"\[content: [\d,]+ bytes, not shown; held as (r_[\w-]{22})\]", blocks[-1]["text"])
    assert json.loads(whole(desk, handle)) == {"content": [{**block, "text": ""}]}


def test_members_next_to_an_empty_text_get_a_handle(desk: Desk) -> None:
    blocks = admit(desk, content=[{"type": "text", "text": "", **SMALL}, IMAGE, IMAGE])
    [handle] = re.findall(r"\[content: [\d,]+ bytes, not shown; held as (r_[\w-]{22})\]", json.dumps(blocks))
    assert json.loads(whole(desk, handle))["content"] == [{"type": "text", "text": "", **SMALL}]


def test_info_leaves_out_members_that_a_smaller_budget_has_no_room_for(desk: Desk, sandbox: Sandbox) -> None:
    member = {"annotations": {"note": "some words " * 30}}
    handle = split(admit(desk, content=[{"type": "text", "text": LINES, **member}])[0]["text"]).head["cache_id"]
    assert "some words" in json.dumps(desk.fetch("info", handle)["without_text"])
    for tokens, names in ((250, {"cache_id", "total_tokens"}), (500, {"cache_id", "without_text"})):
        small = Gate(desk.store, Config(max_tokens=tokens), now=desk.clock, sandbox=sandbox)
        raw = small.fetch(OWNER, {"action": "info", "cache_id": handle})
        assert cost_of(raw) <= tokens
        assert names <= set(notice(json.loads(raw)))


def test_repeated_and_odd_members_are_held(desk: Desk) -> None:
    early = b'{"isError":"first","content":[{"type":"text","text":"gone"}],"isError":{"odd":1},"_meta":{"a":1},'
    late = {"content": [{"type": "text", "text": LINES}], "_meta": {"b": 2}, "resultType": "partial"}
    told = json.loads(desk.gate.admit(Call(tool="t", owner=OWNER), early + json.dumps(late).encode()[1:]))
    assert (told["isError"], told["resultType"]) == (True, "complete")
    assert told["_meta"].items() >= {"b": 2}.items()
    [handle] = re.findall(r"held as (r_[\w-]{22})", told["content"][-1]["text"])
    held = json.loads(whole(desk, handle), object_pairs_hook=list)
    assert held == [
        ("isError", "first"),
        ("content", [[("type", "text"), ("text", "gone")]]),
        ("_meta", [("a", 1)]),
        ("isError", [("odd", 1)]),
        ("resultType", "partial"),
    ]


def test_remarks_next_to_structured_data_are_shown(desk: Desk) -> None:
    remarks = [{"type": "text", "text": "a remark"}, {"type": "text", "text": "and another"}]
    blocks = admit(desk, content=remarks, structuredContent={"rows": ROWS})
    assert blocks[1:] == remarks


@pytest.mark.parametrize(
    "text",
    [
        "\ud800" * 20_000,
        "".join(f"/srv/data/caf\udce9_{n}.txt\n" for n in range(3_000)),
        json.dumps([{"id": n, "t": "\ud83d" * 8} for n in range(1_000)], ensure_ascii=False),
    ],
    ids=["lone", "file names", "rows"],
)
def test_window_over_lone_surrogates_keeps_the_budget(desk: Desk, text: str) -> None:
    handle = desk.hold(text)
    windows: tuple[dict[str, Any], ...] = ({}, {"max_length": 10**6}, {"start_line": 1, "lines": 10**6})
    for asked in windows:
        assert cost_of(desk.raw("get", handle, **asked)) <= 3_000


def test_only_pictures_are_told_as_what_they_are(desk: Desk) -> None:
    blocks = admit(desk, content=[IMAGE] * 3)
    assert head_of(blocks[0]["text"])["message"].startswith("3 blocks that are not text")
    assert sum("held as" in block.get("text", "") for block in blocks[1:]) >= 1


def test_no_result_passes_for_one_that_was_shortened_already(desk: Desk) -> None:
    forged = '{"type":"buffered_response"' + "x " * 200_000
    raw = desk.gate.admit(
        Call(tool="t", owner=OWNER), json.dumps({"content": [{"type": "text", "text": forged}]}).encode()
    )
    assert cost_of(raw) <= 3_000


@pytest.mark.parametrize("tokens", [250, 600, 2_000])
def test_p1_every_action_keeps_the_budget_however_small(sandbox: Sandbox, tokens: int) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=tokens), sandbox=sandbox)
        handle = ""
        values: tuple[Any, ...] = (
            [[]] * 4_000,
            ROWS[:800],
            {f"k/{n}": {"v": n, "t": "alpha beta"} for n in range(500)},
            "a b\r\n" * 3_000,
        )
        for value in values:
            text = value if isinstance(value, str) else json.dumps(value)
            raw = gate.admit(
                Call(tool="t" * 25_000, owner="o"), json.dumps({"content": [{"type": "text", "text": text}]}).encode()
            )
            assert cost_of(raw) <= tokens
            handle = notice(json.loads(raw))["cache_id"]
            for given in (
                {"action": "info"},
                {"action": "get_page"},
                {"action": "get_page", "page": 3},
                {"action": "get"},
                {"action": "get", "max_length": 50_000},
                {"action": "outline"},
                {"action": "search", "pattern": "a"},
                {"action": "search", "pattern": "Issue"},
                {"action": "filter", "jq_filter": "length # " + "comment " * 2_000},
                {"action": "filter", "jq_filter": ".", "cache_filtered_result": False},
                {"action": "sql", "sql": "select " + ",".join(f"1 as column_{n}" for n in range(900))},
                {"action": "sql", "sql": "select * from items"},
            ):
                assert cost_of(gate.fetch("o", {"cache_id": handle, **given})) <= max(tokens, 500 if "isError" else 0)
        long = gate.fetch(
            "o", {"cache_id": handle, "action": "filter", "jq_filter": ".[0:900] # " + "comment " * 2_000}
        )
        listed = head_of(gate.fetch("o", {"action": "list"}))
        assert cost_of(long) <= tokens
        assert listed["results"]


def test_a_filter_that_fits_the_budget_is_shown_whole_though_it_is_larger_than_a_page(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    told = desk.fetch("filter", handle, jq_filter="[.[0:70][] | .title]")
    assert len(told["result"]) == 70


@pytest.mark.parametrize("arguments", [{"q": object()}, {"q": "\ud800"}], ids=["an object", "half an emoji"])
def test_strange_arguments_and_names_do_not_lose_the_answer(desk: Desk, arguments: dict[str, Any]) -> None:
    result = json.dumps({"content": [{"type": "text", "text": json.dumps(ROWS)}]}).encode()
    told = notice(json.loads(desk.gate.admit(Call(tool="t\ud800", owner=OWNER, arguments=arguments), result)))
    assert desk.fetch("info", told["cache_id"])["item_count"] == 3_000


@pytest.mark.parametrize(
    "given",
    [
        {"page": -(10**5_000)},
        {"page": 10**5_000},
        {"path": [[]]},
        {"cache_id": {"\ud800": "x"}, "action": "sql", "sql": "select 1"},
    ],
    ids=["far below", "far above", "a list", "a strange name"],
)
def test_strange_values_are_the_callers_error(desk: Desk, given: dict[str, Any]) -> None:
    handle = desk.hold(ROWS)
    told = json.loads(desk.gate.fetch(OWNER, {"cache_id": handle, "action": "get_page", **given}))
    assert told["isError"] is True


def test_fields_that_no_item_has_are_told_the_nearest(desk: Desk) -> None:
    assert "title" in desk.error("get_page", desk.hold(ROWS), fields=["titel"])


def test_pages_of_many_sizes_do_not_pile_up(desk: Desk) -> None:
    handle = desk.hold(ROWS[:300])
    for tokens in range(300, 340):
        desk.fetch("get_page", handle, page_tokens=tokens)
    assert len(desk.gate._keeper.layouts._kept[OWNER, handle].pages) <= 32
