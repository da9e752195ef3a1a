"""Prepares how a held document is read on: the first call, and what it costs, because its answer was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.notice import NextCall
from penstock.core.forms.document import Kind
from penstock.core.forms.embedded import text_in
from penstock.core.json.index import reader
from penstock.core.json.path import render
from penstock.core.reading.page import first_page, render_page
from penstock.core.reading.page_frame import frame_for
from penstock.core.reading.window import LONG_TOKEN, ruler, window
from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading


LARGE_ITEM: Final = 3  # bytes for each token of a page: an item with more is cut to fit the page
PRICED: Final = 262_144  # bytes of JSON that is indexed to know what its first page costs; of more a page is the bound
WINDOW_FRAME: Final = 60  # tokens of the line that tells where a window lies,
FRAME: Final = 160  # and of all fields around a result, upper bound included


def next_calls(document: Document, reading: Reading, room: Room, hard: Room) -> tuple[NextCall, ...]:
    """Return the call that reads on from the start: the first page of items, or the first window of a text, also of
    one that is nearly all of some JSON: a page would have what stands beside it, and nothing of what was wanted."""
    if document.kind is Kind.JSON and (within := text_in(document)) is not None:
        return (_first_window(within.text, room, {"action": "get", "path": render(within.path)}),)
    if document.kind is Kind.JSON and not document.is_indexed and len(document.body) > PRICED:
        return (NextCall(arguments={"action": "get_page", "page": 1}, tokens=room.tokens, at_most=True),)
    if document.kind is Kind.TEXT:
        return (_first_window(document, room, {"action": "get"}),) if document.raw[:1] else ()
    if document.index.root is None:
        return ()
    read = reader(document.body)
    container = document.container(reading.pages)
    frame = frame_for(document.index, read, container, room)
    arguments = {"action": "get_page", "page": 1}
    if container.count and container.span(0, 1) > LARGE_ITEM * room.tokens:  # to cut it for the page takes too long
        return (NextCall(arguments=arguments, tokens=room.tokens, at_most=True),)
    text = render_page(first_page(container, read, room, frame, hard), frame)
    return (NextCall(arguments=arguments, tokens=count(text, room.profile).tokens),)


def _first_window(text: Document, room: Room, arguments: dict[str, Any]) -> NextCall:
    """Return the call that reads the first window of a text."""
    inner = room_of_window(room)
    part = window(reader(text.raw), ruler(text), 0, inner.tokens * LONG_TOKEN, inner)
    return NextCall(arguments=arguments, tokens=count(part.text, room.profile).tokens + WINDOW_FRAME)


def room_of_window(room: Room) -> Room:
    """Return the room for the text of a window, beside the line that tells where it lies."""
    return room.limited(tokens=max(1, room.tokens - FRAME), size=max(1, room.size - 2 * FRAME))
