"""The definitions of our tools are short and complete, and each argument does what its description says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.act.export import MIME
from penstock.core.fit import Call
from penstock.core.tokens.count import count
from penstock.gate.actions import TABLE as ACTIONS
from penstock.gate.acts import TABLE as ACTS
from penstock.gate.acts.request import KNOWN as KNOWN_ACTS
from penstock.gate.arguments import KNOWN
from penstock.protocol.rules import new_mark
from penstock.protocol.tools import LONGEST_NAME, UNTOLD, act_definition, definition, free_name, may_clash
from tests.kit.answers import head_of
from tests.kit.protocol.gates import OWNER, RealGate
from tests.kit.schemas import validator

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

TOOL: dict[str, Any] = json.loads(definition("fetch_cached_response"))
ARGUMENTS = {
    "export": {"format", "name", "table", "path", "sql", "jq_filter"},
    "more": {"pages", "tool", "arguments"},
    "drop": {"all"},
}
RECORDS = [
    {"id": number, "size": number % 20, "state": "ab"[number % 2], "text": "word " * 50} for number in range(500)
]


def test_the_description_is_shorter_than_any_client_cuts_it() -> None:
    assert len(TOOL["description"]) < 2_048


@pytest.mark.parametrize("briefly", [False, True])
@pytest.mark.parametrize(("profile", "most"), [("o200k", 660), ("claude", 1_050)])
def test_definition_with_its_mark_costs_no_more_than_its_limit(briefly: bool, profile: str, most: int) -> None:
    whole = definition("fetch_cached_response", mark=new_mark(), briefly=briefly)
    assert count(whole, profile).tokens <= most


def test_passing_by_handle_costs_no_more_than_forty_tokens_and_is_told_of_only_where_it_works() -> None:
    without = definition("fetch_cached_response", by_handle=False)
    assert b"held:" not in without
    assert count(definition("fetch_cached_response"), "claude").tokens - count(without, "claude").tokens <= 40


@pytest.mark.parametrize(("profile", "most"), [("o200k", 350), ("claude", 460)])
def test_second_tool_costs_no_more_than_its_limit(profile: str, most: int) -> None:
    assert count(act_definition("act_on_cached_response", tuple(ACTS)), profile).tokens <= most


@pytest.mark.parametrize("actions", [("drop",), ("export",), ("more",), ("export", "more"), tuple(ACTS)])
def test_the_second_tool_tells_of_the_actions_that_are_on_and_says_truly_what_it_does(actions: tuple[str, ...]) -> None:
    tool = json.loads(act_definition("act", actions))
    assert tool["inputSchema"]["properties"]["action"]["enum"] == list(actions)
    assert [action for action in ACTS if f"\n{action}: " in tool["description"]] == list(actions)
    arguments = {name for action in actions for name in ARGUMENTS[action]}
    assert set(tool["inputSchema"]["properties"]) == {"action", "cache_id", *arguments}
    assert tool["annotations"] == {"readOnlyHint": False, "destructiveHint": "drop" in actions}
    validator(tool["inputSchema"])


def test_every_argument_is_in_the_schema_and_no_other() -> None:
    assert set(TOOL["inputSchema"]["properties"]) == set(KNOWN) - {*UNTOLD, "tool"}
    briefly = json.loads(definition("fetch_cached_response", briefly=True))["inputSchema"]["properties"]
    assert set(briefly) == set(KNOWN) - set(UNTOLD)
    data = json.loads(definition("fetch_cached_response", data_style=True))["inputSchema"]["properties"]
    assert data.keys() - TOOL["inputSchema"]["properties"].keys() == {"page_size_kb", "cache_filtered_result"}
    assert data.keys() <= set(KNOWN)
    assert set(TOOL["inputSchema"]["properties"]["action"]["enum"]) == set(ACTIONS)
    assert TOOL["inputSchema"]["required"] == ["action"]
    validator(TOOL["inputSchema"])


def test_every_argument_that_the_description_names_is_in_the_schema() -> None:
    named = set(re.findall(r"[a-z]+(?:_[a-z]+)*", TOOL["description"]))
    assert not named & {*UNTOLD, "tool_name"}
    assert named >= {"pattern", "path", "table", "since"}


def test_every_action_is_explained() -> None:
    for action in ACTIONS:
        assert re.search(rf"\b{action}:", TOOL["description"]), action


@pytest.fixture(scope="module")
def gate(sandbox: Sandbox) -> RealGate:
    return RealGate(Config(max_tokens=3_000), sandbox)


@pytest.fixture(scope="module")
def handle(gate: RealGate) -> str:
    result = {"content": [{"type": "text", "text": json.dumps(RECORDS)}]}
    answer = json.loads(gate.gate.admit(Call(tool="t", owner=OWNER), json.dumps(result).encode()))
    return str(head_of(answer)["cache_id"])


def test_second_tool_has_every_argument_that_the_gate_knows() -> None:
    assert {"action", "cache_id", *(name for names in ARGUMENTS.values() for name in names)} == set(KNOWN_ACTS)
    tool = json.loads(act_definition("act", tuple(ACTS)))
    assert tool["inputSchema"]["properties"]["format"]["enum"] == list(MIME)


def test_results_of_a_list_are_joined_under_the_names_that_the_schema_gives(gate: RealGate, handle: str) -> None:
    assert TOOL["inputSchema"]["properties"]["cache_ids"]["description"] == "to join as t1, t2"
    call = {"action": "sql", "cache_ids": [handle, handle], "sql": "SELECT count(*) AS n FROM t1 JOIN t2 USING (id)"}
    assert validator(TOOL["inputSchema"]).is_valid(call)
    assert head_of(gate.fetch(**call))["result"] == [{"n": 500}]


def test_main_table_has_the_name_that_the_description_gives(gate: RealGate, handle: str) -> None:
    assert " FROM items " in TOOL["description"]
    told = gate.fetch(action="sql", cache_id=handle, sql="SELECT count(*) AS n FROM items")
    assert head_of(told)["result"] == [{"n": 500}]


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "search", "pattern": "word", "context": 1},
        {"action": "search", "pattern": "w.rd", "regex": True, "ignore_case": True, "start": 1},
        {"action": "get_page", "path": ".", "page": 1, "fields": ["id"], "page_tokens": 500},
        {"action": "get_page", "page_size_kb": 2},
        {"action": "outline", "path": ".[0]", "depth": 1},
        {"action": "get", "start_index": 5, "max_length": 50},
        {"action": "get", "start_line": 1, "lines": 2, "path": ".[0].text"},
        {"action": "get_page", "table": "items"},
        {"action": "search", "pattern": "word", "word": True, "path": ".[0].text"},
        {"action": "filter", "jq_filter": "length", "cache_filtered_result": False},
        {"action": "edit", "replace": [{"find": '"id": 7,', "with": '"id": 8,'}]},
        {"action": "edit", "replace": [{"find": '"state": "a"', "with": '"state": "c"', "count": "250"}]},
        {"action": "edit", "set": {".[0].id": 1}, "remove": [".[1]"], "append": {".": {}}},
        {"action": "info"},
        {"action": "list"},
    ],
    ids=lambda one: str(one["action"]),
)
def test_every_argument_does_what_it_is_called(gate: RealGate, handle: str, arguments: dict[str, Any]) -> None:
    call = {**arguments, **({} if arguments["action"] == "list" else {"cache_id": handle})}
    assert validator(TOOL["inputSchema"]).is_valid(call)
    gate.fetch(**call)


def test_a_name_that_is_free_stays_and_one_that_is_taken_gets_a_number() -> None:
    assert free_name("a", ()) == "a"
    assert free_name("a", {"a", "a_2"}) == "a_3"
    taken: set[str] = set()
    for _ in range(1_200):
        name = free_name("n" * LONGEST_NAME, taken)
        assert len(name) <= LONGEST_NAME
        assert may_clash(name, "n" * LONGEST_NAME)
        taken.add(name)
    assert not may_clash("m", "n")
