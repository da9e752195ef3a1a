"""The command line, and the server put together."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_cache_path

from penstock import ConfigError, PenstockError, load
from penstock.middleware.fastmcp import PenstockMiddleware
from server_parts.complaints import Complaints
from server_parts.sample import kept_sample
from unity_server.project import Project
from unity_server.sample import make_project
from unity_server.tools import Parts, add_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def open_parts(folder: Path | None, log: Path | None, data: Path | None) -> Parts:
    """Open the project at a folder, or the sample project, with the log of its editor."""
    if folder is None:
        data = user_cache_path("penstock-unity", appauthor=False) if data is None else data
        folder = kept_sample(data, make_project)
    project = Project(folder)
    if log is not None and not log.is_file():
        raise ConfigError(f"{log}: expected the log of an editor", do="name an Editor.log")
    return Parts(project=project, log=log or find_log(project.folder))


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
    """Serve a Unity project over standard input and output."""
    parser = argparse.ArgumentParser(prog="server.py", description=main.__doc__)
    parser.add_argument("project", nargs="?", type=Path, help="the project's folder (default: a sample is made)")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="the Editor.log (default: the project's, or the user's)"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the sample project is kept")
    parser.add_argument("--config", type=Path, metavar="FILE", default=CONFIG, help="settings (default: penstock.toml)")
    options = parser.parse_args(arguments)
    logging.getLogger("fastmcp").setLevel(logging.ERROR)  # a client shows a server's stderr to its user
    try:
        penstock = PenstockMiddleware(config=load(options.config))
        parts = open_parts(options.project, options.log, options.data)
    except (PenstockError, OSError) as error:
        print(f"unity: {error}", file=sys.stderr)  # noqa: T201
        return 2
    try:
        build(parts, penstock).run(show_banner=False)
    except KeyboardInterrupt:
        return 130
    return 0
