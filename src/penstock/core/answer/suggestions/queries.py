"""Questions in SQL that are worth asking of a table: by which columns it divides, its extremes, rows of a rare kind.

A ``Query`` writes itself as SQL, and answers itself from the cells at hand: what it costs is known because its answer
was made.
"""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.columns import DEEPER, KNOWN, TELLING, divides, is_additive, is_known, is_nested
from penstock.core.answer.crossed import ALARMS, alarms_of
from penstock.core.answer.show_rows import columns_to_show
from penstock.core.forms.rows import OF_NODE
from penstock.core.plain import Plain
from penstock.core.sql_text import literal, quoted
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.core.forms.reading import Cells, Field, Reading, Table

MOST_GROUPS: Final = 40  # rows of an answer that counts
MOST_ROWS: Final = 20  # rows of an answer that lists
MOST_LISTED: Final = 6  # columns of such rows
TOP: Final = 10  # rows with the greatest numbers, or the latest times
LONG_VALUE: Final = 60  # characters of a value that a query compares with
HEAD: Final = 4_000  # characters of the only text that there is: a thousand tokens
LONG_CELL: Final = 160  # characters on average of a column that is listed


class Query(Plain, frozen=True, kw_only=True):
    """A SELECT over the table ``items``. With ``group`` it counts, else it lists ``columns``; ``where`` is one column
    and its value; ``order`` is the column by which the greatest come first."""

    why: str
    columns: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    total: str | None = None
    where: tuple[str, Any] | None = None
    order: str | None = None
    most: int | None = MOST_GROUPS  # groups; None where there are no more than that, of rows, too
    head: int | None = None  # characters of the one column that are listed

    @property
    def sql(self) -> str:
        where = f" WHERE {quoted(self.where[0])} = {literal(self.where[1])}" if self.where is not None else ""
        if self.group:
            names = ", ".join(map(quoted, self.group))
            total = f", sum({quoted(self.total)}) AS total" if self.total is not None else ""
            numbers = ", ".join(map(str, range(1, len(self.group) + 1)))
            limit = f" LIMIT {self.most}" if self.most is not None else ""
            return f"SELECT {names}, count(*) AS n{total} FROM items{where} GROUP BY {numbers} ORDER BY n DESC{limit}"  # noqa: S608
        names = ", ".join(map(quoted, self.columns))
        names = f"substr({names}, 1, {self.head}) AS {names}" if self.head is not None else names
        order = f" ORDER BY {quoted(self.order)} DESC" if self.order is not None else ""
        limit = f" LIMIT {TOP if self.order is not None else MOST_ROWS}" if self.most is not None else ""
        return f"SELECT {names} FROM items{where}{order}{limit}"  # noqa: S608

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
                sums[key] = sums.get(key, 0) + value
        return [
            dict(zip(self.group, key if len(self.group) > 1 else (key,), strict=True))
            | {"n": number}
            | ({"total": sums.get(key)} if self.total is not None else {})
            for key, number in counts.most_common(self.most)
        ]

    def _keys(self, columns: dict[str, list[Any]]) -> Iterable[Any]:
        """Return the group of each row: the value of the one column, or those of several. None is kept: making as many
        tuples takes longer than counting them."""
        first, *others = (columns[name] for name in self.group)
        return zip(first, *others, strict=True) if others else first

    def _listed(self, cells: Cells, columns: dict[str, list[Any]], count: int) -> list[dict[str, Any]]:
        numbers: list[int] = list(range(min(count, MOST_ROWS) if self.most is not None else count))
        if self.where is not None:
            column = columns[self.where[0]]
            numbers = [at for at, value in enumerate(column) if value == self.where[1]][:MOST_ROWS]
        elif self.order is not None:
            column = columns[self.order]
            present = [at for at, value in enumerate(column) if value is not None]
            numbers = heapq.nlargest(TOP, present, key=column.__getitem__)
        rows = cells.rows(numbers, self.columns)
        rows = rows if self.head is None else [[cell[: self.head] for cell in row] for row in rows]
        return [dict(zip(self.columns, row, strict=True)) for row in rows]


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
    rows = sorted([*values[: query.most], *absent], key=lambda one: -one[1]) if values else []
    return [{name: value, "n": number} for value, number in rows[: query.most]]


