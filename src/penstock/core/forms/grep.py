"""Output of grep and ripgrep in which every line names its file: ``path:line:text``, ``path:line:col:text``, context
around the matches (``path-line-text`` and ``--``), and counts (``path:count``).

Table ``items``: ``line``, ``file``, ``file_line`` (the line in that file), ``col`` if the text has it, ``text``; of
counts ``line``, ``file``, ``count``. Context is a table of its own, ``context``: ``line``, ``file``, ``file_line``,
``text``. It is told from other text by the file of the match next to it.

Line numbers of one file do not fall from match to match: that, and names that look like those of files, tell search
output from logs and lists with colons.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from operator import and_, eq, gt
from typing import TYPE_CHECKING, Final

from penstock.core.forms.path_counts import FILE_ENDING, PathCounts, extensions_of, file_facts, is_file_name
from penstock.core.forms.text_form import BATCH, LONGEST_LINE, DoesNotHoldError, Excerpt, Sample, TextForm, Words
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.core.forms.text_form import Batch, Batches, Columns, Lines, Options, Tables

LEAST: Final = 3  # matches; fewer are no list of matches
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
_NEAR: Final = r"((?!\s)(?:[^\n-]++|-(?![0-9]{1,9}-))*+)-([0-9]{1,9})-(.*+)"
_LINES: Final = {
    "lines": re.compile(rf"(?:{_PLACE}()(.*+)|{_NEAR}|.*+)\n"),
    "columns": re.compile(rf"(?:{_PLACE}([0-9]{{1,9}}):(.*+)|{_NEAR}|.*+)\n"),
}
_COLUMN = re.compile(r"([0-9]{1,9}):(.*+)")
_COUNT = re.compile(rf"({FILE}):([0-9]{{1,9}})")
_COUNTS = re.compile(rf"(?:({FILE}):([0-9]{{1,9}})|.*+)\n")
_CONTEXT_PLACE = re.compile(r"-[0-9]{1,9}-")
_NAMED_IN_FOLDER = re.compile(r".*[/\\][^/\\]+\.[0-9]?[A-Za-z][A-Za-z0-9_+]{0,9}$")

Pending = tuple[int, str, str, str, str]  # the number of a line, the line, and file, line and text as of context


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
class MatchesParser:
    """The counts of search output, and its words, wherever its lines name their file."""

    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "matches", "context": "lines of context"})
    files: PathCounts = field(default_factory=PathCounts)
    seen: int = 0  # lines read
    matches: int = 0
    context: int = 0
    unfit: int = 0
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
    pending: list[Pending] = field(default_factory=list)  # lines that may be context of the next match

    def parse(self, lines: Lines) -> Batches:
        rows = self._counts if self.options["style"] == "counts" else self._matches
        for some in _groups(lines):
            yield rows(some)
            self.seen += len(some)
        self.unfit += len(self.pending)
        if (self.unfit - SPARE) * UNFIT > self.seen:
            raise DoesNotHoldError("lines that are no matches")
        if self.matches < LEAST or self.disorder * DISORDER > self.pairs:
            raise DoesNotHoldError("matches that are not in order")

    def _matches(self, lines: list[str]) -> Batch:
        parts = _LINES[self.options["style"]].findall("\n".join([*lines, ""]))
        files = [match[0] for match in parts]
        numbers = list(range(self.seen + 1, self.seen + 1 + len(lines)))
        context: Columns = {}
        if not all(files):
            files = _without_context(files)
            context = self._context(lines, files, parts)
            places = [at for at, file in enumerate(files) if file]
            numbers, lines = [numbers[at] for at in places], [lines[at] for at in places]
            files, parts = [files[at] for at in places], [parts[at] for at in places]
        _, file_lines, columns, texts = zip(*[match[:4] for match in parts], strict=True) if parts else ((),) * 4
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
        self.matches += len(files)
        self.files.add(files)
        same = list(map(eq, [self.file, *files[:-1]], files))
        self.pairs += sum(same)
        self.disorder += sum(map(and_, same, map(gt, [self.file_line, *file_lines[:-1]], file_lines)))
        self.file, self.file_line = files[-1], file_lines[-1]
        self.keep_firsts(zip(files, items["line"], lines, strict=True))

    def _context(self, lines: list[str], files: list[str], parts: list[tuple[str, ...]]) -> Columns:
        """Return the lines around matches: each begins with the file of the match before or after it."""
        rows: list[tuple[int, str, str, str]] = []
        file, pending = self.file, self.pending
        numbers = range(self.seen + 1, self.seen + 1 + len(lines))
        for number, line, match, (_, _, _, _, near, file_line, text) in zip(numbers, lines, files, parts, strict=True):
            if match:
                file = match
                if pending:
                    rows += self._claimed(file)
            elif near == file and near and not pending:
                rows.append((number, file, file_line, text))
            elif line == "--":
                self.unfit += len(pending)
                pending.clear()
            elif not pending and (row := _context_row((number, line, near, file_line, text), file)):
                rows.append(row)
            elif line and not line.isspace():
                pending.append((number, line, near, file_line, text))
        if len(pending) > BATCH:
            raise DoesNotHoldError("lines that are no matches")
        self.context += len(rows)
        if not rows:
            return {}
        of_lines, of_files, file_lines, texts = map(list, zip(*rows, strict=True))
        return {"line": of_lines, "file": of_files, "file_line": list(map(int, file_lines)), "text": texts}

    def _claimed(self, file: str) -> list[tuple[int, str, str, str]]:
        """Return the pending lines that are context of a match in this file; the others fit nowhere."""
        rows = [row for one in self.pending if (row := _context_row(one, file))]
        self.unfit += len(self.pending) - len(rows)
        self.pending.clear()
        return rows

    def _counts(self, lines: list[str]) -> Batch:
        pairs = _COUNTS.findall("\n".join([*lines, ""]))
        rows = [(number, file, int(count)) for number, (file, count) in enumerate(pairs, self.seen + 1) if file]
        self.unfit += sum(not file and bool(line.strip()) for line, (file, _) in zip(lines, pairs, strict=True))
        if not rows:
            return {}
        numbers, files, counts = map(list, zip(*rows, strict=True))
        before = len(self.files.counts)
        self.files.add(dict(zip(files, counts, strict=True)))
        if self.files.complete and len(self.files.counts) - before < len(files):
            raise DoesNotHoldError("a file with two counts")
        self.matches += len(files)
        self.total += sum(counts)
        return {"items": {"line": numbers, "file": files, "count": counts}}

    def words(self, tables: Tables) -> Words:
        del tables
        what = f"{counted(self.matches, 'match', 'matches')} in {self.files.amount('file')}"
        if self.options["style"] == "counts":
            what = f"counts of matches in {counted(self.matches, 'file')}: {self.total:,} in all"
        return self.match_words(what, file_facts(self.files))


def has_columns(texts: Iterable[str]) -> bool:
    """Tell whether all these texts begin with a column. It counts bytes from 1, so it lies not far behind the line's
    end."""
    matches = map(_COLUMN.match, texts)
    return all(one is not None and int(one[1]) <= len(one[2].encode("utf-8", "replace")) + 1 for one in matches)


def _groups(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield lines some thousands at a time; where there is context, whole groups of it, if they are not too long."""
    source = iter(lines)
    while some := list(islice(source, BATCH)):
        if "--" in some:
            for line in islice(source, BATCH):
                some.append(line)
                if line == "--":
                    break
        yield some


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


def _context_row(pending: Pending, file: str) -> tuple[int, str, str, str] | None:
    """Return the row of a line that is context of a match in ``file``. The place at which the line was parted before is
    wrong where the name of the file has a number between dashes."""
    number, line, near, file_line, text = pending
    if near == file and near:
        return number, file, file_line, text
    place = _CONTEXT_PLACE.match(line, len(file)) if file and line.startswith(file) else None
    return (number, file, place[0][1:-1], line[place.end() :]) if place else None


FORM: Final = TextForm(name="grep", title="search output", recognise=recognise, make=parser, is_costly=True)
