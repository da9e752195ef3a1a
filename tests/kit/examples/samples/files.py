"""Write the files of a sample to a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_files(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write texts, by their paths, to a folder."""
    for path, text in files:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
