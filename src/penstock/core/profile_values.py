"""Tell things of many values at once: whether all are times or numbers in texts, their ends, how long they are."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.times import parse_time
from penstock.core.json.scan import check

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from penstock.core.row_numbers import RowNumbers

FIRST: Final = 2_048  # values that show whether a column has too many different ones
SPREAD: Final = 0.95  # of the first values, and of as many at even distances, differ where nearly all do
JOINED: Final = 1_024  # texts whose characters are counted at a time
MEASURED: Final = 256  # texts of a column, at even distances, that tell how long all are, about

# ISO 8601 from 1990 to 2099, one time a line: all values of a column are checked in one search.
_TIMES = re.compile(
    r"(?:(?:199|20[0-9])[0-9]-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?:[01][0-9]|2[0-4]):[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?)?\n)*+"
)
_WHOLE: Final = r"-?(?:[1-9][0-9]{0,14}|0)"  # the commonest first
_WRITTEN_NUMBERS = re.compile(rf"(?:{_WHOLE}(?:\.[0-9]{{1,15}}|)\n)++")
_ZONE = re.compile(r":[0-9.,]+((?:Z| ?[+-][0-9:]+)\n)")


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
    if not _TIMES.fullmatch(values[0] + "\n"):
        return None
    lengths = list(map(len, values))
    text = "\n".join(values) + "\n" if min(lengths) >= len("2026-01-01") else ""
    if text.count("\n") != len(values) or not _TIMES.fullmatch(text):
        return None
    zone = _ZONE.search(text)
    even = max(lengths) == min(lengths) and (zone is None or text.count(zone[1]) == len(values))
    keys: list[Any] = [] if even else list(map(parse_time, values))
    if None in keys:
        return None
    # Those of one length, all with the same offset or without one, have the order of their texts.
    ends = (min(values), max(values)) if even else (values[keys.index(end(keys))] for end in (min, max))
    extremes = [Extreme(one, parse_time(one), rows, values) for one in ends]
    if any(one.key is None for one in extremes):  # the 31st of a month that has none
        return None
    return extremes


def write_numbers(texts: Collection[str]) -> bool:
    """Tell whether texts all write a number, as prices with two decimals do. One that begins with a zero (02139) is a
    name. Most often the first text tells."""
    if not _WRITTEN_NUMBERS.fullmatch(next(iter(texts), "") + "\n"):
        return False
    text = "\n".join(texts) + "\n"
    return text.count("\n") == len(texts) and _WRITTEN_NUMBERS.fullmatch(text) is not None


def places_of(texts: Sequence[str]) -> int | None:
    """Return how many decimals these texts have, each of which writes a number; None where they differ."""
    places = len(texts[0].partition(".")[2])
    return places if _with_places(places).fullmatch("\n".join(texts) + "\n") else None


@lru_cache(maxsize=16)
def _with_places(places: int) -> re.Pattern[str]:
    return re.compile(rf"(?:{_WHOLE}\.[0-9]{{{places}}}\n)++" if places else rf"(?:{_WHOLE}\n)++")


def characters_of(values: list[str]) -> int:
    """Return the characters of texts. Joining them takes a tenth of the time of asking each for its length."""
    return sum(len("".join(values[at : at + JOINED])) for at in range(0, len(values), JOINED))


def bulk_of(values: list[str]) -> int:
    """Return the characters of texts, about: of many some tell, at even distances."""
    some = values if len(values) <= 2 * MEASURED else values[:: len(values) // MEASURED]
    return sum(map(len, some)) * len(values) // len(some)


def all_differ(values: list[Any]) -> bool:
    """Return whether hardly a value of very many is there twice: neither among the first, nor of those at even
    distances. Of 20,000 different ones in any order one in twenty would be."""
    some = (values[:FIRST], values[:: len(values) // FIRST])
    return all(len(set(part)) >= SPREAD * len(part) for part in some)


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
