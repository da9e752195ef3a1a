"""The form of a plug-in, behind a guard: whatever it raises or returns, and however long it takes, costs the form and
never a result. Only code that never comes back cannot be stopped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.api import DoesNotHoldError, Form, Words
from penstock.core.forms.text_cells import MAX_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.core.forms.api import Batch, Batches, Lines, Options, Sample, Tables

MAX_NAME: Final = 40  # Characters of the name of a form. The model reads it in each answer.
MAX_RECOGNISE_S: Final = 1.0  # Seconds to recognise a text. A form that takes longer is not asked again.
MAX_READ_S: Final = 5.0  # Seconds to read a text of a megabyte, which takes forms of our own 0.1 s.
MEGABYTE: Final = 1_000_000
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_COLUMN: Final = re.compile(r"[A-Za-z_]\w*")
_SCALARS: Final = (str, int, float, bool, type(None))
_GREATEST: Final = 2**63  # SQLite has no integers beyond it.


class GuardedForm(Form):
    """Asks the form of a plug-in and checks its answers."""

    def __init__(self, form: Form, clock: Callable[[], float] | None = None) -> None:
        """Take a form, and a clock by which it may be too slow. ``ValueError`` if it lacks a member of the contract."""
        texts = [getattr(form, name, None) for name in ("name", "title", "noun")]
        if not all(isinstance(text, str) and text.isprintable() and 0 < len(text) <= MAX_NAME for text in texts):
            raise ValueError("a form needs a name, a title and a noun, each a text of at most 40 characters")
        if not _NAME.fullmatch(form.name):
            raise ValueError(f"the name of a form has lower case letters, digits and _: {form.name!r}")
        if not all(callable(getattr(form, name, None)) for name in ("recognise", "read")):
            raise ValueError(f"the form {form.name!r} needs the methods recognise and read")
        self._form = form
        self._clock = clock or (lambda: 0.0)
        self._is_slow = self._is_late = False
        self.name, self.title, self.noun = form.name, form.title, form.noun

    def recognise(self, sample: Sample) -> Options | None:
        if self._is_slow:
            return None
        start = self._clock()
        options = self._recognised(sample)
        self._is_slow = self._clock() - start > MAX_RECOGNISE_S
        return options

    def _recognised(self, sample: Sample) -> Options | None:
        try:
            options = self._form.recognise(sample)
            # What a store cannot keep would fail later, when the result is held.
            return None if options is None else dict(msgspec.msgpack.decode(msgspec.msgpack.encode(options)))
        except Exception:  # noqa: BLE001  (whatever a plug-in raises)
            return None

    def read(self, lines: Lines, options: Options) -> Batches:
        """Yield the rows that the plug-in makes, as long as they are rows."""
        try:
            has_rows, self._is_late = False, False
            for batch in self._form.read(self._in_time(lines), options):
                if self._is_late:  # It may have caught the error that told it so.
                    raise DoesNotHoldError("too slow")
                _check(batch)
                has_rows = has_rows or "items" in batch
                yield batch
        except Exception as error:  # noqa: BLE001
            raise DoesNotHoldError(f"the form {self.name} failed ({type(error).__name__})") from None
        if not has_rows or self._is_late:
            raise DoesNotHoldError("no rows, or not all")

    def _in_time(self, lines: Lines) -> Iterator[str]:
        """Yield the lines until reading them has taken too long."""
        start, size = self._clock(), 0
        for line in lines:
            size += len(line)
            self._is_late = self._clock() - start > MAX_READ_S * max(1.0, size / MEGABYTE)
            if self._is_late:
                raise DoesNotHoldError("too slow")
            yield line

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
        if len({len(cells) for cells in columns.values()}) > 1 or len(columns) > MAX_COLUMNS:
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
