"""The command line of an example's server: its options, its start and its end."""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock import ConfigError, PenstockError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from fastmcp import FastMCP

INSTALL: Final = "pip install -e '.[fastmcp]' --group examples"  # in a clone of the repository; pip 25.1 or later


def start(name: str) -> int:
    """Run the server of an example, and return its exit code; 2 if a package that it needs is missing."""
    try:
        app = importlib.import_module(f"{name}_server.app")
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{name}: the package {error.name} is not installed; in the repository run: {INSTALL}\n")
        return 2
    code: int = app.main()
    return code


def command_line(serves: str, folder: str, *, config: Path | None, data: str = "") -> argparse.ArgumentParser:
    """Return the options that every server has. ``data`` describes the files that a server keeps, if it keeps any."""
    parser = argparse.ArgumentParser(prog="server.py", description=f"Serve {serves} over standard input and output.")
    parser.add_argument("folder", type=Path, help=folder)
    if data:
        parser.add_argument("--data", type=Path, metavar="DIR", help=f"the folder for {data}")
    parser.add_argument("--config", type=Path, metavar="FILE", default=config, help="a settings file of your own")
    return parser


def serve(
    name: str,
    parser: argparse.ArgumentParser,
    opened: Callable[[argparse.Namespace], AbstractContextManager[FastMCP[Any]]],
    arguments: Sequence[str] | None,
) -> int:
    """Serve until the client ends, and return the exit code. A mistake in the options is one line, and code 2."""
    options = parser.parse_args(arguments)
    for logger in ("fastmcp", "pygls"):  # a client shows a server's stderr to its user
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    with ExitStack() as closing:
        try:
            if not options.folder.is_dir():
                raise ConfigError(f"{options.folder}: expected a folder", do="name one that is there")
            server = closing.enter_context(opened(options))
        except (PenstockError, OSError) as error:
            sys.stderr.write(f"{name}: {error}\n")
            return 2
        try:
            server.run(show_banner=False)
        except KeyboardInterrupt:
            return 130
    return 0
