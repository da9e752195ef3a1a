"""Choose the tables of a JSON document: which arrays and maps are tables, and which table is the main one.

Every array and every map is a candidate: its items or members are the rows. The candidate with the greatest ``worth``
is the main table. The other candidates with records become tables next to it. If they are inside its rows, each of
their rows has the number of the row around it as ``_row``, so that SQL can join them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.forms.json_columns import context_columns, flat, free_name, has_more, key_column, own_columns
from penstock.core.forms.reading import Table
from penstock.core.forms.row_noun import row_noun
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.forms.times import epoch_text
from penstock.core.json.path import EACH, KEY, Path, render
from penstock.core.profile_values import is_time_text, write_numbers

if TYPE_CHECKING:
    from penstock.core.forms.structure import Place, Structure

MOST_TABLES: Final = 40  # A document with more tables than these is a tree, or only machines read it.
MIN_SHARE: Final = 0.25  # A table or a tree is the point of a document if it has at least this share of its bytes.
ROW: Final = "_row"  # The column with the number of the row that a row of an inner table is in.


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A place whose values may be the rows of a table: the items of arrays, or the members of maps.

    ``steps`` lead to the rows from the root, ``above`` is the place of the arrays or maps, and ``weight`` is the number
    of bytes in the rows, about.
    """

    steps: Path
    place: Place
    above: Place
    weight: int

    @property
    def count(self) -> int:
        return self.place.count

    @property
    def is_records(self) -> bool:
        """Return True if most rows are objects."""
        return self.place.objects * 2 > self.count and bool(self.place.fields)

    @property
    def is_points(self) -> bool:
        """Return True if most rows are arrays of numbers, which may be written as texts, or arrays with a time."""
        row = self.place.example_row
        texts = [one for one in row if isinstance(one, str)]
        are_numbers = not texts or write_numbers(texts)
        return self.place.is_rows and (are_numbers or any(map(epoch_text, row)) or any(map(is_time_text, texts)))

    @property
    def is_coordinates(self) -> bool:
        """Return True if most rows are arrays of arrays, such as the outlines of countries."""
        each = self.place.each
        return each is not None and each.arrays * 2 > each.count and self.place.arrays * 2 > self.count

    @cached_property
    def columns(self) -> int:
        """Return how many columns with scalars most rows have. A row that is a scalar is one."""
        if self.place.is_rows:
            return self.place.most
        if self.is_records:
            return sum(inner.column.filled * 2 > self.count for _, inner in flat(self.place))
        return int(self.place.column.filled * 2 > self.count)

    def contains(self, other: Candidate) -> bool:
        """Return True if the rows of the other candidate are inside the rows of this one."""
        return len(other.steps) > len(self.steps) and other.steps[: len(self.steps)] == self.steps


def worth(one: Candidate, around: list[Candidate]) -> float:
    """Rate a candidate; ``around`` are the candidates whose rows contain its rows.

    The worth is the weight times the square root of the number of cells. Each table around it that has several rows
    halves it, so an outer table loses only if it is hardly more than a wrapper. A table inside other rows needs more
    rows than each table around it, and its rows are records or points. Arrays of other values, such as lines of code
    with their numbers, belong to the rows around them if these have columns of their own.
    """
    if one.is_coordinates or any(outer.count >= one.count for outer in around):
        return 0.0
    belongs_to_others = not one.place.is_rows or any(outer.columns for outer in around)
    if around and not one.is_records and not one.is_points and belongs_to_others:
        return 0.0
    levels = sum(outer.count > 1 for outer in around)
    return one.weight * math.sqrt(max(1, one.columns) * one.count) / 2.0**levels


def main_candidate(every: list[Candidate], weight: int) -> Candidate | None:
    """Return the candidate with the greatest worth. Return None if no candidate has enough of the document, whose
    weight is given. Coordinates that would hide all other candidates do not count as part of the document."""
    coordinates = max((one.weight for one in every if one.is_coordinates), default=0)
    heavy = [one for one in every if one.weight >= MIN_SHARE * (weight - coordinates)]
    rated = [(worth(one, [other for other in heavy if other.contains(one)]), one) for one in heavy]
    return max(rated, key=lambda pair: (pair[0], pair[1].weight), default=(0.0, None))[1]


