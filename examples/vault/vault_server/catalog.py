"""What is known of every file, in memory and never changed: a refresh makes a new catalog and leaves the old one alone.

The text of all notes lies in one piece, in lower case, so that a search for any substring is one pass over memory.
"""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vault_server.globs import Glob

BETWEEN: Final = b"\xff"
RANKED: Final = 5_000  # files that are put in an order; who finds more has asked for too common a text


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file. ``data`` is what queries see of it; ``is_note`` says that it has text to search in."""

    id: int
    path: str
    size: int
    mtime_ns: int
    is_note: bool
    title: str = ""
    tags: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> str:
        """The folder it is in; empty at the top."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True)
class Catalog:
    """All files in the order of their paths, and the folded text of each."""

    files: tuple[File, ...] = ()
    text: bytes = b""
    starts: Sequence[int] = ()  # where the text of each file begins, and where the last one ends

    @classmethod
    def of(cls, pairs: Iterable[tuple[File, bytes]]) -> Catalog:
        """A catalog of files with their folded text, in whatever order they come."""
        ordered = sorted(pairs, key=lambda pair: pair[0].path)
        starts, at = array("Q", [0]), 0
        for _, text in ordered:
            at += len(text) + 1
            starts.append(at)
        # A byte that no text has stands between two notes, so that nothing is found across them.
        whole = b"".join([text + BETWEEN for _, text in ordered])
        return cls(files=tuple(file for file, _ in ordered), text=whole, starts=starts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each file as it is searched."""
        return tuple(fold(file.path.rpartition("/")[2]) for file in self.files)

    @cached_property
    def by_path(self) -> dict[str, int]:
        """The place of each path."""
        return {file.path: place for place, file in enumerate(self.files)}

    def folded(self, place: int) -> bytes:
        """The text of one file as it is searched."""
        return self.text[self.starts[place] : self.starts[place + 1] - 1]

    def under(self, folder: str) -> Sequence[File]:
        """The files in a folder and in those inside of it; all files for an empty name."""
        if not folder:
            return self.files
        low = bisect_left(self.files, f"{folder}/", key=lambda file: file.path)
        high = bisect_left(self.files, f"{folder}0", key=lambda file: file.path)  # 0 comes right behind the slash
        return self.files[low:high]

    def matching(self, folder: str, pattern: Glob | None) -> list[str]:
        """The paths in a folder that have a pattern."""
        paths = [file.path for file in self.under(folder)]
        return paths if pattern is None else pattern.among(paths)

    def containing(self, text: str) -> list[File]:
        """The files that have a text in their words or their name.

        Those with it in their name come first, then those with the most of it; where more than ``RANKED`` have it, that
        says nothing any more, and they are in the order of their paths.
        """
        wanted = fold(text)
        needle = wanted.encode("utf-8", "surrogatepass")
        named = [place for place, name in enumerate(self.names) if wanted in name]
        first, found = set(named), self._places(needle)
        rest = [place for place in found if place not in first]
        if len(found) <= RANKED:
            counts = {place: self.text.count(needle, self.starts[place], self.starts[place + 1]) for place in found}
            named.sort(key=lambda place: -counts.get(place, 0))
            rest.sort(key=lambda place: -counts[place])
        return [self.files[place] for place in (*named, *rest)]

    def _places(self, needle: bytes) -> list[int]:
        """The files whose text has the needle."""
        find, starts, found, at, place = self.text.find, self.starts, [], 0, 0
        while (at := find(needle, at)) >= 0:
            if at >= starts[place + 1]:  # not in this file, nor in the next one: look where it is
                place = bisect_right(starts, at, place + 1) - 1
            found.append(place)
            place += 1
            at = starts[place]
        return found

    def folders(self) -> dict[str, int]:
        """Every folder with the number of files in it and below it."""
        counts: dict[str, int] = {}
        for folder, number in Counter(file.folder for file in self.files).items():
            parts = folder.split("/") if folder else []
            for depth in range(len(parts)):
                name = "/".join(parts[: depth + 1])
                counts[name] = counts.get(name, 0) + number
        return dict(sorted(counts.items()))

    def tags(self) -> dict[str, int]:
        """Every tag with the number of notes that have it, the most used first."""
        return _counted(tag for file in self.files for tag in file.tags)

    def fields(self) -> dict[str, int]:
        """Every field of front matter with the number of notes that have it, the most used first."""
        return _counted(name for file in self.files for name in file.data.get("frontmatter", ()))

    def spelled_as(self, path: str) -> str | None:
        """Return the one path that is the same text in another form of Unicode: macOS writes é as two characters."""
        wanted = unicodedata.normalize("NFC", path)
        found = [] if path.isascii() else [one for one in self.by_path if unicodedata.normalize("NFC", one) == wanted]
        return found[0] if len(found) == 1 else None

    def alike(self, name: str) -> list[str]:
        """Up to three paths that may have been meant: the same name in another case, spelling or folder."""
        wanted = _stem(name)
        return [file.path for file in self.files if _stem(file.path) == wanted][:3]


def fold(text: str) -> str:
    """Text for comparing: lower case, and as many characters as before, so that positions hold."""
    low = text.lower()
    if len(low) != len(text):  # one letter has two characters in lower case
        low = "".join(one if len(one := char.lower()) == 1 else char for char in text)
    return low.replace("ς", "σ")


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return unicodedata.normalize("NFC", name.rpartition(".")[0] or name).casefold()


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))
