"""Tell things of many values at once: whether all are times or numbers in texts, their ends, how long they are."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.times import parse_time
from penstock.core.json.scan import check

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from penstock.core.row_numbers import RowNumbers

FIRST: Final = 2_048  # values that show whether a column has too many different ones
SPREAD: Final = 0.95  # of the first values, and of as many at even distances, differ where nearly all do
FREQUENT: Final = 80  # values for each that is a frequent one: half as often as one has to be to be listed
JOINED: Final = 1_024  # texts whose characters are counted at a time

# ISO 8601 from 1990 to 2099, one time a line: all values of a column are checked in one search.
_TIMES = re.compile(
    r"(?:(?:199|20[0-9])[0-9]-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?:[01][0-9]|2[0-4]):[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?)?\n)*+"
)
FIRST_YEAR: Final = "1990"  # of a time; an earlier one is a date of birth at best,
LAST_YEAR: Final = "2100"  # and one of this year, or later, a number
# Where the month, the day, the hour, the minute and the second of such a time stand, and what they may be.
_PARTS: Final = tuple(
    (at, bytes(range(least, greatest + 1)))
    for at, least, greatest in ((5, 1, 12), (8, 1, 31), (11, 0, 24), (14, 0, 59), (17, 0, 69))
)
_ANY_DIGIT: Final = bytes.maketrans(b"123456789", b"000000000")
_VALUES: Final = bytes.maketrans(b"0123456789", bytes(range(10)))
_WHOLE: Final = r"-?(?:[1-9][0-9]{0,14}|0)"  # the commonest first
_NUMBER = re.compile(rf"{_WHOLE}(?:\.[0-9]{{1,15}})?")
_TOO_LONG: Final = b"0" * 16
FLOATS: Final = msgspec.json.Decoder(list[float])
_OFFSET = re.compile(r"[+-][0-9:]+\n")


class Extreme:
    """A least or greatest value, and the row that has it first, counted from 0; ``key`` puts it in order. The row is
    looked for among all ``values`` when it is asked for: of few columns it is told."""

    __slots__ = ("_rows", "_values", "key", "value")

    def __init__(self, value: Any, key: Any, rows: RowNumbers, values: Sequence[Any]) -> None:
        self.value, self.key = value, key
        self._rows, self._values = rows, values

    @property
    def row(self) -> int:
        return self._rows[self._values.index(self.value)]

    def settle(self) -> None:
        """Look the row up now, and let go of the values and the numbers of all others."""
        self._rows, self._values = (self.row,), (self.value,)


def ends_of_times(values: list[str], rows: RowNumbers) -> list[Extreme] | None:
    """Return the earliest and the latest of texts that are all times; None where one is not."""
    first = values[0] + "\n"
    if not _TIMES.fullmatch(first):
        return None
    text = "\n".join(values) + "\n"
    if len(text) == len(first) * len(values) and _have_layout(text, first):
        ends = [min(values), max(values)]
        if not FIRST_YEAR <= ends[0] <= ends[1] < LAST_YEAR:
            return None
        # Those of one layout, all with the same offset or without one, have the order of their texts.
        offset = _OFFSET.search(first, len("2026-01-01"))
        if offset is not None and text.count(offset[0]) != len(values):
            ends = _ends_by_key(values)
    else:
        is_each = text.count("\n") == len(values) and _TIMES.fullmatch(text) is not None
        ends = _ends_by_key(values) if is_each else []
    extremes = [Extreme(one, parse_time(one), rows, values) for one in ends]
    if not extremes or any(one.key is None for one in extremes):  # the 31st of a month that has none
        return None
    return extremes


def _ends_by_key(values: list[str]) -> list[str]:
    """Return the earliest and the latest of times; none, where one is the 31st of a month that has none."""
    keys: list[Any] = list(map(parse_time, values))
    return [] if None in keys else [values[keys.index(end(keys))] for end in (min, max)]


def _have_layout(text: str, first: str) -> bool:
    """Return True if lines are times of the same layout as the first line. Each column of digits is checked at
    once, in a tenth of the time that a search takes. Years are not checked."""
    if not text.isascii():
        return False
    data, width = text.encode(), len(first)
    layout = data.translate(_ANY_DIGIT)
    if layout != layout[:width] * (len(data) // width):
        return False
    digits = data.translate(_VALUES)
    parts = 2 if width == len("2026-01-01\n") else 5 if first[16] == ":" else 4
    return all(not _two_digits(digits, at, width).translate(None, allowed) for at, allowed in _PARTS[:parts])


def _two_digits(digits: bytes, at: int, width: int) -> bytes:
    """Return the numbers that two columns of digits write, a byte each. They are made as one long number."""
    tens, ones = (int.from_bytes(digits[column::width], "big") for column in (at, at + 1))
    return (10 * tens + ones).to_bytes(len(digits) // width, "big")


def write_numbers(texts: Collection[str]) -> bool:
    """Return True if texts all write a number, as prices with two decimals do. One that begins with a zero (02139) is a
    name, and so is one of more than 15 digits on either side of the point. Most often the first text tells."""
    if not _NUMBER.fullmatch(next(iter(texts), "")):
        return False
    joined = ",".join(texts)
    data = joined.encode() if joined.isascii() else b"?"
    if data.translate(None, b"0123456789.,-") or _TOO_LONG in data.translate(_ANY_DIGIT):
        return False
    try:
        return len(FLOATS.decode(b"[" + data + b"]")) == len(texts)  # JSON has the same numbers
    except msgspec.DecodeError:
        return False


def places_of(texts: Sequence[str]) -> int | None:
    """Return how many decimals these texts have, each of which writes a number; None where they differ."""
    places = len(texts[0].partition(".")[2])
    layout = f"{','.join(texts)},".encode().translate(_ANY_DIGIT)
    number = layout.count(b"." + b"0" * places + b",") if places else 0 if b"." in layout else len(texts)
    return places if number == len(texts) else None


def added(total: float, values: Iterable[int | float], exact: bool) -> int | float:
    """Return the sum of a number and others, of ``exact`` ones all digits; no number where it cannot be told."""
    try:
        return total + (sum(values) if exact else math.fsum(values))
    except (ArithmeticError, ValueError):  # too large for a float, or two infinities
        return math.nan


def characters_of(values: list[str]) -> int:
    """Return the characters of texts. Joining them takes a tenth of the time of asking each for its length."""
    return sum(len("".join(values[at : at + JOINED])) for at in range(0, len(values), JOINED))


def all_differ(values: list[Any]) -> bool:
    """Return True if hardly a value of very many is there twice: neither among the first, nor of those at even
    distances. Of 20,000 different ones in any order one in twenty would be."""
    some = (values[:FIRST], values[:: len(values) // FIRST])
    return all(len(set(part)) >= SPREAD * len(part) for part in some)


def none_stands_out(values: list[Any]) -> int:
    """Return how many of very many values, at even distances, differ, where most do and none of them is frequent; else
    nothing."""
    counts = Counter(values[:: len(values) // FIRST])
    is_flat = len(counts) * 2 >= FIRST and max(counts.values()) * FREQUENT <= FIRST
    return len(counts) if is_flat else 0


def is_json_text(text: str) -> bool:
    if text[:1] not in ("{", "["):
        return False
    try:
        check(text.encode())
    except (ValueError, RecursionError):  # a lone surrogate, or no JSON
        return False
    return True


def better(choose: Callable[..., Extreme], one: Extreme | None, other: Extreme | None) -> Extreme | None:
    """Return the lesser or the greater of two, of equal ones the first."""
    if one is None or other is None:
        return one or other
    return choose(one, other, key=lambda extreme: extreme.key)
