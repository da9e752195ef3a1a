"""Read the patches of files: headers of git, ``diff -u``, Subversion and Mercurial, and hunks by their counts.

A hunk says in ``@@ -a,b +c,d @@`` how many lines it has, and exactly these are its content, whatever they look like.
A text that does not keep these counts is no diff.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.forms.api import BATCH, LONGEST_LINE, DoesNotHoldError
from penstock.core.forms.git_text import LONGEST_NAME, NOTHING, name_in_header, unquote, without_prefixes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.api import Columns

STRAY: Final = 50  # one line in so many, and these few, may belong to no file: words of the tool around the diff
FEW_STRAY: Final = 20
STRIPPED: Final = 3  # blank lines of context that a last hunk may lack: tools strip the end of a text
MOST_LINES: Final = 16  # lines of the first hunk that are kept, to be shown

STARTS: Final = ("diff --git ", "diff --cc ", "diff --combined ", "Index: ", "diff -")
_COUNT = r"[0-9]{1,9}(?:,([0-9]{1,9}))?"
_HUNK = re.compile(rf"@@ -({_COUNT}) \+({_COUNT}) @@ ?(.*)")
_COMBINED = re.compile(r"@@@+((?: -[0-9]{1,9}(?:,[0-9]{1,9})?+){2,}+) \+[0-9]{1,9}(?:,([0-9]{1,9}))? @@@+ ?(.*)")
_PROPERTY = re.compile(rf"## -{_COUNT} \+{_COUNT} ##")
# Lines around the patches of files that say nothing of their content.
_KNOWN = re.compile(
    r"_{10}|Property changes on: |(?:Added|Modified|Deleted): svn:|svn:mime-type = |RCS file: |retrieving revision "
    r"|Common subdirectories: | \d+ files? changed| (?:create|delete) mode \d| (?:rename|copy|rewrite) .*\(\d+%\)"
    r"| mode change \d| .*? \| +(?:\d|Bin\b|Unmerged)|--\s*$"
)
_EPOCH: Final = ("1970-01-01", "1969-12-31", "Thu Jan 01 00:00:00 1970", "(revision 0)", "(nonexistent)")
_STATUS: Final = {"new file mode": "added", "deleted file mode": "deleted"}
_MOVES: Final = {"rename": "renamed", "copy": "copied"}
_EXTENDED = re.compile(
    r"(new file mode|deleted file mode)|(rename|copy) (from|to|old|new) (.*)|GIT binary patch"
    r"|(?:old mode|new mode|mode|similarity index|dissimilarity index|index) "
)


@dataclass(slots=True, kw_only=True)
class FileChange:
    """The changes of a diff to one file. ``line`` is where its part of the text begins."""

    line: int
    file: str
    old_file: str | None = None
    status: str = "modified"
    added: int = 0
    removed: int = 0
    hunks: int = 0
    binary: bool = False
    named: bool = False  # the header told the name for certain
    start: str = ""  # the mark that began it
    described: bool = False  # lines of the header told something of it
    labelled: bool = False  # both lines, --- and +++, were there
    epoch: tuple[bool, bool] = (False, False)  # whether these say that there was no such file before, or is none now


class Hunk(NamedTuple):
    line: int
    file: FileChange
    header: str
    added: int
    removed: int


@dataclass(slots=True, kw_only=True)
class PatchReader:
    """Takes lines outside of hunks, one by one, and reads each hunk to its end. The caller empties ``files`` and
    ``hunks`` as they come."""

    files: list[FileChange] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    current: FileChange | None = None
    stray: int = 0
    one_sided: int = 0  # files that ``diff -r`` found in one folder only
    combined: int = 0  # hunks of merges
    first: Hunk | None = None
    excerpt: list[str] = field(default_factory=list)  # the first lines of the first hunk, its header among them
    _old: str | None = None  # what stood in the last line with ---

    def feed(self, line: str, lines: Iterator[str], number: int) -> int:
        """Take the line of this number, and if it opens a hunk, all of that. Returns the number of the last line
        taken."""
        if line.startswith("@@"):
            return self._read_hunk(line, lines, number)
        if not line or line[0] == "\\":
            return number
        if line.startswith(STARTS):
            self._begin(line, number)
        elif line.startswith("--- "):
            self._take_old(line, number)
        elif line.startswith("+++ "):
            self._take_new(line)
        elif line.startswith(("literal ", "delta ")) and self.current is not None and self.current.binary:
            number += _skip_data(lines)
        elif match := _PROPERTY.match(line):
            number += walk_hunk(lines, *_lengths(match[1], match[2]))[0]
        elif line.startswith(("Binary file", "Cannot display: file marked as a binary type")):
            self._take_binary(line, number)
        elif line.startswith("Only in "):
            self.one_sided += 1
        elif line.startswith("==========") and self.current is not None and self.current.start == "Index:":
            self.current.start, self.current.described = "svn", True
        elif not self._take_extended(line) and not _KNOWN.match(line, 0, LONGEST_LINE):
            self.miss(line, number)
        return number

    def finish(self) -> None:
        """Close the file that is open: another begins, or the diff ends."""
        file, self.current, self._old = self.current, None, None
        if file is None:
            return
        if file.labelled or file.binary or file.described:
            self.files.append(file)
        else:
            self.stray += 1

    def facts(self) -> Iterator[str]:
        """Say what is not like other patches, and how many lines were left out."""
        if self.combined:
            yield f"hunks of merges: {self.combined:,}; in these, + counts lines that some parent does not have"
        if self.one_sided:
            yield f"found in one folder only, without a diff: {self.one_sided:,}"
        if self.stray:
            yield f"lines of no known kind: {self.stray:,}"

    def miss(self, line: str, number: int) -> None:
        """Count a line that belongs to no file. One that looks like content after a hunk shows wrong counts."""
        if self.current is not None and self.current.hunks and line[0] in "+- ":
            raise DoesNotHoldError("a hunk is longer than it says")
        self.stray += 1
        if self.stray > FEW_STRAY + number // STRAY:
            raise DoesNotHoldError("too many lines that belong to no file")

    def _begin(self, line: str, number: int) -> None:
        """Open a file at ``diff`` or ``Index:``, or learn more of the one that has only this header so far."""
        name: str | None = None
        start, _, rest = line[:LONGEST_NAME].partition(" ")
        if rest.startswith("--git "):
            start, rest = "git", rest[6:]
            name = name_in_header(rest)
        elif rest.startswith(("--cc ", "--combined ")):
            start, name = "combined", unquote(rest.partition(" ")[2])
        elif start == "Index:":
            name = rest
        file = self.current
        # Subversion and CVS write ``Index:`` above the header of a diff.
        if file is None or file.labelled or file.binary or start == "Index:" or file.start not in ("Index:", "svn"):
            self.finish()
            guess = without_prefixes(NOTHING, unquote(rest.rpartition(" ")[2]))[1]
            self.current = FileChange(line=number, file=name or guess, named=name is not None, start=start)
        elif start != "diff":
            file.start, file.file, file.named = start, name or file.file, True

    def _take_old(self, line: str, number: int) -> None:
        if self.current is None or self.current.labelled or self.current.hunks or self._old is not None:
            self.finish()
            self.current = FileChange(line=number, file="", start="---")
        self._old = line[4 : LONGEST_NAME + 4]

    def _take_new(self, line: str) -> None:
        file = self.current
        if file is None or self._old is None or file.labelled:
            raise DoesNotHoldError("a line with +++ and none with --- before it")
        (old, _, before), (new, _, after) = (text.partition("\t") for text in (self._old, line[4 : LONGEST_NAME + 4]))
        old, new = without_prefixes(unquote(old), unquote(new))
        file.labelled = True
        file.epoch = before.startswith(_EPOCH), after.startswith(_EPOCH)
        if not file.named:
            file.file = old if new == NOTHING else new
        if file.status == "modified":
            file.status = _status_of(old, new)

    def _take_extended(self, line: str) -> bool:
        """Return True if this is one of the lines between ``diff --git`` and the first hunk; what it tells is kept."""
        file = self.current
        if file is None or file.labelled or file.start not in ("git", "combined"):
            return False
        match = _EXTENDED.match(line, 0, LONGEST_LINE)
        if match is None:
            return False
        file.described = True
        kind, move, side, name = match.groups()
        if kind:
            file.status = _STATUS[kind]
        elif move:
            file.status = _MOVES[move]
            if side in ("from", "old"):
                file.old_file = unquote(name)
            else:
                file.file, file.named = unquote(name), True
        elif line.startswith("GIT"):
            file.binary = True
        return True

    def _take_binary(self, line: str, number: int) -> None:
        file = self.current
        if file is not None and not file.labelled and not file.binary:
            file.binary = True
            if line.endswith(" has changed"):  # Mercurial tells the name here, and not for certain before
                file.file = line[12:-12]
        elif line.startswith("Binary files ") and line.endswith(" differ"):
            self.finish()
            old, new = without_prefixes(*_halves(line[13 : LONGEST_NAME * 2][:-7]))
            status = _status_of(old, new)
            file = FileChange(line=number, file=old if new == NOTHING else new, status=status, binary=True)
            self.current = file
        else:
            self.miss(line, number)

    def _read_hunk(self, line: str, lines: Iterator[str], number: int) -> int:
        file = self.current
        if file is None or not (file.labelled or file.start == "git"):
            raise DoesNotHoldError("a hunk of no file")
        if self.first is None:
            self.excerpt.append(line)
            lines = _keep(lines, self.excerpt)
        if match := _HUNK.match(line, 0, LONGEST_LINE):
            old, before, new, after, header = match.groups()
            taken, added, removed = walk_hunk(lines, *_lengths(before, after))
            if file.epoch[0] and old == "0,0":
                file.status = "added"
            elif file.epoch[1] and new == "0,0":
                file.status = "deleted"
        elif match := _COMBINED.match(line, 0, LONGEST_LINE):
            parents, after, header = match.groups()
            befores = [int(one.partition(",")[2] or 1) for one in parents.split()]
            taken, added, removed = walk_combined(lines, befores, int(after or 1))
            self.combined += 1
        else:
            raise DoesNotHoldError("a hunk without counts")
        file.hunks += 1
        file.added += added
        file.removed += removed
        hunk = Hunk(number, file, header, added, removed)
        self.hunks.append(hunk)
        self.first = self.first or hunk
        return number + taken


def file_columns(files: list[FileChange], *more: str) -> Columns:
    """Return the columns of files that all tables of them have, and ``more``; a binary file has no lines to count."""
    columns: Columns = {
        "line": [file.line for file in files],
        "file": [file.file for file in files],
        "status": [file.status for file in files],
        "added": [None if file.binary else file.added for file in files],
        "removed": [None if file.binary else file.removed for file in files],
        **{name: [getattr(file, name) for file in files] for name in more},
    }
    moves = [file.old_file for file in files]
    return {**columns, "old_file": moves} if any(moves) else columns


def walk_hunk(lines: Iterator[str], old: int, new: int) -> tuple[int, int, int]:
    """Take the lines of a hunk of so many old and new lines: how many were taken, added and removed."""
    taken = added = removed = 0
    while old or new:
        # Each line is one of the old, of the new, or of both: there are at least so many left.
        block = list(islice(lines, min(max(old, new), BATCH)))
        if not block:
            if old == new <= STRIPPED:
                break
            raise DoesNotHoldError("the text ends within a hunk")
        marks = "".join([line[:1] or " " for line in block])
        plus, minus, same = marks.count("+"), marks.count("-"), marks.count(" ")
        old -= same + minus
        new -= same + plus
        if plus + minus + same + marks.count("\\") != len(block) or old < 0 or new < 0:
            raise DoesNotHoldError("a hunk does not have the lines that it says")
        taken += len(block)
        added += plus
        removed += minus
    return taken, added, removed


def walk_combined(lines: Iterator[str], olds: list[int], new: int) -> tuple[int, int, int]:
    """Return the same for the hunk of a merge, whose lines have a mark for each parent. Added is a line that some
    parent does not have, removed one that the merge does not have."""
    taken = added = removed = 0
    left = [*olds, new]
    while any(left):
        line = next(lines, None)
        if line is None:
            raise DoesNotHoldError("the text ends within a hunk")
        taken += 1
        if line.startswith("\\"):
            continue
        marks = line[: len(olds)].ljust(len(olds))
        gone = "-" in marks
        if marks.strip("- " if gone else "+ "):
            raise DoesNotHoldError("a hunk has a line without marks")
        for at, mark in enumerate(marks):
            left[at] -= mark == ("-" if gone else " ")
        left[-1] -= not gone
        if min(left) < 0:
            raise DoesNotHoldError("a hunk does not have the lines that it says")
        removed += gone
        added += "+" in marks
    return taken, added, removed


def _status_of(old: str, new: str) -> str:
    return "added" if old == NOTHING else "deleted" if new == NOTHING else "modified"


def _halves(names: str) -> tuple[str, str]:
    """Split two names with ``and`` between them, which may be part of them too: then they are of one length."""
    middle = len(names) // 2 - 2
    if names[middle : middle + 5] == " and ":
        return names[:middle], names[middle + 5 :]
    old, _, new = names.partition(" and ")
    return old, new


def _lengths(before: str | None, after: str | None) -> tuple[int, int]:
    """Count how many lines a hunk has, old and new; one where its header does not say."""
    return 1 if before is None else int(before), 1 if after is None else int(after)


def _skip_data(lines: Iterator[str]) -> int:
    """Take the lines of a binary patch, up to the blank one after them: how many they are."""
    taken = 0
    for line in lines:
        taken += 1
        if not line:
            break
    return taken


def _keep(lines: Iterator[str], kept: list[str]) -> Iterator[str]:
    for line in lines:
        if len(kept) < MOST_LINES:
            kept.append(line)
        yield line
