"""Profile a column: its types, how many cells are filled, its values with their counts, extremes, sums and times.

A column learns its values batch by batch, and all its facts are up to date after each batch. Its memory is bounded: if
there are too many different values, it knows only that there are more than a number. All that a notice states about
data comes from here.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress, islice, repeat
from operator import is_, itemgetter, lt, mul
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.media import is_encoded
from penstock.core.profile_counts import count_more
from penstock.core.profile_values import (
    Extreme,
    added,
    better,
    characters_of,
    ends_of_times,
    is_json_text,
    write_numbers,
)
from penstock.core.row_numbers import Numbers
from penstock.core.value_classes import MIXED, NESTED, NUMBERS, by_class, by_nesting, is_one_class

if TYPE_CHECKING:
    from penstock.core.row_numbers import RowNumbers

MOST_DIFFERENT: Final = 60_000  # All columns together count this many different values, which take about 7 MB.
LEAST_DIFFERENT: Final = 512  # Any column may count this many different values.
LONG: Final = 200  # Texts with more characters on average are counted by their hashes, and are not kept.
Scalar = str | int | float | bool


class Column:
    """The facts of all values of one column. ``rows`` is how many there could be: missing values and nulls are absent.

    ``filled``  how many values are not null, nor arrays or objects; ``nested`` counts these.
    ``kinds``   the types of the values, with their numbers.
    ``cells``   all values in the order of their rows, if the document keeps them anyway.
    ``counts``  how often each value occurs, but for booleans; None if too many differ: more than ``over``.
    ``bulk``    the characters of all texts.
    ``hidden``  the texts are too long to be kept: ``counts`` has their hashes.
    ``encoded``  the texts are base64, which is of no use to a reader.
    ``is_json``  every text is a JSON object or array.
    ``rises``   every number is greater than all before it: no two are equal, though none is counted.
    ``true``    how many booleans are true.
    ``total``   the sum of all numbers; NaN if no float holds it.
    ``example``  the first value that is not a boolean.
    """

    __slots__ = (
        *("_values", "_writes", "bulk", "cells", "counts", "earliest", "encoded", "example", "filled", "greatest"),
        *("hidden", "is_json", "kinds", "latest", "least", "nested", "over", "rises", "rows", "total", "true"),
    )

    def __init__(self) -> None:
        self.rows = self.filled = self.nested = self.true = self.bulk = self.over = 0
        self.total: int | float = 0
        self.kinds: dict[type, int] = {}
        self.cells: list[Any] | None = None
        self.counts: Counter[Any] | None = Counter()
        self.example: Any = None
        self.hidden = self.encoded = self.is_json = self.rises = False
        self.least: Extreme | None = None
        self.greatest: Extreme | None = None
        self.earliest: Extreme | None = None
        self.latest: Extreme | None = None
        self._values: list[tuple[Scalar, int]] | None = None
        self._writes = False

    @classmethod
    def of_names(cls, rows: int, characters: int = 24) -> Column:
        """Return a column of different texts, one a row, of about so many characters, none of which is read."""
        column = cls()
        column.rows = column.filled = rows
        column.kinds, column.counts, column.over = {str: rows}, None, max(0, rows - 1)
        column.bulk = rows * characters
        return column

    @property
    def different(self) -> int | None:
        """Return how many different values there are, or None if they are too many to count."""
        if self.counts is None:
            return self.filled if self.rises else None
        truths = (self.true > 0) + (self.kinds[bool] > self.true) if bool in self.kinds else 0
        return len(self.counts) + truths

    @property
    def is_constant(self) -> bool:
        """Return True if all values are the same."""
        return self.different == 1

    def has_more_than(self, most: int) -> bool:
        """Return True if there are more different values than this number."""
        return self.different is None or self.different > most

    @property
    def seems_to_repeat(self) -> bool:
        """Return True if at least a third of the values occur twice."""
        return (self.different or self.filled) * 3 <= self.filled * 2

    @property
    def is_numeric(self) -> bool:
        return bool(self.kinds) and NUMBERS.issuperset(self.kinds)

    def are_all(self, kind: type) -> bool:
        """Return True if there are values, all of one type."""
        return len(self.kinds) == 1 and kind in self.kinds

    @property
    def is_time(self) -> bool:
        """Return True if every value is a point in time, as a text."""
        return self.are_all(str) and self.earliest is not None

    @property
    def writes_numbers(self) -> bool:
        """Return True if every value is a text that writes a number, as prices with two decimals do. A text that begins
        with a zero (02139) is a name."""
        return self._writes and self.are_all(str) and not self.hidden

    def values(self) -> list[tuple[Scalar, int]]:
        """Return the values with their counts, the most frequent first. Return none if they were not kept."""
        if self.counts is None or self.hidden:
            return []
        if self._values is None:
            truths = [(True, self.true), (False, self.kinds[bool] - self.true)] if bool in self.kinds else ()
            pairs = [*self.counts.items(), *(pair for pair in truths if pair[1])]
            self._values = sorted(pairs, key=itemgetter(1), reverse=True)
        return self._values

    @property
    def commonest(self) -> int:
        """Return how many rows have the most frequent value. Return 0 if values were not kept."""
        if self.counts is None or self.hidden:
            return 0
        return max(max(self.counts.values(), default=0), self.true, self.kinds.get(bool, 0) - self.true)

    @property
    def weight(self) -> int:
        """Return the bytes that the values take, about; encoded data counts as nothing."""
        return (0 if self.encoded else self.bulk) + 4 * self.filled

    def learn(
        self, values: list[Any], rows: RowNumbers, columns: int = 1, only: type | None = None, *, keep: bool = False
    ) -> None:
        """Take values of any types, with the number of the row of each.

        ``columns`` is the number of columns that share what may be counted. ``only`` is the type of all values, if it
        is known. With ``keep``, the document keeps the values, and the column may refer to them. Arrays and objects are
        only counted, as ``nested``.
        """
        self.rows += len(values)
        for kinds, some, numbers in by_nesting(values, rows, only):
            if NESTED.isdisjoint(kinds):
                self.learn_scalars(kinds, some, numbers, columns, keep=keep)
            else:
                self.nested += len(some)

    def learn_scalars(
        self, kinds: dict[type, int], values: list[Any], rows: RowNumbers, columns: int = 1, *, keep: bool = False
    ) -> None:
        """Take scalars of these types, which may have nulls between them if the types are of several classes. The
        caller counts the ``rows``."""
        before = self.filled
        for part in [(kinds, values, rows)] if is_one_class(kinds) else by_class(values, rows, MIXED):
            self._learn_class(*part, columns)
        self.cells = values if keep and not before and self.filled == len(values) else None
        if not keep:
            for extreme in filter(None, (self.least, self.greatest, self.earliest, self.latest)):
                extreme.settle()

    def _learn_class(self, kinds: dict[type, int], values: list[Any], rows: RowNumbers, columns: int) -> None:
        """Take values that are all texts, all numbers or all booleans."""
        self._values = None
        self.filled += len(values)
        for kind, count in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        if bool in kinds:
            self.true += sum(values)
            return
        if self.example is None:
            self.example = values[0]
        if str in kinds:
            self._learn_texts(values, rows)
        else:
            self._learn_numbers(values, rows, exact=float not in kinds)
        if self.counts is not None:
            limit = max(LEAST_DIFFERENT, 0 if float in kinds else MOST_DIFFERENT // columns)
            over = count_more(self.counts, values, self.filled, limit, hidden=self.hidden)
            if over is not None:
                self.counts, self.over = None, over

    def learn_lines(self, numbers: list[Any], rows: RowNumbers) -> bool:
        """Take numbers that rise from row to row, as those of lines do. Return False for others, and take nothing."""
        last = self.greatest.value if self.filled and self.rises and self.greatest is not None else None
        if set(map(type, numbers)) != {int} or (len(numbers) < 2 if last is None else numbers[0] <= last):
            return False
        if (self.filled and last is None) or not all(map(lt, numbers, islice(numbers, 1, None))):
            return False
        self.rows += len(numbers)
        self.filled += len(numbers)
        self.kinds[int] = self.filled
        self.counts, self.over, self.rises = None, self.filled - 1, True
        first, last = numbers[0], numbers[-1]
        self.example = first if self.example is None else self.example
        self.least = self.least or Extreme(first, first, (rows[0],), (first,))
        self.greatest = Extreme(last, last, (rows[len(numbers) - 1],), (last,))
        self.total += sum(numbers)
        return True

    def learn_repeated(self, values: list[Any], times: list[int], firsts: list[int], columns: int = 1) -> None:
        """Take values that occur in several rows each, with the number of these rows and of the first of them."""
        self.rows += sum(times)
        for kinds, some, numbers in by_class(values, range(len(values))):
            self.learn_scalars(kinds, some, Numbers(map, firsts.__getitem__, numbers), columns)
            again = [times[at] - 1 for at in numbers]
            self.filled += sum(again)
            for kind in kinds:
                self.kinds[kind] += sum(compress(again, map(is_, map(type, some), repeat(kind))))
            if bool in kinds:
                self.true += sum(compress(again, some))
                continue
            if str in kinds:
                self.bulk += sum(map(mul, map(len, some), again))
            else:
                self.total = added(self.total, map(mul, some, again), float not in kinds)
            if self.counts is not None:
                for value, more in zip(map(hash, some) if self.hidden else some, again, strict=True):
                    self.counts[value] += more

    def merge(self, other: Column) -> None:
        """Take all that another column has learned; rows are numbered alike."""
        self._values = self.cells = None
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
        self.bulk += other.bulk
        self.least = better(min, self.least, other.least)
        self.greatest = better(max, self.greatest, other.greatest)
        self.earliest = self.latest = None
        self.rises = self._writes = False
        self.is_json = self.is_json and other.is_json
        self.example = other.example if self.example is None else self.example

    def _learn_texts(self, values: list[str], rows: RowNumbers) -> None:
        characters = characters_of(values)
        self.bulk += characters
        is_first = self.kinds[str] == len(values)
        if is_first and self.filled == len(values):
            self.hidden = characters > LONG * len(values)
        if is_first:
            self.encoded = self.hidden and is_encoded(max(values, key=len))
            self.is_json = values[0][:1] in ("{", "[")
        self.is_json = self.is_json and all(map(is_json_text, values))
        self._writes = (is_first or self._writes) and write_numbers(values)
        if (is_first and self.filled == len(values)) or self.earliest is not None:
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
        self.total = added(self.total, values, exact)
