"""Ranks values by importance: severities, log levels and priorities, in words and in numbers. Names the failures.

Importance, when no order is given:

- words of the usual scales, in any case: CRITICAL > HIGH > MEDIUM > LOW > INFO, and what loggers, trackers and
  linters call the same (FATAL, ERROR, WARNING, NOTICE, DEBUG; blocker, major, minor; P0 to P9, SEV1): ``_SCALE``;
- then numbers: the higher the more important, as in CVSS scores and log levels, but in fields whose name says
  priority or rank the lower, as in "priority 1";
- then other words, in the order of the items; last what is missing, null, nested or no number: ``unknown``.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from penstock.core.reading.cut import cut_text
from penstock.core.text import split_words

if TYPE_CHECKING:
    from collections.abc import Sequence

Rank = tuple[int, float]  # the kind of value, then its place in it: the smaller, the more important

LONGEST_LABEL: Final = 64  # characters of a group's name; longer values are texts, not groups
UNKNOWN: Final = "unknown"

_WORD, _NUMBER, _OTHER, _NOTHING = range(4)
_SCALE: Final = (
    "emergency emerg panic blocker",
    "alert urgent immediate highest",
    "critical crit fatal p0",
    "high error err severe major important failure p1",
    "medium moderate warning warn normal p2",
    "low minor notice style convention refactor p3",
    "info informational information note hint suggestion trivial lowest p4",
    "debug verbose fine negligible none p5",
    "trace finer finest silly p6 p7 p8 p9",
)
_IMPORTANCE: Final = {word: place for place, words in enumerate(_SCALE) for word in split_words(words)}
# States of what failed, in small letters, without the marks around them.
FAILURES: Final = frozenset(
    split_words(
        "error err severe failure failed fail critical crit fatal ftl assert panic emerg emergency ✖ ✕ ✗ ✘ ×"
        " crashloopbackoff 5xx"
    )
) | {"not ok"}
SERVER_ERRORS: Final = range(500, 600)  # HTTP says so.
_NUMBERED = re.compile(r"(?:p|prio|priority|sev|severity|s)[ _-]?([0-9])")
_LOWER_FIRST = re.compile(r"(?i)(?:prio|priority|rank)$")


def failure_of(value: Any) -> str:
    """Return the name of the failure that a state is; empty if it is none."""
    if isinstance(value, int) and value in SERVER_ERRORS:
        return "5xx"
    return str(value) if str(value).strip("* ").casefold() in FAILURES else ""


class Scale:
    """Grades values: how important each is, and which group it belongs to. See the top of the file."""

    def __init__(self, order: Sequence[object] | None = None, *, field: str = "") -> None:
        self._has_order = order is not None
        self._known: dict[str, tuple[Rank, str]] = {}
        for at, name in enumerate(order or ()):
            label = label_of(name)
            self._known.setdefault(label.casefold(), ((_WORD, at), label))
        self._direction = 1 if _LOWER_FIRST.search(field) else -1
        self._grades: dict[str, tuple[Rank, str]] = {}

    def grade(self, value: object) -> tuple[Rank, str]:
        """Return the value's rank, and the name of its group: known words of any case are one group, as first
        spelled."""
        label = label_of(value)
        if label not in self._grades:
            self._grades[label] = self._grade(label)
        return self._grades[label]

    def knows(self, value: object) -> bool:
        return self.grade(value)[0] < (_OTHER, 0)

    def _grade(self, label: str) -> tuple[Rank, str]:
        word = label.casefold()
        if word in self._known:
            return self._known[word]
        if word == UNKNOWN:
            return (_NOTHING, 0), UNKNOWN
        if self._has_order:
            return (_OTHER, 0), label
        numbered = _NUMBERED.fullmatch(word)
        place = _IMPORTANCE.get(f"p{numbered[1]}" if numbered else word)
        if place is not None:
            return self._known.setdefault(word, ((_WORD, place), label))
        number = _number(label)
        return ((_OTHER, 0), label) if number is None else ((_NUMBER, self._direction * number), label)


def label_of(value: object) -> str:
    """Return a short name for a value to be counted under, which can be written as JSON whatever the value is."""
    if isinstance(value, str):
        text = value.strip()
        if not text.isascii():
            text = text[: 4 * LONGEST_LABEL].encode("utf-8", "backslashreplace").decode()
        return (text if len(text) <= LONGEST_LABEL else cut_text(text, LONGEST_LABEL, "…").text) or UNKNOWN
    if isinstance(value, bool):
        return str(value).lower()
    number = _number(value)
    return UNKNOWN if number is None else f"{number:.15g}"


def _number(value: object) -> float | None:
    if not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
