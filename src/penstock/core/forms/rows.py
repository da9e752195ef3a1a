"""Rows of tables out of JSON values: the one way from a document to rows, for notices, SQL and jq alike.

A table is found by steps from the root: keys, ``EACH`` for the items of arrays, ``KEY`` for the members of maps. Each
row comes with all items and members that were passed on the way to it, so that a column may lie in one of those.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain, compress, count, islice, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from penstock.core.json.path import EACH, KEY, Path, Step, render
from penstock.core.profile import Numbers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from penstock.core.profile import RowNumbers

Row = tuple[Any, ...]
Way = tuple["Way", Step] | None  # the steps to a node, the last one first: nodes share their beginnings

_IDS: Final = ("", EACH)  # what is known of the objects that rows lie in: which one each row lies in,
_SINGLE: Final = ("", KEY)  # and all of them;
_KINDS: Final = ("", EACH, EACH)  # of the rows themselves their types
_NESTED: Final = frozenset((dict, list))
OF_NODE: Final = {"_path": 0, "_depth": 1, "_parent": 2}  # columns that a tree has beside those of its nodes


class Member(NamedTuple):
    """A member of a map on the way to a row."""

    key: str
    value: Any


_member: Final = partial(tuple.__new__, Member)  # of a pair; five times as fast as the class itself


class ColumnPath(msgspec.Struct, frozen=True, kw_only=True):
    """Where a column lies: at ``path`` in the ``level``-th of what is passed on the way to a row; the last is the row
    itself. The path ``(KEY,)`` is the key of a member."""

    name: str
    path: Path
    level: int = -1


class RowSpec(msgspec.Struct, frozen=True, kw_only=True, tag="json"):
    """How rows are made of a document, in plain values that a store and a worker process understand.

    ``outer`` leads to the container whose parts are read batch by batch, ``inner`` from there to the rows. A table of
    ``columns`` has arrays for columns, in the fields of one object. A ``tree`` has a row for every node: what ``inner``
    leads to, and from each node on what its ``edges`` lead to; or every object that has the field ``typed``. The first
    ``within`` steps of ``inner`` lead to the rows of another table, whose number (from 1) each row has as ``_row``. An
    ``is_open`` table may have columns that are not known yet. The first part of the container is no row where
    ``has_header``: it names the columns.
    """

    outer: Path = ()
    inner: Path = (EACH,)
    columns: tuple[ColumnPath, ...] = ()
    kind: Literal["rows", "columns", "tree"] = "rows"
    edges: tuple[Path, ...] = ()
    typed: str | None = None
    within: int = 0
    is_open: bool = False
    has_header: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether each part of the outer container is one row."""
        return self.kind == "rows" and self.inner in ((EACH,), (KEY,)) and not self.has_header

    @property
    def is_whole(self) -> bool:
        """Whether the outer container is no sequence of rows, and is read at once: columns, or the root of a tree."""
        return self.kind == "columns" or (self.kind == "tree" and not self.inner)


