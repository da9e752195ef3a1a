"""Points in time, read from the forms that results carry: ISO 8601 and seconds (or less) since 1970.

A time is an ``int`` of nanoseconds since 1970 in UTC, because floats lose the digits that order log lines. A time
without an offset is read as UTC: the order of such times among each other is right, whatever zone was meant.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from math import isfinite
from typing import Final

NARROW: Final = 1.5  # times the least is more than the greatest of times, where nothing else tells that they are times:
# from 2000 on that is some 15 years, and amounts are hardly all of one size
SECOND: Final = 10**9  # nanoseconds
_DAY: Final = 86_400  # seconds
_EPOCH: Final = date(1970, 1, 1).toordinal()
# A number of this size or more is in the next smaller unit: 1e11 seconds lie in the year 5138, 1e11 ms in 1973.
_UNITS: Final = ((10**11, SECOND), (10**14, 10**6), (10**17, 10**3), (10**20, 1))
_RECENT: Final = 10**8 * SECOND  # 1973; a smaller number under a name like "time" is rather a duration or a count

_FIRST: Final = 631_152_000 * SECOND  # 1990: no date that a result tells is earlier,
_LAST: Final = 4_102_444_800 * SECOND  # or later than 2099; such a number is a counter

_PLAIN: Final = (20, 24, 27)  # characters of a time in seconds, milliseconds or microseconds, with a Z at its end
_NUMBER = re.compile(r"([+-]?)([0-9]{1,24})(?:\.([0-9]*))?")
_YEAR_OR_DATE = re.compile(r"(?:1[89]|2[01])[0-9]{2}(?:[0-9]{4})?")  # of our times: other digits are a number
_ISO = re.compile(
    r"(?P<year>[0-9]{4})(?:(?P<dash>[-/.]?)(?P<month>[0-9]{2})(?:(?P=dash)(?P<day>[0-9]{2}))?)?"
    r"(?:(?:[Tt_]|\s+)(?P<hour>[0-9]{2})(?::?(?P<minute>[0-9]{2})(?::?(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]+))?)?)?"
    r"\s*(?:[Zz]|UTC|GMT|(?P<sign>[+-])(?P<away>[0-9]{2})(?::?(?P<minutes>[0-9]{2})(?::?(?P<seconds>[0-9]{2}))?)?)?"
    r"(?:\[[^\]]*\])?)?"  # a zone's name in brackets repeats the offset before it
)


def parse_time(value: object) -> int | None:
    """Return the time that a JSON value (or a ``date`` or ``datetime``) stands for, or None. Never raises.

    A number, or a string of one, counts from 1970 in seconds, milliseconds, microseconds or nanoseconds, by its size.
    A string of just four or eight digits is a year or a date (``20240131``) if it is one from 1800 to 2199.
    """
    if isinstance(value, str):
        if len(value) in _PLAIN and value[10] == "T" and value[-1] == "Z":
            plain = _parse_plain(value)
            if plain is not None:
                return plain
        text = value.strip()
        number = _NUMBER.fullmatch(text)
        if number is None or _YEAR_OR_DATE.fullmatch(text):
            calendar = _parse_iso(text)
            if calendar is not None or number is None:
                return calendar
        return _parse_number(number)
    if isinstance(value, date):  # a datetime is a date too
        return _parse_iso(value.isoformat())
    return _parse_epoch(value)


def _parse_plain(text: str) -> int | None:
    """Return the form that most results have, in a fifth of the time: ``2026-01-31T12:00:00Z``, or with decimals."""
    if not text[4] == text[7] == "-" or not text[13] == text[16] == ":" or text[19] not in ".,Z":
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    days = moment.toordinal() - _EPOCH
    seconds = days * _DAY + moment.hour * 3600 + moment.minute * 60 + moment.second
    return seconds * SECOND + moment.microsecond * 1000


def looks_like_time(value: object) -> bool:
    """Return True if a value found under a likely name is a time; numbers must lie after 1973 to be believed."""
    parsed = parse_time(value)
    if parsed is None:
        return False
    written_out = isinstance(value, date) or (isinstance(value, str) and not _NUMBER.fullmatch(value.strip()))
    return written_out or abs(parsed) >= _RECENT


def epoch_text(value: object) -> str:
    """Return the date and time that a number of seconds, or of milliseconds and so on, since 1970 stands for, in UTC;
    empty for one outside of 1990 to 2099."""
    moment = parse_time(value)
    if moment is None or not _FIRST <= moment < _LAST:
        return ""
    return datetime.fromtimestamp(moment // SECOND, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def epoch_unit(number: float) -> int | None:
    """Return the unit in which a number counts from 1970, judged by its size, in nanoseconds; None if it is too
    large."""
    return _unit(abs(number))


def _parse_iso(text: str) -> int | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, _, month, day, hour, minute, second, part, sign, *away = match.groups()
    seconds = _seconds(hour, minute, second)
    offset = _seconds(*away) if sign else 0
    # ISO allows 24:00 for the end of a day, but no zone is a whole day away.
    if seconds is None or seconds > _DAY or offset is None or offset >= _DAY:
        return None
    try:
        days = date(int(year), int(month or 1), int(day or 1)).toordinal() - _EPOCH
    except ValueError:
        return None
    return (days * _DAY + seconds - (-offset if sign == "-" else offset)) * SECOND + _fraction(part, SECOND)


def _seconds(hour: str | None, minute: str | None, second: str | None) -> int | None:
    """Return a time of day in seconds; a leap second is written as :60."""
    minutes, seconds = int(minute or 0), int(second or 0)
    return None if minutes > 59 or seconds > 60 else int(hour or 0) * 3600 + minutes * 60 + seconds


def _parse_number(match: re.Match[str]) -> int | None:
    """Read the number that is written out, digit by digit: a float would lose its nanoseconds."""
    whole = int(match[2])
    unit = _unit(whole)
    if unit is None:
        return None
    return (-1 if match[1] == "-" else 1) * (whole * unit + _fraction(match[3], unit))


def _parse_epoch(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not isfinite(value):
        return None
    unit = _unit(abs(value))
    if unit is None:
        return None
    whole = int(value)
    return whole * unit + int((value - whole) * unit)


def _unit(size: float) -> int | None:
    return next((unit for limit, unit in _UNITS if size < limit), None)


def _fraction(digits: str | None, unit: int) -> int:
    """Return the nanoseconds in the decimals of a number of units; what lies below a nanosecond is dropped."""
    return int((digits + "000000000")[:9]) * unit // SECOND if digits else 0
