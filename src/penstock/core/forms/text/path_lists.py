"""Lists of paths, one on a line (``find``, ``git ls-files``, ``rg --files``, ``dir /s /b``), and ``ls -R``: names below
headings with their folder.

A list is one of paths when all begin at a root (``/``, ``./``, ``C:\\``), or when nearly all have a folder or an
extension, few have blanks, and extensions recur: names of packages, addresses and types of media have no such endings.
See listing_rows for the table. ``is_dir`` is known only where folders are marked by a separator at their end.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise, repeat
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import ParserForm, Words
from penstock.core.forms.listing_rows import SPARE, UNFIT, EntriesParser
from penstock.core.forms.path_counts import FILE_ENDING, containing, extensions_of, separator_of
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.forms.api import Batch, Columns, Options, Sample, Tables

LEAST: Final = 5  # paths; fewer lines may be anything
LEAST_NESTED: Final = 2  # folders of ``ls -R`` that lie in others
LONGEST: Final = 4_096  # characters of a path, as Linux has it
COMMON: Final = 5  # files for one extension, on average, not counting
FEW: Final = 20  # so many: they recur
COLONS: Final = 10  # one name in so many may have a colon: else the colon parts the path from something
DOUBTFUL: Final = {"rooted": 2, "relative": 10}  # one path in so many may look like something else
_ROOT = re.compile(r"\.{0,2}/(?!/)|~/|[A-Za-z]:[\\/]|\\\\(?=\w)|\.$")
# What begins and ends like a path, and has no mark of code or markup in it.
_PLAIN = re.compile(r"(?![-#*+!?&(])[^\s<>|\"={};\x00-\x1f]++(?: [^\s<>|\"={};\x00-\x1f]++)*+")

_NO_NAMES = re.compile(r"/|  ")  # in a folder; two blanks stand between names that share a line


def recognise(sample: Sample) -> Options | None:
    """Return True if the lines are paths, or names below headings."""
    lines = sample.lines
    if len(lines) < LEAST or max(map(len, lines)) > LONGEST:
        return None
    head = [line for line in sample.head if line]
    options = _recognise_paths(lines)
    if options is not None and options["style"] == "relative":  # paths that recur are those of something else
        options = options if len(set(head)) * UNFIT >= len(head) * (UNFIT - 1) else None
    if options is not None and len(set(head)) * 2 >= len(head):
        return options
    return _recognise_names(sample)


def _recognise_names(sample: Sample) -> Options | None:
    """Return True if all blocks have headings, and what stands below them are names."""
    starts = [
        line for run in (sample.head, *sample.runs) for before, line in pairwise(("x", *run)) if line and not before
    ]
    names = [line for line in sample.lines if not line.endswith(":")]
    odd = sum(_NO_NAMES.search(name) is not None for name in names)
    if not sample.head[0].endswith(":") or not starts or (odd - SPARE) * UNFIT > len(names):
        return None
    fits = (sum(not line.endswith(":") for line in starts) - SPARE) * UNFIT <= len(starts)
    return {"style": "names", "separator": "/"} if fits else None


def _recognise_paths(lines: list[str]) -> Options | None:
    if any("://" in line for line in lines):
        return None
    separator = separator_of(lines)
    names = [line.rstrip(separator).rpartition(separator)[2] for line in lines]
    if sum(":" in name for name in names) * COLONS > len(lines):
        return None
    roots = [match[0] for match in map(_ROOT.match, lines) if match]
    if (len(lines) - len(roots) - SPARE) * UNFIT <= len(lines):
        style = "rooted"
        fits = sum(" " in name for name in names) * DOUBTFUL[style] <= len(lines)
    else:
        style = "relative"
        fits = _are_relative(lines, extensions_of(names), separator)
    marked = any(line.endswith(separator) for line in lines)
    options: Options = {"style": style, "separator": separator, "marked": marked, "roots": sorted(set(roots))}
    return options if fits else None


def _are_relative(lines: list[str], endings: list[str], separator: str) -> bool:
    """Return True if lines that begin at no root are paths: by what they have of folders and extensions."""
    plain = sum(_PLAIN.fullmatch(line) is not None for line in lines)
    if (len(lines) - plain - SPARE) * UNFIT > len(lines):
        return False
    if _doubtful(lines, endings, separator) * DOUBTFUL["relative"] > len(lines):
        return False
    if sum(separator in line for line in lines) * 2 < len(lines):
        return sum(FILE_ENDING.fullmatch(ending) is not None for ending in endings) * 10 > len(lines) * 9
    different = Counter(filter(None, endings))
    return different.total() * 5 >= len(lines) * 2 and len(different) * COMMON <= different.total() + FEW


def _doubtful(lines: Sequence[str], endings: Sequence[str | None], separator: str) -> int:
    """Count how many lines have a blank in them, or neither a folder nor an extension."""
    pairs = zip(lines, endings, strict=True)
    return sum(" " in line or not (ending or separator in line) for line, ending in pairs)


def parser(options: Options) -> PathsParser | NamesParser:
    make = NamesParser if options["style"] == "names" else PathsParser
    return make(options=options, separator=options["separator"])


@dataclass(slots=True, kw_only=True)
class PathsParser(EntriesParser):
    """Paths, one on a line."""

    nouns: dict[str, str] = field(default_factory=lambda: {"items": "paths"})
    doubtful: int = 0
    colons: int = 0  # names with a colon

    def holds(self) -> bool:
        is_odd = self.doubtful * DOUBTFUL[self.options["style"]] > self.count or self.colons * COLONS > self.count
        return EntriesParser.holds(self) and not is_odd

    def read(self, lines: list[str]) -> Batch:
        roots = tuple(self.options["roots"]) if self.options["style"] == "rooted" else ""
        numbers, paths = list(range(self.seen + 1, self.seen + 1 + len(lines))), lines
        if not all(lines) or max(map(len, lines)) > LONGEST or not all(map(str.startswith, lines, repeat(roots))):
            fits = [line.startswith(roots) and 0 < len(line) <= LONGEST for line in lines]
            for number, line, fit in zip(numbers, lines, fits, strict=True):
                if not fit and line and not line.isspace():
                    self.note(number, line)
            numbers, paths = list(compress(numbers, fits)), list(compress(lines, fits))
        return {"items": self._columns(numbers, paths)} if numbers else {}

    def _columns(self, numbers: list[int], paths: list[str]) -> Columns:
        separator = self.separator
        kinds = ["folder" if path.endswith(separator) else "file" for path in paths] if self.options["marked"] else []
        bare = [path.rstrip(separator) or path for path in paths] if kinds else paths
        more: Columns = {"is_dir": [kind == "folder" for kind in kinds]} if kinds else {}
        columns = self.take(numbers, bare, more, kinds)
        if self.options["style"] == "relative":
            self.doubtful += _doubtful(paths, columns.get("extension", [None] * len(paths)), separator)
        else:
            self.doubtful += containing(columns["name"], " ")
        self.colons += containing(columns["name"], ":")
        return columns


@dataclass(slots=True, kw_only=True)
class NamesParser(EntriesParser):
    """The blocks of ``ls -R``: each folder lies in one that was listed before, under a name that was listed there."""

    nouns: dict[str, str] = field(default_factory=lambda: {"items": "names"})
    noun: str = "name"
    recent: set[str] = field(default_factory=set)  # paths of the batch
    headings: int = 0
    roots: int = 0  # headings that lie in no folder listed before
    folder: str | None = None  # of the heading above
    empty: bool = True  # the line before was blank, or there was none

    def holds(self) -> bool:
        nested = self.headings - self.roots
        return EntriesParser.holds(self) and nested >= LEAST_NESTED and self.roots * 2 <= nested + 2

    def read(self, lines: list[str]) -> Batch:
        numbers: list[int] = []
        paths: list[str] = []
        self.recent = set()
        blanks = [at for at, line in enumerate(lines) if not line]
        for start, end in pairwise([-1, *blanks, len(lines)]):
            if end > start + 1:
                self._block(lines, range(start + 1, end), numbers, paths)
            self.empty = self.empty or end < len(lines)
        return {"items": self.take(numbers, paths, {})} if numbers else {}

    def _block(self, lines: list[str], places: range, numbers: list[int], paths: list[str]) -> None:
        """Take a block, or the rest of one: a heading, unless it was before, and names."""
        if self.empty:
            self._open(lines[places[0]])
            if self.folder is None:
                self.note(self.seen + 1 + places[0], lines[places[0]])
            places = places[1:]
        fitting: Iterable[int] = places
        if self.folder is None or _NO_NAMES.search("\n".join(lines[places.start : places.stop])):
            odd = {at for at in places if self.folder is None or _NO_NAMES.search(lines[at])}
            for at in sorted(odd):
                self.note(self.seen + 1 + at, lines[at])
            fitting = [at for at in places if at not in odd]
        inside = [f"{self.folder}{lines[at]}" for at in fitting]
        self.recent.update(inside)
        numbers += [self.seen + 1 + at for at in fitting]
        paths += inside

    def _open(self, line: str) -> None:
        """Begin a block with the heading of its folder. Whether it was listed is known while names are kept."""
        self.empty = False
        folder = line.removesuffix(":")
        if len(folder) == len(line):
            self.folder = None
            return
        known = self.paths
        self.roots += known is not None and folder not in known and folder not in self.recent
        self.headings += 1
        self.folder = folder.rstrip("/") + "/"

    def words(self, tables: Tables) -> Words:
        words = EntriesParser.words(self, tables)
        nested = self.headings - self.roots
        fact = f"{counted(nested, 'folder')} with a block of their own, {counted(self.count - nested, 'other')}"
        return replace(words, facts=(fact, *words.facts[1:]))


FORM: Final = ParserForm(name="paths", title="a list of paths", looks_like=recognise, make=parser, is_costly=True)
