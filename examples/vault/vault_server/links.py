"""The links between notes, as Obsidian has it: by a path, or by a name in the same folder, or nearest to the top."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vault_server.catalog import Catalog
    from vault_server.index import Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link: ``path`` is that of the file it leads to, or what is written where there is none. Two links to the same
    place are equal, whatever they show."""

    path: str
    subpath: str | None = None
    display: str | None = field(default=None, compare=False)
    embed: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        """Write the link as it stands in a note."""
        place = self.path.removesuffix(".md") + (f"#{self.subpath}" if self.subpath else "")
        return f"{'!' if self.embed else ''}[[{place}{f'|{self.display}' if self.display else ''}]]"


class Links:
    """All links of a catalog. They are numbers in two arrays: fifty thousand notes have some megabytes of them."""

    def __init__(self, catalog: Catalog, index: Index) -> None:
        self._catalog, self._index = catalog, index

    def resolved(self, target: str, source: str = "") -> str | None:
        """Return the path of the file that a link's target leads to."""
        place = self._resolved(target, source)
        return None if place is None else self._catalog.files.paths[place]

    def _resolved(self, target: str, source: str) -> int | None:
        """Return the place of the file: by its path, its path from the note that the link stands in, or its name."""
        wanted = _bare(target.strip().strip("/"))
        for path in _whole_paths(wanted, source.rpartition("/")[0].lower()):
            place = self._by_ending.get(path)
            if place is not None and _bare(self._catalog.files.paths[place]) == path:
                return place
        return self._by_ending.get(wanted)

    @cached_property
    def _by_ending(self) -> dict[str, int]:
        """Return the place of the file that each path stands for, whole or without its first folders: where several
        files end so, the one nearest to the top."""
        paths = self._catalog.files.paths
        endings: dict[str, int] = {}
        for place in sorted(range(len(paths)), key=lambda place: (paths[place].count("/"), paths[place])):
            ending = _bare(paths[place])
            while ending:
                endings.setdefault(ending, place)
                ending = ending.partition("/")[2]
        return endings

    def outgoing(self, place: int, written: list[list[Any]]) -> list[Link]:
        """Return the links that are written in a note, each once, with the path of the file that it leads to where
        there is one."""
        source = self._catalog.files.paths[place]
        return [*dict.fromkeys(self._link(one, source) for one in written)]

    def incoming(self, place: int) -> list[str]:
        """Return the paths of the notes that link to a file."""
        targets, sources = self._incoming
        low, high = bisect_left(targets, place), bisect_left(targets, place + 1)
        return [self._catalog.files.paths[source] for source in sources[low:high]]

    def naming(self, target: str) -> list[str]:
        """Return the paths of the notes with a link that is written so and leads to no file."""
        files, wanted = self._catalog.files, _bare(target.partition("#")[0].strip())
        sources = (
            files.place_of(number)
            for number, written in self._index.links()
            if any(_bare(name.partition("#")[0].strip()) == wanted for name, _, _ in written)
        )
        return [files.paths[source] for source in sources if source is not None]

    def _link(self, written: list[Any], source: str) -> Link:
        target, display, embed = written
        name, _, subpath = target.partition("#")
        place = self._resolved(name, source) if name.strip() else self._catalog.files.place(source)
        path = name.strip() if place is None else self._catalog.files.paths[place]
        return Link(path=path, display=display, subpath=subpath or None, embed=embed)

    @cached_property
    def _incoming(self) -> tuple[array[int], array[int]]:
        """Return the places of targets and of their sources, in the order of the targets; each pair once."""
        pairs: set[int] = set()
        files = self._catalog.files
        count = len(files)
        for number, written in self._index.links():
            source = files.place_of(number)
            if source is None:
                continue
            for target, _, _ in written:
                name = target.partition("#")[0]
                place = self._resolved(name, files.paths[source]) if name.strip() else None
                if place is not None:
                    pairs.add(place * count + source)
        ordered = sorted(pairs)
        return array("L", [pair // count for pair in ordered]), array("L", [pair % count for pair in ordered])


def _whole_paths(wanted: str, folder: str) -> Iterator[str]:
    """Yield the paths that a link in a note of a folder may mean, the likeliest first."""
    if "/" in wanted:
        yield wanted
        yield normpath(f"{folder}/{wanted}").lstrip("/")
    beside = f"{folder}/{wanted.rpartition('/')[2]}".lstrip("/")
    if f"/{beside}".endswith(f"/{wanted}"):
        yield beside


def _bare(path: str) -> str:
    """Return a path as links are compared: in lower case, a note's without its suffix."""
    return path.lower().removesuffix(".md")
