"""The folder that a server makes when none is named: there whole or not at all, and made once."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


def kept_sample(data: Path, make: Callable[[Path], None]) -> Path:
    """Return the sample in the data folder, which is made on the first run."""
    folder = data / "sample"
    if not folder.exists():
        make(folder)
    return folder


def write_files(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write texts, by their paths, to a folder that is not there yet; it appears there whole or not at all."""
    with whole_or_not_at_all(folder) as unfinished:
        for path, text in files:
            file = unfinished / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())


@contextmanager
def whole_or_not_at_all(folder: Path) -> Iterator[Path]:
    """Give the path to write a folder at that is not there yet. It gets its name at the end, if no other process was
    faster."""
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    yield unfinished
    try:
        unfinished.rename(folder)
    except OSError:  # another process was faster
        if not folder.is_dir():
            raise
        shutil.rmtree(unfinished)
