"""What is known of every file, in memory and never changed: a refresh makes a new catalog and leaves the old one alone.

A file costs some hundred bytes here. Its title, its fields and its text stay in the index until a query looks at them.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from vault_server.globs import Glob

T = TypeVar("T")
AHEAD: Final = 500  # files that are read at once: few enough to be forgotten again, and many enough to be quick


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
        """The folder it is in; empty at the top."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name without folder and suffix."""
        name = self.path.rpartition("/")[2]
        return name.rpartition(".")[0] or name


class Details(msgspec.Struct, frozen=True, gc=False):
    """What the index has of a file beside: its title, its fields as JSON, and why front matter could not be read."""

    title: str = ""
    front: bytes = b"{}"
    inline: bytes | None = None
    wrong: str = ""

    @property
    def frontmatter(self) -> dict[str, Any]:
        """Its front matter."""
        fields: dict[str, Any] = msgspec.json.decode(self.front)
        return fields

    @property
    def fields(self) -> dict[str, Any]:
        """Front matter, and the fields in its text where front matter has none of that name."""
        return {**msgspec.json.decode(self.inline), **self.frontmatter} if self.inline else self.frontmatter

    def known(self, file: File, **also: Any) -> bytes:
        """What queries see of a file, as JSON: names as Obsidian's REST interface has them."""
        stat = {"ctime": file.ctime_ns // 1_000_000, "mtime": file.mtime_ns // 1_000_000, "size": file.size}
        data = {"path": file.path, "frontmatter": msgspec.Raw(self.front), "tags": file.tags, "stat": stat, **also}
        return msgspec.json.encode({**data, "frontmatterError": self.wrong} if self.wrong else data)


@dataclass(frozen=True)
class Catalog:
    """All files in the order of their paths."""

    files: tuple[File, ...] = ()

    @classmethod
    def of(cls, files: Iterable[File]) -> Catalog:
        """A catalog of files in whatever order they come."""
        return cls(files=tuple(sorted(files, key=lambda file: file.path)))

    @cached_property
    def by_path(self) -> dict[str, int]:
        """The place of each path."""
        return {file.path: place for place, file in enumerate(self.files)}

    @cached_property
    def by_id(self) -> dict[int, File]:
        """The file of each number in the index."""
        return {file.id: file for file in self.files}

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

    def named(self, folded: str) -> list[File]:
        """The files that have a folded text in their name."""
        return [file for file in self.files if folded in fold(file.path.rpartition("/")[2])]

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
        return counted(Counter(tag for file in self.files for tag in file.tags))

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


def counted(names: Counter[str]) -> dict[str, int]:
    """Names with their numbers, the most used first."""
    return dict(sorted(names.items(), key=lambda pair: (-pair[1], pair[0])))


class Ahead(Generic[T]):
    """Reads what the index has of files, for one and for those behind it at once: a query mostly goes through all."""

    def __init__(self, catalog: Catalog, load: Callable[[list[int]], dict[int, T]]) -> None:
        self._catalog, self._load = catalog, load
        self._known: dict[int, T | None] = {}

    def get(self, file: File) -> T | None:
        """What there is of a file; None where there is nothing."""
        if file.id not in self._known:
            place = self._catalog.by_path[file.path]
            numbers = [one.id for one in self._catalog.files[place : place + AHEAD]]
            self._known = {**dict.fromkeys(numbers), **self._load(numbers)}
        return self._known.get(file.id)
