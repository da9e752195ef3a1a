"""Declares a form of text: a cheap test on some lines, and a parser that makes rows of all lines, batch by batch.

A parser never has a whole text at once: lines come from an iterator, rows go out some thousands at a time, so that the
memory of an admission stays small. The same parser makes the rows again when SQL or jq asks for them. One that finds
that its form does not hold for the whole raises ``DoesNotHoldError``, and the next form is tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from penstock.core.forms.reading import Table

BATCH: Final = 1_024  # rows that a parser gives out at a time: few enough for a processor's cache
LONGEST_LINE: Final = 20_000  # characters of a line that patterns are matched against: what follows is only kept

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


def holds(parser: Parser, lines: Lines) -> bool:
    """Tell whether a form holds for these lines."""
    try:
        for _ in parser.parse(lines):
            pass
    except DoesNotHoldError:
        return False
    return True
