"""``git diff --stat`` and ``git diff --numstat`` without commits: the files that a change touches.

``items`` has a row for each file: ``line``, ``file``, and ``added`` and ``removed`` (--numstat), or ``changed``, lines
added and removed together (--stat, whose drawing is scaled). Binary files have no numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.core.forms.commit_rows import CUT, Commit, is_listed, take_list
from penstock.core.forms.path_counts import PathCounts, file_facts, is_file_name
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.text_form import Batches, Columns, Lines, Tables

LEAST: Final = 5  # files; fewer lines may be anything
NAMED: Final = 3  # one name in so many has a folder or an extension
MOST_FILES: Final = 5  # files that are named with their lines


def recognise(sample: Sample) -> Options | None:
    """Tell whether all lines are files of one of these lists, most of them with names of files."""
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
class ChangeListParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "files"})
    files: PathCounts = field(default_factory=PathCounts)
    count: int = 0
    cut: int = 0  # names of which the end is told only
    summary: Commit | None = None  # what the text says in its last line
    most: list[tuple[int, str, str]] = field(default_factory=list)

    def parse(self, lines: Lines) -> Batches:
        source, number = iter(lines), 1
        while block := list(islice(source, BATCH)):
            for _, files in self._listed(block, number).lists:
                columns: Columns = {"line": list(files.line), "file": files.file}
                if files.added is not None and files.removed is not None:
                    columns |= {"added": list(files.added), "removed": list(files.removed)}
                else:
                    columns["changed"] = list(files.changed or ())
                self._note(columns)
                yield {"items": columns}
            number += len(block)
        if self.count < LEAST or (self.files.complete and len(self.files.counts) < self.count - self.cut):
            raise DoesNotHoldError("a file twice")
        if self.summary is not None and self.summary.files != self.count:
            raise DoesNotHoldError("another number of files than the text tells")

    def _listed(self, block: list[str], number: int) -> Commit:
        """Return the files that these lines list: all at once, or one by one where there are other lines between
        them."""
        commit = Commit(number, "")
        if "" in block or take_list(commit, block, number, names=False):
            commit = Commit(number, "")
            if any(take_list(commit, [line], at, names=False) for at, line in enumerate(block, number) if line):
                raise DoesNotHoldError("lines that are no files of a change")
        self.summary = self.summary if commit.files is None else commit
        return commit

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
        facts = [f"most changed: {named}"] if named else []
        if self.cut:
            return Words(what=what, facts=(*facts, f"names without their beginning, as git cut them: {self.cut:,}"))
        return Words(what=what, facts=(*facts, *file_facts(self.files)))


FORM: Final = TextForm(name="change_list", title="a list of changes", recognise=recognise, make=ChangeListParser)
