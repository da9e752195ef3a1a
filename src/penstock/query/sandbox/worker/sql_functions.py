"""Functions that SQLite lacks and questions need: statistics, ``number``, ``REGEXP`` and words of other databases."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from math import floor, fsum, sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import sqlite3

NOT_A_NUMBER: Final = "takes numbers: number(x) makes one of a text"
EXACT: Final = "EXACT_NUMBER"  # the collation of numbers that are stored as texts
MAX_PATTERNS: Final = 32  # Compiled regular expressions, of which a query has one or two.

_MINUS: Final = "\N{MINUS SIGN}"
_SPACES: Final = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_SIGNS: Final = r"[A-Z]{0,2}\$|R\$|[\u00a2-\u00a5\u20a0-\u20cf]|Rs\.?|kr\.?"
_CODES: Final = (  # of the currencies that are traded most, as ISO 4217 has them
    "USD|EUR|GBP|JPY|CNY|CHF|AUD|CAD|NZD|INR|SEK|NOK|DKK|PLN|CZK|HUF|TRY|BRL|MXN|ZAR|KRW|SGD|HKD|THB|IDR|ILS|AED|SAR"
)
_AMOUNT: Final = re.compile(
    rf"""(?P<open>\()?\s*+
         (?P<sign>[-+{_MINUS}])?\s*+
         (?P<before>(?:{_CODES}|{_SIGNS}))?\s*+
         (?P<sign_2>[-+{_MINUS}])?\s*+
         (?P<digits>[0-9](?:[0-9.,'_\u2019{_SPACES}]|\ (?=[0-9]{{3}}(?![0-9])))*+|[.,][0-9]++)
         (?P<exponent>[eE][-+]?[0-9]++)?\s*+
         (?P<unit>%|\u2030|{_SIGNS}|[^\W\d_]{{1,12}}(?:/[^\W\d_]{{1,8}})?)?\s*+
         (?(open)\))""",
    re.VERBOSE,
)
_DECIMAL: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,6})?")
_DAY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2}))?)?)?")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?P<mark>[,.' _\u2019\u00a0\u202f\u2009])[0-9]{3}(?:(?P=mark)[0-9]{3})*")


def number(value: Any) -> float | None:
    """Return the number that a text writes: without its currency sign, thousands separators, percent sign or unit. NULL
    for any other text. The unit is not used: 5 of ``5 GB``."""
    if value is None or isinstance(value, int | float):
        return value
    match = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    digits = None if match is None else _plain_digits(match["digits"])
    if match is None or digits is None:
        return None
    signs = (match["sign"] or "") + (match["sign_2"] or "")
    is_negative = bool(match["open"]) != (signs.count("-") + signs.count(_MINUS) == 1)
    written = digits + (match["exponent"] or "")
    made = int(written) if written.isdigit() and len(written) <= 18 else float(written)
    return -made if is_negative else made


def unit(value: Any) -> str | None:
    """Return the unit or sign that ``number`` leaves out, as it is written; NULL for what is no amount."""
    match = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or _plain_digits(match["digits"]) is None:
        return None
    return f"{match['before'] or ''}{match['unit'] or ''}"


def _plain_digits(text: str) -> str | None:
    """Return digits without thousands separators, with a point before the decimals; None if they cannot be told.

    The last of two kinds of marks is the decimal one. A single mark is one of thousands if it is not a point, and three
    digits follow it each time.
    """
    text = text.rstrip(".,'_ ") if text[-1:] in ",'_ " else text
    whole, mark, decimals = _at_last_mark(text)
    marks = {char for char in text if not char.isdigit()}
    is_grouped = _GROUPED.fullmatch(text) is not None
    if len(marks) <= 1:
        is_thousands = is_grouped and (mark != "." or text.count(".") > 1)
        if is_thousands:
            return "".join(filter(str.isdigit, text))
        is_decimal = text.count(mark) == 1 and mark in ".," if mark else True
        return f"{whole or '0'}.{decimals}" if mark and is_decimal else text if is_decimal else None
    inner = "".join(char for char in whole if char.isdigit())
    is_right = len(marks) == 2 and text.count(mark) == 1 and mark in ".," and _GROUPED.fullmatch(whole)
    return f"{inner}.{decimals}" if is_right else None


def _at_last_mark(text: str) -> tuple[str, str, str]:
    at = max((at for at, char in enumerate(text) if not char.isdigit()), default=-1)
    return (text, "", "") if at < 0 else (text[:at], text[at], text[at + 1 :])


def _regexp(pattern: Any, value: Any) -> bool | None:
    """Return True if a regular expression matches somewhere in a value: ``x REGEXP 'a+'``."""
    if pattern is None or value is None:
        return None
    return _compiled(str(pattern)).search(str(value)) is not None


@lru_cache(MAX_PATTERNS)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _date_trunc(part: Any, value: Any) -> str | None:
    """Return the beginning of the year, quarter, month, week, day, hour or minute that a time in ISO 8601 is in."""
    match = _DAY.match(str(value))
    if match is None:
        return None
    year, month, day, hour, minute = match[1], match[2], match[3], match[4] or "00", match[5] or "00"
    name = str(part).lower()
    if name == "week":
        try:
            at = date(int(year), int(month), int(day))
        except ValueError:
            return None
        return (at - timedelta(days=at.weekday())).isoformat()
    known = {
        "year": f"{year}-01-01",
        "quarter": f"{year}-{(int(month) - 1) // 3 * 3 + 1:02d}-01",
        "month": f"{year}-{month}-01",
        "day": f"{year}-{month}-{day}",
        "hour": f"{year}-{month}-{day}T{hour}:00:00",
        "minute": f"{year}-{month}-{day}T{hour}:{minute}:00",
    }
    if name not in known:
        raise ValueError
    return known[name]


def _concat(*values: Any) -> str:
    return "".join("" if value is None else str(value) for value in values)


@lru_cache(1_024)
def _order_of(text: str) -> tuple[int, Decimal, str]:
    """Return what a text is sorted by: numbers by their value, then other texts."""
    return (0, Decimal(text), "") if _DECIMAL.fullmatch(text) else (1, Decimal(0), text)


def _compare(left: str, right: str) -> int:
    """Compare two numbers that are stored as texts, with all of their digits."""
    one, other = _order_of(left), _order_of(right)
    return (one > other) - (one < other)


class _StringAgg:
    """``string_agg(x, ', ')``: the texts of a group with something between them."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._between = ","

    def step(self, value: Any, between: Any = ",") -> None:
        if value is not None:
            self._texts.append(str(value))
            self._between = str(between)

    def finalize(self) -> str | None:
        return self._between.join(self._texts) if self._texts else None


class _Numbers(ABC):
    """Gathers the numbers of a group; NULL is left out. A text is refused: to skip it would give a wrong figure."""

    def __init__(self) -> None:
        self.numbers: list[float] = []
        self.refused = False

    def step(self, value: Any, *_: Any) -> None:
        if isinstance(value, int | float):
            self.numbers.append(value)
        elif value is not None:
            self.refused = True

    def finalize(self) -> float | None:
        if self.refused:
            raise ValueError(NOT_A_NUMBER)
        return self.result() if self.numbers else None

    @abstractmethod
    def result(self) -> float | None:
        """Return the figure of the numbers, of which there is one at least."""


class _Percentile(_Numbers):
    """``percentile(x, 90)``: the value below which 90 % of the numbers lie, between two of them in proportion."""

    share: float | None = None

    def step(self, value: Any, percent: Any = 50.0, *_: Any) -> None:
        super().step(value)
        if isinstance(percent, int | float) and 0 <= percent <= 100:
            self.share = percent / 100
        else:
            self.refused = True

    def result(self) -> float | None:
        ordered = sorted(self.numbers)
        place = (len(ordered) - 1) * (self.share or 0.0)
        below = floor(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


class _Variance(_Numbers):
    """The variance of a sample, as other databases have it; NULL of one number."""

    is_sample = True

    def result(self) -> float | None:
        size = len(self.numbers) - self.is_sample
        mean = fsum(self.numbers) / len(self.numbers)
        return fsum((number - mean) ** 2 for number in self.numbers) / size if size else None


class _Deviation(_Variance):
    def result(self) -> float | None:
        square = super().result()
        return None if square is None else sqrt(square)


class _DeviationOfAll(_Deviation):
    is_sample = False


STATISTICS: Final[tuple[tuple[str, int, Any], ...]] = (  # by name and number of arguments
    ("median", 1, _Percentile),
    ("percentile", 2, _Percentile),
    ("stddev", 1, _Deviation),
    ("stddev_samp", 1, _Deviation),
    ("stddev_pop", 1, _DeviationOfAll),
    ("variance", 1, _Variance),
    ("var_samp", 1, _Variance),
)
_SCALARS: Final[tuple[tuple[str, int, Any], ...]] = (
    ("number", 1, number),
    ("unit", 1, unit),
    ("regexp", 2, _regexp),
    ("date_trunc", 2, _date_trunc),
    ("concat", -1, _concat),
)


def add_functions(connection: sqlite3.Connection) -> None:
    """Let queries on a connection use the functions, and the collation of exact numbers."""
    for name, count, aggregate in (*STATISTICS, ("string_agg", 2, _StringAgg)):
        connection.create_aggregate(name, count, aggregate)
    for name, count, function in _SCALARS:
        connection.create_function(name, count, function, deterministic=True)
    connection.create_collation(EXACT, _compare)
