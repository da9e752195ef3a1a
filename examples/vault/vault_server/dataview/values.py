"""Values of Dataview: numbers, texts, truths, dates, durations, links, lists, objects and null."""

from __future__ import annotations

import operator
import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from vault_server.links import Link

if TYPE_CHECKING:
    from collections.abc import Callable

UNITS: Final = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minute"), 60),
    **dict.fromkeys(("h", "hr", "hour"), 3_600),
    **dict.fromkeys(("d", "day"), 86_400),
    **dict.fromkeys(("w", "wk", "week"), 604_800),
    **dict.fromkeys(("mo", "month"), 2_592_000),
    **dict.fromkeys(("y", "yr", "year"), 31_536_000),
}
LONGEST_TEXT: Final = 100_000  # characters; a text times a number grows without end

_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_WIKI: Final = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")


def typed(value: Any, link: Callable[[str], Link]) -> Any:
    """Read a field's value as Dataview does: a text that is a date, a duration or a link becomes one."""
    if isinstance(value, list):
        return [typed(one, link) for one in value]
    if not isinstance(value, str) or not value:
        return value
    if value[0] == "[" and (match := _WIKI.fullmatch(value)):
        return link(match[1])
    return dated(value) if value[0].isdigit() else value


def dated(text: str) -> Any:
    """Read a text that begins with a digit as the date or the duration that it is; else return the text."""
    return _read_date(text) or (as_duration(text) if len(text) < 60 else None) or text


def as_date(value: Any) -> datetime | None:
    """Read a date, or a text or link that is one."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, Link):
        return _read_date(value.path.rpartition("/")[2][:10])
    return _read_date(value) if isinstance(value, str) else None


@lru_cache(maxsize=4_096)  # the same days stand in many notes
def _read_date(value: str) -> datetime | None:
    if not _ISO.fullmatch(value):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def as_duration(text: str) -> timedelta | None:
    """Read ``7 days`` or ``1 hour, 30 minutes``."""
    seconds = 0.0
    left = _DURATION.sub("", text.lower()).replace(",", "").strip()
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
    """Compare values; dates are equal however they are written."""
    if isinstance(one, datetime) or isinstance(other, datetime):
        first, second = as_date(one), as_date(other)
        return first is not None and first == second
    if isinstance(one, timedelta) != isinstance(other, timedelta):
        duration, text = (one, other) if isinstance(one, timedelta) else (other, one)
        return isinstance(text, str) and as_duration(text) == duration
    if isinstance(one, Link) != isinstance(other, Link):
        link, text = (one, other) if isinstance(one, Link) else (other, one)
        return text in (link.path, link.path.removesuffix(".md"))
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return bool(one == other)


def ordered(one: Any, other: Any, compare: Callable[[Any, Any], bool]) -> bool:
    """Compare by ``<`` and its like: two numbers, texts, dates or durations. Anything else is not comparable, which is
    false."""
    if isinstance(one, datetime) or isinstance(other, datetime):
        first, second = as_date(one), as_date(other)
        return first is not None and second is not None and compare(first, second)
    for kind in (int | float, str, timedelta):
        if isinstance(one, kind) and isinstance(other, kind):
            return compare(one, other)
    return False


def sort_key(value: Any) -> tuple[int, Any]:
    """Make a key for sorting values of all kinds: by kind, then by value; null last."""
    if isinstance(value, bool):
        return 0, value
    if isinstance(value, int | float):
        return 1, value
    if isinstance(value, datetime):
        return 2, value
    if isinstance(value, str):
        return 3, value.casefold()
    if isinstance(value, Link):
        return 4, (value.path.casefold(), value.subpath or "")
    if isinstance(value, list):
        return 5, [sort_key(item) for item in value]
    return (6, value) if isinstance(value, timedelta) else (9, 0)


def group_key(value: Any) -> Any:
    """Make a key that two values of one group have in common."""
    if isinstance(value, list):
        return (list, *map(group_key, value))
    if isinstance(value, dict):
        return (dict, *((name, group_key(one)) for name, one in value.items()))
    return type(value) if value is None else (isinstance(value, bool), value)


def parts_of(value: datetime | timedelta, name: str) -> Any:
    """Return ``date.year`` and its like, ``duration.hours`` and its like; null for another name."""
    if isinstance(value, timedelta):
        size = UNITS.get(name.removesuffix("s")) if name.endswith("s") else None
        return None if size is None else value.total_seconds() / size
    if name in ("weekyear", "week", "weekday"):
        return value.isocalendar()[("weekyear", "week", "weekday").index(name)]
    if name == "quarter":
        return (value.month + 2) // 3
    return getattr(value, name) if name in ("year", "month", "day", "hour", "minute", "second") else None


def calculated(sign: str, one: Any, other: Any) -> Any:
    """Do arithmetic: numbers, dates with durations, texts joined, lists joined. What does not go together is null."""
    if sign == "+" and isinstance(one, str) != isinstance(other, str):
        one, other = as_text(one), as_text(other)
    first = as_date(one) if isinstance(other, timedelta) and not isinstance(one, timedelta) else one
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
    (timedelta, timedelta): {"+": operator.add, "-": operator.sub},
    (timedelta, int | float): {"*": operator.mul, "/": operator.truediv},
    (list, list): {"+": operator.add},
    (str, str): {"+": lambda one, other: (one + other)[:LONGEST_TEXT]},
    (str, int): {"*": lambda one, other: (one * max(0, min(other, LONGEST_TEXT)))[:LONGEST_TEXT]},
}


def as_text(value: Any) -> str:
    """Write a value as a text, as ``join`` and ``+`` do."""
    plain = as_json(value)
    if plain is None or isinstance(plain, bool):
        return {None: "-", True: "true", False: "false"}[plain]
    if isinstance(plain, list):
        return ", ".join(map(as_text, plain))
    return f"{plain:g}" if isinstance(plain, float) else str(plain)


def as_json(value: Any) -> Any:
    """Return a value as it stands in an answer."""
    if isinstance(value, datetime):
        midnight = value.hour == value.minute == value.second == value.microsecond == 0
        return value.date().isoformat() if midnight else value.isoformat(timespec="seconds")
    if isinstance(value, timedelta):
        days = value / timedelta(days=1)
        return f"{days:g} days"
    if isinstance(value, Link):
        return str(value)
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): as_json(one) for name, one in value.items()}
    if callable(value):  # a function of the query itself
        return None
    as_value = getattr(value, "as_value", None)
    return value if as_value is None else as_value()