def candidates(structure: Structure) -> list[Candidate]:
    """Return all candidates, outer ones before those inside them. The nodes of a tree are at many depths, so its places
    are left to the form for trees."""
    every: list[Candidate] = []
    trees: list[Path] = []
    for steps, place in structure.places:
        if place.is_tree:
            trees.append(steps)
        if any(steps[: len(tree)] == tree for tree in trees):
            continue
        for step, inner in ((EACH, place.each), (KEY, place.keyed)):
            if inner is None or not inner.count or inner.above is not place or inner.is_tree:
                continue
            keys = place.keys.bulk if step == KEY and place.keys is not None else 0
            weight = structure.weights[id(inner)] + keys
            every.append(Candidate(steps=(*steps, step), place=inner, above=place, weight=weight))
    return every


def tables_of(structure: Structure) -> list[Table]:
    """Return the tables of a document: the main one first under the name ``items``, then the others by weight."""
    every = candidates(structure)
    main = main_candidate(every, structure.weights[id(structure.root)])
    if main is None:
        return []
    tables = [table_of(main, "items", every, exact=structure.exact)]
    taken = {"items"}
    others = [one for one in every if one is not main and one.is_records and not one.contains(main)]
    others.sort(key=lambda one: -one.weight)
    for one in others[:MOST_TABLES]:
        if main.contains(one):
            words = [step for step in one.steps[len(main.steps) :] if isinstance(step, str)]
            name = free_name("_".join(("items", *words)), words, taken)
            tables.append(_joined(table_of(one, name, [], exact=structure.exact), main))
        else:
            words = [step for step in one.steps if isinstance(step, str)]
            name = free_name(words[-1] if words else "array", words, taken)
            tables.append(table_of(one, name, every, exact=structure.exact))
    return tables


def _joined(table: Table, main: Candidate) -> Table:
    """Return a table inside the rows of the main one, with the number of the main row as its first column."""
    spec = table.spec
    assert isinstance(spec, RowSpec)
    within = len(main.steps) - len(spec.outer)
    level = sum(step in (EACH, KEY) for step in spec.inner[:within])
    columns = [ColumnPath(name=ROW, path=(), level=level)]
    for column in spec.columns:  # The level with the row numbers comes before those that are at or below it.
        is_below = column.level >= level
        columns.append(msgspec.structs.replace(column, level=column.level + 1) if is_below else column)
    spec = msgspec.structs.replace(spec, within=within, columns=tuple(columns))
    return replace(table, inside="items", spec=spec)


def table_of(one: Candidate, name: str, every: list[Candidate], *, exact: bool) -> Table:
    """Return the table of a candidate. Its rows also get a few columns from the candidates among ``every`` that are
    around them."""
    fixed = next(at for at, step in enumerate(one.steps) if step in (EACH, KEY))
    outer, inner = one.steps[:fixed], one.steps[fixed:]
    keys = key_column(one.above.keys) if one.steps[-1] == KEY and one.above.keys is not None else []
    fields = [*keys, *own_columns(one.place, {ROW, *(field.name for field in keys)})]
    around = {other.steps: other.place for other in every if other.contains(one)}
    context = context_columns(one.steps, around, {field.name for field in fields})
    columns = tuple(field.path for field in (*context, *fields) if field.path is not None)
    total, about = (None, "") if exact else _total(one, inner)
    return Table(
        name=name,
        noun=row_noun(one.steps),
        count=one.count,
        total=total,
        about=about,
        fields=(*context, *fields),
        spec=RowSpec(outer=outer, inner=inner, columns=columns, is_open=has_more(one.place) or not exact),
        path=render(one.steps[:-1]) if inner in ((EACH,), (KEY,)) else render(one.steps),
        exact=exact,
    )


def _total(one: Candidate, inner: Path) -> tuple[int, str]:
    """Return the number of rows of a table that was sampled, and the words before it. The rows of a single array or map
    were counted. Of several arrays or maps only the profiled rows are known."""
    if inner == (EACH,) and one.above.arrays == 1:
        return one.above.items, ""
    if inner == (KEY,) and one.above.objects == 1:
        return one.above.most, ""
    return one.count, "at least"
