"""Tables in the structure of JSON: which arrays and maps are tables, which of them is the main one, their columns.

The main table is the outermost one that holds most of the document, or the one inside of it that does, where the outer
is only a wrapper: ``.results[].packages[].vulnerabilities[]`` is one table of all vulnerabilities. Pictures and other
encoded data weigh nothing. Objects nested in rows give columns with dots, arrays of objects tables of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.forms.reading import Field, Table
from penstock.core.forms.rows import ColumnPath, RowSpec
from penstock.core.forms.times import epoch_text
from penstock.core.json.path import EACH, KEY, Path, render
from penstock.core.profile import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.core.forms.places import Place, Structure

MOST_TABLES: Final = 40  # tables that are named; a document with more is a tree, or made by a machine for machines
MOST_COLUMNS: Final = 1_800  # columns of one table: SQLite takes 2,000
EMPTY: Final = "empty"  # the name of a column whose key is an empty text
ROW: Final = "_row"  # the column that says in which row of the main table a row lies
MOST_LEVELS: Final = 6  # levels of nested objects that become columns; deeper ones stay JSON in one column
MOST_CONTEXT: Final = 6  # columns that rows have from the items they lie in
SHORT: Final = 80  # characters on average of a text that is worth to be repeated beside each row
WRAPPER: Final = 0.7  # of a table's weight is in the one inside of it, where the outer is a wrapper,
SINGLE: Final = 0.25  # or this much, where the outer has one row only
THINGS: Final = 10  # rows that are not only groups of others
MANY_EACH: Final = 6  # rows in each of them, from which on these are what matters, unless they say only half as much
FEW_OWN: Final = 2  # columns of rows that say little themselves,
MANY_OWN: Final = 4  # and of rows inside of them that say much
LEAST_SHARE: Final = 0.15  # of the document is in its main table; with less, the object around it is what matters
ROWS_WEIGH: Final = 0.2  # exponent: ten times the rows make up for a third of the weight
EVEN: Final = 0.5  # of the cells of a table are filled, where its rows are alike
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{1,30}")
_ODD = re.compile(r"\W+", re.ASCII)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Names that say that there are several things, but not which.
_EMPTY_WORDS: Final = re.compile(
    r"items?|data|rows?|results?|records?|lists?|values?|entries|entry|elements|nodes|edges|contents?|objects|hits|docs"
    r"|responses?|outputs?|payload|body|children|array|members",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A place whose values are rows: items of arrays, or members of maps. ``steps`` lead to it from the root."""

    steps: Path
    place: Place
    weight: int
    above: Place  # the place of the arrays or maps

    @property
    def count(self) -> int:
        return self.place.count

    @property
    def is_records(self) -> bool:
        return self.place.objects * 2 > self.place.count and bool(self.place.fields)

    @cached_property
    def own_columns(self) -> int:
        """Return the columns with scalars that most rows have."""
        return sum(one.column.filled * 2 > self.count for _, one in flat(self.place))

    @property
    def is_rows(self) -> bool:
        """Return whether most values are arrays of equal length."""
        return self.place.positions is not None and self.place.arrays * 2 > self.place.count

    @property
    def is_text_rows(self) -> bool:
        """Return whether such arrays have texts: lines of code, and no numbers in texts, nor lines with their times."""
        positions = self.place.positions or []
        written = all(one.writes_numbers for one in positions if one.kinds.get(str, 0))
        return self.is_rows and not (written or any(epoch_text(one.example) for one in positions))

    @property
    def is_dark(self) -> bool:
        """Return whether these are objects of which no field was learned: there are too many places above them."""
        return self.place.more and not self.place.fields and self.place.is_only(self.place.objects)

    @property
    def is_coordinates(self) -> bool:
        """Return whether most values are arrays of arrays: outlines of countries, say."""
        each = self.place.each
        return each is not None and each.arrays * 2 > each.count and self.place.arrays * 2 > self.place.count

    @property
    def is_even(self) -> bool:
        """Return whether the rows have most of their columns in common."""
        columns = flat(self.place)
        return sum(one.filled for _, one in columns) >= EVEN * len(columns) * max(1, self.count)


def candidates(places: list[tuple[Path, Place]], weights: dict[int, int]) -> list[Candidate]:
    """Return all tables there may be, outer ones before those inside of them. What hangs in a tree is left to it: its
    places have nodes of all depths."""
    every: list[Candidate] = []
    trees: list[Path] = []
    for steps, place in places:
        trees += [steps] if place.is_tree else []
        if any(steps[: len(tree)] == tree for tree in trees):
            continue
        for step, inner in ((EACH, place.each), (KEY, place.keyed)):
            if inner is not None and inner.count and inner.above is place and not inner.is_tree:
                weight = weights.get(id(inner), 0) + (place.keys.bulk if step == KEY and place.keys is not None else 0)
                every.append(Candidate(steps=(*steps, step), place=inner, weight=weight, above=place))
    return every


