"""Rows out of a text that is no JSON: the one place where what is sent of a text becomes rows, for SQL and jq."""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.read_text import lines_of
from penstock.core.forms.registry import form_named
from penstock.query.sandbox.worker.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.forms.reading import TextSpec

LINES: Final = "lines"  # the form of a text that has none
NUMBER, LINE = "n", "text"  # the columns of its table


def rows_of_text(body: bytes, spec: TextSpec) -> Iterator[dict[str, list[Any]]]:
    """Return the rows of one table of a text, some at a time; the lines of a text without a form. Bytes that are no
    text are marked: neither JSON nor SQLite could take them."""
    lines = lines_of(body, "replace")
    if spec.form == LINES:
        for number in count(1):
            some = list(islice(lines, BATCH))
            if not some:
                return
            first = (number - 1) * BATCH + 1
            yield {NUMBER: list(range(first, first + len(some))), LINE: some}
    form = form_named(spec.form)
    if form is None:
        raise Fault(f"the form {spec.form} that made these rows is gone", do="query the table lines instead")
    try:
        for batch in form.read(lines, spec.options):
            if spec.table in batch:
                yield batch[spec.table]
    except DoesNotHoldError as error:  # of a very long text only parts were looked at
        raise Fault(
            f"the text does not go on as it begins, so it has no rows: {error}", do="search it, or read it by window"
        ) from None


def as_json(body: bytes, spec: TextSpec) -> bytes:
    """Return the rows of a text as an array of objects, each with the cells that it has; of plain text its lines."""
    made: list[Any] = []
    for columns in rows_of_text(body, spec):
        if spec.form == LINES:
            made += columns[LINE]
            continue
        rows = zip(*columns.values(), strict=True)
        made += ({name: cell for name, cell in zip(columns, row, strict=True) if cell is not None} for row in rows)
    return msgspec.json.encode(made)
