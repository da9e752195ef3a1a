"""The command line, and the server put together."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_cache_path

from code_server import complaints
from code_server.buffering import Buffering
from code_server.folder import Folder
from code_server.language import Languages
from code_server.references import References
from code_server.sample import make_sample
from code_server.settings import SHIPPED, Settings, load_settings
from code_server.tools import add_tools
from penstock import ConfigError, PenstockError
from server_parts.complaints import Complaints
from server_parts.sample import kept_sample

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

CONFIG = SHIPPED


def build(folder: Folder, settings: Settings, now: Callable[[], float] = time.time) -> FastMCP[Any]:
    """Build the server for a folder. Its language servers end with it."""
    languages, searches = Languages(folder, settings.language), References(folder)

    @asynccontextmanager
    async def lifespan(server: FastMCP[Any]) -> AsyncIterator[None]:
        await server.list_tools()  # Penstock sees their arguments, and suggests narrower calls also to who never lists
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
    mcp.add_middleware(Complaints(mcp, complaints.lines))
    mcp.add_middleware(Buffering(settings.penstock, now))
    return mcp


def open_folder(root: Path | None, data: Path | None) -> Folder:
    """Return the folder that was named, or the sample, which is made once."""
    if root is None:
        data = user_cache_path("penstock-code", appauthor=False) if data is None else data
        root = kept_sample(data, make_sample)
    if not root.is_dir():
        raise ConfigError(f"{root}: expected a folder of code", do="name one, or none for the sample")
    return Folder(root=root.resolve())


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a folder of code over standard input and output."""
    parser = argparse.ArgumentParser(prog="server.py", description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="the folder of code (default: a sample is made)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the sample is kept")
    parser.add_argument("--config", type=Path, metavar="FILE", default=CONFIG, help="settings (default: buffer.toml)")
    options = parser.parse_args(arguments)
    for name in ("fastmcp", "pygls"):  # a client shows a server's stderr to its user
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        server = build(open_folder(options.folder, options.data), load_settings(options.config))
    except (PenstockError, OSError) as error:
        print(f"code: {error}", file=sys.stderr)  # noqa: T201
        return 2
    try:
        server.run(show_banner=False)
    except KeyboardInterrupt:
        return 130
    return 0
