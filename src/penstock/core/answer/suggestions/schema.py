"""Judges arguments by a tool's input schema: a careful reading of JSON Schema that says no rather than be wrong.

A suggested call must be one that the tool takes, so whatever cannot be judged here (a pattern, a condition, a
reference that leads nowhere) counts as refused. Schemas come from upstream and may be malformed in any way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import parse_time
from penstock.core.text import split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Check = Callable[["Judge", Any, object, int], bool]  # by the keyword's value, of a value, at a level

DEEPEST: Final = 16  # schemas inside one another; real ones have a handful, and a reference may lead to itself
MOST_STEPS: Final = 10_000  # schemas looked at in all: alternatives that refer to themselves multiply without end
MOST_CHOICES: Final = 200  # members of an enum that are looked through

# Each may refuse a value for a reason that is not judged here; regular expressions among them, because the schema's
# author is not trusted to have written one that ends.
_OPAQUE: Final = frozenset(
    split_words(
        "pattern not if then else contains prefixItems additionalItems propertyNames patternProperties "
        "minProperties maxProperties dependencies dependentRequired dependentSchemas unevaluatedItems "
        "unevaluatedProperties $dynamicRef $recursiveRef contentEncoding contentMediaType"
    )
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_FORMATS: Final = {"date": _DATE, "date-time": _DATE_TIME}
# Formats that none of our values is known to have; any other name is a note to the reader.
_FOREIGN: Final = frozenset(
    split_words(
        "time duration email idn-email hostname idn-hostname ipv4 ipv6 uuid uri iri uri-reference iri-reference "
        "uri-template json-pointer relative-json-pointer regex"
    )
)


class Judge:
    """Judges values by schemas that may refer to parts of the ``root`` schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._steps = 0

    def accepts(self, schema: object, value: object, level: int = 0) -> bool:
        """Tell whether the value is certain to be valid."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping) or self._tired(level) or not _OPAQUE.isdisjoint(schema):
            return False
        try:
            return all(check(self, schema[word], value, level + 1) for word, check in _CHECKS.items() if word in schema)
        except (TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            return False  # a keyword has a value that makes no sense, such as a maximum that is a text

    def choices(self, schema: object, level: int = 0) -> Iterator[Any]:
        """Return the values that the schema lists, for itself or for the items of a list, in its order."""
        if not isinstance(schema, Mapping) or self._tired(level):
            return
        if isinstance(listed := schema.get("enum"), list):
            yield from listed[:MOST_CHOICES]
        for inner in self.inner(schema):
            yield from self.choices(inner, level + 1)

    def inner(self, schema: Mapping[str, Any]) -> Iterator[object]:
        """Return the schemas that this one is made of."""
        if "$ref" in schema:
            yield self.resolve(schema["$ref"])
        for word in ("anyOf", "oneOf", "allOf"):
            if isinstance(schema.get(word), list):
                yield from schema[word]
        yield schema.get("items")

    def _tired(self, level: int) -> bool:
        self._steps += 1
        return level > DEEPEST or self._steps > MOST_STEPS

    def resolve(self, reference: object) -> object:
        """Return the part of the root schema that a reference like ``#/$defs/Mode`` names; None if there is none."""
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        place: object = self._root
        for step in reference[2:].split("/"):
            place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, Mapping) else None
        return place


_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
}


def _is_type(name: object, value: object) -> bool:
    return isinstance(name, str) and name in _TYPES and _TYPES[name](value)


def _type(_judge: Judge, names: Any, value: object, _level: int) -> bool:
    return any(_is_type(name, value) for name in (names if isinstance(names, list) else [names]))


def _enum(_judge: Judge, choices: Any, value: object, _level: int) -> bool:
    return isinstance(choices, list) and any(_same(choice, value) for choice in choices)


def _const(_judge: Judge, constant: Any, value: object, _level: int) -> bool:
    return _same(constant, value)


