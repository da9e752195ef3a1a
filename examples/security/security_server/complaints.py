"""Bad arguments, told so that the next call is right: which argument, what was expected, what was given, an example."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import Middleware
from pydantic import ValidationError as PydanticError

from penstock import CallerError, PenstockError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fastmcp import FastMCP
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools.base import ToolResult
    from mcp_types import CallToolRequestParams

SHOWN: Final = 80  # characters of a wrong value that are repeated; it may be a whole file
MOST: Final = 5  # complaints in one answer; a call with more of them is not one slip


def wrong(argument: str, expected: str, got: object, example: object, why: str = "") -> CallerError:
    """What to raise for an argument that a schema cannot judge."""
    return CallerError(
        f"{argument}: expected {expected}, got {shown(got)}{why and ', ' + why}",
        do=f"for example {json.dumps({argument: example})}",
    )


def shown(value: object) -> str:
    """A value as JSON on one line, cut when it is long."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


@contextmanager
def complaining() -> Iterator[None]:
    """Our errors inside of this are a tool's errors: their text alone, no traceback in anybody's log."""
    try:
        yield
    except PenstockError as error:
        raise ToolError(str(error), log_level=logging.DEBUG) from None


class Complaints(Middleware):
    """Puts what pydantic says about arguments into words that name a good call."""

    def __init__(self, server: FastMCP[Any]) -> None:
        self._server = server

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Relay the call."""
        try:
            return await call_next(context)
        except ValidationError as error:
            tool = await self._server.get_tool(context.message.name)
            properties = tool.parameters.get("properties", {}) if tool else {}
            raise ToolError(_told(context.message.name, error, properties), log_level=logging.DEBUG) from None


def _told(tool_name: str, error: ValidationError, properties: Mapping[str, Any]) -> str:
    if not isinstance(error.__cause__, PydanticError):
        return str(error)
    found = error.__cause__.errors(include_url=False)
    # A wrong value for a list or for null is two errors about one argument.
    lines = list(dict.fromkeys(_line(one, properties) for one in found))
    more = [f"and {len(lines) - MOST} more"] if len(lines) > MOST else []
    return f"{tool_name}: nothing was done. " + "\n".join(lines[:MOST] + more)


def _line(error: Any, properties: Mapping[str, Any]) -> str:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    schema = properties.get(name)
    if schema is None or error["type"] == "unexpected_keyword_argument":
        return f"{shown(name)}: no such argument; expected {' or '.join(properties)}"
    got = "nothing" if error["type"] == "missing_argument" else shown(error["input"])
    example = json.dumps({name: (schema.get("examples") or [schema.get("default")])[0]})
    return f"{name}: expected {_expected(schema)}, got {got}; for example {example}"


def _expected(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_expected(one) for one in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(one) for one in schema["enum"])
    if schema.get("type") == "array":
        return f"a list of at least {schema.get('minItems', 0)}, each {_expected(schema['items'])}"
    words = {"integer": "a whole number", "string": "text", "null": "null"}.get(schema.get("type", ""), "a value")
    if "minimum" in schema:
        return f"{words} from {schema['minimum']:,}" + (f" to {schema['maximum']:,}" if "maximum" in schema else "")
    return f"{words} of at most {schema['maxLength']:,} characters" if "maxLength" in schema else words
