"""The answer to a question in SQL as a model reads it: one writer for the gate that gives it, and for its price."""

from __future__ import annotations

from typing import Any, Final

from penstock.core.answer.notice import encode
from penstock.core.text import counted, shorten

MOST_COLUMNS: Final = 30  # names of columns in an answer, whose rows have them all


def rows_text(rows: list[dict[str, Any]], columns: list[str]) -> bytes:
    """Return all rows in one text, with the escapes that the gate writes."""
    return encode({**about_rows(len(rows), columns), "result": rows})


def about_rows(count: int, columns: list[str]) -> dict[str, Any]:
    """Describe the rows of an answer before them; the names of the columns, if no row has them."""
    if count:
        return {"row_count": count}
    names = [shorten(name) for name in columns[:MOST_COLUMNS]]
    if len(columns) > MOST_COLUMNS:
        names.append(f"+{counted(len(columns) - MOST_COLUMNS, 'column')}")
    return {"row_count": count, "columns": names}
