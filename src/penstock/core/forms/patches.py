"""Read the patches of files: headers of git, ``diff -u``, Subversion and Mercurial, and hunks by their counts.

A hunk says in ``@@ -a,b +c,d @@`` how many lines it has, and exactly these are its content, whatever they look like.
A text that does not keep these counts is no diff. Hunks of merges (``@@@``) are not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.core.forms.api import BATCH, LONGEST_LINE, DoesNotHoldError
from penstock.core.forms.git_text import MAX_QUOTED_NAME, NOTHING, name_in_header, unquote, without_prefixes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.api import Columns

MAX_STRAY_RATIO: Final = 50  # At most 1 line in 50 belongs to no file, such as words of the tool around the diff.
MAX_STRAY: Final = 20  # The first 20 lines that belong to no file are always allowed.
MAX_STRIPPED: Final = 3  # A last hunk may lack at most 3 blank lines of context, because tools strip the end of a text.

STARTS: Final = ("diff --git ", "Index: ", "diff -")
_COUNT = r"[0-9]{1,9}(?:,([0-9]{1,9}))?"
_HUNK = re.compile(rf"@@ -{_COUNT} \+{_COUNT} @@ ?(.*)")
# Lines of headers that say nothing of the content of a file, and those around patches: a diffstat, a signature.
_KNOWN = re.compile(
    r"(?:old mode|new mode|mode|similarity index|dissimilarity index|index) |={10}|_{10}"
    r"|Property changes on: |(?:Added|Modified|Deleted): svn:|svn:mime-type = "
    r"| \d+ files? changed| (?:create|delete) mode \d| (?:rename|copy|rewrite) .*\(\d+%\)"
    r"| mode change \d| .*? \| +(?:\d|Bin\b|Unmerged)|--\s*$"
)
_STATUS = re.compile(r"(new|deleted) file mode|(rename|copy) (from|to) (.*)")
_EPOCH: Final = ("1970-01-01", "1969-12-31", "Thu Jan 01 00:00:00 1970", "(revision 0)", "(nonexistent)")
_STATUSES: Final = {"new": "added", "deleted": "deleted", "rename": "renamed", "copy": "copied"}


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
    is_git: bool = False
    is_named: bool = False  # the header has the name for certain
    is_labelled: bool = False  # both lines, --- and +++, were there
    is_described: bool = False  # a line of git's header said something


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
    _old: str | None = None  # the name in the last line with ---

    def feed(self, line: str, lines: Iterator[str], number: int) -> int:
        """Take the line of this number, and if it opens a hunk, all of that. Returns the number of the last line
        taken."""
        file = self.current
        if line.startswith("@@"):
            return self._read_hunk(line, lines, number)
        if not line or line[0] == "\\":
            return number
        if line.startswith(STARTS):
            self._begin(line, number)
        elif line.startswith("--- "):
            if file is None or file.is_labelled or self._old is not None:
                self._open(FileChange(line=number, file=""))
            self._old = line[4 : MAX_QUOTED_NAME + 4]
        elif line.startswith("+++ "):
            self._label(line)
        elif line.startswith(("Binary files ", "GIT binary patch", "Cannot display: ")):
            self._take_binary(line, number)
        elif file is not None and file.binary and line.startswith(("literal ", "delta ")):
            number += sum(1 for _ in iter(lambda: next(lines, ""), ""))  # up to the blank line after the data
        elif file is not None and file.is_git and (match := _STATUS.match(line, 0, LONGEST_LINE)):
            self._take_status(file, match)
        elif _KNOWN.match(line, 0, LONGEST_LINE):
            if file is not None:
                file.is_described = True
        else:
            self.miss(line, number)
        return number

    def finish(self) -> None:
        """Close the file that is open: another begins, or the diff ends."""
        file, self.current, self._old = self.current, None, None
        if file is not None and (file.is_labelled or file.binary or file.is_described):
            self.files.append(file)
        elif file is not None:
            self.stray += 1

    def facts(self) -> list[str]:
        return [f"lines of no known kind: {self.stray:,}"] if self.stray else []

    def miss(self, line: str, number: int) -> None:
        """Count a line that belongs to no file. One that looks like content after a hunk shows wrong counts."""
        if self.current is not None and self.current.hunks and line[0] in "+- ":
            raise DoesNotHoldError("a hunk is longer than it says")
        self.stray += 1
        if self.stray > MAX_STRAY + number // MAX_STRAY_RATIO:
            raise DoesNotHoldError("too many lines that belong to no file")

    def _open(self, file: FileChange) -> None:
        self.finish()
        self.current = file

    def _begin(self, line: str, number: int) -> None:
        """Open a file at ``diff`` or ``Index:``; both may be above one header."""
        kind, _, rest = line[:MAX_QUOTED_NAME].partition(" ")
        is_git = rest.startswith("--git ")
        name = name_in_header(rest[6:]) if is_git else rest if kind == "Index:" else None
        guess = without_prefixes(NOTHING, unquote(rest.rpartition(" ")[2]))[1]
        file = self.current
        if file is not None and not (file.is_labelled or file.binary or file.is_git or kind == "Index:"):
            file.is_git, file.is_named, file.file = is_git, name is not None, name or file.file
        else:
            self._open(FileChange(line=number, file=name or guess, is_git=is_git, is_named=name is not None))

    def _label(self, line: str) -> None:
        file = self.current
        if file is None or self._old is None or file.is_labelled:
            raise DoesNotHoldError("a line with +++ and none with --- before it")
        (old, _, before), (new, _, after) = (
            text.partition("\t") for text in (self._old, line[4 : MAX_QUOTED_NAME + 4])
        )
        old, new = without_prefixes(unquote(old), unquote(new))
        file.is_labelled = True
        if before.startswith(_EPOCH) or after.startswith(_EPOCH):  # without git there is no other mark of a new file
            file.status = "added" if before.startswith(_EPOCH) else "deleted"
        if file.status == "modified":
            file.status = "added" if old == NOTHING else "deleted" if new == NOTHING else "modified"
        if not file.is_named:
            file.file = old if new == NOTHING else new

    def _take_status(self, file: FileChange, match: re.Match[str]) -> None:
        kind, move, side, name = match.groups()
        file.status, file.is_described = _STATUSES[kind or move], True
        if side == "from":
            file.old_file = unquote(name)
        elif side == "to":
            file.file, file.is_named = unquote(name), True

    def _take_binary(self, line: str, number: int) -> None:
        file = self.current
        if file is not None and not file.is_labelled and not file.binary:
            file.binary = True
        elif line.startswith("Binary files ") and line.endswith(" differ") and " and " in line:
            old, _, new = line[13 : MAX_QUOTED_NAME * 2][:-7].partition(" and ")
            old, new = without_prefixes(old, new)
            status = "added" if old == NOTHING else "deleted" if new == NOTHING else "modified"
            self._open(FileChange(line=number, file=old if new == NOTHING else new, status=status, binary=True))
        else:
            self.miss(line, number)

    def _read_hunk(self, line: str, lines: Iterator[str], number: int) -> int:
        file, match = self.current, _HUNK.match(line, 0, LONGEST_LINE)
        if file is None or match is None or not (file.is_labelled or file.is_git):
            raise DoesNotHoldError("a hunk of no file, or without counts")
        before, after, header = match.groups()
        taken, added, removed = walk_hunk(lines, int(before or 1), int(after or 1))
        file.hunks += 1
        file.added += added
        file.removed += removed
        self.hunks.append(Hunk(number, file, header, added, removed))
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
            if old == new <= MAX_STRIPPED:
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
