"""Output of grep and ripgrep. ``FORM``: every line names its file: ``path:line:text``, ``path:line:col:text``, context
around the matches (``path-line-text`` and ``--``), and counts (``path:count``). ``HEADINGS``: lines do not: ``rg
--heading`` (the path on a line of its own, then ``line:text`` or ``line:col:text``, a blank line between files), and
``line:text`` of a search in one file.

Table ``items``: ``line``, ``file`` if the text has it, ``file_line`` (the line in that file), ``col`` if the text has
it, ``text``; of counts ``line``, ``file``, ``count``. Context is a table of its own, ``context``, without ``col``. It
is told from other text by the file of the match next to it, or by the dash behind its number.

Line numbers of one file do not fall from match to match, and below a heading they rise: that, and names that look like
those of files, tell search output from logs, times of day and lists with colons or numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import compress, islice, pairwise
from operator import and_, eq, gt
from typing import TYPE_CHECKING, Final

from penstock.core.forms.path_counts import FILE_ENDING, PathCounts, extensions_of, file_facts, is_file_name
from penstock.core.forms.text_form import (
    BATCH,
    LONGEST_LINE,
    DoesNotHoldError,
    Excerpt,
    LineParser,
    TextForm,
    Words,
    blocks_of,
    matched,
)
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.core.forms.text_form import Batch, Columns, Lines, Options, Sample, Tables

LEAST: Final = 3  # matches; fewer are no list of matches
LEAST_HEADED: Final = 5  # matches without a file: some numbered lines may be anything
IN_A_ROW: Final = 10  # of so many matches in one file one at least is not on the next line: else it is a numbered list
FEWEST_COUNTS: Final = 5  # files with counts: a few names with numbers may be anything
SPARE: Final = 2  # lines that any output may have beside matches: a heading, a note that it was cut,
UNFIT: Final = 50  # and one in so many: messages about binary files and folders
DISORDER: Final = 50  # one in so many pairs of matches in a file may stand in another order
SHOWN_FILES: Final = 4  # files of which matches are shown,
SHOWN_EACH: Final = 2  # so many of each

FILE: Final = r"(?:[A-Za-z]:(?=[\\/]))?+(?![0-9]+:)[^\s:][^:\n]{0,4094}+"
# A time of day, after a date or with seconds: `app.log.2026-05-16_13:53:08`, `[01/Jan/2026:10:11:12`.
NO_TIME: Final = (
    r"(?!(?:(?<=[^A-SU-Za-z0-9.][0-2]\d)|(?<=[^A-SU-Za-z0-9.]\d)):[0-5]\d:[0-5]\d(?!\d)"
    r"|:[0-2]\d:[0-5]\d:[0-5]\d(?!\d))"
)
_PLACE: Final = rf"({FILE}){NO_TIME}:([0-9]{{1,9}}):"
_MATCH = re.compile(rf"{_PLACE}(.*+)")
_LINES: Final = {
    "lines": re.compile(rf"(?:{_PLACE}()(.*+)|.*+)\n"),
    "columns": re.compile(rf"(?:{_PLACE}([0-9]{{1,9}}):(.*+)|.*+)\n"),
}
_COLUMN = re.compile(r"([0-9]{1,9}):(.*+)")
_COUNT = re.compile(rf"({FILE}):([0-9]{{1,9}})")
_COUNTS = re.compile(rf"(?:({FILE}):([0-9]{{1,9}})|.*+)\n")
_NEAR = re.compile(r"(?:((?!\s)(?:[^\n-]++|-(?![0-9]{1,9}-))*+)-([0-9]{1,9})-(.*+)|.*+)\n")
_CONTEXT_PLACE = re.compile(r"-([0-9]{1,9})(?=-)")
_NAMED_IN_FOLDER = re.compile(r".*[/\\][^/\\]+\.[0-9]?[A-Za-z][A-Za-z0-9_+]{0,9}$")

_NUMBERED = re.compile(r"([0-9]{1,9})([:-])(.*+)")
_ONE_BLANK = re.compile(r" \S|$")
_NUMBERED_LINES: Final = {
    False: re.compile(r"(?:([0-9]{1,9})(?::()|(-))(.*+)|(.*+))\n"),
    True: re.compile(r"(?:([0-9]{1,9})(?::([0-9]{1,9}):|(-))(.*+)|(.*+))\n"),  # with columns
}

Row = tuple[int, str, int, str, str]  # the number of a line, the file, the line in it, the column, and the text


def recognise(sample: Sample) -> Options | None:
    """Tell whether nearly all lines are matches or the context around them, or all of them counts."""
    lines = sample.lines
    matches = [match for match in map(_MATCH.match, lines) if match]
    if len(matches) < LEAST:
        return _recognise_counts(lines)
    context = sum(
        line == "--" or (_CONTEXT_PLACE.search(line, 1, LONGEST_LINE) is not None)
        for line in lines
        if not _MATCH.match(line)
    )
    if (len(lines) - len(matches) - context - SPARE) * UNFIT > len(lines) or not _are_files(matches):
        return None
    return {"style": "columns" if has_columns(match[3] for match in matches) else "lines"}


def _are_files(matches: list[re.Match[str]]) -> bool:
    """Tell whether most names are those of files: with a folder, a usual ending, or another ending but several matches.
    Hosts with ports have an ending too, but come once."""
    names = Counter(match[1] for match in matches)
    endings = extensions_of(names)
    named = sum(
        count
        for (name, count), ending in zip(names.items(), endings, strict=True)
        if is_file_name(name)
        and ("/" in name or "\\" in name or FILE_ENDING.fullmatch(ending) or (ending and count > 1))
    )
    return named * 2 >= len(matches)


def _recognise_counts(lines: list[str]) -> Options | None:
    """Recognise counts, which have one line for each file. Hosts with ports have no folder, images with tags no
    extension."""
    counts = [match for match in map(_COUNT.fullmatch, lines) if match]
    named = sum(_NAMED_IN_FOLDER.match(match[1]) is not None for match in counts)
    different = len({match[1] for match in counts})
    if len(counts) < FEWEST_COUNTS or (len(lines) - len(counts) - SPARE) * UNFIT > len(lines):
        return None
    return {"style": "counts"} if different == len(counts) and named * 2 >= len(counts) else None


@dataclass(slots=True, kw_only=True)
class MatchesParser(LineParser):
    """The counts of search output, and its words, wherever its lines name their file."""

    nouns: dict[str, str] = field(default_factory=lambda: {"items": "matches", "context": "lines of context"})
    files: PathCounts = field(default_factory=PathCounts)
    context: int = 0
    file: str = ""  # of the match before
    file_line: int = 0
    firsts: dict[str, list[tuple[int, str]]] = field(default_factory=dict)  # matches of the first files

    def keep_firsts(self, matches: Iterable[tuple[str, int, str]]) -> None:
        """Keep the first matches of the first files: each comes as its file, the number of its line, and the line."""
        for file, number, line in matches if len(self.firsts) < SHOWN_FILES else ():
            known = self.firsts.setdefault(file, [])
            if len(self.firsts) > SHOWN_FILES:
                del self.firsts[file]
                return
            if len(known) < SHOWN_EACH:
                known.append((number, line))

    def match_words(self, what: str, facts: list[str]) -> Words:
        if self.context:
            what += f", with {counted(self.context, 'line')} of context (table context)"
        if self.unfit:
            facts = [*facts, f"beside the matches, and in no table: {counted(self.unfit, 'line')}"]
        some = [one for matches in self.firsts.values() for one in matches]
        return Words(what=what, facts=tuple(facts), excerpts=Excerpt.of("the first matches of the first files", some))


def parser(options: Options) -> GrepParser:
    made = GrepParser(options=options)
    made.nouns["items"] = "files" if options["style"] == "counts" else "matches"
    return made


@dataclass(slots=True, kw_only=True)
class GrepParser(MatchesParser):
    pairs: int = 0  # matches that follow one of the same file,
    disorder: int = 0  # and stand before it in the file
    total: int = 0  # of counts

    def groups(self, lines: Lines) -> Iterator[list[str]]:
        """Yield lines some thousands at a time; where there is context, whole groups of it, if they are not too
        long."""
        source = iter(lines)
        for some in blocks_of(source):
            for line in islice(source, BATCH) if "--" in some else ():
                some.append(line)
                if line == "--":
                    break
            yield some

    def read(self, lines: list[str]) -> Batch:
        return (self._counts if self.options["style"] == "counts" else self._matches)(lines)

    def holds(self) -> bool:
        is_ordered = self.count >= LEAST and self.disorder * DISORDER <= self.pairs
        return is_ordered and not self.exceeds(SPARE, UNFIT, self.seen)

    def _matches(self, lines: list[str]) -> Batch:
        parts = _LINES[self.options["style"]].findall("\n".join([*lines, ""]))
        files = [match[0] for match in parts]
        numbers = list(range(self.seen + 1, self.seen + 1 + len(lines)))
        context: Columns = {}
        if not all(files):
            files = _without_context(files)
            context = self._context(lines, files)
            numbers, lines, parts = (list(compress(every, files)) for every in (numbers, lines, parts))
            files = list(filter(None, files))
        _, file_lines, columns, texts = zip(*parts, strict=True) if parts else ((),) * 4
        items: Columns = {"line": numbers, "file": files, "file_line": list(map(int, file_lines))}
        if self.options["style"] == "columns":
            items["col"] = list(map(int, columns))
        items["text"] = list(texts)
        if files:
            self._note(items, lines)
        return {"items": items, "context": context} if context else {"items": items}

    def _note(self, items: Columns, lines: list[str]) -> None:
        """Count matches, and how many stand out of order; keep some to show."""
        files, file_lines = items["file"], items["file_line"]
        self.count += len(files)
        self.files.add(files)
        same = list(map(eq, [self.file, *files[:-1]], files))
        self.pairs += sum(same)
        self.disorder += sum(map(and_, same, map(gt, [self.file_line, *file_lines[:-1]], file_lines)))
        self.file, self.file_line = files[-1], file_lines[-1]
        self.keep_firsts(zip(files, items["line"], lines, strict=True))

    def _context(self, lines: list[str], files: list[str]) -> Columns:
        """Return the lines around matches: each begins with the file of one of them."""
        names = {self.file, *files} - {""}
        places = [at for at, file in enumerate(files) if not file and lines[at].strip("- \t")]
        others = [lines[at] for at in places]
        near = _NEAR.findall("\n".join([*others, ""]))
        rows = [
            (self.seen + 1 + at, *row)
            for at, line, parts in zip(places, others, near, strict=True)
            if (row := parts if parts[0] in names else _context_row(line, names))
        ]
        self.unfit += len(others) - len(rows)
        self.context += len(rows)
        if not rows:
            return {}
        of_lines, of_files, file_lines, texts = zip(*rows, strict=True)
        columns = {"line": of_lines, "file": of_files, "file_line": map(int, file_lines), "text": texts}
        return {name: list(cells) for name, cells in columns.items()}

    def _counts(self, lines: list[str]) -> Batch:
        numbers, rows, others = matched(_COUNTS, lines, self.seen + 1)
        self.unfit += len(others)
        if not rows:
            return {}
        files, counts = [file for file, _ in rows], [int(count) for _, count in rows]
        before = len(self.files.counts)
        self.files.add(dict(zip(files, counts, strict=True)))
        if self.files.complete and len(self.files.counts) - before < len(files):
            raise DoesNotHoldError("a file with two counts")
        self.count += len(files)
        self.total += sum(counts)
        return {"items": {"line": numbers, "file": files, "count": counts}}

    def words(self, tables: Tables) -> Words:
        del tables
        what = f"{counted(self.count, 'match', 'matches')} in {self.files.amount('file')}"
        if self.options["style"] == "counts":
            what = f"counts of matches in {counted(self.count, 'file')}: {self.total:,} in all"
        return self.match_words(what, file_facts(self.files))


def has_columns(texts: Iterable[str]) -> bool:
    """Tell whether all these texts begin with a column. It counts bytes from 1, so it lies not far behind the line's
    end."""
    matches = map(_COLUMN.match, texts)
    return all(one is not None and int(one[1]) <= len(one[2].encode("utf-8", "replace")) + 1 for one in matches)


def _without_context(files: list[str]) -> list[str]:
    """Take away files that are the beginning of a line of context with a number and colons in its text: `a.py-12-x` is
    that where `a.py` is a file too."""
    names = set(files)
    false = {
        name
        for name in names
        for place in (_CONTEXT_PLACE.finditer(name) if "-" in name else ())
        if name[: place.start()] in names
    }
    return ["" if file in false else file for file in files] if false else files


def _context_row(line: str, names: set[str]) -> tuple[str, str, str] | None:
    """Return file, line and text of a line that is context of a match in one of these files, which may have numbers
    between dashes in their names."""
    for place in _CONTEXT_PLACE.finditer(line, 0, LONGEST_LINE):
        if (name := line[: place.start()]) in names:
            return name, place[1], line[place.end() + 1 :]
    return None


def recognise_headings(sample: Sample) -> Options | None:
    """Tell whether all lines are numbered, or headings above numbered lines, or blank."""
    runs = [[match for match in map(_NUMBERED.match, run) if match] for run in (sample.head, *sample.runs)]
    texts = [match[3] for run in runs for match in run if match[2] == ":"]
    if len(texts) < LEAST_HEADED:
        return None
    starts = [line for before, line in pairwise(("", *sample.head)) if not before and line]
    headings = [line for line in starts if not _NUMBERED.match(line)]
    other = sum(line != "--" and not _NUMBERED.match(line) for line in sample.lines)
    if headings and sum(map(is_file_name, headings)) * 2 >= len(headings):
        style = "headings"
    elif (other - SPARE) * UNFIT <= len(texts) and _is_search(runs):
        style = "numbers"
    else:
        return None
    return {"style": style, "columns": has_columns(texts)}


def _is_search(runs: list[list[re.Match[str]]]) -> bool:
    """Tell whether numbered lines are matches in a file: they rise, not on each next line as in a list, and are no
    ``key: value``."""
    matches = [[match for match in run if match[2] == ":"] for run in runs]
    steps = [int(two[1]) - int(one[1]) for run in matches for one, two in pairwise(run)]
    blank = all(_ONE_BLANK.match(match[3]) for run in matches for match in run)
    return min(steps, default=0) > 0 and steps.count(1) * IN_A_ROW < len(steps) * (IN_A_ROW - 1) and not blank


@dataclass(slots=True, kw_only=True)
class HeadingsParser(MatchesParser):
    falling: int = 0  # numbers that do not rise
    empty: bool = True  # the line before was blank, or there was none
    least: int = 0  # line of a match in the one file
    greatest: int = 0

    def holds(self) -> bool:
        return not (self.falling or self.exceeds(SPARE, UNFIT, self.seen)) and self.count >= LEAST_HEADED

    def read(self, lines: list[str]) -> Batch:
        headed, columns = self.options["style"] == "headings", self.options["columns"]
        step = 0 if headed else 1  # of the numbers; with ``-o`` one line may have several matches
        matches: list[Row] = []
        context: list[Row] = []
        file, before, empty = self.file, self.file_line, self.empty
        parts = _NUMBERED_LINES[columns].findall("\n".join([*lines, ""]))
        for number, (digits, column, dash, text, other) in enumerate(parts, self.seen + 1):
            if digits and (file or not headed):
                file_line = int(digits)
                self.falling += file_line < before + step
                before = file_line
                (context if dash else matches).append((number, file, file_line, column, text))
                empty = False
            elif not other and not digits:
                empty = True
            elif headed and empty and other:
                self.unfit += before == 0 and bool(file)  # a heading above nothing
                file, before, empty = other, 0, False
            elif other != "--":
                self.unfit += 1
        self.file, self.file_line, self.empty = file, before, empty
        self.count += len(matches)
        self.context += len(context)
        if matches:
            self._note(matches, lines)
        batch: Batch = {"items": self._columns(matches, column=columns)}
        return {**batch, "context": self._columns(context, column=False)} if context else batch

    def _columns(self, rows: list[Row], *, column: bool) -> Columns:
        names = ("line", "file", "file_line", "col", "text")
        cells: Columns = dict(zip(names, map(list, zip(*rows, strict=True) if rows else [()] * 5), strict=True))
        cells["col"] = list(map(int, cells["col"])) if column else []
        left_out = {"" if self.options["style"] == "headings" else "file", "" if column else "col"}
        return {name: cells[name] for name in names if name not in left_out}

    def _note(self, matches: list[Row], lines: list[str]) -> None:
        """Count the matches of each file, and keep some to show."""
        self.files.add([match[1] for match in matches])
        self.least = min(self.least or matches[0][2], matches[0][2])
        self.greatest = max(self.greatest, matches[-1][2])
        self.keep_firsts((file, number, lines[number - self.seen - 1]) for number, file, *_ in matches)

    def words(self, tables: Tables) -> Words:
        del tables
        what = counted(self.count, "match", "matches")
        if self.options["style"] == "headings":
            return self.match_words(f"{what} in {self.files.amount('file')}", file_facts(self.files))
        what += f" in one file that is not named, its lines {self.least:,} .. {self.greatest:,}"
        return self.match_words(what, [])


FORM: Final = TextForm(name="grep", title="search output", recognise=recognise, make=parser, is_costly=True)
HEADINGS: Final = TextForm(
    name="grep_headings", title="search output", recognise=recognise_headings, make=HeadingsParser
)
