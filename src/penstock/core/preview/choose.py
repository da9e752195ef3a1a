"""Pick the preview for a document: the first form that recognises the data.

Which form the data has never depends on the room, so that a bigger budget never shows less.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.core.budget import Room
from penstock.core.forms.document import Kind
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.csv import csv
from penstock.core.preview.diff import diff
from penstock.core.preview.grep import grep
from penstock.core.preview.log import log
from penstock.core.preview.matches import matches
from penstock.core.preview.series import series
from penstock.core.preview.stub import stub
from penstock.core.preview.table import table
from penstock.core.preview.text import text
from penstock.core.preview.tree import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.sample import Form
    from penstock.core.subject import Subject

    Make = Callable[[Subject, Room], Preview | None]

AMPLE: Final = Room(tokens=4_000, size=16_384)  # in which every form shows something of what it recognises
TREE_LEVELS: Final = 6  # levels down to which a tree may begin, wrapped in other data
TREE_FIELDS: Final = 2  # fields that a thing and those in it have in common: one may be chance, like "name"

# The first form that recognises the data is taken; the last of each kind takes anything.
_TEXT: Final = (diff, log, grep, csv, text)
_JSON: Final = (matches, log, series, table, tree)


def preview(subject: Subject, room: Room, *, order: Sequence[int] | None = None) -> Preview:
    """Show of the subject what the room allows. ``order`` has the items to show first, chosen by a strategy."""
    match subject.document.kind:
        case Kind.BINARY:
            made = stub(subject, room)
        case Kind.TEXT:
            made = _first(_TEXT, subject, room)
        case _ if is_tree(subject.form):
            made = tree(subject, room)
        case _ if order is not None:
            made = _first((partial(table, order=order), tree), subject, room)
        case _:
            made = _first(_JSON, subject, room)
    subject.forget()
    return made or _nothing(subject)


def _first(forms: Sequence[Make], subject: Subject, room: Room) -> Preview | None:
    """The preview of the first form that recognises the data, as it does in ample room: were the next one tried when
    this one has no room, a bigger room could bring back this one and show less."""
    ample = Room(tokens=max(AMPLE.tokens, room.tokens), size=max(AMPLE.size, room.size), profile=room.profile)
    for form in forms:
        # What is shown in this room is shown in an ampler one too, so that most often one try is enough.
        made = form(subject, room)
        if made is not None or form(subject, ample) is not None:
            return made
    return None


def is_tree(form: Form) -> bool:
    """Whether somewhere in the data things hold things of their own kind, as folders hold folders: a table of the
    uppermost ones would pass for the whole."""
    return any(_holds_its_like(place) for path, place in form.walk() if place.fields and len(path) <= TREE_LEVELS)


def _holds_its_like(place: Form) -> bool:
    for inner in place.fields.values():
        child = inner.item if inner.item is not None else inner
        alike = place.fields.keys() & child.fields.keys()
        if child.objects and len(alike) >= TREE_FIELDS and len(alike) * 2 >= len(place.fields):
            return True
    return False


def _nothing(subject: Subject) -> Preview:
    main = subject.main
    total = main.count if main is not None else 0
    path = main.path if main is not None else ()
    headline = f"{len(subject.document.raw):,} bytes of {subject.document.kind}"
    return Preview(text="", style="none", shown=Shown(path=path, start=0, end=0, total=total), headline=headline)
