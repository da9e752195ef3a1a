"""Reads a tool's input schema at one place of its arguments: the types it takes, and whether a header repeats it.

Schemas come from upstream and may be malformed in any way; what cannot be told counts as "anything".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.schema import Judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.json.path import Path, Step

HEADER_MARK: Final = "x-mcp-header"  # in a schema: clients repeat this argument in a header (MCP, Streamable HTTP)
DEEPEST: Final = 16  # schemas inside one another at one place; a reference may lead to itself
MOST_STEPS: Final = 2_000  # schemas looked at for one place: alternatives that refer to themselves multiply
_TYPE_OF: Final = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}


class ArgumentSchema:
    """Reads one tool's input schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._judge = Judge(root)
        self._steps = 0

    def accepted(self, way: Path) -> frozenset[str] | None:
        """Return the types that the schema takes at a place; None for any."""
        self._steps = 0
        places = self._places(way)
        types = [self._types(one, 0) for one in places[-1]]
        return frozenset().union(*types) if types and None not in types else None  # type: ignore[arg-type]

    def is_mirrored(self, way: Path) -> bool:
        """Return True if a header repeats the argument at a place, or one that the place lies in."""
        self._steps = 0
        schemas = (one for place in self._places(way)[1:] for one in place for one in self._flat(one, 0))
        return any(isinstance(one.get(HEADER_MARK), str) for one in schemas)

    def _places(self, way: Path) -> list[list[object]]:
        """Return the schemas at each step of a way, the root first."""
        places: list[list[object]] = [[self._root]]
        for step in way:
            flat = (one for schema in places[-1] for one in self._flat(schema, 0))
            places.append([inner for one in flat for inner in _inner(one, step)])
        return places

    def _flat(self, schema: object, level: int) -> Iterator[Mapping[str, Any]]:
        """Yield a schema, and all that it refers to or is made of, at the same place."""
        if not isinstance(schema, Mapping) or self._is_enough(level):
            return
        yield schema
        for inner in (*_listed(schema, "anyOf", "oneOf", "allOf"), self._judge.resolve(schema.get("$ref"))):
            yield from self._flat(inner, level + 1)

    def _types(self, schema: object, level: int) -> frozenset[str] | None:
        if not isinstance(schema, Mapping) or self._is_enough(level):
            return None
        limits = [_declared(schema)]
        if "$ref" in schema:
            limits.append(self._types(self._judge.resolve(schema["$ref"]), level + 1))
        limits += [self._types(one, level + 1) for one in _listed(schema, "allOf")]
        for word in ("anyOf", "oneOf"):
            choices = [self._types(one, level + 1) for one in _listed(schema, word)]
            if choices and None not in choices:
                limits.append(frozenset().union(*choices))  # type: ignore[arg-type]
        known = [one for one in limits if one is not None]
        return frozenset.intersection(*known) if known else None

    def _is_enough(self, level: int) -> bool:
        self._steps += 1
        return level > DEEPEST or self._steps > MOST_STEPS


def _inner(schema: Mapping[str, Any], step: Step) -> Sequence[object]:
    """Return the schemas that this one has for a member or an item."""
    if isinstance(step, int):
        first = schema.get("prefixItems")
        if isinstance(first, list) and step < len(first):
            return [first[step]]
        return [schema["items"]] if "items" in schema else []
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and step in properties:
        return [properties[step]]
    return [schema["additionalProperties"]] if "additionalProperties" in schema else []


def _listed(schema: Mapping[str, Any], *words: str) -> Iterator[object]:
    for word in words:
        if isinstance(schema.get(word), list):
            yield from schema[word]


def _declared(schema: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the types that a schema names itself, or that its values have."""
    declared = schema.get("type")
    names = [declared] if isinstance(declared, str) else declared
    if isinstance(names, list) and names and all(isinstance(one, str) for one in names):
        return frozenset(names) | ({"integer"} if "number" in names else set())
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and values:
        return frozenset(_TYPE_OF.get(type(one), "null") for one in values)
    return None
