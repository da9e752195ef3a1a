"""Read texts with one form alone, whatever other forms there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.forms.api import DoesNotHoldError
from penstock.core.forms.document import errors_for
from penstock.core.forms.read_text import Parsed, sample_of, text_table

if TYPE_CHECKING:
    from penstock.core.forms.api import Form, Words
    from penstock.core.forms.reading import Table


class Read:
    """What one form made of a text: its words, its tables by name, and all cells."""

    def __init__(self, parsed: Parsed) -> None:
        self.tables: dict[str, Table] = {table.name: table for table in parsed.tables()}
        self.words: Words = parsed.words(list(self.tables.values()))
        self.cells: dict[str, dict[str, list[Any]]] = parsed.cells or {}

    def rows(self, table: str = "items") -> list[dict[str, Any]]:
        columns = self.cells[table]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def column(self, name: str, table: str = "items") -> list[Any]:
        return self.cells[table][name]


def read_as(form: Form, text: str | bytes) -> Read | None:
    """The text as the form reads it; None where it does not recognise it, or finds that it does not hold."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    errors = errors_for(raw)
    options = form.recognise(sample_of(raw, errors, raw.count(b"\n") + 1))
    if options is None:
        return None
    try:
        return Read(text_table(form, options, raw, errors))
    except DoesNotHoldError:
        return None
