"""Starts an example's server, or says in one line what to install."""

from __future__ import annotations

import importlib
import sys
from typing import Final

INSTALL: Final = "pip install -e '.[fastmcp]' --group examples"  # in a clone of the repository; pip 25.1 or later


def start(name: str) -> int:
    """Run the server of an example, and return its exit code; 2 where a package that it needs is missing."""
    try:
        app = importlib.import_module(f"{name}_server.app")
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{name}: the package {error.name} is not installed; in the repository run: {INSTALL}\n")
        return 2
    code: int = app.main()
    return code
