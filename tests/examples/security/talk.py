"""A conversation with the server, through FastMCP's client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER: Final = Path(__file__).resolve().parents[3] / "examples" / "security"
FETCH: Final = "fetch_cached_response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer: its texts, and whether it is an error."""

    texts: list[str]
    is_error: bool

    @property
    def size(self) -> int:
        """The bytes of all texts."""
        return sum(len(text.encode()) for text in self.texts)


class Talk:
    """A server, and a client that talks with it."""

    def __init__(self, options: Sequence[str], *, cwd: Path) -> None:
        command = [str(FOLDER / "server.py"), *options]
        transport = StdioTransport(sys.executable, command, cwd=str(cwd), keep_alive=False)
        self.client: Client[StdioTransport] = Client(transport)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self.run(self.client.__aenter__())  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        self.run(self.client.__aexit__(None, None, None))  # type: ignore[no-untyped-call]
        self._runner.close()

    def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool, and take its answer as it is."""
        result = self.run(self.client.call_tool(tool, arguments, raise_on_error=False))
        texts = [block.text for block in result.content if block.type == "text"]
        return Answer(texts=texts, is_error=result.is_error)

    def told(self, tool: str, **arguments: Any) -> Any:
        """The JSON of an answer that is no error."""
        answer = self.call(tool, **arguments)
        assert not answer.is_error, answer.texts
        return json.loads(answer.texts[0])

    def refused(self, tool: str, **arguments: Any) -> str:
        """The text of an answer that is an error."""
        answer = self.call(tool, **arguments)
        assert answer.is_error, answer.texts
        assert "Traceback" not in answer.texts[0]
        return answer.texts[0]

    def run(self, asked: Any) -> Any:
        """Wait for something that the client does."""
        return self._runner.run(asked)