def queries(reading: Reading) -> Iterator[Query]:
    """Yield queries on the main table: about what is wrong, then the most useful first. Most often the first is taken,
    so each is made when it is asked for."""
    main = reading.main
    if main is None or not main.count:
        return
    dividing = sorted(
        ((quality, field) for field in main.fields if (quality := divides(field, main.count)) is not None),
        key=lambda one: one[0] + DEEPER * one[1].name.count("."),
    )
    if main.noun == "sections":
        dividing = []  # the level of a heading says nothing of what stands below it
    columns = [field for quality, field in dividing]
    telling = [field for quality, field in dividing if quality < TELLING]
    known = [field for quality, field in dividing if quality < KNOWN]
    choices = _choices(main, columns)
    alarms = [one for one in choices if str(one[1]).lower() in alarms_of(one[0]) and one[2] * 2 <= main.count]
    yield from _rare(main, sorted(alarms, key=_urgency)[:1])
    numbers = [
        one for one in main.fields if one.filled * 2 > main.count and is_additive(one) and one.name not in OF_NODE
    ]
    numbers.sort(key=lambda one: divides(one, main.count) is not None)  # many different amounts say more than few
    labels = _labels(main)
    if not known:
        yield from _commonest([one for one in labels if is_known(one)], numbers)
    yield from _counting(telling)
    yield from _summing(telling, numbers)
    yield from _commonest(labels, numbers)
    yield from _greatest(main, numbers)
    yield from _rare(main, [] if alarms else _choices(main, known))
    yield from _counting([] if len(telling) > 1 else columns)
    yield from _rare(main, [] if alarms or known else choices)
    yield from _plain(main)


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
    if len(columns) != 1 or columns[0].column.kinds.keys() == {bool}:
        return
    if summed := [one.name for one in numbers if one is not columns[0]]:
        name, total = columns[0].name, summed[0]
        why = f"how many, and the sum of {plain(total)}, by {plain(name)}"
        yield Query(why=why, group=(name,), total=total, most=None)


def _labels(main: Table) -> list[Field]:
    """Return the columns that name files, people or things of which there are too many to divide the table."""
    labels = [one for one in main.fields if one.filled * 2 > main.count and _is_repeated(one)]
    return sorted(labels, key=lambda one: one.name.count(".")) if len(main.fields) > 1 else []


def _commonest(labels: list[Field], numbers: list[Field]) -> Iterator[Query]:
    """Ask for the files, people or things with most rows, and how much these have of the first amount."""
    for field in labels[:1]:
        total = numbers[0].name if numbers else None
        much = f", and the sum of {plain(total)}" if total is not None else ""
        yield Query(why=f"which {plain(field.name)} has most{much}", group=(field.name,), total=total, most=MOST_ROWS)


def _is_repeated(field: Field) -> bool:
    column = field.column
    if column.kinds.keys() != {str} or is_nested(field) or column.is_time or column.hidden or column.is_json:
        return False
    different = column.different or 0
    is_common = MOST_GROUPS < different <= column.filled // 3 and column.bulk <= LONG_VALUE * column.filled
    return is_common and not column.writes_numbers


def _rare(main: Table, choices: list[tuple[Field, Any, int]]) -> Iterator[Query]:
    """Return the rows with a rare value: one that says that something is wrong, or the rarest of a known column."""
    listed = _listed(main) if choices else ()
    for field, value, count in sorted(choices, key=lambda one: (one[2] > MOST_ROWS, one[2]))[:1]:
        names = tuple(dict.fromkeys(name for name in listed if name != field.name))
        every = "the one" if count == 1 else f"the {count:,}"
        some = every if count <= MOST_ROWS else f"the first {MOST_ROWS} of {count:,}"
        if names:
            why = f"{some} with {plain(field.name)} {plain(value)}"
            yield Query(why=why, columns=names, where=(field.name, value))


def _urgency(alarm: tuple[Field, Any, int]) -> tuple[bool, int, int]:
    """Put those first whose rows are few enough to be listed, then the worst."""
    _, value, count = alarm
    return count > MOST_ROWS, ALARMS.index(str(value).lower()), count


def _choices(main: Table, columns: list[Field]) -> list[tuple[Field, Any, int]]:
    choices = [(field, value, count) for field in columns for value, count in field.column.values()]
    return [one for one in choices if len(str(one[1])) <= LONG_VALUE and one[2] < main.count]


def _greatest(main: Table, numbers: list[Field]) -> Iterator[Query]:
    times = [one for one in main.fields if one.filled * 2 > main.count and one.column.is_time and not is_nested(one)]
    for field, what in [*((one, "greatest") for one in numbers[:1]), *((one, "latest") for one in times[:1])]:
        names = tuple(dict.fromkeys((field.name, *_listed(main))))[: MOST_LISTED + 1]
        yield Query(why=f"the {TOP} with the {what} {plain(field.name)}", columns=names, order=field.name)


def _plain(main: Table) -> Iterator[Query]:
    """Ask of a table that nothing divides: its commonest values, or its first rows in the columns that tell most."""
    first = main.fields[0]
    is_text = first.column.kinds.keys() == {str} and not is_nested(first)
    if len(main.fields) == 1 and is_text and (first.column.different or 0) < first.filled:
        yield Query(why=f"the commonest of {counted(main.count, 'value')}", group=(first.name,))
    names = _listed(main)
    texts = [one for one in main.fields if one.column.kinds.keys() == {str} and one.column.bulk > HEAD]
    if main.count == 1 and len(names) <= 1 and len(texts) == 1:
        yield Query(why=f"the beginning of {plain(texts[0].name)}", columns=(texts[0].name,), head=HEAD)
    elif names:
        if main.count <= MOST_GROUPS:
            yield Query(why="all rows in few columns", columns=names, most=None)
        yield Query(why=f"the first {min(MOST_ROWS, main.count)} rows in few columns", columns=names)


def _listed(main: Table) -> tuple[str, ...]:
    fields = [one for one in columns_to_show(main) if one.column.bulk <= LONG_CELL * max(1, one.column.filled)]
    return tuple(field.name for field in fields[:MOST_LISTED])
