"""Shared by the forms that parse: a parser that takes some thousand lines at a time, and batches of rows."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import TYPE_CHECKING, Any

from penstock.core.forms.api import BATCH, DoesNotHoldError

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.api import Batch, Batches, Lines, Options, Parser


def facts(*lines: tuple[object, str]) -> tuple[str, ...]:
    """Return the lines that are to be said: each comes behind what it depends on."""
    return tuple(line for condition, line in lines if condition)


def blocks_of(lines: Lines) -> Iterator[list[str]]:
    """Yield lines some thousands at a time."""
    source = iter(lines)
    while some := list(islice(source, BATCH)):
        yield some


def matched(
    pattern: re.Pattern[str], lines: Sequence[str], first: int
) -> tuple[list[int], list[tuple[str, ...]], list[tuple[int, str]]]:
    """Split lines, of which the first has this number, by a pattern that takes any line and its newline: numbers and
    groups of those that fill a group, and the others that are not blank, with their numbers."""
    rows = pattern.findall("\n".join([*lines, ""]))
    fits = list(map(any, rows))
    numbers = range(first, first + len(lines))
    if all(fits):
        return list(numbers), rows, []
    others = [
        (number, line)
        for number, line, fit in zip(numbers, lines, fits, strict=True)
        if not fit and line and not line.isspace()
    ]
    return list(compress(numbers, fits)), list(compress(rows, fits)), others


def columns_of(pattern: re.Pattern[str], rows: Sequence[tuple[str, ...]]) -> dict[str, Sequence[str]]:
    """Return the groups of rows by their names. Of ``code1`` and ``code2``, the column ``code`` has what is filled."""
    columns: dict[str, Sequence[str]] = {}
    every = list(zip(*rows, strict=True))
    for group, number in pattern.groupindex.items() if every else ():
        name, cells = group.rstrip("0123456789"), every[number - 1]
        known = columns.get(name, ())
        if not any(known):
            columns[name] = cells
        elif any(cells):
            columns[name] = [one or other for one, other in zip(known, cells, strict=True)]
    return columns


@dataclass(slots=True, kw_only=True)
class LineParser:
    """Parses some thousand lines at a time: ``read`` makes the rows of the next lines, ``holds`` tells at the end
    whether the text is of this form."""

    options: Options
    nouns: dict[str, str] = field(default_factory=lambda: {"items": "rows"})
    seen: int = 0  # lines before those that are read
    count: int = 0  # rows
    unfit: int = 0  # lines that are no rows

    def parse(self, lines: Lines) -> Batches:
        for some in self.groups(lines):
            if batch := self.read(some):
                yield batch
            self.seen += len(some)
        yield from self.rest()
        if not self.holds():
            raise DoesNotHoldError("lines of another form")

    def groups(self, lines: Lines) -> Iterator[list[str]]:
        """Yield the lines that are read together."""
        return blocks_of(lines)

    @abstractmethod
    def read(self, lines: list[str]) -> Batch:
        """Return the rows of the next lines."""

    def rest(self) -> Batches:
        """Yield rows that had to wait for the end."""
        return iter(())

    @abstractmethod
    def holds(self) -> bool:
        """Return True if the form holds for all lines that were read."""

    def exceeds(self, spare: int, one_in: int, of: int) -> bool:
        """Return True if more lines are no rows than some that any text may have, and one in so many."""
        return (self.unfit - spare) * one_in > of


class RowBatches:
    """Gathers the rows of some tables, each with its columns, until there are enough to be given out."""

    def __init__(self, **columns: str) -> None:
        self.columns = {table: names.split() for table, names in columns.items()}
        self.rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in columns}
        self.is_full = False

    def add(self, table: str, *cells: Any) -> None:
        rows = self.rows[table]
        rows.append(cells)
        self.is_full = self.is_full or len(rows) >= BATCH

    def take(self) -> Batches:
        """Yield all rows; the main table comes first even if it has none yet."""
        self.is_full = False
        for table, names in self.columns.items():
            rows, self.rows[table] = self.rows[table], []
            for at in range(0, len(rows), BATCH):
                yield {table: dict(zip(names, map(list, zip(*rows[at : at + BATCH], strict=True)), strict=True))}
            if not rows and table == "items":
                yield {table: {name: [] for name in names}}


def holds(parser: Parser, lines: Lines) -> bool:
    """Return True if a form holds for these lines."""
    try:
        for _ in parser.parse(lines):
            pass
    except DoesNotHoldError:
        return False
    return True
