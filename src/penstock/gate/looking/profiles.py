"""Profiles each column of a held result: types, how many rows have it, the most frequent values, ranges, sums.

They are learned from the document as they were when it was held, whose notice has them as words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.converted import converted
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.gate.looking.cells import shown_cell

if TYPE_CHECKING:
    from penstock.core.forms.converted import Convert
    from penstock.core.forms.reading import Cells, Field, Table
    from penstock.core.profile import Column
    from penstock.gate.held import HeldReader

MOST_TABLES: Final = 24  # tables, and
MOST_COLUMNS: Final = 200  # columns of each that are listed; more are counted
TOP: Final = 8  # values of a column, the most frequent first
LONG: Final = 120  # characters of a value
TYPES: Final = {str: "text", int: "integer", float: "number", bool: "true/false"}


def profile_of(opened: HeldReader, convert: Convert) -> list[dict[str, Any]]:
    """Return the tables of a held result with their columns. ``exact`` is false where some rows were learned only."""
    raw = opened.held.read(0, opened.held.size("raw"))
    reading = read_form(converted(read(raw), convert, at_once=len(raw)))
    tables = [_table(table, main=number == 0) for number, table in enumerate(reading.tables[:MOST_TABLES])]
    if reading.main is not None and reading.main.exact and reading.cells is not None:
        for column in tables[0]["columns"]:
            _add_rows(column, reading.cells)
    return tables


def _add_rows(column: dict[str, Any], cells: Cells) -> None:
    """Add the first row of each extreme of a column of the main table."""
    ends = [column[name] for name in ("least", "greatest", "earliest", "latest") if name in column]
    columns = cells.columns([column["name"]]) if ends else None
    if columns is not None:
        shown = [shown_cell(one, LONG) for one in columns[column["name"]]]
        for end in ends:
            end["row"] = shown.index(end["value"]) + 1


def _table(table: Table, *, main: bool) -> dict[str, Any]:
    return {
        "name": "items" if main else table.name,
        "path": table.path,
        "rows": table.rows,
        "about": table.about,
        "exact": table.exact,
        "columns": [_column(field, table.count) for field in table.fields[:MOST_COLUMNS]],
        "more_columns": max(0, len(table.fields) - MOST_COLUMNS),
    }


def _column(field: Field, rows: int) -> dict[str, Any]:
    column = field.column
    profile: dict[str, Any] = {
        "name": field.name,
        "types": {TYPES.get(kind, kind.__name__): number for kind, number in column.kinds.items() if number},
        "rows": max(rows, field.filled),
        "filled": field.filled,
    }
    if field.place is not None and not column.filled:
        place = field.place
        profile["types"] = {
            name: number for name, number in (("object", place.objects), ("array", place.arrays)) if number
        }
        profile |= {"items": place.items, "fewest": place.fewest, "most": place.most} if place.arrays else {}
        return profile
    return profile | _values(column)


def _values(column: Column) -> dict[str, Any]:
    """Return the values of a column that are no arrays or objects."""
    profile: dict[str, Any] = {
        "different": column.different,
        "at_least": column.over + 1 if column.counts is None else 0,
    }
    profile["top"] = [[shown_cell(value, LONG), number] for value, number in column.values()[:TOP]]
    for name, extreme in (
        ("least", column.least),
        ("greatest", column.greatest),
        ("earliest", column.earliest if column.is_time else None),
        ("latest", column.latest if column.is_time else None),
    ):
        profile |= {} if extreme is None else {name: {"value": shown_cell(extreme.value, LONG)}}
    if column.is_numeric and column.least is not None:
        profile["sum"] = shown_cell(column.total)
    return profile
