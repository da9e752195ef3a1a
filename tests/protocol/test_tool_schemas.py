"""Model interfaces accept our definitions, and the gate accepts what our definitions allow."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate.acts import TABLE as ACTS
from penstock.gate.acts.request import KNOWN as KNOWN_ACTS
from penstock.gate.arguments import KNOWN, FetchArguments
from penstock.protocol.definitions import wanted_tool
from penstock.protocol.tools import act_definition, definition
from tests.kit.answers import head_of
from tests.kit.protocol.gates import OWNER, RealGate
from tests.kit.schema_rules import INTERFACES, made_strict, nodes, problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.query.sandbox.sandbox import Sandbox

READING = {
    f"reading{' briefly' * briefly}{' by handle' * by_handle}{' marked' * bool(mark)}": json.loads(
        definition("fetch_cached_response", by_handle=by_handle, mark=mark, briefly=briefly)
    )
    for briefly in (False, True)
    for by_handle in (False, True)
    for mark in ("", "123456789012")
}
ACTING = {
    " ".join(actions): json.loads(act_definition("act_on_cached_response", actions))
    for number in range(1, len(ACTS) + 1)
    for actions in combinations(ACTS, number)
}
TOOLS: dict[str, dict[str, Any]] = READING | ACTING
WHOLE: dict[str, Any] = READING["reading briefly by handle marked"]


def old_style() -> dict[str, Any]:
    """Return the definition with arrays that do not say what their items are."""
    tool: dict[str, Any] = deepcopy(WHOLE)
    for _, one in nodes(tool["inputSchema"]):
        one.pop("items", None)
    return tool


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Return the definition with one change to its schema."""
    tool: dict[str, Any] = deepcopy(WHOLE)
    change(tool["inputSchema"])
    return tool


def strict(tool: dict[str, Any]) -> dict[str, Any]:
    return {**tool, "inputSchema": made_strict(tool["inputSchema"])}


# A definition that is wrong in one way, and the interfaces that refuse it.
WRONG: dict[str, tuple[dict[str, Any], set[str]]] = {
    "arrays without items": (old_style(), {"openai", "openai strict", "vscode", "gemini"}),
    "a name with a dot": ({**WHOLE, "name": "a.b"}, {"openai", "openai strict", "vscode", "anthropic"}),
    "a name that is too long": ({**WHOLE, "name": "a" * 65}, set(INTERFACES)),
    "a name that begins with a digit": ({**WHOLE, "name": "1a"}, {"gemini"}),
    "no description": ({**WHOLE, "description": ""}, {"vscode", "gemini"}),
    "a long description": ({**WHOLE, "description": "a" * 1_025}, {"openai", "openai strict", "vscode"}),
    "a root that is a union": (
        changed(lambda one: one.update(anyOf=[{"type": "object"}])),
        set(INTERFACES),
    ),
    "a root without a type": (changed(lambda one: one.pop("type")), set(INTERFACES)),
    "a root without properties": (
        {**WHOLE, "inputSchema": {"type": "object"}},  # conversion to strict adds them
        {"openai", "vscode"},
    ),
    "a list of types": (
        changed(lambda one: one["properties"]["page"].update(type=["integer", "null"])),
        {"vscode", "gemini"},
    ),
    "a type that does not exist": (changed(lambda one: one["properties"]["page"].update(type="int")), set(INTERFACES)),
    "an argument without a type": (
        changed(lambda one: one["properties"]["page"].pop("type")),
        {"openai strict", "gemini"},
    ),
    "an enum of numbers": (
        changed(lambda one: one["properties"]["page"].update(enum=[1, 2])),
        {"gemini"},
    ),
    "an unknown format": (
        changed(lambda one: one["properties"]["page"].update(format="uint8", minimum=1)),
        {"vscode"},
    ),
    "a reference": (
        changed(lambda one: one["properties"].update(page={"$ref": "#/properties/depth"})),
        {"gemini"},
    ),
    "a key with a blank": (
        changed(lambda one: one["properties"].update({"a b": {"type": "string"}})),
        {"gemini", "anthropic"},
    ),
    "a key with a dash": (changed(lambda one: one["properties"].update({"a-b": {"type": "string"}})), {"gemini"}),
    "a required argument that does not exist": (
        changed(lambda one: one["required"].append("nothing")),
        {"openai", "vscode", "gemini"},
    ),
    "an argument that is all of several": (
        changed(lambda one: one["properties"].update(page={"allOf": [{"type": "integer"}]})),
        {"openai", "openai strict", "gemini"},
    ),
    "properties of a text": (
        changed(lambda one: one["properties"]["path"].update(properties={"a": {"type": "string"}})),
        {"gemini"},
    ),
    "too many properties": (
        changed(lambda one: one["properties"].update({f"p{at}": {"type": "string"} for at in range(5_000)})),
        {"openai strict"},
    ),
    "too many values": (
        changed(lambda one: one["properties"]["path"].update(enum=[str(at) for at in range(1_001)])),
        {"openai strict"},
    ),
}


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("tool", TOOLS)
def test_each_interface_accepts_each_definition(tool: str, interface: str) -> None:
    made = strict(TOOLS[tool]) if interface == "openai strict" else TOOLS[tool]
    assert problems(made, interface) == []


