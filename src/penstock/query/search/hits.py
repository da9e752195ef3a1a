"""Find where a pattern matches: stretch by stretch, so that the text may come from a store and time can be watched."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.json.index import Read
    from penstock.query.search.pattern import Pattern

MOST: Final = 100_000  # matches that are counted; beyond that "at least" says as much
LONGEST: Final = 16_384  # bytes of a match that is found wherever it lies: stretches overlap by so much
BEFORE: Final = 64  # bytes before a stretch that RE2 may look at, for the beginnings of lines and words
NEAR: Final = 16  # bytes on either side of a match in which the character next to it is found

_UNICODE = re.compile(rb"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The positions of all matches, or of the first ``MOST`` when it is not ``complete``. ``lines`` counts the lines
    that they begin on."""

    starts: array[int]
    ends: array[int]
    complete: bool
    lines: int = 0

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
    lines, on_line = 0, False  # ``on_line``: no line has ended since the last match
    for at in range(start, end, pattern.stretch):
        stop = min(at + pattern.stretch, end)
        left = max(start, at - BEFORE)
        window = read(left, min(stop + LONGEST, end))
        at_first = max(free, at) - left
        while (match := pattern.search(window, at_first)) is not None:
            first, last = match
            if left + first >= stop:
                break
            _in_time(clock, deadline, seconds)
            if first == last:
                raise CallerError("the pattern also matches an empty text", do="let it contain at least one character")
            behind = pattern.whole_escapes and window[first - 1 : first] == b"\\" and left + first != free
            if (behind and _is_escaped(read, start, left + first)) or (
                pattern.word and not _is_word(window, first, last, in_json=pattern.in_json)
            ):
                at_first = first + 1
                continue
            if len(starts) == most:
                return Hits(starts=starts, ends=ends, complete=False, lines=lines)
            lines += not on_line or window.find(b"\n", max(free, left) - left, first) >= 0
            on_line = True
            starts.append(left + first)
            ends.append(left + last)
            free = left + last
            at_first = last
        on_line = on_line and window.find(b"\n", max(free, at) - left, stop - left) < 0
        _in_time(clock, deadline, seconds)
    return Hits(starts=starts, ends=ends, complete=True, lines=lines)


def _is_word(window: bytes, first: int, last: int, *, in_json: bool) -> bool:
    """Tell whether no part of a word stands right before or behind a match."""
    before = _last_character(window[max(0, first - NEAR) : first], in_json=in_json)
    after = _first_character(window[last : last + NEAR], in_json=in_json)
    return not (_is_part_of_word(before) or _is_part_of_word(after))


def _is_part_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _first_character(data: bytes, *, in_json: bool) -> str:
    """Return the character that bytes begin with; of an escape in JSON the one that it stands for, "" if that is no
    letter."""
    if in_json and data[:1] == b"\\":
        return chr(int(escape[1], 16)) if (escape := _UNICODE.match(data)) else ""
    return data.decode("utf-8", "ignore")[:1]


def _last_character(data: bytes, *, in_json: bool) -> str:
    """Return the character that bytes end with."""
    if in_json:
        for length in (2, 6):
            at = len(data) - length
            if at >= 0 and data[at : at + 1] == b"\\" and _backslashes_at_end(data[:at]) % 2 == 0:
                return _first_character(data[at:], in_json=in_json)
    return data.decode("utf-8", "ignore")[-1:]


def _is_escaped(read: Read, start: int, position: int) -> bool:
    """Tell whether an odd number of backslashes stands before: the last one makes an escape of what is there."""
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
