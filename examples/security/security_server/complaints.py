"""Lines about wrong arguments of a scan: lists and null are common here, and unknown names are shown as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from server_parts.complaints import counted, example_of, one_of, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from server_parts.complaints import Properties


def lines(errors: Sequence[Any], properties: Properties) -> list[str]:
    """Return a line for each of the first arguments that are wrong, and a count of the others."""
    # A wrong value for a list or for null is two errors about one argument.
    return counted(list(dict.fromkeys(_line(one, properties) for one in errors)))


def _line(error: Any, properties: Properties) -> str:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    schema = properties.get(name)
    if schema is None or error["type"] == "unexpected_keyword_argument":
        return f"{quoted(name)}: no such argument; expected {' or '.join(properties)}"
    refused = None if error["type"].startswith("missing") else error["input"]
    got = "nothing" if refused is None else quoted(refused)
    return f"{name}: expected {_expected(schema)}, got {got}{example_of(name, schema, refused)}"


def _expected(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_expected(one) for one in schema["anyOf"])
    if "enum" in schema:
        return one_of(schema)
    if schema.get("type") == "array":
        return f"a list of at least {schema.get('minItems', 0)}, each {_expected(schema['items'])}"
    words = {"integer": "a whole number", "string": "text", "null": "null"}.get(schema.get("type", ""), "a value")
    if "minimum" in schema:
        return f"{words} from {schema['minimum']:,}" + (f" to {schema['maximum']:,}" if "maximum" in schema else "")
    return f"{words} of at most {schema['maxLength']:,} characters" if "maxLength" in schema else words
