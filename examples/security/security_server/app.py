"""The command line, and the server put together."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_cache_path

from penstock import ConfigError, PenstockError
from penstock.middleware.fastmcp import PenstockMiddleware
from security_server.paths import Root
from security_server.process import end_on_sigterm
from security_server.results import Results
from security_server.sample import make_project
from security_server.scans import Scans
from security_server.seen import Seen
from security_server.settings import PROJECT, SHIPPED, Settings, load_settings
from security_server.tools import Parts, add_tools
from server_parts.complaints import Complaints
from server_parts.sample import kept_sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from security_server.engines import Engine


def build(
    root: Root, settings: Settings, engines: Mapping[str, Engine] | None = None, seen: Seen | None = None
) -> FastMCP[Any]:
    """Return the server for a folder."""
    mcp: FastMCP[Any] = FastMCP(
        "security",
        instructions="Security scans of a folder. Counts are always of all findings; answers say what they hide.",
    )
    results = Results(mcp=settings.mcp, max_tokens=settings.penstock.rule_for("scan").max_tokens)
    scans = Scans(root, settings.engines if engines is None else engines, settings.scan, seen or Seen())
    add_tools(mcp, Parts(scans=scans, results=results, settings=settings))
    mcp.add_middleware(Complaints(mcp))
    mcp.add_middleware(PenstockMiddleware(config=settings.penstock))
    return mcp


def open_root(folder: Path | None, data: Path) -> Root:
    """Return the folder that may be scanned: the one that is named, or the sample project."""
    if folder is None:
        folder = kept_sample(data, make_project)
    if not folder.is_dir():
        raise ConfigError(f"{folder}: expected a folder", do="name one, or none for the sample project")
    return Root.at(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve security scans of a folder over standard input and output."""
    parser = argparse.ArgumentParser(prog="server.py", description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="what may be scanned (default: a sample project is made)")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="where the sample project and the times of findings are kept"
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help=f"settings (default: security.yaml, and {PROJECT} of the folder)"
    )
    options = parser.parse_args(arguments)
    logging.getLogger("fastmcp").setLevel(logging.ERROR)  # a client shows a server's stderr to its user
    try:
        data = options.data or user_cache_path("penstock-security", appauthor=False)
        root = open_root(options.folder, data)
        own = root.folder / PROJECT
        project = own if options.config is None and own.is_file() else None
        settings = load_settings(options.config or SHIPPED, project)
        server = build(root, settings, seen=Seen(data / "seen.db"))
    except (PenstockError, OSError) as error:
        print(f"security: {error}", file=sys.stderr)  # noqa: T201
        return 2
    end_on_sigterm()
    try:
        server.run(show_banner=False)
    except KeyboardInterrupt:
        return 130
    return 0
