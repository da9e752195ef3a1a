"""Search output as text (``path:line:text``, as grep, ripgrep, compilers and linters write it): how many matches in
which files, then the first, some from the middle, and the last."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import counted
from penstock.core.preview.lines import Lines, clean, decode, examined, filled, gap, interleave, lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.budget import Room
    from penstock.core.subject import Subject

FEWEST: Final = 3  # matches; fewer are no list of matches
MOST_MATCHES: Final = 1_000  # matches and files that a preview may draw on
MOST_FILES: Final = 500
LONGEST: Final = 200  # characters of one match
LONGEST_PATH: Final = 160  # characters of a file's name in the counts

# A path has a letter, and a dot or a slash, and no blank; a time at the front of a log line looks like one.
_MATCH = re.compile(
    rb"(?!\d{4}[-/.]\d\d[-/.]\d\d[T_ ])((?:[A-Za-z]:(?=[\\/]))?"
    rb"(?=[^\s:]{0,400}[./\\])(?=[^\s:]{0,400}[A-Za-z])[^\s:]{1,400}):\d{1,9}:"
)
_CONTEXT = re.compile(rb"[^\s:]{1,400}-\d{1,9}-|--\s*$")
_TURNS: Final = (0, 1, 2, 0)  # of four matches two from the front, one from the middle, one from the end


def grep(subject: Subject, room: Room) -> Preview | None:
    """The preview of search output."""
    picture = subject.once("grep", _picture)
    return None if picture is None else filled(1 + len(picture.order), picture.draw, room)


def _picture(subject: Subject) -> _Picture | None:
    lines = lines_of(subject)
    return _Picture(lines) if lines is not None and is_search_output(lines.sample()) else None


def is_search_output(sample: Sequence[bytes]) -> bool:
    """Whether nearly all lines name a file and a line, as matches or as the context around them."""
    told = [line for line in sample if line.strip()]
    matches = sum(_MATCH.match(line) is not None for line in told)
    context = sum(_MATCH.match(line) is None and _CONTEXT.match(line) is not None for line in told)
    return matches >= FEWEST and matches * 20 >= len(told) and (matches + context) * 10 >= len(told) * 9


class _Picture:
    """Matches to draw. ``order`` has files (negative, from -1) and matches (from 0) in the order of their worth."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        files: Counter[bytes] = Counter()
        self.matches: list[int] = []
        ranges = examined(lines.count)
        match = _MATCH.match
        for numbers in ranges:
            for number in numbers:
                start = lines.starts[number]
                if (found := match(lines.body, start, lines.starts[number + 1] - 1)) is not None:
                    files[found[1]] += 1
                    self.matches.append(number)
        seen = sum(map(len, ranges))
        self.exact = seen == lines.count
        self.about = "" if self.exact else "about "
        self.total = len(self.matches) if self.exact else round(len(self.matches) * lines.count / seen)
        self.files = files.most_common()
        self.order = list(interleave((0, 1, 1), range(-1, -1 - min(len(files), MOST_FILES), -1), self._worth()))

    def draw(self, amount: int) -> Preview:
        """A bare count, then the heading, then with it files and matches."""
        chosen = self.order[: max(0, amount - 1)]
        matches = sorted(number for number in chosen if number >= 0)
        some = "" if self.exact else "at least "  # a sample does not see every file
        matched = f"{self.about}{_matches(self.total)}"
        heading = f"{matched} in {some}{counted(len(self.files), 'file')}"
        if amount:
            text = "\n".join([heading, *self._counts(len(chosen) - len(matches)), *self._shown(matches)])
        else:
            text = gap(matched)
        shown = Shown(path=(), start=0, end=len(matches), total=self.total)
        return Preview(text=text, style="matches", shown=shown, headline=heading)

    def _worth(self) -> list[int]:
        """Matches in the order of their worth: by turns from the front, from the middle on, and from the end back."""
        last = len(self.matches) - 1
        front = range(min(last + 1, MOST_MATCHES))
        middle = range((last + 1) // 2, min(last + 1, last // 2 + MOST_MATCHES))
        end = range(last, max(-1, last - MOST_MATCHES), -1)
        return list(dict.fromkeys(interleave(_TURNS, front, middle, end)))

    def _counts(self, most: int) -> list[str]:
        """The files with the most matches; the rest is counted."""
        if most == 0:
            return []
        told = [f"{times:,} {self._name(path)}" for path, times in self.files[:most]]
        rest = self.files[most:]
        if rest:
            left = sum(times for _, times in rest)
            told.append(f"… {_matches(left)} in {counted(len(rest), 'more file')} …")
        return told

    def _shown(self, matches: Sequence[int]) -> list[str]:
        """The matches, and between them how many were left out: of a sample in lines, as matches were not all seen."""
        told: list[str] = []
        before = -1
        for number in [*matches, len(self.matches)]:
            if self.exact and number - before > 1:
                told.append(gap(_matches(number - before - 1)))
            elif not self.exact:
                after = self.matches[number] if number < len(self.matches) else self.lines.count
                missing = after - (self.matches[before] if before >= 0 else -1) - 1
                told.extend([gap(counted(missing, "line"))] if missing else [])
            if number < len(self.matches):
                told.append(self.lines.text(self.matches[number], LONGEST))
            before = number
        return told

    def _name(self, path: bytes) -> str:
        name = clean(decode(path[: 4 * LONGEST_PATH], self.lines.errors, final=False))
        return name if len(name) <= LONGEST_PATH else f"…{name[1 - LONGEST_PATH :]}"


def _matches(number: int) -> str:
    return f"{number:,} {'match' if number == 1 else 'matches'}"
