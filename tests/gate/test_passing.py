"""A held result in the arguments of another tool: the same bytes, for its owner alone, where the settings let it go."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import example, given, settings

from penstock.config import Config
from penstock.core.fit import Call
from penstock.errors import CallerError
from penstock.gate import Gate
from penstock.gate.passing import Passed, Target
from penstock.stores import open_store
from tests.gate.conftest import OWNER, Desk, notice
from tests.kit.answers import head_of
from tests.kit.strategies import any_text, json_bytes

ROWS = [{"id": n, "name": f"name {n}", "big": 2**60 + n} for n in range(400)]
TEXT = "".join(f'line {n}: Ünïcode 茶 \\ "quoted"\n' for n in range(3_000))
WRITE = Target(tool="write", schema={"properties": {"content": {"type": "string"}, "rows": {"type": "array"}}})


def passed(desk: Desk, arguments: Any, target: Target = WRITE, owner: str = OWNER) -> Any:
    return json.loads(desk.gate.resolve(owner, target, json.dumps(arguments).encode()))


def refused(gate: Gate, arguments: Any, target: Target = WRITE, owner: str = OWNER) -> str:
    with pytest.raises(CallerError) as raised:
        gate.resolve(owner, target, json.dumps(arguments).encode())
    return str(raised.value)


def test_a_text_is_passed_as_it_was_held(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    assert passed(desk, {"path": "a", "content": f"held:{handle}"}) == {"path": "a", "content": TEXT}


@pytest.mark.parametrize("where", ["content", "edits"])
def test_live_handle_without_held_is_refused_for_a_tool_that_may_write(desk: Desk, where: str) -> None:
    handle = desk.hold(TEXT)
    argument = handle if where == "content" else [{"oldText": "a", "newText": handle}]
    error = refused(desk.gate, {"path": "a.txt", where: argument})
    assert "write was not called" in error
    assert f"held:{handle} " in error


def test_handle_without_held_is_data_where_it_does_no_harm(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    reads = Target(tool="read", read_only=True)
    assert passed(desk, {"content": handle}, reads) == {"content": handle}
    unknown = "r_" + "A" * 22
    text = f"see {handle}"
    for argument in (unknown, text, {handle: 1}):
        assert passed(desk, {"content": argument}) == {"content": argument}
    assert passed(desk, {"content": handle}, owner="another") == {"content": handle}


@settings(max_examples=40)
@given(data=any_text)
def test_any_text_that_is_passed_equals_the_held_one(data: str) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=600, always_hold=True))
        result = json.dumps({"content": [{"type": "text", "text": data}]}).encode()
        handle = notice(json.loads(gate.admit(Call(tool="t", owner="o"), result)))["cache_id"]
        filled = gate.resolve("o", WRITE, json.dumps({"content": f"held:{handle}"}).encode())
        assert json.loads(filled)["content"] == data
        assert b"\n" not in filled


@settings(max_examples=40)
@given(data=json_bytes())
@example(data=b'["\\u001f\\ud800\\udc00"]')  # one value, and nearly all of it one text that has no form
def test_any_json_that_is_passed_equals_the_held_one_byte_for_byte(data: bytes) -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=600, always_hold=True))
        result = json.dumps({"content": [{"type": "text", "text": data.decode()}]}).encode()
        handle = notice(json.loads(gate.admit(Call(tool="t", owner="o"), result)))["cache_id"]
        arguments = json.dumps({"content": f"held:{handle}", "value": [f"held:{handle}"]}).encode()
        filled = gate.resolve("o", WRITE, arguments)
        as_text, as_value = json.loads(filled)["content"], filled.partition(b'"value": [')[2][:-2]
        if as_value[:1] == b'"':  # a text, because it is no JSON array or object
            assert as_text == json.loads(as_value) == data.decode()
        else:
            assert as_text == data.decode().strip()
            assert as_value == data.strip().replace(b"\n", b" ").replace(b"\r", b" ")


def test_json_is_a_value_and_its_text_where_the_schema_wants_a_string(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    told = passed(desk, {"content": f"held:{handle}", "rows": f"held:{handle}", "other": {"deep": [f"held:{handle}"]}})
    assert told == {"content": json.dumps(ROWS), "rows": ROWS, "other": {"deep": [ROWS]}}


def test_a_path_gives_one_value(desk: Desk) -> None:
    handle = desk.hold({"rows": ROWS, "note": "a\nb"})
    told = passed(
        desk,
        {
            "content": f"held:{handle} .note",
            "rows": f"held:{handle} .rows",
            "row": f"held:{handle} .rows[7]",
            "big": f"held:{handle} .rows[7].big",
            "whole": f"held:{handle} .",
        },
    )
    assert told["content"] == "a\nb"
    assert told["rows"] == ROWS
    assert told["row"] == ROWS[7]
    assert told["big"] == 2**60 + 7
    assert told["whole"] == {"rows": ROWS, "note": "a\nb"}
    assert passed(desk, {"content": f"held:{handle} .rows[7]"}) == {"content": json.dumps(ROWS[7])}


def test_the_handle_alone_is_the_text_that_the_notice_names(desk: Desk) -> None:
    prose = "Some words that are no table, in lines of their own.\n" * 2_000
    for text in (TEXT, prose):
        handle = desk.hold({"path": "a.txt", "content": text})
        assert passed(desk, {"x": f"held:{handle}"}) == {"x": text}
        assert passed(desk, {"x": f"held:{handle} ."}) == {"x": {"path": "a.txt", "content": text}}


def test_json_in_a_text_and_other_languages_are_passed_as_the_text_they_came_as(desk: Desk) -> None:
    fenced = f"### Result\n```json\n{json.dumps(ROWS)}\n```\n"
    lines = "\n".join(map(json.dumps, ROWS))
    yaml = "".join(f"- id: {n}\n  name: name {n}\n" for n in range(900))
    for text in (fenced, lines, yaml):
        handle = desk.hold(text)
        assert passed(desk, {"x": f"held:{handle}"}) == {"x": text}
    handle = desk.hold(lines)
    assert passed(desk, {"x": f"held:{handle} .", "y": f"held:{handle} .[3]"}) == {"x": ROWS, "y": ROWS[3]}


def test_json_inside_of_a_json_string_is_the_value_that_the_notice_names(desk: Desk) -> None:
    handle = desk.hold(json.dumps(json.dumps(ROWS)))
    assert passed(desk, {"rows": f"held:{handle}"}) == {"rows": ROWS}


def test_a_filtered_result_goes_where_its_source_may_go(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    told = json.loads(desk.raw("filter", handle, jq_filter="map(.name)"))
    filtered = head_of(told)["cache_id"]
    assert passed(desk, {"rows": f"held:{filtered}"})["rows"] == [row["name"] for row in ROWS]


def test_what_names_nothing_is_untouched(desk: Desk) -> None:
    for text in ("held:inventory", "held:r_short", "plain", "held:r_" + "x" * 22 + " hi"):
        data = json.dumps({"a": text}).encode()
        assert desk.gate.resolve(OWNER, WRITE, data) is data


@pytest.mark.parametrize("path", [".rows[]", ".rows[999]", ".absent", ".rows[1:3]", ".rows | length", "..", ".rows[*]"])
def test_a_path_that_gives_no_or_several_values_is_refused(desk: Desk, path: str) -> None:
    handle = desk.hold({"rows": ROWS})
    assert refused(desk.gate, {"a": f"held:{handle} {path}"})


def test_a_held_text_has_no_paths(desk: Desk) -> None:
    assert "has no paths" in refused(desk.gate, {"a": f"held:{desk.hold(TEXT)} .a"})


def test_the_handle_of_another_owner_looks_like_an_unknown_one(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    foreign = refused(desk.gate, {"a": f"held:{handle}"}, owner="bob")
    unknown = refused(desk.gate, {"a": "held:r_" + "A" * 22}, owner="bob")
    assert foreign.replace(handle, "H") == unknown.replace("r_" + "A" * 22, "H")


def test_one_that_cannot_be_passed_stops_all(desk: Desk) -> None:
    assert "no held result" in refused(desk.gate, {"a": f"held:{desk.hold(TEXT)}", "b": "held:r_" + "A" * 22})


def test_an_expired_result_is_refused_and_the_call_to_repeat_is_named(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    desk.clock.time += 1_801
    assert "repeat the call: search" in refused(desk.gate, {"a": f"held:{handle}"})


def gate_of(desk: Desk, **given: Any) -> Gate:
    return Gate(desk.store, Config(max_tokens=3_000, **given), now=desk.clock)


def test_arguments_above_the_limit_are_refused(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    gate = gate_of(desk, max_argument_bytes=len(json.dumps(TEXT, ensure_ascii=False).encode()) + 100)
    assert json.loads(gate.resolve(OWNER, WRITE, json.dumps({"content": f"held:{handle}"}).encode()))
    for arguments in ({"a": [f"held:{handle}"] * 2}, {"a": f"held:{handle}", "b": "x" * 20_000}):
        assert "max_argument_bytes is" in refused(gate, arguments)
    small = gate_of(desk, rules={"write": {"max_argument_bytes": 2_000}})
    assert "bytes, and max_argument_bytes is 2,000" in refused(small, {"a": f"held:{handle}"})


def test_escapes_count_as_they_are_sent(desk: Desk) -> None:
    handle = desk.hold("\x01\n" * 4_000)
    assert "max_argument_bytes" in refused(gate_of(desk, max_argument_bytes=20_000), {"a": f"held:{handle}"})


def test_a_result_goes_back_to_its_own_server_alone_unless_any_is_set(desk: Desk) -> None:
    result = json.dumps({"content": [{"type": "text", "text": TEXT}]}).encode()
    for server, other in (("one", "two"), ("one", None), (None, None), (None, "one")):
        answer = desk.gate.decide(Call(tool="t", owner=OWNER), result, server=server).answer
        arguments = {"a": f"held:{notice(json.loads(answer))['cache_id']}"}
        assert "another server" in refused(desk.gate, arguments, Target(tool="write", server=other))
        gate_of(desk, by_handle="any").resolve(
            OWNER, Target(tool="write", server=other), json.dumps(arguments).encode()
        )
    answer = desk.gate.decide(Call(tool="t", owner=OWNER), result, server="one").answer
    named = json.dumps({"a": f"held:{notice(json.loads(answer))['cache_id']}"}).encode()
    assert desk.gate.resolve(OWNER, Target(tool="write", server="one"), named) != named


@pytest.mark.parametrize("setting", ["same-read-only", "any-read-only"])
def test_tools_that_are_not_read_only_can_be_refused(desk: Desk, setting: str) -> None:
    arguments = {"a": f"held:{desk.hold(TEXT)}"}
    gate = gate_of(desk, by_handle=setting, rules={"trusted": {"by_handle": "same"}})
    assert "not marked as read-only" in refused(gate, arguments)
    for target in (Target(tool="look", read_only=True), Target(tool="trusted")):
        assert json.loads(gate.resolve(OWNER, target, json.dumps(arguments).encode())) == {"a": TEXT}


def test_off_leaves_all_arguments_alone_and_off_for_a_tool_refuses_it(desk: Desk) -> None:
    arguments = json.dumps({"a": f"held:{desk.hold(TEXT)}"}).encode()
    assert gate_of(desk, by_handle="off").resolve(OWNER, WRITE, arguments) is arguments
    for given_rules in (
        {"rules": {"write": {"by_handle": "off"}}},
        {"by_handle": "off", "rules": {"x": {"by_handle": "any"}}},
    ):
        assert "by_handle is off for write" in refused(gate_of(desk, **given_rules), json.loads(arguments))


def test_an_argument_that_a_header_repeats_is_refused_where_there_are_headers(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    schema = {"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}
    arguments = {"a": f"held:{handle}"}
    assert ".a is repeated in a header" in refused(
        desk.gate, arguments, Target(tool="write", schema=schema, mirrors=True)
    )
    assert passed(desk, arguments, Target(tool="write", schema=schema)) == {"a": TEXT}
    assert passed(desk, {"b": f"held:{handle}"}, Target(tool="write", schema=schema, mirrors=True)) == {"b": TEXT}


def test_the_log_gets_digests_and_sizes_and_neither_handle_nor_content(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    noted: list[Passed] = []
    gate = Gate(desk.store, Config(max_tokens=3_000), now=desk.clock, passed=noted.append)
    gate.resolve(OWNER, WRITE, json.dumps({"content": f"held:{handle}"}).encode())
    (one,) = noted
    assert (one.size, one.tool) == (len(TEXT.encode()), "write")
    assert one.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert handle[2:] not in str(one)
    assert f"{one.size:,} bytes, sha256 {one.sha256}" in str(one)
    with pytest.raises(CallerError):
        gate.resolve(OWNER, WRITE, json.dumps({"a": f"held:{handle}", "b": f"held:{handle} .x"}).encode())
    assert len(noted) == 1
