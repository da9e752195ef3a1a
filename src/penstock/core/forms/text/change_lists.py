"""``git diff --stat`` and ``git diff --numstat`` without commits: the files that a change touches.

``items`` has a row for each file: ``line``, ``file``, and ``added`` and ``removed`` (--numstat), or ``changed``, lines
added and removed together (--stat, whose drawing is scaled). Binary files have no numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import DoesNotHoldError, ParserForm, Words
from penstock.core.forms.commit_rows import CUT, Commit, is_listed, take_list
from penstock.core.forms.line_parser import LineParser, facts
from penstock.core.forms.path_counts import PathCounts, file_facts, is_file_name
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Columns, Options, Sample, Tables

LEAST: Final = 5  # files; fewer lines may be anything
NAMED: Final = 3  # one name in so many has a folder or an extension
MOST_FILES: Final = 5  # files that are named with their lines


def recognise(sample: Sample) -> Options | None:
    """Return True if all lines are files of one of these lists, most of them with names of files."""
    lines = sample.lines
    if len(lines) < LEAST or not sample.starts <= {" ", *"-0123456789"}:
        return None
    named = 0
    for line in lines:
        name = is_listed(line)
        if name is None:
            return None
        named += bool(name) and is_file_name(name)
    return {} if named * NAMED >= len(lines) else None


@dataclass(slots=True, kw_only=True)
class ChangeListParser(LineParser):
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "files"})
    files: PathCounts = field(default_factory=PathCounts)
    cut: int = 0  # names of which the end is told only
    summary: Commit | None = None  # what the text says in its last line
    most: list[tuple[int, str, str]] = field(default_factory=list)

    def read(self, lines: list[str]) -> Batch:
        """Take the files that these lines list: all at once, or one by one where there are other lines between them."""
        number = self.seen + 1
        commit = Commit(number, "")
        if "" in lines or take_list(commit, lines, number, names=False):
            commit = Commit(number, "")
            if any(take_list(commit, [line], at, names=False) for at, line in enumerate(lines, number) if line):
                raise DoesNotHoldError("lines that are no files of a change")
        self.summary = self.summary if commit.files is None else commit
        columns: Columns = {}
        for _, files in commit.lists:
            for name, cells in files.items():
                columns.setdefault(name, []).extend(cells)
        if columns:
            self._note(columns)
        return {"items": columns} if columns else {}

    def holds(self) -> bool:
        """Return True if no file is told twice, and as many as the text says."""
        is_different = not self.files.complete or len(self.files.counts) == self.count - self.cut
        return self.count >= LEAST and is_different and (self.summary is None or self.summary.files == self.count)

    def _note(self, columns: Columns) -> None:
        """Count the files, and keep those with most lines."""
        self.count += len(columns["file"])
        self.cut += sum(name.startswith(CUT) for name in columns["file"])
        self.files.add([name for name in columns["file"] if not name.startswith(CUT)])
        if "added" in columns:
            pairs = zip(columns["added"], columns["removed"], columns["file"], strict=True)
            rows = [(a + r, f"+{a:,} -{r:,}", name) for a, r, name in pairs if a is not None and r is not None]
        else:
            rows = [(n, f"{n:,}", name) for n, name in zip(columns["changed"], columns["file"], strict=True) if n]
        self.most = sorted([*self.most, *rows], key=lambda row: -row[0])[:MOST_FILES]

    def words(self, tables: Tables) -> Words:
        [table] = tables
        what = f"a list of changes in {counted(self.count, 'file')}"
        if self.summary is not None:
            what += f", by its own summary +{self.summary.added:,} -{self.summary.removed:,}"
        elif (added := table.field("added")) and (removed := table.field("removed")):
            what += f", +{added.column.total:,} -{removed.column.total:,}"
        named = " · ".join(f"{plain(name, 120)} {lines}" for _, lines, name in self.most)
        most, cut = (named, f"most changed: {named}"), f"names without their beginning, as git cut them: {self.cut:,}"
        return Words(what=what, facts=(*facts(most, (self.cut, cut)), *([] if self.cut else file_facts(self.files))))


FORM: Final = ParserForm(name="change_list", title="a list of changes", looks_like=recognise, make=ChangeListParser)
