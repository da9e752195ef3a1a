"""Sample rows of a table as lines of text: which columns, which rows, and how a cell is written."""

from __future__ import annotations

from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.core.amounts import plain_numbers
from penstock.core.forms.file_names import DERIVED
from penstock.core.forms.reading import TextSpec
from penstock.core.forms.rows import OF_NODE
from penstock.core.notice.facts import listed, name_of
from penstock.core.notice.failures import failures_by
from penstock.core.severity import failure_of
from penstock.core.tables.roles import (
    MAX_NAME,
    Role,
    amounts_of,
    cell_length,
    fact_score,
    is_sparse,
    role_of,
    row_score,
)
from penstock.core.text import LONG_VALUE, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.reading import Cells, Field, Table

MAX_WHOLE: Final = 10  # A table with at most 10 rows is shown whole, because a reader takes it in at a glance.
MIN_COMPARED: Final = 4  # Two columns are compared if there are at least 4 rows. In fewer, they may be equal by chance.
NAMING: Final = (Role.LABEL, Role.ID, Role.PATH)  # Roles of columns that name a row. If one is shown,
OPAQUE: Final = (Role.LINK, Role.CODE)  # columns with these roles are not.


class RowColumn(NamedTuple):
    """A column of sample rows: its number in the table, the characters of a cell on average, and its score."""

    number: int
    field: Field
    width: float
    score: float

    @property
    def is_long(self) -> bool:
        return self.width >= LONG_VALUE


def columns_to_show(table: Table) -> Iterator[RowColumn]:
    """Yield the columns that can be shown, best first. Links and codes are not if a column names the rows."""
    is_listing = isinstance(table.spec, TextSpec) and table.field("path") is not None
    ranked: list[RowColumn] = []
    for number, field in enumerate(table.fields):
        score = row_score(field, table.count)
        if score is None or field.column.encoded or (is_listing and field.name in DERIVED):
            continue
        ranked.append(RowColumn(number, field, cell_length(field), score.total))
    ranked.sort(key=attrgetter("score"))
    chosen: list[Field] = []
    has_name, level = False, MAX_NAME
    for column in ranked:
        role = role_of(column.field, table.count)
        depth = column.field.name.count(".")
        # The key of an object in a row, such as ``user.id``, names no row that has an ``id``.
        is_opaque = role in OPAQUE if depth <= level else role in OPAQUE or (role is Role.ID and _is_key(column.field))
        if (has_name and is_opaque) or any(_says_the_same(column.field, other) for other in chosen):
            continue
        if role in NAMING:
            has_name = True
            level = level if column.field.name in OF_NODE else min(level, depth)
        chosen.append(column.field)
        yield column


def _is_key(field: Field) -> bool:
    """Return True if no two rows have the same integer or text in a column."""
    column = field.column
    return (column.are_all(int) or column.are_all(str)) and column.has_more_than(column.filled - 1)


def _says_the_same(field: Field, other: Field) -> bool:
    """Return True if the cells of a column are those of another, with a constant prefix if there is one.

    Examples are a path from the root next to one from the project, and an address that ends in the id.
    """
    cells, others = field.column.cells, other.column.cells
    if cells is None or others is None or len(cells) != len(others) or len(cells) < MIN_COMPARED:
        return False
    if not all(type(one) is type(same) is str and one.endswith(same) for one, same in zip(cells, others, strict=True)):
        return False
    prefixes = {one.removesuffix(same) for one, same in zip(cells, others, strict=True)}
    return len(prefixes) == 1 < len(set(cells))


def rows_to_show(table: Table, cells: Cells, most: int) -> list[int]:
    """Return the numbers of the sample rows: all of a short table, else up to ``most``.

    The rows that tell most come first, then the latest row, then the rows in their order.
    """
    at_hand = cells.numbers
    if len(at_hand) <= MAX_WHOLE:
        return list(at_hand)
    chosen: dict[int, None] = {}
    candidates = chain(telling_rows(table, cells), _latest_rows(table, cells), at_hand)
    for row in (row for row in candidates if row in at_hand):
        chosen[row] = None
        if len(chosen) == most:
            break
    return list(chosen)


def telling_rows(table: Table, cells: Cells) -> list[int]:
    """Return the row with the greatest amount, the first that failed, and the first with a value that few rows have."""
    return [*_greatest_rows(table, cells), *_failed_rows(table, cells), *_sparse_rows(table, cells)]


def _failed_rows(table: Table, cells: Cells) -> list[int]:
    """Return the first row whose state is a failure."""
    state = failures_by(table) if table.exact else None
    columns = None if state is None else cells.columns([state.name])
    if state is None or columns is None:
        return []
    return [next(at for at, value in enumerate(columns[state.name]) if failure_of(value))]


def _greatest_rows(table: Table, cells: Cells) -> list[int]:
    """Return the row with the greatest value of the best amount."""
    if not table.exact:
        return []
    rows = (_greatest_row(field, cells) for field in amounts_of(table))
    return list(islice((row for row in rows if row is not None), 1))


def _greatest_row(field: Field, cells: Cells) -> int | None:
    column = field.column
    if column.greatest is not None:
        return _row_of(column.greatest.value, field, cells)
    texts = column.cells or []
    numbers = list(map(float, texts if column.writes_numbers else plain_numbers(texts) or []))
    return _row_of(texts[numbers.index(max(numbers))], field, cells) if numbers else None


def _latest_rows(table: Table, cells: Cells) -> list[int]:
    """Return the row with the latest value of the best time."""
    if not table.exact:
        return []
    times = [field for field in table.fields if role_of(field, table.count) is Role.TIME]
    times.sort(key=lambda one: fact_score(one, table.count).total)
    rows = (
        _row_of(end.value, field, cells) for field in times if (end := field.column.latest or field.column.greatest)
    )
    return list(islice((row for row in rows if row is not None), 1))


def _row_of(value: Any, field: Field, cells: Cells) -> int | None:
    """Return the first row that has a value in a column. Return None if the cells are not at hand."""
    columns = cells.columns([field.name])
    return None if columns is None else columns[field.name].index(value)


def _sparse_rows(table: Table, cells: Cells) -> list[int]:
    """Return the first row that has a value in the best column that only few rows have."""
    if not table.exact:
        return []
    for field in sorted(table.fields, key=lambda one: fact_score(one, table.count).total):
        if is_sparse(field, table.count) and (columns := cells.columns([field.name])) is not None:
            return [next(at for at, one in enumerate(columns[field.name]) if one is not None)]
    return []


def row_text(cells: list[Any]) -> str:
    """Return one row as a line."""
    return "|".join(map(_cell, cells))


def header_text(fields: list[Field]) -> str:
    return "|".join(map(name_of, fields))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        if any(isinstance(one, list | dict) for one in value) or len(value) > 6:
            return f"[{len(value):,} items]"
        return f"[{', '.join(listed(one, 24) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{len(value):,} fields}}"
    return plain(value)
