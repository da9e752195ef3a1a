"""The command line, and the server put together."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP

from code_server.buffering import Buffering
from code_server.folder import Folder
from code_server.language import Languages
from code_server.references import References
from code_server.settings import SHIPPED, Settings, load_settings
from code_server.tools import add_tools
from server_parts.complaints import Complaints
from server_parts.start import command_line, serve

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence


def build(folder: Folder, settings: Settings, now: Callable[[], float] = time.time) -> FastMCP[Any]:
    """Build the server for a folder. Its language servers end with it."""
    languages, searches = Languages(folder, settings.language), References(folder)

    @asynccontextmanager
    async def lifespan(server: FastMCP[Any]) -> AsyncIterator[None]:
        await server.list_tools()  # Penstock then knows their arguments, also for a client that never lists them
        try:
            yield
        finally:
            await searches.close()
            await languages.close()

    mcp: FastMCP[Any] = FastMCP(
        "code",
        instructions="A folder of code. What is too large to show is buffered: refine the call, or read the buffer.",
        lifespan=lifespan,
    )
    add_tools(mcp, folder, languages, searches)
    mcp.add_middleware(Complaints(mcp))
    mcp.add_middleware(Buffering(settings.penstock, now))
    return mcp


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[FastMCP[Any]]:
    """Open what the command line names."""
    yield build(Folder(root=options.folder.resolve()), load_settings(options.config))


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a folder of code."""
    parser = command_line("a folder of code", "the folder of code", config=SHIPPED)
    return serve("code", parser, opened, arguments)