class Rows:
    """Makes the rows of a table, from one batch of the outer container after the other."""

    def __init__(self, spec: RowSpec) -> None:
        self.spec = spec
        self._numbers = count(1)

    def take(self, value: Any, first: int = 0) -> list[Row]:
        """Return the rows in a batch: a list of items of which the first has this number, or an object of members."""
        if self.spec.kind == "columns":
            return list(zip(*(value.get(column.path[0]) or () for column in self.spec.columns), strict=False))
        if self.spec.kind == "tree":
            return self._nodes(value, first)
        if self.spec.inner == (EACH,):
            return list(zip(islice(value, self.spec.has_header and first == 0, None)))
        found: list[Any] = [value]
        passed: list[list[Any]] = []  # on the way to each row, level by level
        for number, step in enumerate(self.spec.inner, 1):
            found, passed = _step(found, step, passed)
            if number == self.spec.within:
                passed.append(list(islice(self._numbers, len(found))))
        return list(zip(*passed, strict=True))

    def columns(self, rows: Sequence[Row], columns: Sequence[ColumnPath]) -> list[list[Any]]:
        """Return some columns of some rows; None where a row has nothing there. Columns that begin alike are looked for
        together."""
        known: dict[tuple[int, Path], list[Any]] = {}
        return [self._cells(rows, column, known) for column in columns]

    def _cells(self, rows: Sequence[Row], column: ColumnPath, known: dict[tuple[int, Path], list[Any]]) -> list[Any]:
        if self.spec.kind == "columns":
            return _at(rows, self.spec.columns.index(column), (), known)
        if self.spec.kind == "tree" and column.name in OF_NODE:
            found = _at(rows, OF_NODE[column.name], (), known)
            return list(map(way_text, found)) if column.name == "_path" else found
        if column.level < 0 and column.path == (KEY,):
            return [row[column.level].key for row in rows]
        if column.level < 0:
            return _at(rows, column.level, column.path, known)
        cells, places = self._repeated(rows, column, known)
        return list(map(cells.__getitem__, places))

    def repeated(
        self, rows: Sequence[Row], columns: Sequence[ColumnPath], first: int = 0
    ) -> list[tuple[list[Any], list[int], list[int]]]:
        """Return the cells of columns that lie in what rows lie in, each once, how many rows have it, and the number of
        the first of them; the first of all rows has this number."""
        known: dict[tuple[int, Path], list[Any]] = {}
        numbers: dict[int, tuple[list[int], list[int]]] = {}
        made = []
        for column in columns:
            cells, places = self._repeated(rows, column, known)
            if column.level not in numbers:
                firsts = dict(zip(reversed(places), range(first + len(places) - 1, first - 1, -1), strict=True))
                numbers[column.level] = list(Counter(places).values()), [firsts[at] for at in range(len(cells))]
            made.append((cells, *numbers[column.level]))
        return made

    def _repeated(
        self, rows: Sequence[Row], column: ColumnPath, known: dict[tuple[int, Path], list[Any]]
    ) -> tuple[list[Any], list[int]]:
        """Return the cells of a column that lies in what rows lie in, each once, and which of them each row has."""
        level = column.level
        if (level, _IDS) not in known:
            found = list(map(itemgetter(level), rows))
            single = dict(zip(map(id, found), found, strict=True))
            places = dict(zip(single, range(len(single)), strict=True))
            known[level, _IDS] = list(map(places.__getitem__, map(id, found)))
            known[level, _SINGLE] = list(single.values())
        outer = known[level, _SINGLE]
        if column.path == (KEY,):
            return [one.key for one in outer], known[level, _IDS]
        inside = [one.value for one in outer] if outer and isinstance(outer[0], Member) else outer
        return dig_each(inside, column.path), known[level, _IDS]

    def _nodes(self, value: Any, first: int) -> list[Row]:
        """Return all nodes of a tree, parents before their children, in the order of the document: the way to each, its
        depth from 0, the row of its parent from 1, and the object itself."""
        spec = self.spec
        start: Way = None
        for step in spec.outer:
            start = (start, step)
        if spec.typed is not None:
            return self._typed_nodes(value, spec.typed, start, first)
        below = _reached(value, spec.inner, start, first)
        waiting: list[tuple[Way, Any, int, int | None]] = [(way, one, 0, None) for way, one in reversed(below)]
        found: list[Row] = []
        while waiting:
            way, one, depth, parent = waiting.pop()
            found.append((way, depth, parent, one))
            depth, parent = depth + 1, next(self._numbers)
            inside = [
                (inner_way, inner, depth, parent)
                for edge in spec.edges
                if type(edge[0]) is int or edge[0] in one
                for inner_way, inner in _reached(one, edge, way)
            ]
            inside.reverse()
            waiting += inside
        return found

    def _typed_nodes(self, value: Any, typed: str, start: Way, first: int) -> list[Row]:
        """Return the rows of a tree whose nodes are all objects with a certain field."""
        waiting: list[tuple[Way, Any, int, int | None]] = [(start, value, 0, None)]
        found: list[Row] = []
        while waiting:
            way, one, depth, parent = waiting.pop()
            if type(one) is dict:
                if typed in one:
                    found.append((way, depth, parent, one))
                    depth, parent = depth + 1, next(self._numbers)
                parts: Iterable[tuple[Step, Any]] = one.items()
            elif _NESTED.isdisjoint(map(type, one)):
                continue
            else:
                parts = enumerate(one, first if one is value else 0)
            inside = [
                ((way, step), inner, depth, parent)
                for step, inner in parts
                if type(inner) is dict or type(inner) is list
            ]
            inside.reverse()
            waiting += inside
        return found


