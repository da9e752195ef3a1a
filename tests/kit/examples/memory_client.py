"""A conversation with the server, through FastMCP's client over standard input and output."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fastmcp import Client
from mcp_types import Implementation
from tests.kit.examples import client as talk
from tests.kit.examples.client import EXAMPLES, piped

from penstock import count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER: Final = EXAMPLES / "memory"
_PAGE: Final = re.compile(r"^\*\*Page\*\*: (\d+) of (\d+) \(Total items: (\d+)\)$", re.MULTILINE)
_BUDGET: Final = re.compile(r"^\*\*Token Budget\*\*: (\d+) \(Estimated: (\d+)\)$", re.MULTILINE)
_ITEM: Final = re.compile(r"^### (c\d+)\b|^- (c\d+ .+)$", re.MULTILINE)


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
        """The chunks that begin here and the relationships, by their names."""
        return [one or other for one, other in _ITEM.findall(self.text)]

    @property
    def is_cut(self) -> bool:
        return "⚠️ **Content was truncated to fit token limits**" in self.header

    @property
    def tokens(self) -> int:
        return count(self.text).upper


class Talk(talk.Talk):
    """A server, and a client that talks with it."""

    def __init__(self, options: Sequence[str], *, cwd: Path) -> None:
        # The client with the tightest limits of those that the budgets are made for: nothing may be held from it.
        name = Implementation(name="claude-code", version="2.0.0")
        super().__init__(Client(piped(FOLDER, options, cwd), client_info=name))

    def page(self, session_id: str, current_task: str, **more: Any) -> Page:
        """A page of what memory has for a task; the answer keeps its budget."""
        answer = self.call("context_aware_retrieve", session_id=session_id, current_task=current_task, **more)
        assert not answer.is_error, answer.texts
        page = Page(text="\n".join(answer.texts))
        assert page.tokens <= more.get("max_response_tokens", 20_000)
        return page
