"""The command line, and the server put together."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_data_path

from memory_server.database import Database
from memory_server.folder import Folder
from memory_server.library import Library
from memory_server.settings import SHIPPED, Settings, load_settings
from memory_server.tools import Parts, add_tools
from penstock.middleware.fastmcp import PenstockMiddleware
from server_parts.complaints import Complaints
from server_parts.start import command_line, serve

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence


def build(library: Library, folder: Folder, settings: Settings) -> FastMCP[Any]:
    """Build the server for a folder and what sessions have stored."""
    mcp: FastMCP[Any] = FastMCP(
        "memory", instructions="Ask context_aware_retrieve before a task; store_chunks what should be known later."
    )
    add_tools(mcp, Parts(library=library, folder=folder, defaults=settings.defaults))
    mcp.add_middleware(Complaints(mcp))
    mcp.add_middleware(PenstockMiddleware(config=settings.penstock))
    return mcp


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[FastMCP[Any]]:
    """Open what the command line names."""
    settings = load_settings(options.config)
    data = options.data or user_data_path("penstock-memory", appauthor=False)
    with closing(Database(data / "memory.sqlite")) as database:
        folder = Folder(database, options.folder, refresh_seconds=settings.defaults.refresh_seconds)
        yield build(Library(database), folder, settings)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a memory."""
    parser = command_line("a memory", "texts that every session sees", config=SHIPPED, data="memory.sqlite")
    return serve("memory", parser, opened, arguments)
