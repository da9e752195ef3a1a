"""The links between notes, as Obsidian has it: by a path, or by a name in the same folder, or nearest to the top."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vault_server.catalog import Catalog, File
    from vault_server.index import Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link: ``path`` is that of the file it leads to, or what is written if there is none. Two links to the same
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
    """All links of a catalog."""

    def __init__(self, catalog: Catalog, index: Index) -> None:
        self._catalog, self._index = catalog, index

    def resolved(self, target: str, source: str = "") -> str | None:
        """Return the path of the file that a link leads to: by its path, its path from the note that it stands in, or
        its name."""
        wanted = _bare(target.strip().strip("/"))
        for path in _whole_paths(wanted, source.rpartition("/")[0].lower()):
            found = self._by_ending.get(path)
            if found is not None and _bare(found) == path:
                return found
        return self._by_ending.get(wanted)

    def outgoing(self, file: File) -> list[Link]:
        """Return the links that are written in a note, each once, with the path of the file that it leads to, if there
        is one."""
        return [*dict.fromkeys(self._link(one, file.path) for one in self._links_of(file))]

    def incoming(self, path: str) -> list[str]:
        """Return the paths of the notes that link to a file."""
        return self._incoming.get(path, [])

    def naming(self, target: str) -> list[str]:
        """Return the paths of the notes with a link that is written so and leads to no file."""
        wanted = _bare(target.partition("#")[0].strip())
        return [
            source.path
            for source in self._catalog.notes
            if any(_bare(name.partition("#")[0].strip()) == wanted for name, _, _ in self._links_of(source))
        ]

    def _links_of(self, file: File) -> list[list[Any]]:
        return _decoded(self._written.get(file.id))

    def _link(self, written: list[Any], source: str) -> Link:
        target, display, embed = written
        name, _, subpath = target.partition("#")
        path = self.resolved(name, source) if name.strip() else source
        return Link(path=path or name.strip(), display=display, subpath=subpath or None, embed=embed)

    @cached_property
    def _written(self) -> dict[int, bytes]:
        """Return the links of each note as the index has them, by the number of the note."""
        return self._index.column("links")

    @cached_property
    def _by_ending(self) -> dict[str, str]:
        """Return the file that each path stands for, whole or without its first folders. If several files end so, it is
        the one nearest to the top."""
        endings: dict[str, str] = {}
        for path in sorted(self._catalog.by_path, key=lambda path: (path.count("/"), path)):
            ending = _bare(path)
            while ending:
                endings.setdefault(ending, path)
                ending = ending.partition("/")[2]
        return endings

    @cached_property
    def _incoming(self) -> dict[str, list[str]]:
        """Return the notes that link to each file."""
        sources: dict[str, dict[str, None]] = {}
        for source in self._catalog.notes:
            for target, _, _ in self._links_of(source):
                name = target.partition("#")[0]
                if name.strip() and (path := self.resolved(name, source.path)) is not None:
                    sources.setdefault(path, {})[source.path] = None
        return {path: [*linking] for path, linking in sources.items()}


def _decoded(links: bytes | None) -> list[list[Any]]:
    return msgspec.json.decode(links) if links else []


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
