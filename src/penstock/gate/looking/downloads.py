"""Write a table out as CSV, JSON lines or JSON, piece by piece: the whole never is in memory."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.gate.looking.cells import clean, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.gate.looking.windows import RowWindow

FORMATS: Final[dict[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "json": "application/json",
}


def written_rows(windows: Iterable[RowWindow], form: str) -> Iterator[bytes]:
    """Return rows in a format. Cells of CSV that are arrays or objects are JSON; a cell that is absent is empty."""
    head, between = True, b"[\n"
    for window in windows:
        if form == "csv":
            yield _csv([window.columns] if head else [], window.rows)
            head = False
            continue
        lines = [_object(window.columns, row) for row in window.rows]
        if form == "jsonl":
            yield b"".join(line + b"\n" for line in lines)
        elif lines:
            yield between + b",\n".join(lines)
            between = b",\n"
    if form == "json":
        yield b"\n]\n" if between != b"[\n" else b"[]\n"


def _csv(head: list[tuple[str, ...]], rows: Iterable[tuple[Any, ...]]) -> bytes:
    made = io.StringIO()
    writer = csv.writer(made)
    writer.writerows(head)
    writer.writerows([_csv_cell(cell) for cell in row] for row in rows)
    return clean(made.getvalue()).encode()


def _csv_cell(cell: Any) -> Any:
    if cell is None or (isinstance(cell, str | int | float) and not isinstance(cell, bool)):
        return cell
    return written(cell)


def _object(columns: Iterable[str], row: Iterable[Any]) -> bytes:
    fields = {name: cell for name, cell in zip(columns, row, strict=True) if cell is not None}
    try:
        return msgspec.json.encode(fields)
    except (ValueError, TypeError, OverflowError):
        return written(fields).encode()
