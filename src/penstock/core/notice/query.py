"""One runnable query for a notice: an aggregate with the real names, quoting, joins and casts of the data.

It answers what the facts leave open. Counts by a column whose values the facts cannot list come first, then items of a
list, then rows of a child table, then counts by the best grouping. A second grouping is added if the
answer stays short.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.forms.rows import OF_NODE, RowSpec
from penstock.core.notice.cross import MAX_ROWS
from penstock.core.sql_text import quoted
from penstock.core.tables.roles import (
    MAX_VALUES,
    Role,
    amounts_of,
    fact_score,
    groups_of,
    is_additive,
    is_rate,
    role_of,
)

if TYPE_CHECKING:
    from penstock.core.forms.reading import Cells, Field, Reading, Table

MAX_GROUPS: Final = 100  # Rows of the answer: as many as a reader takes in.
MAX_KEY: Final = 60  # Average characters of a value that rows are grouped by. A longer one is a text.
_UNASKABLE: Final = re.compile("[\x00\ud800-\udfff]")  # SQL cannot contain these characters.


def next_query(reading: Reading) -> str | None:
    """Return the query, or None if the main table has nothing to group by."""
    main = reading.main
    if main is None or main.count < 2:
        return None
    sql = _by_key(main, reading.cells) or _by_list(main) or _by_child(main, reading.tables)
    sql = sql or _by_groups(main, reading.cells)
    return None if sql is None or _UNASKABLE.search(sql) else sql


def _by_key(table: Table, cells: Cells | None) -> str | None:
    """Count the rows of each value of the best column whose values repeat and are too many to list."""
    fields = [one for one in table.fields if _is_key(one, table)]
    if not fields:
        return None
    key = min(fields, key=lambda one: fact_score(one, table.count).total)
    return _grouped([key, *_second_group(key, table, cells)], table)


def _second_group(first: Field, table: Table, cells: Cells | None) -> list[Field]:
    """Return the best other grouping, if there are few enough pairs of values to read them all; else nothing."""
    for group in groups_of(table):
        if group is first or group.name in OF_NODE:
            continue
        if 0 < len(first.column.values()) * len(group.column.values()) <= MAX_GROUPS:
            return [group]
        is_countable = table.exact and table.count <= MAX_ROWS
        columns = cells.columns([first.name, group.name]) if cells is not None and is_countable else None
        if columns is not None and len(set(zip(*columns.values(), strict=True))) <= MAX_GROUPS:
            return [group]
    return []


def _is_key(field: Field, table: Table) -> bool:
    column = field.column
    if role_of(field, table.count) not in (Role.WHO, Role.LABEL, Role.CATEGORY, Role.PATH, Role.ID, Role.TEXT):
        return False
    if field.name in OF_NODE or column.hidden or column.bulk > MAX_KEY * column.filled or column.is_numeric:
        return False
    different = column.different
    return (
        different is not None and MAX_VALUES < different <= column.filled // 2
    )  # Each value is there twice on average.


def _by_list(table: Table) -> str | None:
    """Count the items of the best list whose items repeat."""
    lists = [one for one in table.fields if role_of(one, table.count) is Role.LIST and _items_repeat(one)]
    if not lists or not isinstance(table.spec, RowSpec):
        return None
    best = min(lists, key=lambda one: fact_score(one, table.count).total)
    return (
        f"SELECT value, count(*) AS n FROM items, json_each(items.{quoted(best.name)})"  # noqa: S608
        f" GROUP BY 1 ORDER BY n DESC LIMIT {MAX_GROUPS}"
    )


def _items_repeat(field: Field) -> bool:
    place = field.place
    each = place.each if place is not None and place.is_only(place.arrays) else None  # json_each reads arrays alone.
    return each is not None and 1 < (each.column.different or 0) < each.column.filled


def _by_child(table: Table, tables: tuple[Table, ...]) -> str | None:
    """Count the rows of the largest child table and sum its best amount, by the best grouping of the parent."""
    children = [one for one in tables[1:] if one.inside == table.name and one.count]
    groups = groups_of(table)
    if not children or not groups:
        return None
    child = max(children, key=lambda one: one.count)
    amount = _amount(child)
    total = f", sum(c.{quoted(amount.name)}) AS total" if amount is not None else ""
    return (
        f"SELECT items.{quoted(groups[0].name)}, count(*) AS n{total} FROM items "  # noqa: S608
        f"JOIN {child.name} c ON c._row = items.rowid GROUP BY 1 ORDER BY n DESC LIMIT {MAX_GROUPS}"
    )


def _by_groups(table: Table, cells: Cells | None) -> str | None:
    groups = [one for one in groups_of(table) if one.name not in OF_NODE]
    return _grouped([groups[0], *_second_group(groups[0], table, cells)], table) if groups else None


def _grouped(fields: list[Field], table: Table) -> str:
    names = ", ".join(quoted(one.name) for one in fields)
    numbers = ", ".join(str(number) for number in range(1, len(fields) + 1))
    amount = _amount(table)
    total = f", {_aggregate(amount)}" if amount is not None else ""
    return (
        f"SELECT {names}, count(*) AS n{total} FROM {table.name}"  # noqa: S608
        f" GROUP BY {numbers} ORDER BY n DESC LIMIT {MAX_GROUPS}"
    )


def _amount(table: Table) -> Field | None:
    """Return the best amount of a table, if it has one."""
    usable = (one for one in amounts_of(table) if one.name not in OF_NODE and (is_additive(one) or is_rate(one.name)))
    return next(usable, None)


def _aggregate(field: Field) -> str:
    """Return the sum of an amount, or the mean of a rate. Numbers that are texts are cast."""
    name = quoted(field.name) if field.column.is_numeric else f"CAST({quoted(field.name)} AS REAL)"
    return f"sum({name}) AS total" if is_additive(field) else f"avg({name}) AS mean"
