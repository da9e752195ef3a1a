"""A conversation with the server, through FastMCP's client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport

from penstock import count

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER: Final = Path(__file__).resolve().parents[3] / "examples" / "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer: its texts, and whether it is an error."""

    texts: list[str]
    is_error: bool

    @property
    def tokens(self) -> int:
        """What it costs a model to read, by the upper bound."""
        return sum(count(text).upper for text in self.texts)

    @property
    def data(self) -> Any:
        """The first text, read as JSON."""
        return json.loads(self.texts[0])


class Talk:
    """A server, and a client that talks with it: over pipes with a process, or with a server in this one."""

    def __init__(
        self, options: Sequence[str] = (), *, cwd: Path | None = None, server: FastMCP[Any] | None = None
    ) -> None:
        command = [str(FOLDER / "server.py"), *options]
        pipes = StdioTransport(sys.executable, command, cwd=str(cwd), keep_alive=False)
        self.client: Client[Any] = Client(pipes if server is None else server)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self._runner.run(self.client.__aenter__())  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        self._runner.run(self.client.__aexit__(None, None, None))  # type: ignore[no-untyped-call]
        self._runner.close()

    def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool, and take its answer as it is."""
        return self._runner.run(self._ask(tool, arguments))

    async def _ask(self, tool: str, arguments: dict[str, Any]) -> Answer:
        result = await self.client.call_tool(tool, arguments, raise_on_error=False)
        texts = [block.text for block in result.content if block.type == "text"]
        return Answer(texts=texts, is_error=result.is_error)

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

    def follow(self, call: dict[str, Any]) -> Answer:
        """Make a call that an answer has named."""
        return self.call(call["tool"], **call["arguments"])

    def together(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Answer]:
        """Make calls at once, and give their answers in the same order."""

        async def make() -> list[Answer]:
            return await asyncio.gather(*(self._ask(tool, arguments) for tool, arguments in calls))

        return self._runner.run(make())

    def tools(self) -> dict[str, Any]:
        """The tools that are listed, by their names, in order."""
        return {tool.name: tool for tool in self._runner.run(self.client.list_tools())}
