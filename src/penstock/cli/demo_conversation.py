"""Make the calls of ``penstock demo``, and read the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from penstock.core.tokens.count import count
from penstock.errors import UpstreamError

if TYPE_CHECKING:
    from penstock.cli.mcp_client import McpClient

T = TypeVar("T")

WINDOW: Final = 1_000_000  # characters asked for at once; what comes is as much of them as the budget allows


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A result as it was received: its bytes on the wire, its texts, and the tokens that they cost a model."""

    size: int
    tokens: int
    texts: tuple[str, ...]

    @property
    def line(self) -> str:
        """Return the first line, which is JSON if Penstock has made the result."""
        return self.texts[0].partition("\n")[0]

    @property
    def rest(self) -> str:
        """Return the exact text behind the first line."""
        return self.texts[0].partition("\n")[2]


class Offer(msgspec.Struct):
    """A call that a notice offers."""

    tool: str
    arguments: dict[str, Any]


class ReceivedNotice(msgspec.Struct):
    """The members of a notice that are needed to read on."""

    cache_id: str
    next: list[Offer]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeText:
    """The text that the windows of a held result make together, and what reading them cost."""

    text: str
    windows: int
    tokens: int


def tools_of(server: McpClient) -> set[str]:
    """Return the names of all tools."""
    listed = [msgspec.json.decode(raw) for raw in server.everything("tools/list", "tools")]
    return {tool["name"] for tool in listed if isinstance(tool, dict) and isinstance(tool.get("name"), str)}


def call_tool(server: McpClient, tool: str, arguments: dict[str, Any]) -> Answer:
    """Call a tool, and count its result. A result with ``isError`` raises an ``UpstreamError``."""
    raw = server.ask("tools/call", {"name": tool, "arguments": arguments})
    result = _decoded(raw, _Result, tool)
    texts = tuple(block.text for block in result.content if block.text is not None)
    if result.isError or not texts:
        raise UpstreamError(f"{tool} failed: {' '.join(texts)[:300] or 'it answered without a text'}")
    return Answer(size=len(raw), tokens=count("\n".join(texts)).tokens, texts=texts)


def notice_of(tool: str, answer: Answer) -> ReceivedNotice:
    """Read the notice of a held result, or raise if the result was not held."""
    try:
        return msgspec.json.decode(answer.line, type=ReceivedNotice)
    except msgspec.MsgspecError:
        raise UpstreamError(
            f"the result of {tool} was not held: it begins with {answer.texts[0][:100]!r}",
            do="look whether a PENSTOCK_ variable in the environment changes a setting",
        ) from None


def put_together(server: McpClient, notice: ReceivedNotice) -> WholeText:
    """Read a held result from its beginning to its end."""
    parts: list[str] = []
    tokens = start = 0
    tool = notice.next[0].tool
    while True:
        arguments = {"action": "get", "cache_id": notice.cache_id, "start_index": start, "max_length": WINDOW}
        answer = call_tool(server, tool, arguments)
        where = _decoded(answer.line.encode(), _Where, tool)
        parts.append(answer.rest)
        tokens += answer.tokens
        if where.next_index is None:
            return WholeText(text="".join(parts), windows=len(parts), tokens=tokens)
        if where.next_index <= start:
            raise UpstreamError(f"the window that begins at {start:,} ends before it")
        start = where.next_index


class _Where(msgspec.Struct):
    next_index: int | None


class _Block(msgspec.Struct):
    text: str | None = None


class _Result(msgspec.Struct):
    content: list[_Block]
    isError: bool = False  # noqa: N815  (the protocol's name)


def _decoded(raw: bytes, form: type[T], tool: str) -> T:
    try:
        return msgspec.json.decode(raw, type=form)
    except msgspec.MsgspecError as error:
        raise UpstreamError(f"the result of {tool} is not what it should be: {error}") from None
