"""Rows of tables out of JSON values: the one way from a document to rows, for notices, SQL and jq alike.

A table is found by steps from the root: keys, ``EACH`` for the items of arrays, ``KEY`` for the members of maps. Each
row comes with all items and members that were passed on the way to it, so that a column may lie in one of those.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, chain, compress, islice, repeat
from operator import itemgetter, sub
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from penstock.core.forms.tree_nodes import Nodes, way_text
from penstock.core.json.path import EACH, KEY, Path, Step
from penstock.core.row_numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from penstock.core.row_numbers import RowNumbers

Row = tuple[Any, ...]
Known = dict[tuple[int, Path], list[Any]]  # columns by level and path

OF_NODE: Final = {"_path": 0, "_depth": 1, "_parent": 2}  # columns that a tree has beside those of its nodes


class Member(NamedTuple):
    """A member of a map on the way to a row."""

    key: str
    value: Any


class ColumnPath(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a column: at ``path`` in the ``level``-th of what is passed on the way to a row; the last is the row
    itself. The path ``(KEY,)`` is the key of a member."""

    name: str
    path: Path
    level: int = -1


class RowSpec(msgspec.Struct, frozen=True, kw_only=True, tag="json"):
    """The way to make rows from a document, in plain values that a store and a worker process understand.

    ``outer`` leads to the container whose parts are read batch by batch, ``inner`` from there to the rows. A table of
    ``columns`` has arrays for columns, in the fields of one object. A ``tree`` has a row for every node: what ``inner``
    leads to, and from each node on what its ``edges`` lead to; or every object that has the field ``typed``, in what
    lies ``through`` some fields (any, where none are named). The first ``within`` steps of ``inner`` lead to the rows
    of another table, whose number (from 1) each row has as ``_row``. An ``is_open`` table may have columns that are not
    known yet. The first part of the container is no row where ``has_header``: it names the columns.
    """

    outer: Path = ()
    inner: Path = (EACH,)
    columns: tuple[ColumnPath, ...] = ()
    kind: Literal["rows", "columns", "tree"] = "rows"
    edges: tuple[Path, ...] = ()
    typed: str | None = None
    through: tuple[str, ...] = ()
    within: int = 0
    is_open: bool = False
    has_header: bool = False

    @property
    def is_plain(self) -> bool:
        """Return True if each part of the outer container is one row."""
        return self.kind == "rows" and self.inner in ((EACH,), (KEY,)) and not self.has_header

    @property
    def is_whole(self) -> bool:
        """Return True if the outer container is no sequence of rows, and is read at once: columns, or the root of a
        tree."""
        return self.kind == "columns" or (self.kind == "tree" and not self.inner)


class Rows:
    """Makes the rows of a table, from one batch of the outer container after the other."""

    def __init__(self, spec: RowSpec) -> None:
        self.spec = spec
        self._count = 0  # rows of a tree, or of the table that rows lie in, in the batches before

    def take(self, value: Any, first: int = 0) -> list[Row]:
        """Return the rows in a batch: a list of items of which the first has this number, or an object of members."""
        return list(zip(*self.levels(value, first), strict=True))

    def levels(self, value: Any, first: int = 0) -> list[Level]:
        """Return the same rows level by level, which takes a fraction of the time."""
        if self.spec.kind == "columns":
            lists = [value.get(column.path[0]) or [] for column in self.spec.columns]
            least = min(map(len, lists), default=0)
            return [Level(one if len(one) == least else one[:least]) for one in lists]
        if self.spec.kind == "tree":
            nodes = Nodes(self.spec, value, first, self._count)
            self._count += len(nodes.objects)
            return [Level(nodes), Level(nodes.depths), Level(nodes.parents), Level(nodes.objects)]
        if self.spec.inner == (EACH,):
            return [Level(value[1:] if self.spec.has_header and first == 0 else value)]
        objects = [value]
        passed: list[Level] = []
        for number, step in enumerate(self.spec.inner, 1):
            objects, sizes, own = _step(objects, step)
            for level in passed:
                level.spread(sizes)
            passed += own
            if number == self.spec.within:
                passed.append(Level(list(range(self._count + 1, self._count + 1 + len(objects)))))
                self._count += len(objects)
        return passed

    def columns(self, rows: Sequence[Row], columns: Sequence[ColumnPath]) -> list[list[Any]]:
        """Return some columns of some rows; None where a row has nothing there."""
        levels = [_level(list(level)) for level in zip(*rows, strict=True)]
        return self.cells(levels, columns, {}) if levels else [[] for _ in columns]

    def cells(self, levels: list[Level], columns: Sequence[ColumnPath], known: Known) -> list[list[Any]]:
        """Return the same of rows level by level. ``known`` has what was looked for before: columns that begin alike
        are looked for together."""
        return [self._cells(levels, column, known) for column in columns]

    def _cells(self, levels: list[Level], column: ColumnPath, known: Known) -> list[Any]:
        if self.spec.kind == "columns":
            objects: list[Any] = levels[self.spec.columns.index(column)].objects
            return objects
        if self.spec.kind == "tree" and column.name in OF_NODE:
            objects = levels[OF_NODE[column.name]].objects
            return list(map(way_text, objects)) if column.name == "_path" else objects
        return levels[column.level].each(_at(levels, column.level, column.path, known))

    def repeated(
        self, levels: list[Level], columns: Sequence[ColumnPath], first: int = 0
    ) -> list[tuple[list[Any], list[int], list[int]]]:
        """Return the cells of columns that lie in what rows lie in, each once, how many rows have it, and the number of
        the first of them; the first of all rows has this number."""
        known: Known = {}
        made = []
        for column in columns:
            level = levels[column.level]
            counts = level.counts or [1] * len(level.objects)
            cells = compress(_at(levels, column.level, column.path, known), counts)
            firsts = compress(accumulate(counts, initial=first), counts)
            made.append((list(cells), list(filter(None, counts)), list(firsts)))
        return made


