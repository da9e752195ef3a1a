"""What a tool wants at one place of its arguments, as far as its schema tells."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.act.argument_schema import HEADER_MARK, ArgumentSchema

TEXT = {"type": "string"}


def accepted(schema: Any, *way: str | int) -> set[str] | None:
    found = ArgumentSchema({"properties": {"a": schema}, "$defs": {"Text": TEXT}}).accepted(("a", *way))
    return None if found is None else set(found)


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        (TEXT, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"type": "number"}, {"number", "integer"}),
        ({}, None),
        (True, None),
        ("nonsense", None),
        ({"type": 7}, None),
        ({"type": []}, None),
        ({"const": "x"}, {"string"}),
        ({"enum": [1, None]}, {"integer", "null"}),
        ({"$ref": "#/$defs/Text"}, {"string"}),
        ({"$ref": "#/$defs/Absent"}, None),
        ({"anyOf": [TEXT, {"type": "object"}]}, {"string", "object"}),
        ({"anyOf": [TEXT, {}]}, None),
        ({"oneOf": [TEXT, {"$ref": "#/$defs/Text"}]}, {"string"}),
        ({"allOf": [{"type": ["string", "array"]}, TEXT]}, {"string"}),
        ({"anyOf": []}, None),
        ({"anyOf": "nonsense"}, None),
    ],
)
def test_the_types_of_an_argument(schema: Any, types: set[str] | None) -> None:
    assert accepted(schema) == types


def test_places_inside_of_an_argument() -> None:
    assert accepted({"items": TEXT}, 3) == {"string"}
    assert accepted({"prefixItems": [{"type": "object"}], "items": TEXT}, 0) == {"object"}
    assert accepted({"prefixItems": [{"type": "object"}], "items": TEXT}, 1) == {"string"}
    assert accepted({"type": "array"}, 0) is None
    assert accepted({"properties": {"b": TEXT}}, "b") == {"string"}
    assert accepted({"additionalProperties": TEXT}, "other") == {"string"}
    assert accepted({"properties": {}}, "b") is None
    assert accepted({"anyOf": [{"properties": {"b": TEXT}}, {"items": TEXT}]}, "b") == {"string"}


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    schema = {"properties": {"a": {"$ref": "#/properties/a"}}}
    assert ArgumentSchema(schema).accepted(("a", "b")) is None
    loop = {"$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}] * 9}}, "properties": {"a": {"$ref": "#/$defs/x"}}}
    assert ArgumentSchema(loop).accepted(("a",)) is None


def test_an_argument_that_a_header_repeats_is_known_with_all_inside_of_it() -> None:
    schema = ArgumentSchema(
        {
            "properties": {
                "region": {"type": "string", HEADER_MARK: "Region"},
                "deep": {"properties": {"tenant": {"anyOf": [{HEADER_MARK: "Tenant"}]}}},
                "odd": {HEADER_MARK: 7},
            }
        }
    )
    assert schema.is_mirrored(("region",))
    assert schema.is_mirrored(("region", "inside"))
    assert schema.is_mirrored(("deep", "tenant"))
    assert not schema.is_mirrored(("deep",))
    assert not schema.is_mirrored(("odd",))
    assert not schema.is_mirrored(("unknown",))
