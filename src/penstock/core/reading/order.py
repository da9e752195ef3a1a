"""The order that a strategy gives to rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.rows import RowSpec
from penstock.core.json.index import reader
from penstock.core.json.whole import decode
from penstock.core.ranking import by_importance, by_time, named_field, priority_field, time_field
from penstock.core.severity import Scale
from penstock.errors import CallerError

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading
    from penstock.core.ranking import FieldPath, Strategy

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
    is_priority = strategy == "priority"
    path: FieldPath | None
    try:
        if field is not None:
            path = named_field(values, field)
        else:
            path = priority_field(values, Scale()) if is_priority else time_field(values)
    except CallerError:
        return None  # the rule names a field that this result does not have: its own order is the best there is
    if path is None:
        return None
    scale = Scale(field=path[-1])
    ranking = by_importance(values, path, scale) if is_priority else by_time(values, path, strategy)
    return ranking[:SORTED_ITEMS]