def main_of(every: list[Candidate], worth: Callable[[Candidate], tuple[float, ...]]) -> Candidate | None:
    """Return the table that a reader would look at first, of several the one that is worth most."""
    outer = [one for one in every if not any(_contains(other, one) for other in every)]
    chosen = max((one for one in outer), key=worth, default=None)
    while chosen is not None:
        more = [one for one in every if _contains(chosen, one) and one.count > chosen.count]
        says_much = chosen.is_records and chosen.own_columns > FEW_OWN
        inner = [one for one in more if one.is_records or (one.is_rows and not (says_much and one.is_text_rows))]
        best = max((one for one in inner if not _between(every, chosen, one)), key=worth, default=None)
        if best is None or best.count < 2:
            break
        share = best.weight / max(1, chosen.weight)
        even = best.is_even or best.place.positions is not None
        wraps = share >= WRAPPER and best.count >= 2 * chosen.count and even and not _says_more(chosen, best)
        if wraps or (chosen.count <= 2 and best.count > chosen.count and share >= SINGLE):
            chosen = best
        elif (fuller := _fuller(chosen, [one for one in inner if not _between(every, chosen, one)])) is not None:
            chosen = fuller
        else:
            break
    return chosen


def _says_more(outer: Candidate, inner: Candidate) -> bool:
    """Tell whether rows say more of themselves than what they are made of: jobs, of which each has a few steps."""
    if not outer.is_records or not inner.is_records or outer.count < THINGS:
        return False
    is_split = inner.own_columns == 1 and 1 < inner.above.fewest == inner.above.most  # a row, its cells one by one
    least = (1 if inner.count < MANY_EACH * outer.count else 2) * inner.own_columns
    return is_split or outer.own_columns >= least


def _fuller(outer: Candidate, inner: list[Candidate]) -> Candidate | None:
    """Return the table that says most inside of rows that say little themselves: findings of hosts of which only the
    name is told, whatever else lists of pairs there are beside."""
    if outer.own_columns > FEW_OWN:
        return None
    least = WRAPPER * outer.weight  # of which rows may be hardly more than what they lie in: instances of reservations
    many = [
        one for one in inner if one.own_columns >= MANY_OWN and (one.count >= 2 * outer.count or one.weight >= least)
    ]
    best = max(many, key=lambda one: one.count * one.own_columns, default=None)
    return best if best is not None and best.weight >= SINGLE * outer.weight else None


def tables_of(structure: Structure, weights: dict[int, int]) -> list[Table]:
    """Return the tables of a document, the main one first under the name ``items``; then those beside it, by their
    keys, and those inside of its rows."""
    every = candidates(structure.places, weights)
    shapes = max((one.weight for one in every if one.is_coordinates), default=0)
    main, least = main_of(every, _telling), LEAST_SHARE * (weights[id(structure.root)] - shapes)
    if main is not None and main.weight < least:
        main, least = main_of(every, _weight), LEAST_SHARE * weights[id(structure.root)]
    if main is None or main.weight < least:
        return []
    exact = structure.exact
    tables = [table_of(main, "items", every, exact=exact)]
    taken = {"items"}
    tables += _variants(main, tables[0], taken)
    others = [one for one in every if one is not main and one.is_records and not _contains(one, main)]
    others.sort(key=lambda one: -one.weight)
    for one in others[:MOST_TABLES]:
        within = _contains(main, one)
        words = [step for step in (one.steps[len(main.steps) :] if within else one.steps) if isinstance(step, str)]
        name = free_name("_".join(("items", *words)) if within else words[-1] if words else "array", words, taken)
        table = table_of(one, name, every if not within else [], exact=exact)
        tables.append(_within(table, main) if within else table)
    return tables


def _variants(main: Candidate, table: Table, taken: set[str]) -> list[Table]:
    """Make tables of rows that have one field each, which says what they are: ``{"finding": {...}}``, ``{"osv":
    {...}}``."""
    fields = main.place.fields
    alone = main.place.objects == sum(inner.count for inner in fields.values()) and len(fields) > 1
    if not alone or not isinstance(table.spec, RowSpec):
        return []
    made = []
    for name, inner in fields.items():
        if not inner.is_only(inner.objects) or not inner.fields:
            continue
        own = list(_columns(inner, set()))
        paths = tuple(ColumnPath(name=one.name, path=(name, *one.path.path)) for one in own if one.path is not None)
        spec = RowSpec(outer=table.spec.outer, inner=(*table.spec.inner, name), columns=paths)
        made.append(
            Table(
                name=free_name(name, [name], taken),
                noun="",
                count=inner.count,
                fields=tuple(own),
                spec=spec,
                path=render((*main.steps, name)),
                exact=table.exact,
            )
        )
    return sorted(made, key=lambda one: -one.count)


