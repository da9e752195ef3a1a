"""The contract of a form of text: recognise it on some lines, and read rows out of all lines, batch by batch.

A form never has a whole text at once. Lines come from an iterator and rows go out some thousands at a time, so that
the memory of an admission stays small. The same form reads the rows again when SQL or jq asks for them. If a form finds
that it does not hold for the whole text, it raises ``DoesNotHoldError``, and the next form is tried.

The facts of all columns come from their profiles. A form adds ``words`` only for what no column can say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from penstock.core.forms.reading import Table

BATCH: Final = 1_024  # Rows that a form gives out at a time: few enough for a processor's cache.
LONGEST_LINE: Final = 20_000  # Characters of a line that patterns are matched against. The rest of it is only kept.

Columns = dict[str, list[Any]]  # the cells of each column, all of one length; None where a row has none
Batch = dict[str, Columns]  # new rows by table; the main table is ``items``
Options = dict[str, Any]  # what ``read`` has to know of a text, in plain values that a store can keep
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


class Form(ABC):
    """One form of text. ``name`` is kept with held results, ``title`` says what the text is, ``noun`` what its rows are
    called, in the plural. A form that ``is_costly`` to recognise is asked with a few lines first. One that
    ``needs_whole`` says nothing of parts of a very long text. If each line of a form is a row by itself, it
    ``reads_items``: the strings of an array may be its lines. If texts that follow each other are read as each would be
    alone, it ``reads_joined`` ones. A table has one header, and is neither."""

    name: str
    title: str = "text"
    noun: str = "rows"
    is_costly: bool = False
    needs_whole: bool = False
    reads_items: bool = False
    reads_joined: bool = False

    @abstractmethod
    def recognise(self, sample: Sample) -> Options | None:
        """Return what ``read`` has to know of the text if the sample looks like this form, else None."""

    @abstractmethod
    def read(self, lines: Lines, options: Options) -> Iterable[Batch]:
        """Return the rows of all lines, some thousands at a time. What is returned may be ``Told``."""

    def words(self, tables: Tables) -> Words:
        """Return what to say of the text: all of it was read, and ``tables`` have the facts of all columns."""
        return Words(what=f"{self.title}: {tables[0].count:,} {self.noun}")


@runtime_checkable
class Told(Protocol):
    """Batches of rows that bring words of their own, and the nouns of their tables."""

    nouns: dict[str, str]

    def words(self, tables: Tables) -> Words:
        """Return what to say of the text, after all batches were taken."""


class Parser(Protocol):
    """One parse of one text. ``nouns`` say what the rows of each table are called, in the plural."""

    nouns: dict[str, str]

    def parse(self, lines: Lines) -> Batches:
        """Make rows of all lines, some thousands of rows at a time."""

    def words(self, tables: Tables) -> Words:
        """Return what to say of the text: all of it was parsed, and ``tables`` have the facts of all columns."""


class Parse:
    """The batches of one parse, with the words of its parser."""

    def __init__(self, parser: Parser, lines: Lines) -> None:
        self._parser, self._lines = parser, lines
        self.nouns = parser.nouns
        self.words = parser.words

    def __iter__(self) -> Batches:
        return self._parser.parse(self._lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserForm(Form):
    """A form that makes a parser for each text, which counts while it reads."""

    name: str
    looks_like: Callable[[Sample], Options | None]
    make: Callable[..., Parser]
    title: str = "text"
    noun: str = "rows"
    is_costly: bool = False
    needs_whole: bool = False
    reads_items: bool = False
    reads_joined: bool = False

    def recognise(self, sample: Sample) -> Options | None:
        return self.looks_like(sample)

    def read(self, lines: Lines, options: Options) -> Parse:
        return Parse(self.make(options=options), lines)
