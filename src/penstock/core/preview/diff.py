"""Diffs: what changed in which file, by how much, and the first hunks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import counted
from penstock.core.preview.lines import Lines, clean, decode, filled, gap, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.budget import Room
    from penstock.core.subject import Subject

PREAMBLE: Final = 8_192  # bytes of a commit message or mail header that may stand before the first file
MOST_READ: Final = 10_000  # files looked at one by one, in about 0.2 s; the rest is counted together
MOST_LISTED: Final = 100  # files in the stat
MOST_HUNKS: Final = 3  # hunks of one file that may be shown: a second file tells more than a fourth hunk
HUNK_LINES: Final = 30  # lines of one hunk
MOST_LINES: Final = 2_000  # lines of hunks in all
LONGEST: Final = 200  # characters of a line
LONGEST_NAME: Final = 120  # characters of a file's name
HEADER: Final = 4_096  # bytes in which the lines before a file's first hunk stand

_GIT_FILE = re.compile(rb"\ndiff --(?:git|cc|combined) ")
_PLAIN_FILE = re.compile(rb"\n--- [^\n]{1,1000}\n\+\+\+ [^\n]{1,1000}\n@@ -\d")
_FACT = re.compile(
    rb"(?:^|\n)(rename from|rename to|copy from|copy to|new file|deleted file|old mode|new mode|---|\+\+\+|Binary files"
    rb"|GIT binary patch) ?([^\r\n]{0,1000})"
)
_DIFF_LINE = re.compile(
    rb"[-+ @\\]|diff |index |new |old |deleted |rename |copy |similarity |dissimilarity |Binary |GIT |Index: |===|"
    rb"commit |Author|Date|Merge: |From|Subject|\s*$"
)
_PREFIX = re.compile(rb"[abciow]/")


def diff(subject: Subject, room: Room) -> Preview | None:
    """The preview of a unified diff, as git and others write it."""
    picture = subject.once("diff", _picture)
    return None if picture is None else filled(picture.most, picture.draw, room)


def _picture(subject: Subject) -> _Picture | None:
    lines = lines_of(subject)
    starts = [] if lines is None else _file_starts(lines.body)
    return _Picture(lines, starts) if lines is not None and starts and _is_diff(lines) else None


def _file_starts(body: bytes) -> list[int]:
    """Where the files of a diff begin; nothing if the first is not near the front."""
    for pattern in (_GIT_FILE, _PLAIN_FILE):
        # The first line has no newline before it, and a pattern that begins with a fixed byte is much faster.
        first = [0] if pattern.match(b"\n" + body[:HEADER]) else []
        if first or pattern.search(body, 0, PREAMBLE):
            return [*first, *(match.start() + 1 for match in pattern.finditer(body))]
    return []


def _is_diff(lines: Lines) -> bool:
    sample = lines.sample()
    return sum(_DIFF_LINE.match(line) is not None for line in sample) * 10 >= len(sample) * 9


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """One file of a diff: how it changed (A, D, M, R, C), what it is called, and where its hunks are."""

    letter: str
    name: str
    note: str
    added: int
    removed: int
    hunks: int
    start: int
    end: int

    @property
    def stat(self) -> str:
        note = f" {self.note}" if self.note else ""
        numbers = f" +{self.added:,} -{self.removed:,}" if self.hunks else ""
        return f"{self.letter} {self.name}{note}{numbers}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hunk:
    """A hunk of a file (by its number): the line where it begins, how many lines it has, and how many are shown."""

    file: int
    first: int
    lines: int
    total: int


def _read_file(lines: Lines, start: int, end: int, *, mail: bool) -> _File:
    region = lines.body[start:end]
    at = region.find(b"\n@@")
    header, hunks = (region, b"") if at < 0 else (region[:at], region[at:])
    if mail and (signature := hunks.find(b"\n-- \n")) >= 0:
        hunks = hunks[:signature]
    facts = dict(_FACT.findall(header[:HEADER]))
    letter, name, note = _described(facts, header.split(b"\n", 1)[0])
    combined = not header.startswith((b"diff --git", b"---"))  # its lines have a column for each parent
    return _File(
        letter=letter,
        name=clean(decode(name[: 4 * LONGEST_NAME], lines.errors, final=False))[:LONGEST_NAME],
        note=note,
        added=hunks.count(b"\n+") + (hunks.count(b"\n +") if combined else 0),
        removed=hunks.count(b"\n-") + (hunks.count(b"\n -") if combined else 0),
        hunks=hunks.count(b"\n@@"),
        start=start + len(header),
        end=start + len(header) + len(hunks),
    )


def _described(facts: dict[bytes, bytes], first: bytes) -> tuple[str, bytes, str]:
    """A file's letter, its name and what else there is to say, from the lines before its first hunk."""
    for letter, verb in (("R", b"rename"), ("C", b"copy")):
        if (old := facts.get(verb + b" from")) and (new := facts.get(verb + b" to")):
            return letter, old + " → ".encode() + new, ""
    old, new = (_bare(facts.get(mark, b"")) for mark in (b"---", b"+++"))
    created = b"new file" in facts or old == b"/dev/null"
    deleted = b"deleted file" in facts or new == b"/dev/null"
    name = next((one for one in (new, old) if one not in (b"", b"/dev/null")), _named_twice(first))
    modes = facts.get(b"old mode", b"").strip(), facts.get(b"new mode", b"").strip()
    note = f"mode {clean(modes[0].decode('utf-8', 'replace'))[:6]} → {clean(modes[1].decode('utf-8', 'replace'))[:6]}"
    if b"Binary files" in facts or b"GIT binary patch" in facts:
        note = "binary"
    elif not all(modes):
        note = ""
    return "A" if created else "D" if deleted else "M", name, note