def _within(table: Table, main: Candidate) -> Table:
    """Return a table inside of the rows of the main one: each row has the number of the one it lies in."""
    spec = table.spec if isinstance(table.spec, RowSpec) else RowSpec()
    steps = len(main.steps) - len(spec.outer)
    level = sum(step in (EACH, KEY) for step in spec.inner[:steps])
    number = ColumnPath(name=ROW, path=(), level=level)
    own = tuple(
        msgspec.structs.replace(one, level=one.level + 1) if one.level >= level else one for one in spec.columns
    )
    made = msgspec.structs.replace(spec, within=steps, columns=(number, *own))
    return replace(table, inside="items", spec=made)


def table_of(one: Candidate, name: str, every: list[Candidate], *, exact: bool) -> Table:
    """Return a table with its columns. What rows lie in gives them a few columns more."""
    fixed = next(at for at, step in enumerate(one.steps) if step in (EACH, KEY))
    outer, inner = one.steps[:fixed], one.steps[fixed:]
    keys = list(_keys(one))
    fields = [*keys, *_columns(one.place, {ROW, *(field.name for field in keys)})]
    context = list(_context(one, every, {field.name for field in fields}))
    columns = tuple(field.path for field in (*context, *fields) if field.path is not None)
    total, about = (None, "") if exact else _total(one, inner)
    return Table(
        name=name,
        noun=noun_of(one.steps),
        count=one.count,
        total=total,
        about=about,
        fields=(*context, *fields),
        spec=RowSpec(outer=outer, inner=inner, columns=columns, is_open=_has_more(one.place) or not exact),
        path=render(one.steps[:-1]) if inner in ((EACH,), (KEY,)) else render(one.steps),
        exact=exact,
    )


def _total(one: Candidate, inner: Path) -> tuple[int, str]:
    """Return how many rows there are of which some were learned: an array or a map by itself was counted whole."""
    if inner == (EACH,) and one.above.arrays == 1:
        return one.above.items, ""
    if inner == (KEY,) and one.above.objects == 1:
        return one.above.most, ""
    return one.count, "at least"


def noun_of(steps: Path) -> str:
    """Return what a row is called, in the plural, by the last name that says something: ``issues`` of issues.nodes."""
    words = [step for step in steps if isinstance(step, str)]
    last = words[-1] if words and steps[-1] in (EACH, KEY) else ""
    last = words[-2] if _EMPTY_WORDS.fullmatch(last) and (*words[-2:], EACH) == steps[-3:] != steps[-2:] else last
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))  # a class, a status, an analysis
    is_told = is_plural and _WORD.fullmatch(last) and not _EMPTY_WORDS.fullmatch(last)
    return _CAPITAL.sub(" ", last).lower() if is_told else ""  # testResults are test results


def flat(place: Place, path: Path = (), level: int = 0) -> list[tuple[Path, Place]]:
    """Return the places of columns: fields of rows, and of objects nested in them, alone or as an array's only item."""
    columns: list[tuple[Path, Place]] = []
    for name, inner in place.fields.items():
        here = (*path, name)
        if not (inner.objects or inner.arrays) or level >= MOST_LEVELS or inner.above is not place or inner.is_tree:
            columns.append((here, inner))
            continue
        only = inner.each if inner.is_only(inner.arrays) and inner.most == 1 else None
        if inner.is_only(inner.objects) and inner.fields:
            columns += flat(inner, here, level + 1)
        elif only is not None and only.is_only(only.objects) and only.fields and not only.is_tree:
            columns += flat(only, (*here, 0), level + 1)
        else:
            columns.append((here, inner))
    return columns


def _has_more(place: Place, level: int = 0) -> bool:
    """Tell whether there are fields in rows, or in objects nested in them, that are no columns because they are too
    many."""
    nested = (one for inner in place.fields.values() if inner.above is place for one in (inner, inner.each) if one)
    return place.more or (level < MOST_LEVELS and any(_has_more(one, level + 1) for one in nested))


