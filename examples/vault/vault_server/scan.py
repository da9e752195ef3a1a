"""The files as they lie in the folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vault_server.files import File
from vault_server.paths import is_shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def scan(folder: Path) -> Iterator[File]:
    """Yield every file of the vault, a folder at a time, as it is known before it is read.

    Links are not followed: what they lead to has a name of its own in the vault, or is outside of it.
    """
    below = [(str(folder), "")]
    while below:
        place, inside = below.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:  # gone, or not ours to read
            continue
        for entry in entries:
            if not is_shown(entry.name):
                continue
            path = inside + entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    below.append((entry.path, f"{path}/"))
                elif entry.is_file(follow_symlinks=False):
                    yield unread(path, entry.stat(follow_symlinks=False))
            except OSError:  # gone since the folder was read
                continue


def unread(path: str, stat: os.stat_result) -> File:
    """Return a file of which only its name, size and times are known."""
    return File(id=0, path=path, size=stat.st_size, mtime_ns=stat.st_mtime_ns, ctime_ns=stat.st_ctime_ns, is_note=False)
