"""A value that the judge accepts is valid by JSON Schema, and no schema makes it fail or run on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.answer.schema import MOST_STEPS, Judge
from tests.kit.strategies import values

TREE = {"$defs": {"Node": {"anyOf": [{"$ref": "#/$defs/Node"}] * 10}}, "$ref": "#/$defs/Node"}


@given(root=st.dictionaries(st.text(max_size=9), values, max_size=3), schema=values, value=values)
def test_any_schema_is_judged(root: dict[str, Any], schema: Any, value: Any) -> None:
    judge = Judge(root)
    assert judge.accepts(schema, value) in (True, False)


@given(
    low=st.integers(-9, 9),
    high=st.integers(-9, 9),
    value=st.integers(-12, 12) | st.floats(-12, 12),
    integer=st.booleans(),
)
def test_numbers_are_accepted_exactly_within_their_bounds(low: int, high: int, value: float, integer: bool) -> None:
    schema = {"type": "integer" if integer else "number", "minimum": low, "maximum": high}
    expected = low <= value <= high and (isinstance(value, int) or not integer)
    assert Judge({}).accepts(schema, value) == expected


ACCEPTED: list[tuple[Any, Any]] = [
    (True, 1),
    ({}, "anything"),
    ({"type": ["string", "null"]}, None),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2, "uniqueItems": True}, ["a"]),
    ({"uniqueItems": False}, [1, 1]),
    ({"type": "string", "minLength": 1, "maxLength": 3}, "abc"),
    ({"minLength": 9, "minItems": 9, "minimum": 9, "format": "date"}, None),
    ({"enum": ["A", "B"]}, "B"),
    ({"const": 1}, 1),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 5),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, 5),
    ({"oneOf": [{"type": "integer", "minimum": 9, "pattern": "x"}, {"type": "string"}]}, "a"),
    ({"allOf": [{"$ref": "#/$defs/Mode"}]}, "fast"),
    ({"$ref": "#/$defs/odd~1name"}, 1),
    ({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}, {"a": 1}),
    ({"required": ["a"], "properties": {"a": False}, "additionalProperties": False, "items": False}, "text"),
    ({"additionalProperties": True}, {}),
    ({"type": "string", "format": "date"}, "2024-02-29"),
    ({"type": "string", "format": "date-time"}, "2024-02-29T10:00:00.5+01:00"),
    ({"type": "string", "format": "glob", "x-hint": 1, "title": "T"}, "**"),
]
REFUSED: list[tuple[Any, Any]] = [
    (False, 1),
    (None, 1),
    ("string", "a"),
    ({"type": "integer"}, True),
    ({"type": "number"}, float("inf")),
    ({"type": "number"}, 10**400),
    ({"type": "no such type"}, 1),
    ({"type": {"odd": 1}}, 1),
    ({"enum": [1, 2]}, True),
    ({"enum": "abc"}, "a"),
    ({"const": 1}, True),
    ({"pattern": ".*"}, "a"),
    ({"not": {}}, "a"),
    ({"type": "array", "items": {"type": "string"}}, [1]),
    ({"uniqueItems": True}, ["a", "a"]),
    ({"maxItems": "three"}, []),
    ({"maximum": "three"}, 1),
    ({"multipleOf": 1}, 1),
    ({"minimum": 3, "exclusiveMinimum": True}, 4),
    ({"maximum": 3, "exclusiveMaximum": True}, 2),
    ({"anyOf": 3}, 1),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 5),
    ({"oneOf": [{"type": "integer"}, {"$ref": "#/$defs/Mode"}]}, 5),
    ({"oneOf": [{"type": "integer"}, "odd"]}, 5),
    ({"properties": [1]}, {"a": 1}),
    ({"required": ["a"]}, {}),
    ({"additionalProperties": False}, {}),
    ({"format": "date"}, "2024-02-30"),
    ({"format": "date"}, "2024-02-29T00:00:00Z"),
    ({"format": "date-time"}, "2024-02-29"),
    ({"format": "uri"}, "src/**"),
    ({"$ref": "#/$defs/None"}, 1),
    ({"$ref": "elsewhere.json"}, 1),
    ({"$ref": 3}, 1),
    ({"allOf": [{"type": "integer"}, {"maximum": 3}]}, 4),
    ({"$ref": "#/$defs/Mode/enum/0"}, 1),
]
ROOT = {"$defs": {"Mode": {"enum": ["fast", "slow"]}, "odd/name": {"type": "integer"}}}


@pytest.mark.parametrize(("schema", "value"), ACCEPTED)
def test_what_is_valid_is_accepted(schema: Any, value: Any) -> None:
    assert Judge(ROOT).accepts(schema, value)


@pytest.mark.parametrize(("schema", "value"), REFUSED)
def test_what_is_invalid_or_cannot_be_judged_is_refused(schema: Any, value: Any) -> None:
    assert not Judge(ROOT).accepts(schema, value)


def test_a_schema_that_refers_to_itself_is_given_up() -> None:
    judge = Judge(TREE)
    assert not judge.accepts(TREE, 1)
    assert judge._steps < 2 * MOST_STEPS
