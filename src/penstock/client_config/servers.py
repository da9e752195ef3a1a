"""The servers of a configuration and their positions in its text, the same for every format.

Positions are those of characters. A format is a ``Dialect``: how its text is read, and how a word is written in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
class EntryKeys:
    """The names that a client has for the members of a server, and for the types of one."""

    command: str = "command"
    env: str = "env"
    url: str = "url"
    headers: str = "headers"
    local: str = "stdio"  # the type of a server that is a command
    remote: str = "http"  # the type of one that is reached by URL
    is_array: bool = False  # the command is an array with its arguments
    has_name: bool = False  # the entry repeats the name as its member
    is_list: bool = False  # servers are the items of a list; the name is a member of the item
    braces_are_variables: bool = False  # {env:NAME} is a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryMember:
    """The place of a server's member: its key, the last part of the key, its value, and what is in the value."""

    key: Span
    name: Span
    value: Span
    names: tuple[Span, ...] = ()  # the keys of a table
    items: tuple[Span, ...] = ()  # the items of an array
    separator: str = ""  # the text between two items, if it cannot be seen between them
    around: tuple[str, str]  # the text before and after an array that is added in front of it as args


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEntry:
    """One server: where it stands, and what it says."""

    section: Section  # the keys that lead to it, without its name
    name: str
    value: object
    entries: Mapping[str, EntryMember]
    keys: EntryKeys = field(default_factory=EntryKeys)
    indent: int = 0  # blanks in front of its name, where they mean something
    whole: Span | None = None  # all that is said of it; None if that does not stand in one piece

    @property
    def words(self) -> tuple[str, ...]:
        """Return the command line, or nothing if there is none that could be run."""
        if not isinstance(self.value, dict):
            return ()
        command, args = self.value.get(self.keys.command), self.value.get("args", [])
        if not isinstance(args, list) or command == []:
            return ()
        words = [*command, *args] if self.keys.is_array and isinstance(command, list) else [command, *args]
        return tuple(words) if words[0] and all(isinstance(word, str) for word in words) else ()

    @property
    def rest(self) -> object:
        """Return what it says beside its command line."""
        line = (self.keys.command, "args")
        return {k: v for k, v in self.value.items() if k not in line} if isinstance(self.value, dict) else self.value


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
    member: Callable[[ServerEntry, str, Mapping[str, Any]], str]  # a server, in the place of another, with this name
    has_commas: bool  # between two servers
    comment: re.Pattern[str]  # with the blanks behind it; for the gaps between values, which hold no strings
