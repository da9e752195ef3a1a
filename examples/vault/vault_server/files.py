"""The files of a vault in columns: fifty thousand of them are some megabytes, where as many objects would be thirty."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, overload

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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


class Files(Sequence[File]):
    """Files in the order of their paths. A ``File`` is made when it is asked for."""

    def __init__(self, files: Iterable[File] = ()) -> None:
        """Take files in whatever order they come, one at a time."""
        self.paths: list[str] = []
        self.ids, self.sizes, self.changed, self.created = (array("q") for _ in range(4))
        self.tags: list[tuple[str, ...]] = []
        self.notes = bytearray()
        for file in files:
            self.paths.append(file.path)
            self.ids.append(file.id)
            self.sizes.append(file.size)
            self.changed.append(file.mtime_ns)
            self.created.append(file.ctime_ns)
            self.notes.append(file.is_note)
            self.tags.append(file.tags)
        if any(before > path for before, path in pairwise(self.paths)):
            self._order(sorted(range(len(self.paths)), key=self.paths.__getitem__))

    def _order(self, places: list[int]) -> None:
        self.paths = [self.paths[place] for place in places]
        self.ids = array("q", [self.ids[place] for place in places])
        self.sizes = array("q", [self.sizes[place] for place in places])
        self.changed = array("q", [self.changed[place] for place in places])
        self.created = array("q", [self.created[place] for place in places])
        self.tags = [self.tags[place] for place in places]
        self.notes = bytearray(self.notes[place] for place in places)

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, place: int) -> File: ...
    @overload
    def __getitem__(self, place: slice) -> list[File]: ...
    def __getitem__(self, place: int | slice) -> File | list[File]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self.paths))[place]]
        return File(
            id=self.ids[place],
            path=self.paths[place],
            size=self.sizes[place],
            mtime_ns=self.changed[place],
            ctime_ns=self.created[place],
            is_note=bool(self.notes[place]),
            tags=self.tags[place],
        )

    def __iter__(self) -> Iterator[File]:
        return map(self.__getitem__, range(len(self.paths)))

    def place(self, path: str) -> int | None:
        """Return the place of a path; None where there is none."""
        at = bisect_left(self.paths, path)
        return at if at < len(self.paths) and self.paths[at] == path else None

    def place_of(self, number: int) -> int | None:
        """Return the place of the file that has a number in the index; None where none has."""
        numbers, places = self._by_number
        at = bisect_left(numbers, number)
        return places[at] if at < len(numbers) and numbers[at] == number else None

    def is_as(self, place: int, file: File) -> bool:
        """Return True if a file has the size and the time that are known of the one at a place."""
        return (self.sizes[place], self.changed[place]) == (file.size, file.mtime_ns)

    def where(self, marks: Iterable[int]) -> Iterator[File]:
        """Yield the files whose mark is not 0."""
        return (self[place] for place, mark in enumerate(marks) if mark)

    @cached_property
    def _by_number(self) -> tuple[array[int], array[int]]:
        """Return the numbers in order, and the places of their files."""
        places = sorted(range(len(self.ids)), key=self.ids.__getitem__)
        return array("q", [self.ids[place] for place in places]), array("L", places)
