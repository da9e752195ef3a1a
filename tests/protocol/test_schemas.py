"""Wrapped output schemas: they take what the tool's own schema takes, and a stand-in, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.protocol.tool_list import wrapped
from tests.kit.schemas import validator

STAND_IN = {"type": "buffered_response", "cache_id": "r_1", "message": "too large", "preview": "…", "shape": "[str]"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"

CASES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "plain": ({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, {"n": 1}, {"n": "x"}),
    "definitions at the root": (
        {
            "type": "object",
            "properties": {"all": {"type": "array", "items": {"$ref": "#/$defs/One"}}},
            "required": ["all"],
            "$defs": {"One": {"type": "object", "required": ["id"], "properties": {"next": {"$ref": "#/$defs/One"}}}},
        },
        {"all": [{"id": 1, "next": {"id": 2}}]},
        {"all": [{"id": 1, "next": {}}]},
    ),
    "definitions of an older draft": (
        {
            "$schema": DRAFT_7,
            "type": "object",
            "properties": {"one": {"$ref": "#/definitions/one"}},
            "required": ["one"],
            "definitions": {"one": {"type": "integer"}},
        },
        {"one": 1},
        {"one": "1"},
    ),
    "a root that is a reference": (
        {"$ref": "#/$defs/R", "$defs": {"R": {"type": "object", "required": ["x"]}}},
        {"x": 1},
        {"y": 1},
    ),
    "a reference into itself": (
        {
            "type": "object",
            "required": ["a", "b"],
            "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}, "kids": {"items": {"$ref": "#"}}},
        },
        {"a": 1, "b": 2, "kids": [{"a": 1, "b": 1}]},
        {"a": 1, "b": 2, "kids": [{"a": 1, "b": "x"}]},
    ),
    "a reference from a definition into the schema": (
        {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/%24defs/B"}},
            "$defs": {"B": {"$ref": "#/properties/a"}},
        },
        {"a": 1, "b": 2},
        {"a": 1, "b": "x"},
    ),
    "parts with an address of their own": (
        {
            "$id": "https://example.com/root",
            "type": "object",
            "required": ["p"],
            "properties": {
                "p": {
                    "$id": "https://example.com/part",
                    "type": "object",
                    "properties": {"q": {"type": "integer"}, "r": {"$ref": "#/properties/q"}},
                },
                "$ref": {"type": "string"},
            },
        },
        {"p": {"q": 1, "r": 2}, "$ref": "#/nowhere"},
        {"p": {"q": 1, "r": "x"}},
    ),
    "an array": ({"type": "array", "items": {"type": "integer"}}, [1, 2], ["x"]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_wrapped_schema_takes_what_its_own_takes_or_a_stand_in(name: str) -> None:
    schema, good, bad = CASES[name]
    made = wrapped(json.dumps(schema).encode())
    assert made is not None
    told = json.loads(made)
    checked = validator(told)
    assert checked.is_valid(good)
    assert not checked.is_valid(bad)
    assert checked.is_valid(STAND_IN)
    assert not checked.is_valid({"type": "buffered_response"})
    assert told.get("type") == (None if name == "an array" else "object")


@pytest.mark.parametrize(
    "schema",
    [b"true", b"null", b"5", b'{"x":"\\ud800"}', b"{", b'{"a":' * 3_000 + b"1" + b"}" * 3_000],
)
def test_what_cannot_be_wrapped_is_left_out(schema: bytes) -> None:
    assert wrapped(schema) is None


@pytest.mark.parametrize("depth", range(100, 1_000, 23))
def test_at_no_depth_does_wrapping_raise(depth: int) -> None:
    wrapped(b'{"a":' * depth + b"1" + b"}" * depth)
