"""The columns of fields that queries have read, kept for the next query on the same notes.

A model that refines a query names the same fields again. Reading and decoding them is most of what a query over a large
vault takes.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from vault_server.catalog import Catalog
    from vault_server.dataview.rows import Pages

MOST_COLUMNS: Final = 8  # of 50,000 notes each takes half a megabyte
MOST_CHARACTERS: Final = 1_000_000  # of the different texts in one: a field of long texts is read again
PLAIN: Final = frozenset({str, bool, int, float, datetime, timedelta, NoneType})


class Columns:
    """The columns of one catalog, the last ones that were read."""

    def __init__(self) -> None:
        self._kept: tuple[Catalog | None, dict[str, list[Any]]] = (None, {})

    def of(self, catalog: Catalog) -> dict[str, list[Any]]:
        """Return the columns that are there for a query on this catalog."""
        known, columns = self._kept
        return {**columns} if known is catalog else {}

    def keep(self, pages: Pages) -> None:
        """Keep what a query has read of all notes, as far as it is small."""
        known, notes = self.of(pages.catalog), pages.catalog.files.notes
        new = {name: _small(column, notes) for name, column in pages.columns.items() if name not in known}
        columns = {**known, **{name: column for name, column in new.items() if column}}
        self._kept = (pages.catalog, dict([*columns.items()][-MOST_COLUMNS:]))


def _small(column: list[Any], notes: bytearray) -> list[Any]:
    """Return a column in which equal texts are one; an empty one where notes were not read, or have other things than
    plain values, or long texts."""
    texts: dict[str, str] = {}
    small = [texts.setdefault(value, value) if type(value) is str else value for value in column]
    if 0 in notes:  # files that no query reads
        small = [value if is_note else None for value, is_note in zip(small, notes, strict=True)]
    is_plain = {*map(type, small)} <= PLAIN and sum(map(len, texts)) <= MOST_CHARACTERS
    return small if is_plain else []
