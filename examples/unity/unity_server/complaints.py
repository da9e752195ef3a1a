"""Bad arguments, told so that the next call is right: which argument, what was expected, what was given, an example."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import Middleware
from pydantic import ValidationError as PydanticError

from penstock import CallerError, PenstockError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fastmcp import FastMCP
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools.base import ToolResult
    from mcp_types import CallToolRequestParams

P = ParamSpec("P")
R = TypeVar("R")

SHOWN: Final = 80  # characters of a wrong value that are repeated; it may be a whole file
MOST: Final = 5  # complaints in one answer; a call with more of them is not one slip


def wrong(argument: str, expected: str, got: object, example: object) -> CallerError:
    """What to raise for an argument that pydantic cannot judge: a path, a query, a pattern."""
    return CallerError(
        f"{argument}: expected {expected}, got {shown(got)}", do=f"for example {json.dumps({argument: example})}"
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


def told(function: Callable[P, R]) -> Callable[P, R]:
    """A tool's function, complaining."""

    @wraps(function)
    def tool(*args: P.args, **kwargs: P.kwargs) -> R:
        with complaining():
            return function(*args, **kwargs)

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
            raise await complaint(self._server, context.message.name, error) from None


async def complaint(server: FastMCP[Any], tool_name: str, error: ValidationError) -> ToolError:
    """The error of a call whose arguments do not fit the tool's schema."""
    tool = await server.get_tool(tool_name)
    cause = error.__cause__
    if tool is None or not isinstance(cause, PydanticError):
        return ToolError(str(error), log_level=logging.DEBUG)
    properties = tool.parameters.get("properties", {})
    found = cause.errors(include_url=False)
    lines = [_line(one, properties) for one in found[:MOST]]
    if len(found) > MOST:
        lines.append(f"and {len(found) - MOST} more")
    return ToolError(f"{tool_name}: nothing was done. " + "\n".join(lines), log_level=logging.DEBUG)


def _line(error: Any, properties: Mapping[str, Any]) -> str:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    path = ".".join(str(part) for part in error["loc"]) or name
    schema = properties.get(name)
    if schema is None or error["type"] == "unexpected_keyword_argument":
        return f"{path}: no such argument; expected {' or '.join(properties) or 'none at all'}"
    example = json.dumps({name: (schema.get("examples") or [schema.get("default")])[0]})
    if error["type"] == "missing_argument":
        return f"{path}: is required; expected {_expected(schema)}, for example {example}"
    expected = _expected(schema) if len(error["loc"]) == 1 else error["msg"].lower()
    return f"{path}: expected {expected}, got {shown(error['input'])}; for example {example}"


def _expected(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_expected(one) for one in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(one) for one in schema["enum"])
    kind = {"integer": "a whole number", "string": "text", "boolean": "true or false", "object": "an object"}
    words = kind.get(schema.get("type", ""), schema.get("type", "a value"))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{words} from {low:,} to {high:,}"
    if low is not None:
        return f"{words} of {low:,} or more"
    short, long = schema.get("minLength"), schema.get("maxLength")
    return f"{words} of {short or 0:,} to {long:,} characters" if long else words
