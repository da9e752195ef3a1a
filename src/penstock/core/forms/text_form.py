"""Declares a form of text: a cheap test on some lines, and a parser that makes rows of all lines, batch by batch.

A parser never has a whole text at once: lines come from an iterator, rows go out some thousands at a time, so that the
memory of an admission stays small. The same parser makes the rows again when SQL or jq asks for them. One that finds
that its form does not hold for the whole raises ``DoesNotHoldError``, and the next form is tried.

Most forms are a ``LineParser``: they say what the rows of some lines are, and what has to hold at the end. A form whose
rows end where others begin puts them into ``RowBatches``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from penstock.core.forms.reading import Table

BATCH: Final = 1_024  # rows that a parser gives out at a time: few enough for a processor's cache
LONGEST_LINE: Final = 20_000  # characters of a line that patterns are matched against: what follows is only kept
MOST_NOTES: Final = 6  # lines that are no rows, to be shown

Columns = dict[str, list[Any]]  # the cells of each column, all of one length; None where a row has none
Batch = dict[str, Columns]  # new rows by table; the main one is ``items``
Options = dict[str, Any]  # what a parser has to know of a text, in plain values that a store can keep
Lines: TypeAlias = "Iterable[str]"  # of a text, without their ends
Batches: TypeAlias = "Iterator[Batch]"
Tables: TypeAlias = "Sequence[Table]"  # the main one first


class DoesNotHoldError(Exception):
    """The text is of another form than its sample looked like."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Lines to recognise a text by: the first ones, and runs of lines from all over it; ``count`` lines in all."""

    head: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...] = ()
    count: int = 0

    @cached_property
    def lines(self) -> list[str]:
        """Return all of these lines, without blank ones."""
        return [line for run in (self.head, *self.runs) for line in run if line and not line.isspace()]

    @cached_property
    def short(self) -> list[str]:
        """Return these lines, each cut to what patterns are matched against."""
        return [line[:LONGEST_LINE] for line in self.lines]

    @cached_property
    def folded(self) -> str:
        """Return these lines as one text in lower case: a form that needs a certain word is told at once."""
        return "\n".join(self.lines).lower()

    @cached_property
    def starts(self) -> frozenset[str]:
        """Return the characters that these lines begin with: a form whose lines begin with others is told at once."""
        return frozenset(line[0] for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Lines to show as they are, under a title; ``numbers`` are their line numbers, from 1."""

    title: str
    lines: tuple[str, ...]
    numbers: tuple[int, ...] = ()

    @classmethod
    def of(cls, title: str, numbered: Sequence[tuple[int, str]]) -> tuple[Excerpt, ...]:
        """Return the excerpt of lines with their numbers; none of no lines."""
        lines = tuple(line for _, line in numbered)
        return (cls(title=title, lines=lines, numbers=tuple(number for number, _ in numbered)),) if lines else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The description of a text by its form: ``what`` it is, in one phrase; ``facts`` that the columns of the main
    table do not tell, the most useful first; and lines to show. Every number in it is exact."""

    what: str
    facts: tuple[str, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()


class Parser(Protocol):
    """One parse of one text. ``nouns`` say what the rows of each table are called, in the plural."""

    nouns: dict[str, str]

    def parse(self, lines: Lines) -> Batches:
        """Make rows of all lines, some thousands of rows at a time."""

    def words(self, tables: Tables) -> Words:
        """Return what to say of the text: all of it was parsed, and ``tables`` have the facts of all columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextForm:
    """One form of text. ``name`` is kept with held results, ``title`` says what it is. ``recognise`` gives what the
    parser has to know if a sample looks like this form, else None; ``make`` gives a parser. A form that ``is_costly``
    is asked with a few lines first; one that ``needs_whole`` says nothing of parts of a very long text. Amounts in
    ``inclusive`` columns include those of other rows."""

    name: str
    recognise: Callable[[Sample], Options | None]
    make: Callable[..., Parser]
    title: str = "text"
    is_costly: bool = False
    needs_whole: bool = False
    inclusive: tuple[str, ...] = ()

    def parser(self, options: Options) -> Parser:
        return self.make(options=options)


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
    for group, cells in zip(pattern.groupindex, zip(*rows, strict=True), strict=bool(rows)):
        name = group.rstrip("0123456789")
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
    unfit: int = 0  # lines that are no rows,
    notes: list[tuple[int, str]] = field(default_factory=list)  # and the first of them

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
        """Tell whether the form holds for all lines that were read."""

    def note(self, number: int, line: str) -> None:
        """Count a line that is no row."""
        self.unfit += 1
        if len(self.notes) < MOST_NOTES:
            self.notes.append((number, line[:LONGEST_LINE]))

    def exceeds(self, spare: int, one_in: int, of: int) -> bool:
        """Tell whether more lines are no rows than some that any text may have, and one in so many."""
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
    """Tell whether a form holds for these lines."""
    try:
        for _ in parser.parse(lines):
            pass
    except DoesNotHoldError:
        return False
    return True
