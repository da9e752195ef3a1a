"""Which note links to which, as Obsidian has it: by a path, or by a name in the same folder, or nearest to the top."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, partial
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from vault_server.catalog import Ahead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vault_server.catalog import Catalog, File
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
        """As it is written in a note."""
        place = self.path.removesuffix(".md") + (f"#{self.subpath}" if self.subpath else "")
        return f"{'!' if self.embed else ''}[[{place}{f'|{self.display}' if self.display else ''}]]"


class Links:
    """All links of a catalog. They are numbers in two arrays: fifty thousand notes have some megabytes of them."""

    def __init__(self, catalog: Catalog, index: Index) -> None:
        self._catalog, self._index = catalog, index
        self._ahead = Ahead(catalog, index.links_of)

    def resolved(self, target: str, source: str = "") -> File | None:
        """The file that a link's target leads to: its path, its path from the note it stands in, or its name."""
        wanted = target.strip().strip("/").lower().removesuffix(".md")
        folder = source.rpartition("/")[0].lower()
        near = normpath(f"{folder}/{wanted}").lstrip("/") if "/" in wanted else wanted
        found = {place: self._bare(place) for place in self._named(near.rpartition("/")[2])}
        if "/" in wanted:
            for path in (wanted, near):
                if (place := next((place for place, bare in found.items() if bare == path), None)) is not None:
                    return self._catalog.files[place]
        places = [place for place, bare in found.items() if f"/{bare}".endswith(f"/{wanted}")]
        return self._catalog.files[min(places, key=partial(self._nearness, folder))] if places else None

    def outgoing(self, file: File) -> list[Link]:
        """The links of a note, each once, with the path of the note that it leads to where there is one."""
        written = self._ahead.get(file) or []
        return [*dict.fromkeys(self._link(one, file.path) for one in written)]

    def incoming(self, file: File) -> list[str]:
        """The paths of the notes that link to a file."""
        place = self._catalog.by_path.get(file.path)
        targets, sources = self._incoming
        if place is None:
            return []
        low, high = bisect_left(targets, place), bisect_left(targets, place + 1)
        return [self._catalog.files[source].path for source in sources[low:high]]

    def _link(self, written: list[Any], source: str) -> Link:
        target, display, embed = written
        name, _, subpath = target.partition("#")
        file = self.resolved(name, source) if name.strip() else self._catalog.files[self._catalog.by_path[source]]
        path = name.strip() if file is None else file.path
        return Link(path=path, display=display, subpath=subpath or None, embed=embed)

    def _named(self, name: str) -> Iterator[int]:
        """Yield the places of the files of a name, a note's without its suffix."""
        hashes, places = self._names
        at = bisect_left(hashes, wanted := hash(name))
        while at < len(hashes) and hashes[at] == wanted:
            if self._bare(places[at]).rpartition("/")[2] == name:
                yield places[at]
            at += 1

    @cached_property
    def _names(self) -> tuple[array[int], array[int]]:
        """The hashes of all names in order, and the places of the files: a dictionary would be ten times as large."""
        pairs = sorted((hash(self._bare(place).rpartition("/")[2]), place) for place in range(len(self._catalog.files)))
        return array("q", [one for one, _ in pairs]), array("L", [place for _, place in pairs])

    def _bare(self, place: int) -> str:
        return self._catalog.files[place].path.lower().removesuffix(".md")

    def _nearness(self, folder: str, place: int) -> tuple[bool, int, str]:
        """For choosing among files of one name: the one in the note's own folder, else the one nearest to the top."""
        path = self._catalog.files[place].path
        return path.rpartition("/")[0].lower() != folder, path.count("/"), path

    @cached_property
    def _incoming(self) -> tuple[array[int], array[int]]:
        """The places of targets and of their sources, in the order of the targets; each pair once."""
        pairs: set[int] = set()
        count = len(self._catalog.files)
        for number, written in self._index.links():
            file = self._catalog.by_id.get(number)
            if file is None:
                continue
            source = self._catalog.by_path[file.path]
            for target, _, _ in written:
                name = target.partition("#")[0]
                found = self.resolved(name, file.path) if name.strip() else None
                if found is not None:
                    pairs.add(self._catalog.by_path[found.path] * count + source)
        ordered = sorted(pairs)
        return array("L", [pair // count for pair in ordered]), array("L", [pair % count for pair in ordered])
