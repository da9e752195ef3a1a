"""A document inside of another: a string that is nearly all of a JSON result, or JSON that stands in a text.

``{"path": "a.csv", "content": "..."}`` has the table that its content is. jq sees the result as it came.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.core.forms.document import Kind
from penstock.core.forms.document import read as read_document
from penstock.core.forms.read_text import read_text
from penstock.core.forms.text_form import Excerpt
from penstock.core.json.index import reader, value_at
from penstock.core.json.path import EACH, KEY, Path, render
from penstock.core.json.whole import decode
from penstock.core.text import counted

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading

SHARE: Final = 0.9  # of the result's text is in the string
MOST_AROUND: Final = 12  # lines around JSON in a text that may be shown


def read(view: JsonView) -> Reading | None:
    """Read the text in the only string that matters, if it has a form."""
    if (text := text_in(view)) is None:
        return None
    path, inner = text
    found = read_text(inner.body, inner.errors, inner.body.count(b"\n") + (not inner.body.endswith(b"\n")), path)
    if found is None:
        return None
    beside = [one for one in view.beside(()) if not one.startswith(f"{render(path).lstrip('.')} ")]
    facts = [*([f"beside: {' · '.join(beside)}"] if beside else []), *found.facts]
    return replace(found, words=f"{found.words}, in {render(path)}", facts=tuple(facts), shape=view.shape, text=path)


def text_in(view: JsonView) -> tuple[Path, Document] | None:
    """The only string that matters, if it is a text: the way to it, and the text."""
    path = _path(view)
    if path is None:
        return None
    inner = read_document(decode(value_at(view.document.index, reader(view.document.body), path)))
    return (path, inner) if inner.kind is Kind.TEXT else None


def with_text_around(document: Document, reading: Reading) -> Reading:
    """The reading of JSON that stands in a text, with the lines around it."""
    start, end = document.around or (0, len(document.raw))
    lead, tail = (part.decode("utf-8", "replace").strip("\n") for part in (document.raw[:start], document.raw[end:]))
    lines = [line for line in (*lead.split("\n"), *tail.split("\n")) if line.strip() and not line.startswith("```")]
    if not lines:
        return reading
    around = Excerpt(title=f"{counted(len(lines), 'line')} around it", lines=tuple(lines[:MOST_AROUND]))
    words = f"{reading.words}, in a text with {counted(len(lines), 'other line')}"
    return replace(reading, words=words, excerpts=(*reading.excerpts, around))


def _path(view: JsonView) -> Path | None:
    """The way to the string, through objects and arrays of one item."""
    for steps, place in view.structure.places:
        fixed = tuple(0 if step == EACH else step for step in steps)
        single = place.count == place.column.filled == 1 and view.share(place) >= SHARE
        if single and place.column.kinds.keys() == {str} and KEY not in steps and _is_fixed(view, steps):
            return fixed
    return None


def _is_fixed(view: JsonView, steps: Path) -> bool:
    """Whether every array on a way has one item, so that the way leads to one place in the document."""
    place = view.structure.root
    for step in steps:
        if step == EACH and place.items != 1:
            return False
        place = dict(place.inner)[step]
    return True
