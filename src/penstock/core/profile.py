"""Exact facts of a column: its types, how many cells are filled, the values with their counts, extremes, sums, times.

A column learns its values some at a time and keeps little of them: what is counted is bounded, and where there are
too many different values it says only that there are more than so many. Values that are in memory anyway are learned
when a fact is first asked for: of most columns of a document none ever is. All that a notice states about data comes
from here.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress, islice, repeat
from operator import is_, itemgetter, lt, mul
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.media import is_encoded
from penstock.core.profile_counts import GLANCED, count_more, glance
from penstock.core.profile_values import (
    Extreme,
    added,
    better,
    bulk_of,
    characters_of,
    ends_of_times,
    is_json_text,
    write_numbers,
)
from penstock.core.row_numbers import Numbers, NumbersByValue
from penstock.core.value_classes import MIXED, NESTED, NUMBERS, by_class, by_nesting, by_one_class, is_one_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.core.row_numbers import RowNumbers
    from penstock.core.value_classes import Waiting

MOST_DIFFERENT: Final = 60_000  # different values counted in all columns together: about 7 MB
LEAST_DIFFERENT: Final = 512  # different values that any column may count
LONG: Final = 200  # characters on average from which on values are counted, but not kept
Scalar = str | int | float | bool


class Column:
    """All values of one column. ``rows`` is how many there could be: what is missing or null is absent."""

    __slots__ = (
        *("_characters", "_glanced", "_seen", "_total", "_uncounted", "_unmeasured", "_unsummed", "_values"),
        *("_waiting", "_writes", "bulk", "cells", "counts", "earliest", "encoded", "filled", "greatest", "hidden"),
        *("is_json", "kinds", "latest", "least", "nested", "over", "rises", "rows", "true"),
    )

    _total: int | float
    counts: Counter[Any] | None  # None where too many are different:
    over: int  # more than so many
    is_json: bool  # every text is JSON itself: an object or an array
    encoded: bool  # base64: of no use to a reader
    hidden: bool  # the values are too long to be kept: only their hashes are counted
    rises: bool  # every value is greater than all before it: no two are alike, though none is counted
    true: int
    least: Extreme | None
    greatest: Extreme | None
    earliest: Extreme | None
    latest: Extreme | None

    def __init__(self) -> None:
        self.rows = self.filled = self.nested = 0
        self.bulk = self._characters = self._total = 0  # of all texts; the bulk is about that
        self.kinds: dict[type, int] = {}
        self.cells: list[Any] | None = None  # all values in the order of their rows, where they are at hand
        self._unmeasured: list[list[Any]] = []
        self._unsummed: list[tuple[list[int | float], bool]] = []
        self._seen: int | None = None  # different ones among the first values
        self._values: list[tuple[Scalar, int]] | None = None
        self._glanced: list[Any] | None = None
        self._writes: bool | None = None
        self._waiting: list[Waiting] | None = []
        self._uncounted: list[tuple[list[Any], int, int]] | None = []

    def __getattr__(self, name: str) -> Any:
        """Learn what waits, when a fact is first asked for. Values are counted only for who asks for their counts."""
        if self._waiting is not None and name in self.__slots__:
            self._learn_waiting(self._waiting)
        elif self._uncounted is not None and name in ("counts", "over"):
            self._count_waiting(self._uncounted)
        else:
            raise AttributeError(name)
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
            for kinds, values, _, shared in by_one_class(column._waiting):
                made.learn_class(kinds, values, NumbersByValue(values, find), shared, later=True)
        made.cells = None  # those of one place after the other
        return made

    def _learn_waiting(self, waiting: list[Waiting]) -> None:
        self._waiting = None
        self.true = 0
        self.is_json = self.encoded = self.hidden = self.rises = False
        self.least = self.greatest = self.earliest = self.latest = None
        filled = 0
        for kinds, values, rows, columns in by_one_class(waiting):
            filled += len(values)
            self._take(kinds, values, rows, columns, filled)

    def _count_waiting(self, uncounted: list[tuple[list[Any], int, int]]) -> None:
        self._uncounted, self._glanced = None, []
        self.counts, self.over = Counter(), 0
        for part in uncounted:
            self._count(*part)

    @classmethod
    def of_names(cls, rows: int, characters: int = 24) -> Column:
        """Return a column of different texts, one a row, of about so many characters, none of which is read."""
        column = cls()
        column._learn_waiting([])
        column._uncounted = None
        column.rows = column.filled = rows
        column.kinds, column.counts, column.over = {str: rows}, None, max(0, rows - 1)
        column.bulk = column._characters = rows * characters
        return column

    @property
    def different(self) -> int | None:
        """Return how many different values there are; None where they are too many to count."""
        if (counts := self.counts) is None:
            return self.filled if self.rises else None
        return len(counts) + ((self.true > 0) + (self.kinds[bool] > self.true) if bool in self.kinds else 0)

    @property
    def is_constant(self) -> bool:
        """Return whether all values are the same."""
        if self.is_numeric and self.least is not None and self.greatest is not None:
            return bool(self.least.value == self.greatest.value)
        return not self.has_more_than(1) and self.different == 1

    def has_more_than(self, most: int) -> bool:
        """Tell whether there are more different values than some few. Most often the first values tell."""
        if self._seen is None:
            self._seen = len(set(self._first()))
        return self._seen > most or (different := self.different) is None or different > most

    def has_common(self, rare: int, seldom: int) -> bool:
        """Tell whether a value stands in more than ``rare`` rows, and in one of ``seldom``, as far as the first values
        tell: False says nothing. Of values that may be too many to count none does."""
        first = [] if self.filled > LEAST_DIFFERENT or self.hidden else self._first()
        most = 0 if self._seen == len(first) else max(Counter(first).values(), default=0)
        return most > rare and most * seldom >= self.filled

    @property
    def seems_to_repeat(self) -> bool:
        """Return whether a third of the values are there twice, as far as the first of them tell."""
        first = self._first()
        different, filled = (len(set(first)), len(first)) if first else (self.different or self.filled, self.filled)
        return different * 3 <= filled * 2

    def _first(self) -> list[Any]:
        """Return some of the first values; none where all are counted, which tell more."""
        if self._glanced is None:
            some = glance(*self._waiting[0][:2]) if self._waiting else []
            self._glanced = self._uncounted[0][0][:GLANCED] if self._uncounted else some
        return self._glanced

    @property
    def example(self) -> Any:
        """Return one of the values, to see what they are like. Hardly ever all are counted for that."""
        return next(iter(self._first() or self.counts or ()), None)

    @property
    def characters(self) -> int:
        """Return how many characters all texts have. They are counted when that is asked for."""
        while self._unmeasured:
            self._characters += sum(len(one) for one in self._unmeasured.pop() if isinstance(one, str))
        return self._characters

    @property
    def total(self) -> int | float:
        """Return the sum of all numbers, which is made when it is asked for; no number where it cannot be told."""
        if self._waiting is not None:
            self._learn_waiting(self._waiting)
        while self._unsummed:
            self._total = added(self._total, *self._unsummed.pop(0))
        return self._total

    @property
    def is_numeric(self) -> bool:
        return bool(self.kinds) and NUMBERS.issuperset(self.kinds)

    def are_all(self, kind: type) -> bool:
        """Tell whether there are values, all of one type."""
        return len(self.kinds) == 1 and kind in self.kinds

    @property
    def is_time(self) -> bool:
        """Return whether every value is a point in time, as a text."""
        return self.are_all(str) and self.earliest is not None

    @property
    def writes_numbers(self) -> bool:
        """Return whether every value is a text that writes a number, as prices with two decimals do. One that begins
        with a zero (02139) is a name."""
        if self._writes is None:
            is_text = self.are_all(str) and not self.hidden
            counts = self.counts if is_text and (self._uncounted is None or self.cells is None) else None
            self._writes = is_text and write_numbers(counts or self.cells or ())
        return self._writes

    def values(self) -> list[tuple[Scalar, int]]:
        """Return the values with their counts, the most frequent first; none where they were not kept."""
        if self.counts is None or self.hidden:
            return []
        if self._values is None:
            truths = [(True, self.true), (False, self.kinds[bool] - self.true)] if bool in self.kinds else ()
            pairs = [*self.counts.items(), *(pair for pair in truths if pair[1])]
            self._values = sorted(pairs, key=itemgetter(1), reverse=True)
        return self._values

    @property
    def commonest(self) -> int:
        """Return how many rows have the most frequent value; none where values were not kept."""
        if self.counts is None or self.hidden:
            return 0
        return max(max(self.counts.values(), default=0), self.true, self.kinds.get(bool, 0) - self.true)

    @property
    def weight(self) -> int:
        """Return the bytes that the values take, about; encoded data counts as nothing."""
        is_long = self.bulk > LONG * self.kinds.get(str, 0)
        return (0 if is_long and self.encoded else self.bulk) + 4 * self.filled

    def learn(
        self, values: list[Any], rows: RowNumbers, columns: int = 1, only: type | None = None, *, later: bool = False
    ) -> None:
        """Take values of any types, with the number of the row of each. ``columns`` share what may be kept; ``only`` is
        the type of all, where that is known. Arrays and objects are no values of a column, and are only counted as
        ``nested``."""
        self.rows += len(values)
        for classes, some, numbers in by_nesting(values, rows, only):
            if not NESTED.isdisjoint(classes):
                self.nested += len(some)
            else:
                self.learn_class(classes, some, numbers, columns, later=later)

    def learn_lines(self, numbers: list[Any], rows: RowNumbers) -> bool:
        """Take numbers that rise from row to row, as those of lines do; of any others nothing is taken: False."""
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
        self._uncounted = None
        self.counts, self.over, self.rises = None, self.filled - 1, True
        first, last = numbers[0], numbers[-1]
        self.least = self.least or Extreme(first, first, (rows[0],), (first,))
        self.greatest = Extreme(last, last, (rows[len(numbers) - 1],), (last,))
        self._total += sum(numbers)
        return True

    def learn_class(
        self, kinds: dict[type, int], values: list[Any], rows: RowNumbers, columns: int = 1, *, later: bool = False
    ) -> None:
        """Take scalars of these types; nulls may stand between those of several classes. ``rows`` counts elsewhere.
        Those that are learned ``later`` are kept until then."""
        if not is_one_class(kinds) and not (later and self._waiting is not None):
            for part in by_class(values, rows, MIXED):
                self.learn_class(*part, columns, later=later)
            return
        self._values = self._seen = self._glanced = self._writes = None
        self.filled += sum(kinds.values())
        self.cells = values if later and self.filled == len(values) else None
        for kind, count in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        if str in kinds and later:
            self.bulk += bulk_of(values, mixed=len(kinds) > 1)
            self._unmeasured.append(values)
        elif str in kinds:
            characters = characters_of(values)
            self.bulk += characters
            self._characters += characters
        if self._waiting is not None:
            self._waiting.append((kinds, values, rows, columns))
            if later:
                if len(self._waiting) == 1 and self.bulk <= LONG * self.kinds.get(str, 0):
                    self.hidden = self.encoded = False
                return
            self._learn_waiting(self._waiting)
        else:
            self._take(kinds, values, rows, columns, self.filled)
        self._settle()

    def _settle(self) -> None:
        """Make all that is made later of values, and let go of them."""
        for extreme in filter(None, (self.least, self.greatest, self.earliest, self.latest)):
            extreme.settle()
        self._characters, self._total = self.characters, self.total
        if self._uncounted is not None:
            self._count_waiting(self._uncounted)

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
                self._characters += sum(map(mul, map(len, some), again))
                self.bulk = self._characters
            else:
                self._total = added(self._total, map(mul, some, again), float not in kinds)
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
        limit = max(LEAST_DIFFERENT, 0 if float in kinds else MOST_DIFFERENT // columns)
        if self._uncounted is not None:
            self._uncounted.append((values, filled, limit))
        else:
            self._count(values, filled, limit)

    def _count(self, values: list[Any], filled: int, limit: int) -> None:
        over = None if self.counts is None else count_more(self.counts, values, filled, limit, hidden=self.hidden)
        if over is not None:
            self.counts, self.over = None, over

    def merge(self, other: Column) -> None:
        """Take all that another column has learned; rows are numbered alike."""
        self._values = self._writes = self.cells = None
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
        self._total = self.total + other.total
        self._characters = self.characters + other.characters
        self.bulk += other.bulk
        self.least = better(min, self.least, other.least)
        self.greatest = better(max, self.greatest, other.greatest)
        self.earliest = self.latest = None
        self.rises = False
        self.is_json = self.is_json and other.is_json

    def _learn_texts(self, values: list[str], rows: RowNumbers, *, first: bool) -> None:
        if not (first or self.is_json or self.earliest is not None):
            return
        if first:
            self.hidden = (self.bulk if len(values) == self.filled else bulk_of(values)) > LONG * len(values)
            self.encoded = self.hidden and is_encoded(max(values, key=len))
            self.is_json = values[0][:1] in ("{", "[")
        self.is_json = self.is_json and all(map(is_json_text, values))
        if first or self.earliest is not None:
            self._learn_times(values, rows)

    def _learn_times(self, values: list[str], rows: RowNumbers) -> None:
        """Keep the earliest and the latest while all texts are times."""
        before, self.earliest = self.earliest, None
        if (ends := ends_of_times(values, rows)) is not None:
            self.earliest = better(min, before, ends[0])
            self.latest = better(max, self.latest if before else None, ends[1])

    def _learn_numbers(self, values: list[int | float], rows: RowNumbers, *, exact: bool) -> None:
        self.rises = False
        least, greatest = min(values), max(values)
        if self.least is None or least < self.least.value:
            self.least = Extreme(least, least, rows, values)
        if self.greatest is None or greatest > self.greatest.value:
            self.greatest = Extreme(greatest, greatest, rows, values)
        self._unsummed.append((values, exact))
