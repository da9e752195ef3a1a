"""Output of grep and ripgrep, as mcp-ripgrep and shell servers return it. ``FORM``: every line names its file:
``path:line:text``, ``path:line:col:text``, context around the matches (``path-line-text`` and ``--``), and counts
(``path:count``). ``HEADINGS``: ``rg --heading`` (the path on a line of its own, then ``line:text``), and ``line:text``
of a search in one file.

Table ``items``: ``line``, ``file`` if the text has it, ``file_line``, ``col``, ``text``; of counts ``file`` and
``count``. Context is the table ``context``, without ``col``. Line numbers of one file do not fall: that, and names that
look like those of files, distinguish search output from logs, times of day and lists with colons.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import BATCH, LONGEST_LINE
from penstock.core.forms.engine import Style, StyleParser, line_form, sampled
from penstock.core.forms.file_places import FILE, NO_TIME
from penstock.core.forms.line_parser import blocks_of, columns_of, matched
from penstock.core.forms.path_counts import FILE_ENDING, extensions_of, is_file_name
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.api import Batch, Columns, Lines, Sample, Tables, Words
    from penstock.core.forms.engine import Numbered, Rows, Texts

IN_A_ROW: Final = 10  # Of so many matches in one file one at least is not on the next line: else it is a numbered list.

_PLACE: Final = rf"(?P<file>{FILE}){NO_TIME}:(?P<file_line>[0-9]{{1,9}}):"
_LINE: Final = r"(?P<file_line>[0-9]{1,9}):"
_COLUMN: Final = r"(?P<col>[0-9]{1,9}):"
_TEXT: Final = r"(?P<text>.*+)"
_NUMBERS: Final = ("file_line", "col", "count")
_NEAR = re.compile(r"([0-9]{1,9})-(.*+)")
_NUMBER = re.compile(r"-([0-9]{1,9})(?=-)")
_IN_FOLDER = re.compile(r".*[/\\][^/\\]+\.[0-9]?[A-Za-z][A-Za-z0-9_+]{0,9}$")
_ONE_BLANK = re.compile(r" \S|$")


def are_files(columns: Texts) -> bool:
    """Return True if most names are those of files: with a folder, a usual ending, or another ending but several rows.
    Hosts with ports have an ending too, but come once."""
    names = Counter(columns["file"])
    named = sum(
        count
        for (name, count), ending in zip(names.items(), extensions_of(names), strict=True)
        if is_file_name(name)
        and ("/" in name or "\\" in name or FILE_ENDING.fullmatch(ending) or (ending and count > 1))
    )
    return named * 2 >= names.total()


def have_columns(columns: Texts) -> bool:
    """Return True if numbers are columns. They count bytes from 1, so none is far behind the end of its line."""
    pairs = zip(columns["col"], columns["text"], strict=True)
    return all(col and int(col) <= len(text.encode("utf-8", "replace")) + 1 for col, text in pairs)


def are_counts(columns: Texts) -> bool:
    """Return True if each file comes once. Hosts with ports have no folder, images with tags no extension."""
    files = columns["file"]
    named = sum(_IN_FOLDER.match(file) is not None for file in files)
    return len(set(files)) == len(files) and named * 2 >= len(files)


def is_search(columns: Texts) -> bool:
    """Return True if numbered lines are matches: not on each next line as in a list, and no ``key: value``."""
    steps = [int(two) - int(one) for one, two in pairwise(columns["file_line"])]
    is_list = steps.count(1) * IN_A_ROW >= len(steps) * (IN_A_ROW - 1)
    return not is_list and not all(map(_ONE_BLANK.match, columns["text"]))


@dataclass(slots=True, kw_only=True)
class GrepParser(StyleParser):
    """Reads matches, and the lines of context around them."""

    def __post_init__(self) -> None:
        self.nouns["context"] = "lines of context"

    @classmethod
    def belongs(cls, style: Style, line: str) -> bool:
        return line == "--" or (style.name != "counts" and _NUMBER.search(line, 1, LONGEST_LINE) is not None)

    def groups(self, lines: Lines) -> Iterator[list[str]]:
        """Yield lines some thousands at a time. Groups of context stay whole if they are not too long."""
        source = iter(lines)
        for some in blocks_of(source):
            for line in islice(source, BATCH) if "--" in some else ():
                some.append(line)
                if line == "--":
                    break
            yield some

    def part(self, lines: list[str], numbers: list[int], rows: Rows, others: Numbered) -> tuple[list[int], Rows, Batch]:
        """Take lines that begin with the file of a match as context: ``a.py-12-x:1:y`` is context of ``a.py``."""
        if self.style.name == "counts" or not (others or "-" in "".join({row[0] for row in rows})):
            return StyleParser.part(self, lines, numbers, rows, others)
        names = {row[0] for row in rows} | {self.last[0]}
        false = {name for name in names if name and _context_of(name + ":", names)}
        if false:
            pairs = list(zip(numbers, rows, strict=True))
            others = sorted([*others, *((at, lines[at - self.seen - 1]) for at, row in pairs if row[0] in false)])
            pairs = [pair for pair in pairs if pair[1][0] not in false]
            numbers, rows = [at for at, _ in pairs], [row for _, row in pairs]
            names -= false
        found = [(number, _context_of(line, names)) for number, line in others if line.strip("- \t")]
        context = [(number, *row) for number, row in found if row is not None]
        self.unfit += len(found) - len(context)
        return numbers, rows, self.context_rows(context)

    def context_rows(self, rows: list[tuple[int, str, str, str]]) -> Batch:
        """Return the table of lines of context, each with its file, its line there and its text."""
        self.beside += len(rows)
        if not rows:
            return {}
        numbers, files, places, texts = zip(*rows, strict=True)
        columns: Columns = {"line": [*numbers], "file": [*files], "file_line": [*map(int, places)], "text": [*texts]}
        if "" in files:  # a search in one file that is not named
            del columns["file"]
        return {"context": columns}

    def words(self, tables: Tables) -> Words:
        words = StyleParser.words(self, tables)
        more = f", with {counted(self.beside, 'line')} of context (table context)" if self.beside else ""
        return type(words)(what=words.what + more, facts=words.facts, excerpts=words.excerpts)


@dataclass(slots=True, kw_only=True)
class HeadedParser(GrepParser):
    """Reads numbered lines below the names of their files, or those of one file that is not named."""

    file: str = ""  # of the heading above
    before: str = ""  # the line before
    is_begun: bool = True  # the heading above has rows
    separators: int = 0  # lines between groups of matches
    opened: list[tuple[int, str]] = field(default_factory=list)  # headings among the lines that are read

    @classmethod
    def fitting(cls, style: Style, pattern: re.Pattern[str], sample: Sample) -> Texts | None:
        starts = [line for before, line in pairwise(("", *sample.head)) if line and not before]
        headings = [line for line in starts if not re.match(_LINE, line) and not _NEAR.match(line)]
        if not style.name.startswith("headed"):
            columns = sampled(cls, style, pattern, sample)
            every = (sample.head, *sample.runs)
            runs = [[int(line.partition(":")[0]) for line in run if re.match(_LINE, line)] for run in every]
            rises = all(one < two for run in runs for one, two in pairwise(run))
            return columns if rises and not any(map(is_file_name, headings)) else None
        _, rows, _ = matched(pattern, sample.short, 1)
        are_named = headings and sum(map(is_file_name, headings)) * 2 >= len(headings)
        return columns_of(pattern, rows) if are_named and len(rows) >= style.least else None

    @classmethod
    def belongs(cls, style: Style, line: str) -> bool:
        del style
        return line == "--" or _NEAR.match(line) is not None

    def groups(self, lines: Lines) -> Iterator[list[str]]:
        return blocks_of(lines)

    def part(self, lines: list[str], numbers: list[int], rows: Rows, others: Numbered) -> tuple[list[int], Rows, Batch]:
        is_headed = self.style.name.startswith("headed")
        context: list[tuple[int, re.Match[str]]] = []
        self.opened = [(0, self.file)]
        for number, line in others:
            before = lines[number - self.seen - 2] if number > self.seen + 1 else self.before
            if (near := _NEAR.match(line)) is not None:
                context.append((number, near))
            elif is_headed and not (before.strip() and self.opened[-1][1]):
                self.opened.append((number, line))
            else:
                self.unfit += line != "--"
                self.separators += line == "--"
        self.before, self.file = lines[-1], self.opened[-1][1]
        if is_headed:
            begun = {self._place(number)[0] for number in (*numbers, *(number for number, _ in context))}
            self.unfit += sum(number not in begun for number, _ in self.opened[1:-1])
            self.unfit += not self.is_begun and 0 not in begun and len(self.opened) > 1
            self.is_begun = self.opened[-1][0] in begun or (len(self.opened) == 1 and self.is_begun)
            lost = [number for number in numbers if not self._place(number)[1]]
            self.unfit += len(lost)
            numbers, rows = numbers[len(lost) :], rows[len(lost) :]
        placed = [(number, self._place(number)[1], near[1], near[2]) for number, near in context]
        return numbers, rows, self.context_rows([row for row in placed if row[1] or not is_headed])

    def outside(self) -> int:
        return self.unfit + self.separators  # Headings are in the table, as the files of their rows.

    def _place(self, number: int) -> tuple[int, str]:
        """Return the heading above a line, with its number."""
        return self.opened[bisect_right(self.opened, number, key=lambda one: one[0]) - 1]

    def place(self, numbers: list[int]) -> Columns:
        return {"file": [self._place(number)[1] for number in numbers]} if self.style.name.startswith("headed") else {}


def _context_of(line: str, names: set[str]) -> tuple[str, str, str] | None:
    """Return file, line and text of a line that is context of a match in one of these files, which may have numbers
    between dashes in their names."""
    for place in _NUMBER.finditer(line, 0, LONGEST_LINE):
        if (name := line[: place.start()]) in names:
            return name, place[1], line[place.end() + 1 :]
    return None


_MATCHES: Final[dict[str, Any]] = {
    "noun": "matches",
    "numbers": _NUMBERS,
    "texts": ("text",),
    "order": ("file", "file_line"),
}
_HEADED: Final[dict[str, Any]] = {**_MATCHES, "least": 5, "strict": True}
_ONE_FILE: Final = "{rows} in one file that is not named"
FORM: Final = line_form(
    "grep",
    "search output",
    Style(
        name="columns",
        pattern=_PLACE + _COLUMN + _TEXT,
        fits=lambda columns: are_files(columns) and have_columns(columns),
        **_MATCHES,
    ),
    Style(name="lines", pattern=_PLACE + _TEXT, fits=are_files, **_MATCHES),
    Style(
        name="counts",
        pattern=rf"(?P<file>{FILE}):(?P<count>[0-9]{{1,9}})",
        noun="files",
        numbers=_NUMBERS,
        least=5,
        unique="file",
        fits=are_counts,
        what="counts of matches in {rows}: {count} in all",
    ),
    parser=GrepParser,
)
HEADINGS: Final = line_form(
    "grep_headings",
    "search output",
    Style(name="headed columns", pattern=_LINE + _COLUMN + _TEXT, fits=have_columns, **_HEADED),
    Style(name="headed", pattern=_LINE + _TEXT, **_HEADED),
    Style(
        name="columns",
        pattern=_LINE + _COLUMN + _TEXT,
        rises=1,
        what=_ONE_FILE,
        fits=lambda columns: is_search(columns) and have_columns(columns),
        **_HEADED,
    ),
    Style(name="numbers", pattern=_LINE + _TEXT, rises=1, what=_ONE_FILE, fits=is_search, **_HEADED),
    parser=HeadedParser,
)
