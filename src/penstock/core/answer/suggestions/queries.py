"""Questions in SQL that are worth asking of a table: by which columns it divides, its extremes, rows of a rare kind.

A ``Query`` writes itself as SQL, and answers itself from the cells at hand: what it costs is known because its answer
was made.
"""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.columns import (
    DEEPER,
    FEW,
    KNOWN,
    TELLING,
    UNWANTED,
    divides,
    has_times,
    is_additive,
    is_amount,
    is_amount_in_text,
    is_nested,
    is_numbering,
    is_of_other,
    others_in,
    tells_error,
    unwanted,
)
from penstock.core.answer.crossed import ALARMS, alarms_of
from penstock.core.answer.show_rows import columns_to_show
from penstock.core.forms.rows import OF_NODE
from penstock.core.plain import Plain
from penstock.core.sql_text import literal, quoted
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.core.forms.reading import Cells, Field, Reading, Table

FEW_ROWS: Final = 5
MOST_GROUPS: Final = 40  # rows of an answer that counts
MOST_ROWS: Final = 20  # rows of an answer that lists
TOP: Final = 10  # rows with the greatest numbers, or the latest times
LONG_VALUE: Final = 60  # characters of a value that a query compares with
HEAD: Final = 4_000  # characters of the only text that there is: a thousand tokens
LONG_CELL: Final = 160  # characters on average of a column that is listed
RARE: Final = 10  # rows for each with a value whose rows are worth to be listed
PLACES: Final = 6  # decimals of a sum of texts that write numbers: more are noise of the summing

ANY: Final = None  # whatever value there is
_ROLES: Final = ("heading", "button", "link", "textbox")


