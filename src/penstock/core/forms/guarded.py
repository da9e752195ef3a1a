"""The form of a plug-in, behind a guard: whatever it raises or returns costs the form, never a result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.api import DoesNotHoldError, Form, Words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.core.forms.api import Batch, Batches, Lines, Options, Sample, Tables

MOST_NAME: Final = 40  # Characters of the name of a form.
MOST_COLUMNS: Final = 1_900  # Columns of a table that SQLite accepts.
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_COLUMN: Final = re.compile(r"[A-Za-z_]\w*")
_SCALARS: Final = (str, int, float, bool, type(None))
_GREATEST: Final = 2**63  # SQLite has no integers beyond it.


class GuardedForm(Form):
    """Asks the form of a plug-in and checks its answers."""

    def __init__(self, form: Form) -> None:
        """Take a form. ``ValueError`` if it lacks a member of the contract."""
        texts = [getattr(form, name, None) for name in ("name", "title", "noun")]
        if not all(isinstance(text, str) and text.isprintable() and 0 < len(text) <= MOST_NAME for text in texts):
            raise ValueError("a form needs a name, a title and a noun, each a text of at most 40 characters")
        if not _NAME.fullmatch(form.name):
            raise ValueError(f"the name of a form has lower case letters, digits and _: {form.name!r}")
        if not all(callable(getattr(form, name, None)) for name in ("recognise", "read")):
            raise ValueError(f"the form {form.name!r} needs the methods recognise and read")
        self._form = form
        self.name, self.title, self.noun = form.name, form.title, form.noun

    def recognise(self, sample: Sample) -> Options | None:
        try:
            options = self._form.recognise(sample)
            # What a store cannot keep would fail later, when the result is held.
            return None if options is None else dict(msgspec.msgpack.decode(msgspec.msgpack.encode(options)))
        except Exception:  # noqa: BLE001  (whatever a plug-in raises)
            return None

    def read(self, lines: Lines, options: Options) -> Batches:
        """Yield the rows that the plug-in makes, as long as they are rows."""
        try:
            has_rows = False
            for batch in self._form.read(lines, options):
                _check(batch)
                has_rows = has_rows or "items" in batch
                yield batch
        except Exception as error:  # noqa: BLE001
            raise DoesNotHoldError(f"the form {self.name} failed ({type(error).__name__})") from None
        if not has_rows:
            raise DoesNotHoldError("no rows")

    def words(self, tables: Tables) -> Words:
        own = getattr(self._form, "words", None)
        try:
            words = own(tables) if own is not None else None
        except Exception:  # noqa: BLE001
            words = None
        return words if isinstance(words, Words) and _are_words(words) else Form.words(self, tables)


def _are_words(words: Words) -> bool:
    return all(isinstance(text, str) for text in (words.what, *words.facts)) and not words.excerpts


def _check(batch: Batch) -> None:
    """Raise if this is not a batch of tables with columns of one length, each cell a scalar."""
    for table, columns in batch.items():
        _check_names([table, *columns])
        if len({len(cells) for cells in columns.values()}) > 1 or len(columns) > MOST_COLUMNS:
            raise ValueError("columns of different lengths, or too many")
        if not all(_is_cell(cell) for cells in columns.values() for cell in cells):
            raise ValueError("a cell that is not a text, a number, a boolean or None")


def _check_names(names: Iterable[Any]) -> None:
    if not all(isinstance(name, str) and _COLUMN.fullmatch(name) for name in names):
        raise ValueError("a name that is not one of letters, digits and _")


def _is_cell(cell: Any) -> bool:
    if type(cell) is int:
        return -_GREATEST <= cell < _GREATEST
    return type(cell) in _SCALARS and cell == cell and cell not in (float("inf"), float("-inf"))  # noqa: PLR0124  (NaN)
