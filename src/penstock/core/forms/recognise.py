"""Read a document as the form that it has: the first one that holds for all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms import binary, converted, embedded, prose
from penstock.core.forms.document import Kind
from penstock.core.forms.json import (
    arrays,
    columnar,
    objects,
    records,
    trees,
)
from penstock.core.forms.json_view import JsonView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading

    JsonForm = Callable[[JsonView], Reading | None]

# The first form that recognises the document reads it. The last form reads any JSON.
JSON_FORMS: Final[tuple[JsonForm, ...]] = (
    trees.read,
    columnar.read,
    arrays.read,
    records.read,
    objects.read,
)


def read_form(document: Document, json_forms: Sequence[JsonForm] = JSON_FORMS) -> Reading:
    """Return what a document is, which tables it has, and the exact facts of them."""
    match document.kind:
        case Kind.BINARY:
            return binary.read(document)
        case Kind.TEXT:
            if document.language is not None:
                return converted.read_later(document)
            from penstock.core.forms.read_text import read_text  # noqa: PLC0415  (JSON waits for no form of a text)

            return read_text(document.body, document.errors, prose.lines(document)) or prose.read(document)
    view = JsonView(document)
    reading = None if document.language is not None else embedded.read(view)
    reading = reading or next(one for form in json_forms if (one := form(view)) is not None)
    reading = converted.described(view, reading) if document.language is not None else reading
    return embedded.with_text_around(document, reading) if document.around is not None else reading
