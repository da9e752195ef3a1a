"""``git log`` and ``git show``: commits first, then the files that they change.

Taken are git's own formats (short, medium, full, fuller, raw), with decorations, notes and signatures, with --stat,
--shortstat, --numstat, --name-only, --name-status, --raw or -p, also drawn by --graph; and
``Commit: ...``, ``Author: ...``, ``Date: ...``, ``Message: ...`` as programs write it. Tables: see ``commit_rows``.
Dates are in the order of ISO 8601 with the offset of the text, ``2026-04-08 21:04:03 -0700``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import BATCH, LONGEST_LINE, DoesNotHoldError, Options, ParserForm, Sample, Words
from penstock.core.forms.commit_rows import (
    LONGEST_SUBJECT,
    Commit,
    CommitRows,
    authors_of,
    take_list,
    tells_files,
)
from penstock.core.forms.git_text import iso_date, person
from penstock.core.forms.patches import PatchReader
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.core.forms.api import Batches, Lines, Tables

PREAMBLE: Final = 5  # lines that a tool may write before a log
MOST_PEOPLE: Final = 1_000  # authors whose fields are parsed once

_START = re.compile(r"commit ([0-9a-f]{7,64})(?: (.*))?|Commit: '?([0-9a-f]{7,64})'?")
_GRAPH: Final = "*|/\\_ .-"
_CROSSING = re.compile(r"[_ ]*+[|/\\][|/\\_ ]*+| {1,3}")  # a line between commits, or the rest of one
_DRAWN_START = re.compile(r"[|/\\_ ]*+\*[-.|/\\_ ]*+(?=commit [0-9a-f]{7,64}(?: |$))")
_HEADER = re.compile(r"(?:Author|Merge|Reflog|Date|Notes): |(?:tree|parent) [0-9a-f]{40}|gpg: ")
_OTHER_FIELDS = re.compile(r" |(?:tree|committer|encoding|gpgsig|mergetag) |[A-Za-z][A-Za-z ]{0,30}:")
_PATCHES: Final = ("diff --git ", "diff --cc ", "diff --combined ", "--- ")
_PATH = re.compile(r"/|\.[A-Za-z0-9]")
_NOT_NAMES = re.compile(
    r"[A-Z][A-Za-z]+(?: \(\S+\))?:|(?:commit|tree|parent|author|committer|gpgsig|encoding) |gpg: |tag "
)


def recognise(sample: Sample) -> Options | None:
    """Return how the commits of the text are written, if one stands at its beginning."""
    head = [line for line in sample.head if line.strip()]
    if not head:
        return None
    if _DRAWN_START.match(head[0]):
        options = recognise(Sample(head=tuple(undrawn(head)), runs=(tuple(undrawn(sample.lines)),), count=sample.count))
        return options and {**options, "drawn": True}
    tagged = head[0].startswith("tag ") and len(head) > 1 and head[1].startswith("Tagger: ")
    for line, after in zip(head[: None if tagged else PREAMBLE], (*head[1:], ""), strict=False):
        if line.startswith(("commit ", "Commit: ")) and _START.fullmatch(line) and _HEADER.match(after):
            return {"names": _has_names(sample.lines), "tagged": tagged}
    return None


def undrawn(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without what --graph draws before them. It is as wide before all lines of a commit as before the
    first."""
    width = 0
    for line in lines:
        if start := _DRAWN_START.match(line, 0, LONGEST_LINE):
            width = start.end()
        rest = line if line[:width].strip(_GRAPH) else line[width:]
        yield "" if _CROSSING.fullmatch(rest, 0, LONGEST_LINE) else rest


def _has_names(lines: list[str]) -> bool:
    """Return True if lines outside of messages and headers can only be names of files, as --name-only lists them."""
    if tells_files(lines):
        return False
    names = [line for line in lines if not line[0].isspace() and not _NOT_NAMES.match(line)]
    return sum(" " not in name or bool(_PATH.search(name)) for name in names) * 5 > len(names) * 4


