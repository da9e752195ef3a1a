"""Unified diffs, as mcp-server-git (git_diff) and github-mcp-server (pull_request_read) return them: of git, with all
that its headers say, ``diff -u`` and ``diff -ru``, Subversion, Mercurial.

``items`` has a row for each file: ``line`` where its part begins, ``file`` (the new name, without ``a/`` and ``b/`` and
without git's quotes), ``status`` (modified, added, deleted, renamed, copied), lines ``added`` and ``removed``,
``hunks``, ``binary``, and ``old_file`` if any was renamed or copied. A binary file has no lines to count. ``hunks`` has
a row for each hunk: ``line``, ``file``, ``header`` (the function that it is in), ``added``, ``removed``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, DoesNotHoldError, Options, ParserForm, Sample, Words
from penstock.core.forms.patches import STARTS, FileChange, PatchReader, file_columns
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.api import Batch, Batches, Lines, Tables

MAX_PREAMBLE: Final = 8  # A tool may write at most 8 lines before a diff, not counting a diffstat.
MAX_CHANGED: Final = 6  # Files that are named with their lines, those with most.
MAX_NAME: Final = 100  # At most 100 characters of a name are shown.


def recognise(sample: Sample) -> Options | None:
    """Return no options if the text begins like a diff: a header of a file after few other lines, and hunks, or headers
    of git."""
    before = 0
    for line, after in zip(sample.head, (*sample.head[1:], ""), strict=False):
        if line.startswith(STARTS) or (line.startswith("--- ") and (after.startswith("+++ ") or not after)):
            break
        before += bool(line.strip()) and " | " not in line
        if before > MAX_PREAMBLE:
            return None
    return {} if any(line.startswith(("@@ -", "diff --git ")) for line in sample.lines) else None


@dataclass(slots=True, kw_only=True)
class DiffParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "files", "hunks": "hunks"})
    reader: PatchReader = field(default_factory=PatchReader)
    files: int = 0
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
        self.files += len(files)
        changed = [file for file in files if file.added + file.removed]
        self.most = nlargest(MAX_CHANGED, [*self.most, *changed], key=lambda file: file.added + file.removed)
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

    def words(self, tables: Tables) -> Words:
        added, removed = (field.column.total for name in ("added", "removed") if (field := tables[0].field(name)))
        what = f"a diff of {counted(self.files, 'file')} (+{added:,} -{removed:,})"
        most = " · ".join(f"{plain(one.file, MAX_NAME)} +{one.added:,} -{one.removed:,}" for one in self.most)
        facts = [f"most changed: {most}"] if self.most and self.files > 1 else []
        return Words(what=what, facts=(*facts, *self.reader.facts()))


FORM: Final = ParserForm(name="diff", title="a diff", looks_like=recognise, make=DiffParser, reads_joined=True)
