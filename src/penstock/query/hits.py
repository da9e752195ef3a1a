"""Where a pattern is found: stretch by stretch, so that the text may come from a store and time can be watched."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.json.index import Read
    from penstock.query.pattern import Pattern

MOST: Final = 100_000  # matches that are counted; beyond that "more than" says as much
LONGEST: Final = 16_384  # bytes of a match that is found wherever it lies: stretches overlap by so much
BEFORE: Final = 64  # bytes before a stretch that RE2 may look at, for the beginnings of lines and words


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The positions of all matches, or of the first ``MOST`` when it is not ``complete``."""

    starts: array[int]
    ends: array[int]
    complete: bool

    @property
    def total(self) -> int:
        return len(self.starts)


def find(
    pattern: Pattern, read: Read, start: int, end: int, *, clock: Callable[[], float], seconds: float, most: int = MOST
) -> Hits:
    """Search what lies between two positions. Takes no longer than it may, and then says so."""
    starts, ends = array("Q"), array("Q")
    deadline = clock() + seconds
    free = start  # where the last match ends: the next one begins there or later
    for at in range(start, end, pattern.stretch):
        stop = min(at + pattern.stretch, end)
        left = max(start, at - BEFORE)
        window = read(left, min(stop + LONGEST, end))
        at_first = max(free, at) - left
        while (match := pattern.regexp.search(window, at_first)) is not None:
            first, last = match.span()
            if left + first >= stop:
                break
            _in_time(clock, deadline, seconds)
            if first == last:
                raise CallerError("the pattern also matches an empty text", do="let it contain at least one character")
            behind = pattern.whole_escapes and window[first - 1 : first] == b"\\" and left + first != free
            if behind and _is_escaped(read, start, left + first):
                at_first = first + 1
                continue
            if len(starts) == most:
                return Hits(starts=starts, ends=ends, complete=False)
            starts.append(left + first)
            ends.append(left + last)
            free = left + last
            at_first = last
        _in_time(clock, deadline, seconds)
    return Hits(starts=starts, ends=ends, complete=True)


def _is_escaped(read: Read, start: int, position: int) -> bool:
    """Whether an odd number of backslashes stands before: the last one makes an escape of what is there."""
    size = BEFORE
    while (length := _backslashes_at_end(read(max(start, position - size), position))) == size:
        size *= 2
    return length % 2 == 1


def _backslashes_at_end(data: bytes) -> int:
    return len(data) - len(data.rstrip(b"\\"))


def _in_time(clock: Callable[[], float], deadline: float, seconds: float) -> None:
    if clock() > deadline:
        raise CallerError(
            f"the search took longer than {seconds:g} s and was stopped",
            do="use a simpler pattern, a plain text, or search under a path",
        )
