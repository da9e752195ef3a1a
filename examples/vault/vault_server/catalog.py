"""The facts about every file, in memory and never changed: a refresh makes a new catalog and leaves the old one alone.

A file costs two hundred bytes here. Its title, its fields and its text stay in the index until a query looks at them.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

from vault_server.files import File, Files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from vault_server.globs import Glob

T = TypeVar("T")
AHEAD: Final = 500  # files that are read at once: few enough to be forgotten again, and many enough to be quick
MOST_PARTS: Final = 200  # of these that are kept; of fifty thousand files they are 10 MB


class Details(msgspec.Struct, frozen=True, gc=False):
    """The part of a file that is only in the index: its title, its fields as JSON, and why front matter could not be
    read."""

    title: str = ""
    front: bytes = b"{}"
    inline: bytes | None = None
    wrong: str = ""

    @property
    def frontmatter(self) -> dict[str, Any]:
        """Return its front matter."""
        fields: dict[str, Any] = msgspec.json.decode(self.front)
        return fields

    @property
    def fields(self) -> dict[str, Any]:
        """Return front matter, and the fields in its text where front matter has none of that name."""
        return {**msgspec.json.decode(self.inline), **self.frontmatter} if self.inline else self.frontmatter

    def known(self, file: File, **also: Any) -> bytes:
        """Encode what queries see of a file as JSON: names as Obsidian's REST interface has them."""
        stat = {"ctime": file.ctime_ns // 1_000_000, "mtime": file.mtime_ns // 1_000_000, "size": file.size}
        data = {"path": file.path, "frontmatter": msgspec.Raw(self.front), "tags": file.tags, "stat": stat, **also}
        return msgspec.json.encode({**data, "frontmatterError": self.wrong} if self.wrong else data)


@dataclass(frozen=True)
class Catalog:
    """All files in the order of their paths."""

    files: Files = field(default_factory=Files)

    @classmethod
    def of(cls, files: Iterable[File]) -> Catalog:
        """Build a catalog of files in whatever order they come."""
        return cls(files=Files(files))

    def numbered(self, number: int) -> File | None:
        """Return the file that has a number in the index; None where it is gone."""
        place = self.files.place_of(number)
        return None if place is None else self.files[place]

    def under(self, folder: str) -> slice:
        """Return the places of the files in a folder and in those inside it; all files for an empty name."""
        if not folder:
            return slice(len(self.files))
        paths = self.files.paths
        end = f"{folder}0"  # 0 comes right behind the slash
        return slice(bisect_left(paths, f"{folder}/"), bisect_left(paths, end))

    def matching(self, folder: str, pattern: Glob | None) -> list[str]:
        """Return the paths in a folder that have a pattern."""
        paths = self.files.paths[self.under(folder)]
        return paths if pattern is None else pattern.among(paths)

    def named(self, folded: str) -> list[int]:
        """Return the places of the files that have a folded text in their name."""
        paths = self.files.paths
        if folded not in fold("\n".join(paths)):  # mostly; all at once is ten times as quick
            return []
        return [place for place, path in enumerate(paths) if folded in fold(path.rpartition("/")[2])]

    def folders(self) -> dict[str, int]:
        """Count the files in every folder and below it."""
        counts: dict[str, int] = {}
        for folder, number in Counter(path.rpartition("/")[0] for path in self.files.paths).items():
            parts = folder.split("/") if folder else []
            for depth in range(len(parts)):
                name = "/".join(parts[: depth + 1])
                counts[name] = counts.get(name, 0) + number
        return dict(sorted(counts.items()))

    def tags(self) -> dict[str, int]:
        """Count the notes of every tag, the most used first."""
        return counted(Counter(tag for tags in self.files.tags for tag in tags))

    def spelled_as(self, path: str) -> str | None:
        """Return the one path that is the same text in another form of Unicode: macOS writes é as two characters."""
        wanted = unicodedata.normalize("NFC", path)
        paths = [] if path.isascii() else self.files.paths
        matches = [one for one in paths if unicodedata.normalize("NFC", one) == wanted]
        return matches[0] if len(matches) == 1 else None

    def alike(self, name: str) -> list[str]:
        """Suggest up to three paths that may have been meant: the same name in another case, spelling or folder."""
        wanted = _stem(name)
        return [path for path in self.files.paths if _stem(path) == wanted][:3]


def fold(text: str) -> str:
    """Lower a text for comparing: as many characters as before, so that positions hold."""
    low = text.lower()
    if len(low) != len(text):  # one letter has two characters in lower case
        low = "".join(one if len(one := char.lower()) == 1 else char for char in text)
    return low.replace("ς", "σ")


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return unicodedata.normalize("NFC", name.rpartition(".")[0] or name).casefold()


def counted(names: Counter[str]) -> dict[str, int]:
    """Sort names by their numbers, the most used first."""
    return dict(sorted(names.items(), key=lambda pair: (-pair[1], pair[0])))


class Ahead(Generic[T]):
    """Reads what the index has of files, for one and for those around it at once: a query mostly goes through all. What
    a query goes through again, as groups do, is kept in packed form until its end."""

    def __init__(self, catalog: Catalog, load: Callable[[list[int]], dict[int, T]], kind: Any) -> None:
        self._ids, self._load = catalog.files.ids, load
        self._unpacked = msgspec.msgpack.Decoder(list[kind | None])
        self._number, self._part = -1, list[T | None]()
        self._packed: dict[int, bytes] = {}

    def get(self, place: int) -> T | None:
        """Return what there is of the file at a place; None where there is nothing."""
        start, part = self.around(place)
        return part[place - start]

    def around(self, place: int) -> tuple[int, list[T | None]]:
        """Return the files that are read together with the one at a place, and the place of the first of them."""
        number = place // AHEAD
        if number != self._number:
            self._part = self._read(number)
            self._number = number
        return number * AHEAD, self._part

    def _read(self, number: int) -> list[T | None]:
        packed = self._packed.get(number)
        if packed is not None:
            part: list[T | None] = self._unpacked.decode(packed)
            return part
        ids = list(self._ids[number * AHEAD : (number + 1) * AHEAD])
        known = self._load(ids)
        part = [known.get(one) for one in ids]
        if number < self._number or self._packed:  # the query has begun anew
            if len(self._packed) >= MOST_PARTS:
                self._packed.clear()
            self._packed[number] = msgspec.msgpack.encode(part)
        return part
