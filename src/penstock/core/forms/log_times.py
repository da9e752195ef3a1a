"""Time stamps of log entries: the ways in which programs write them, and how each becomes a text that SQL can sort.

A stamp with a whole date becomes ISO text, ``2005-06-09 06:07:04``: its decimals and its offset stay as they are, UTC
and GMT become Z. Seconds since 1970 become such a text in UTC, with a Z. A stamp without a year becomes ``06-14
15:16:01``: the year is never guessed. Of a date that no calendar has the time is None.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Cells = list[str | None]

_YEAR = r"(?:199[0-9]|20[0-9]{2})"
_MONTH = r"(?:0[1-9]|1[0-2])"
_DAY = r"(?:0[1-9]|[12][0-9]|3[01])"
_ANY_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_NAMES = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_NAME = f"(?:{_NAMES})"
_WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)"  # with the leap second
# A comma is followed by three decimals or more: fewer are rather the next cell of a table.
_PART = r"(?:\.[0-9]{1,9}|,[0-9]{3,9}|)"
_ZONE = r"(?:Z|[ ]?[+-](?:0[0-9]|1[0-4]):?[0-5][0-9]|[ ](?:UTC|GMT)|)"
_LOCAL = f"(?P<_clock>{_CLOCK}{_PART})"  # without a zone
_TIME = f"(?P<_clock>{_CLOCK}{_PART}{_ZONE})"
# The end of a stamp. A comma right before the next character belongs to a table, a letter or digit to a name.
END = r"""(?=[\s\]|")]|[,:;][ \t])"""
_START = r"""(?<![^\s\[|"=>])"""
_AFTER_LETTER = r"(?:(?<=^[DIWEF])|(?<=[\s|][DIWEF]))"

_MONTHS = {name: f"{number:02}" for number, name in enumerate(_NAMES.split("|"), 1)}
_DIGITS = re.compile(r"[0-9]+")
MAX_STAMP: Final = 40  # A stamp has at most 40 characters.
_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class Stamp:
    """A way to write a time. ``pattern`` has the groups ``_date``, ``_clock`` and ``_year``, or some of them, which
    ``write`` turns into texts, a column each.

    ``rank`` orders the stamps that are found on one line: 0 for a whole date, 1 for seconds since 1970 or a date
    without a year, 2 for a time of day alone. Unless ``is_dated``, the year is not known.
    """

    pattern: str
    write: Callable[..., Cells]
    rank: int = 0
    is_dated: bool = True
    start: str = _START


def _as_is(stamps: Sequence[str]) -> Cells:
    """Keep ISO texts, and those without a year: only their dates are checked."""
    days = {text[:10] for text in stamps}
    wrong = {day for day in days if day[4:5] == "-" and _iso_day(day[:4], day[5:7], day[8:]) is None}
    return [None if text[:10] in wrong else text for text in _with_zulu(stamps)]


def _with_zulu(clocks: Sequence[str]) -> Sequence[str]:
    if {"C", "T"}.isdisjoint({text[-1] for text in clocks}):
        return clocks
    return [f"{text[:-4]}Z" if text.endswith((" UTC", " GMT")) else text for text in clocks]


def _dated(read: Callable[[str], str | None]) -> Callable[..., Cells]:
    """Return what writes date and clock: ``read`` turns the text of a date into ISO. There are few different dates."""

    def write(dates: Sequence[str], clocks: Sequence[str], years: Sequence[str] = ()) -> Cells:
        if years:
            dates = [f"{day} {year}" for day, year in zip(dates, years, strict=True)]
        days = {text: read(text) for text in set(dates)}
        pairs = zip(dates, _with_zulu(clocks), strict=True)
        return [f"{days[day]} {clock}" if days[day] else None for day, clock in pairs]

    return write


def _iso_day(year: str, month: str, day: str) -> str | None:
    """Return an ISO date, or None if there is no such day."""
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _year_first(text: str) -> str | None:
    """Read ``2026/01/31``, and ``17/06/09`` with a year of two digits: 1990 to 2089."""
    year, month, day = _DIGITS.findall(text)
    return _iso_day(year if len(year) == 4 else f"{19 if year >= '90' else 20}{year}", month, day)


def _named(text: str) -> str | None:
    """Read a date with the month's name, the day before or after it: ``10/Oct/2000``, ``Jun 9 2005``; ``Jun 14``."""
    month = next(_MONTHS[name] for name in _MONTHS if name in text)
    numbers = _DIGITS.findall(text)
    if len(numbers) == 1:
        return f"{month}-{numbers[0]:0>2}"
    day, year = sorted(numbers, key=len)
    return _iso_day(year, month, day)


def _of_klog(text: str) -> str:
    return f"{text[:2]}-{text[2:]}"


def _write_epoch(seconds: Sequence[str], parts: Sequence[str]) -> Cells:
    """Write seconds since 1970, with decimals, or milliseconds: the last three of thirteen digits."""
    times = [divmod(int(text), _DAY_SECONDS) for text in seconds]
    days = {day: date.fromordinal(_EPOCH + day).isoformat() for day in {day for day, _ in times}}
    return [
        f"{days[day]} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}{part and '.' + part.lstrip('.')}Z"
        for (day, rest), part in zip(times, parts, strict=True)
    ]


# Seconds since 1970 are those from 2001 to 2033: other numbers of ten or thirteen digits are rather ids. Whether
# ``10.11`` is in October or in November is not known, so this text stays as it is.
STAMPS: Final = {
    "iso": Stamp(rf"(?P<_date>{_YEAR}-{_MONTH}-{_DAY}[T ]{_CLOCK}{_PART}{_ZONE})", _as_is),
    "slashes": Stamp(rf"(?P<_date>{_YEAR}/{_MONTH}/{_DAY})[ ]{_TIME}", _dated(_year_first)),
    "short": Stamp(rf"(?P<_date>[0-9]{{2}}/{_MONTH}/{_DAY})[ ]{_LOCAL}", _dated(_year_first)),
    "ctime": Stamp(
        rf"(?:{_WEEKDAY}[ ]|)(?P<_date>{_NAME}[ ]{{1,2}}{_ANY_DAY})[ ]{_LOCAL}[ ](?P<_year>{_YEAR})",
        _dated(_named),
    ),
    "named": Stamp(rf"(?P<_date>{_ANY_DAY}[-/ ]{_NAME}[-/ ]{_YEAR})[: ]{_TIME}", _dated(_named)),
    "epoch": Stamp(r"(?P<_date>1[0-9]{9})(?P<_clock>\.[0-9]{1,6}|[0-9]{3}|)", _write_epoch, rank=1),
    "syslog": Stamp(rf"(?P<_date>{_NAME}[ ]{{1,2}}{_ANY_DAY})[ ]{_LOCAL}", _dated(_named), 1, is_dated=False),
    "month-day": Stamp(rf"(?P<_date>{_MONTH}-{_DAY}[ ]{_CLOCK}{_PART})", _as_is, 1, is_dated=False),
    "two numbers": Stamp(rf"(?P<_date>[0-3][0-9][./][0-3][0-9][ ]{_CLOCK}{_PART})", _as_is, 1, is_dated=False),
    "klog": Stamp(
        rf"(?P<_date>{_MONTH}{_DAY})[ ]{_LOCAL}",
        _dated(_of_klog),
        1,
        is_dated=False,
        start=_AFTER_LETTER,
    ),
    "clock": Stamp(_LOCAL, _as_is, 2, is_dated=False),
}


@cache
def finder(name: str) -> re.Pattern[str]:
    """Return the pattern that finds a stamp anywhere on a line."""
    stamp = STAMPS[name]
    return re.compile(stamp.start + stamp.pattern + END)
