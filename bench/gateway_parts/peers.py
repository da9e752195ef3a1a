"""Other gateways from PyPI, each in an environment of its own, installed on first use."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from bench.gateway_parts.kit import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / ".bench"
# Exact versions: a figure is of use only beside the version it was measured with.
REQUIREMENTS = {
    # 4.1.3 and 4.1.4 ask for a certifi that the package index did not have when this was written.
    "fastmcp": "fastmcp==4.1.2",
    "jmunch": "jmunch-mcp==0.2.3",
    "compressor": "mcp-compressor==0.38.2",
    "tokenizer": "bpe-openai==0.1.4",
}
MINUTES = 10  # a first install downloads tens of megabytes


class NotInstalledError(Exception):
    """Why a peer could not be installed, in one line."""


def installed(name: str) -> Path:
    """The ``bin`` folder of a peer's environment."""
    requirement = REQUIREMENTS[name]
    place = FOLDER / name
    ready = place / "ready"
    if not ready.exists() or ready.read_text() != requirement:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / ".gitignore").write_text("*\n")
        print(f"installing {requirement} in {place}", file=sys.stderr)
        _done([sys.executable, "-m", "venv", "--clear", str(place)])
        _done([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", requirement])
        ready.write_text(requirement)
    return place / "bin"


def _done(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=60 * MINUTES)
    except subprocess.TimeoutExpired as error:
        raise NotInstalledError(f"not installed in {MINUTES} minutes") from error
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout or "no word why").strip().splitlines()
        raise NotInstalledError(f"not installed: {lines[-1][:200]}") from error