class Query(Plain, frozen=True, kw_only=True):
    """A SELECT over the table ``items``. With ``group`` it counts, else it lists ``columns``; ``where`` is one column
    and its value, or ``ANY``; ``order`` is the column by which the greatest come first. What it lists with both are
    those with the value, the greatest first."""

    why: str
    columns: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    total: str | None = None
    where: tuple[str, Any] | None = None
    order: str | None = None
    most: int | None = MOST_GROUPS  # groups; None where there are no more than that, of rows, too
    cut: tuple[str, ...] = ()  # columns of which only the first characters are listed,
    head: int = LONG_CELL  # so many
    written: bool = False  # the column to add up or to order by has texts that write numbers

    @property
    def sql(self) -> str:
        where = f" WHERE {quoted(self.where[0])} {_is(self.where[1])}" if self.where is not None else ""
        if self.group:
            names = ", ".join(map(quoted, self.group))
            total = f", {self._sum(self.total)} AS total" if self.total is not None else ""
            numbers = ", ".join(map(str, range(1, len(self.group) + 1)))
            limit = f" LIMIT {self.most}" if self.most is not None else ""
            return f"SELECT {names}, count(*) AS n{total} FROM items{where} GROUP BY {numbers} ORDER BY n DESC{limit}"  # noqa: S608
        names = ", ".join(self._column(one) for one in self.columns)
        order = f" ORDER BY {self._number(self.order)} DESC" if self.order is not None else ""
        limit = f" LIMIT {self._rows}" if self.most is not None else ""
        return f"SELECT {names} FROM items{where}{order}{limit}"  # noqa: S608

    def _number(self, name: str) -> str:
        return f"CAST({quoted(name)} AS REAL)" if self.written else quoted(name)

    def _sum(self, name: str) -> str:
        return f"round(sum({self._number(name)}), {PLACES})" if self.written else f"sum({quoted(name)})"

    def _column(self, name: str) -> str:
        return f"substr({quoted(name)}, 1, {self.head}) AS {quoted(name)}" if name in self.cut else quoted(name)

    @property
    def _rows(self) -> int:
        return TOP if self.order is not None and self.where is None else min(MOST_ROWS, self.most or MOST_ROWS)

    @property
    def is_count(self) -> bool:
        """Return whether the facts of one column answer it."""
        return len(self.group) == 1 and self.total is None and self.where is None

    @property
    def needed(self) -> list[str]:
        """Return the columns of which all cells are looked at."""
        where = self.where[0] if self.where is not None else None
        return [name for name in (*self.group, self.total, where, self.order) if name is not None]

    def answer(self, cells: Cells, columns: dict[str, list[Any]], count: int) -> list[dict[str, Any]]:
        """Return the rows that SQL gives; ``columns`` has all cells of the columns that are needed."""
        return self._groups(columns) if self.group else self._listed(cells, columns, count)

    def _groups(self, columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
        counts = Counter(self._keys(columns))
        sums: dict[Any, float] = {}  # of groups with a number: SQL gives null for the others
        for key, value in zip(self._keys(columns), columns[self.total], strict=True) if self.total is not None else ():
            if value is not None:
                sums[key] = sums.get(key, 0) + (float(value) if self.written else value)
        sums = {key: round(one, PLACES) for key, one in sums.items()} if self.written else sums
        return [
            dict(zip(self.group, key if len(self.group) > 1 else (key,), strict=True))
            | {"n": number}
            | ({"total": sums.get(key)} if self.total is not None else {})
            for key, number in counts.most_common(self.looked_at)
        ]

    @property
    def looked_at(self) -> int | None:
        """Return the groups that are made: one more than are wanted, to know how many the next one has."""
        return None if self.most is None else self.most + 1

    def of_whole_ranks(self, rows: list[dict[str, Any]]) -> tuple[Query, list[dict[str, Any]]]:
        """Return the query for so many groups that all of them have more rows than the next one, and these groups: of
        those that have as many SQL would give any."""
        if not self.group or self.most is None or len(rows) <= self.most:
            return self, rows
        more = [row for row in rows if row["n"] > rows[self.most]["n"]]
        return msgspec.structs.replace(self, most=len(more)), more

    def _keys(self, columns: dict[str, list[Any]]) -> Iterable[Any]:
        """Return the group of each row: the value of the one column, or those of several. None is kept: making as many
        tuples takes longer than counting them."""
        first, *others = (columns[name] for name in self.group)
        return zip(first, *others, strict=True) if others else first

    def _listed(self, cells: Cells, columns: dict[str, list[Any]], count: int) -> list[dict[str, Any]]:
        numbers: list[int] = list(range(count))
        if self.where is not None:
            column = columns[self.where[0]]
            sought = self.where[1]
            numbers = [at for at, one in enumerate(column) if (one is not None if sought is ANY else one == sought)]
        if self.order is not None:
            column = columns[self.order]
            present = [at for at in numbers if column[at] is not None]
            numbers_at = {at: float(column[at]) for at in present} if self.written else column
            greatest = heapq.nlargest(self._rows, present, key=numbers_at.__getitem__)
            numbers = [*greatest, *(at for at in numbers if column[at] is None)]
        numbers = numbers[: self._rows] if self.most is not None else numbers
        rows = cells.rows(numbers, self.columns)
        return [
            {
                name: cell and cell[: self.head] if name in self.cut else cell
                for name, cell in zip(self.columns, row, strict=True)
            }
            for row in rows
        ]


def _is(value: Any) -> str:
    return "IS NOT NULL" if value is ANY else f"= {literal(value)}"


def counting(table: Table) -> Iterator[Query]:
    """Yield questions that the facts of a column answer by themselves: how many rows have which value."""
    for field in table.fields:
        is_only = len(table.fields) == 1 and field.column.values() and not is_nested(field)
        if divides(field, table.count) is not None or is_only:
            yield Query(why=f"how many by {plain(field.name)}", group=(field.name,))


def counted_rows(query: Query, table: Table) -> list[dict[str, Any]]:
    """Return the rows that the count of one column gives, from the facts of that column."""
    [name] = query.group
    field = table.field(name)
    values = field.column.values() if field is not None else []
    absent = [(None, table.count - field.filled)] if field is not None and field.filled < table.count else []
    rows = sorted([*values[: query.looked_at], *absent], key=lambda one: -one[1]) if values else []
    return [{name: value, "n": number} for value, number in rows[: query.looked_at]]


def queries(reading: Reading) -> Iterator[Query]:
    """Yield queries on the main table whose answers the facts do not have, the most useful first: the rows behind what
    is wrong, those with the most of something, counts by two columns. Most often the first is taken, so each is made
    when it is asked for."""
    main = reading.main
    if main is None or not main.count:
        return
    dividing = sorted(
        (
            (quality, field)
            for field in main.fields
            if field.name not in OF_NODE and (quality := divides(field, main.count)) is not None
            if not is_of_other(field, others_in(main))
        ),
        key=lambda one: one[0] + DEEPER * one[1].name.count("."),
    )
    if main.noun == "sections":
        dividing = []  # the level of a heading says nothing of what stands below it
    telling = [field for quality, field in dividing if quality < TELLING]
    known = [field for quality, field in dividing if quality < KNOWN]
    choices = _choices(main, [field for _, field in dividing])
    alarms = [one for one in choices if str(one[1]).lower() in alarms_of(one[0]) and one[2] * 2 <= main.count]
    yield from _rows_with(main, sorted(alarms, key=_urgency)[:1])
    yield from _rows_with(main, _errors(main)[: not alarms])
    yield from _rows_with(main, _useful_nodes(main))
    amounts = sorted((one for one in main.fields if _is_much(one, main.count)), key=unwanted)
    additive = [one for one in amounts if is_additive(one)]
    wanted = [one for one in amounts if unwanted(one) < UNWANTED]
    by_one = len(telling) == 1 == len(known)
    yield from _summing(known if by_one else [], additive)
    yield from _greatest(main, wanted)
    yield from _counting(telling)
    yield from _summing([] if by_one else telling, additive)
    yield from _greatest(main, [] if wanted else amounts)
    yield from _commonest(main, additive) if additive else ()
    few = [one for one in choices if one[2] <= MOST_ROWS and one[2] * RARE <= main.count]
    few = [one for one in few if one[0] in known or not one[0].column.has_more_than(FEW)]
    yield from _rows_with(main, [] if alarms else sorted(few, key=lambda one: one[2])[:1])
    yield from _latest(main)
    yield from () if additive else _commonest(main, [])
    yield from plain_queries(main)


def _is_much(field: Field, rows: int) -> bool:
    """Tell whether people may ask which rows have the most of it."""
    if field.filled * 2 <= rows or field.name in OF_NODE:
        return False
    is_much = is_amount(field) or (
        is_amount_in_text(field) and divides(field, rows) is None and not is_numbering(field)
    )
    return is_much and field.column.has_more_than(FEW)


def _is_written(field: Field) -> bool:
    return not field.column.is_numeric


def _useful_nodes(main: Table) -> list[tuple[Field, Any, int]]:
    """Return the kind of nodes of a page that people look for, if there are more than the facts name."""
    role = main.field("role") if main.noun == "nodes" else None
    counts = dict(role.column.values()) if role is not None else {}
    return [(role, one, counts[one]) for one in _ROLES if role is not None and counts.get(one, 0) > FEW][:1]


def _counting(columns: list[Field]) -> Iterator[Query]:
    """Count by the best column, and by the next one that does not say the same in other words."""
    first = columns[0] if columns else None
    second = next((one for one in columns[1:] if first is not None and _counts(one) != _counts(first)), None)
    if first is not None and second is not None:
        most = (len(first.column.values()) + 1) * (len(second.column.values()) + 1)
        why = f"how many by {plain(first.name)} and {plain(second.name)}"
        yield Query(why=why, group=(first.name, second.name), most=MOST_GROUPS if most > MOST_GROUPS else None)


def _counts(field: Field) -> list[int]:
    return [count for _, count in field.column.values()]


def _summing(columns: list[Field], numbers: list[Field]) -> Iterator[Query]:
    """Add up a number by the one column that divides the table; yes and no hardly divide what people ask for."""
    if len(columns) != 1 or columns[0].column.are_all(bool):
        return
    if summed := [one for one in numbers if one is not columns[0]]:
        name, total = columns[0].name, summed[0]
        why = f"how many, and the sum of {plain(total.name)}, by {plain(name)}"
        yield Query(why=why, group=(name,), total=total.name, most=None, written=_is_written(total))


def _commonest(main: Table, amounts: list[Field]) -> Iterator[Query]:
    """Ask for the files, people or things with most rows, of which there are too many to divide the table, and how much
    these have of the first amount."""
    labels = [one for one in main.fields if one.filled * 2 > main.count and _is_repeated(one)]
    labels.sort(key=lambda one: one.name.count("."))
    for field in labels[:1] if len(main.fields) > 1 else ():
        total = amounts[0].name if amounts else None
        much = f", and the sum of {plain(total)}" if total is not None else ""
        why = f"which {plain(field.name)} has most{much}"
        written = bool(amounts) and _is_written(amounts[0])
        yield Query(why=why, group=(field.name,), total=total, most=MOST_ROWS, written=written)


def _is_repeated(field: Field) -> bool:
    column = field.column
    if not column.are_all(str) or is_nested(field) or column.is_time or column.hidden or column.is_json:
        return False
    different = column.different or 0
    is_common = MOST_GROUPS < different <= column.filled // 3 and column.bulk <= LONG_VALUE * column.filled
    return is_common and not column.writes_numbers


def _rows_with(main: Table, choices: list[tuple[Field, Any, int]]) -> Iterator[Query]:
    """Ask for the rows with a value, the latest of them where they are many."""
    for field, value, count in choices:
        listed = [one for one in _listed(main) if one is not field]
        times = [one for one in _times(main) if count > MOST_ROWS and one.filled == main.count]
        every = "the one" if count == 1 else f"the {count:,}"
        some = every if count <= MOST_ROWS else f"the {'latest' if times else 'first'} {MOST_ROWS} of {count:,}"
        if listed:
            why = f"{some} with {plain(field.name)}" + ("" if value is ANY else f" {plain(value)}")
            order = times[0].name if times else None
            own = [field] if value is ANY else []
            yield _listing(why, [*times, *own, *listed], where=(field.name, value), order=order)


def _errors(main: Table) -> list[tuple[Field, Any, int]]:
    """Return the columns that tell what went wrong, and that only the rows have where something did."""
    return [
        (one, ANY, one.filled)
        for one in main.fields
        if 0 < one.filled * 2 <= main.count and tells_error(one) and not is_nested(one)
        if one.column.kinds.keys() <= {str, int} and (one.column.is_numeric or "" not in (one.column.counts or {}))
    ]


def _urgency(alarm: tuple[Field, Any, int]) -> tuple[bool, int, int]:
    """Put those first whose rows are few enough to be listed, then the worst."""
    _, value, count = alarm
    return count > MOST_ROWS, ALARMS.index(str(value).lower()), count


def _choices(main: Table, columns: list[Field]) -> list[tuple[Field, Any, int]]:
    choices = [(field, value, count) for field in columns for value, count in field.column.values()]
    return [one for one in choices if len(str(one[1])) <= LONG_VALUE and one[2] < main.count]


def _greatest(main: Table, amounts: list[Field]) -> Iterator[Query]:
    for field in amounts[:1]:
        yield _first(main, field, "greatest")


def _latest(main: Table) -> Iterator[Query]:
    for field in _times(main):
        yield _first(main, field, "latest")


def _first(main: Table, field: Field, what: str) -> Query:
    why = f"the {TOP} with the {what} {plain(field.name)}"
    written = _is_written(field) and not field.column.is_time
    return _listing(why, [field, *_listed(main)], order=field.name, written=written)


def _times(main: Table) -> list[Field]:
    """Return the first column of times, be they written as texts or as numbers."""
    usual = (one for one in main.fields if one.filled * 2 > main.count and not is_nested(one))
    return list(islice((one for one in usual if one.column.is_time or has_times(one)), 1))


def plain_queries(main: Table) -> Iterator[Query]:
    """Ask of a table that nothing divides: its commonest values, or its first rows in the columns that tell most, fewer
    where they are long."""
    first = main.fields[0]
    is_text = first.column.are_all(str) and not is_nested(first)
    if len(main.fields) == 1 and is_text and (first.column.different or 0) < first.filled:
        yield Query(why=f"the commonest of {counted(main.count, 'value')}", group=(first.name,))
    listed = _listed(main)
    texts = [one for one in main.fields if one.column.are_all(str) and one.column.bulk > HEAD]
    if main.count == 1 and len(texts) == 1 and sum(one is not texts[0] for one in listed) <= 1:
        name = texts[0].name
        yield Query(why=f"the beginning of {plain(name)}", columns=(name,), cut=(name,), head=HEAD)
    elif listed:
        if main.count <= MOST_GROUPS:
            yield _listing("all rows in few columns", listed, most=None)
        for most in (MOST_ROWS, FEW_ROWS):
            yield _listing(f"the first {min(most, main.count)} rows in few columns", listed, most=most)


def _listing(why: str, fields: list[Field], **more: Any) -> Query:
    """Make a query that lists these columns, of long texts their beginnings."""
    columns = {one.name: one for one in fields}
    long = tuple(name for name, one in columns.items() if one.column.bulk > LONG_CELL * max(1, one.column.filled))
    return Query(why=why, columns=tuple(columns), cut=long, **more)


def _listed(main: Table) -> list[Field]:
    """Return the columns that tell most; a long one among them only if all of its cells are texts."""
    fields = columns_to_show(main)
    return [one for one in fields if one.column.bulk <= LONG_CELL * max(1, one.column.filled) or _is_text(one)]


def _is_text(field: Field) -> bool:
    return field.column.are_all(str) and not is_nested(field)
