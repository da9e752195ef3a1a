"""A conversation with an example's server, through FastMCP's client. An example adds what only its answers have."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from fastmcp.client.transports import StdioTransport
from tests.kit.answers import head_of, text_of

from penstock import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastmcp import Client

EXAMPLES: Final = Path(__file__).resolve().parents[3] / "examples"
FETCH: Final = "fetch_cached_response"


def piped(example: Path, options: Sequence[str], cwd: Path) -> StdioTransport:
    """The server of an example as a process, with its standard input and output."""
    return StdioTransport(sys.executable, [str(example / "server.py"), *options], cwd=str(cwd), keep_alive=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer: its texts, and whether it is an error."""

    texts: list[str]
    is_error: bool

    @property
    def size(self) -> int:
        """The bytes of all texts."""
        return sum(len(text.encode()) for text in self.texts)

    @property
    def tokens(self) -> int:
        """What it costs a model to read, by the upper bound."""
        return sum(count(text).upper for text in self.texts)

    @property
    def data(self) -> Any:
        """The first line of the first text, read as JSON."""
        return head_of(self.texts[0])

    @property
    def text(self) -> str:
        """The text behind the first line of an answer of Penstock."""
        return text_of(self.texts[0])


class Talk:
    """A client that talks with a server."""

    def __init__(self, client: Client[Any]) -> None:
        self.client = client
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self.run(self.client.__aenter__())  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        self.run(self.client.__aexit__(None, None, None))  # type: ignore[no-untyped-call]
        self._runner.close()

    def run(self, asked: Any) -> Any:
        """Wait for something that the client does."""
        return self._runner.run(asked)

    def tools(self) -> list[Any]:
        """The tools that the server lists."""
        return list(self.run(self.client.list_tools()))

    async def ask(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool, beside other calls."""
        result = await self.client.call_tool(tool, arguments, raise_on_error=False)
        texts = [block.text for block in result.content if block.type == "text"]
        return Answer(texts=texts, is_error=result.is_error)

    def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool, and take its answer as it is."""
        return self._runner.run(self.ask(tool, arguments))

    def told(self, tool: str, **arguments: Any) -> Any:
        """The JSON of an answer that is no error."""
        answer = self.call(tool, **arguments)
        assert not answer.is_error, answer.texts
        return answer.data

    def refused(self, tool: str, **arguments: Any) -> str:
        """The text of an answer that is an error."""
        answer = self.call(tool, **arguments)
        assert answer.is_error, answer.texts
        assert "Traceback" not in answer.texts[0]
        return answer.texts[0]

    def complains(self, tool: str, arguments: dict[str, Any], name: str) -> None:
        """The answer to a call is a refusal that names an argument, what was expected and an example, and is short."""
        text = self.refused(tool, **arguments)
        assert name in text
        assert "expected" in text
        assert "for example" in text
        assert "pydantic" not in text
        assert len(text) < 1_024

    def held(self, tool: str, **arguments: Any) -> Any:
        """The notice of an answer that is held."""
        notice = self.told(tool, **arguments)
        assert notice["type"] == "buffered_response"
        return notice

    def follow(self, call: dict[str, Any]) -> Answer:
        """Make a call that an answer has named."""
        return self.call(call["tool"], **call["arguments"])
