"""The order that a strategy gives to rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.rows import RowSpec
from penstock.core.json.index import reader
from penstock.core.json.whole import decode
from penstock.core.toolkit.select import select
from penstock.errors import CallerError

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading
    from penstock.core.toolkit.select import Strategy

SORTED_BYTES: Final = 16_777_216  # of rows read to sort them by a strategy; past that only the first ones are sorted
SORTED_ITEMS: Final = 500  # more than any preview shows


def order_by(document: Document, reading: Reading, strategy: Strategy, field: str | None) -> list[int] | None:
    """Return the rows in the order of a strategy, or None when they have nothing to order them by."""
    main = reading.main
    if main is None or not isinstance(main.spec, RowSpec) or not main.spec.is_plain:
        return None
    read = reader(document.body)
    container = document.container(main.spec.outer)
    if container.kind == "object":
        return None
    values: list[Any] = []
    for parts in container.batches():
        if container.span(0, parts.start) > SORTED_BYTES:
            break
        values += decode(container.joined(read, parts))
    try:
        chosen = select(values, strategy=strategy, field=field, max_items=SORTED_ITEMS, max_bytes=SORTED_BYTES)
    except CallerError:
        return None  # the rule names a field that this result does not have: its own order is the best there is
    return list(chosen.indexes) if chosen.field is not None else None