def dotted(path: Path) -> str:
    """Return a path inside of a row as the name of a column: ``user.login``, ``locations[0].uri``."""
    try:
        return ".".join(path)  # type: ignore[arg-type]
    except TypeError:  # there are indexes among the steps
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _columns(place: Place, taken: set[str]) -> Iterator[Field]:
    if place.positions is not None and place.arrays * 2 > place.count:
        for at, column in enumerate(place.positions):
            yield Field(name=f"c{at + 1}", column=column, path=ColumnPath(name=f"c{at + 1}", path=(at,)))
        return
    columns = flat(place)
    for path, inner in columns[:MOST_COLUMNS]:
        name = free_name(dotted(path) or EMPTY, [], taken)
        yield Field(name=name, column=inner.column, place=inner, path=ColumnPath(name=name, path=path))
    if place.column.filled or place.arrays or not columns:
        name = free_name("value", [], taken)
        yield Field(name=name, column=place.column, place=place, path=ColumnPath(name=name, path=()))


def _keys(one: Candidate) -> Iterator[Field]:
    if one.steps[-1] == KEY and one.above.keys is not None:
        yield Field(name="key", column=one.above.keys, path=ColumnPath(name="key", path=(KEY,)))


def _context(one: Candidate, every: list[Candidate], taken: set[str]) -> Iterator[Field]:
    """Yield columns of the items and members that rows lie in: keys, and short scalars. Their facts are not known
    yet."""
    passed = [at for at, step in enumerate(one.steps) if step in (EACH, KEY)][:-1]
    for level, at in enumerate(passed):
        outer = next((other for other in every if other.steps == one.steps[: at + 1]), None)
        if outer is None:
            continue
        word = next((step for step in reversed(one.steps[:at]) if isinstance(step, str)), "root")
        paths: list[Path] = [(KEY,)] if one.steps[at] == KEY else []
        paths += [path for path, inner in flat(outer.place) if _is_label(inner)]
        for path in paths[:MOST_CONTEXT]:
            name = free_name(f"{word}.{'key' if path == (KEY,) else dotted(path)}", [], taken)
            yield Field(name=name, column=Column(), path=ColumnPath(name=name, path=path, level=level))


def _is_label(place: Place) -> bool:
    """Tell whether a column tells the items of a table apart, in few words."""
    column = place.column
    return place.is_only(column.filled) and column.bulk <= SHORT * column.filled and (column.different or 2) > 1


def free_name(name: str, words: list[str], taken: set[str]) -> str:
    """Return a name that no other has, in upper or lower case: the name, the whole way to it, or with a number."""
    if name and not words and (lower := name.lower()) not in taken:
        taken.add(lower)
        return name
    tried = chain((name, "_".join(words)), (f"{name}_{number}" for number in count(2)))
    names = (_bare(one) if words else one for one in tried)
    free = next(one for one in names if one and one.lower() not in taken)
    taken.add(free.lower())
    return free


def _bare(name: str) -> str:
    """Return a name that needs no quotes in SQL, or nothing."""
    word = _ODD.sub("_", name).strip("_")
    return f"array_{word}" if word[:1].isdigit() else word


def _contains(outer: Candidate, inner: Candidate) -> bool:
    return len(inner.steps) > len(outer.steps) and inner.steps[: len(outer.steps)] == outer.steps


def _between(every: list[Candidate], outer: Candidate, inner: Candidate) -> bool:
    """Tell whether there is a table between two that has more than one row."""
    return any(_contains(outer, one) and _contains(one, inner) and one.count > outer.count for one in every)


def _telling(one: Candidate) -> tuple[float, ...]:
    """Rate a table: lists of texts have to be twice as heavy as records to come before them. Of two that weigh much the
    same, the one with far more rows is what people ask about: findings, and not the rules that they break."""
    is_list = not one.is_records and not one.is_rows
    weight = one.weight * one.count**ROWS_WEIGH
    return not one.is_dark, not one.is_coordinates, weight / (2 if is_list else 1), one.count


def _weight(one: Candidate) -> tuple[int, ...]:
    return one.weight, one.count


def weights_of(places: list[tuple[Path, Place]]) -> dict[int, int]:
    """Return the bytes that lie at each place, about, and at all places below it; encoded data counts as nothing."""
    weights: dict[int, int] = {}
    for _, place in reversed(places):  # those below a place come before it
        own = weights.get(id(place), 0) + 2 * (place.objects + place.arrays)
        own += place.scalars.weight if place.scalars is not None else 0
        own += sum(one.weight for one in place.positions) if place.positions else 0
        own += place.keys.bulk if place.keys is not None else 0
        weights[id(place)] = own
        if (above := place.above) is not None:
            weights[id(above)] = weights.get(id(above), 0) + own
    return weights
