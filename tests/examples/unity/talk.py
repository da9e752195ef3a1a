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
    from collections.abc import Iterator, Sequence

FOLDER: Final = Path(__file__).resolve().parents[3] / "examples" / "unity"
FETCH: Final = "fetch_cached_response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer: its texts, and whether it is an error."""

    texts: list[str]
    is_error: bool

    @property
    def data(self) -> Any:
        """The first text, read as JSON."""
        return json.loads(self.texts[0])


class Talk:
    """A server, and a client that talks with it."""

    def __init__(self, options: Sequence[str], *, cwd: Path) -> None:
        command = [str(FOLDER / "server.py"), *options]
        transport = StdioTransport(sys.executable, command, cwd=str(cwd), keep_alive=False)
        self.client: Client[StdioTransport] = Client(transport)
        self._runner = asyncio.Runner()
        self.seen: list[Answer] = []

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self._runner.run(self.client.__aenter__())  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        self._runner.run(self.client.__aexit__(None, None, None))  # type: ignore[no-untyped-call]
        self._runner.close()

    def tools(self) -> list[Any]:
        """The tools that the server lists."""
        return list(self._runner.run(self.client.list_tools()))

    def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool, and take its answer as it is."""
        result = self._runner.run(self.client.call_tool(tool, arguments, raise_on_error=False))
        texts = [block.text for block in result.content if block.type == "text"]
        answer = Answer(texts=texts, is_error=result.is_error)
        self.seen.append(answer)
        return answer

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

    def held(self, tool: str, **arguments: Any) -> Any:
        """The notice of an answer that is held."""
        notice = self.told(tool, **arguments)
        assert notice["type"] == "buffered_response"
        return notice

    def filtered(self, handle: str, jq_filter: str, **also: Any) -> Any:
        """What a filter of a held answer gives."""
        return self.told(FETCH, cache_id=handle, action="filter", jq_filter=jq_filter, **also)

    def pages(self, handle: str, **also: Any) -> Iterator[Any]:
        """All pages of a held answer."""
        page = 1
        while True:
            told = self.told(FETCH, cache_id=handle, action="get_page", page=page, **also)
            yield told
            if not told["_pagination"]["has_more"]:
                return
            page += 1
