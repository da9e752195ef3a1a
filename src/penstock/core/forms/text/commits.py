"""``git log`` and ``git show``, as mcp-server-git (git_log, git_show) and servers that run git return them: commits
first, then the files that they change.

Read are git's formats short, medium, full and fuller, with decorations, notes and signatures, with --stat, --shortstat,
--numstat, --name-status or -p; and ``Commit: ...``, ``Author: ...``, ``Date: ...``, ``Message: ...`` as mcp-server-git
writes it. Dates are in the order of ISO 8601 with the offset of the text, ``2026-04-08 21:04:03 -0700``.

``items`` has a row for each commit: ``line`` where it begins, ``commit``, ``author``, ``email``, ``date``, ``subject``
(the first paragraph in one line), ``merge``, ``refs`` (branches and tags), and ``files``, ``added`` and ``removed`` if
the text says how many. ``files`` has a row for each file of each commit: ``line``, ``commit``, ``file``, ``status``,
``added``, ``removed``; ``changed`` (lines added and removed together, of --stat); ``old_file`` of a file that was
renamed. --stat draws how many lines were added to a file, but scaled, so only its sums for the commit are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import LONGEST_LINE, DoesNotHoldError, ParserForm, Words
from penstock.core.forms.git_text import iso_date, moved_name, person, unquote
from penstock.core.forms.line_parser import RowBatches
from penstock.core.forms.patches import PatchReader
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.api import Batches, Lines, Options, Sample, Tables

MAX_PREAMBLE: Final = 5  # A tool may write at most 5 lines before a log.
MAX_SUBJECT: Final = 2_000  # A subject has at most 2,000 characters. A longer paragraph is cut.
LISTS: Final = ("patch", "numstat", "status", "stat")  # Lists of a commit's files, from the one that says most.
COLUMNS: Final = {
    "items": "line commit author email date subject merge files added removed refs",
    "files": "line commit file status added removed changed old_file",
}

_START = re.compile(r"commit ([0-9a-f]{7,64})(?: \((?:from )?([^()]*)\).*)?|Commit: '?([0-9a-f]{7,64})'?")
_HEADER = re.compile(r"(?:Author|Merge|Date|Notes): |gpg: ")
_FIELD = re.compile(r"(Author|AuthorDate|Date|Merge|Message): +(.*)")
_OTHER_FIELD = re.compile(r"(?:Commit|CommitDate|Notes(?: \([^)]*\))?):|gpg: |[A-Z][A-Za-z ]{0,30}:")
_PATCHES: Final = ("diff --git ", "Index: ", "--- ")
# Lines that list a file. What is said of a binary file is no number.
_NUMSTAT = re.compile(r"([0-9]{1,9}|-)\t([0-9]{1,9}|-)\t(.+)")
_STATUS = re.compile(r"([ACDMRTUXB])[0-9]{0,3}\t([^\t]+)(?:\t([^\t]+))?")
_STAT = re.compile(r" (\S.*?) +\| +(?:([0-9]{1,9})(?: [+-]*)?|Bin(?: .*)?|Unmerged)")
_SUMMARY = re.compile(
    r" ([0-9]{1,9}) files? changed(?:, ([0-9]{1,9}) insertions?\(\+\))?(?:, ([0-9]{1,9}) deletions?\(-\))?"
)
_SAYS_NOTHING = re.compile(
    r" (?:create|delete) mode [0-9]| (?:rename|copy|rewrite) .*\([0-9]+%\)| mode change [0-9]| \.\.\.$|---$"
)
_WORDS: Final = {
    "A": "added",
    "C": "copied",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type changed",
    "U": "unmerged",
}


def recognise(sample: Sample) -> Options | None:
    """Return no options if a commit is at the beginning of the text."""
    head = [line for line in sample.head if line.strip()][: MAX_PREAMBLE + 1]
    starts = any(_START.fullmatch(one) and _HEADER.match(two) for one, two in pairwise(head))
    return {} if starts else None


@dataclass(slots=True)
class Commit:
    """A commit as far as it was read."""

    line: int
    commit: str
    refs: str | None = None
    author: str | None = None
    email: str | None = None
    date: str | None = None
    subject: str | None = None
    merge: bool | None = None
    files: int | None = None
    added: int | None = None
    removed: int | None = None
    is_ended: bool = False  # the first paragraph of the message
    is_loose: bool = False  # its message is not indented, and ends where the next commit begins


@dataclass(slots=True, kw_only=True)
class CommitParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "commits", "files": "changes of files"})
    rows: RowBatches = field(default_factory=lambda: RowBatches(**COLUMNS))
    reader: PatchReader = field(default_factory=PatchReader)
    commit: Commit | None = None
    listed: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)  # the files of this commit, by kind of list

    def parse(self, lines: Lines) -> Batches:
        source, number = iter(lines), 0
        for line in source:
            number = self._read(line, source, number + 1)
            if self.rows.is_full:
                yield from _filled(self.rows.take())
        self._close()
        yield from _filled(self.rows.take())

    def _read(self, line: str, lines: Iterator[str], number: int) -> int:
        """Take the line of this number, and if it opens a hunk, all of that. Returns the number of the last line
        taken."""
        commit, reader = self.commit, self.reader
        start = _START.fullmatch(line, 0, LONGEST_LINE) if line.startswith(("commit ", "Commit: ")) else None
        if start is not None:
            self._close()
            name, refs, other = start.groups()
            if commit is not None and commit.commit == (name or other):
                raise DoesNotHoldError("a merge, once for each parent")
            self.commit = Commit(number, name or other, refs=None if "(from " in line else refs)
            self.commit.merge = None if other else False
        elif commit is None:
            if line:
                reader.miss(line, number)
        elif reader.current is not None or line.startswith(_PATCHES):
            number = reader.feed(line, lines, number)
            reader.hunks.clear()
        elif line.startswith("    "):
            _take_message(commit, line[4:])
        elif not line:
            commit.is_ended = commit.subject is not None
        elif not commit.is_loose:
            self._take_other(commit, line, number)
        return number

    def _take_other(self, commit: Commit, line: str, number: int) -> None:
        """Take a line of the header, or one that lists a file."""
        cut = line[:LONGEST_LINE]
        if (match := _FIELD.fullmatch(cut)) is not None and not commit.subject:
            _take_field(commit, match[1], match[2])
        elif match := _NUMSTAT.fullmatch(cut):
            added, removed = (int(one) if one.isdecimal() else None for one in match.group(1, 2))
            self._list("numstat", number, moved_name(match[3]), counts=(added, removed))
        elif match := _STATUS.fullmatch(cut):
            old, new = unquote(match[2]), match[3]
            name, before = (unquote(new), old) if new else (old, None)
            self._list("status", number, name, status=_WORDS.get(match[1]), old_file=before)
        elif match := _STAT.fullmatch(cut):
            self._list("stat", number, moved_name(match[1]), changed=int(match[2]) if match[2] else None)
        elif match := _SUMMARY.fullmatch(cut):
            commit.files, commit.added, commit.removed = (int(one or 0) for one in match.groups())
        elif not (_SAYS_NOTHING.match(cut) or _OTHER_FIELD.match(cut)):
            self.reader.miss(line, number)

    def _close(self) -> None:
        """Add the rows of the commit that has ended."""
        commit = self.commit
        self.reader.finish()
        for one in self.reader.files:
            changed = (None, None) if one.binary else (one.added, one.removed)
            self._list("patch", one.line, one.file, status=one.status, counts=changed, old_file=one.old_file)
        self.reader.files = []
        if commit is None:
            return
        files = next((self.listed[kind] for kind in LISTS if self.listed.get(kind)), [])
        self.listed = {}
        if files and commit.files is None:
            commit.files = len(files)
        counts = [row[4:6] for row in files if row[4] is not None]
        if counts:
            commit.added, commit.removed = (sum(column) for column in zip(*counts, strict=True))
        for row in files:
            self.rows.add("files", *row)
        self.rows.add("items", *(getattr(commit, name) for name in COLUMNS["items"].split()))

    def _list(
        self,
        kind: str,
        line: int,
        file: str,
        *,
        status: str | None = None,
        counts: tuple[int | None, int | None] = (None, None),
        changed: int | None = None,
        old_file: str | None = None,
    ) -> None:
        """Add a file of the commit that is read, as one kind of list has it."""
        name = self.commit.commit if self.commit is not None else ""
        self.listed.setdefault(kind, []).append((line, name, file, status, *counts, changed, old_file))

    def words(self, tables: Tables) -> Words:
        items = tables[0]
        author, files, added, removed = (items.field(name) for name in ("author", "files", "added", "removed"))
        authors = author.column.different if author is not None else None
        what = counted(items.count, "commit") + (f" by {counted(authors, 'author')}" if authors else "")
        if files is not None:
            what += f", {counted(int(files.column.total), 'change of a file', 'changes of files')}"
        if added is not None and removed is not None:
            what += f" (+{added.column.total:,} -{removed.column.total:,})"
        return Words(what=what, facts=tuple(self.reader.facts()))


def _take_message(commit: Commit, line: str) -> None:
    """Take a line of a message. Its first paragraph is the subject."""
    if commit.is_ended:
        return
    if text := line.strip():
        commit.subject = f"{commit.subject} {text}"[:MAX_SUBJECT] if commit.subject else text[:MAX_SUBJECT]
    else:
        commit.is_ended = True


def _take_field(commit: Commit, key: str, value: str) -> None:
    if key == "Author":
        commit.author, commit.email = person(
            value[12:].removesuffix('">') if value.startswith('<git.Actor "') else value
        )
    elif key == "Merge":
        commit.merge = True
    elif key != "Message":
        commit.date = iso_date(value)
    elif len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:  # Python has written it in quotes.
        paragraph = value[1:-1].removesuffix("\\n").partition("\\n\\n")[0]
        commit.subject = paragraph.replace("\\n", " ").replace("\\'", "'")[:MAX_SUBJECT] or None
    else:
        commit.subject, commit.is_loose = value.strip()[:MAX_SUBJECT] or None, True


def _filled(batches: Batches) -> Batches:
    """Yield batches without the columns that are empty, but that of the lines."""
    for batch in batches:
        for table, columns in batch.items():
            yield {table: {name: cells for name, cells in columns.items() if name == "line" or _has_any(cells)}}


def _has_any(cells: list[Any]) -> bool:
    return cells.count(None) < len(cells)


FORM: Final = ParserForm(name="commits", title="git log", looks_like=recognise, make=CommitParser, reads_joined=True)