def way_text(way: Way) -> str:
    """Return the way to a node as a path."""
    steps: list[Step] = []
    while way is not None:
        way, step = way
        steps.append(step)
    return render(tuple(reversed(steps)))


def dig(value: Any, path: Path) -> Any:
    """Return what lies at a path in a value, or None."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
    return value


def dig_each(values: list[Any], path: Path) -> list[Any]:
    """Return what lies at a path in each of some values, or None."""
    for step in path:
        if isinstance(step, str):
            values = [value.get(step) if type(value) is dict else None for value in values]
        else:
            values = [value[step] if type(value) is list and step < len(value) else None for value in values]
    return values


def parts_of(
    values: list[Any], rows: RowNumbers, steps: Collection[Step]
) -> Iterator[tuple[Step, list[Any], RowNumbers]]:
    """Return what lies one step inside of values, for each of some steps, and the rows of those that have it. Values
    are asked one after the other, as they lie in memory."""
    found: dict[Step, list[Any]] = {step: [] for step in steps}
    take = {step: some.append for step, some in found.items()}
    indexes = [step for step in steps if isinstance(step, int)]
    for one in values:
        if type(one) is dict:
            for key in take.keys() & one.keys():
                take[key](one[key])
        elif type(one) is list:
            for at in indexes:
                if at < len(one):
                    take[at](one[at])
    for step, some in found.items():
        yield step, some, rows if len(some) == len(values) else Numbers(_with_step, rows, values, step)


def _with_step(rows: RowNumbers, values: list[Any], step: Step) -> Iterator[int]:
    if isinstance(step, str):
        return compress(rows, (type(one) is dict and step in one for one in values))
    return compress(rows, (type(one) is list and step < len(one) for one in values))


def _at(rows: Sequence[Row], level: int, path: Path, known: dict[tuple[int, Path], list[Any]]) -> list[Any]:
    """Return what lies at a path in each of some rows; ``known`` has what was looked for before."""
    found = known.get((level, path))
    if found is None:
        if len(path) == 1 and isinstance(path[0], str) and _all_objects(rows, level, known):
            found = list(map(dict.get, _at(rows, level, (), known), repeat(path[0])))
        elif path:
            found = dig_each(_at(rows, level, path[:-1], known), path[-1:])
        else:
            found = list(map(itemgetter(level), rows))
            found = [one.value for one in found] if found and isinstance(found[0], Member) else found
        known[level, path] = found
    return found


def _all_objects(rows: Sequence[Row], level: int, known: dict[tuple[int, Path], list[Any]]) -> bool:
    """Tell whether the rows are all objects, which is looked at once."""
    if (level, _KINDS) not in known:
        known[level, _KINDS] = list(set(map(type, _at(rows, level, (), known))))
    return known[level, _KINDS] == [dict]


def _step(values: list[Any], step: Step, passed: list[list[Any]]) -> tuple[list[Any], list[list[Any]]]:
    """Return what a step leads to from each of some values, with what was passed before, once for each; an item (null
    as well) or a member is passed itself."""
    if step == EACH:
        parts: list[Any] = [one if type(one) is list else () for one in values]
        own = found = list(chain.from_iterable(parts))
    elif step == KEY:
        parts = [one if type(one) is dict else {} for one in values]
        found = list(chain.from_iterable(map(dict.values, parts)))
        own = list(map(_member, zip(chain.from_iterable(parts), found, strict=True)))
    else:
        found = dig_each(values, (step,))
        there = [one is not None for one in found]
        return list(compress(found, there)), [list(compress(level, there)) for level in passed]
    sizes = list(map(len, parts))
    return found, [*(list(chain.from_iterable(map(repeat, level, sizes))) for level in passed), own]


def _reached(value: Any, steps: Path, way: Way, first: int = 0) -> list[tuple[Way, Any]]:
    """Return the objects that steps lead to, with the ways to them."""
    found = [(way, value)]
    for step in steps:
        if step == EACH:
            found = [((way, at), item) for way, one in found if type(one) is list for at, item in enumerate(one, first)]
        elif step == KEY:
            found = [((way, key), item) for way, one in found if type(one) is dict for key, item in one.items()]
        else:
            found = [((way, step), inner) for way, one in found if (inner := dig(one, (step,))) is not None]
        first = 0
    return [pair for pair in found if type(pair[1]) is dict]
