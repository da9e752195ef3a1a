"""The files of a vault: their names, sizes, times and tags, in memory and never changed. A refresh makes a new catalog.

Titles, fields and texts are in the index only.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from server_parts.paths import has_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


class File(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One file. ``is_note``: it has text to search in. ``id``: its number in the index, 0 before it is there."""

    id: int
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0
    is_note: bool
    tags: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Return the folder it is in; empty at the top."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Return its name without folder and suffix."""
        name = self.path.rpartition("/")[2]
        return name.rpartition(".")[0] or name

    def known(self, front: bytes, wrong: str = "", **also: object) -> bytes:
        """Encode what queries see of a file as JSON: names as Obsidian's REST interface has them."""
        stat = {"ctime": self.ctime_ns // 1_000_000, "mtime": self.mtime_ns // 1_000_000, "size": self.size}
        data = {"path": self.path, "frontmatter": msgspec.Raw(front), "tags": self.tags, "stat": stat, **also}
        return msgspec.json.encode({**data, "frontmatterError": wrong} if wrong else data)


class Catalog:
    """All files in the order of their paths."""

    def __init__(self, files: Iterable[File] = ()) -> None:
        self.files = sorted(files, key=lambda file: file.path)
        self.by_path = {file.path: file for file in self.files}

    @cached_property
    def by_id(self) -> dict[int, File]:
        """Return the files by their numbers in the index."""
        return {file.id: file for file in self.files}

    @property
    def notes(self) -> Iterator[File]:
        """Yield the files that queries look at."""
        return (file for file in self.files if file.is_note)

    def under(self, folder: str) -> list[File]:
        """Return the files in a folder and in those inside it; all files for an empty name."""
        return [file for file in self.files if file.path.startswith(f"{folder}/")] if folder else self.files

    def named(self, folded: str) -> list[File]:
        """Return the files that have a folded text in their name."""
        return [file for file in self.files if folded in fold(file.path.rpartition("/")[2])]

    def folders(self) -> dict[str, int]:
        """Count the files in every folder and below it."""
        counts = Counter[str]()
        for file in self.files:
            folder = file.folder
            while folder:
                counts[folder] += 1
                folder = folder.rpartition("/")[0]
        return dict(sorted(counts.items()))

    def tags(self) -> dict[str, int]:
        """Count the notes of every tag, the most used first."""
        return counted(Counter(tag for file in self.files for tag in file.tags))

    def spelled_as(self, path: str) -> str | None:
        """Return the one path that is the same text in another form of Unicode: macOS writes é as two characters."""
        wanted = unicodedata.normalize("NFC", path)
        files = [] if path.isascii() else self.files
        matches = [file.path for file in files if unicodedata.normalize("NFC", file.path) == wanted]
        return matches[0] if len(matches) == 1 else None

    def alike(self, name: str) -> list[str]:
        """Suggest up to three paths that may have been meant: the same name in another case, spelling or folder."""
        wanted = _stem(name)
        return [file.path for file in self.files if _stem(file.path) == wanted][:3]


def scan(folder: Path) -> Iterator[File]:
    """Yield every file of the vault as it is known before it is read.

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


def is_shown(name: str) -> bool:
    """Return True if the entry of a folder belongs to the vault: not hidden, and with a name that can be located."""
    return not name.startswith(".") and ((name.isascii() and name.isprintable()) or not has_unseen(name))


def unread(path: str, stat: os.stat_result) -> File:
    """Return a file of which only its name, size and times are known."""
    return File(id=0, path=path, size=stat.st_size, mtime_ns=stat.st_mtime_ns, ctime_ns=stat.st_ctime_ns, is_note=False)


def fold(text: str) -> str:
    """Lower a text for comparing: as many characters as before, so that positions hold."""
    low = text.lower()
    if len(low) != len(text):  # one letter has two characters in lower case
        low = "".join(one if len(one := char.lower()) == 1 else char for char in text)
    return low.replace("ς", "σ")


def counted(names: Counter[str]) -> dict[str, int]:
    """Sort names by their numbers, the most used first."""
    return dict(sorted(names.items(), key=lambda pair: (-pair[1], pair[0])))


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return unicodedata.normalize("NFC", name.rpartition(".")[0] or name).casefold()