@dataclass(slots=True, kw_only=True)
class CommitParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "commits", "files": "changes of files"})
    rows: CommitRows = field(default_factory=CommitRows)
    reader: PatchReader = field(default_factory=PatchReader)
    commit: Commit = field(default_factory=lambda: Commit(0, ""))  # the one that is being read; in line 0: none yet
    people: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    loose: bool = False  # within a message that is not indented, and ends where the next commit begins

    def parse(self, lines: Lines) -> Batches:
        source = undrawn(lines) if self.options.get("drawn") else iter(lines)
        for _ in self._read_log(source):
            yield from self.rows.batches()
        self.rows.close(self.commit, self.reader)
        yield from self.rows.batches()

    def _begin(self, commit: Commit) -> bool:
        """Close the commit before, and open this one. True if it is time for a batch."""
        if self.commit.line:
            self.rows.close(self.commit, self.reader)
        self.commit = commit
        return self.rows.full

    def _read_log(self, lines: Iterator[str]) -> Iterator[None]:
        """Read blocks of lines, each up to a blank one: header, message, list of files. A step for each batch."""
        number = 0
        first = next(lines, None)
        while first is not None:
            number += 1
            start = _START.fullmatch(first) if first.startswith(("commit ", "Commit: ")) else None
            if not first or (start is None and not self.commit.line):
                if first and not self.options["tagged"]:
                    self.reader.miss(first, number)
                first = next(lines, None)
                continue
            block = [first, *islice(takewhile(bool, lines), BATCH)]
            ended = len(block) <= BATCH  # the blank line was taken
            at, number = number, number + len(block) - 1 + ended
            if start is not None:
                commit = _opened(start, at)
                if self._begin(commit):
                    yield
                self._take_header(commit, block, at)
            elif first.startswith(_PATCHES):
                rest = iter(block)
                first, number = self._read_patches(chain(rest, ("",) if ended else (), lines), at)
                if next(rest, None) is not None:
                    raise DoesNotHoldError("a commit within a patch")
                continue
            else:
                self._take_block(block, at)
            first = next(lines, None)

    def _read_patches(self, lines: Iterator[str], number: int) -> tuple[str | None, int]:
        """Read the patches of a commit, the first line of which has this number. Returns the line that opens the next
        commit, and the number of the line before it."""
        number -= 1
        for line in lines:
            if line.startswith("commit ") and _START.fullmatch(line):
                return line, number
            number = self.reader.feed(line, lines, number + 1)
            self.reader.hunks.clear()
        return None, number

    def _take_header(self, commit: Commit, block: list[str], at: int) -> None:
        """Take ``commit`` and the lines up to the message."""
        commit.header = block
        self.loose = False
        for number, line in enumerate(islice(block, 1, None), at + 1):
            if line.startswith("Author: "):
                commit.author, commit.email = self._person(line[8:])
            elif line.startswith("Date: "):
                commit.date = iso_date(line[6:])
            elif line.startswith("Message: "):
                self.loose = _take_message(commit, line[9:])
            elif not self.loose and not _take_field(commit, line) and not _OTHER_FIELDS.match(line):
                self.reader.miss(line, number)

    def _person(self, text: str) -> tuple[str | None, str | None]:
        """Return the author, who mostly is one of few."""
        known = self.people.get(text)
        if known is None:
            known = person(text[12:].removesuffix('">') if text.startswith('<git.Actor "') else text)
            if len(self.people) < MOST_PEOPLE:
                self.people[text] = known
        return known

    def _take_block(self, block: list[str], at: int) -> None:
        """Take lines of a message, or a list of files, or a message and after a line ``---`` such a list."""
        commit = self.commit
        if block[0].startswith("    "):
            end = block.index("---") if "---" in block else len(block)
            if commit.subject is None:
                _take_subject(commit, block[:end])
            block, at = block[end:], at + end
        if block and not self.loose:
            for number in range(take_list(commit, block, at, names=self.options["names"])):
                self.reader.miss(block[0], at + number)

    def words(self, tables: Tables) -> Words:
        items = tables[0]
        what = f"{counted(items.count - self.rows.repeated, 'commit')}{authors_of(items)}{self.rows.touching()}"
        facts = (*self.rows.facts(items), *self.reader.facts())
        excerpts = tuple(self.rows.excerpts())
        if self.options.get("drawn"):
            excerpts = tuple(replace(one, title=f"{one.title}, without the graph") for one in excerpts)
        return Words(what=what, facts=facts, excerpts=excerpts)


def _opened(start: re.Match[str], number: int) -> Commit:
    name, rest, other = start.groups()
    if other:
        return Commit(number, other)
    commit = Commit(number, name, merge=False)
    if rest is None:
        return commit
    text = rest
    if text.startswith("(from "):  # a merge, as it differs from this parent
        text = text.partition(") ")[2]
    _, mark, refs = text.partition("(")
    if mark and refs.endswith(")"):
        commit.refs = refs[:-1]
    return commit


def _take_subject(commit: Commit, block: list[str]) -> None:
    """Take the first paragraph of a message; git indents the blank line after it, too."""
    texts = list(takewhile(bool, map(str.strip, block)))
    commit.message = ("", *block[: len(texts)])
    commit.subject = " ".join(texts)[:LONGEST_SUBJECT] or None


def _take_field(commit: Commit, line: str) -> bool:
    """Take one of the fields that not every log has; False if no column has it."""
    key, _, value = line.partition(" ")
    if key == "AuthorDate:":
        commit.date = iso_date(value)
    elif key == "Merge:":
        commit.merge = True
    elif key == "author":
        who, mark, when = value.rpartition("> ")
        commit.author, commit.email = person(who + mark.rstrip())
        commit.date = iso_date(when)
    elif key == "parent":
        commit.merge = sum(one.startswith("parent ") for one in commit.header) > 1
    elif key == "Reflog:":
        raise DoesNotHoldError("entries of a reflog, not commits")
    else:
        return False
    return True


def _take_message(commit: Commit, text: str) -> bool:
    """Take the message after ``Message:``. Python may have written it in quotes and in one line; if not, its further
    lines cannot be told from others, and True is returned."""
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        paragraph = text[1:-1].removesuffix("\\n").partition("\\n\\n")[0]
        commit.subject = paragraph.replace("\\n", " ").replace("\\'", "'")[:LONGEST_SUBJECT] or None
        return False
    commit.subject = text.strip()[:LONGEST_SUBJECT] or None
    return True


FORM: Final = ParserForm(name="commits", title="git log", looks_like=recognise, make=CommitParser)
