"""Luxon's tokens, in which Dataview writes dates and durations, for the English of the plugin's documentation."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from vault_server.dataview.values import UNITS

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST: Final = 200  # characters of a format
_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PART: Final = re.compile(r"'([^']*)'|([A-Za-z])\2*|.", re.DOTALL)


def _offset(date: datetime, between: str) -> str:
    minutes = round((date.utcoffset() or timedelta()).total_seconds() / 60)
    sign, minutes = "-" if minutes < 0 else "+", abs(minutes)
    return f"{sign}{minutes // 60:02}{between}{minutes % 60:02}"


def _hour(date: datetime) -> int:
    return date.hour % 12 or 12


_TOKENS: Final[dict[str, Callable[[datetime], object]]] = {
    "y": lambda date: date.year,
    "yy": lambda date: f"{date.year % 100:02}",
    "yyyy": lambda date: f"{date.year:04}",
    **dict.fromkeys(("M", "L"), lambda date: date.month),
    **dict.fromkeys(("MM", "LL"), lambda date: f"{date.month:02}"),
    **dict.fromkeys(("MMM", "LLL"), lambda date: _MONTHS[date.month - 1][:3]),
    **dict.fromkeys(("MMMM", "LLLL"), lambda date: _MONTHS[date.month - 1]),
    "d": lambda date: date.day,
    "dd": lambda date: f"{date.day:02}",
    "o": lambda date: date.timetuple().tm_yday,
    "ooo": lambda date: f"{date.timetuple().tm_yday:03}",
    **dict.fromkeys(("E", "c"), lambda date: date.isoweekday()),
    **dict.fromkeys(("EEE", "ccc"), lambda date: _DAYS[date.weekday()][:3]),
    **dict.fromkeys(("EEEE", "cccc"), lambda date: _DAYS[date.weekday()]),
    "W": lambda date: date.isocalendar().week,
    "WW": lambda date: f"{date.isocalendar().week:02}",
    "kk": lambda date: f"{date.isocalendar().year % 100:02}",
    "kkkk": lambda date: f"{date.isocalendar().year:04}",
    "q": lambda date: (date.month + 2) // 3,
    "qq": lambda date: f"{(date.month + 2) // 3:02}",
    "H": lambda date: date.hour,
    "HH": lambda date: f"{date.hour:02}",
    "h": _hour,
    "hh": lambda date: f"{_hour(date):02}",
    "m": lambda date: date.minute,
    "mm": lambda date: f"{date.minute:02}",
    "s": lambda date: date.second,
    "ss": lambda date: f"{date.second:02}",
    "S": lambda date: date.microsecond // 1_000,
    "SSS": lambda date: f"{date.microsecond // 1_000:03}",
    "a": lambda date: "AM" if date.hour < 12 else "PM",
    "Z": lambda date: re.sub(r"(?<=[+-])0|:00$", "", _offset(date, ":")),
    "ZZ": lambda date: _offset(date, ":"),
    "ZZZ": lambda date: _offset(date, ""),
    "X": lambda date: int(date.timestamp()),
    "x": lambda date: int(date.timestamp() * 1_000),
    "D": lambda date: f"{date.month}/{date.day}/{date.year}",
    "DD": lambda date: f"{_MONTHS[date.month - 1][:3]} {date.day}, {date.year}",
    "DDD": lambda date: f"{_MONTHS[date.month - 1]} {date.day}, {date.year}",
    "DDDD": lambda date: f"{_DAYS[date.weekday()]}, {_MONTHS[date.month - 1]} {date.day}, {date.year}",
    "t": lambda date: f"{_hour(date)}:{date.minute:02} {'AM' if date.hour < 12 else 'PM'}",
    "T": lambda date: f"{date.hour:02}:{date.minute:02}",
    "TT": lambda date: f"{date.hour:02}:{date.minute:02}:{date.second:02}",
}
_SIZES: Final = {"y": UNITS["year"], "M": UNITS["month"], "w": UNITS["week"], "d": UNITS["day"], "h": UNITS["hour"],
                 "m": UNITS["minute"], "s": 1}  # fmt: skip


def dateformat(date: datetime, form: str) -> str:
    """Write a date by Luxon's tokens; what stands in single quotes, and letters that are no token, as they are."""

    def put(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        token = _TOKENS.get(match[0])
        return match[0] if token is None else str(token(date))

    return _PART.sub(put, form[:LONGEST])


def durationformat(duration: timedelta, form: str) -> str:
    """Write a duration in the units that a format names, the largest first; as many digits as letters."""
    form = form[:LONGEST]
    named = {match[0][0] for match in _PART.finditer(form) if match[2]}
    left, counts = duration.total_seconds(), {}
    for letter in (letter for letter in _SIZES if letter in named):
        counts[letter], left = divmod(left, _SIZES[letter])
    counts["S"] = round(left * 1_000)

    def put(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        count = counts.get(match[0][0]) if match[2] else None
        return match[0] if count is None else f"{int(count):0{len(match[0])}}"

    return _PART.sub(put, form)
