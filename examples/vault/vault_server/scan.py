"""The files of the vault, as they lie in its folders now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from vault_server.paths import is_shown

if TYPE_CHECKING:
    from pathlib import Path


class Seen(NamedTuple):
    """A file as a scan of the folders finds it."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int


def scan(folder: Path) -> dict[str, Seen]:
    """Every file of the vault, by its path. Links are not followed: what they lead to has a name of its own in the
    vault, or is outside of it."""
    found: dict[str, Seen] = {}
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
                    stat = entry.stat(follow_symlinks=False)
                    found[path] = Seen(path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
            except OSError:  # gone since the folder was read
                continue
    return found
