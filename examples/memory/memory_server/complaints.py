"""Bad arguments, told so that the next call is right: which argument, what was expected, what was given, an example."""

from __future__ import annotations

import json
import logging
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import Middleware
from pydantic import ValidationError as PydanticError

from penstock import CallerError, PenstockError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastmcp import FastMCP
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools.base import ToolResult
    from mcp_types import CallToolRequestParams

P = ParamSpec("P")
R = TypeVar("R")

SHOWN: Final = 80  # characters of a wrong value that are repeated; it may be a whole file
MOST: Final = 5  # complaints in one answer; a call with more of them is not one slip
KINDS: Final = {"integer": "a whole number", "string": "text", "boolean": "true or false", "array": "a list"}


def wrong(argument: str, expected: str, got: object, example: object) -> CallerError:
    """What to raise for an argument that pydantic cannot judge."""
    return CallerError(
        f"{argument}: expected {expected}, got {shown(got)}", do=f"for example {json.dumps({argument: example})}"
    )


def shown(value: object) -> str:
    """A value as JSON on one line, cut when it is long."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


def told(function: Callable[P, R]) -> Callable[P, R]:
    """A tool's function, whose errors of ours are told by their text alone, without a traceback in anybody's log."""

    @wraps(function)
    def tool(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except PenstockError as error:
            raise ToolError(str(error), log_level=logging.DEBUG) from None

    return tool


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
            name, cause = context.message.name, error.__cause__
            tool = await self._server.get_tool(name)
            lines = [str(error)]
            if tool is not None and isinstance(cause, PydanticError):
                properties = tool.parameters["properties"]
                lines = [_line(one, properties) for one in cause.errors(include_url=False)[:MOST]]
            raise ToolError(f"{name}: nothing was done. " + "\n".join(lines), log_level=logging.DEBUG) from None


def _line(error: Any, properties: Mapping[str, Any]) -> str:
    name, path = str(error["loc"][0]), ".".join(str(part) for part in error["loc"])
    schema = properties.get(name)
    if schema is None:
        return f"{path}: no such argument; expected {' or '.join(properties)}"
    example = json.dumps({name: schema["examples"][0]})
    if error["type"] == "missing_argument":
        return f"{path}: is required; expected {_expected(schema)}, for example {example}"
    expected = _expected(schema) if len(error["loc"]) == 1 else error["msg"].lower()
    return f"{path}: expected {expected}, got {shown(error['input'])}; for example {example}"


def _expected(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(one) for one in schema["enum"])
    words = KINDS[schema["type"]]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None:
        return f"{words} from {low:,} to {high:,}" if high is not None else f"{words} of {low:,} or more"
    for least, most, unit in (("minLength", "maxLength", "characters"), ("minItems", "maxItems", "items")):
        if most in schema:
            return f"{words} of {schema[least]:,} to {schema[most]:,} {unit}"
    return words
