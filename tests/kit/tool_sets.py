"""Tool definitions as programs make them of an HTTP API, and drawn ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

ERRORS = "\nError Responses:\n400: Bad request\n403: Not allowed.\n404: Not found.\n429: Too many requests."
WORDS = "The identifier of the thing that is meant, as the list of things has it. Dashes may be left out. "
BLOCKS = ["paragraph", "bulleted_list_item", "heading_1", "heading_2", "to_do", "toggle", "quote", "code"]


def api_tools(number: int = 24) -> list[dict[str, Any]]:
    """Tools like those of a large HTTP API: each with all schemas of the API beside its own, and with much prose."""
    text = {
        "type": "object",
        "properties": {"content": {"type": "string"}, "link": {"type": ["object", "null"]}},
        "required": ["content"],
        "additionalProperties": True,
    }
    shared = {"richText": text}
    for kind in BLOCKS:
        rich = {"type": "array", "items": {"$ref": "#/$defs/richText"}}
        inner = {"type": "object", "properties": {"rich_text": rich}, "required": ["rich_text"]}
        shared[f"{kind}Request"] = {
            "type": "object",
            "properties": {kind: inner, "type": {"type": "string", "enum": [kind]}},
            "additionalProperties": False,
        }
    shared["block"] = {"anyOf": [{"$ref": f"#/$defs/{kind}Request"} for kind in BLOCKS]}
    tools = []
    for at in range(number):
        own = {f"{name}_{at}": {"type": "string", "format": "uuid", "description": WORDS} for name in ("page", "user")}
        sort = {"type": "string", "enum": ["ascending", "descending"], "description": "The order of what is listed."}
        more = {"children": {"type": "array", "items": {"$ref": "#/$defs/block"}}} if at % 6 == 0 else {}
        schema = {
            "$defs": shared,
            "type": "object",
            "properties": {**own, "sort": sort, **more},
            "required": [f"page_{at}"],
        }
        words = f"Some API | Does the thing number {at} to a page{ERRORS}"
        tools.append({"name": f"API-thing-{at}", "title": f"Thing {at}", "description": words, "inputSchema": schema})
    return tools


words = st.text(max_size=200) | st.sampled_from(["Reads a file. It may be large.", "e.g. this", "a\nb", "…", "No."])
names = st.text(min_size=1, max_size=8) | st.sampled_from(["description", "title", "enum", "$ref", "properties", "a/b"])


def _schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "object", "array", "integer"]),
            "description": words,
            "title": words,
            "enum": st.lists(words | st.just({"description": "data, not prose"}), max_size=3),
            "const": words,
            "default": words | st.just({"title": "x"}),
            "examples": st.lists(words),
            "properties": st.dictionaries(names, inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "required": st.lists(names, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "$ref": st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "#/$defs/none", "other.json", "#name"]),
            "x-mcp-header": st.just("Region"),
        },
    )


schemas = st.recursive(_schema(st.just({})), _schema, max_leaves=8)
tools = st.fixed_dictionaries(
    {
        "name": names,
        "inputSchema": st.builds(
            lambda one, defs: {**one, "$defs": defs}, schemas, st.dictionaries(st.sampled_from("abc"), schemas)
        ),
    },
    optional={"description": words, "title": words, "annotations": st.just({"title": "x", "readOnlyHint": True})},
)
