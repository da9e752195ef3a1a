"""Check ``constraints.txt`` for known advisories with pip-audit.

    python scripts/audit.py

pip-audit is no dependency of Penstock (``pip install pip-audit``), and asks an advisory service over the network; it
has no data of its own. Exit code 0: asked, and nothing is known; 1: an advisory was found; 2: could not be checked,
which says nothing about the packages.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

CONSTRAINTS: Final = Path(__file__).resolve().parents[1] / "constraints.txt"
SECONDS: Final = 300  # for some 150 requests
CANNOT: Final = 2
UNKNOWN: Final = "could not be audited"  # what pip-audit says of a package that its service does not know


def unpinned(text: str) -> list[str]:
    """Return the lines that do not name one version, which no advisory can be looked up for."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line and not re.match(r"[\w.\-\[\],]+==[\w.!+\-]+(\s*;.*)?$", line)]


def main() -> int:
    loose = unpinned(CONSTRAINTS.read_text("utf-8"))
    if loose:
        print(f"not checked: these name no version: {', '.join(loose)}")
        return CANNOT
    if importlib.util.find_spec("pip_audit") is None:
        print("not checked: pip-audit is not installed; pip install pip-audit")
        return CANNOT
    # Strict: what the service does not know is not passed over in silence.
    options = ["--strict", "--no-deps", "--disable-pip"]
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(CONSTRAINTS), *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"not checked: the advisory service gave no answer within {SECONDS} s")
        return CANNOT
    print(done.stdout, end="")
    if UNKNOWN in done.stdout + done.stderr:
        print("not checked: the advisory service does not know these packages; it may not be the real one")
        return CANNOT
    if done.returncode == 0:
        return 0
    if "vulnerabilit" in done.stderr:  # pip-audit exits with 1 for advisories and for its own failures alike
        print(done.stderr, end="")
        return 1
    last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    print(f"not checked: pip-audit failed: {last}")
    return CANNOT


if __name__ == "__main__":
    sys.exit(main())
