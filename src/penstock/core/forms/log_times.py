"""Time stamps of log entries: the ways in which programs write them, and how each becomes a text that SQL can sort.

A stamp with a whole date becomes ISO text, ``2005-06-09 06:07:04``: its decimals and its offset stay as they stand, UTC
and GMT become Z. Seconds since 1970 become such a text in UTC, with a Z. A stamp without a year becomes ``06-14
15:16:01``: the year is never guessed. Years are 1990 to 2099; of a date that no calendar has the time is None.
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
_ANY_MONTH = r"(?:0?[1-9]|1[0-2])"
_ANY_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_ISO_DATE = rf"{_YEAR}-{_MONTH}-{_DAY}"
_NAME = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[ ]"
_HOUR = r"(?:[01][0-9]|2[0-3])"
_SECOND = r"(?:[0-5][0-9]|60)"  # with the leap second
_CLOCK = rf"{_HOUR}:[0-5][0-9]:{_SECOND}"
# A comma is followed by three decimals or more: fewer are rather the next cell of a table.
_PART = r"(?:\.[0-9]{1,9}|,[0-9]{3,9}|)"
_ZONE = r"(?:Z|[ ]?[+-](?:0[0-9]|1[0-4]):?[0-5][0-9]|[ ](?:UTC|GMT)|)"
# What follows a stamp. A comma right before the next character belongs to a table, a letter or digit to a name.
END = r"""(?=[\s\]|")]|[,:;][ \t])"""
_START = r"""(?<![^\s\[|"=>])"""
_AFTER_LETTER = r"(?:(?<=^[DIWEF])|(?<=[\s|][DIWEF]))"

_MONTHS = {name: f"{number:02}" for number, name in enumerate(_NAME[3:-1].split("|"), 1)}
_EPOCH = date(1970, 1, 1).toordinal()
_DAY_SECONDS = 86_400
_TWO = [f"{number:02}" for number in range(60)]
_DIGITS = re.compile(r"[0-9]+")
LONGEST: Final = 40  # characters of a stamp


@dataclass(frozen=True, slots=True)
class Stamp:
    """A way to write a time. ``pattern`` has one group or more, which ``write`` turns into texts, a column each.

    ``rank`` orders the stamps that are found on one line: 0 for a whole date, 1 for seconds since 1970 or a date
    without a year, 2 for a time of day alone. ``dated`` tells that the year is known. ``rival`` names the stamp that
    reads the same characters as another date.
    """

    pattern: str
    write: Callable[..., Cells]
    rank: int = 0
    dated: bool = True
    start: str = _START
    rival: str = ""


def _as_is(stamps: Sequence[str]) -> Cells:
    """Keep ISO texts, and those without a year: only their dates are looked at."""
    days = {text[:10] for text in stamps}
    wrong = {day for day in days if day[4:5] == "-" and _day(day[:4], day[5:7], day[8:]) is None}
    times: Cells = list(_with_zulu(stamps))
    return [None if text is None or text[:10] in wrong else text for text in times] if wrong else times


def _dated(
    read: Callable[[str], str | None], clock: Callable[[str], str] | None = None, *, zoned: bool = False
) -> Callable[..., Cells]:
    """Write date and clock: ``read`` turns the text of a date into ISO, and ``clock`` that of another clock than
    ``06:07:04``. There are few different dates."""

    def write(dates: Sequence[str], clocks: Sequence[str]) -> Cells:
        days = {text: read(text) for text in set(dates)}
        if clock is not None:
            known = {text: clock(text) for text in set(clocks)}
            clocks = [known[text] for text in clocks]
        pairs = zip(dates, _with_zulu(clocks) if zoned else clocks, strict=True)
        if None in days.values():
            return [f"{days[day]} {text}" if days[day] else None for day, text in pairs]
        return [f"{days[day]} {text}" for day, text in pairs]

    return write


def _with_zulu(clocks: Sequence[str]) -> Sequence[str]:
    if {"C", "T"}.isdisjoint({text[-1] for text in clocks}):
        return clocks
    return [f"{text[:-4]}Z" if text.endswith((" UTC", " GMT")) else text for text in clocks]


def _day(year: str, month: str, day: str) -> str | None:
    """Return an ISO date, or None if there is no such day."""
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _ymd(text: str) -> str | None:
    """Read ``2026/01/31``, ``2026.01.31``, ``20260131``; ``26/01/31`` and ``260131`` with a year of two digits."""
    digits = text if text.isdigit() else "".join(_DIGITS.findall(text))
    century = "" if len(digits) == 8 else "19" if digits >= "9" else "20"
    return _day((century + digits)[:4], digits[-4:-2], digits[-2:])


def _named(text: str) -> str | None:
    """Return a date with the month's name, the day before or after it: ``10/Oct/2000``, ``Jun 9 2005``; ``Jun 14``."""
    month = next(_MONTHS[name] for name in _MONTHS if name in text)
    numbers = _DIGITS.findall(text)
    if len(numbers) == 1:
        return f"{month}-{numbers[0]:0>2}"
    day, year = sorted(numbers, key=len)
    return _day(year, month, day)


def _mdy(text: str) -> str | None:
    month, day, year = _DIGITS.findall(text)
    return _day(year, month, day)


def _dmy(text: str) -> str | None:
    day, month, year = _DIGITS.findall(text)
    return _day(year, month, day)


def _write_ctime(dates: Sequence[str], clocks: Sequence[str], years: Sequence[str]) -> Cells:
    """Write ``Jun 09``, ``06:07:04`` and ``2005``, which stand in this order, as one time."""
    return _dated(_named)([f"{day} {year}" for day, year in zip(dates, years, strict=True)], clocks)


def _packed_clock(text: str) -> str:
    """Write ``203615`` as a clock."""
    return f"{text[:2]}:{text[2:4]}:{text[4:]}"


def _dotted_clock(text: str) -> str:
    """Write ``15.42.50``, with decimals after a dot or a colon, as a clock."""
    return text.replace(":", ".").replace(".", ":", 2)


def _loose_clock(text: str) -> str:
    """Write a clock without colons or zeros: ``203615Z``, ``22:15:9:6`` (the last are milliseconds)."""
    zone = "Z" if text.endswith("Z") else ""
    parts = _DIGITS.findall(text)
    if len(parts[0]) == 6:
        parts = [parts[0][:2], parts[0][2:4], parts[0][4:], *parts[1:]]
    hour, minute, second, *rest = parts
    part = f".{rest[0]:0>3}" if rest and text[-1 - len(rest[0])] == ":" else f".{rest[0]}" if rest else ""
    return f"{hour:0>2}:{minute:0>2}:{second:0>2}{part}{zone}"


def _whole_clock(text: str) -> str:
    """Write a clock of twelve hours, or of twenty-four without a zero before a small hour: ``1:05:09 PM``."""
    hour, rest = text.split(":", 1)
    half = rest[-2:].upper()
    if half not in {"AM", "PM"}:
        return f"{hour:0>2}:{rest}"
    return f"{int(hour) % 12 + 12 * (half == 'PM'):02}:{rest[:-2].rstrip()}"


def _write_epoch(seconds: Sequence[str], parts: Sequence[str]) -> Cells:
    """Write seconds since 1970, with decimals, or milliseconds: the last three of thirteen digits."""
    times = [divmod(int(text), _DAY_SECONDS) for text in seconds]
    days = {day: date.fromordinal(_EPOCH + day).isoformat() for day in {day for day, _ in times}}
    texts = [f"{days[day]} {_TWO[rest // 3600]}:{_TWO[rest // 60 % 60]}:{_TWO[rest % 60]}" for day, rest in times]
    if any(parts):
        return [f"{text}.{part.lstrip('.')}Z" if part else f"{text}Z" for text, part in zip(texts, parts, strict=True)]
    return [f"{text}Z" for text in texts]


def _month_first(text: str) -> str:
    return f"{text[:2]}-{text[-2:]}"


def _day_first(text: str) -> str:
    return f"{text[-2:]}-{text[:2]}"


_LOOSE = rf"{_HOUR}[0-5][0-9]{_SECOND}Z?|(?:[01]?[0-9]|2[0-3]):[0-5]?[0-9]:(?:60|[0-5]?[0-9])(?:[.:,][0-9]{{1,9}})?"
_DOTTED = rf"{_HOUR}\.[0-5][0-9]\.{_SECOND}(?:[.:][0-9]{{1,9}})?"
_TIME = f"({_CLOCK}{_PART}{_ZONE})"
_HALVES = rf",?[ ]((?:[01]?[0-9]|2[0-3]):[0-5][0-9]:{_SECOND}{_PART}(?:[ ]?[AaPp][Mm])?)"
_YEARLESS = f"({_CLOCK}{_PART})"

# Two digits for the year come first in the logs of Hadoop and Spark, whose format "short" is. Seconds since 1970 are
# those from 2001 to 2033: other numbers of ten or thirteen digits are rather ids.
STAMPS: Final = {
    "weekday": Stamp(rf"{_WEEKDAY}({_ISO_DATE}[T ]{_CLOCK}{_PART}{_ZONE})", _as_is),
    "iso": Stamp(rf"({_ISO_DATE}[T ]{_CLOCK}{_PART}{_ZONE})", _as_is),
    "minutes": Stamp(rf"({_ISO_DATE}[T ]{_HOUR}:[0-5][0-9])", _as_is),
    "slashes": Stamp(rf"({_YEAR}/{_MONTH}/{_DAY})[ ]{_TIME}", _dated(_ymd, zoned=True)),
    "dots": Stamp(rf"({_YEAR}[-.]{_MONTH}[-.]{_DAY})-({_DOTTED})", _dated(_ymd, _dotted_clock)),
    "compact": Stamp(rf"({_YEAR}{_MONTH}{_DAY})[-T _]({_LOOSE})", _dated(_ymd, _loose_clock)),
    "short": Stamp(rf"([0-9]{{2}}/{_MONTH}/{_DAY})[ ]{_YEARLESS}", _dated(_ymd)),
    "packed": Stamp(rf"([0-9]{{2}}{_MONTH}{_DAY})[ ]({_HOUR}[0-5][0-9]{_SECOND})", _dated(_ymd, _packed_clock)),
    "ctime": Stamp(rf"(?:{_WEEKDAY}|)({_NAME}[ ]{{1,2}}{_ANY_DAY})[ ]({_CLOCK}{_PART})[ ]({_YEAR})", _write_ctime),
    "month": Stamp(rf"({_NAME}[ ]{{1,2}}{_ANY_DAY},?[ ]{_YEAR})[ ]{_TIME}", _dated(_named, zoned=True)),
    "named": Stamp(rf"({_ANY_DAY}[-/ ]?{_NAME}[-/ ]?{_YEAR})[: ]{_TIME}", _dated(_named, zoned=True)),
    "dmy dots": Stamp(rf"({_DAY}\.{_MONTH}\.{_YEAR}){_HALVES}", _dated(_dmy, _whole_clock)),
    "mdy": Stamp(rf"({_ANY_MONTH}/{_ANY_DAY}/{_YEAR}){_HALVES}", _dated(_mdy, _whole_clock), rival="dmy"),
    "dmy": Stamp(rf"({_ANY_DAY}/{_ANY_MONTH}/{_YEAR}){_HALVES}", _dated(_dmy, _whole_clock), rival="mdy"),
    "epoch": Stamp(r"(1[0-9]{9})(\.[0-9]{1,6}|[0-9]{3})?", _write_epoch, rank=1),
    "syslog": Stamp(rf"({_NAME}[ ]{{1,2}}{_ANY_DAY})[ ]{_YEARLESS}", _dated(_named), rank=1, dated=False),
    "month-day": Stamp(rf"({_MONTH}-{_DAY}[ ]{_CLOCK}{_PART})", _as_is, rank=1, dated=False),
    "md": Stamp(rf"({_MONTH}[./]{_DAY})[ ]{_YEARLESS}", _dated(_month_first), rank=1, dated=False, rival="dm"),
    "dm": Stamp(rf"({_DAY}[./]{_MONTH})[ ]{_YEARLESS}", _dated(_day_first), rank=1, dated=False, rival="md"),
    "klog": Stamp(rf"({_MONTH}{_DAY})[ ]{_YEARLESS}", _dated(_month_first), rank=1, dated=False, start=_AFTER_LETTER),
    "clock": Stamp(_YEARLESS, _as_is, rank=2, dated=False),
}


@cache
def finder(name: str) -> re.Pattern[str]:
    """Return the pattern that finds a stamp anywhere on a line."""
    stamp = STAMPS[name]
    return re.compile(stamp.start + stamp.pattern + END)
