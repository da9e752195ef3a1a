"""A conversation with the server, through FastMCP's client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp_types import Implementation

from penstock import count

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER: Final = Path(__file__).resolve().parents[3] / "examples" / "memory"
_PAGE: Final = re.compile(r"^\*\*Page\*\*: (\d+) of (\d+) \(Total items: (\d+)\)$", re.MULTILINE)
_BUDGET: Final = re.compile(r"^\*\*Token Budget\*\*: (\d+) \(Estimated: (\d+)\)$", re.MULTILINE)
_ITEM: Final = re.compile(r"^### (c\d+)|^- (c\d+ .+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the text of an answer says of itself."""

    text: str

    @property
    def header(self) -> str:
        return self.text.partition("\n\n")[0]

    @property
    def page(self) -> tuple[int, int, int]:
        """The number of the page, of all pages and of all items."""
        found = _PAGE.search(self.header)
        assert found, self.header
        return int(found[1]), int(found[2]), int(found[3])

    @property
    def budget(self) -> tuple[int, int]:
        """The budget and the estimate."""
        found = _BUDGET.search(self.header)
        assert found, self.header
        return int(found[1]), int(found[2])

    @property
    def items(self) -> list[str]:
        """The chunks and the relationships, by their names."""
        return [one or other for one, other in _ITEM.findall(self.text)]

    @property
    def is_cut(self) -> bool:
        return "⚠️ **Content was truncated to fit token limits**" in self.header

    @property
    def tokens(self) -> int:
        return count(self.text).upper


class Talk:
    """A server, and a client that talks with it."""

    def __init__(self, options: Sequence[str], *, cwd: Path) -> None:
        command = [str(FOLDER / "server.py"), *options]
        transport = StdioTransport(sys.executable, command, cwd=str(cwd), keep_alive=False)
        # The client with the tightest limits of those that the budgets are made for: nothing may be held from it.
        name = Implementation(name="claude-code", version="2.0.0")
        self.client: Client[StdioTransport] = Client(transport, client_info=name)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self.run(self.client.__aenter__())  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        self.run(self.client.__aexit__(None, None, None))  # type: ignore[no-untyped-call]
        self._runner.close()

    def call(self, tool: str, **arguments: Any) -> tuple[list[str], bool]:
        """Call a tool: the texts of its answer, and whether it is an error."""
        result = self.run(self.client.call_tool(tool, arguments, raise_on_error=False))
        return [block.text for block in result.content if block.type == "text"], result.is_error

    def page(self, session_id: str, current_task: str, **more: Any) -> Page:
        """A page of what memory has for a task; the answer keeps its budget."""
        texts, is_error = self.call("context_aware_retrieve", session_id=session_id, current_task=current_task, **more)
        assert not is_error, texts
        page = Page(text="\n".join(texts))
        assert page.tokens <= more.get("max_response_tokens", 20_000)
        return page

    def told(self, tool: str, **arguments: Any) -> Any:
        """The JSON of an answer that is no error."""
        texts, is_error = self.call(tool, **arguments)
        assert not is_error, texts
        return json.loads(texts[0])

    def refused(self, tool: str, **arguments: Any) -> str:
        """The text of an answer that is an error."""
        texts, is_error = self.call(tool, **arguments)
        assert is_error, texts
        assert "Traceback" not in texts[0]
        return texts[0]

    def run(self, asked: Any) -> Any:
        """Wait for something that the client does."""
        return self._runner.run(asked)
