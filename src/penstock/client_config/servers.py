"""The servers of a configuration and their positions in its text, the same for every format.

Positions are those of characters. A format is a ``Dialect``: how its text is read, and how a word is written in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Section = tuple[str, ...]

BREAK = re.compile(r"\r?\n[ \t]*")  # the end of a line, with the indentation of the next one


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From ``start`` up to, but not including, ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedValue:
    """A key and its value."""

    key: Span
    value: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The place of a server's command line in its file."""

    command: KeyedValue
    args: KeyedValue | None
    items: tuple[Span, ...]  # of args
    around: tuple[str, str]  # what would stand before and after an array put in front of the command as its args


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrySpans:
    """The place of a server's member: the last part of its key, its value, and the keys in that value."""

    name: Span
    value: Span
    names: tuple[Span, ...]
    around: tuple[str, str]  # what would stand before and after an array put in front of it as args


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEntry:
    """One server: where it stands, and what it says."""

    section: Section  # the keys that lead to it, without its name
    name: str
    given: object
    line: Line | None  # None: it has no command
    entries: Mapping[str, EntrySpans]

    @property
    def words(self) -> tuple[str, ...]:
        """Return the command line, or nothing if there is none that could be run."""
        if not isinstance(self.given, dict):
            return ()
        command, args = self.given.get("command"), self.given.get("args", [])
        if not isinstance(command, str) or not command or not isinstance(args, list):
            return ()
        return (command, *args) if all(isinstance(word, str) for word in args) else ()


def tight(text: str, key: Span, value: Span) -> bool:
    """Return True if no blank stands between a key and its value: such a file has none after commas, too."""
    return not any(map(str.isspace, text[key.end : value.start]))


def past(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Return the position after what matches here, or the same position."""
    match = pattern.match(text, at)
    return match.end() if match else at


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A format of configuration files."""

    read: Callable[[str], list[ServerEntry]]  # raises CallerError, in words that go on after the file's name
    quote: Callable[[str], str]
    headers: str  # the key under which a server over HTTP has them
    comment: re.Pattern[str]  # with the blanks behind it; for the gaps between values, which hold no strings
