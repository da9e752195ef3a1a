"""A conversation with the server, through FastMCP's client over standard input and output."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from fastmcp import Client, FastMCP
from tests.kit.examples import client as talk
from tests.kit.examples.client import EXAMPLES, Answer, piped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER: Final = EXAMPLES / "code"


class Talk(talk.Talk):
    """A server, and a client that talks with it: over pipes with a process, or with a server in this one."""

    def __init__(
        self, options: Sequence[str] = (), *, cwd: Path = EXAMPLES, server: FastMCP[Any] | None = None
    ) -> None:
        super().__init__(Client(piped(FOLDER, options, cwd) if server is None else server))

    def references(self, **call: Any) -> Any:
        """All references: a busy machine tells some of them first."""
        told = self.told("get_references", **call)
        while "incomplete" in told:
            told = self.told("get_references", **call)
        return told

    def together(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Answer]:
        """Make calls at once, and give their answers in the same order."""

        async def make() -> list[Answer]:
            return await asyncio.gather(*(self.ask(tool, arguments) for tool, arguments in calls))

        return self._runner.run(make())
