"""The links between notes, as Obsidian has it: by a path, or by a name in the same folder, or nearest to the top."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, partial
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
        wanted = target.strip().strip("/").lower().removesuffix(".md")
        folder = source.rpartition("/")[0].lower()
        near = normpath(f"{folder}/{wanted}").lstrip("/") if "/" in wanted else wanted
        bare_names = {place: self._bare(place) for place in self._named(near.rpartition("/")[2])}
        if "/" in wanted:
            for path in (wanted, near):
                if (place := next((place for place, bare in bare_names.items() if bare == path), None)) is not None:
                    return place
        places = [place for place, bare in bare_names.items() if f"/{bare}".endswith(f"/{wanted}")]
        return min(places, key=partial(self._nearness, folder)) if places else None

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

    def _link(self, written: list[Any], source: str) -> Link:
        target, display, embed = written
        name, _, subpath = target.partition("#")
        place = self._resolved(name, source) if name.strip() else self._catalog.files.place(source)
        path = name.strip() if place is None else self._catalog.files.paths[place]
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
        """Return the hashes of all names in order, and the places of the files: a dictionary would be ten times as
        large."""
        pairs = sorted((hash(self._bare(place).rpartition("/")[2]), place) for place in range(len(self._catalog.files)))
        return array("q", [one for one, _ in pairs]), array("L", [place for _, place in pairs])

    def _bare(self, place: int) -> str:
        return self._catalog.files.paths[place].lower().removesuffix(".md")

    def _nearness(self, folder: str, place: int) -> tuple[bool, int, str]:
        """Make a key for choosing among files of one name: the one in the note's own folder, else the one nearest to
        the top."""
        path = self._catalog.files.paths[place]
        return path.rpartition("/")[0].lower() != folder, path.count("/"), path

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
