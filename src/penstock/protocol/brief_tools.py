"""Shorten tool definitions for ``tools = "brief"``: less prose, and the same names, types, required members and enums.

What is dropped without loss: definitions that nothing refers to, and members that say what holds anyway. What is cut:
descriptions, to their first sentence; those of members of members go. The model gets the whole definition by the action
``tool`` of the fetch tool.
"""

from __future__ import annotations

import re
from typing import Any, Final

LONGEST_OF_TOOL: Final = 120  # characters of a tool's description: one sentence, to choose it by
LONGEST_OF_ARGUMENT: Final = 60  # of an argument's
ELLIPSIS: Final = "…"
PROSE: Final = ("title", "examples", "example", "$comment", "$schema")
ELSEWHERE: Final = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor")  # references that are not followed here
DEFINITIONS: Final = ("$defs", "definitions")
BY_NAME: Final = (
    "properties",
    "patternProperties",
    "dependentSchemas",
    *DEFINITIONS,
)  # members are names, not keywords
INTO: Final = tuple(f"#/{kind}/" for kind in DEFINITIONS)
VALUES: Final = ("enum", "const", "default", "required")  # data, in which nothing is a keyword
MAX_DEPTH: Final = 100  # levels; a deeper schema is shown as it is
_SENTENCE: Final = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)


def brief(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's definition, shortened. A schema that cannot be followed stays as it is."""
    members = {key: value for key, value in tool.items() if key not in ("title", "icons", "description", "inputSchema")}
    if isinstance(members.get("annotations"), dict):
        members["annotations"] = {key: one for key, one in members["annotations"].items() if key != "title"}
    if "outputSchema" in members:
        members["outputSchema"] = brief_schema(members["outputSchema"])
    made = {"name": members.pop("name", None)}
    if isinstance(tool.get("description"), str):
        made["description"] = first_sentence(tool["description"], LONGEST_OF_TOOL)
    if "inputSchema" in tool:
        made["inputSchema"] = brief_schema(tool["inputSchema"])
    return {**made, **{key: value for key, value in members.items() if value not in ({}, [])}}


def brief_schema(schema: Any) -> Any:
    """Return a schema, shortened; the same one if it is nested too deeply."""
    try:
        return _without_unused(_brief(schema, 0, 0))
    except RecursionError:
        return schema


def first_sentence(text: str, longest: int) -> str:
    """Return the first sentence or line of a text, cut between two words where it is longer than that."""
    line = next((one.strip() for one in text.strip().splitlines() if one.strip()), "")
    match = _SENTENCE.match(line)
    sentence = match[0] if match else line
    if len(sentence) <= longest:
        return sentence if len(sentence) == len(text.strip()) else sentence.rstrip(".") + ELLIPSIS
    return sentence[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + ELLIPSIS


def _brief(schema: Any, depth: int, level: int) -> Any:
    """Shorten a schema. ``level`` counts the objects around it: those of the arguments themselves are at level 1."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(schema, list):
        return [_brief(one, depth + 1, level) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in PROSE:
            continue
        if key == "description" and isinstance(value, str):
            if level == 1 and (words := first_sentence(value, LONGEST_OF_ARGUMENT)):
                made[key] = words
        elif key in BY_NAME and isinstance(value, dict):
            inner = 9 if key in DEFINITIONS else level + 1
            made[key] = {name: _brief(one, depth + 1, inner) for name, one in value.items()}
        else:
            made[key] = value if key in VALUES else _brief(value, depth + 1, level)
    if made.get("additionalProperties", False) in (True, {}):  # which holds where nothing is said, too
        del made["additionalProperties"]
    return made


def _without_unused(schema: Any) -> Any:
    """Drop definitions that nothing refers to, also not through others. All stay where a reference leads elsewhere."""
    if not isinstance(schema, dict) or not any(isinstance(schema.get(key), dict) for key in DEFINITIONS):
        return schema
    held = {
        f"#/{kind}/{name}": one
        for kind in DEFINITIONS
        if isinstance(schema.get(kind), dict)
        for name, one in schema[kind].items()
    }
    wanted: set[str] = set()
    todo = _references({key: value for key, value in schema.items() if key not in DEFINITIONS})
    while todo:
        to = todo.pop()
        if to in held and to not in wanted:
            wanted.add(to)
            todo += _references(held[to])
        elif to not in held and to != "#" and (to.startswith(INTO) or not to.startswith("#/")):
            return schema
    made = {}
    for key, value in schema.items():
        if key in DEFINITIONS and isinstance(value, dict):
            value = {name: one for name, one in value.items() if f"#/{key}/{name}" in wanted}  # noqa: PLW2901
            if not value:
                continue
        made[key] = value
    return made


def _references(value: Any) -> list[str]:
    """Return all that a schema refers to; an empty text for what is found by another way than its place."""
    references: list[str] = []
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            references += [to for key, to in one.items() if key == "$ref" and isinstance(to, str)]
            references += [""] * any(isinstance(one.get(key), str) for key in ELSEWHERE)
            todo += one.values()
        elif isinstance(one, list):
            todo += one
    return references
