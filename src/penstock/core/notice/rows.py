"""Sample rows of a table as lines of text: which columns, which rows, and how a cell is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.reading import TextSpec
from penstock.core.notice.facts import listed, name_of
from penstock.core.tables.roles import Role, amounts_of, fact_score, is_sparse, role_of, row_score
from penstock.core.text import plain

if TYPE_CHECKING:
    from penstock.core.forms.reading import Cells, Field, Table

MAX_COLUMNS: Final = 6  # Columns of a sample row,
MIN_COLUMNS: Final = 4  # of which this many are shown however wide they are.
WIDEST: Final = 90  # Average characters of a sample row.
MAX_WHOLE: Final = 10  # A table with at most this many rows is shown whole.
SAMPLE_ROWS: Final = 2  # Rows that are shown of a longer table.
LONG_CELL: Final = 40  # Characters of a cell.
LONG_LAST: Final = 60  # Characters of the last cell, which is often the text that says what a row is about.
COMPARED_ROWS: Final = 16  # Evenly spaced rows that decide whether two columns are duplicates.
MIN_COMPARED: Final = 4  # With fewer rows, two columns may be equal by chance.
NAMING: Final = (Role.LABEL, Role.ID, Role.PATH)  # Roles of columns that name a row. If one is shown,
OPAQUE: Final = (Role.LINK, Role.CODE)  # columns with these roles are not.
# Columns that a listing derives from the path, which is shown anyway.
DERIVED_FROM_PATH: Final = frozenset(("name", "folder", "extension"))


def columns_to_show(table: Table) -> list[Field]:
    """Return the columns that tell most of a row, in the order of the table; a long text comes last."""
    return table.once("columns to show", _columns_to_show)


def _columns_to_show(table: Table) -> list[Field]:
    is_listing = isinstance(table.spec, TextSpec) and table.field("path") is not None
    ranked: list[tuple[float, int, Field]] = []
    for number, field in enumerate(table.fields):
        score = row_score(field, table.count)
        if score is None or field.column.encoded or (is_listing and field.name in DERIVED_FROM_PATH):
            continue
        ranked.append((score.total, number, field))
    ranked.sort(key=lambda one: one[:2])
    chosen: list[tuple[int, Field]] = []
    width = 0.0
    for _, number, field in ranked:
        if any(_says_the_same(field, other) for _, other in chosen):
            continue
        width += min(LONG_CELL, _average(field)) + 1
        if len(chosen) >= MAX_COLUMNS or (width > WIDEST and len(chosen) >= MIN_COLUMNS):
            break
        if role_of(field, table.count) in OPAQUE and any(role_of(one, table.count) in NAMING for _, one in chosen):
            break
        chosen.append((number, field))
    chosen.sort(key=lambda one: (_average(one[1]) > LONG_CELL, one[0]))
    return [field for _, field in chosen] or list(table.fields[:MIN_COLUMNS])


def _says_the_same(field: Field, other: Field) -> bool:
    """Return True if the cells of a column are those of another, with a constant prefix if there is one.

    Examples are a path from the root next to one from the project, and an address that ends in the id.
    """
    cells, others = field.column.cells, other.column.cells
    if cells is None or others is None or len(cells) != len(others) or len(cells) < MIN_COMPARED:
        return False
    step = max(1, len(cells) // COMPARED_ROWS)
    pairs = list(zip(cells[::step], others[::step], strict=True))
    if not all(type(one) is type(same) is str and one.endswith(same) for one, same in pairs):
        return False
    return len({one.removesuffix(same) for one, same in pairs}) == 1 < len(set(pairs))


def rows_to_show(table: Table, cells: Cells) -> list[int]:
    """Return the numbers of the sample rows: all of a short table, else one or two that are unlike the others.

    These are the row with the greatest amount and the first row with a value that few rows have. The first and the last
    row stand in for them.
    """
    at_hand = cells.numbers
    if len(at_hand) <= MAX_WHOLE:
        return list(at_hand)
    special = [*_greatest_rows(table), *_sparse_rows(table, cells), at_hand[0], at_hand[-1]]
    chosen = dict.fromkeys(row for row in special if row in at_hand)
    return sorted(list(chosen)[:SAMPLE_ROWS])


def _greatest_rows(table: Table) -> list[int]:
    """Return the row with the greatest value of the best amount."""
    if not table.exact:
        return []
    columns = columns_to_show(table)
    rows = (_greatest_row(field) for field in amounts_of(table) if field in columns)
    return [row for row in rows if row is not None][:1]


def _greatest_row(field: Field) -> int | None:
    column = field.column
    if column.greatest is not None:
        return column.greatest.row
    numbers = list(map(float, column.cells)) if column.cells is not None and column.writes_numbers else []
    return numbers.index(max(numbers)) if numbers else None


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
    last = len(cells) - 1
    return "|".join(_cell(cell, LONG_LAST if at == last else LONG_CELL) for at, cell in enumerate(cells))


def header_text(fields: list[Field]) -> str:
    return "|".join(map(name_of, fields))


def _cell(value: Any, limit: int) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        if any(isinstance(one, list | dict) for one in value) or len(value) > 6:
            return f"[{len(value):,} items]"
        return f"[{', '.join(listed(one, 24) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{len(value):,} fields}}"
    return plain(value, limit)


def _average(field: Field) -> float:
    """Return the characters of a cell, on average."""
    column = field.column
    texts = column.kinds.get(str, 0)
    return (column.bulk + 6 * (column.filled - texts)) / max(1, column.filled) if column.filled else 20.0
