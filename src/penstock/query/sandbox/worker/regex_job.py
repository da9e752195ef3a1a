"""Python's regular expressions on one text, where RE2 is not installed: in a worker, because they may take for ever."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.query.sandbox.jobs import RegexMatch
from penstock.query.sandbox.worker.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.sandbox.jobs import RegexQuery

_ANY_CASE = re.compile(r"\(\?[a-zA-Z]*i")
_POSIX_CLASS = re.compile(r"\[:\^?[a-z]+:\]")
_SYNTAX = "write it in the syntax of Python's re, because RE2 is not installed here; or search for plain text"


class RegexJob:
    """All matches from a position on, as JSON: their positions in bytes, and what takes their place, if asked."""

    def __init__(self, query: RegexQuery) -> None:
        self._query = query
        # As with RE2, words and digits are those of ASCII; but without regard to case all letters have their two forms.
        flags = re.IGNORECASE if query.ignore_case else re.NOFLAG if _ANY_CASE.search(query.pattern) else re.ASCII
        if (posix := _POSIX_CLASS.search(query.pattern)) is not None:  # Python reads it as a set of its letters
            raise Fault(f"the regular expression cannot be read: the class {posix[0]} is not available", do=_SYNTAX)
        try:
            self._pattern = re.compile(query.pattern, flags | re.MULTILINE)
        except (re.error, OverflowError, RecursionError) as error:
            raise Fault(f"the regular expression cannot be read: {error}", do=_SYNTAX) from None
        self._count = 0

    @property
    def wanted(self) -> list[int]:
        return [0]

    def feed(self, data: bytes, _note: int, _first: int) -> Iterator[bytes]:
        # Bytes that are no UTF-8, as where a window begins within a character, become characters of their own.
        text = data.decode("utf-8", "surrogateescape")
        at, last = self._query.start, 0
        place = len(data[:at].decode("utf-8", "surrogateescape"))
        matches: list[RegexMatch] = []
        for match in self._matches(text, place):
            at += _size(text[place if not matches else last : match.start()])
            size = _size(match[0])
            matches.append(RegexMatch(start=at, end=at + size, new=self._new(match)))
            at, last = at + size, match.end()
            if len(matches) == self._query.most:
                break
        self._count = len(matches)
        yield msgspec.json.encode(matches)

    def _matches(self, text: str, start: int) -> Iterator[re.Match[str]]:
        """Find all matches; where a match lies in one line, line by line."""
        if not self._query.in_lines:
            yield from self._pattern.finditer(text, start)
            return
        while start <= len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            yield from self._pattern.finditer(text, start, end)
            start = end + 1

    def _new(self, match: re.Match[str]) -> bytes | None:
        if self._query.template is None:
            return None
        try:
            return match.expand(self._query.template).encode("utf-8", "surrogateescape")
        except (re.error, IndexError):
            raise Fault("the replacement names a group that is not there", do=r"groups are \1, \2, ...") from None

    def finish(self) -> Iterator[bytes]:
        return iter(())

    def summary(self) -> dict[str, Any]:
        return {"count": self._count}


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
