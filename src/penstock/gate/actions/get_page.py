"""``get_page``: whole items of an array, of an object or of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.json import scan
from penstock.core.reading.page import page, render_page
from penstock.core.reading.page_item import minified
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError
from penstock.gate.actions.request import Rooms
from penstock.gate.answers import texts

if TYPE_CHECKING:
    from penstock.gate.actions.request import FetchRequest


class GetPage:
    """Whole items with ``_pagination``. A page past the end is empty, with the totals."""

    def run(self, request: FetchRequest) -> bytes:
        opened, asked = request.opened(), request.arguments
        rooms = Rooms.of(request.budget(opened))
        number = asked.number("page", 1, least=1)
        read = opened.body
        container, pages = opened.paged(asked.optional_text("path"), rooms.wanted(asked))
        fields = asked.texts("fields")
        found = page(container, read, pages, number, hard=rooms.hard, fields=fields)
        if fields and found.items and set(found.items) == {b"{}"}:
            keys = [key for key, _ in scan.members(minified(container.item(read, found.start_index)))]
            near = nearest(fields[0], keys) or keys[:8]
            raise CallerError(f"no item has {shorten(', '.join(fields))}", do=f"nearest: {', '.join(near)}")
        return texts(render_page(found, pages.frame).decode())
