"""A JSON document with its structure and its tables, as the forms of JSON see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.array_columns import with_array_columns
from penstock.core.forms.document import STRUCTURE
from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.json_columns import dotted, flat
from penstock.core.forms.json_tables import tables_of
from penstock.core.forms.reading import Reading
from penstock.core.forms.rows import RowSpec
from penstock.core.forms.shape import shape
from penstock.core.forms.structure_reader import read_structure
from penstock.core.forms.values import is_retained
from penstock.core.json.path import EACH, KEY
from penstock.core.text import counted, plain, split_words

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Table
    from penstock.core.forms.structure import Place, Structure
    from penstock.core.json.path import Path

MOST_BESIDE: Final = 8  # Fields next to the main table that a notice shows.
LONG_BESIDE: Final = 60  # Characters of a text among them.

# What people look for next to a table: how many rows there are in all, and whether there are more.
_TOTALS: Final = split_words(
    "total count size more next cursor page percent covered passed failed errors warnings score rate sum status state "
    "complete truncated incomplete limit offset version"
)


@dataclass(frozen=True)
class JsonView:
    """The document, its structure, and its tables, the main one first."""

    document: Document

    @cached_property
    def structure(self) -> Structure:
        return self.document.once(STRUCTURE, read_structure)

    @cached_property
    def tables(self) -> list[Table]:
        """Return the tables. The columns that the main rows get from around them are profiled here."""
        tables = tables_of(self.structure)
        for table in tables[:1]:
            inherited = [one for one in table.fields if one.path is not None and one.path.level >= 0]
            cells = self.cells(table).repeated([one.name for one in inherited])
            for one in inherited:
                one.column.learn_repeated(*cells[one.name], columns=len(inherited))
        if tables and self.structure.exact and is_retained(self.document):
            tables[0] = with_array_columns(self, tables[0])
        return tables

    @cached_property
    def rows_place(self) -> Place:
        """Return the place of the rows of the main table, which has to be there."""
        spec = self.tables[0].spec
        assert isinstance(spec, RowSpec)
        place: Place | None = self.structure.root
        for step in (*spec.outer, *spec.inner):
            assert place is not None
            place = place.each if step == EACH else place.keyed if step == KEY else place.fields[str(step)]
        assert place is not None
        return place

    def share(self, place: Place) -> float:
        """Return the share of the document that is at a place and below it, about."""
        weights = self.structure.weights
        return weights.get(id(place), 0) / max(1, weights[id(self.structure.root)])

    @cached_property
    def shape(self) -> str:
        return shape(self.structure.root)

    def cells(self, table: Table) -> JsonCells:
        """Return the cells of a table. Those columns are at hand whose values were kept, one for each row."""
        spec = table.spec if isinstance(table.spec, RowSpec) else RowSpec()
        at_hand: dict[str, list[Any]] = {}
        if spec.kind == "rows" and not spec.has_header:
            for one in table.fields:
                is_own = one.path is not None and one.path.level < 0
                if is_own and one.column.cells is not None and len(one.column.cells) == table.count:
                    at_hand[one.name] = one.column.cells
        return JsonCells(self.document, spec, table.rows, at_hand)

    def reading(self, form: str, words: str, tables: list[Table], facts: list[str] | None = None) -> Reading:
        """Return a reading with these tables, and with the fields next to the main one."""
        main = tables[0] if tables else None
        spec = main.spec if main is not None and isinstance(main.spec, RowSpec) else RowSpec()
        beside = self.beside(spec.outer)
        own = facts if facts and self.structure.exact else ()  # The words of a form cannot be marked as sampled.
        all_facts = [*own, *([f"other fields: {' · '.join(beside)}"] if beside else [])]
        return Reading(
            form=form,
            words=words,
            shape=self.shape,
            tables=tuple(tables),
            cells=self.cells(main) if main is not None else None,
            facts=tuple(all_facts),
            pages=spec.outer if main is not None else (),
            exact=self.structure.exact,
        )

    def beside(self, outer: Path) -> list[str]:
        """Return the scalars in the objects around a container, first those that count something: ``total_count
        593``."""
        fields: dict[str, Any] = {}
        place: Place | None = self.structure.root
        for at in range(len(outer) + 1):
            if place is None or not place.fields:
                break
            for path, inner in flat(place):
                if inner.count == inner.column.filled == 1 and (values := inner.column.values()):
                    fields[dotted((*outer[:at], *path))] = values[0][0]
            place = place.fields.get(str(outer[at])) if at < len(outer) else None
        names = sorted(fields, key=lambda name: (not _counts(name), name.count(".")))
        texts = [f"{plain(name)}={plain(fields[name], LONG_BESIDE)}" for name in names[:MOST_BESIDE]]
        return [*texts, f"+{counted(len(names) - MOST_BESIDE, 'field')}"] if len(names) > MOST_BESIDE else texts


def row_words(table: Table, noun: str) -> str:
    """Write ``412 tickets in .tickets (26 columns)``, ``66 vulnerabilities in .results[].vulnerabilities[] (18
    columns)``."""
    spec = table.spec
    assert isinstance(spec, RowSpec)
    rows = f"{table.rows_text} {table.noun or (noun.removesuffix('s') if table.rows == 1 else noun)}"
    by_key = " by key" if spec.inner[-1:] == (KEY,) else ""
    where = f" in {table.path}" if table.path != "." else ""
    least = "at least " if spec.is_open else ""
    columns = f" ({least}{counted(len(table.fields), 'column')})" if len(table.fields) > 1 else ""
    return f"{rows}{by_key}{where}{columns}"


def _counts(name: str) -> bool:
    word = name.rpartition(".")[2].lower()
    return any(one in word for one in _TOTALS)
