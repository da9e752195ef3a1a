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


def wrong(argument: str, expected: str, got: object, example: object) -> CallerError:
    """What to raise for an argument that a schema cannot judge: a path, a glob, a name."""
    return CallerError(
        f"{argument}: expected {expected}, got {shown(got)}", do=f"for example {json.dumps({argument: example})}"
    )


def shown(value: object) -> str:
    """A value as JSON on one line, cut when it is long."""
    text = json.dumps(value, default=str)
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
            name, cause = context.message.name, error.__cause__
            tool = await self._server.get_tool(name)
            if tool is None or not isinstance(cause, PydanticError):
                raise ToolError(str(error), log_level=logging.DEBUG) from None
            found = cause.errors(include_url=False)
            lines = [_line(one, tool.parameters.get("properties", {})) for one in found[:MOST]]
            raise ToolError(f"{name}: nothing was done. " + "\n".join(lines), log_level=logging.DEBUG) from None


def _line(error: Any, properties: Mapping[str, Any]) -> str:
    name = str(error["loc"][0]) if error["loc"] else "arguments"
    schema = properties.get(name)
    if schema is None:
        return f"{name}: no such argument; expected {' or '.join(properties)}"
    example = json.dumps({name: schema["examples"][0]})
    if error["type"] == "missing_argument":
        return f"{name}: is required; expected {schema['description']}, for example {example}"
    return f"{name}: expected {schema['description']}, got {shown(error['input'])}; for example {example}"
