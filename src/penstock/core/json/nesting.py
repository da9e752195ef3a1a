"""Measures how deep JSON is nested, and finds where its containers end, by its brackets and quotes. Never recurses."""

from __future__ import annotations

import re
from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.json.scan import CHUNK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.long_bytes import Bytes

FINER: Final = (4_096, 256)  # bytes of the chunks in which a place is looked for, before it is so token by token
FEW_PAIRS: Final = 4  # one bracket in so many is of an innermost pair: with fewer, it is faster to follow them all
OFTEN: Final = 32  # bytes, if there is a backslash in that many: JSON in a string

_BRACKETS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes: +1 and -1
_UP_DOWN: Final = b"\x01\xff"
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[{]}"'))
_NOT_SIGN = bytes(set(range(256)) - set(b'[{]}",'))
# Possessive repeats: the others remember every character of a string, fifty bytes each.
# A string that goes on behind the end of the search is taken up to there.
_REST = rb'[^"\\]*+(?:\\.[^"\\]*+)*+(?:(?P<closed>")|(?P<torn>\\\Z)|\Z)'
_STRING_REST = re.compile(_REST, re.DOTALL)
_NEAR_TOKEN = re.compile(rb'"' + _REST + rb"|[\[{\]},]", re.DOTALL)


def depth(data: Bytes) -> int:
    """Return the deepest nesting of brackets outside strings; ``[1]`` has 1, a number 0. Never recurses."""
    climb = Climb(data, 0, len(data))
    while climb.at < climb.end:
        climb.advance()
    return climb.deepest


def container_end(data: Bytes, start: int) -> int | None:
    """Find where the container that begins at ``start`` ends, behind its bracket; None when it does not end."""
    climb = Climb(data, start + 1, len(data), level=1)
    try:
        while (end := climb.advance_within()) is None:
            pass
    except msgspec.DecodeError:
        return None
    return end


class Climb:
    """Follows the brackets of JSON from chunk to chunk: the level at ``at``, the deepest so far, and whether ``at``
    lies in a string. Of what is not JSON all of it means nothing."""

    def __init__(self, data: Bytes, at: int, end: int, level: int = 0) -> None:
        """Begin at ``at``. ``end`` may lie behind the last byte: it is then moved to there when that was read."""
        self.data = data
        self.at = at
        self.end = end
        self.level = self.deepest = level
        self.in_string = False
        self._dip = self._state()  # before the last chunk that had something at the first level

    def advance(self, size: int = 0) -> int:
        """Go on by one chunk. Returns the lowest level in it."""
        piece = self._piece(self.at + (size or CHUNK))
        if piece[-1:] == b"\\":  # an escape must not be torn in two
            piece = self._piece(_behind_slashes(self.data, self.at + len(piece)) + 1)
        marks = _marks(_unescaped(piece))
        self.at += len(piece)
        steps, self.in_string = _outside(b'"' + marks if self.in_string else marks)
        return self._follow(steps)

    def _piece(self, end: int) -> bytes:
        """Return what stands between ``at`` and a place, or the end."""
        end = min(end, self.end)
        piece = self.data[self.at : end]
        if self.at + len(piece) < end:
            self.end = self.at + len(piece)
        return piece

    def advance_within(self) -> int | None:
        """Go on by one chunk, unless the container ends in it: then where it ends, behind its bracket."""
        if self.at >= self.end:
            raise msgspec.DecodeError("a container that does not end")
        before = self._state()
        lowest = self.advance()
        if lowest > 0:
            self._dip = before if lowest == 1 else self._dip
            return None
        self._return_to(before)
        for size in FINER:
            self._reach(0, size)
        for mark, _, end in self._tokens(self.end):
            if mark in b"]}" and self.level == 0:
                return end
        raise msgspec.DecodeError("a container that does not end")

    def next_comma(self) -> int | None:
        """Go behind the next comma at the first level and return its place; None when none is near."""
        if not all(self._reach(1, size) for size in FINER):
            return None
        limit = self.at + CHUNK
        before = self._state()
        for mark, start, _ in self._tokens(limit):
            if self.level == 1 and mark == b",":
                return start
            if self.level == 0:
                self._return_to(before)
                return None
        return None

    def last_comma(self, first: int) -> int | None:
        """Return the place of the last comma at the first level between ``first``, which lies there, and ``at``."""
        here = self._state()
        if self._dip[0] <= first:
            self._return_to((first, 1, False))
            self._dip = self._state()
        dips = [(self._dip, min(self._dip[0] + CHUNK, here[0]))]
        for size in FINER:
            start, end = dips[-1]
            self._return_to(start)
            last = start
            while self.at < end:
                before = self._state()
                last = before if self.advance(size) <= 1 else last
            dips.append((last, min(last[0] + size, end)))
        comma = None
        for start, end in (*reversed(dips), ((first, 1, False), here[0])):
            if comma is None and (start is dips[-1][0] or dips[-1][0][0] > first):
                self._return_to(start)
                for mark, place, _ in self._tokens(end):
                    comma = place if mark == b"," and self.level == 1 else comma
        self._return_to(here)
        return comma

    def _reach(self, level: int, size: int) -> bool:
        """Go on by chunks of a size up to before the one that comes down to a level; False when none near does."""
        limit = min(self.at + CHUNK, self.end)
        while self.at < limit:
            before = self._state()
            if self.advance(size) <= level:
                self._return_to(before)
                return True
        return False

    def _tokens(self, limit: int) -> Iterator[tuple[bytes, int, int]]:
        """Follow token by token: each bracket, comma and string from here on, up to the limit or the end."""
        while (base := self.at) < limit:
            piece = self._piece(min(base + CHUNK, limit))
            if self.in_string and (rest := _STRING_REST.match(piece)):
                self._leave(rest, base)
            for token in _NEAR_TOKEN.finditer(piece, self.at - base):
                start = token.start()
                mark = piece[start : start + 1]
                if mark == b'"':
                    self._leave(token, base)
                else:
                    self.at = base + token.end()
                    self.level += (mark in b"[{") - (mark in b"]}")
                    self.deepest = max(self.deepest, self.level)
                yield mark, base + start, base + token.end()
            if not self.in_string:
                self.at = base + len(piece)
            if self.at == base:  # the end, or half an escape before it
                return

    def _leave(self, string: re.Match[bytes], base: int) -> None:
        """Go behind a string, or as far as it was read; an escape is not torn in two. ``base`` is where the bytes begin
        in which the string was found."""
        self.in_string = string["closed"] is None
        self.at = base + string.end() - (string["torn"] is not None)

    def _follow(self, steps: bytes) -> int:
        """Take steps up and down. Returns the lowest level.

        Each step up that is followed by a step down is taken out, round by round while that takes out many: it is much
        faster than to follow the steps. A round lowers the highest by one or not at all, so most chunks are seen to
        stay below it without following all their steps; the lowest stays as it is.
        """
        left, rounds, taken = steps, 0, len(steps)
        while taken * 3 > len(left):
            before = len(left)
            left = left.replace(_UP_DOWN, b"")
            taken = before - len(left)
            rounds += 1
        levels = list(accumulate(array("b", left), initial=self.level))
        if max(levels) + rounds > self.deepest:
            highest = max(accumulate(array("b", steps), initial=self.level))
            self.deepest = max(self.deepest, highest)
        self.level = levels[-1]
        return min(levels)

    def _state(self) -> tuple[int, int, bool]:
        return self.at, self.level, self.in_string

    def _return_to(self, state: tuple[int, int, bool]) -> None:
        self.at, self.level, self.in_string = state