@pytest.mark.parametrize("wrong", WRONG)
def test_checker_refuses_a_wrong_definition_for_the_right_interfaces(wrong: str) -> None:
    tool, refused = WRONG[wrong]
    made = {name: strict(tool) if name == "openai strict" else tool for name in INTERFACES}
    assert {name for name in INTERFACES if problems(made[name], name)} == refused


def test_strict_mode_refuses_definitions_that_were_not_converted() -> None:
    found = problems(WHOLE, "openai strict")
    assert any("not closed" in one for one in found)
    assert any("does not require all" in one for one in found)
    assert any("an object has no properties" in one for one in found)
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(11):
        deep = {"type": "array", "items": deep}
    nested = changed(lambda one: one["properties"].update(deep=deep))
    assert any("levels" in one for one in problems(strict(nested), "openai strict"))


def test_open_objects_that_say_so_cannot_be_made_strict() -> None:
    with pytest.raises(ValueError, match="cannot be closed"):
        made_strict({"type": "object", "additionalProperties": {"type": "string"}})


@pytest.mark.parametrize("tool", TOOLS)
def test_each_argument_is_described_in_a_few_words(tool: str) -> None:
    for name, one in TOOLS[tool]["inputSchema"]["properties"].items():
        assert 0 < len(one["description"]) <= 40, name


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return the values that a schema allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
        "string": lambda: st.text(max_size=12),
        "integer": lambda: st.integers(-5, 2**31),
        "boolean": st.booleans,
        "array": lambda: st.lists(st.deferred(lambda: values(schema["items"])), max_size=3),
        "object": lambda: members(schema) if "properties" in schema else st.dictionaries(st.text(max_size=5), JSON),
    }
    return kinds[schema["type"]]()


def members(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return the objects that a schema with named properties allows."""
    parts = {name: values(one) for name, one in schema["properties"].items()}
    required = {name: parts.pop(name) for name in schema["required"]}
    return st.fixed_dictionaries(required, optional=parts)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def gate(sandbox: Sandbox) -> RealGate:
    return RealGate(Config(max_tokens=3_000, act=tuple(ACTS)), sandbox)


@pytest.fixture(scope="module")
def handle(gate: RealGate) -> str:
    rows = [{"id": number, "state": "ab"[number % 2], "text": "word " * 20} for number in range(300)]
    result = {"content": [{"type": "text", "text": json.dumps(rows)}]}
    answer = json.loads(gate.gate.admit(Call(tool="t", owner=OWNER), json.dumps(result).encode()))
    return str(head_of(answer)["cache_id"])


PLAIN = deepcopy(WHOLE["inputSchema"])
PLAIN["properties"]["action"]["enum"].remove("tool")  # the gate does not answer it
ALL_ACTS = ACTING[" ".join(ACTS)]["inputSchema"]


@given(members(PLAIN), members(ALL_ACTS))
def test_gate_knows_every_argument_of_the_schemas(reading: dict[str, Any], acting: dict[str, Any]) -> None:
    assert FetchArguments.read(reading).ignored == ()
    assert FetchArguments.read(reading).values == reading
    assert FetchArguments.read(acting, KNOWN_ACTS).ignored == ()
    assert FetchArguments.read(acting, KNOWN_ACTS).values == acting


@given(reading=members(PLAIN), acting=members(ALL_ACTS))
def test_gate_answers_what_the_schemas_allow_without_unknown_arguments(
    gate: RealGate, handle: str, reading: dict[str, Any], acting: dict[str, Any]
) -> None:
    for answer in (
        gate.gate.fetch(OWNER, {**reading, "cache_id": handle}),
        gate.gate.act(OWNER, {**acting, "cache_id": handle, "all": False}),
    ):
        told = answer.decode("utf-8", "surrogatepass")
        assert "unknown arguments" not in told
        assert "is of type" not in told
        assert "Penstock failed" not in told


def test_gate_reports_an_argument_that_the_schema_does_not_have(gate: RealGate, handle: str) -> None:
    told = gate.gate.fetch(OWNER, {"action": "info", "cache_id": handle, "colour": "red"})
    assert b"unknown arguments: colour" in told


@pytest.mark.parametrize("tool", TOOLS)
def test_schema_names_only_arguments_that_the_gate_knows(tool: str) -> None:
    properties = set(TOOLS[tool]["inputSchema"]["properties"])
    assert properties <= set(KNOWN if tool in READING else KNOWN_ACTS)
    if "tool" in properties and tool in READING:
        assert wanted_tool({"action": "tool", "tool": "find"}) == "find"


@pytest.mark.parametrize("tool", TOOLS)
def test_schema_has_every_argument_that_a_description_names(tool: str) -> None:
    schema = TOOLS[tool]["inputSchema"]["properties"]
    words = set(re.findall(r"[a-z_]+", TOOLS[tool]["description"]))
    known = set(KNOWN) - {"tool"} if tool in READING else set(KNOWN_ACTS)  # "tool" is a word of the first sentence
    assert words & known <= {*schema, *schema["action"]["enum"]}
