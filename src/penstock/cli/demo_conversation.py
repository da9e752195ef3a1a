"""Make the calls of ``penstock demo``, and read the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.tokens.count import count
from penstock.errors import UpstreamError

if TYPE_CHECKING:
    from penstock.cli.mcp_client import McpClient

WINDOW: Final = 1_000_000  # Characters asked for at once. The budget decides how many come.


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A result as it was received: its bytes on the wire, its text, and the tokens that it costs a model."""

    size: int
    tokens: int
    text: str

    @property
    def line(self) -> str:
        """Return the first line, which is JSON if Penstock wrote the result."""
        return self.text.partition("\n")[0]

    @property
    def rest(self) -> str:
        """Return the exact text after the first line."""
        return self.text.partition("\n")[2]


class ReceivedNotice(msgspec.Struct):
    """The members of a notice that the demo needs. ``next`` has the arguments of a query, without the handle."""

    cache_id: str
    next: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeText:
    """The concatenated windows of a stored result, and what reading them cost."""

    text: str
    windows: int
    tokens: int


class _Block(msgspec.Struct):
    text: str = ""


class _Result(msgspec.Struct):
    content: list[_Block]
    isError: bool = False  # noqa: N815  (the protocol's name)


class _Window(msgspec.Struct):
    next_index: int | None


def call_tool(server: McpClient, tool: str, arguments: dict[str, Any]) -> Answer:
    """Call a tool, and count its result. A result with ``isError`` raises an ``UpstreamError``."""
    raw = server.ask("tools/call", {"name": tool, "arguments": arguments})
    result = msgspec.json.decode(raw, type=_Result)
    text = "\n".join(block.text for block in result.content)
    if result.isError:
        raise UpstreamError(f"{tool} failed: {text[:300]}")
    return Answer(size=len(raw), tokens=count(text).tokens, text=text)


def notice_of(answer: Answer) -> ReceivedNotice:
    """Read the notice of a stored result. Raises if the result was not stored."""
    try:
        return msgspec.json.decode(answer.line, type=ReceivedNotice)
    except msgspec.MsgspecError:
        raise UpstreamError(
            f"the result was not stored: it begins with {answer.text[:100]!r}",
            do="check whether a PENSTOCK_ variable in the environment changes a setting",
        ) from None


def read_whole(server: McpClient, tool: str, handle: str) -> WholeText:
    """Read a stored result from its beginning to its end."""
    parts: list[str] = []
    tokens = 0
    start: int | None = 0
    while start is not None:
        arguments = {"action": "get", "cache_id": handle, "start_index": start, "max_length": WINDOW}
        answer = call_tool(server, tool, arguments)
        parts.append(answer.rest)
        tokens += answer.tokens
        start = msgspec.json.decode(answer.line, type=_Window).next_index
    return WholeText(text="".join(parts), windows=len(parts), tokens=tokens)