def _behind_slashes(data: Bytes, at: int) -> int:
    """Return the first place from ``at`` on that has no backslash."""
    while (run := data[at : at + CHUNK]) and not run.strip(b"\\"):
        at += len(run)
    return at + len(run) - len(run.lstrip(b"\\"))


def signs_of(data: bytes) -> bytes:
    """Return the brackets, commas and quotes of JSON alone: how deep and how large its values are needs no more."""
    return _unescaped(data).translate(None, _NOT_SIGN)


def depth_at_once(data: bytes) -> int:
    """Return the deepest nesting of brackets outside strings in JSON; ``[1]`` has 1. Takes as much memory as data."""
    return depth_of(_unescaped(data))


def depth_of(signs: bytes) -> int:
    """Return the same of JSON that has these signs. Each round takes out the innermost pairs, which lowers the deepest
    by one; when a round takes out few, the steps are followed."""
    steps, _ = _outside(_marks(signs))
    depth = 0
    while steps:
        left = steps.replace(_UP_DOWN, b"")
        if (len(steps) - len(left)) * FEW_PAIRS < len(steps):
            return depth + max(accumulate(array("b", steps)))
        steps = left
        depth += 1
    return depth


def _unescaped(data: bytes) -> bytes:
    """Remove escaped quotes from JSON, so that every quote opens or closes a string, by the way that takes less time
    for as many escapes as there are."""
    if b"\\" not in data or b'\\"' not in data:
        return data
    if data.count(b"\\") * OFTEN > len(data):  # pairs of backslashes first, from the left: one that is left escapes
        return data.replace(b"\\\\", b"").replace(b'\\"', b"")
    first, *others = data.split(b"\\")
    parts = iter(others)  # each begins with what is escaped; an empty one is a backslash, and text follows it
    return b"".join((first, *[part[1:] if part else next(parts, b"") for part in parts]))


def _marks(signs: bytes) -> bytes:
    """Return a step for each bracket, and the quotes between them."""
    return signs.translate(_BRACKETS, _NOT_STRUCTURE)


def _outside(marks: bytes) -> tuple[bytes, bool]:
    """Return the steps that are outside of strings, and whether the last string goes on."""
    steps = marks.translate(None, b'"')
    if marks.count(b'""') * 2 == len(marks) - len(steps):  # between any two brackets strings are closed: none is inside
        return steps, False
    # Two adjacent quotes can go, whichever string they belong to: nothing else changes sides.
    parts = marks.replace(b'""', b"").split(b'"')
    return b"".join(parts[::2]), len(parts) % 2 == 0
