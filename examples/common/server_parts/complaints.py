"""Errors about arguments: which argument, what was expected, what came, and an example of a good call.

``Complaints`` describes arguments that do not fit a tool's schema. ``wrong`` is the error for an argument that a schema
cannot judge; ``complaining`` and ``raises_tool_errors`` turn it into the error of a tool.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias, TypeVar

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import Middleware
from pydantic import ValidationError as PydanticError

from penstock import CallerError, PenstockError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools.base import ToolResult
    from mcp_types import CallToolRequestParams

P = ParamSpec("P")
R = TypeVar("R")
Properties: TypeAlias = Mapping[str, Any]  # the arguments of a tool, by their names: a JSON schema each

LONGEST_VALUE: Final = 80  # characters of a wrong value that are repeated; it may be a whole file
MOST: Final = 5  # complaints in one answer; a call with more of them is not one slip
KINDS: Final = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def wrong(argument: str, expected: str, got: object, example: object, why: str = "") -> CallerError:
    """Return the error for an argument that a schema cannot judge: a path, a query, a pattern. An example that is
    what was refused is left out."""
    return CallerError(
        f"{argument}: expected {expected}, got {quoted(got)}{why and ', ' + why}",
        do="" if example == got else f"for example {json.dumps({argument: example})}",
    )


def example_of(name: str, schema: Properties, refused: object = None) -> str:
    """Return words that give an example of an argument, never the one that was refused; none where that is all."""
    examples = schema.get("examples") or [schema.get("default")]
    good = [one for one in examples if one not in (refused, None)]
    return f"; for example {json.dumps({name: good[0]})}" if good else ""


def quoted(value: object) -> str:
    """Return a value as JSON on one line, cut when it is long."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text):,} characters)"


@contextmanager
def complaining() -> Iterator[None]:
    """Turn our errors inside this into a tool's errors: their text alone, and no traceback in a log."""
    try:
        yield
    except PenstockError as error:
        raise ToolError(str(error), log_level=logging.DEBUG) from None


def raises_tool_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Turn our errors in a tool's function into the tool's errors."""

    @wraps(function)
    def tool(*args: P.args, **kwargs: P.kwargs) -> R:
        with complaining():
            return function(*args, **kwargs)

    return tool


def first_and_count(errors: Sequence[Any], properties: Properties) -> list[str]:
    """Return a line for each of the first errors, by the schemas of the arguments, and a count of the others."""
    # A wrong value for a list or for null is two errors about one argument.
    lines = list(dict.fromkeys(line(one, properties) for one in errors))
    return lines[:MOST] + ([f"and {len(lines) - MOST} more"] if len(lines) > MOST else [])


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
            raise await complaint(self._server, context.message.name, error) from None


async def complaint(server: FastMCP[Any], tool_name: str, error: ValidationError) -> ToolError:
    """Describe a call whose arguments do not fit the tool's schema, as an error."""
    tool = await server.get_tool(tool_name)
    cause = error.__cause__
    if tool is None or not isinstance(cause, PydanticError):
        return ToolError(str(error), log_level=logging.DEBUG)
    words = first_and_count(cause.errors(include_url=False), tool.parameters.get("properties", {}))
    return ToolError(f"{tool_name}: nothing was done. " + "\n".join(words), log_level=logging.DEBUG)


def line(error: Any, properties: Properties) -> str:
    """Describe one error."""
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    path = ".".join(str(part) for part in error["loc"]) or name
    schema = properties.get(name)
    if schema is None or error["type"] == "unexpected_keyword_argument":
        return f"{as_name(path)}: no such argument; expected {' or '.join(properties) or 'none at all'}"
    if error["type"].startswith("missing"):
        return f"{path}: is required; expected {expected(schema)}{example_of(name, schema)}"
    words = expected(schema) if len(error["loc"]) == 1 or "anyOf" in schema else error["msg"].lower()
    return f"{path}: expected {words}, got {quoted(error['input'])}{example_of(name, schema, error['input'])}"


def expected(schema: Mapping[str, Any]) -> str:
    """Describe the values that a schema allows."""
    if "anyOf" in schema:
        return " or ".join(expected(one) for one in schema["anyOf"])
    if "enum" in schema:
        return one_of(schema)
    words = KINDS.get(schema.get("type", ""), "a value")
    if "items" in schema:
        words = f"{words} of {expected(schema['items'])}"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None:
        return f"{words} from {low:,} to {high:,}" if high is not None else f"{words} of {low:,} or more"
    for least, most, unit in (("minLength", "maxLength", "characters"), ("minItems", "maxItems", "items")):
        if most in schema:
            low = f"{schema[least]:,} to" if least in schema else "at most"
            return f"{words} of {low} {schema[most]:,} {unit}"
    return f"{words}, at least {schema['minItems']}" if "minItems" in schema else words


def as_name(name: str) -> str:
    """Return a name that a caller has made up, so that it cannot pretend to be more than one."""
    return name if name.isidentifier() else quoted(name)


def one_of(schema: Mapping[str, Any]) -> str:
    """List the values that a schema allows."""
    return "one of " + ", ".join(json.dumps(one) for one in schema["enum"])
