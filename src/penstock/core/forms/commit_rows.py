"""The tables of commits and of the files that they change, and what is said of them.

``items`` has a row for each commit: ``line`` where it begins, ``commit``, ``author``, ``email``, ``date``, ``subject``
(the first paragraph in one line, as git takes it, up to 2,000 characters), ``merge``, ``refs`` (branches and tags), and
``files``, ``added`` and ``removed`` where the text tells them. ``files`` has a row for each file of each commit:
``line``, ``commit``, ``file``, ``status``, ``added``, ``removed``; ``changed`` (lines added and removed together) where
only that is told; ``old_file`` of a file that was renamed or copied. Columns that the text tells nothing of are left
out.

Files are listed by --stat, --shortstat, --numstat, --name-status, --raw and --name-only. --stat tells how many lines
changed, and draws how many of these were added; the drawing is scaled, so only its sums for the whole commit are taken.
Lists are long: each is matched as one text, and line by line only if it has other lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import BATCH, LONGEST_LINE, Excerpt
from penstock.core.forms.git_text import MOST_CHANGED, most_changed, moved_name, unquote
from penstock.core.forms.patches import file_columns
from penstock.core.forms.path_counts import PathCounts
from penstock.core.text import counted, split_words, tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.forms.api import Batch, Columns
    from penstock.core.forms.patches import PatchReader
    from penstock.core.forms.reading import Table


MOST_NAMED: Final = 8  # authors and files that are named with their counts
EXCERPT: Final = 10  # lines of a commit that are shown
CUT: Final = "..."  # the beginning of a name that --stat has no room for
LONGEST_SUBJECT: Final = 2_000  # characters; a longer paragraph is cut
LONGEST_SHOWN: Final = 400  # characters of a line that is shown
# How a text can tell the files of a commit, from what tells the most: a log may have several of them.
PATCH, NUMSTAT, STATUS, STAT, NAMES = range(5)
COMMIT_COLUMNS: Final = split_words("line commit author email date subject merge files added removed refs")
FILE_COLUMNS: Final = ("line", "commit", "file", "status", "added", "removed", "changed", "old_file")

# A line of each of these lists; what is told of a binary file is no number.
_LISTED: Final = {
    NUMSTAT: r"(?P<added>[0-9]{1,9}|-)\t(?P<removed>[0-9]{1,9}|-)\t(?P<file>[^\t\n]+)",
    STATUS: r"(?::[0-9: a-f.]+ )?(?P<status>[ACDMRTUXB]{1,16})[0-9]{0,3}\t(?P<file>[^\t\n]+)(?:\t(?P<moved>[^\t\n]+))?",
    STAT: r" (?P<file>.*)\| ++(?:(?P<changed>[0-9]{1,9})(?: [+-]*)?|Bin(?: .*)?|Unmerged)",
}
_LINE: Final = {source: re.compile(f"^{pattern}$", re.MULTILINE) for source, pattern in _LISTED.items()}
_SUMMARY = re.compile(
    r" ([0-9]{1,9}) files? changed(?:, ([0-9]{1,9}) insertions?\(\+\))?(?:, ([0-9]{1,9}) deletions?\(-\))?"
)
_SAYS_NOTHING = re.compile(
    r" (?:create|delete) mode [0-9]| (?:rename|copy|rewrite) .*\([0-9]+%\)| mode change [0-9]| \.\.\.$| +[0-9.]+% "
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


@dataclass(slots=True)
class Commit:
    """A commit as far as it was read. ``lists`` are the columns of its files, as each list tells them; ``header`` and
    ``message`` are its first lines, to be shown."""

    line: int
    commit: str
    author: str | None = None
    email: str | None = None
    date: str | None = None
    subject: str | None = None
    merge: bool | None = None
    refs: str | None = None
    files: int | None = None
    added: int | None = None
    removed: int | None = None
    lists: tuple[tuple[int, Columns], ...] = ()
    header: Sequence[str] = ()
    message: Sequence[str] = ()

    def add(self, source: int, **columns: list[Any]) -> None:
        """Take the files of one list."""
        self.lists += ((source, columns),)


@dataclass(slots=True, kw_only=True)
class CommitRows:
    """Rows as they come, and the counts that are told of all of them."""

    commits: list[Commit] = field(default_factory=list)
    files: Columns = field(default_factory=lambda: {"line": [], "commit": []})
    paths: list[str] = field(default_factory=list)  # of files, once for each commit, that are not counted yet
    names: PathCounts = field(default_factory=PathCounts)  # commits by file
    only: list[Columns] = field(default_factory=list)  # the files of the first commit, while there is no other
    latest: dict[str, None] = field(default_factory=dict)  # the files of the last commit
    first: Commit | None = None
    last: Commit | None = None
    merges: int = 0
    without_files: int = 0
    repeated: int = 0  # rows for a commit that has one already: ``-m`` shows a merge once for each parent
    vague: int = 0  # names that git cut, or left out
    added: int = 0
    removed: int = 0
    counted: bool = False  # lines were told

    @property
    def full(self) -> bool:
        """Return True if it is time for a batch."""
        return len(self.commits) >= BATCH or len(self.files["line"]) >= BATCH

    def close(self, commit: Commit, reader: PatchReader) -> None:
        """Take a commit that is complete, with the patches of its files."""
        reader.finish()
        if reader.files:
            commit.add(PATCH, **file_columns(reader.files))
            reader.files = []
        last, self.last = self.last, commit
        self.only = []
        again = last is not None and last.commit == commit.commit
        self.repeated += again
        if last is None:
            self.first = commit
        elif last is not self.first:
            last.header = last.message = ()
        if commit.merge and not again:
            self.merges += 1
        if commit.lists:
            self._take_files(commit, again=again)
        elif commit.files is None:
            self.without_files += 1
        if commit.added is not None:
            self.counted = True
            self.added += commit.added
            self.removed += commit.removed or 0
        self.commits.append(commit)

    def _take_files(self, commit: Commit, *, again: bool) -> None:
        """Return the files of a commit, by the list that tells the most of them."""
        best = min(source for source, _ in commit.lists)
        lists = [one for source, one in commit.lists if source == best]
        commit.lists = ()
        self.only = lists if commit is self.first else []
        names: dict[str, None] = {}
        for one in lists:
            self._take_cells(commit.commit, one)
            names.update(dict.fromkeys(one["file"]))
        self.paths += [name for name in names if name not in self.latest] if again else names
        self.latest = {**self.latest, **names} if again else names
        count = sum(len(one["file"]) for one in lists)
        if best == STAT:
            self.vague += max(0, (commit.files or 0) - count) + sum([name.startswith(CUT) for name in names])
        if best != STAT or commit.files is None:
            commit.files = count
        if best in (PATCH, NUMSTAT):
            commit.added = sum(sum(filter(None, one["added"])) for one in lists)
            commit.removed = sum(sum(filter(None, one["removed"])) for one in lists)

    def _take_cells(self, commit: str, listed: Columns) -> None:
        """Add the rows of one list; a column begins with the first list that tells it."""
        before, size = len(self.files["line"]), len(listed["file"])
        listed["commit"] = [commit] * size
        for name, cells in listed.items():
            if name not in self.files:
                self.files[name] = [None] * before
            self.files[name] += cells
        if len(self.files) > len(listed):
            for name in self.files.keys() - listed.keys():
                self.files[name] += [None] * size

    def batches(self) -> Iterator[Batch]:
        """Return the rows since the last batch."""
        self.names.add(self.paths)
        commits, files = self.commits, self.files
        self.commits, self.paths, self.files = [], [], {"line": [], "commit": []}
        columns = {name: [getattr(one, name) for one in commits] for name in COMMIT_COLUMNS}
        filled = ["line", *(name for name, cells in columns.items() if cells.count(None) < len(cells))]
        yield {"items": {name: columns[name] for name in filled}}
        for at in range(0, len(files["line"]), BATCH):
            yield {"files": {name: files[name][at : at + BATCH] for name in FILE_COLUMNS if name in files}}

    def touching(self) -> str:
        """Write `` touching 41 files (+1,204 -930)``, as far as the text tells it."""
        lines = f" (+{self.added:,} -{self.removed:,})" if self.counted else ""
        if not self.names.complete:
            return (f" touching {self.names.amount('file')}" if not self.vague else "") + lines
        if not self.vague:
            return (f" touching {self.names.amount('file')}" if self.names.counts else "") + lines
        # A name that git cut is that of a file with a whole name, or of another one.
        whole = sum(not name.startswith(CUT) for name in self.names.counts)
        return f" touching {whole:,} to {counted(whole + self.vague, 'file')}{lines}"

    def facts(self, items: Table) -> Iterator[str]:
        """Return what to say of all commits, the most useful first."""
        author = items.field("author")
        if author is not None and (authors := author.column.values()) and len(authors) > 1:
            yield f"commits by author: {tally(authors, MOST_NAMED)}"
        if self.only and (files := _ranked(self.only)):
            yield most_changed(files[:MOST_CHANGED])
        if self.names.complete and (ranked := self.names.counts.most_common()) and ranked[0][1] > 1:
            # Names that git cut may stand for the same file, or for several: how many more there are is not known.
            counts = tally(ranked[:MOST_NAMED] if self.vague else ranked, MOST_NAMED)
            yield f"files changed by most commits: {counts}"
        if self.merges:
            yield f"merges: {self.merges:,}"
        if self.repeated:
            yield f"rows for a commit that has one already, of another parent: {self.repeated:,}"
        if self.vague:
            yield f"names of files that git shortened or left out: {self.vague:,}"

    def excerpts(self) -> Iterator[Excerpt]:
        """Return the first and the last commit."""
        ends = {"first commit": self.first, "last commit": self.last if self.last is not self.first else None}
        for title, commit in ends.items():
            if commit is None:
                continue
            lines = (*commit.header, *commit.message)[:EXCERPT]
            if max(map(len, lines)) <= LONGEST_SHOWN:
                yield Excerpt(title=title, lines=lines, numbers=tuple(range(commit.line, commit.line + len(lines))))


def authors_of(items: Table) -> str:
    """Write ``by 12 authors``; nothing where the text does not tell them, or there are too many to count."""
    author = items.field("author")
    different = author.column.different if author is not None else None
    return f" by {counted(different, 'author')}" if different else ""


def _ranked(lists: Iterable[Columns]) -> list[tuple[str, int, int]]:
    """Sort files by the lines added and removed, those with the most first; binary ones, and others without any, are
    left out."""
    rows = [
        row for one in lists if "added" in one for row in zip(one["file"], one["added"], one["removed"], strict=True)
    ]
    counts = [(name, added or 0, removed or 0) for name, added, removed in rows]
    return sorted((one for one in counts if one[1] + one[2]), key=lambda one: -one[1] - one[2])


def tells_files(lines: Iterable[str]) -> bool:
    """Return True if some of these lines list files with more than their names, or are patches of them."""
    return any(
        line.startswith(("diff --git ", "diff --cc "))
        or any(one.fullmatch(line) for one in (_SUMMARY, _LINE[NUMSTAT], _LINE[STATUS]))
        for line in lines
    )


def is_listed(line: str) -> str | None:
    """Return the name of the file that a line of --stat or --numstat tells; empty for a summary, None for other
    lines."""
    match = _LINE[NUMSTAT].fullmatch(line) or _LINE[STAT].fullmatch(line, 0, LONGEST_LINE)
    return match["file"].strip() if match else "" if _SUMMARY.fullmatch(line) else None


def take_list(commit: Commit, block: Sequence[str], at: int, *, names: bool) -> int:
    """Add the files that these lines list, of which the first has this number, to a commit. Returns how many lines are
    none of these lists; with ``names``, any line that is not indented is the name of a file."""
    if block[0] == "---":
        block, at = block[1:], at + 1
    first = block[0] if block else "Notes:"
    if first.startswith(("Notes:", "Notes (")):
        return 0
    if first[0] == " ":
        return _take_lines(commit, STAT, block, at)
    if "\t" in first:
        return _take_lines(commit, NUMSTAT if first[0] in "-0123456789" else STATUS, block, at)
    if names and len(set(block)) == len(block):  # git lists no file twice
        files = [unquote(line) if line[0] == '"' else line for line in block]
        commit.add(NAMES, line=list(range(at, at + len(block))), file=files)
        return 0
    return len(block)


def _take_lines(commit: Commit, source: int, block: Sequence[str], at: int) -> int:
    """Add the files of one list, and return how many lines are none of it, nor say anything of other files."""
    if source == STAT and _says_nothing(commit, block[-1]):
        block = block[:-1]
    numbers, rows, others = list(range(at, at + len(block))), _LINE[source].findall("\n".join(block)), 0
    if len(rows) != len(block):  # line by line only if there are other lines
        matches = [_LINE[source].fullmatch(line) for line in block]
        numbers = list(compress(numbers, matches))
        rows = [match.groups("") for match in matches if match]
        rest = [line for line, match in zip(block, matches, strict=True) if not match]
        others = sum(source != STAT or not _says_nothing(commit, line) for line in rest)
    columns: Columns = dict(zip(_LINE[source].groupindex, map(list, zip(*rows, strict=True)), strict=bool(rows)))
    if source == STATUS and rows:
        moves, names = columns.pop("moved"), list(map(unquote, columns["file"]))
        columns["file"] = names
        words = {one: _WORDS.get("M" if len(set(one)) > 1 else one[0]) for one in set(columns["status"])}
        columns["status"] = [words[one] for one in columns["status"]]
        if any(moves):
            columns["file"] = [unquote(moved) if moved else name for name, moved in zip(names, moves, strict=True)]
            columns["old_file"] = [name if moved else None for name, moved in zip(names, moves, strict=True)]
    elif rows:
        names = [name.rstrip() for name in columns["file"]] if source == STAT else columns["file"]
        columns["file"] = [moved_name(name) if " => " in name or name[:1] == '"' else name for name in names]
        for name in [name for name in columns if name != "file"]:
            is_number = all(map(str.isdecimal, columns[name]))
            texts = columns[name]
            columns[name] = (
                list(map(int, texts)) if is_number else [int(one) if one.isdecimal() else None for one in texts]
            )
    if rows:
        commit.add(source, **{"line": numbers, **columns})
    return others


def _says_nothing(commit: Commit, line: str) -> bool:
    """Return True if this line of --stat tells no file that is not listed: its sum, or what --summary adds."""
    if summary := _SUMMARY.fullmatch(line):
        commit.files = int(summary[1])
        commit.added, commit.removed = int(summary[2] or 0), int(summary[3] or 0)
    return summary is not None or _SAYS_NOTHING.match(line, 0, LONGEST_LINE) is not None
