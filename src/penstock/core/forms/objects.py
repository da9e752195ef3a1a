"""An object without a table that matters: its scalars, for each other field how much is in it, and the beginning of a
text that is nearly all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms.embedded import text_in
from penstock.core.forms.reading import Reading
from penstock.core.forms.text_form import Excerpt
from penstock.core.json.path import render
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.places import Place

MOST: Final = 24  # fields told one by one
LONG: Final = 100  # characters of a text
MOST_LINES: Final = 12  # of the beginning of a text


def read(view: JsonView) -> Reading:
    """Read any JSON: this form always holds."""
    root = view.structure.root
    levels = counted(view.document.depth, "level")
    if root.objects and root.keyed is None:
        words = f"an object with {counted(len(root.fields), 'field')}{' or more' if root.more else ''}, {levels} deep"
        facts = [f"{plain(name)}: {_inside(inner)}" for name, inner in list(root.fields.items())[:MOST]]
        if len(root.fields) > MOST:
            facts.append(f"{len(root.fields) - MOST:,} more fields")
    else:
        parts = root.most if root.objects else root.items
        noun = "member" if root.objects else "item"
        words = f"an {'object' if root.objects else 'array'} of {counted(parts, noun)}, {levels} deep"
        facts = []
    return Reading(
        form="object",
        words=words,
        shape=view.shape,
        tables=tuple(view.tables),
        cells=view.cells(view.tables[0]) if view.tables else None,
        facts=tuple(facts),
        excerpts=_beginning(view),
        exact=view.structure.exact,
    )


def _beginning(view: JsonView) -> tuple[Excerpt, ...]:
    """The first lines of the text that is nearly all of the object."""
    if (found := text_in(view)) is None:
        return ()
    path, inner = found
    lines = tuple(inner.text.split("\n", MOST_LINES)[:MOST_LINES])
    return (Excerpt(title=f"the beginning of {plain(render(path))}", lines=lines),)


def _inside(place: Place) -> str:
    """What one field has: its value, or how much there is."""
    if place.count == place.column.filled == 1 and (values := place.column.values()):
        return plain(values[0][0], LONG)
    if place.arrays:
        return f"array of {counted(place.items, 'item')}"
    if place.objects and place.keyed is not None:
        return f"map of {counted(place.most, 'member')}"
    if place.objects:
        names = ", ".join(plain(name, 40) for name in list(place.fields)[:8])
        return f"object with {counted(len(place.fields), 'field')}: {names}{', …' if len(place.fields) > 8 else ''}"
    return f"text of {place.column.characters:,} characters" if place.column.characters else "null"
