"""Brief definitions: less prose and the same arguments; definitions go only where nothing refers to them."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.tokens.count import count
from penstock.protocol.brief_tools import LONGEST_OF_TOOL, brief, brief_schema, first_sentence
from tests.kit.tool_sets import api_tools, schemas, tools

PROSE = ("description", "title", "examples", "example", "$comment", "$schema")


def skeleton(schema: Any) -> Any:
    """A schema without its prose, with keywords told from names and data by their place."""
    if isinstance(schema, list):
        return [skeleton(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in PROSE or (key == "additionalProperties" and skeleton(value) in (True, {})):
            continue
        if key in ("properties", "$defs") and isinstance(value, dict):
            made[key] = {name: skeleton(one) for name, one in value.items()}
        else:
            made[key] = value if key in ("enum", "const", "default", "required") else skeleton(value)
    return made


@given(schemas)
def test_names_types_required_and_enums_stay(schema: dict[str, Any]) -> None:
    assert skeleton(brief_schema(schema)) == skeleton(schema)


@given(tools)
def test_only_definitions_that_nothing_refers_to_go(tool: dict[str, Any]) -> None:
    before, after = skeleton(tool["inputSchema"]), skeleton(brief(tool)["inputSchema"])
    kept = after.pop("$defs", {})
    held = before.pop("$defs", {})
    assert before == after
    assert all(held[name] == one for name, one in kept.items())
    used = {one for one in held if f'"#/$defs/{one}"' in json.dumps([before, kept])}
    assert used <= set(kept)


@given(tools)
def test_a_brief_tool_is_never_longer_and_shortening_twice_is_shortening_once(tool: dict[str, Any]) -> None:
    once = brief(tool)
    assert len(json.dumps(once, ensure_ascii=False)) <= len(json.dumps(tool, ensure_ascii=False))
    assert brief(once) == once
    assert once["name"] == tool["name"]
    assert "readOnlyHint" in once.get("annotations", {}) or "annotations" not in tool


@given(st.text(), st.integers(20, 200))
def test_a_first_sentence_is_within_its_limit_and_says_when_there_was_more(text: str, longest: int) -> None:
    short = first_sentence(text, longest)
    assert len(short) <= longest
    assert short == text.strip() or short.endswith("…") or not text.strip()


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("Reads a file.", "Reads a file."),
        ("Reads a file. It may be large.", "Reads a file…"),
        ("\n  Notion | Get a user\nError Responses:\n400: Bad", "Notion | Get a user…"),
        ("a " * 100, "a " * 58 + "a…"),
        ("", ""),
    ],
)
def test_what_a_short_description_says(text: str, short: str) -> None:
    assert first_sentence(text, LONGEST_OF_TOOL - 1) == short


def test_at_least_sixty_per_cent_are_saved_on_the_tools_of_a_large_api() -> None:
    full = api_tools()
    cost = {
        name: sum(count(json.dumps(one).encode(), "claude").tokens for one in made)
        for name, made in (("full", full), ("brief", map(brief, full)))
    }
    assert cost["brief"] <= 0.4 * cost["full"]


def test_what_a_schema_accepts_does_not_change() -> None:
    """Of the tools of a large API: arguments with the right and the wrong blocks, types and members."""
    block = {"type": "paragraph", "paragraph": {"rich_text": [{"content": "x", "link": None}]}}
    cases: list[dict[str, Any]] = [
        {"page_0": "x", "children": [block]},
        {"page_0": "x", "children": [{**block, "more": 1}]},
        {"page_0": "x", "children": [{"type": "code"}]},
        {"page_0": "x", "children": [{"type": "nothing"}]},
        {"page_0": 1},
        {"page_0": "x", "sort": "sideways"},
        {},
    ]
    tool = api_tools(1)[0]
    for case in cases:
        verdicts = [
            jsonschema.Draft202012Validator(schema).is_valid(case)
            for schema in (tool["inputSchema"], brief(tool)["inputSchema"])
        ]
        assert verdicts[0] == verdicts[1]


def test_a_schema_that_is_nested_too_deeply_stays_as_it_is() -> None:
    schema: dict[str, Any] = {"description": "deep"}
    for _ in range(150):
        schema = {"items": schema}
    assert brief_schema(schema) is schema
