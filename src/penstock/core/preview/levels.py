"""Levels and times in log lines.

Loggers write a level in one of a few layouts. Which one a log uses is learned from a sample, and then only that one
is looked for: a message that happens to contain the word ERROR is not counted. All patterns run on a line's first
bytes and take time in proportion to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.toolkit.severity import Rank, Scale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WINDOW: Final = 160  # bytes of a line in which its level stands, if it has one
STAMP_WINDOW: Final = 64  # bytes of a line in which its time stands

_WORDS: Final = (
    rb"(TRACE|VERBOSE|DEBUG|INFO(?:RMATION)?|NOTICE|WARN(?:ING)?|ERR(?:OR)?|SEVERE|CRIT(?:ICAL)?|ALERT|EMERG(?:ENCY)?"
    rb"|FATAL|PANIC)"
)
_WORD = re.compile(_WORDS, re.IGNORECASE)
# The same words with nothing before them that would make them part of another: colours may stand there, but between
# commas it is rather a column of a table. That is tested behind the first letter, as a search for a letter is fast.
_ALONE: Final = rb"(?:(?<![\w./,;-].)|(?<=\dm.))"
_LONE_WORDS: Final = b"(" + b"|".join(word[:1] + _ALONE + word[1:] for word in _WORDS[1:-1].split(b"|")) + b")"
_LETTERS: Final = {
    "V": "VERBOSE",
    "T": "TRACE",
    "D": "DEBUG",
    "I": "INFO",
    "N": "NOTICE",
    "W": "WARNING",
    "E": "ERROR",
    "C": "CRITICAL",
    "F": "FATAL",
}
_SYSLOG: Final = ("EMERG", "ALERT", "CRIT", "ERR", "WARNING", "NOTICE", "INFO", "DEBUG")
_STAMP = re.compile(
    rb"(?:\d{4}[-/.]\d\d[-/.]\d\d[T _]\d\d:\d\d:\d\d"  # 2026-01-31T12:00:00
    rb"|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"  # Jan 31 12:00:00
    rb"|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d"  # 31/Jan/2026:12:00:00
    rb"|\d{4} \d\d:\d\d:\d\d|\d\d-\d\d \d\d:\d\d:\d\d"  # 0131 12:00:00, 01-31 12:00:00
    rb"|(?<![\d:.])\d\d:\d\d:\d\d"
    rb"|(?<=\[)[ \d]{1,9}\.\d{6}(?=\]))"  # seconds since the start of a kernel
    rb"(?:[.,]\d{3,9})?(?: ?(?:Z|[+-]\d\d:?\d\d)(?![\d]))?(?![\w,;])"
)
_ERROR_RANK: Final = Scale().grade("error")[0]
_WARNING_RANK: Final = Scale().grade("warning")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A level by the name it is counted under; the smaller its rank, the more serious."""

    name: str
    rank: Rank

    @property
    def is_error(self) -> bool:
        return self.rank <= _ERROR_RANK

    @property
    def is_warning(self) -> bool:
        return _ERROR_RANK < self.rank <= _WARNING_RANK


def level_named(name: str) -> Level:
    """The level that a word, or the class of an HTTP status, stands for."""
    meant = {"5xx": "error", "4xx": "warning", "3xx": "info", "2xx": "info", "1xx": "debug"}.get(name, name)
    return Level(name=name, rank=Scale().grade(meant)[0])


def is_level(word: str) -> bool:
    """Whether loggers call a level so."""
    return word.isascii() and _WORD.fullmatch(word.encode()) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One way to write a level into a line: where it is found, and what its text is called."""

    pattern: re.Pattern[bytes]
    name: Callable[[str], str] = str.upper

    def find(self, line: bytes) -> str | None:
        """The text of the line's level."""
        match = self.pattern.search(line, 0, WINDOW)
        return match[1].decode("ascii") if match else None

    def level(self, written: str) -> Level:
        return level_named(self.name(written))


MENTIONS: Final = Layout(
    pattern=re.compile(rb"(?i)\b(error|exception|fail(?:ed|ure)?|fatal|panic|traceback)\b"), name=lambda _: "ERROR"
)
"""For logs without levels: the lines that speak of an error."""

LAYOUTS: Final = (
    Layout(pattern=re.compile(rb"(?i)\b(?:level|lvl|severity|log_?level)[\"']?\s?[=:]\s?[\"']?" + _WORDS + rb"\b")),
    Layout(pattern=re.compile(rb"(?i)[\[<(|] ?" + _WORDS + rb" {0,8}[\]>)|]")),
    Layout(pattern=re.compile(_LONE_WORDS + rb"(?![\w./,;-])")),
    Layout(pattern=re.compile(rb"(?im)(?:^|\d\d:\d\d:\d\d[^ ]{0,16} )" + _WORDS + rb"[:\s\]]")),
    Layout(pattern=re.compile(rb"(?m)^([IWEF])\d{4} \d\d:\d\d"), name=_LETTERS.__getitem__),
    Layout(
        pattern=re.compile(
            rb"(?m)^(?:\[(?=. \d)|[\d-]{5,10} [\d:.]{8,15} {1,8}\d{1,8} {1,8}\d{1,8} |(?=./\w))([VTDINWECF])[ /]"
        ),
        name=_LETTERS.__getitem__,
    ),
    Layout(pattern=re.compile(rb"(?m)^<(\d{1,3})>"), name=lambda code: _SYSLOG[int(code) % 8]),
    Layout(pattern=re.compile(rb"\" ([1-5])\d\d (?:\d|-)"), name="{}xx".format),
)


def learn_layout(lines: Sequence[bytes]) -> tuple[Layout, int]:
    """The layout that most of these lines have, and how many have it."""
    found = [(layout, sum(layout.find(line) is not None for line in lines)) for layout in LAYOUTS]
    return max(found, key=lambda one: one[1])


def stamp(line: bytes) -> str | None:
    """The time that a line begins with, or has near its beginning, as it is written."""
    match = _STAMP.search(line, 0, STAMP_WINDOW)
    return match[0].decode("ascii").strip() if match else None
