"""A tool's own filter: what is left passes or is held, the original is beside it, and a failure costs nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.fit import Call
from penstock.errors import ConfigError, StoreError
from penstock.gate import Gate
from penstock.gate.passing import Target
from penstock.stores.memory import MemoryStore
from tests.gate.conftest import OWNER, Desk, numbered_handle
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.stores import NewRecord

FILTER = "map(del(.help))"
ROWS = [{"id": n, "help": "a long text that no model needs " * 9} for n in range(40)]


def gate_of(desk: Desk, sandbox: Sandbox, program: str = FILTER) -> Gate:
    config = Config(max_tokens=3_000, rules={"scan": {"filter": program}})
    return Gate(desk.store, config, now=desk.clock, new_handle=numbered_handle, sandbox=sandbox)


def admitted(gate: Gate, *texts: str, tool: str = "scan", **members: Any) -> dict[str, Any]:
    result = {"content": [{"type": "text", "text": text} for text in texts], **members}
    raw = gate.admit(Call(tool=tool, owner=OWNER), json.dumps(result).encode())
    assert cost(parse(raw), "claude") <= 3_000
    told: dict[str, Any] = json.loads(raw)
    return told


def whole(gate: Gate, handle: str) -> Any:
    return json.loads(gate.resolve(OWNER, Target(tool="t"), json.dumps({"x": f"held:{handle}"}).encode()))["x"]


def handle_in(note: str) -> str:
    assert note.startswith("filtered by a configured jq rule (map(del(.help)))")
    return note.rpartition(" ")[2]


def test_what_is_left_passes_and_the_original_is_held_beside_it(desk: Desk, sandbox: Sandbox) -> None:
    gate = gate_of(desk, sandbox)
    told = admitted(gate, json.dumps(ROWS), _meta={"a": 1}, structuredContent={"result": ROWS})
    left, note = (block["text"] for block in told["content"])
    assert json.loads(left) == [{"id": n} for n in range(40)]
    assert told["_meta"] == {"a": 1}
    assert "structuredContent" not in told
    assert whole(gate, handle_in(note)) == ROWS


def test_members_next_to_filtered_texts_stay(desk: Desk, sandbox: Sandbox) -> None:
    gate = gate_of(desk, sandbox)
    block = {"type": "text", "text": json.dumps(ROWS), "annotations": {"audience": ["user"]}}
    structured = {"kind": "x", "rows": ROWS}
    raw = json.dumps({"content": [block], "structuredContent": structured}).encode()
    told = json.loads(gate.admit(Call(tool="scan", owner=OWNER), raw))
    assert told["content"][0] == {**block, "text": json.dumps([{"id": n} for n in range(40)], separators=(",", ":"))}
    assert told["structuredContent"] == {"kind": "x"}


def test_members_next_to_several_filtered_texts_stay(desk: Desk, sandbox: Sandbox) -> None:
    gate = gate_of(desk, sandbox)
    halves = [{"type": "text", "text": json.dumps(row), "_meta": {"n": n}} for n, row in enumerate(ROWS[:2])]
    raw = b'{"note":"first",' + json.dumps({"content": halves, "note": 2}).encode()[1:]
    told = json.loads(gate.admit(Call(tool="scan", owner=OWNER), raw))
    assert json.loads(told["content"][0]["text"]) == [{"id": 0}, {"id": 1}]
    assert told["penstock/blocks"] == [{**half, "text": ""} for half in halves]
    assert (told["note"], told["penstock/repeated"]) == (2, {"note": "first"})


def test_remarks_next_to_filtered_data_stay(desk: Desk, sandbox: Sandbox) -> None:
    told = admitted(gate_of(desk, sandbox), "a remark", "and another", structuredContent=ROWS)
    assert [block["text"] for block in told["content"][1:3]] == ["a remark", "and another"]


@pytest.mark.parametrize("result", [{"task": {"taskId": "1", "status": "working"}}, {"resultType": "input_required"}])
def test_a_step_of_the_protocol_is_not_filtered(desk: Desk, sandbox: Sandbox, result: dict[str, Any]) -> None:
    raw = json.dumps(result).encode()
    assert gate_of(desk, sandbox, ".x").admit(Call(tool="scan", owner=OWNER), raw) == raw


def test_a_small_result_is_filtered_too(desk: Desk, sandbox: Sandbox) -> None:
    told = admitted(gate_of(desk, sandbox), '[{"id": 1.0, "help": "h"}]')
    assert told["content"][0]["text"] == '[{"id":1.0}]'


def test_what_is_left_and_too_large_is_held_and_knows_its_source(desk: Desk, sandbox: Sandbox) -> None:
    gate = gate_of(desk, sandbox)
    rows = [{**row, "name": f"name {n} " * 30} for n, row in enumerate(ROWS * 5)]
    notice = head_of(admitted(gate, json.dumps(rows)))
    handle, original = notice["cache_id"], handle_in(notice["note"])
    told = head_of(gate.fetch(OWNER, {"action": "info", "cache_id": handle}))
    assert (told["source"], told["jq_filter"]) == (original, FILTER)
    assert whole(gate, original) == rows
    assert whole(gate, handle) == [{"id": row["id"], "name": row["name"]} for row in rows]


def test_a_program_that_fails_gives_the_original_and_a_word(desk: Desk, sandbox: Sandbox) -> None:
    told = admitted(gate_of(desk, sandbox, ".a.b"), "[1, 2]")
    assert told["content"][0]["text"] == "[1, 2]"
    assert "failed, so this is the original: " in told["content"][1]["text"]


def test_a_store_that_does_not_keep_the_original_lets_it_pass_unfiltered(
    desk: Desk, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: MemoryStore, record: NewRecord) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(MemoryStore, "put", fail)
    told = admitted(gate_of(desk, sandbox), json.dumps(ROWS[:3]))
    assert json.loads(told["content"][0]["text"]) == ROWS[:3]
    assert "the disk is full" in told["content"][1]["text"]


@pytest.mark.parametrize("text", ['[{"id": 1}]', ""])
def test_what_a_filter_does_not_change_passes_as_it_came(desk: Desk, sandbox: Sandbox, text: str) -> None:
    gate = gate_of(desk, sandbox)
    result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    assert gate.admit(Call(tool="scan", owner=OWNER), result) == result
    assert desk.fetch("list")["total"] == 0


def test_errors_pass_and_other_tools_are_not_filtered(desk: Desk, sandbox: Sandbox) -> None:
    gate = gate_of(desk, sandbox)
    for tool, members in (("scan", {"isError": True}), ("other", {})):
        assert json.loads(admitted(gate, json.dumps(ROWS[:2]), tool=tool, **members)["content"][0]["text"]) == ROWS[:2]


def test_a_text_is_rows_to_the_program_and_a_string_is_given_as_text(desk: Desk, sandbox: Sandbox) -> None:
    told = admitted(gate_of(desk, sandbox, 'map(select(test("keep")))'), "one\nkeep this\nthree")
    assert json.loads(told["content"][0]["text"]) == ["keep this"]
    told = admitted(gate_of(desk, sandbox, ".[0].help"), json.dumps(ROWS))
    assert told["content"][0]["text"] == ROWS[0]["help"]


def test_pictures_beside_the_data_stay(desk: Desk, sandbox: Sandbox) -> None:
    picture = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
    content = [{"type": "text", "text": json.dumps(ROWS)}, picture]
    raw = gate_of(desk, sandbox).admit(Call(tool="scan", owner=OWNER), json.dumps({"content": content}).encode())
    assert json.loads(raw)["content"][1] == picture


def test_programs_are_checked_when_the_configuration_is_read() -> None:
    for program, words in (("map(", "jq refuses the program"), ("", "expected"), ('include "x"; .', "without modules")):
        with pytest.raises(ConfigError, match=words):
            Config(rules={"t": {"filter": program}})
    assert Config(filter=".a", rules={"t": {"filter": "off"}}).rule_for("t").filter is None


def test_settings_that_contradict_a_filter_are_refused_or_give_way() -> None:
    with pytest.raises(ConfigError, match="because filter is set"):
        Config(rules={"t": {"filter": ".", "never_hold": True}})
    with pytest.raises(ConfigError, match="output_schema"):
        Config(output_schema="wrap", rules={"t": {"filter": "."}})
    assert Config(never_hold=True, rules={"t": {"filter": "."}}).rule_for("t").never_hold is False
    assert Config(filter=".", rules={"t": {"never_hold": True}}).rule_for("t").filter is None
