"""The command line, and the server put together."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP

from penstock import ConfigError, load
from penstock.middleware.fastmcp import PenstockMiddleware
from server_parts.complaints import Complaints
from server_parts.start import command_line, serve
from unity_server.project import Project
from unity_server.tools import Parts, add_tools

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

CONFIG = Path(__file__).resolve().parents[1] / "penstock.toml"


def build(parts: Parts, penstock: PenstockMiddleware) -> FastMCP[Any]:
    """Build the server for a project."""
    mcp: FastMCP[Any] = FastMCP(
        "unity",
        instructions="The scenes and the console of a Unity project. Start with manage_scene get_info.",
    )
    add_tools(mcp, parts)
    mcp.add_middleware(Complaints(mcp))
    mcp.add_middleware(penstock)
    return mcp


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[FastMCP[Any]]:
    """Open the project that the command line names, with the log of its editor."""
    if options.log is not None and not options.log.is_file():
        raise ConfigError(f"{options.log}: expected the log of an editor", do="name an Editor.log")
    project = Project(options.folder)
    parts = Parts(project=project, log=options.log or find_log(project.folder))
    yield build(parts, PenstockMiddleware(config=load(options.config)))


def find_log(folder: Path) -> Path:
    """Find the log in the project, where ``-logFile Logs/Editor.log`` puts it; else where editors write theirs."""
    places = [folder / "Logs" / "Editor.log"]
    if sys.platform == "win32":
        places.append(Path(os.environ.get("LOCALAPPDATA", "")) / "Unity" / "Editor" / "Editor.log")
    elif sys.platform == "darwin":
        places.append(Path.home() / "Library" / "Logs" / "Unity" / "Editor.log")
    else:
        places.append(Path.home() / ".config" / "unity3d" / "Editor.log")
    return next((place for place in places if place.is_file()), places[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a Unity project."""
    parser = command_line("a Unity project", "the project's folder", config=CONFIG)
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="the Editor.log (default: the project's, or the user's)"
    )
    return serve("unity", parser, opened, arguments)
