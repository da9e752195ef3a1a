"""Search matches: how many in which files, and the first, the middle and the last of them.

Matches are records with a file and a line, or with a file and a snippet of it; or files that carry a list of matches;
or a map from files to such lists. Everything else is left to the table.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.budget import Room, largest
from penstock.core.json.path import render
from penstock.core.json.strings import quote
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import (
    array_of,
    beside,
    cell,
    counted,
    dig,
    names,
    number,
    object_of,
    part_of,
    text_of,
)
from penstock.core.preview.matching import Form, recognise
from penstock.core.sample import spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.json.index import Container
    from penstock.core.subject import Subject

MOST_COUNTED: Final = 20_000  # parts read to count by file; of more a sample is counted
COUNTED_BYTES: Final = 4_194_304  # of these parts
COUNTED_SAMPLE: Final = 1_000  # parts of the sample
MOST_SHOWN: Final = 300  # matches; more than the usual preview holds
MOST_FILES: Final = 40  # files named with their counts
FILES_PER_MATCH: Final = 3  # a count by file costs about a third of a match
MOST_TRIES: Final = 50  # parts passed over in search of one that holds a match
LONG_TEXT: Final = 160  # characters of a matching line
LONG_FILE: Final = 100  # characters of a file's path, of which the end tells most
LONGEST_FILE: Final = 4_096  # characters of a path that are looked at; file systems end here
FEW_SHOWN: Final = 2  # matches that are shown before what is around them, and the names of their other fields
SHOWN_BYTES: Final = 4_194_304  # of parts read for the matches to show


def matches(subject: Subject, room: Room, *, order: Sequence[int] | None = None) -> Preview | None:
    """Show the matches of the main container, if it holds such. ``order`` has the parts to show first."""
    main = subject.main
    if main is None or main.kind == "lines" or main.count == 0:
        return None
    form = subject.once("matching", lambda subject: recognise(subject, main))
    if form is None:
        return None
    first = [at for at in order or () if 0 <= at < main.count]

    def make(subject: Subject) -> _Found:
        return _Found(subject, main, form, first)

    found = make(subject) if first else subject.once("matches", make)
    step = largest(found.steps, lambda step: room.fits(found.text(step)))
    if step == 0:
        return None
    return Preview(
        text=found.text(step).decode(),
        style="matches",
        shown=Shown(path=main.path, start=0, end=step, total=max(step, found.total)),
        headline=found.headline,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Match:
    """One match: the part that holds it, by number and by the step of a path; its place in that part's list, its
    file, and its own bytes."""

    at: int
    step: str | int
    inside: int
    file: bytes | None
    value: bytes


class _Found:
    """The counts by file, and the matches in steps of more and more: the first, the last, the middle, then more of
    the first."""

    def __init__(self, subject: Subject, main: Container, form: Form, order: Sequence[int]) -> None:
        self.subject, self.main, self.form = subject, main, form
        self.around = beside(subject, main)
        self._count()
        self.ordered = bool(order)
        self.front = self._first(order or range(main.count))
        self.chosen = self.front
        if not order:
            last, middle = main.count - 1, main.count // 2
            ends = [
                *self._first(range(last, max(-1, last - MOST_TRIES), -1), 1, backward=True),
                *self._first(range(middle, min(main.count, middle + MOST_TRIES)), 1),
            ]
            self.chosen = list(dict.fromkeys([*self.front[:1], *ends, *self.front[1:]]))

    def _count(self) -> None:
        """Count the matches by file: all, or those of a sample."""
        main = self.main
        whole = main.count <= MOST_COUNTED and main.size <= COUNTED_BYTES
        sampled = max(2, min(COUNTED_SAMPLE, COUNTED_BYTES * main.count // main.size))
        numbers = range(main.count) if whole else spread(main.count, sampled)
        self.files: Counter[bytes] = Counter()
        seen = 0
        for at in numbers:
            key, value = part_of(self.subject, main, at)
            found = len(self.form.matches_of(key, value))
            seen += found
            if found and (file := self.form.file_of(key, value)) is not None:
                self.files[file] += found
        self.read = len(numbers)
        self.is_sample = self.read < main.count
        self.total = round(seen * main.count / self.read)
        # Where every part of a sample is a match, every part is taken for one.
        self.is_exact = not self.is_sample or (self.form.inner is None and seen == self.read)

    def _first(self, numbers: Iterable[int], most: int = MOST_SHOWN, *, backward: bool = False) -> list[_Match]:
        """The matches in these parts, up to so many, and no more than a preview could need."""
        found: list[_Match] = []
        size = 0
        for at in numbers:
            if len(found) >= most or size > SHOWN_BYTES:
                break
            key, value = part_of(self.subject, self.main, at)
            size += len(value)
            step = key if self.main.kind == "object" else at
            file = self.form.file_of(key, value)
            inside = list(enumerate(self.form.matches_of(key, value)))
            if backward:
                inside.reverse()
            found.extend(
                _Match(at=at, step=step, inside=place, file=file, value=match) for place, match in inside[:most]
            )
        return found[:most]

    @property
    def steps(self) -> int:
        return len(self.chosen)

    @property
    def headline(self) -> str:
        plural = "matches" if self.form.noun == "match" else ""
        total = ("" if self.is_exact else "about ") + counted(self.total, self.form.noun, plural)
        if not self.is_sample:
            return f"{total} in {counted(len(self.files), 'file')}"
        if self.form.inner is not None:
            return f"{total} in {counted(self.main.count, 'file')}"
        return f"{total} in at least {counted(len(self.files), 'file')}"

    def text(self, step: int) -> bytes:
        shown = self.chosen[:step]
        if not self.ordered:
            shown.sort(key=lambda match: (match.at, match.inside))
        files = self.files.most_common(min(MOST_FILES, FILES_PER_MATCH * (step - 1)))
        others = [".".join(path) for path in self.form.others]
        whole = step > FEW_SHOWN
        hidden = [
            ("matches", number(max(0, self.total - step))),
            ("fields", names(others) if whole else number(len(others))),
        ]
        return object_of(
            [
                ("files", _counts(files)),
                ("more_files", number(len(self.files) - len(files))),
                ("counts", quote(f"from a sample of {self.read:,}") if self.is_sample else b""),
                ("matches", array_of(self._render(place, match) for place, match in enumerate(shown))),
                ("beside", self.around if whole else b""),
                ("not_shown", object_of(hidden)),
            ]
        )

    def _render(self, place: int, match: _Match) -> bytes:
        """A match with its file, and with where it stands unless it stands where it is shown."""
        form = self.form
        first = not self.ordered and self.front[place : place + 1] == [match]
        in_place = first and (form.inner is not None or match.at == place)
        parts = [("at", b"" if in_place else self._where(match))]
        if form.inner is not None:
            parts.append((".".join(form.file or ("file",)), cell(match.file or b"null", LONG_FILE)))
        parts.extend((".".join(path), cell(dig(match.value, path) or b"", LONG_TEXT)) for path in form.shown)
        if match.value[:1] != b"{":
            parts.append(("match", cell(match.value, LONG_TEXT)))
        return object_of(parts)

    def _where(self, match: _Match) -> bytes:
        if self.form.inner is None:
            return str(match.at).encode()
        return quote(render((*self.main.path, match.step, *self.form.inner, match.inside)))


def _counts(files: list[tuple[bytes, int]]) -> bytes:
    """Files with their counts. Of a long path the end is shown, and two that look alike then are told apart."""
    told: dict[str, int] = {}
    for file, count in files:
        text = text_of(file, LONGEST_FILE)
        name = text if len(text) <= LONG_FILE else "…" + text[-LONG_FILE:]
        told[name if name not in told else f"{name} ({len(told) + 1})"] = count
    members = [quote(name) + b":" + str(count).encode() for name, count in told.items()]
    return b"{" + b",".join(members) + b"}" if members else b""
