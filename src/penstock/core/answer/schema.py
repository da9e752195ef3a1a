"""Judges arguments by a tool's input schema. The judge accepts a value only if the value is certain to be valid.

A suggested call must be one that the tool accepts, so the judge refuses whatever it cannot decide: a pattern, a
condition, or a reference to nothing. Schemas come from servers and may be malformed in any way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import parse_time
from penstock.core.text import split_words

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST: Final = 16  # Schemas are followed 16 levels deep. Real ones have fewer, and references may be circular.
MOST_STEPS: Final = 10_000  # One value is judged by at most 10,000 schemas, because alternatives may multiply.

# Keywords that may refuse a value for a reason that is not judged here. One of them is the regular expression, because
# nobody guarantees that a server's expression terminates.
_OPAQUE: Final = frozenset(
    split_words(
        "pattern not if then else contains prefixItems additionalItems propertyNames patternProperties "
        "exclusiveMinimum exclusiveMaximum multipleOf minProperties maxProperties "
        "dependencies dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties "
        "$dynamicRef $recursiveRef contentEncoding contentMediaType"
    )
)
_FORMATS: Final = {
    "date": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "date-time": re.compile(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
    ),
}
# Formats that are not checked here, so they are refused. Any other name of a format is a note to the reader.
_FOREIGN: Final = frozenset(
    split_words(
        "time duration email idn-email hostname idn-hostname ipv4 ipv6 uuid uri iri uri-reference iri-reference "
        "uri-template json-pointer relative-json-pointer regex"
    )
)
_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
}


class Judge:
    """Judges values by schemas that may refer to parts of the ``root`` schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._steps = 0

    def accepts(self, schema: object, value: object) -> bool:
        """Return True if the value is certain to be valid."""
        self._steps = 0
        try:
            return self._accepts(schema, value, 0)
        except (TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            return False  # A keyword has a value that makes no sense, for example a maximum that is a string.

    def resolve(self, reference: object) -> object:
        """Return the part of the root schema that a reference like ``#/$defs/Mode`` names, or None."""
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        place: object = self._root
        for step in reference[2:].split("/"):
            place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, Mapping) else None
        return place

    def _accepts(self, schema: object, value: object, level: int) -> bool:
        if isinstance(schema, bool):
            return schema
        self._steps += 1
        if level > DEEPEST or self._steps > MOST_STEPS or not isinstance(schema, Mapping):
            return False
        if not _OPAQUE.isdisjoint(schema) or not _has_type(schema, value):
            return False
        choices = [schema["const"]] if "const" in schema else schema.get("enum", [value])
        if not isinstance(choices, list) or not any(_same(choice, value) for choice in choices):
            return False
        return self._fits_kind(schema, value, level) and self._fits_parts(schema, value, level + 1)

    def _fits_kind(self, schema: Mapping[str, Any], value: object, level: int) -> bool:
        """Judge by the keywords that apply only to numbers, strings, arrays or objects."""
        match value:
            case int() | float() if not isinstance(value, bool):
                return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
            case str():
                length = len(value)
                has_length = schema.get("minLength", length) <= length <= schema.get("maxLength", length)
                return has_length and _has_format(schema.get("format"), value)
            case list():
                length = len(value)
                has_length = schema.get("minItems", length) <= length <= schema.get("maxItems", length)
                is_unique = length <= 1 or not schema.get("uniqueItems", False)
                items = schema.get("items", True)
                return has_length and is_unique and all(self._accepts(items, item, level + 1) for item in value)
            case Mapping():
                is_open = schema.get("additionalProperties", True) is True
                known = schema.get("properties", {}).items()
                has_required = all(name in value for name in schema.get("required", ()))
                return (
                    is_open
                    and has_required
                    and all(self._accepts(inner, value[name], level + 1) for name, inner in known if name in value)
                )
        return True

    def _fits_parts(self, schema: Mapping[str, Any], value: object, level: int) -> bool:
        """Judge by the schemas that this one refers to or is made of."""
        if "$ref" in schema and not self._accepts(self.resolve(schema["$ref"]), value, level):
            return False
        if not all(self._accepts(inner, value, level) for inner in schema.get("allOf", ())):
            return False
        if "anyOf" in schema and not any(self._accepts(inner, value, level) for inner in schema["anyOf"]):
            return False
        if "oneOf" in schema:
            # A refused alternative may be valid all the same, so only those of another type are out of the question.
            possible = [inner for inner in schema["oneOf"] if _has_type(inner, value)]
            return len(possible) == 1 and self._accepts(possible[0], value, level)
        return True


def _has_type(schema: object, value: object) -> bool:
    """Return True unless the schema names types and the value has none of them."""
    if not isinstance(schema, Mapping) or "type" not in schema:
        return True
    declared = schema["type"]
    names = declared if isinstance(declared, list) else [declared]
    return any(name in _TYPES and _TYPES[name](value) for name in names)


def _has_format(name: object, text: str) -> bool:
    if name in _FORMATS:
        return _FORMATS[name].fullmatch(text) is not None and parse_time(text) is not None
    return name not in _FOREIGN


def _same(one: object, other: object) -> bool:
    """Return True if two values are equal as JSON, where ``true`` is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
