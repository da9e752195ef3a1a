"""Rows of tables out of JSON values: the one way from a document to rows, for notices, SQL and jq alike.

A table is found by steps from the root: keys, ``EACH`` for the items of arrays, ``KEY`` for the members of maps. Each
row comes with all items and members that were passed on the way to it, so that a column may lie in one of those.
"""

from __future__ import annotations

from itertools import chain, compress, repeat
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from penstock.core.forms.tree_nodes import nodes_in, way_text
from penstock.core.json.path import EACH, KEY, Path, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = tuple[Any, ...]

OF_NODE: Final = {"_path": 0, "_depth": 1, "_parent": 2}  # Columns that a tree has in addition to those of its nodes.


class Member(NamedTuple):
    """A member of a map on the way to a row."""

    key: str
    value: Any


class Level(NamedTuple):
    """The items that are passed on the way to rows, one for each row, or members with their ``keys``."""

    objects: list[Any]
    keys: list[str] | None = None

    def some(self, numbers: Sequence[int]) -> Level:
        """Return what is passed on the way to some rows."""
        keys = None if self.keys is None else [self.keys[number] for number in numbers]
        return Level([self.objects[number] for number in numbers], keys)

    def spread(self, sizes: list[int]) -> Level:
        """Return what is passed on the way to so many rows for each row."""
        keys = None if self.keys is None else _spread(self.keys, sizes)
        return Level(_spread(self.objects, sizes), keys)


class ColumnPath(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a column: at ``path`` in the ``level``-th of what is passed on the way to a row; the last is the row
    itself. The path ``(KEY,)`` is the key of a member."""

    name: str
    path: Path
    level: int = -1


class RowSpec(msgspec.Struct, frozen=True, kw_only=True, tag="json"):
    """The way to make rows from a document, in plain values that a store and a worker process understand.

    ``outer`` leads to the container whose parts are read batch by batch, ``inner`` from there to the rows. A table of
    ``columns`` has arrays for columns, in the fields of one object. A ``tree`` has a row for every node: the objects
    that ``inner`` leads to, and from each node on those that its ``edges`` lead to. The first ``within`` steps of
    ``inner`` lead to the rows of another table, whose number (from 1) each row has as ``_row``. An ``is_open`` table
    may have columns that are not known yet. If it ``has_header``, the first part of the container is no row: it names
    the columns.
    """

    outer: Path = ()
    inner: Path = (EACH,)
    columns: tuple[ColumnPath, ...] = ()
    kind: Literal["rows", "columns", "tree"] = "rows"
    edges: tuple[Path, ...] = ()
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
        levels = self.levels(value, first)
        own = [one.objects if one.keys is None else list(map(Member, one.keys, one.objects)) for one in levels]
        return list(zip(*own, strict=True))

    def levels(self, value: Any, first: int = 0) -> list[Level]:
        """Return the same rows level by level, which takes a fraction of the time."""
        if self.spec.kind == "columns":
            lists = [value.get(column.path[0]) or [] for column in self.spec.columns]
            least = min(map(len, lists), default=0)
            return [Level(one[:least]) for one in lists]
        if self.spec.kind == "tree":
            nodes = nodes_in(value, self.spec, first, self._count)
            self._count += len(nodes[-1])
            return [Level(list(one)) for one in nodes]
        if self.spec.has_header and first == 0:
            value = value[1:]
        objects = [value]
        passed: list[Level] = []
        for number, step in enumerate(self.spec.inner, 1):
            objects, sizes, own = _step(objects, step)
            passed = [*(level.spread(sizes) for level in passed), *own]
            if number == self.spec.within:
                passed.append(Level(list(range(self._count + 1, self._count + 1 + len(objects)))))
                self._count += len(objects)
        return passed

    def columns(self, rows: Sequence[Row], columns: Sequence[ColumnPath]) -> list[list[Any]]:
        """Return some columns of some rows; None where a row has nothing there."""
        levels = [_level(list(level)) for level in zip(*rows, strict=True)]
        return self.cells(levels, columns) if levels else [[] for _ in columns]

    def cells(self, levels: list[Level], columns: Sequence[ColumnPath]) -> list[list[Any]]:
        """Return the cells of columns for the rows at these levels; None where a row has nothing there."""
        dug: dict[int, dict[Path, list[Any]]] = {}  # what lies at the beginnings of paths, by level
        return [self._cells(levels, column, dug.setdefault(column.level, {})) for column in columns]

    def _cells(self, levels: list[Level], column: ColumnPath, dug: dict[Path, list[Any]]) -> list[Any]:
        if self.spec.kind == "columns":
            return levels[self.spec.columns.index(column)].objects
        if self.spec.kind == "tree" and column.name in OF_NODE:
            objects = levels[OF_NODE[column.name]].objects
            return list(map(way_text, objects)) if column.name == "_path" else objects
        level = levels[column.level]
        if column.path == (KEY,):
            return level.keys or []
        cells = level.objects
        for end in range(1, len(column.path) + 1):
            path = column.path[:end]
            if path not in dug:
                dug[path] = dig_each(cells, path[-1:])
            cells = dug[path]
        return cells


def dig_each(values: list[Any], path: Path) -> list[Any]:
    """Return what lies at a path in each of some values, or None."""
    for step in path:
        own: Any = dict.get if isinstance(step, str) else list.__getitem__
        try:
            values = list(map(own, values, repeat(step)))
        except (TypeError, IndexError):  # A value is of another type, or an array is too short.
            if isinstance(step, str):
                values = [value.get(step) if type(value) is dict else None for value in values]
            else:
                values = [value[step] if type(value) is list and step < len(value) else None for value in values]
    return values


def _level(passed: list[Any]) -> Level:
    if isinstance(passed[0], Member):
        return Level([one.value for one in passed], [one.key for one in passed])
    return Level(passed)


def _spread(values: list[Any], sizes: list[int]) -> list[Any]:
    return list(chain.from_iterable(map(repeat, values, sizes)))


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
