"""Decide if a text settles a question: each rule returns the lines that settle it, or an empty text.

A rule never adds up or counts. It accepts a number only if the text states it, a list only if the text shows that the
list is complete, and a cell only if it is in the same row as the key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.public_parts.questions import is_same_set, is_same_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.public_parts.reading import Read, Row

    Values = tuple[str, ...]  # the parts of a question that its template names
    Rule = Callable[[Read, Values, str], str]
    Meets = Callable[[str, Values], bool]  # True if a cell meets the condition that the values of a question make


def equals(at: int) -> Meets:
    """Return a condition: the cell is the value at this place."""
    return lambda cell, values: cell == values[at]


def contains(at: int) -> Meets:
    """Return a condition: the value at this place occurs in the cell, in the same case."""
    return lambda cell, values: values[at] in cell


def lists(at: int) -> Meets:
    """Return a condition: the value at this place is one of those that the cell lists with commas."""
    return lambda cell, values: values[at] in re.split(r",\s*", cell)


def begins(at: int) -> Meets:
    """Return a condition: the cell begins with the value at this place."""
    return lambda cell, values: cell.startswith(values[at])


def without(at: int) -> Meets:
    """Return a condition: there is a cell, and the value at this place does not occur in it."""
    return lambda cell, values: bool(cell) and values[at] not in cell


def is_text(text: str) -> Meets:
    """Return a condition: the cell is this text."""
    return lambda cell, _: cell == text


def begins_with(text: str) -> Meets:
    """Return a condition: the cell begins with this text."""
    return lambda cell, _: cell.startswith(text)


def at_least(at: int) -> Meets:
    """Return a condition: the cell is a number that is not below the one at this place."""
    return lambda cell, values: (number := number_of(cell)) is not None and number >= float(values[at])


def within(low: int, high: int) -> Meets:
    """Return a condition: the cell is a number between those at two places, inclusive."""
    return lambda cell, values: (
        (number := number_of(cell)) is not None and float(values[low]) <= number <= float(values[high])
    )


def number_of(cell: str) -> float | None:
    """Return the number of a cell such as ``$1,299.50`` or ``17% off``, or None if it does not begin with one."""
    number = re.match(r"\$?(-?\d[\d,]*(?:\.\d+)?)", cell)
    return None if number is None else float(number[1].replace(",", ""))


def never(_read: Read, _values: Values, _gold: str) -> str:
    """Return no lines, because a reader would have to count or compute."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A cell of the row with a key. ``length`` cuts the cell, for example to the date of a time."""

    key: str
    column: str
    length: int | None = None

    def __call__(self, read: Read, values: Values, gold: str) -> str:
        """Return the row that has the key and the gold value."""
        for row in read.rows:
            if row.cells.get(self.key) == values[0] and self.column in row.cells:
                return row.line if is_same_text(row.cells[self.column][: self.length], gold) else ""
        constant = read.constant(self.column)
        tally = read.tally(self.column)
        is_gold = tally is not None and constant is not None and is_same_text(constant[: self.length], gold)
        return tally.line if tally is not None and is_gold else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The number of rows that meet a condition on one column. ``is_exact`` says that only one value can meet it."""

    column: str
    meets: Meets
    is_exact: bool = False

    def __call__(self, read: Read, values: Values, gold: str) -> str:
        """Return the line that states the count of the only value that meets the condition, or that none does."""
        tally = read.tally(self.column)
        if tally is None:
            return ""
        counts = [count for value, count in tally.counts.items() if self.meets(value, values)]
        if not tally.is_complete and not (self.is_exact and counts):
            return ""
        is_stated = str(counts[0]) == gold if len(counts) == 1 else not counts and gold == "0"
        return tally.line if is_stated else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTwice:
    """The number of rows that meet two conditions on two columns."""

    one: Counted
    other: Counted

    def __call__(self, read: Read, values: Values, gold: str) -> str:
        """Return the cross-tabulation that states the count, or the line that says that one condition never holds."""
        columns = {self.one.column, self.other.column}
        for cross in read.crosses:
            if cross.columns == columns:
                count = cross.count(
                    lambda cell: self.one.meets(cell, values), lambda cell: self.other.meets(cell, values)
                )
                if count is not None:
                    return cross.line if str(count) == gold else ""
        for side, rest in ((self.one, self.other), (self.other, self.one)):
            if gold == "0" and (line := side(read, values, gold)):
                return line
            constant = read.constant(side.column)
            if constant is not None and side.meets(constant, values):
                return rest(read, values, gold)
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The number of rows between two bounds, if it is zero because the range of the column excludes them."""

    column: str
    low: Callable[[Values], float]
    high: Callable[[Values], float]

    def __call__(self, read: Read, values: Values, gold: str) -> str:
        """Return the line with a range that has no value between the bounds."""
        ends = read.ranges.get(self.column)
        if ends is None or gold != "0":
            return ""
        least, greatest = number_of(ends.least), number_of(ends.greatest)
        if least is None or greatest is None or least > greatest:
            return ""
        return ends.line if self.high(values) < least or self.low(values) > greatest else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distinct:
    """All values of a column."""

    column: str

    def __call__(self, read: Read, _values: Values, gold: str) -> str:
        """Return the line that lists every value."""
        tally = read.tally(self.column)
        is_gold = tally is not None and tally.is_complete and is_same_set(", ".join(tally.counts), gold)
        return tally.line if tally is not None and is_gold else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The cells of a column in all rows that meet conditions.

    The text has to show all rows, or all rows with one of the values ``narrow``: it maps a column to the place of the
    value in the question. ``same`` names two columns that are equal in the rows."""

    column: str
    conditions: dict[str, Meets] = field(default_factory=dict)
    narrow: dict[str, int] = field(default_factory=dict)
    same: tuple[str, str] | None = None

    def __call__(self, read: Read, values: Values, gold: str) -> str:
        """Return the rows, if the text says that there are no others and all cells can be read."""
        rows = self._all_of(read, values)
        if not rows:
            return ""
        selected: list[Row] = []
        for row in rows:
            meets = self._meets(read, row, values)
            if meets is None or (meets and self.column not in row.cells):
                return ""
            selected += [row] if meets else []
        cells = [row.cells[self.column] for row in selected]
        is_gold = is_same_set(", ".join(cell for cell in cells if cell), gold)
        return "\n".join(row.line for row in selected) if is_gold else ""

    def _all_of(self, read: Read, values: Values) -> list[Row]:
        """Return all rows, or all that have one of the values asked for; none if the text does not show them all."""
        if read.has_all_rows:
            return read.rows
        for column, at in self.narrow.items():
            tally = read.tally(column)
            rows = [row for row in read.rows if row.cells.get(column) == values[at]]
            if tally is not None and rows and tally.counts.get(values[at]) == len(rows):
                return rows
        return []

    def _meets(self, read: Read, row: Row, values: Values) -> bool | None:
        """Return True if a row meets all conditions, False if it fails one, None if a cell that decides is missing."""
        results: list[bool | None] = []
        for column, meets in self.conditions.items():
            cell = row.cells.get(column, read.constant(column))
            results.append(None if cell is None else meets(cell, values))
        if self.same is not None:
            one, other = (row.cells.get(column) for column in self.same)
            results.append(None if one is None or other is None else one == other)
        return False if False in results else None if None in results else True


def either(*rules: Rule) -> Rule:
    """Return a rule that tries several rules and returns the first lines that settle the question."""
    return lambda read, values, gold: next((line for rule in rules if (line := rule(read, values, gold))), "")
