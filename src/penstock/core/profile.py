"""Profile a column: its types, how many cells are filled, its values with their counts, extremes, sums and times.

A column learns its values batch by batch, and all its facts are up to date after each batch. Its memory is bounded: if
there are too many different values, it knows only that there are more than a number. All that a notice states about
data comes from here.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from operator import itemgetter, lt
from typing import TYPE_CHECKING, Any, Final

from penstock.core.amounts import plain_numbers
from penstock.core.forms.media import is_encoded
from penstock.core.profile_values import (
    Extreme,
    added,
    characters_of,
    ends_of_times,
    is_json_text,
    write_numbers,
)
from penstock.core.value_classes import NUMBERS, by_class

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_COUNTED: Final = 60_000  # All columns of a document count this many different values, which take about 7 MB.
MIN_COUNTED: Final = 512  # Any column may count this many different values, however many columns there are.
COUNTED_AT_ONCE: Final = 4_096  # Values are counted in parts of this size, so that counting soon stops if they differ.
MAX_SHORT: Final = 200  # Texts with more characters on average are counted by their hashes, and are not kept.
Scalar = str | int | float | bool


class Column:
    """The facts of all values of one column. ``rows`` is how many there could be: missing values and nulls are absent.

    ``filled``  how many values are not null, nor arrays or objects; ``nested`` counts these.
    ``kinds``   the types of the values, with their numbers.
    ``cells``   all values but nulls in the order of their rows, if the document keeps them anyway.
    ``counts``  how often each value occurs, but for booleans; None if too many differ: more than ``over``.
    ``bulk``    the characters of all texts.
    ``hidden``  the texts are too long to be kept: ``counts`` has their hashes.
    ``encoded``  the texts are base64, which is of no use to a reader.
    ``is_json``  every text is a JSON object or array.
    ``writes``  every text writes a number, as prices with two decimals do.
    ``rises``   every number is greater than all before it: no two are equal, though they may not be counted.
    ``true``    how many booleans are true.
    ``total``   the sum of all numbers; NaN if no float holds it.
    ``example``  the first value that is not a boolean.
    ``least``, ``greatest``   the extremes of numbers; ``earliest``, ``latest`` of texts that are all times.
    """

    __slots__ = (
        *(
            "_amounts",
            "_values",
            "bulk",
            "cells",
            "counts",
            "earliest",
            "encoded",
            "example",
            "filled",
            "greatest",
            "hidden",
        ),
        *("is_json", "kinds", "latest", "least", "nested", "over", "rises", "rows", "total", "true", "writes"),
    )

    def __init__(self) -> None:
        self.rows = self.filled = self.nested = self.true = self.bulk = self.over = 0
        self.total: int | float = 0
        self.kinds: dict[type, int] = {}
        self.cells: list[Any] | None = None
        self.counts: Counter[Any] | None = Counter()
        self.example: Any = None
        self.hidden = self.encoded = self.is_json = self.writes = self.rises = False
        self.least: Extreme | None = None
        self.greatest: Extreme | None = None
        self.earliest: Extreme | None = None
        self.latest: Extreme | None = None
        self._values: list[tuple[Scalar, int]] | None = None
        self._amounts: bool | None = None

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
            return self.filled if self.rises and self.is_numeric else None
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
        """Return True if every value is a text that writes a number. A text that begins with a zero (02139) is a
        name."""
        return self.writes and self.are_all(str) and not self.hidden

    @property
    def writes_amounts(self) -> bool:
        """Return True if every value is a text with a number and the same sign or unit, such as ``$1,204.50``."""
        if self._amounts is None:
            self._amounts = self.are_all(str) and plain_numbers(self.texts) is not None
        return self._amounts

    @property
    def texts(self) -> Collection[str]:
        """Return all different texts, or all texts. Return none if they were not kept."""
        return () if self.hidden else self.counts or self.cells or ()

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

    def learn(self, values: list[Any], columns: int = 1, *, keep: bool = False) -> None:
        """Take values of any types, one for each row. Arrays and objects are only counted, as ``nested``.

        ``columns`` is the number of columns that share what may be counted. With ``keep``, the document keeps the
        values, and the column may refer to them.
        """
        self.rows += len(values)
        for kinds, some in by_class(values):
            if dict in kinds or list in kinds:
                self.nested += len(some)
            else:
                self.learn_class(kinds, some, columns, keep=keep)

    def learn_class(self, kinds: dict[type, int], values: list[Any], columns: int = 1, *, keep: bool = False) -> None:
        """Take values that are all texts, all numbers or all booleans, of these types. The caller counts ``rows``."""
        is_first = not self.filled
        self.cells = values if keep and is_first else None
        self._values = self._amounts = None
        self.filled += len(values)
        for kind, count in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        if bool in kinds:
            self.true += sum(values)
            return
        if self.example is None:
            self.example = values[0]
        if str in kinds:
            self._learn_texts(values, is_first=is_first)
        else:
            self._learn_numbers(values, exact=float not in kinds)
        self._count(values, max(MIN_COUNTED, MAX_COUNTED // columns))

    def _count(self, values: list[Any], most: int) -> None:
        """Count the different values while they are at most so many."""
        for start in range(0, len(values), COUNTED_AT_ONCE):
            if self.counts is None:
                return
            some = values[start : start + COUNTED_AT_ONCE]
            self.counts.update(map(hash, some) if self.hidden else some)
            if len(self.counts) > most:
                self.over = len(self.counts) - 1
                self.counts = None

    def _learn_texts(self, values: list[str], *, is_first: bool) -> None:
        characters = characters_of(values)
        self.bulk += characters
        if is_first:
            self.hidden = characters > MAX_SHORT * len(values)
        if self.kinds[str] == len(values):  # These are the first texts.
            self.encoded = self.hidden and is_encoded(max(values, key=len))
            self.is_json = self.writes = True
            ends = ends_of_times(values)
        else:
            ends = ends_of_times(values) if self.earliest is not None else None
        self.is_json = self.is_json and all(map(is_json_text, values))
        self.writes = self.writes and write_numbers(values)
        if ends is None:
            self.earliest = self.latest = None
        else:
            self.earliest = min(self.earliest or ends[0], ends[0], key=itemgetter(1))
            self.latest = max(self.latest or ends[1], ends[1], key=itemgetter(1))

    def _learn_numbers(self, values: list[int | float], *, exact: bool) -> None:
        is_above = self.greatest is None or (self.rises and values[0] > self.greatest.value)
        self.rises = is_above and all(map(lt, values, islice(values, 1, None)))
        least, greatest = min(values), max(values)
        if self.least is None or least < self.least.value:
            self.least = Extreme(least)
        if self.greatest is None or greatest > self.greatest.value:
            self.greatest = Extreme(greatest)
        self.total = added(self.total, values, exact)