def _same(one: object, other: object) -> bool:
    """Tell whether two values are equal as JSON, where ``true`` is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _number_check(compare: Callable[[Any, Any], bool]) -> Check:
    """Return a keyword that says something about numbers only."""
    return lambda _judge, limit, value, _level: not _is_type("number", value) or compare(value, limit)


def _length_check(
    kind: type[str | list[Any]], compare: Callable[[int, Any], bool]
) -> Callable[[Judge, Any, object, int], bool]:
    """Return a keyword that says something about the length of strings, or of lists, only."""
    return lambda _judge, limit, value, _level: not isinstance(value, kind) or compare(len(value), limit)


def _format(_judge: Judge, name: Any, value: object, _level: int) -> bool:
    if not isinstance(value, str) or not isinstance(name, str):
        return True
    if (form := _FORMATS.get(name)) is not None:
        return form.fullmatch(value) is not None and parse_time(value) is not None
    return name not in _FOREIGN


def _items(judge: Judge, schema: Any, value: object, level: int) -> bool:
    return not isinstance(value, list) or all(judge.accepts(schema, item, level) for item in value)


def _unique(_judge: Judge, is_unique: Any, value: object, _level: int) -> bool:
    return not is_unique or not isinstance(value, list) or len(value) == len({repr(item) for item in value})


def _required(_judge: Judge, names: Any, value: object, _level: int) -> bool:
    return not isinstance(value, Mapping) or all(name in value for name in names)


def _properties(judge: Judge, schemas: Any, value: object, level: int) -> bool:
    if not isinstance(value, Mapping):
        return True
    return all(judge.accepts(inner, value[name], level) for name, inner in schemas.items() if name in value)


def _additional(_judge: Judge, allowed: Any, value: object, _level: int) -> bool:
    """Refuse to judge a schema that limits properties beside the known ones: what stands there is not known here."""
    return allowed is True or not isinstance(value, Mapping)


def _all_of(judge: Judge, schemas: Any, value: object, level: int) -> bool:
    return all(judge.accepts(inner, value, level) for inner in schemas)


def _any_of(judge: Judge, schemas: Any, value: object, level: int) -> bool:
    return any(judge.accepts(inner, value, level) for inner in schemas)


def _one_of(judge: Judge, schemas: Any, value: object, level: int) -> bool:
    """Judge alternatives. Of those that are all told apart by their types, exactly one must accept; one that cannot be
    judged may accept as well, so it must at least be of another type."""
    open_to = [inner for inner in schemas if _may_accept(inner, value)]
    return len(open_to) == 1 and judge.accepts(open_to[0], value, level)


def _may_accept(schema: object, value: object) -> bool:
    if not isinstance(schema, Mapping) or not ({"type", "enum", "const"} & schema.keys()):
        return schema is not False
    return all(check(_NOBODY, schema[word], value, 0) for word, check in _PLAIN.items() if word in schema)


def _reference(judge: Judge, reference: Any, value: object, level: int) -> bool:
    return judge.accepts(judge.resolve(reference), value, level)


_NOBODY: Final = Judge({})
_PLAIN: Final = {"type": _type, "enum": _enum, "const": _const}
_CHECKS: Final[dict[str, Check]] = {
    **_PLAIN,
    "minimum": _number_check(lambda value, limit: value >= limit),
    "maximum": _number_check(lambda value, limit: value <= limit),
    "exclusiveMinimum": _number_check(lambda value, limit: limit is not True and value > limit),
    "exclusiveMaximum": _number_check(lambda value, limit: limit is not True and value < limit),
    "multipleOf": _number_check(lambda value, limit: value % limit == 0),
    "minLength": _length_check(str, lambda length, limit: length >= limit),
    "maxLength": _length_check(str, lambda length, limit: length <= limit),
    "minItems": _length_check(list, lambda length, limit: length >= limit),
    "maxItems": _length_check(list, lambda length, limit: length <= limit),
    "format": _format,
    "items": _items,
    "uniqueItems": _unique,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "$ref": _reference,
}
