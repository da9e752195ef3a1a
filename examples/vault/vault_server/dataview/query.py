"""A query, read: its commands are functions from rows to rows, and what it shows are functions of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from vault_server.dataview.rows import Group, Row, Task, extended
from vault_server.dataview.values import as_date, as_json, group_key, sort_key

if TYPE_CHECKING:
    from vault_server.catalog import File
    from vault_server.dataview.rows import Pages

Expression: TypeAlias = Callable[[Row], Any]
Source: TypeAlias = Callable[["Pages", "File"], bool]  # whether a file is one of it
Command: TypeAlias = Callable[[Iterable[Row]], Iterable[Row]]  # lazy where it can be: most rows of a vault go at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A value of a row, and the name that it is shown under."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One expression to sort by."""

    value: Expression
    descending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """All of a query."""

    kind: Literal["table", "list", "task", "calendar"]
    with_id: bool = True
    columns: tuple[Column, ...] = ()
    source: Source | None = None
    commands: tuple[Command, ...] = ()

    def run(self, pages: Pages) -> list[Row]:
        """Find the rows of the query, in its order and within its own LIMIT."""
        source = self.source
        notes = pages.catalog.notes
        files = notes if source is None else (file for file in notes if source(pages, file))
        rows: Iterable[Row] = pages.tasks(files) if self.kind == "task" else map(pages.page, files)
        for command in self.commands:
            rows = command(rows)
        if self.kind == "task":
            return _without_children([*rows])
        if self.kind == "calendar":
            return [row for row in rows if as_date(self.columns[0].value(row)) is not None]
        return [*rows]

    def item_of(self, row: Row) -> dict[str, Any]:
        """Describe one row for an answer: the file or the group it is of, and the values of the query."""
        if self.kind == "task":
            return _shown_tasks(row)
        if isinstance(row, Group):
            head = {"group": as_json(row.key), "count": len(row.rows)} if self.with_id or not self.columns else {}
        else:
            head = {"filename": row.path} if self.with_id or not self.columns else {}
        values = {column.name: as_json(column.value(row)) for column in self.columns}
        if self.kind == "table":
            return {**head, "result": values}
        if self.kind == "calendar":
            return {**head, "date": next(iter(values.values()))}
        return {**head, "result": next(iter(values.values()))} if values else head


def where(condition: Expression) -> Command:
    """Make WHERE: the rows for which an expression is true."""
    return lambda rows: (row for row in rows if condition(row))


def limit(number: int) -> Command:
    """Make LIMIT: the first rows."""
    return lambda rows: islice(rows, number)


def sort(orders: Iterable[Order]) -> Command:
    """Make SORT: by one expression, then by the next; null last."""

    def run(unsorted: Iterable[Row]) -> list[Row]:
        rows = [*unsorted]
        for order in reversed([*orders]):  # the last one first: sorting keeps what was sorted before
            keyed = [(order.value(row), row) for row in rows]
            present = [(sort_key(value), row) for value, row in keyed if value is not None]
            present.sort(key=lambda pair: pair[0], reverse=order.descending)
            rows = [row for _, row in present] + [row for value, row in keyed if value is None]
        return rows

    return run


def group(value: Expression, name: str) -> Command:
    """Make GROUP BY: one row for each value, in the order of the values."""

    def run(rows: Iterable[Row]) -> list[Row]:
        groups: dict[Any, Group] = {}
        for row in rows:
            key = value(row)
            mark = key if type(key) is str else group_key(key)  # most keys are texts
            here = groups.get(mark)
            if here is None:
                here = groups[mark] = Group(key, name)
            here.rows.append(row)
        ordered = sorted(groups.values(), key=lambda one: sort_key(one.key))
        return [*ordered]

    return run


def flatten(value: Expression, name: str) -> Command:
    """Make FLATTEN: one row for each item of a list; a row whose list is empty is gone."""

    def run(rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            cell = value(row)
            for item in cell if isinstance(cell, list) else [cell]:
                yield extended(row, {name: item})

    return run


def _without_children(rows: list[Row]) -> list[Row]:
    """Leave out tasks that are shown inside another one that was found."""
    lines = {(row.path, row.line) for row in rows if isinstance(row, Task)}
    for row in rows:
        if isinstance(row, Group):
            row.rows[:] = _without_children(row.rows)

    def is_inside(task: Task) -> bool:
        return any((task.path, line) in lines for line in task.above())

    return [row for row in rows if not (isinstance(row, Task) and is_inside(row))]


def _shown_tasks(row: Row) -> dict[str, Any]:
    if isinstance(row, Group):
        return {"group": as_json(row.key), "count": len(row.rows), "tasks": [_shown_tasks(one) for one in row.rows]}
    entry = {"filename": row.path, "line": row.get("line"), "status": row.get("status"), "text": row.get("text")}
    children = [_shown_child(child) for child in row.get("children") or ()]
    return {**entry, "children": children} if children else entry


def _shown_child(task: Task) -> dict[str, Any]:
    entry = {name: task.get(name) for name in ("line", "status", "text")}
    children = [_shown_child(child) for child in task.get("children")]
    return {**entry, "children": children} if children else entry
