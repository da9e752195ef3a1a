"""The truth about data, worked out by plain Python, and readings compared with it."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.reading import Field, Reading, Table
    from penstock.core.profile import Column

Cell = Any
Record = dict[str, Cell]


def reading_of(data: Any) -> Reading:
    """A text or bytes as they are, anything else as JSON."""
    return read_form(read(data if isinstance(data, str | bytes) else json.dumps(data)))


def main_of(reading: Reading) -> Table:
    assert reading.main is not None
    return reading.main


def table_named(reading: Reading, name: str) -> Table:
    return next(table for table in reading.tables if table.name == name)


def names_of(table: Table) -> list[str]:
    return [field.name for field in table.fields]


def column_of(table: Table, name: str) -> Column:
    field = table.field(name)
    assert field is not None
    return field.column


def rows_of(reading: Reading) -> list[Record]:
    """All rows of the main table, each as the cells by the names of the columns."""
    assert reading.cells is not None
    names = names_of(main_of(reading))
    columns = reading.cells.columns(names)
    assert columns is not None
    assert list(columns) == names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def check_column(column: Column, cells: list[Cell]) -> None:
    """Compare the facts of a column with its cells. What is neither a scalar nor null is no part of them."""
    scalars = [cell for cell in cells if not isinstance(cell, dict | list)]
    filled = [cell for cell in scalars if cell is not None]
    assert column.filled == len(filled)
    assert column.kinds == Counter(map(type, filled))
    assert column.different in (None, len({(isinstance(cell, bool), cell) for cell in filled}))
    assert column.true == sum(cell is True for cell in filled)
    _check_numbers(column, cells)
    texts = [cell for cell in filled if isinstance(cell, str)]
    assert column.bulk == sum(map(len, texts))
    if values := column.values():
        truth = Counter((isinstance(cell, bool), cell) for cell in filled)
        assert Counter({(isinstance(value, bool), value): count for value, count in values}) == truth
        assert [count for _, count in values] == sorted(truth.values(), reverse=True)


def check_field(field: Field, cells: list[Cell]) -> None:
    """Compare the facts of a column of a table with its cells. Of the paths of nodes only the number is known."""
    if field.name != "_path":
        check_column(field.column, cells)
    assert field.filled == sum(cell is not None for cell in cells)


def _check_numbers(column: Column, cells: list[Cell]) -> None:
    numbers = [cell for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)]
    assert (column.least and column.least.value) == min(numbers, default=None)
    assert (column.greatest and column.greatest.value) == max(numbers, default=None)
    if math.isfinite(column.total):  # a sum that no float holds is not told
        exact = [Fraction(cell) for cell in numbers]
        assert abs(Fraction(column.total) - sum(exact)) <= sum(map(abs, exact)) / 10**9


def check_rows(reading: Reading, rows: list[Record]) -> None:
    """Compare the main table, all its cells and all its facts with the rows that it should have."""
    table = main_of(reading)
    names = names_of(table)
    assert table.count == len(rows)
    assert table.exact
    assert rows_of(reading) == [{name: row.get(name) for name in names} for row in rows]
    assert set().union(*rows) <= set(names)
    for field in table.fields:
        cells = [row.get(field.name) for row in rows]
        check_field(field, cells)
    check_cells(reading)


def check_cells(reading: Reading) -> None:
    """Some rows are the same rows as those among all."""
    table, cells = main_of(reading), reading.cells
    assert cells is not None
    every = rows_of(reading)
    assert len(every) == table.count
    assert list(cells.numbers) == list(range(table.count))
    some = list(range(0, table.count, max(1, table.count // 5)))[::-1]
    names = names_of(table)[::-1]
    assert cells.rows(some, names) == [[every[number][name] for name in names] for number in some]


def flat(record: Record, prefix: str = "") -> Iterator[tuple[str, Cell]]:
    """The cells of a record, those of objects in it under names with dots."""
    for key, value in record.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
