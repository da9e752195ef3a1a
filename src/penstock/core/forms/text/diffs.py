"""Unified diffs: of git (with all that its headers tell), ``diff -u`` and ``diff -ru``, Subversion, Mercurial, merges.

``items`` has a row for each file: ``line`` where its part begins, ``file`` (the new name, without ``a/`` and ``b/`` and
without git's quotes), ``status`` (modified, added, deleted, renamed, copied), lines ``added`` and ``removed``,
``hunks``, ``binary``, and ``old_file`` if any was renamed or copied. A binary file has no lines to count. ``hunks`` has
a row for each hunk: ``line``, ``file``, ``header`` (the function that it lies in), ``added``, ``removed``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import nlargest
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, DoesNotHoldError, Excerpt, Options, ParserForm, Sample, Words
from penstock.core.forms.git_text import MOST_CHANGED, SHOWN_NAME, most_changed
from penstock.core.forms.patches import STARTS, FileChange, PatchReader, file_columns
from penstock.core.forms.path_counts import PathCounts, extension_fact, folder_fact
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.api import Batch, Batches, Lines, Tables

PREAMBLE: Final = 8  # lines at the beginning, diffstat apart, that a tool may write before a diff
LONGEST_SHOWN: Final = 400  # characters of a line that is shown; a hunk is shown up to a longer one


def recognise(sample: Sample) -> Options | None:
    """Return True if the text begins like a diff: a header of a file after few other lines, and hunks, or headers of
    git."""
    before = 0
    for line, after in zip(sample.head, (*sample.head[1:], ""), strict=False):
        if line.startswith(STARTS) or (line.startswith("--- ") and (after.startswith("+++ ") or not after)):
            break
        before += bool(line.strip()) and " | " not in line
        if before > PREAMBLE:
            return None
    if any(line.startswith(("@@ -", "@@@ -", "diff --git ", "diff --cc ")) for line in sample.lines):
        return {}
    return None


@dataclass(slots=True, kw_only=True)
class DiffParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "files", "hunks": "hunks"})
    reader: PatchReader = field(default_factory=PatchReader)
    added: int = 0
    removed: int = 0
    binary: int = 0
    files: int = 0
    lines: PathCounts = field(default_factory=PathCounts)  # changed lines by file
    most: list[FileChange] = field(default_factory=list)  # those with most changed lines

    def parse(self, lines: Lines) -> Batches:
        reader, number, source = self.reader, 0, iter(lines)
        for line in source:
            number = reader.feed(line, source, number + 1)
            if len(reader.hunks) >= BATCH or len(reader.files) >= BATCH:
                yield self._batch()
        reader.finish()
        yield self._batch()
        if not self.files:
            raise DoesNotHoldError("no file in it")

    def _batch(self) -> Batch:
        files, hunks = self.reader.files, self.reader.hunks
        self.reader.files, self.reader.hunks = [], []
        self._count(files)
        items = file_columns(files, "hunks", "binary")
        if not hunks:
            return {"items": items}
        lines, parents, headers, added, removed = map(list, zip(*hunks, strict=True))
        names = [file.file for file in parents]
        headers = [header or None for header in headers]
        return {
            "items": items,
            "hunks": {"line": lines, "file": names, "header": headers, "added": added, "removed": removed},
        }

    def _count(self, files: list[FileChange]) -> None:
        self.files += len(files)
        self.added += sum(file.added for file in files)
        self.removed += sum(file.removed for file in files)
        self.binary += sum(file.binary for file in files)
        changed = [file for file in files if file.added + file.removed]
        for file in changed:
            self.lines.add({file.file.replace("\n", "\\n"): file.added + file.removed})
        self.most = nlargest(MOST_CHANGED, [*self.most, *changed], key=lambda file: file.added + file.removed)

    def words(self, tables: Tables) -> Words:
        del tables
        what = f"a diff of {counted(self.files, 'file')} (+{self.added:,} -{self.removed:,})"
        return Words(what=what, facts=tuple(self._facts()), excerpts=tuple(self._excerpts()))

    def _facts(self) -> Iterator[str]:
        if self.most and self.files > 1:
            yield most_changed((file.file, file.added, file.removed) for file in self.most)
        for fact in (*folder_fact(self.lines.folders()), *extension_fact(self.lines.extensions())):
            yield f"changed lines {fact}"
        if self.binary:
            yield f"binary files: {self.binary:,}"
        yield from self.reader.facts()

    def _excerpts(self) -> Iterator[Excerpt]:
        """Return the first hunk, as far as its lines are not too long to be shown."""
        if self.reader.first is None:
            return
        lines = tuple(takewhile(lambda line: len(line) <= LONGEST_SHOWN, self.reader.excerpt))
        at = self.reader.first.line
        title = f"the first hunk, of {plain(self.reader.first.file.file, SHOWN_NAME)}"
        if lines:
            yield Excerpt(title=title, lines=lines, numbers=tuple(range(at, at + len(lines))))


FORM: Final = ParserForm(name="diff", title="a diff", looks_like=recognise, make=DiffParser)
