"""Count the steps of a backtracking match, as the re module would take them: the same on every machine, unlike time.

The parsed pattern is walked with a continuation for the rest of it. Only what the patterns of Penstock use is known.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Rest = Callable[[int], bool]

MOST = 50_000  # steps after which a match is given up: it would take more than linear work for any line that is tried
DEPTH = 100_000  # calls of Python in each other: some for each character of a line
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdecimal,
    codes.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    codes.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    codes.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


@cache
def _parsed(source: str, flags: int) -> list[Any]:
    return list(parser.parse(source, flags))


def walk_of(pattern: re.Pattern[Any], line: str) -> Walk:
    """Match a whole line, as ``fullmatch`` does."""

    def match(walk: Walk, parts: list[Any]) -> None:
        walk.matched = walk.run(parts, 0, lambda at: at == len(line))

    return _walked(pattern, line, match)


def _walked(pattern: re.Pattern[Any], line: str, carry_out: Callable[[Walk, list[Any]], None]) -> Walk:
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    flags = pattern.flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE)
    walk = Walk(line, flags)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(DEPTH)
    try:
        carry_out(walk, _parsed(source, flags))
    except TooManyStepsError:
        pass
    finally:
        sys.setrecursionlimit(limit)
    return walk


def search_of(pattern: re.Pattern[Any], line: str) -> Walk:
    """Search a whole line for every match, as ``finditer`` does."""

    def find_all(walk: Walk, parts: list[Any]) -> None:
        at = 0
        while at <= len(line):
            walk.groups = {}
            end = walk.end_of(parts, at)
            walk.matched |= end is not None
            at = at + 1 if end is None or end == at else end

    return _walked(pattern, line, find_all)


class TooManyStepsError(Exception):
    """A match that was given up."""


class Walk:
    """One match of one line. ``steps`` grows with each part of the pattern that is tried."""

    def __init__(self, line: str, flags: int) -> None:
        self.line = line
        self.flags = flags
        self.steps = 0
        self.matched = False
        self.groups: dict[int, str] = {}

    def run(self, parts: list[Any], at: int, rest: Rest) -> bool:
        if not parts:
            return rest(at)
        self.steps += 1
        if self.steps > MOST:
            raise TooManyStepsError
        (code, value), following = parts[0], parts[1:]

        def go_on(end: int) -> bool:
            return self.run(following, end, rest)

        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            return self._repeat(code, value, at, go_on)
        if code is codes.SUBPATTERN:
            return self._group(value, at, go_on)
        if code is codes.BRANCH:
            return any(self.run(list(one), at, go_on) for one in value[1])
        if code is codes.ATOMIC_GROUP:
            end = self.end_of(list(value), at)
            return end is not None and go_on(end)
        if code in (codes.ASSERT, codes.ASSERT_NOT):
            return self._looks(value, at) is (code is codes.ASSERT) and go_on(at)
        if code is codes.AT:
            return self._is_at(value, at) and go_on(at)
        if code is codes.GROUPREF:
            text = self.groups.get(value, "")
            return self.line.startswith(text, at) and go_on(at + len(text))
        if code is codes.GROUPREF_EXISTS:
            number, yes, no = value
            return self.run(list(yes if number in self.groups else no or ()), at, go_on)
        return self._fits(code, value, at) and go_on(at + 1)

    def _repeat(self, code: Any, value: Any, at: int, rest: Rest) -> bool:
        least, most, body = value[0], value[1], list(value[2])
        most = len(self.line) + 1 if most is codes.MAXREPEAT else most
        if code is codes.POSSESSIVE_REPEAT:
            count, end = 0, at
            while count < most and (step := self.end_of(body, end)) is not None and (step > end or count < least):
                count, end = count + 1, step
            return count >= least and rest(end)
        if len(body) == 1 and body[0][0] in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
            return self._repeat_one(code, value, at, rest)

        def again(count: int, start: int) -> bool:
            def more(end: int) -> bool:
                return (end > start or count < least) and again(count + 1, end)

            if count < least:
                return self.run(body, start, more)
            if code is codes.MIN_REPEAT:
                return rest(start) or (count < most and self.run(body, start, more))
            return (count < most and self.run(body, start, more)) or rest(start)

        return again(0, at)

    def _repeat_one(self, code: Any, value: Any, at: int, rest: Rest) -> bool:
        least, most, [(kind, what)] = value
        longest = 0
        while longest < min(most, len(self.line) - at) and self._fits(kind, what, at + longest):
            longest += 1
        self.steps += longest
        counts = range(least, longest + 1) if code is codes.MIN_REPEAT else range(longest, least - 1, -1)
        for count in counts:
            self.steps += 1
            if rest(at + count):
                return True
        return False

    def _group(self, value: Any, at: int, rest: Rest) -> bool:
        number, added, removed, body = value
        outer = self.flags
        self.flags = (outer | added) & ~removed

        def close(end: int) -> bool:
            self.flags = outer
            before = self.groups
            if number is not None:
                self.groups = {**before, number: self.line[at:end]}
            if rest(end):
                return True
            self.groups = before
            return False

        try:
            return self.run(list(body), at, close)
        finally:
            self.flags = outer

    def end_of(self, body: list[Any], at: int) -> int | None:
        ends: list[int] = []

        def keep(end: int) -> bool:
            ends.append(end)
            return True

        return ends[0] if self.run(body, at, keep) else None

    def _looks(self, value: Any, at: int) -> bool:
        way, body = value
        start = at if way > 0 else at - body.getwidth()[0]
        return start >= 0 and self.end_of(list(body), start) is not None

    def _is_at(self, place: Any, at: int) -> bool:
        is_word = [0 <= one < len(self.line) and bool(re.match(r"\w", self.line[one])) for one in (at - 1, at)]
        if place in (codes.AT_BOUNDARY, codes.AT_NON_BOUNDARY):
            return (is_word[0] != is_word[1]) is (place is codes.AT_BOUNDARY)
        if place is codes.AT_BEGINNING and self.flags & re.MULTILINE:
            return at == 0 or self.line[at - 1] == "\n"
        if place in (codes.AT_BEGINNING, codes.AT_BEGINNING_STRING):
            return at == 0
        return at >= len(self.line) - (place is codes.AT_END and self.line.endswith("\n"))

    def _fits(self, code: Any, value: Any, at: int) -> bool:
        """Return True if the character at a place is what a part of one character asks for."""
        if at >= len(self.line):
            return False
        char = self.line[at]
        if code is codes.ANY:
            return char != "\n" or bool(self.flags & re.DOTALL)
        if code is codes.IN:
            negated = value[0][0] is codes.NEGATE
            return any(self._fits(one, what, at) for one, what in value[negated:]) is not negated
        if code is codes.CATEGORY:
            return bool(_CATEGORIES[value](char))
        chars = {char, char.swapcase()} if self.flags & re.IGNORECASE else {char}
        if code is codes.RANGE:
            return any(value[0] <= ord(one) <= value[1] for one in chars if len(one) == 1)
        same = value in {ord(one) for one in chars if len(one) == 1}
        return same if code is codes.LITERAL else not same
