"""The reading of a document: its form in words, its tables, and what jq and SQL see of it.

A ``Reading`` is made once, when a result is held. All that a model reads first is written from it and from the facts
of its columns; every question goes through its tables. ``Spec`` is the part that is kept with the held result.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.forms.structure import Place
from penstock.core.json.path import Path
from penstock.core.profile import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.forms.api import Excerpt


T = TypeVar("T")


class TextSpec(msgspec.Struct, frozen=True, kw_only=True, tag="text"):
    """The way to make the rows of a table from a text: the form that reads it, which of its tables, and what the form
    has to know (a delimiter, say). ``path`` leads to the text, where it is a string inside JSON."""

    form: str
    table: str = "items"
    options: dict[str, Any] = {}
    path: Path = ()


class TableSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A table as a store keeps it: ``rows`` says how its rows are made."""

    name: str
    rows: RowSpec | TextSpec
    count: int = 0
    path: str = "."
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering:
    """Finds out a thing once: notice, preview and suggestions all need it."""

    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: str, make: Callable[[Self], T]) -> T:
        """Return what ``make`` finds out about this, under a name."""
        if name not in self._made:
            self._made[name] = make(self)
        made: T = self._made[name]
        return made


class Field(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A column and all that is known of it. ``place`` has what is no scalar: arrays, maps, objects."""

    name: str
    column: Column
    path: ColumnPath | None = None
    place: Place | None = None
    adds_up: bool = True  # false for amounts that include those of other rows
    roles: dict[int, Any] = msgspec.field(default_factory=dict)  # its role in a table of so many rows

    @property
    def filled(self) -> int:
        place, column = self.place, self.column
        return column.filled + (column.nested if place is None else place.objects + place.arrays)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Remembering):
    """A table: its name for SQL, what a row is called, where it lies, and its columns.

    ``count`` rows were learned, which are all unless ``total`` is another number; ``about`` is the word before that
    number where it was not counted: about, at least. Unless ``exact``, columns have the facts of a part.
    """

    name: str
    noun: str
    count: int
    fields: tuple[Field, ...]
    spec: RowSpec | TextSpec
    path: str = "."
    inside: str | None = None
    exact: bool = True
    total: int | None = None
    about: str = ""

    @property
    def kept(self) -> TableSpec:
        return TableSpec(name=self.name, rows=self.spec, count=self.rows, path=self.path, about=self.about)

    @property
    def rows(self) -> int:
        """Return how many rows there are, learned or not."""
        return self.count if self.total is None else self.total

    @property
    def rows_text(self) -> str:
        """Return how many rows there are, with the word that says that they were not counted."""
        return f"{self.about} {self.rows:,}".lstrip()

    def field(self, name: str) -> Field | None:
        return next((one for one in self.fields if one.name == name), None)

    def is_added(self, field: Field) -> bool:
        """Return True if a column is not in the data: the number of the line that a row of a text begins in."""
        if field.name != "line" or not isinstance(self.spec, TextSpec):
            return False
        header = self.spec.options.get("names")
        return not isinstance(header, list) or "line" not in header


def with_fields(table: Table, fields: Sequence[Field]) -> Table:
    """Return a table of JSON with these columns."""
    assert isinstance(table.spec, RowSpec)
    columns = tuple(one.path for one in fields if one.path is not None)
    return replace(table, fields=tuple(fields), spec=msgspec.structs.replace(table.spec, columns=columns))


class Cells:
    """The cells of one table, by column. ``numbers`` are the rows that can be had, which need not be all."""

    def __init__(self, numbers: Sequence[int], cells: dict[str, list[Any]]) -> None:
        """Take the columns, each with the cells of the rows with these ``numbers``."""
        self.numbers = numbers
        self._cells = cells

    def columns(self, names: Sequence[str]) -> dict[str, list[Any]] | None:
        """Return all cells of some columns; None if they are not at hand."""
        return {name: self._cells[name] for name in names} if isinstance(self.numbers, range) else None

    def rows(self, numbers: Sequence[int], names: Sequence[str]) -> list[list[Any]]:
        """Return some rows by their numbers from 0, each as the cells of some columns."""
        places = [self.numbers.index(number) for number in numbers]
        return [[self._cells[name][place] for name in names] for place in places]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document with its form, its words and its tables.

    ``words`` say what it is, ``facts`` what the columns of its main table do not tell, and ``excerpts`` are lines to
    show. ``shape`` is what jq and SQL see. ``pages`` leads to the container that is paged through. Unless ``exact``,
    columns were learned from some of the document.
    """

    form: str
    words: str
    shape: str
    tables: tuple[Table, ...] = ()
    cells: Cells | None = None
    facts: tuple[str, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
    pages: Path = ()
    exact: bool = True

    @property
    def main(self) -> Table | None:
        return self.tables[0] if self.tables else None
