"""Writes the files that scripts make, or checks that they are as they would be made now."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def write_or_check(made: dict[Path, str], arguments: Sequence[str], *, script: str, description: str | None) -> int:
    """Write the text of each file, or with ``--check`` only name those that differ: then the exit code is 1."""
    parser = argparse.ArgumentParser(prog=f"python -m scripts.{script}", description=description)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file differs")
    if parser.parse_args(arguments).check:
        stale = [path.name for path, text in made.items() if not path.is_file() or path.read_text("utf-8") != text]
        if stale:
            sys.stderr.write(f"not as they would be made now: {', '.join(stale)}; run python -m scripts.{script}\n")
        return bool(stale)
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return 0
