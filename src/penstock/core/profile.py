"""Exact facts of a column: its types, how many cells are filled, the values with their counts, extremes, sums, times.

A column learns its values some at a time and keeps little of them: what is counted is bounded, and where there are
too many different values it says only that there are more than so many. Values that are in memory anyway are learned
when a fact is first asked for: of most columns of a document none ever is. All that a notice states about data comes
from here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress, islice, repeat
from operator import is_, itemgetter, lt, mul
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.media import is_encoded
from penstock.core.forms.times import parse_time
from penstock.core.json.scan import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MOST_DIFFERENT: Final = 60_000  # different values counted in all columns together: about 7 MB
LEAST_DIFFERENT: Final = 512  # different values that any column may count
FIRST: Final = 2_048  # values that show whether a column has too many different ones
SPREAD: Final = 0.95  # of the first values, and of as many at even distances, differ where nearly all do
REPEATED: Final = 8  # times as many as that, where values repeat: those are the columns that divide the data
LONG: Final = 200  # characters on average from which on values are counted, but not kept

Scalar = str | int | float | bool
NoneType = type(None)
NESTED: Final = frozenset((dict, list))
_CODES: Final = {NoneType: 0, dict: 1, list: 2, str: 3, bool: 4, int: 5, float: 6}
# The classes of values: the types of each, and a table that leaves of their codes those of the class.
_GROUPS: Final[tuple[tuple[tuple[type, ...], bytes], ...]] = tuple(
    (group, bytes(code in {_CODES[kind] for kind in group} for code in range(256)))
    for group in ((dict,), (list,), (str,), (bool,), (int, float))
)

# ISO 8601 from 1990 to 2099, one time a line: all values of a column are checked in one search.
_TIMES = re.compile(
    r"(?:(?:199|20[0-9])[0-9]-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?:[01][0-9]|2[0-4]):[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?)?\n)*+"
)
_WRITTEN_NUMBERS = re.compile(r"(?:-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?\n)++")
_ZONE = re.compile(r":[0-9.,]+((?:Z| ?[+-][0-9:]+)\n)")


class Extreme:
    """A least or greatest value, and the row that has it first, counted from 0; ``key`` puts it in order. The row is
    looked up when it is asked for: of few columns it is told."""

    __slots__ = ("_at", "_rows", "key", "value")

    def __init__(self, value: Any, key: Any, rows: RowNumbers, at: int) -> None:
        self.value, self.key = value, key
        self._rows, self._at = rows, at

    @property
    def row(self) -> int:
        return self._rows[self._at]

    def settle(self) -> None:
        """Look the row up now, and let go of the numbers of all others."""
        self._rows, self._at = (self.row,), 0


class Column:
    """All values of one column. ``rows`` is how many there could be: what is missing or null is absent."""

    __slots__ = (
        "_values",
        "_waiting",
        "characters",
        "counts",
        "earliest",
        "encoded",
        "filled",
        "greatest",
        "hidden",
        "is_json",
        "kinds",
        "latest",
        "least",
        "nested",
        "over",
        "rises",
        "rows",
        "total",
        "true",
    )

    counts: Counter[Any] | None  # None where too many are different:
    over: int  # more than so many
    is_json: bool  # every text is JSON itself: an object or an array
    encoded: bool  # base64: of no use to a reader
    hidden: bool  # the values are too long to be kept: only their hashes are counted
    rises: bool  # every value is greater than all before it: no two are alike, though none is counted
    true: int
    least: Extreme | None
    greatest: Extreme | None
    total: int | float
    earliest: Extreme | None
    latest: Extreme | None

    def __init__(self) -> None:
        self.rows = self.filled = self.nested = self.characters = 0
        self.kinds: dict[type, int] = {}
        self._values: list[tuple[Scalar, int]] | None = None
        self._waiting: list[tuple[dict[type, int], list[Any], RowNumbers, int]] | None = []

    def __getattr__(self, name: str) -> Any:
        """Learn what waits: a fact is asked for, and none was before."""
        if name not in self.__slots__ or self._waiting is None:
            raise AttributeError(name)
        self._learn_waiting(self._waiting)
        return getattr(self, name)

    @classmethod
    def joined(cls, columns: Iterable[Column], rows: int, find: Callable[[Any], int]) -> Column | None:
        """Return a column of all values that wait in others, each in the row that ``find`` tells. None where some of
        them were learned before."""
        made = cls()
        made.rows = rows
        for column in columns:
            if column._waiting is None:
                return None
            for kinds, values, _, shared in column._waiting:
                made.learn_class(kinds, values, Found(values, find), shared, later=True)
        return made

    def _learn_waiting(self, waiting: list[tuple[dict[type, int], list[Any], RowNumbers, int]]) -> None:
        self._waiting = None
        self.counts = Counter()
        self.over = self.true = self.total = 0
        self.is_json = self.encoded = self.hidden = self.rises = False
        self.least = self.greatest = self.earliest = self.latest = None
        filled = 0
        for kinds, values, rows, columns in waiting:
            filled += len(values)
            self._take(kinds, values, rows, columns, filled)

    @classmethod
    def of_names(cls, rows: int, characters: int = 24) -> Column:
        """Return a column of as many different texts as there are rows, of about so many characters, none of which is
        read."""
        column = cls()
        column._learn_waiting([])
        column.rows = column.filled = rows
        column.kinds, column.counts, column.over = {str: rows}, None, max(0, rows - 1)
        column.characters = rows * characters
        return column

    @property
    def absent(self) -> int:
        return self.rows - self.filled

    @property
    def different(self) -> int | None:
        """Return how many different values there are; None where they are too many to count."""
        if self.counts is None:
            return self.filled if self.rises else None
        return len(self.counts) + (self.true > 0) + (self.kinds.get(bool, 0) > self.true)

    @property
    def is_numeric(self) -> bool:
        return bool(self.kinds) and self.kinds.keys() <= {int, float}

    @property
    def is_time(self) -> bool:
        """Return whether every value is a point in time, as a text."""
        return self.earliest is not None and self.kinds.keys() == {str}

    @property
    def writes_numbers(self) -> bool:
        """Return whether every value is a text that writes a number, as prices with two decimals do. One that begins
        with a zero (02139) is a name."""
        if not self.counts or self.kinds.keys() != {str} or self.hidden:
            return False
        text = "\n".join(self.counts) + "\n"
        return text.count("\n") == len(self.counts) and _WRITTEN_NUMBERS.fullmatch(text) is not None

    def values(self) -> list[tuple[Scalar, int]]:
        """Return the values with their counts, the most frequent first; none where they were not kept."""
        if self.counts is None or self.hidden:
            return []
        if self._values is None:
            truths = [(True, self.true), (False, self.kinds.get(bool, 0) - self.true)]
            found = [*self.counts.items(), *((value, count) for value, count in truths if count)]
            self._values = sorted(found, key=itemgetter(1), reverse=True)
        return self._values

    @property
    def weight(self) -> int:
        """Return the bytes that the values take, about; encoded data counts as nothing."""
        is_long = self.characters > LONG * self.kinds.get(str, 0)
        return (0 if is_long and self.encoded else self.characters) + 4 * self.filled

    def learn(
        self,
        values: list[Any],
        rows: RowNumbers,
        columns: int = 1,
        kinds: set[type] | None = None,
        *,
        later: bool = False,
    ) -> None:
        """Take values of any types, with the number of the row of each. ``columns`` share what may be kept; ``kinds``
        are the types, where they are known. Arrays and objects are no values of a column, and are only counted as
        ``nested``."""
        self.rows += len(values)
        for classes, some, numbers in by_class(values, rows, kinds):
            if not NESTED.isdisjoint(classes):
                self.nested += len(some)
            else:
                self.learn_class(classes, some, numbers, columns, later=later)

    def learn_lines(self, numbers: list[Any], rows: RowNumbers) -> bool:
        """Take numbers that rise from row to row, as those of lines do, in a fraction of the time. False, and nothing
        is taken, where they are any others."""
        last = self.greatest.value if self.filled and self.rises and self.greatest is not None else None
        if set(map(type, numbers)) != {int} or (len(numbers) < 2 if last is None else numbers[0] <= last):
            return False
        if (self.filled and last is None) or not all(map(lt, numbers, islice(numbers, 1, None))):
            return False
        if self._waiting is not None:
            self._learn_waiting([])
        self.rows += len(numbers)
        self.filled += len(numbers)
        self.kinds[int] = self.filled
        self.counts, self.over, self.rises = None, self.filled - 1, True
        self.least = self.least or Extreme(numbers[0], numbers[0], rows, 0)
        self.greatest = Extreme(numbers[-1], numbers[-1], rows, len(numbers) - 1)
        self.total += sum(numbers)
        return True

    def learn_class(
        self, kinds: dict[type, int], values: list[Any], rows: RowNumbers, columns: int = 1, *, later: bool = False
    ) -> None:
        """Take values that are all texts, all numbers or all truths, of these types. ``rows`` counts elsewhere. Those
        that are learned ``later`` are kept until then."""
        self._values = None
        self.filled += len(values)
        for kind, count in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        if str in kinds:
            self.characters += sum(map(len, values))
        if self._waiting is not None:
            self._waiting.append((kinds, values, rows, columns))
            if later:
                return
            self._learn_waiting(self._waiting)
        else:
            self._take(kinds, values, rows, columns, self.filled)
        for extreme in (self.least, self.greatest, self.earliest, self.latest):
            if extreme is not None:
                extreme.settle()

    def learn_repeated(self, values: list[Any], times: list[int], firsts: list[int], columns: int = 1) -> None:
        """Take values that stand in several rows each, with how many those are and the number of the first."""
        self.rows += sum(times)
        for kinds, some, numbers in by_class(values, range(len(values))):
            self.learn_class(kinds, some, Numbers(map, firsts.__getitem__, numbers), columns)
            again = [times[at] - 1 for at in numbers]
            self.filled += sum(again)
            for kind in kinds:
                self.kinds[kind] += sum(compress(again, map(is_, map(type, some), repeat(kind))))
            if bool in kinds:
                self.true += sum(compress(again, some))
                continue
            if str in kinds:
                self.characters += sum(map(mul, map(len, some), again))
            else:
                self._add(map(mul, some, again), exact=float not in kinds)
            if (counts := self.counts) is not None:
                for value, more in zip(map(hash, some) if self.hidden else some, again, strict=True):
                    counts[value] += more

    def _take(self, kinds: dict[type, int], values: list[Any], rows: RowNumbers, columns: int, filled: int) -> None:
        """Learn values of one class, with which so many are filled."""
        if bool in kinds:
            self.true += sum(values)
            return
        if str in kinds:
            self._learn_texts(values, rows, first=filled == len(values))
        else:
            self._learn_numbers(values, rows, exact=float not in kinds)
        if self.counts is not None:
            limit = max(LEAST_DIFFERENT, 0 if float in kinds else MOST_DIFFERENT // columns)
            self._count(self.counts, values, filled, limit)

    def _count(self, counts: Counter[Any], values: list[Any], filled: int, limit: int) -> None:
        """Count values, unless they are too many different ones: of a column of names some tell."""
        if len(values) > max(limit, 2 * FIRST) and not self.hidden and _all_differ(values):
            self.counts, self.over = None, max(len(counts), len(set(values[:FIRST]))) - 1
            return
        for start, stop in ((0, FIRST), (FIRST, len(values))):
            counts.update(map(hash, values[start:stop]) if self.hidden else values[start:stop])
            seen = filled - max(0, len(values) - stop)
            if len(counts) > limit * (1 if len(counts) * 2 > seen else REPEATED):
                self.counts, self.over = None, len(counts) - 1
                return

    def merge(self, other: Column) -> None:
        """Take all that another column has learned; rows are numbered alike."""
        self._values = None
        self.rows += other.rows
        self.filled += other.filled
        for kind, count in other.kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        if self.counts is None or other.counts is None or self.hidden != other.hidden:
            self.over = max(len(self.counts or ()) - 1, len(other.counts or ()) - 1, self.over, other.over, 0)
            self.counts = None
        else:
            self.counts.update(other.counts)
        self.true += other.true
        self.total += other.total
        self.characters += other.characters
        self.least = _better(min, self.least, other.least)
        self.greatest = _better(max, self.greatest, other.greatest)
        self.earliest = self.latest = None
        self.rises = False
        self.is_json = self.is_json and other.is_json

    def _learn_texts(self, values: list[str], rows: RowNumbers, *, first: bool) -> None:
        if not (first or self.is_json or self.earliest is not None):
            return
        if first:
            characters = self.characters if len(values) == self.filled else sum(map(len, values))
            self.hidden = characters > LONG * len(values)
            self.encoded = self.hidden and is_encoded(max(values, key=len))
            self.is_json = values[0][:1] in ("{", "[")
        if self.is_json:
            self.is_json = all(map(_is_json, values))
        if first or self.earliest is not None:
            self._learn_times(values, rows)

    def _learn_times(self, values: list[str], rows: RowNumbers) -> None:
        """Keep the earliest and the latest while all texts are times."""
        before, self.earliest = self.earliest, None
        if not _TIMES.fullmatch(values[0] + "\n"):
            return
        lengths = list(map(len, values))
        text = "\n".join(values) + "\n" if min(lengths) >= len("2026-01-01") else ""
        if text.count("\n") != len(values) or not _TIMES.fullmatch(text):
            return
        zone = _ZONE.search(text)
        even = max(lengths) == min(lengths) and (zone is None or text.count(zone[1]) == len(values))
        keys: list[Any] = [] if even else list(map(parse_time, values))
        if None in keys:
            return
        # Those of one length, all with the same offset or without one, have the order of their texts.
        first, last = (values.index(min(values)), values.index(max(values))) if even else _ends(keys)
        found = [Extreme(values[at], parse_time(values[at]), rows, at) for at in (first, last)]
        if any(one.key is None for one in found):  # the 31st of a month that has none
            return
        self.earliest = _better(min, before, found[0])
        self.latest = _better(max, self.latest if before else None, found[1])

    def _learn_numbers(self, values: list[int | float], rows: RowNumbers, *, exact: bool) -> None:
        self.rises = False
        least, greatest = min(values), max(values)
        if self.least is None or least < self.least.value:
            self.least = Extreme(least, least, rows, values.index(least))
        if self.greatest is None or greatest > self.greatest.value:
            self.greatest = Extreme(greatest, greatest, rows, values.index(greatest))
        self._add(values, exact=exact)

    def _add(self, values: Iterable[int | float], *, exact: bool) -> None:
        try:
            self.total += sum(values) if exact else math.fsum(values)
        except (ArithmeticError, ValueError):  # too large for a float, or two infinities
            self.total = math.nan


def by_class(
    values: list[Any], rows: RowNumbers, kinds: set[type] | None = None
) -> Iterator[tuple[dict[type, int], list[Any], RowNumbers]]:
    """Split values into objects, arrays, texts, truths and numbers, without nulls: their types, and the row of each."""
    kinds = set(map(type, values)) if kinds is None else kinds
    if len(kinds) == 1:
        if NoneType not in kinds:
            yield dict.fromkeys(kinds, len(values)), values, rows
        return
    codes = bytes(map(_CODES.__getitem__, map(type, values)))  # counted and chosen by ten times as fast as the types
    for group, chosen in _GROUPS:
        if counts := {kind: codes.count(_CODES[kind]) for kind in group if kind in kinds}:
            if len(counts) == len(kinds):
                yield counts, values, rows
            else:
                flags = codes.translate(chosen)
                yield counts, list(compress(values, flags)), Numbers(compress, rows, flags)


def _all_differ(values: list[Any]) -> bool:
    """Return whether hardly a value of very many is there twice: neither among the first, nor of those at even
    distances. Of 20,000 different ones in any order one in twenty would be."""
    some = (values[:FIRST], values[:: len(values) // FIRST])
    return all(len(set(part)) >= SPREAD * len(part) for part in some)


class Numbers:
    """Numbers of rows that are made when one is asked for: of few columns the rows of extremes are told."""

    def __init__(self, make: Callable[..., Iterable[int]], *given: Any) -> None:
        self._make = make
        self._given = given

    def __iter__(self) -> Iterator[int]:
        return iter(self._make(*self._given))

    def __getitem__(self, at: int) -> int:
        return next(islice(self, at, None))


class Found(Numbers):
    """Numbers of rows that are looked for by their values."""

    def __init__(self, values: Sequence[Any], find: Callable[[Any], int]) -> None:
        super().__init__(map, find, values)
        self._values, self._find = values, find

    def __getitem__(self, at: int) -> int:
        return self._find(self._values[at])


RowNumbers = Sequence[int] | Numbers


def _is_json(text: str) -> bool:
    if text[:1] not in ("{", "["):
        return False
    try:
        check(text.encode())
    except (ValueError, RecursionError):  # a lone surrogate, or no JSON
        return False
    return True


def _ends(keys: list[int]) -> tuple[int, int]:
    return keys.index(min(keys)), keys.index(max(keys))


def _better(choose: Callable[..., Extreme], one: Extreme | None, other: Extreme | None) -> Extreme | None:
    """Return the lesser or the greater of two, of equal ones the first."""
    if one is None or other is None:
        return one or other
    return choose(one, other, key=lambda extreme: extreme.key)
