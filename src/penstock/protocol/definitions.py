"""Find the whole definition of a tool in the upstream's list, page by page, for the action ``tool``.

Nothing is kept between two searches: the list is the upstream's to change, and a client may have read it in another
session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.text import nearest, shorten
from penstock.errors import CallerError, UpstreamError
from penstock.protocol.tool_list import read_list
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Mapping


MOST_PAGES: Final = 1_000  # of one list; no server has as many, but one that turns in circles has
ALIASES: Final = ("tool", "name", "tool_name")


@dataclass(slots=True, kw_only=True)
class DefinitionSearch:
    """One search. ``cursor`` is that of the page which is needed next."""

    tool: str
    cursor: str = ""
    names: list[str] = field(default_factory=list)
    pages: int = 0

    @classmethod
    def begin(cls, arguments: Mapping[str, Any]) -> DefinitionSearch:
        """Begin to look for the tool that the arguments name."""
        return cls(tool=wanted_tool(arguments))

    def step(self, result: bytes, failure: str) -> DefinitionSearch | bytes:
        """Take a page of the list, or the words of a failure. Returns this if another page is needed, or the MCP result
        with the definition."""
        if failure:
            raise UpstreamError(failure)
        listed = read_list(result)
        if listed is None:
            raise UpstreamError("the list of tools cannot be read", do="call the tool as it is listed")
        if (definition := listed.definition(self.tool)) is not None:
            return definition_result(definition)
        self.names += sorted(listed.names)
        self.pages += 1
        cursor = jsonrpc.value(dict(listed.members).get("nextCursor", b"null"))
        if listed.is_last or not isinstance(cursor, str) or self.pages >= MOST_PAGES:
            raise no_such_tool(self.tool, self.names)
        self.cursor = cursor
        return self


def wanted_tool(arguments: Mapping[str, Any]) -> str:
    """Return the name of the tool whose definition is asked for."""
    name = next((arguments[key] for key in ALIASES if arguments.get(key)), None)
    if not isinstance(name, str):
        raise CallerError("tool is missing", do="give tool: the name of a tool that is listed")
    return name


def no_such_tool(tool: str, names: list[str]) -> CallerError:
    """Return the error for a tool that is not listed, with the nearest names."""
    near = nearest(tool, names)
    do = f"did you mean {' or '.join(near)}?" if near else "give the name of a tool that is listed"
    return CallerError(f"there is no tool {shorten(tool)!r}", do=do)


def definition_result(definition: bytes) -> bytes:
    """Return a definition as the result of a tool."""
    text = msgspec.json.encode(definition.decode("utf-8", "replace"))
    return b'{"content":[{"type":"text","text":' + text + b"}]}"
