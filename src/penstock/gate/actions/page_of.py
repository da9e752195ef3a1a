"""Write the answer of a query, whole or page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.notice import encode
from penstock.core.json import scan
from penstock.core.json.index import reader, split_value
from penstock.core.json.strings import quote
from penstock.core.reading.cut import shorten_scalar
from penstock.core.reading.page import page, paginate, render_page
from penstock.core.reading.page_frame import Frame
from penstock.core.text import without_signs
from penstock.gate.tool_results import json_result, text_result

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.gate.actions.request import Rooms

SHARE: Final = 12  # of a page, fields beside its rows take one part at most: where there is little room, it is for rows


def paged_result(value: bytes, fields: dict[str, Any], rooms: Rooms, number: int) -> bytes:
    """Return the answer of a query: whole when it fits, else the page that the caller wants, and what comes after."""
    if not rooms.page.limited(tokens=rooms.page.tokens // 3).fits(encode(fields)):  # the result itself needs the room
        fields = {name: value_of for name, value_of in fields.items() if isinstance(value_of, int)}
    if number == 1 and len(value) <= rooms.hard.size:
        whole = encode({**fields, "result": msgspec.Raw(value)})
        if rooms.hard.fits(whole):
            return text_result(whole.decode())
    if not rooms.page.limited(tokens=rooms.page.tokens // SHARE).fits(encode(fields)):
        fields = {}  # what counts stands in the pagination
    room = room_beside(rooms.page, fields)
    if not scan.is_container(value):
        note = f"one value of {len(value):,} bytes, shown in part: cut it in the query itself"
        return json_result({**fields, "note": note, "result": msgspec.Raw(_cut(value, room))})
    container, read = split_value(value), reader(value)
    pages = paginate(container, read, room, Frame(name="result"))
    rest = render_page(page(container, read, pages, number), pages.frame)
    return text_result(rest.decode() if not fields else encode(fields).decode()[:-1] + "," + rest.decode()[1:])


def _cut(value: bytes, room: Room) -> bytes:
    """Cut one value so that it fits as ``encode`` writes it, with escapes for characters that are not printed."""
    return shorten_scalar(value, lambda part: room.fits(without_signs(quote(part).decode())))


def room_beside(room: Room, fields: dict[str, Any]) -> Room:
    """Return the room for a result beside these fields."""
    return room.less(encode({**fields, "note": "x" * 100, "result": 0}))
