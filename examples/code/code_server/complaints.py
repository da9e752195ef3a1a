"""Lines about wrong arguments: what is expected stands in its description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from server_parts.complaints import MOST, example_of, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server_parts.complaints import Properties


def lines(errors: Sequence[Any], properties: Properties) -> list[str]:
    """Return a line for each of the first errors."""
    return [_line(one, properties) for one in errors[:MOST]]


def _line(error: Any, properties: Properties) -> str:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    schema = properties.get(name)
    if schema is None:
        return f"{name}: no such argument; expected {' or '.join(properties)}"
    if error["type"].startswith("missing"):
        return f"{name}: is required; expected {schema['description']}{example_of(name, schema)}"
    refused = error["input"]
    return f"{name}: expected {schema['description']}, got {quoted(refused)}{example_of(name, schema, refused)}"
