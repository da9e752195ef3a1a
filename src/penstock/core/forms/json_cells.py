"""Cells of tables in JSON: some columns of all rows, or some rows of some columns."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.core.forms.document import ROWS
from penstock.core.forms.rows import Member, Rows
from penstock.core.forms.tree_nodes import dig
from penstock.core.forms.values import batches_of, is_retained, retained
from penstock.core.json.index import reader
from penstock.core.json.project import projection
from penstock.core.json.scan import member_value
from penstock.core.json.whole import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.forms.rows import ColumnPath, Known, Level, Row, RowSpec


class JsonCells:
    """Gives the cells of one table of a document. Some columns may be ``at_hand``, by their names."""

    def __init__(
        self, document: Document, spec: RowSpec, count: int = 0, at_hand: Mapping[str, list[Any]] | None = None
    ) -> None:
        self.document = document
        self.spec = spec
        self.numbers = range(count)
        self._paths = {column.name: column for column in spec.columns}
        self._at_hand = at_hand or {}

    def columns(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """Return all cells of some columns."""
        if self._at_hand:
            missing = [name for name in names if name not in self._at_hand]
            made = self._columns(missing) if missing else {}
            return {name: made[name] if name in made else self._at_hand[name] for name in names}
        return self._columns(names)

    def _columns(self, names: Sequence[str]) -> dict[str, list[Any]]:
        paths = [self._paths[name] for name in names]
        if not is_retained(self.document) and (projected := self._projected(paths)) is not None:
            return dict(zip(names, projected, strict=True))
        rows = Rows(self.spec)
        parts = [rows.cells(levels, paths, known) for levels, known in self._batches()]
        made = parts[0] if len(parts) == 1 else [list(chain.from_iterable(cells)) for cells in zip(*parts, strict=True)]
        made = made or [[] for _ in names]
        return dict(zip(names, made, strict=True))

    def repeated(self, names: Sequence[str]) -> dict[str, tuple[list[Any], list[int], list[int]]]:
        """Return the cells of columns that lie in what rows lie in, each once, how many rows have it, and the first."""
        paths = [self._paths[name] for name in names]
        rows = Rows(self.spec)
        made: list[tuple[list[Any], list[int], list[int]]] = [([], [], []) for _ in names]
        first = 0
        for levels, _ in self._batches() if names else ():
            for column, more in zip(made, rows.repeated(levels, paths, first), strict=True):
                for known, new in zip(column, more, strict=True):
                    known.extend(new)
            first += len(levels[-1])
        return dict(zip(names, made, strict=True))

    def rows(self, numbers: Sequence[int], names: Sequence[str]) -> list[list[Any]]:
        """Return some rows, each as the cells of some columns."""
        paths = [self._paths[name] for name in names]
        if self.spec.is_plain and not is_retained(self.document):
            columns = Rows(self.spec).columns(self._parts(numbers), paths)
            return [list(cells) for cells in zip(*columns, strict=True)] if columns else [[] for _ in numbers]
        rows: dict[int, list[Any]] = {}
        first = 0
        for levels, _ in self._batches():
            last = first + len(levels[-1])
            some = [number for number in numbers if first <= number < last]
            chosen = [level.some([number - first for number in some]) for level in levels]
            columns = Rows(self.spec).cells(chosen, paths, {})
            rows |= {number: [column[at] for column in columns] for at, number in enumerate(some)}
            first = last
        return [rows[number] for number in numbers]

    def _projected(self, paths: Sequence[ColumnPath]) -> list[list[Any]] | None:
        """Return some columns of a large document, without the values of others, where each row is an object."""
        if not self.spec.is_plain:
            return None
        container = self.document.container(self.spec.outer)
        take = projection([one.path for one in paths], by_key=container.kind == "object")
        if take is None:
            return None
        read = reader(self.document.body)
        made: list[list[Any]] = [[] for _ in paths]
        try:
            for parts in container.batches():
                for column, cells in zip(made, take(container.joined(read, parts)), strict=True):
                    column.extend(cells)
        except msgspec.MsgspecError:
            return None
        return made

    def _parts(self, numbers: Sequence[int]) -> list[Row]:
        """Yield the parts of a container that are rows, each read by itself."""
        read = reader(self.document.body)
        container = self.document.container(self.spec.outer)
        parts = [container.item(read, number) for number in numbers]
        if container.kind == "object":
            keys = [container.key(read, number) for number in numbers]
            return [(Member(key, decode(member_value(part))),) for key, part in zip(keys, parts, strict=True)]
        return [(decode(part),) for part in parts]

    def batches(self) -> Iterator[list[Any]]:
        """Return the rows themselves."""
        return (list(levels[-1]) for levels, _ in self._batches())

    def _batches(self) -> Iterator[tuple[list[Level], Known]]:
        """Return all rows level by level, and columns that are known of them; those of a document that is retained are
        made once."""
        if is_retained(self.document):
            spec = self.spec
            own = spec.columns if spec.kind == "columns" else spec.has_header
            name = f"{ROWS}{spec.outer} {spec.inner} {spec.kind} {spec.edges} {spec.typed} {spec.within} {own}"
            yield self.document.once(name, self._every)
            return
        container = self.document.container(self.spec.outer)
        rows = Rows(self.spec)
        # A small container is split for its path alone, and is not in the index.
        if self.spec.is_whole or self.document.index.container(container.path) is not container:
            yield rows.levels(decode(container.joined(reader(self.document.body)))), {}
            return
        for parts, value in batches_of(self.document, container):
            yield rows.levels(value, parts.start), {}

    def _every(self, document: Document) -> tuple[list[Level], Known]:
        known: Known = {(-1, ()): [dict]} if self.spec.kind == "tree" else {}  # nodes are objects
        return Rows(self.spec).levels(dig(retained(document), self.spec.outer)), known