class Level:
    """A level on the way to rows: items, or members with their ``keys``; each for as many rows as ``counts``
    tell, or for one."""

    __slots__ = ("counts", "keys", "objects")

    objects: Any  # a list, or the nodes of a tree as the ways to them

    def __init__(self, objects: Any, keys: list[str] | None = None) -> None:
        self.objects = objects
        self.keys = keys
        self.counts: list[int] | None = None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.each(self.objects if self.keys is None else list(map(Member, self.keys, self.objects))))

    def __len__(self) -> int:
        return len(self.objects) if self.counts is None else sum(self.counts)

    def each(self, cells: list[Any]) -> list[Any]:
        """Return cells of what is passed, for each row."""
        return cells if self.counts is None else list(chain.from_iterable(map(repeat, cells, self.counts)))

    def some(self, numbers: Sequence[int]) -> Level:
        """Return what is passed on the way to some rows."""
        if self.counts is not None:
            ends = list(accumulate(self.counts))
            numbers = [bisect_right(ends, number) for number in numbers]
        keys = None if self.keys is None else [self.keys[number] for number in numbers]
        return Level([self.objects[number] for number in numbers], keys)

    def spread(self, sizes: list[int]) -> None:
        """Go a step further, to so many parts from each row."""
        if self.counts is None:
            self.counts = sizes
        else:
            before = list(accumulate(sizes, initial=0))
            ends = list(map(before.__getitem__, accumulate(self.counts, initial=0)))
            self.counts = list(map(sub, islice(ends, 1, None), ends))


def _level(passed: list[Any]) -> Level:
    if isinstance(passed[0], Member):
        return Level([one.value for one in passed], [one.key for one in passed])
    return Level(passed)


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
    """Return what lies one step inside values, for each of some steps, and the rows of those that have it. Values
    are asked one after the other, as they lie in memory."""
    parts: dict[Step, list[Any]] = {step: [] for step in steps}
    take = {step: some.append for step, some in parts.items()}
    indexes = [step for step in steps if isinstance(step, int)]
    for one in values:
        if type(one) is dict:
            for key in take.keys() & one.keys():
                take[key](one[key])
        elif type(one) is list:
            for at in indexes:
                if at < len(one):
                    take[at](one[at])
    for step, some in parts.items():
        yield step, some, rows if len(some) == len(values) else Numbers(_with_step, rows, values, step)


def _with_step(rows: RowNumbers, values: list[Any], step: Step) -> Iterator[int]:
    if isinstance(step, str):
        return compress(rows, (type(one) is dict and step in one for one in values))
    return compress(rows, (type(one) is list and step < len(one) for one in values))


def _at(levels: list[Level], level: int, path: Path, known: Known) -> list[Any]:
    """Return what lies at a path in each of what is passed at a level; ``known`` has what was looked for before."""
    if path == (KEY,):
        return levels[level].keys or []
    if not path:
        return levels[level].objects  # type: ignore[no-any-return]
    cells = known.get((level, path))
    if cells is None:
        kinds = _kinds(levels, level, known) if len(path) == 1 else None
        if kinds == [dict] and isinstance(path[0], str):
            cells = list(map(dict.get, levels[level].objects, repeat(path[0])))
        elif kinds == [list] and isinstance(path[0], int) and min(map(len, levels[level].objects)) > path[0]:
            cells = list(map(itemgetter(path[0]), levels[level].objects))
        else:
            cells = dig_each(_at(levels, level, path[:-1], known), path[-1:])
        known[level, path] = cells
    return cells


def _kinds(levels: list[Level], level: int, known: Known) -> list[type]:
    """Return the types of what is passed at a level, which are looked at once."""
    if (level, ()) not in known:
        known[level, ()] = list(set(map(type, levels[level].objects)))
    return known[level, ()]


def _step(values: list[Any], step: Step) -> tuple[list[Any], list[int], list[Level]]:
    """Return what a step leads to from some values, how many from each, and the level that is passed, if one is: an
    item (null as well) or a member."""
    if step == EACH:
        parts: list[Any] = [one if type(one) is list else () for one in values]
        inner = list(chain.from_iterable(parts))
        return inner, list(map(len, parts)), [Level(inner)]
    if step == KEY:
        parts = [one if type(one) is dict else {} for one in values]
        inner = list(chain.from_iterable(map(dict.values, parts)))
        return inner, list(map(len, parts)), [Level(inner, list(chain.from_iterable(parts)))]
    inner = dig_each(values, (step,))
    there = [one is not None for one in inner]
    return list(compress(inner, there)), list(map(int, there)), []
