"""A JSON document with all that was learned of it, as the forms of JSON look at it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.document import STRUCTURE
from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.learning import learn
from penstock.core.forms.positions import with_positions
from penstock.core.forms.reading import Reading
from penstock.core.forms.rows import RowSpec
from penstock.core.forms.shape import shape
from penstock.core.forms.tables import dotted, flat, tables_of, weights_of
from penstock.core.forms.values import is_retained, retained
from penstock.core.text import counted, plain, split_words

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.places import Place, Structure
    from penstock.core.forms.reading import Table
    from penstock.core.json.path import Path

MOST_BESIDE: Final = 8  # fields beside the main table that are told
KEPT: Final = 8  # bytes of JSON for each byte that is known of it, at most, where the places kept are the most of it
LONG_BESIDE: Final = 60  # characters of a text among them

# What people look for beside a table: how many there are in all, and whether there is more.
_TOTALS: Final = split_words(
    "total count size more next cursor page percent covered passed failed errors warnings score rate sum status state "
    "complete truncated incomplete limit offset version"
)


@dataclass(frozen=True)
class JsonView:
    """The document, its places, and its tables, the main one first."""

    document: Document

    @cached_property
    def structure(self) -> Structure:
        return self.document.once(STRUCTURE, learn)

    @cached_property
    def tables(self) -> list[Table]:
        """Return the tables; what rows have from the items they lie in is learned here, in a second go."""
        tables = tables_of(self.structure, self.weights)
        for table in tables[:1]:
            inherited = [one for one in table.fields if one.path is not None and one.path.level >= 0]
            cells = self.cells(table).repeated([one.name for one in inherited])
            for one in inherited:
                one.column.learn_repeated(*cells[one.name], columns=len(inherited))
        if tables and self.structure.exact and is_retained(self.document):
            tables[0] = with_positions(tables[0], self.cells(tables[0]), retained(self.document))
        return tables

    @cached_property
    def weights(self) -> dict[int, int]:
        """Return the bytes that lie at each place and below it, about; above places that are not kept also theirs:
        of objects that were not looked into as many as of others, at most."""
        places = self.structure.places
        weights = weights_of(places)
        most = len(self.document.body) // KEPT
        each = KEPT * weights[id(self.structure.root)] // max(1, sum(place.objects for _, place in places))
        for place in (one for _, one in places if one.more):
            missing = most if place.fields else min(most, each * place.objects)
            above: Place | None = place
            while above is not None and weights[id(above)] < missing:
                weights[id(above)] = missing
                above = above.above
        return weights

    def share(self, place: Place) -> float:
        """Rate how much of the document lies at a place and below, about."""
        return self.weights.get(id(place), 0) / max(1, self.weights[id(self.structure.root)])

    @cached_property
    def shape(self) -> str:
        return shape(self.structure.root)

    def cells(self, table: Table) -> JsonCells:
        spec = table.spec if isinstance(table.spec, RowSpec) else RowSpec()
        at_hand = _at_hand(table) if spec.kind == "rows" and not spec.has_header else {}
        return JsonCells(self.document, spec, table.rows, at_hand)

    def rows_of(self, table: Table) -> dict[str, Place]:
        """Return the fields of the rows of an array that a fixed path leads to."""
        spec = table.spec if isinstance(table.spec, RowSpec) else RowSpec()
        place: Place | None = self.structure.root
        for step in spec.outer:
            place = place.fields.get(str(step)) if place is not None else None
        return place.each.fields if place is not None and place.each is not None and spec.is_plain else {}

    def reading(self, form: str, words: str, tables: list[Table], facts: list[str] | None = None) -> Reading:
        """Return a reading with these tables; what stands beside the main one is told with it."""
        main = tables[0] if tables else None
        spec = main.spec if main is not None and isinstance(main.spec, RowSpec) else RowSpec()
        beside = self.beside(spec.outer)
        own = facts if facts and self.structure.exact else ()  # what a form says itself is not marked as sampled
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
        """Return the scalars in the objects around a container, those first that count something: ``total_count
        593``."""
        fields: list[tuple[str, Any]] = []
        place: Place | None = self.structure.root
        for at in range(len(outer) + 1):
            if place is None or not place.fields:
                break
            for path, inner in flat(place):
                if inner.count == inner.column.filled == 1 and (values := inner.column.values()):
                    fields.append((dotted((*outer[:at], *path)), values[0][0]))
            place = place.fields.get(str(outer[at])) if at < len(outer) else None
        fields = list(dict(fields).items())
        fields.sort(key=lambda one: (not _counts(one[0]), one[0].count(".")))
        texts = [f"{plain(name)}={plain(value, LONG_BESIDE)}" for name, value in fields[:MOST_BESIDE]]
        return [*texts, f"+{counted(len(fields) - MOST_BESIDE, 'field')}"] if len(fields) > MOST_BESIDE else texts


def _at_hand(table: Table) -> dict[str, list[Any]]:
    """Return the columns of which every row has a value that was learned, and is still kept."""
    own = [one for one in table.fields if one.path is not None and one.path.level < 0]
    return {one.name: cells for one in own if (cells := one.column.cells) is not None and len(cells) == table.count}


def _counts(name: str) -> bool:
    word = name.rpartition(".")[2].lower()
    return any(one in word for one in _TOTALS)
