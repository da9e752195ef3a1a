"""What to say about a wrong argument: what is expected stands in its description."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from server_parts.complaints import MOST, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server_parts.complaints import Properties


def lines(errors: Sequence[Any], properties: Properties) -> list[str]:
    """A line for each of the first errors."""
    return [_line(one, properties) for one in errors[:MOST]]


def _line(error: Any, properties: Properties) -> str:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    schema = properties.get(name)
    if schema is None:
        return f"{name}: no such argument; expected {' or '.join(properties)}"
    example = json.dumps({name: schema["examples"][0]})
    if error["type"] == "missing_argument":
        return f"{name}: is required; expected {schema['description']}, for example {example}"
    return f"{name}: expected {schema['description']}, got {shown(error['input'])}; for example {example}"
