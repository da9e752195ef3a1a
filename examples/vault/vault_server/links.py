"""Which note links to which, as Obsidian has it: by a path, or by a name in the same folder, or nearest to the top."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, partial
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from vault_server.catalog import Ahead
from vault_server.notes import SUFFIXES

if TYPE_CHECKING:
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
        if "/" in wanted:
            near = normpath(f"{folder}/{wanted}").lstrip("/")
            for path in (wanted, near):
                for suffix in ("", *SUFFIXES):
                    if (place := self._by_path.get(path + suffix)) is not None:
                        return self._catalog.files[place]
        ending = f"/{wanted}"
        places = self._by_name.get(wanted.rpartition("/")[2], ())
        if len(places) > 1 or "/" in wanted:
            places = [place for place in places if f"/{self._bare(place)}".endswith(ending)]
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

    @cached_property
    def _by_path(self) -> dict[str, int]:
        return {file.path.lower(): place for place, file in enumerate(self._catalog.files)}

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The places of each name, a note's without its suffix."""
        found: dict[str, list[int]] = {}
        for place in range(len(self._catalog.files)):
            found.setdefault(self._bare(place).rpartition("/")[2], []).append(place)
        return found

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
