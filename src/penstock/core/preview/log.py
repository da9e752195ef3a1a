"""Logs: how many lines of which level, then the beginning, the errors with their line numbers, and the end.

An error that repeats is shown once, with how often it came: two lines are alike when they differ in numbers only.
The lines of a trace belong to the line before them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.core.forms.document import Kind
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import counted
from penstock.core.preview.grep import is_search_output
from penstock.core.preview.jsonlog import json_log
from penstock.core.preview.levels import MENTIONS, WINDOW, Layout, learn_layout, stamp
from penstock.core.preview.lines import Lines, examined, filled, gap, interleave, lines_of
from penstock.core.preview.tally import Tally, kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.budget import Room
    from penstock.core.subject import Subject

FEWEST: Final = 4  # lines; fewer are shown whole by any other preview
MOST_EACH: Final = 1_000  # lines of the head, of the tail and of errors that a preview may draw on
LONGEST_TRACE: Final = 80  # lines followed after an error, to find what was raised
STAMP_SEARCH: Final = 50  # lines from either end in which the first or last time is looked for
COMPARED: Final = 300  # bytes of two lines that are compared to tell whether they are alike

TURNS: Final = (0, 1, 2, 1, 0, 1, 2, 1, 0, 1)  # of ten lines shown: three of the head, five errors, two of the tail
_TRACE = re.compile(rb"[ \t]|at |Caused by|Traceback|\.\.\. ?\d|[\w.$]{1,200}(?:Error|Exception)\b")
_RAISED = re.compile(rb"(?:Caused by: )?[\w.$]{0,200}(?:Error|Exception|Warning|Exit|Interrupt)\b")
_COLOUR = re.compile("\x1b\\[[0-9;]*m")


def log(subject: Subject, room: Room) -> Preview | None:
    """The preview of log lines, or of JSON records with a level, a message and a time."""
    if subject.document.kind is not Kind.TEXT:
        return json_log(subject, room)
    picture = subject.once("log", _picture)
    return None if picture is None else filled(1 + len(picture.order), picture.draw, room, picture.exceeds)


def _picture(subject: Subject) -> _Picture | None:
    lines = lines_of(subject)
    layout = None if lines is None else _layout_of(lines)
    return None if lines is None or layout is None else _Picture(lines=lines, layout=layout)


def _layout_of(lines: Lines) -> Layout | None:
    """How the lines write their level, if they are a log: most begin with a time or a level, or are traces."""
    sample = [line for line in lines.sample() if line.strip()]
    if len(sample) < FEWEST or is_search_output(sample):
        return None
    layout, levelled = learn_layout(sample)
    stamped = sum(stamp(line) is not None for line in sample)
    others = [line for line in sample if not (stamp(line) or layout.find(line))]
    traces = sum(_TRACE.match(line) is not None for line in others)
    traced = stamped * 10 >= len(sample) and (len(others) - traces) * 10 <= len(sample)
    if not (traced or stamped * 2 >= len(sample) or levelled * 10 >= len(sample) * 6):
        return None
    return layout if levelled * 10 >= len(sample) - len(others) else MENTIONS


def _tally(lines: Lines, layout: Layout) -> Tally:
    ranges = examined(lines.count)
    body, search = lines.body, layout.pattern.search
    places: defaultdict[bytes, list[int]] = defaultdict(list)
    for numbers in ranges:
        starts = lines.starts[numbers.start : numbers.stop + 1]
        for number, start, after in zip(numbers, starts, starts[1:], strict=False):
            match = search(body, start, after - 1 if after - start <= WINDOW else start + WINDOW)
            if match is not None:
                places[match[1]].append(number)
    found = ((layout.level(written.decode("ascii")), numbers) for written, numbers in places.items())
    return Tally.of(found, seen=sum(map(len, ranges)), total=lines.count)


class _Picture:
    """A log to draw: ``order`` has the lines worth showing, the most worth first."""

    def __init__(self, *, lines: Lines, layout: Layout) -> None:
        self.lines = lines
        self.layout = layout
        self.tally = _tally(lines, layout)
        self.kinds = kinds(self.tally, lambda number: lines.raw(number, COMPARED))
        self.errors = dict.fromkeys(islice(self.kinds.times, MOST_EACH))
        self.raised: dict[int, list[int]] = {}
        head = range(min(lines.count, MOST_EACH))
        tail = range(lines.count - 1, max(-1, lines.count - 1 - MOST_EACH), -1)
        self.order = list(dict.fromkeys(interleave(TURNS, head, list(self.errors), tail)))
        errors = f"{self.tally.about}{counted(self.tally.errors, 'error')}"
        self.headline = f"{counted(lines.count, 'line')} of log, {errors}"
        self.heading = self._heading()
        self.ready: dict[int, str] = {}
        self.lengths = [0]

    def draw(self, amount: int) -> Preview:
        """A bare count, then the heading, then with it the first lines of the order where they stand in the log."""
        count = self.lines.count
        chosen = set(self.order[: max(0, amount - 1)])
        for number in self.errors.keys() & chosen:
            chosen.update(self._raised(number))
        text = "\n".join(self._parts(chosen)) if amount else gap(counted(count, "line"))
        shown = Shown(path=(), start=0, end=len(chosen), total=count)
        return Preview(text=text, style="log", shown=shown, headline=self.headline)

    def exceeds(self, amount: int, size: int) -> bool:
        """Whether the lines of an amount alone take more than so many bytes. They are read no further than that."""
        while len(self.lengths) < amount and self.lengths[-1] <= size:
            self.lengths.append(self.lengths[-1] + len(self._text(self.order[len(self.lengths) - 1])))
        return self.lengths[max(0, min(amount, len(self.lengths)) - 1)] > size

    def _parts(self, chosen: set[int]) -> list[str]:
        count = self.lines.count
        head = next((at for at in range(count) if at not in chosen), count)
        tail = next((at for at in range(count, head, -1) if at - 1 not in chosen), head)
        parts = [self.heading, *map(self._text, range(head))]
        if count > len(chosen):
            between = sorted(number for number in chosen if head <= number < tail)
            parts.extend(self._middle(counted(count - len(chosen), "line"), between, chosen))
        parts.extend(map(self._text, range(tail, count)))
        return parts

    def _heading(self) -> str:
        about = self.tally.about
        if self.layout is MENTIONS:
            levels = f"no levels, {about}{counted(self.tally.errors, 'line')} about errors"
        else:
            levels = about + ", ".join(f"{name} {number:,}" for name, number in self.tally.counts().items())
        return f"{counted(self.lines.count, 'line')}{self._times()}; {levels}"

    def _middle(self, hidden: str, between: Sequence[int], chosen: set[int]) -> list[str]:
        left = self.kinds.left(chosen, "line")
        if not between:
            return [gap(hidden), *([f"… {left} …"] if left else [])]
        parts = [f"… {hidden} not shown; {self.kinds.noun}s between, by line: …"]
        parts.extend(f"{number + 1}: {self._text(number)}{self._again(number)}" for number in between)
        return [*parts, f"… {left} …" if left else "…"]

    def _again(self, number: int) -> str:
        times = self.kinds.times.get(number, 1)
        return f" (×{times:,}{self.kinds.more}, last {self.kinds.last[number] + 1})" if times > 1 else ""

    def _text(self, number: int) -> str:
        if number not in self.ready:
            self.ready[number] = _COLOUR.sub("", self.lines.text(number))
        return self.ready[number]

    def _raised(self, error: int) -> list[int]:
        """The lines of the trace behind an error that say what was raised: the first and the last of them."""
        if error in self.raised:
            return self.raised[error]
        found: list[int] = []
        for number in range(error + 1, min(error + LONGEST_TRACE, self.lines.count)):
            line = self.lines.raw(number, WINDOW)
            if stamp(line) or (self.layout is not MENTIONS and self.layout.find(line)):
                break
            if _RAISED.match(line):
                found.append(number)
        self.raised[error] = [*found[:1], *found[1:][-1:]]
        return self.raised[error]

    def _times(self) -> str:
        count = self.lines.count
        near, far = range(min(count, STAMP_SEARCH)), range(count - 1, max(-1, count - 1 - STAMP_SEARCH), -1)
        ends = [next(filter(None, (stamp(self.lines.raw(at, WINDOW)) for at in part)), None) for part in (near, far)]
        return f", {ends[0]} to {ends[1]}" if all(ends) else ""
