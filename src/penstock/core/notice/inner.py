"""Facts of documents that stand in the cells of a column: JSON, a diff, a log.

    payload ->> '$.user.role': admin ×41 · guest ×9
    in patch, all cells together: a diff: 412 files, +1,203 -88
    in patch, path: src/a.py ×12 · src/b.py ×9 · +37 values

The column with the longest texts is read once more. Objects of JSON are read as the records of one array, and their
columns are named as SQL reaches them. Lines are read together, by a form that reads each of them by itself, so that
the border between two cells changes no row. These facts rank as those of an object in the row do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.core.forms.document import read as read_document
from penstock.core.forms.embedded import read_lines
from penstock.core.forms.recognise import read_form
from penstock.core.notice.cross import MAX_ROWS
from penstock.core.notice.facts import facts_of, name_of
from penstock.core.sql_text import quoted
from penstock.core.tables.roles import DEPTH_STEP, is_nested
from penstock.core.text import LONG_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.reading import Cells, Field, Reading, Table

HUNK: Final = "@@ -"  # A change to a file begins so, if the names of the file are left out.
MAX_TEXT: Final = 1_048_576  # Up to 1 MB of texts in cells is read a second time, which takes 100 ms.


class Inner(NamedTuple):
    """The lines about the documents in a column, each with its rank. ``column`` is its number in the table."""

    lines: tuple[tuple[float, str], ...] = ()
    column: int | None = None


def inner_of(reading: Reading) -> Inner:
    """Return the facts of the documents in the column with the longest texts."""
    main, cells = reading.main, reading.cells
    if main is None or cells is None or not main.exact or main.count > MAX_ROWS:
        return Inner()
    return main.once("inner", lambda table: _inner(table, cells))


def _inner(table: Table, cells: Cells) -> Inner:
    numbers = [number for number, field in enumerate(table.fields) if _may_be_documents(field)]
    if not numbers:
        return Inner()
    number = max(numbers, key=lambda one: table.fields[one].column.bulk)
    field = table.fields[number]
    columns = cells.columns([field.name])
    texts = [] if columns is None else [text for text in columns[field.name] if text]
    lines = tuple(_json_lines(field, texts) if field.column.is_json else _text_lines(field, texts))
    return Inner(lines, number) if lines else Inner()


def _may_be_documents(field: Field) -> bool:
    """Return True if the cells are texts that are too long to be read in a sample row."""
    column = field.column
    if is_nested(field) or column.encoded or not column.are_all(str):
        return False
    return column.is_json or LONG_VALUE * column.filled < column.bulk <= MAX_TEXT


def _json_lines(field: Field, texts: list[Any]) -> Iterator[tuple[float, str]]:
    """Yield what the columns of the objects hold, if all cells are objects."""
    reading = read_form(read_document(f"[{','.join(texts)}]"))
    main = reading.main
    if main is None or main.path != "." or main.count != len(texts):
        return
    for fact in facts_of(main):
        inner = main.fields[fact.columns[0]]
        name, words = _sql_name(field, inner), fact.text.removeprefix(name_of(inner))
        if name is not None and words != fact.text:
            yield DEPTH_STEP + fact.rank, f"{name}{words}"


def _sql_name(field: Field, inner: Field) -> str | None:
    """Return the expression for a value in the objects of a column.

    Other names than these have to be written as the JSON text writes them, which may differ from row to row.
    """
    steps = () if inner.path is None else inner.path.path
    if not steps or not all(isinstance(step, str) and step.isascii() and step.isidentifier() for step in steps):
        return None
    return f"{quoted(field.name)} ->> '$.{'.'.join(map(str, steps))}'"


def _text_lines(field: Field, texts: list[Any]) -> Iterator[tuple[float, str]]:
    """Yield what the lines of all cells are together, and what the columns of their rows hold."""
    are_hunks = all(text.startswith(HUNK) for text in texts)
    files = [f"--- a/{at}\n+++ b/{at}\n{text}" for at, text in enumerate(texts)] if are_hunks else texts
    reading = read_lines("\n".join(files))
    if reading is None:
        return
    yield DEPTH_STEP, f"in {name_of(field)}, all cells together: {reading.words}"
    if are_hunks:
        return  # The names of the files are in another column.
    for table in reading.tables[:1]:
        for fact in facts_of(table):
            yield DEPTH_STEP + fact.rank, f"in {name_of(field)}, {fact.text}"
