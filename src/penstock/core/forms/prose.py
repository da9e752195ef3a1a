"""Text without a form: its beginning and its end are all there is to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.forms.document import Kind
from penstock.core.forms.reading import Reading
from penstock.core.text import counted, size_text

if TYPE_CHECKING:
    from penstock.core.forms.document import Document


def read(document: Document) -> Reading:
    """Read any text: jq and SQL see its lines."""
    words = f"{counted(lines(document), 'line')} of text, {size_text(len(document.raw))}"
    return Reading(form="text", words=words, shape="[str]")


def lines(document: Document) -> int:
    """Return the lines of a text, as people count them: a newline at the very end opens no further line."""
    if document.kind is Kind.TEXT and not document.is_indexed:
        body = document.body[:]
        return body.count(b"\n") + (not body.endswith(b"\n") and bool(body))
    root = document.index.root
    return 0 if root is None else root.count
