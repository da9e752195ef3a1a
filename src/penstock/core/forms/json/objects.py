"""An object without a table that matters: its scalars, for each other field how much is in it, and the beginning of a
text that is nearly all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import Excerpt
from penstock.core.forms.embedded import text_in
from penstock.core.forms.reading import Reading
from penstock.core.json.path import render
from penstock.core.text import counted, plain

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.structure import Place

MOST: Final = 24  # fields told one by one
MOST_INNER: Final = 8  # fields of an object in it that are told with their values
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
            facts.append(f"+{counted(len(root.fields) - MOST, 'field')}")
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
    """Return the first lines of the text that is nearly all of the object."""
    if (within := text_in(view.document)) is None:
        return ()
    lines = tuple(within.text.text.split("\n", MOST_LINES)[:MOST_LINES])
    return (Excerpt(title=f"the beginning of {plain(render(within.path))}", lines=lines),)


def _inside(place: Place) -> str:
    """Return what one field has: its value, or how much there is."""
    if _is_value(place):
        return plain(place.column.values()[0][0], LONG)
    if place.arrays:
        return f"array of {counted(place.items, 'item')}"
    if place.objects:
        return _object(place)
    if place.column.is_json:
        return f"JSON in a text of {place.column.bulk:,} characters (to jq: fromjson)"
    return f"text of {place.column.bulk:,} characters" if place.column.bulk else "null"


def _object(place: Place) -> str:
    if place.keyed is not None:
        return f"map of {counted(place.most, 'member')}"
    if len(place.fields) <= MOST_INNER and all(map(_is_value, place.fields.values())):
        return " · ".join(f"{plain(name, 40)} {_inside(inner)}" for name, inner in place.fields.items())
    names = ", ".join(plain(name, 40) for name in list(place.fields)[:8])
    return f"object with {counted(len(place.fields), 'field')}: {names}{', …' if len(place.fields) > 8 else ''}"


def _is_value(place: Place) -> bool:
    """Return True if a field is told by its value."""
    return place.count == place.column.filled == 1 and bool(place.column.values()) and not place.column.encoded
