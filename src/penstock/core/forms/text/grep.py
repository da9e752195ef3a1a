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
from collections import Counter
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import BATCH, LONGEST_LINE
from penstock.core.forms.engine import Style, StyleParser, line_form
from penstock.core.forms.file_names import FILE, FILE_ENDING, NO_TIME, extensions_of, is_file_name
from penstock.core.forms.line_parser import blocks_of
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.api import Batch, Columns, Lines, Tables, Words
    from penstock.core.forms.engine import Numbered, Rows, Texts

MAX_IN_A_ROW: Final = 10  # At most 9 of 10 matches in one file are on the next line. With more it is a numbered list.

_PLACE: Final = rf"(?P<file>{FILE}){NO_TIME}:(?P<file_line>[0-9]{{1,9}}):"
_LINE: Final = r"(?P<file_line>[0-9]{1,9}):"
_COLUMN: Final = r"(?P<col>[0-9]{1,9}):"
_TEXT: Final = r"(?P<text>.*+)"
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
    is_list = steps.count(1) * MAX_IN_A_ROW >= len(steps) * (MAX_IN_A_ROW - 1)
    return not is_list and not all(map(_ONE_BLANK.match, columns["text"]))


@dataclass(slots=True, kw_only=True)
class GrepParser(StyleParser):
    """Reads matches, and the lines of context around them."""

    def __post_init__(self) -> None:
        self.nouns["context"] = "lines of context"

    @classmethod
    def belongs(cls, style: Style, line: str) -> bool:
        near = _NUMBER.search(line, 1, LONGEST_LINE) if style.name in ("columns", "lines") else _NEAR.match(line)
        return line == "--" or (style.name != "counts" and near is not None)

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
        context = []
        for number, line in others:
            found = self.near(number, line, names)
            if found is not None:
                context.append((number, *found))
            elif line.strip("- \t"):
                self.unfit += 1
        return numbers, rows, self._context_rows(context)

    def near(self, number: int, line: str, names: set[str]) -> tuple[str, str, str] | None:
        """Return file, line and text of a line of context; None for another line."""
        del number
        return _context_of(line, names)

    def _context_rows(self, rows: list[tuple[int, str, str, str]]) -> Batch:
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
        return type(words)(what=words.what + more, facts=words.facts)


@dataclass(slots=True, kw_only=True)
class HeadedParser(GrepParser):
    """Reads numbered lines below the names of their files, or those of one file that is not named."""

    def near(self, number: int, line: str, names: set[str]) -> tuple[str, str, str] | None:
        del names
        near = _NEAR.match(line)
        return None if near is None else (self.heading_of(number), near[1], near[2])


def _context_of(line: str, names: set[str]) -> tuple[str, str, str] | None:
    """Return file, line and text of a line that is context of a match in one of these files, which may have numbers
    between dashes in their names."""
    for place in _NUMBER.finditer(line, 0, LONGEST_LINE):
        if (name := line[: place.start()]) in names:
            return name, place[1], line[place.end() + 1 :]
    return None


_MATCHES: Final[dict[str, Any]] = {
    "noun": "matches",
    "numbers": ("file_line", "col"),
    "texts": ("text",),
    "order": ("file", "file_line"),
}
_NUMBERED: Final[dict[str, Any]] = {**_MATCHES, "least": 5, "strict": True}
_HEADED: Final[dict[str, Any]] = {**_NUMBERED, "heading": "file"}
_ONE_FILE: Final[dict[str, Any]] = {**_NUMBERED, "rises": 1, "what": "{rows} in one file that is not named"}
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
        numbers=("count",),
        least=5,
        unique="file",
        fits=are_counts,
        what="counts of matches in {rows}: {count} in all",
    ),
    parser=GrepParser,
    reads_items=True,
)
HEADINGS: Final = line_form(
    "grep_headings",
    "search output",
    Style(name="headed columns", pattern=_LINE + _COLUMN + _TEXT, fits=have_columns, **_HEADED),
    Style(name="headed", pattern=_LINE + _TEXT, **_HEADED),
    Style(
        name="one file, columns",
        pattern=_LINE + _COLUMN + _TEXT,
        fits=lambda columns: is_search(columns) and have_columns(columns),
        **_ONE_FILE,
    ),
    Style(name="one file", pattern=_LINE + _TEXT, fits=is_search, **_ONE_FILE),
    parser=HeadedParser,
)