def _bare(name: bytes) -> bytes:
    """A file's name without what may stand around it: quotes, a time behind a tab, the prefix of a side."""
    name = name.split(b"\t", 1)[0].strip(b' "')
    return name[2:] if _PREFIX.match(name) else name


def _named_twice(first: bytes) -> bytes:
    """The name in ``diff --git a/name b/name``, where nothing else tells it."""
    rest = first.split(b" ", 2)[-1].strip()
    half, other = _bare(rest[: len(rest) // 2]), _bare(rest[len(rest) // 2 + 1 :])
    return half if half == other else rest


class _Picture:
    """A diff to draw: first the stat, file by file, then the hunks, line by line."""

    def __init__(self, lines: Lines, starts: list[int]) -> None:
        self.lines = lines
        body = lines.body
        mail = body.startswith(b"From ")
        ends = [*starts[1:], len(body)]
        self.files = [_read_file(lines, *span, mail=mail) for span in zip(starts[:MOST_READ], ends, strict=False)]
        rest = body[ends[MOST_READ - 1] :] if len(starts) > MOST_READ else b""
        self.total = len(starts)
        self.added = sum(one.added for one in self.files) + rest.count(b"\n+") - rest.count(b"\n+++ ")
        self.removed = sum(one.removed for one in self.files) + rest.count(b"\n-") - rest.count(b"\n--- ")
        self.hunks = sum(one.hunks for one in self.files) + rest.count(b"\n@@")
        # The files that changed most are the first to be listed.
        self.by_change = sorted(range(len(self.files)), key=lambda at: -self.files[at].added - self.files[at].removed)
        self.worth = list(self._worth())
        self.listed = min(len(self.files), MOST_LISTED)
        self.most = 1 + self.listed + sum(hunk.lines for hunk in self.worth)

    def draw(self, amount: int) -> Preview:
        """A bare count, then the totals, then with them the stat, then hunks."""
        change = f"{counted(self.total, 'file')}, +{self.added:,} -{self.removed:,}"
        listed = min(max(0, amount - 1), self.listed)
        hunks = self._shown_hunks(max(0, amount - 1 - listed))
        parts = [f"{change}, {counted(self.hunks, 'hunk')}", *self._stat(listed), *self._hunk_texts(hunks)]
        text = "\n".join(parts) if amount else gap(counted(self.lines.count, "line"))
        shown = sum(hunk.lines for hunk in hunks)
        return Preview(
            text=text,
            style="diff",
            shown=Shown(path=(), start=0, end=shown, total=self.lines.count),
            headline=f"a diff of {change}",
        )

    def _stat(self, most: int) -> list[str]:
        chosen = set(self.by_change[:most])
        told = [one.stat for at, one in enumerate(self.files) if at in chosen]
        if self.total > most:
            added = self.added - sum(self.files[at].added for at in chosen)
            removed = self.removed - sum(self.files[at].removed for at in chosen)
            told.append(f"… {counted(self.total - most, 'more file')}, +{added:,} -{removed:,} …")
        return told if most else []

    def _worth(self) -> Iterator[_Hunk]:
        """Hunks in the order of their worth: the first of every file before any second."""
        left = MOST_LINES
        waiting = [(at, one.start) for at, one in enumerate(self.files) if one.hunks]
        for _ in range(MOST_HUNKS):
            later: list[tuple[int, int]] = []
            for at, start in waiting:
                if left <= 0:
                    return
                end = self.files[at].end
                following = self.lines.body.find(b"\n@@", start + 1, end)
                first = bisect_right(self.lines.starts, start + 1) - 1
                last = bisect_left(self.lines.starts, end if following < 0 else following)
                hunk = _Hunk(file=at, first=first, lines=min(last - first, HUNK_LINES, left), total=last - first)
                yield hunk
                left -= hunk.lines
                if following >= 0:
                    later.append((at, following))
            waiting = later

    def _shown_hunks(self, most: int) -> list[_Hunk]:
        """The first hunks in the order of their worth, of which ``most`` lines are shown."""
        taken: list[_Hunk] = []
        for hunk in self.worth:
            if most <= 0:
                break
            taken.append(replace(hunk, lines=min(hunk.lines, most)))
            most -= hunk.lines
        return taken

    def _hunk_texts(self, hunks: list[_Hunk]) -> list[str]:
        """Hunks as they stand, each file's under its name, and how many there are besides."""
        told: list[str] = []
        title = -1
        for hunk in sorted(hunks, key=lambda one: one.first):
            told.extend([f"{self.files[hunk.file].name}:"] if hunk.file != title else [])
            title = hunk.file
            told.extend(self.lines.text(hunk.first + at, LONGEST) for at in range(hunk.lines))
            if hunk.lines < hunk.total:
                told.append(f"… {counted(hunk.total - hunk.lines, 'line')} of this hunk not shown …")
        if self.hunks > len(hunks):
            told.append(gap(counted(self.hunks - len(hunks), "hunk")))
        return told
