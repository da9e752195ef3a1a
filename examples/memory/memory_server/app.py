"""The command line, and the server put together."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_data_path

from memory_server.database import Database
from memory_server.folder import Folder
from memory_server.library import Library
from memory_server.sample import make_folder
from memory_server.settings import SHIPPED, Settings, load_settings
from memory_server.tools import Parts, add_tools
from penstock import ConfigError, PenstockError
from penstock.middleware.fastmcp import PenstockMiddleware
from server_parts.complaints import Complaints
from server_parts.sample import kept_sample

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIG = SHIPPED


def build(library: Library, folder: Folder, settings: Settings) -> FastMCP[Any]:
    """Build the server for a folder and what sessions have stored."""
    mcp: FastMCP[Any] = FastMCP(
        "memory", instructions="Ask context_aware_retrieve before a task; store_chunks what should be known later."
    )
    add_tools(mcp, Parts(library=library, folder=folder, defaults=settings.defaults))
    mcp.add_middleware(Complaints(mcp))
    mcp.add_middleware(PenstockMiddleware(config=settings.penstock))
    return mcp


def chosen(folder: Path | None, data: Path) -> Path:
    """Return the folder that was named, or the sample."""
    if folder is None:
        folder = kept_sample(data, make_folder)
    if not folder.is_dir():
        raise ConfigError(f"{folder}: expected a folder of texts", do="name one, or none for the sample")
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a memory over standard input and output."""
    parser = argparse.ArgumentParser(prog="server.py", description=main.__doc__)
    parser.add_argument(
        "folder", nargs="?", type=Path, help="texts that every session sees (default: a sample is made)"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="where memory.sqlite and the sample are kept")
    parser.add_argument("--config", type=Path, metavar="FILE", default=CONFIG, help="settings (default: penstock.toml)")
    options = parser.parse_args(arguments)
    logging.getLogger("fastmcp").setLevel(logging.ERROR)  # a client shows a server's stderr to its user
    data = options.data or user_data_path("penstock-memory", appauthor=False)
    try:
        settings = load_settings(options.config)
        root = chosen(options.folder, data)
        database = Database(data / "memory.sqlite")
    except (PenstockError, OSError) as error:
        print(f"memory: {error}", file=sys.stderr)  # noqa: T201
        return 2
    folder = Folder(database, root, refresh_seconds=settings.defaults.refresh_seconds)
    try:
        build(Library(database), folder, settings).run(show_banner=False)
    except KeyboardInterrupt:
        return 130
    finally:
        database.close()
    return 0
