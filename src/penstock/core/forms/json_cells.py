"""Cells of tables in JSON: some columns of all rows, some rows of some columns, and the profiles of columns."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.core.forms.document import ROWS
from penstock.core.forms.json_values import batches_of, is_retained, is_sampled, retained
from penstock.core.forms.reading import Cells
from penstock.core.forms.rows import Level, Rows
from penstock.core.forms.tree_nodes import dig
from penstock.core.json.index import reader
from penstock.core.json.project import projection
from penstock.core.json.scan import member_value
from penstock.core.json.whole import decode
from penstock.core.profile import Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.forms.rows import ColumnPath, RowSpec


class JsonCells(Cells):
    """Gives the cells of one table of ``count`` rows in a JSON document."""

    def __init__(self, document: Document, spec: RowSpec, count: int = 0) -> None:
        super().__init__(range(count), {})
        self.document = document
        self.spec = spec
        self._paths = {column.name: column for column in spec.columns}

    def columns(self, names: Sequence[str]) -> dict[str, list[Any]]:
        if not is_retained(self.document):
            return self._columns(names)
        self._cells |= self._columns([name for name in names if name not in self._cells])
        return {name: self._cells[name] for name in names}

    def _columns(self, names: Sequence[str]) -> dict[str, list[Any]]:
        paths = [self._paths[name] for name in names]
        made = None if is_retained(self.document) else self._projected(paths)
        if made is None:
            rows = Rows(self.spec)
            made = [[] for _ in names]
            for levels in self._batches() if names else ():
                for column, cells in zip(made, rows.cells(levels, paths), strict=True):
                    column.extend(cells)
        return dict(zip(names, made, strict=True))

    def rows(self, numbers: Sequence[int], names: Sequence[str]) -> list[list[Any]]:
        paths = [self._paths[name] for name in names]
        if self.spec.is_plain and not is_retained(self.document):
            return self._rows(self._parts(numbers), paths)
        rows: dict[int, list[Any]] = {}
        first = 0
        for levels in self._batches():
            last = first + len(levels[-1].objects)
            some = [number for number in numbers if first <= number < last]
            chosen = [level.some([number - first for number in some]) for level in levels]
            rows |= dict(zip(some, self._rows(chosen, paths), strict=True))
            first = last
        return [rows[number] for number in numbers]

    def profiles(self, names: Sequence[str], columns: int) -> dict[str, Column]:
        """Return the profiles of some columns, each of which is one of so many in the document. If the document is
        profiled by a sample, so are they."""
        made = {name: Column() for name in names}
        paths = [self._paths[name] for name in names]
        rows = Rows(self.spec)
        keep = is_retained(self.document)
        for levels in self._batches(sampled=is_sampled(self.document)) if names else ():
            for column, cells in zip(made.values(), rows.cells(levels, paths), strict=True):
                column.learn(cells, columns, keep=keep)
        return made

    def _rows(self, levels: list[Level], paths: Sequence[ColumnPath]) -> list[list[Any]]:
        if not paths:
            return [[] for _ in levels[-1].objects]
        return list(map(list, zip(*Rows(self.spec).cells(levels, paths), strict=True)))

    def _projected(self, paths: Sequence[ColumnPath]) -> list[list[Any]] | None:
        """Return some columns of a large document, without the values of others, where each row is an object."""
        if not self.spec.is_plain:
            return None
        container = self.document.container(self.spec.outer)
        take = projection([one.path for one in paths], by_key=container.kind == "object")
        if take is None:
            return None
        read = reader(self.document.body)
        try:
            batches = [take(container.joined(read, parts)) for parts in container.batches()]
        except msgspec.MsgspecError:
            return None
        return [list(chain.from_iterable(batch[at] for batch in batches)) for at in range(len(paths))]

    def _parts(self, numbers: Sequence[int]) -> list[Level]:
        """Return the parts of a container that are rows, each read by itself."""
        read = reader(self.document.body)
        container = self.document.container(self.spec.outer)
        parts = [container.item(read, number) for number in numbers]
        if container.kind != "object":
            return [Level(list(map(decode, parts)))]
        keys = [container.key(read, number) for number in numbers]
        return [Level([decode(member_value(part)) for part in parts], keys)]

    def _batches(self, *, sampled: bool = False) -> Iterator[list[Level]]:
        """Return all rows level by level, or those of a sample; those of a document that is retained are
        made once."""
        if is_retained(self.document):
            spec = self.spec if self.spec.kind == "columns" else msgspec.structs.replace(self.spec, columns=())
            yield self.document.once(f"{ROWS}{spec}", self._every)
            return
        container = self.document.container(self.spec.outer)
        rows = Rows(self.spec)
        # A small container is split for its path alone, and is not in the index.
        if self.spec.is_whole or self.document.index.container(container.path) is not container:
            yield rows.levels(decode(container.joined(reader(self.document.body))))
            return
        for parts, value in batches_of(self.document, container, sampled=sampled):
            yield rows.levels(value, parts.start)

    def _every(self, document: Document) -> list[Level]:
        return Rows(self.spec).levels(dig(retained(document), self.spec.outer))
