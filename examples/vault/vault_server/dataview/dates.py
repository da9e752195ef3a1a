"""Luxon's tokens, in which Dataview writes dates and durations, for the English of the plugin's documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vault_server.dataview.values import UNITS

if TYPE_CHECKING:
    from datetime import datetime, timedelta

MAX_FORMAT: Final = 200  # A format has at most 200 characters; the rest is left out.
_PART: Final = re.compile(r"'([^']*)'|([A-Za-z])\2*|.", re.DOTALL)
# Each token by Python's code for it. One of a single letter is the number of its pair without the zero before it.
_CODES: Final = {
    "yy": "%y", "yyyy": "%Y", "MM": "%m", "LL": "%m", "MMM": "%b", "LLL": "%b", "MMMM": "%B", "LLLL": "%B",
    "dd": "%d", "ooo": "%j", "EEE": "%a", "ccc": "%a", "EEEE": "%A", "cccc": "%A", "E": "%u", "c": "%u", "WW": "%V",
    "kkkk": "%G", "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S", "a": "%p", "ZZZ": "%z",
}  # fmt: skip
_SHORT: Final = {"y": "%Y", "M": "%m", "L": "%m", "d": "%d", "o": "%j", "W": "%V", "H": "%H", "h": "%I", "m": "%M",
                 "s": "%S"}  # fmt: skip
_WHOLE: Final = {"D": "M/d/yyyy", "DD": "MMM d, yyyy", "DDD": "MMMM d, yyyy", "DDDD": "EEEE, MMMM d, yyyy",
                 "t": "h:mm a", "T": "HH:mm", "TT": "HH:mm:ss"}  # fmt: skip
_SIZES: Final = {"y": UNITS["year"], "M": UNITS["month"], "w": UNITS["week"], "d": UNITS["day"], "h": UNITS["hour"],
                 "m": UNITS["minute"], "s": 1}  # fmt: skip


def dateformat(date: datetime, form: str) -> str:
    """Write a date by Luxon's tokens. Quoted parts, and letters that are no token, stay as they are."""

    def put(match: re.Match[str]) -> str:
        return match[1] if match[1] is not None else _token(date, match[0])

    return _PART.sub(put, form[:MAX_FORMAT])


def _token(date: datetime, token: str) -> str:
    if token in _WHOLE:
        return dateformat(date, _WHOLE[token])
    if token in _SHORT:
        return str(int(date.strftime(_SHORT[token])))
    match token:
        case "ZZ":
            offset = date.strftime("%z")
            return f"{offset[:3]}:{offset[3:5]}"
        case "x":
            return str(int(date.timestamp() * 1_000))
        case "X":
            return str(int(date.timestamp()))
        case "S" | "SSS":
            return f"{date.microsecond // 1_000:0{len(token)}}"
        case "q":
            return str((date.month + 2) // 3)
    return date.strftime(_CODES[token]) if token in _CODES else token


def durationformat(duration: timedelta, form: str) -> str:
    """Write a duration in the units that a format names, the largest first; as many digits as letters."""
    form = form[:MAX_FORMAT]
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
