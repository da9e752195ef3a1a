"""The command line, and the server put together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_cache_path

from penstock.middleware.fastmcp import PenstockMiddleware
from security_server.paths import Root
from security_server.process import end_on_sigterm
from security_server.results import Results
from security_server.scans import Scans
from security_server.seen import Seen
from security_server.settings import PROJECT, SHIPPED, Settings, load_settings
from security_server.tools import Parts, add_tools
from server_parts.complaints import Complaints
from server_parts.start import command_line, serve

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

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


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[FastMCP[Any]]:
    """Open what the command line names. Without ``--config`` the scanned folder's own limits count."""
    root = Root.at(options.folder, "allowed folder")
    own = root.folder / PROJECT
    project = own if options.config is None and own.is_file() else None
    settings = load_settings(options.config or SHIPPED, project)
    data = options.data or user_cache_path("penstock-security", appauthor=False)
    server = build(root, settings, seen=Seen(data / "seen.db"))
    end_on_sigterm()
    yield server


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve security scans of a folder."""
    parser = command_line("security scans", "what may be scanned", config=None, data="the times of findings")
    return serve("security", parser, opened, arguments)
