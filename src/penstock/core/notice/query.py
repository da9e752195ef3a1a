"""One runnable query for a notice: an aggregate with the real names, quoting, joins and functions that the data needs.

It counts what the facts leave open. The first of these that the data has is the query:

1. the best column whose values repeat and are too many to list, such as the customer of an order;
2. the best column of the parts of a row, which are rows of a child table or items of a list;
3. the two best groupings together, or the best one with the sum or the mean of the best amount;
4. the rows by time, and by the best grouping;
5. the best other column whose values repeat.

A second grouping is added only if the answer stays short.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from penstock.core.forms.rows import OF_NODE, RowSpec
from penstock.core.forms.times import SECOND, epoch_unit, parse_time
from penstock.core.notice.cross import MAX_ROWS
from penstock.core.sql_text import quoted
from penstock.core.tables.roles import (
    GROUPS,
    KEY_ROLES,
    MAX_VALUES,
    Role,
    amounts_of,
    fact_score,
    groups_of,
    is_additive,
    is_nested,
    is_rate,
    role_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.core.forms.reading import Cells, Field, Reading, Table

MAX_GROUPS: Final = 100  # A query gives at most 100 rows, because a reader takes in no more.
MAX_KEY: Final = 60  # Rows are grouped by values of at most 60 characters on average. Longer ones are texts.
# The names of periods, the characters of a time that are the same in one, and the seconds of one.
PERIODS: Final = (
    ("minute", 16, 60),
    ("hour", 13, 3_600),
    ("day", 10, 86_400),
    ("month", 7, 2_678_400),
    ("year", 4, 31_622_400),
)
NAMED: Final = (*GROUPS, *KEY_ROLES, Role.TEXT)  # Roles of columns whose values may be counted.
_UNASKABLE: Final = re.compile("[\x00\ud800-\udfff]")  # SQL cannot contain these characters.
_DATE_AND_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}.*)?")


def next_query(reading: Reading) -> str | None:
    """Return the query, or None if the main table has nothing to count."""
    main = reading.main
    if main is None or main.count < 2:
        return None
    queries = chain(
        _by_key(main, reading.cells),
        _by_parts(main, reading.tables),
        _by_groups(main, reading.cells),
        _by_time(main),
        _by_any(main),
    )
    sql = next(queries, None)
    return None if sql is None or _UNASKABLE.search(sql) else sql


def _by_key(table: Table, cells: Cells | None) -> Iterator[str]:
    """Count the rows of each value of the best column whose values repeat and are too many to list."""
    keys = [one for one in _countable(table) if (one.column.different or 0) > MAX_VALUES]
    for key in keys[:1]:
        yield _counted([key, *_second_group(key, table, cells)], table)


def _countable(table: Table) -> list[Field]:
    """Return the columns of short texts that each appear twice on average, best first."""
    fields = [one for one in table.fields if _is_countable(one, table)]
    return sorted(fields, key=lambda one: fact_score(one, table.count).total)


def _is_countable(field: Field, table: Table) -> bool:
    column = field.column
    if role_of(field, table.count) not in NAMED or field.name in OF_NODE or is_nested(field) or column.is_numeric:
        return False
    if column.hidden or column.bulk > MAX_KEY * column.filled:
        return False
    return 1 < (column.different or 0) <= column.filled // 2


def _second_group(first: Field, table: Table, cells: Cells | None) -> list[Field]:
    """Return the best other grouping, if there are few enough pairs of values to read them all; else nothing."""
    for group in groups_of(table):
        if group is first or group.name in OF_NODE:
            continue
        if _are_few_pairs(first, group):
            return [group]
        is_at_hand = table.exact and table.count <= MAX_ROWS
        columns = cells.columns([first.name, group.name]) if cells is not None and is_at_hand else None
        if columns is not None and len(set(zip(*columns.values(), strict=True))) <= MAX_GROUPS:
            return [group]
    return []


def _are_few_pairs(first: Field, second: Field) -> bool:
    return 0 < len(first.column.values()) * len(second.column.values()) <= MAX_GROUPS


def _by_parts(table: Table, tables: tuple[Table, ...]) -> Iterator[str]:
    """Count the parts of the rows: those of the child table or the list that has most of them."""
    parts = [(one.count, _by_child(table, one)) for one in tables[1:] if one.inside == table.name and one.count]
    if isinstance(table.spec, RowSpec):
        parts += [(_items(one), _by_list(one)) for one in table.fields if _items_repeat(one)]
    for _, sql in sorted(parts, key=lambda one: -one[0]):
        if sql:
            yield sql


def _by_child(table: Table, child: Table) -> str:
    """Count the rows of a child table by its best column, or by the best grouping of the rows around them, and sum its
    best amount."""
    amount = _amount(child)
    total = [] if amount is None else [_aggregate(amount, "c.")]
    for key in _countable(child):
        counts = ["count(*) AS n", "count(DISTINCT c._row) AS in_rows", *total]
        return _grouped([f"c.{quoted(key.name)}"], counts, f"{child.name} c")
    for group in groups_of(table):
        source = f"{table.name} JOIN {child.name} c ON c._row = {table.name}.rowid"
        return _grouped([f"{table.name}.{quoted(group.name)}"], ["count(*) AS n", *total], source)
    return ""


def _items(field: Field) -> int:
    return field.place.items if field.place is not None else 0


def _by_list(field: Field) -> str:
    """Count the items of a list."""
    return _grouped(["value"], ["count(*) AS n"], f"items, json_each(items.{quoted(field.name)})")


def _items_repeat(field: Field) -> bool:
    place = field.place
    each = place.each if place is not None and place.is_only(place.arrays) else None  # json_each reads arrays alone.
    column = each.column if each is not None else None
    return column is not None and not column.is_numeric and 1 < (column.different or 0) < column.filled


def _by_groups(table: Table, cells: Cells | None) -> Iterator[str]:
    """Count the rows of two groupings together, or sum the best amount by one. The facts have the counts of one."""
    for group in _groups(table)[:1]:
        fields = [group, *_second_group(group, table, cells)]
        if len(fields) > 1 or _amount(table) is not None:
            yield _counted(fields, table)


def _groups(table: Table) -> list[Field]:
    return [one for one in groups_of(table) if one.name not in OF_NODE]


def _by_time(table: Table) -> Iterator[str]:
    """Count the rows of each period, by the best grouping if there is one."""
    times = [one for one in table.fields if role_of(one, table.count) is Role.TIME]
    for field in sorted(times, key=lambda one: fact_score(one, table.count).total):
        groups = _groups(table)[:1]
        if period := _period(field, MAX_GROUPS // max([1, *(len(one.column.values()) for one in groups)])):
            names = [quoted(one.name) for one in groups]
            yield _grouped([period, *names], ["count(*) AS n"], table.name, order="1")


def _period(field: Field, most: int) -> str:
    """Return the shortest period of which the times have at most ``most``; empty if there is none."""
    column = field.column
    ends = (column.least, column.greatest) if column.is_numeric else (column.earliest, column.latest)
    times = [time for one in ends if one is not None and (time := parse_time(one.value)) is not None]
    span = (max(times) - min(times)) // SECOND if times else 0
    text = _moment(field)
    periods = ((name, characters) for name, characters, seconds in PERIODS if 0 < span // seconds < most)
    return next((f"substr({text}, 1, {characters}) AS {name}" for name, characters in periods if text), "")


def _moment(field: Field) -> str:
    """Return the expression for a time as a text that begins with its date; empty if the data has another form."""
    column, name = field.column, quoted(field.name)
    if not column.is_numeric:
        return name if _DATE_AND_TIME.fullmatch(str(column.example)) else ""
    unit = epoch_unit(column.example) or SECOND
    return f"datetime({name if unit == SECOND else f'{name} / {SECOND // unit}'}, 'unixepoch')"


def _by_any(table: Table) -> Iterator[str]:
    """Count the rows of the best column whose values repeat."""
    for field in _countable(table)[:1]:
        yield _counted([field], table)


def _counted(fields: list[Field], table: Table) -> str:
    """Count the rows of a table by some columns, and add up its best amount."""
    amount = _amount(table)
    counts = ["count(*) AS n"] + ([] if amount is None else [_aggregate(amount)])
    return _grouped([quoted(one.name) for one in fields], counts, table.name)


def _grouped(names: list[str], counts: Iterable[str], source: str, order: str = "n DESC") -> str:
    numbers = ", ".join(str(number) for number in range(1, len(names) + 1))
    selected = ", ".join([*names, *counts])
    return f"SELECT {selected} FROM {source} GROUP BY {numbers} ORDER BY {order} LIMIT {MAX_GROUPS}"  # noqa: S608


def _amount(table: Table) -> Field | None:
    """Return the best amount of a table that most rows have, if there is one."""
    usable = (one for one in amounts_of(table) if one.name not in OF_NODE and one.filled * 2 > table.count)
    return next((one for one in usable if is_additive(one) or is_rate(one.name)), None)


def _aggregate(field: Field, table: str = "") -> str:
    """Return the sum of an amount, or the mean of a rate. A function reads the numbers of texts."""
    name = f"{table}{quoted(field.name)}"
    number = name if field.column.is_numeric else f"number({name})"
    return f"sum({number}) AS total" if is_additive(field) else f"avg({number}) AS mean"
