"""Values of Dataview: numbers, texts, truths, dates, durations, lists and null."""

from __future__ import annotations

import operator
import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

UNITS: Final = {"s": 1, "second": 1, "m": 60, "minute": 60, "h": 3_600, "hour": 3_600, "d": 86_400, "day": 86_400,
                "w": 604_800, "week": 604_800, "month": 2_592_000, "y": 31_536_000, "year": 31_536_000}  # fmt: skip
LONGEST_TEXT: Final = 100_000  # characters; a text times a number grows without end

_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")


def as_date(value: Any) -> datetime | None:
    """A date, or a text that is one."""
    if isinstance(value, datetime):
        return value
    return _read_date(value) if isinstance(value, str) else None


@lru_cache(maxsize=16_384)  # the same days stand in many notes
def _read_date(value: str) -> datetime | None:
    if not _ISO.fullmatch(value):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def as_duration(text: str) -> timedelta | None:
    """``7 days`` or ``1 hour 30 minutes``."""
    seconds = 0.0
    left = _DURATION.sub("", text.lower()).strip(" ,")
    for amount, unit in _DURATION.findall(text.lower()):
        size = UNITS.get(unit) or UNITS.get(unit.removesuffix("s"))
        if size is None:
            return None
        seconds += float(amount) * size
    if left or not _DURATION.search(text.lower()):
        return None
    try:
        return timedelta(seconds=seconds)
    except OverflowError:
        return None


def equal(one: Any, other: Any) -> bool:
    """Equal values, and equal dates however they are written."""
    if isinstance(one, datetime) or isinstance(other, datetime):
        first, second = as_date(one), as_date(other)
        return first is not None and first == second
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other)


def ordered(one: Any, other: Any, compare: Callable[[Any, Any], bool]) -> bool:
    """``<`` and its like: two numbers, texts, dates or durations. Anything else is not comparable, which is false."""
    if isinstance(one, datetime) or isinstance(other, datetime):
        first, second = as_date(one), as_date(other)
        return first is not None and second is not None and compare(first, second)
    for kind in (int | float, str, timedelta):
        if isinstance(one, kind) and isinstance(other, kind):
            return compare(one, other)
    return False


def sort_key(value: Any) -> tuple[int, Any]:
    """For sorting values of all kinds: by kind, then by value; null last."""
    if isinstance(value, bool):
        return 0, value
    if isinstance(value, int | float):
        return 1, value
    if (found := as_date(value)) is not None:
        return 2, found
    if isinstance(value, str):
        return 3, value.casefold()
    if isinstance(value, list):
        return 4, [sort_key(item) for item in value]
    return (5, value) if isinstance(value, timedelta) else (9, 0)


def calculated(sign: str, one: Any, other: Any) -> Any:
    """Arithmetic: numbers, dates with durations, texts joined, lists joined. What does not go together is null."""
    first = as_date(one) if isinstance(other, timedelta) else one
    second = as_date(other) if isinstance(first, datetime) and isinstance(other, str) else other
    kinds = next((kinds for kinds in _CALCULATE if isinstance(first, kinds[0]) and isinstance(second, kinds[1])), None)
    function = _CALCULATE[kinds].get(sign) if kinds else None
    try:
        return None if function is None else function(first, second)
    except (ZeroDivisionError, OverflowError):
        return None


_CALCULATE: Final[dict[tuple[Any, Any], dict[str, Callable[[Any, Any], Any]]]] = {
    (int | float, int | float): {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "%": operator.mod,
    },
    (datetime, timedelta): {"+": operator.add, "-": operator.sub},
    (datetime, datetime): {"-": operator.sub},
    (list, list): {"+": operator.add},
    (str, str | int | float): {"+": lambda one, other: (one + str(other))[:LONGEST_TEXT]},
}


def as_json(value: Any) -> Any:
    """A value as it stands in an answer."""
    if isinstance(value, datetime):
        midnight = value.hour == value.minute == value.second == value.microsecond == 0
        return value.date().isoformat() if midnight else value.isoformat(timespec="seconds")
    if isinstance(value, timedelta):
        days = value / timedelta(days=1)
        return f"{days:g} days"
    return [as_json(item) for item in value] if isinstance(value, list) else value
