"""Output of grep and ripgrep in which lines do not name their file: ``rg --heading`` (the path on a line of its own,
then ``line:text`` or ``line:col:text``, a blank line between files), and ``line:text`` of a search in one file.

Table ``items``: ``line``, ``file`` if the text has it, ``file_line``, ``col`` if the text has it, ``text``. Context
(``line-text`` and ``--``) is a table of its own, ``context``, without ``col``.

Line numbers rise from line to line in each file: that tells search output from lists and times of day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from penstock.core.forms.grep import SPARE, UNFIT, MatchesParser, has_columns
from penstock.core.forms.path_counts import file_facts, is_file_name
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batch, Batches, Columns, Lines, Tables, Words

LEAST: Final = 5  # matches: some numbered lines may be anything
IN_A_ROW: Final = 10  # of so many matches in one file one at least is not on the next line: else it is a numbered list

Row = tuple[int, str, int, str, str]  # the number of a line, the file, the line in it, the column, and the text

_LINE = re.compile(r"([0-9]{1,9})([:-])(.*+)")
_ONE_BLANK = re.compile(r" \S|$")
_LINES: Final = {
    False: re.compile(r"(?:([0-9]{1,9})(?::()|(-))(.*+)|(.*+))\n"),
    True: re.compile(r"(?:([0-9]{1,9})(?::([0-9]{1,9}):|(-))(.*+)|(.*+))\n"),  # with columns
}


def recognise(sample: Sample) -> Options | None:
    """Tell whether all lines are numbered, or headings above numbered lines, or blank."""
    runs = [[match for match in map(_LINE.match, run) if match] for run in (sample.head, *sample.runs)]
    texts = [match[3] for run in runs for match in run if match[2] == ":"]
    if len(texts) < LEAST:
        return None
    headings = [line for before, line in pairwise(("", *sample.head)) if not before and line and not _LINE.match(line)]
    other = sum(line != "--" and not _LINE.match(line) for line in sample.lines)
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

    def parse(self, lines: Lines) -> Batches:
        source = iter(lines)
        while some := list(islice(source, BATCH)):
            yield self._rows(some)
            self.seen += len(some)
        if self.falling or (self.unfit - SPARE) * UNFIT > self.seen or self.matches < LEAST:
            raise DoesNotHoldError("lines that are no matches")

    def _rows(self, lines: list[str]) -> Batch:
        headed = self.options["style"] == "headings"
        step = 0 if headed else 1  # of the numbers; with ``-o`` one line may have several matches
        matches: list[Row] = []
        context: list[Row] = []
        file, before, empty = self.file, self.file_line, self.empty
        parts = _LINES[self.options["columns"]].findall("\n".join([*lines, ""]))
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
        self.matches += len(matches)
        self.context += len(context)
        batch: Batch = {"items": self._columns(matches, column=self.options["columns"])}
        if matches:
            self._note(matches, lines)
        if context:
            batch["context"] = self._columns(context, column=False)
        return batch

    def _columns(self, rows: list[Row], *, column: bool) -> Columns:
        numbers, files, file_lines, columns, texts = (
            map(list, zip(*rows, strict=True)) if rows else ([], [], [], [], [])
        )
        cells: Columns = {"line": numbers}
        if self.options["style"] == "headings":
            cells["file"] = files
        cells["file_line"] = file_lines
        if column:
            cells["col"] = list(map(int, columns))
        return {**cells, "text": texts}

    def _note(self, matches: list[Row], lines: list[str]) -> None:
        """Count the matches of each file, and keep some to show."""
        self.files.add([match[1] for match in matches])
        self.least = min(self.least or matches[0][2], matches[0][2])
        self.greatest = max(self.greatest, matches[-1][2])
        self.keep_firsts((file, number, lines[number - self.seen - 1]) for number, file, *_ in matches)

    def words(self, tables: Tables) -> Words:
        del tables
        what = counted(self.matches, "match", "matches")
        if self.options["style"] == "headings":
            return self.match_words(f"{what} in {self.files.amount('file')}", file_facts(self.files))
        what += f" in one file that is not named, its lines {self.least:,} .. {self.greatest:,}"
        return self.match_words(what, [])


FORM: Final = TextForm(name="grep_headings", title="search output", recognise=recognise, make=HeadingsParser)
