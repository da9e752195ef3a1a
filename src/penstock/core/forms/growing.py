"""Rows whose columns come up as they are read: the keys of stanzas."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import DoesNotHoldError
from penstock.core.forms.json_columns import free_name
from penstock.core.forms.text_cells import typed

if TYPE_CHECKING:
    from collections.abc import Container

    from penstock.core.forms.api import Columns

MAX_COLUMNS: Final = 400  # A table has at most 400 columns. Rows with more different keys have nothing in common.
MAX_KEY: Final = 100  # A key has at most 100 characters. A longer text is not a name of a column.


@dataclass(slots=True, kw_only=True)
class GrowingRows:
    """Gathers rows cell by cell until a batch is full. Names that differ only in case become different ones, as SQL
    takes them for one. ``taken`` are names that no key may have."""

    taken: set[str] = field(default_factory=set)
    size: int = 0
    names: dict[str, str] = field(default_factory=dict)
    _columns: dict[str, list[Any]] = field(default_factory=dict)
    _parts: dict[tuple[str, int], list[str]] = field(default_factory=dict)

    def put(self, key: str, text: str) -> None:
        """Give the row that is open a cell; a further text under the same key becomes a further line of it."""
        cells = self._columns.get(key)
        if cells is None:
            self._name(key)
            cells = self._columns[key] = []
        missing = self.size - len(cells)
        if missing < 0:
            self._parts.setdefault((key, self.size), [cells[-1] or ""]).append(text)
            return
        if missing:
            cells += [None] * missing
        cells.append(text or None)

    def close(self) -> None:
        """End the row that is open."""
        self.size += 1

    def take(self, texts: Container[str]) -> Columns:
        """Return the columns of all closed rows by their names; those that are not to be ``texts`` may be numbers. The
        row that is open stays."""
        opened = {key: [cells.pop()] for key, cells in self._columns.items() if len(cells) > self.size}
        for (key, row), parts in self._parts.items():
            if row < self.size:
                self._columns[key][row] = "\n".join(parts)
        columns: Columns = {}
        for key, cells in self._columns.items():
            name = self.names[key]
            cells.extend([None] * (self.size - len(cells)))
            columns[name] = cells if name in texts else typed(cells)
        self._parts = {(key, 0): parts for (key, row), parts in self._parts.items() if row == self.size}
        self._columns = opened
        self.size = 0
        return columns

    def _name(self, key: str) -> None:
        if key in self.names:
            return
        if len(self.names) >= MAX_COLUMNS or len(key) > MAX_KEY:
            raise DoesNotHoldError("too many different keys")
        self.names[key] = free_name(key, [], self.taken)
