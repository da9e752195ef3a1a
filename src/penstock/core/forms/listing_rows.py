"""Makes the table of entries of a listing of files, and its words: the same for every program that writes one.

Table ``items``: ``line``, ``path`` (the whole path, without a separator at its end), ``name``, ``folder`` (empty where
the path is only a name), ``extension`` (what follows the last dot of a file's name, if it is short and not a number),
and what the text has of ``size``, ``mode``, ``owner``, ``group_name``, ``modified``, ``is_dir``, ``target``, ``digest``
and ``count``. The parser does not guess what is a folder: only a mode, a mark or a separator at the end tells.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import Excerpt, Words
from penstock.core.forms.line_parser import LineParser, facts
from penstock.core.forms.path_counts import (
    MOST_PATHS,
    NO_EXTENSION,
    PathCounts,
    extension_fact,
    extensions_of,
    folder_fact,
)
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.forms.api import Columns, Tables

SPARE: Final = 2  # lines that any listing may have beside entries,
UNFIT: Final = 100  # and one in so many: what could not be opened
LARGEST: Final = 5  # entries told by their size
LONGEST_PATH: Final = 160  # characters of a path that is told
MOST_SHOWN: Final = 3  # lines shown that are no entries
KINDS: Final = {"-": "file", "d": "folder", "l": "link"}  # by the first character of the mode


@dataclass(slots=True, kw_only=True)
class EntriesParser(LineParser):
    """Takes the entries of a listing in. ``sizes`` names the column that counts something, ``noun`` an entry of which
    the text does not tell what it is."""

    separator: str = "/"
    sizes: str = "size"
    noun: str = "path"
    folders: PathCounts = field(default_factory=PathCounts)
    extensions: PathCounts = field(default_factory=PathCounts)
    kinds: Counter[str] = field(default_factory=Counter)  # where the text tells them
    paths: set[str] | None = field(default_factory=set)  # where it does not; None where they are too many to keep
    total: int = 0  # of the sizes of files
    inexact: bool = False  # some sizes are rounded, or missing
    largest: list[tuple[int, str]] = field(default_factory=list)
    newest: tuple[str, str, int] = ("", "", 0)  # the time, the first file of that time, and how many there are
    layouts: set[tuple[int, str]] = field(default_factory=set)  # lengths of times, and their offsets

    def holds(self) -> bool:
        return self.count > 0 and not self.exceeds(SPARE, UNFIT, self.seen)

    def take(
        self,
        numbers: list[int],
        paths: Sequence[str],
        more: Columns,
        kinds: Sequence[str] = (),
        parts: tuple[list[str], list[str]] | None = None,
    ) -> Columns:
        """Make the columns of entries: ``more`` are those that the text has beside the path, and ``kinds`` says of each
        whether it is a file, a folder, a link or something else, if the text does. ``parts`` are the folders and the
        names of the paths, where the text has these."""
        folders, names = parts or self._parted(paths)
        endings = extensions_of(names)
        files = list(map("folder".__ne__, kinds)) if kinds else [True] * len(paths)
        self.count += len(numbers)
        self.kinds.update({kind: kinds.count(kind) for kind in dict.fromkeys(kinds)})
        self.folders.add(compress(folders, files))
        self._note_extensions(Counter(compress(endings, files)))
        if not kinds:
            self._keep(paths)
        if self.sizes in more:
            self._note_sizes(more[self.sizes], paths, files)
        if "modified" in more:
            self._note_times(more["modified"], paths, files)
        extensions = [one if is_file and one else None for one, is_file in zip(endings, files, strict=True)]
        columns: Columns = {"line": numbers, "path": list(paths), "name": names, "folder": folders}
        return {**columns, **({"extension": extensions} if any(extensions) else {}), **more}

    def _parted(self, paths: Sequence[str]) -> tuple[list[str], list[str]]:
        heads, marks, names = zip(*[path.rpartition(self.separator) for path in paths], strict=True)
        folders = list(heads) if all(heads) else [head or mark for head, mark in zip(heads, marks, strict=True)]
        return folders, list(names)

    def _note_extensions(self, counts: Counter[str]) -> None:
        without = counts.pop("", 0)
        self.extensions.add(counts + Counter({NO_EXTENSION: without}))

    def _keep(self, paths: Sequence[str]) -> None:
        if self.paths is not None:
            self.paths.update(paths)
            if len(self.paths) > MOST_PATHS:
                self.paths = None

    def _note_sizes(self, sizes: list[Any], paths: Sequence[str], files: list[bool]) -> None:
        """Sum up the sizes of all but folders, and keep the largest."""
        known = files
        if set(map(type, sizes)) != {int}:
            known = [is_file and isinstance(size, int) for size, is_file in zip(sizes, files, strict=True)]
            self.inexact = self.inexact or sum(known) < sum(files)
        some = list(compress(sizes, known))
        self.total += sum(some)
        least = self.largest[-1][0] if len(self.largest) == LARGEST else -1
        if max(some, default=-1) > least:
            pairs = compress(zip(sizes, paths, strict=True), known)
            large = [pair for pair in pairs if pair[0] > least]
            self.largest = sorted([*self.largest, *large], key=lambda pair: -pair[0])[:LARGEST]

    def _note_times(self, times: list[str], paths: Sequence[str], files: list[bool]) -> None:
        """Keep the newest file, while all times are written alike: then the order of the texts is that of the times."""
        if times[0][4:5] != "-":  # the year does not come first
            return
        self.layouts |= {(len(time), time[-5:] if time[-5:-4] in "+-" else "") for time in set(times)}
        some = list(compress(times, files))
        newest = max(some, default="")
        if newest > self.newest[0]:
            self.newest = (newest, list(compress(paths, files))[some.index(newest)], 0)
        if newest == self.newest[0]:
            time, path, count = self.newest
            self.newest = (time, path, count + some.count(newest))

    def words(self, tables: Tables) -> Words:
        folders = len(self.folders.counts)
        if self.kinds:
            *first, last = [counted(amount, kind) for kind, amount in self.kinds.most_common()]
            what = f"a listing of {', '.join(first)}{' and ' if first else ''}{last}"
        else:
            what = f"a listing of {counted(self.count, self.noun)}"
        if self.folders.complete and folders > 1 and not self.kinds["folder"]:
            what += f" in {counted(folders, 'folder')}"
        different = len(self.paths) if self.paths and not self.kinds else self.count
        lines = [
            *facts((different < self.count, f"different paths: {different:,}")),
            *self._known_folders(),
            *self._sizes(tables),
            *folder_fact(self.folders.counts),
            *extension_fact(self.extensions.counts),
            *facts((self.unfit, f"no entries, and in no table: {counted(self.unfit, 'line')}")),
        ]
        notes = Excerpt.of("lines that are no entries", self.notes[:MOST_SHOWN])
        return Words(what=what, facts=tuple(lines), excerpts=notes)

    def _known_folders(self) -> list[str]:
        """Count how many of the paths are those of folders, which is known of those that others lie in."""
        if self.kinds or not self.paths or not self.folders.complete:
            return []
        holding = len(self.paths & self.folders.counts.keys())
        others = counted(len(self.paths) - holding, "file or empty folder", "files or empty folders")
        return [f"{counted(holding, 'folder')} that others lie in, {others}"] if holding else []

    def _sizes(self, tables: Tables) -> tuple[str, ...]:
        """Return the sum, the largest, and the newest, if the profile of the column found the same one to be the
        latest."""
        of = "files" if self.kinds["folder"] else "all"
        unit = " bytes" if self.sizes == "size" else ""
        largest = " · ".join(f"{plain(path, LONGEST_PATH)} {size:,}" for size, path in self.largest)
        time, path, count = self.newest
        modified = tables[0].field("modified")
        is_newest = modified and modified.column.is_time and len(self.layouts) == 1 and time
        newest = plain(path, LONGEST_PATH) if count == 1 else counted(count, "file")
        return facts(
            (self.largest and not self.inexact, f"{self.sizes} of {of}: {self.total:,}{unit}"),
            (self.largest, f"largest: {largest}"),
            (is_newest, f"newest: {newest} {time}"),
        )
