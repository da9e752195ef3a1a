"""A JSON document with its structure and its tables, as the forms of JSON see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.array_columns import with_array_columns
from penstock.core.forms.document import STRUCTURE
from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.json_columns import dotted, flat
from penstock.core.forms.json_tables import tables_of
from penstock.core.forms.json_values import is_retained
from penstock.core.forms.reading import Reading
from penstock.core.forms.rows import RowSpec
from penstock.core.forms.shape import shape
from penstock.core.forms.structure_reader import read_structure
from penstock.core.json.path import EACH, KEY
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Table
    from penstock.core.forms.structure import Place, Structure
    from penstock.core.json.path import Path

MAX_BESIDE: Final = 8  # A notice shows so many fields next to the main table, which take about 100 tokens.
LONG_BESIDE: Final = 60  # A text among them is cut after so many characters.


@dataclass(frozen=True)
class JsonView:
    """The document, its structure, and its tables, the main one first."""

    document: Document

    @cached_property
    def structure(self) -> Structure:
        return self.document.once(STRUCTURE, read_structure)

    @cached_property
    def tables(self) -> list[Table]:
        """Return the tables. Columns of the main table that are no places of the structure are profiled here."""
        tables = tables_of(self.structure)
        if tables:
            tables[0] = self.profiled(tables[0])
            if self.structure.exact and is_retained(self.document):
                tables[0] = with_array_columns(self, tables[0])
        return tables

    def profiled(self, table: Table) -> Table:
        """Return a table with the profiles of the columns that have none yet, which are made from its rows."""
        names = [one.name for one in table.fields if one.place is None and not one.column.rows]
        columns = self.cells(table).profiles(names, len(table.fields))
        fields = (
            msgspec.structs.replace(one, column=columns[one.name]) if one.name in columns else one
            for one in table.fields
        )
        return replace(table, fields=tuple(fields))

    def share(self, place: Place) -> float:
        """Return the share of the document that is at a place and below it, about."""
        weights = self.structure.weights
        return weights.get(id(place), 0) / max(1, weights[id(self.structure.root)])

    @cached_property
    def shape(self) -> str:
        return shape(self.structure.root, way=self._way())

    def _way(self) -> list[Place]:
        """Return the places that lead to the rows of the main table, and that of the rows."""
        spec = self.tables[0].spec if self.tables else None
        if not isinstance(spec, RowSpec) or spec.kind != "rows":
            return []
        way = [self.structure.root]
        for step in (*spec.outer, *spec.inner):
            place = way[-1]
            inner = place.each if step == EACH else place.keyed if step == KEY else place.fields.get(str(step))
            way += [] if inner is None else [inner]
        return way

    def cells(self, table: Table) -> JsonCells:
        """Return the cells of a table."""
        assert isinstance(table.spec, RowSpec)
        return JsonCells(self.document, table.spec, table.rows)

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
        """Return the scalars in the objects around a container: ``total_count=593``. Outer ones come first, and numbers
        before texts."""
        fields: dict[str, Any] = {}
        place: Place | None = self.structure.root
        for at in range(len(outer) + 1):
            if place is None or not place.fields:
                break
            for path, inner in flat(place):
                if inner.count == inner.column.filled == 1 and (values := inner.column.values()):
                    fields[dotted((*outer[:at], *path))] = values[0][0]
            place = place.fields.get(str(outer[at])) if at < len(outer) else None
        names = sorted(fields, key=lambda name: (name.count("."), isinstance(fields[name], str)))
        texts = [f"{plain(name)}={plain(fields[name], LONG_BESIDE)}" for name in names[:MAX_BESIDE]]
        return [*texts, f"+{counted(len(names) - MAX_BESIDE, 'field')}"] if len(names) > MAX_BESIDE else texts


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
