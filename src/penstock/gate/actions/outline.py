"""``outline``: the tree under a path, to a depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.answer.notice import encode
from penstock.core.budget import largest
from penstock.core.json.path import parse
from penstock.core.reading.indicator import DEFAULT_DEPTH
from penstock.core.reading.next_calls import FRAME
from penstock.core.reading.outline import outline_at
from penstock.core.reading.page import shown_text
from penstock.gate.actions.outline_rows import outline_lines
from penstock.gate.actions.request import Rooms
from penstock.gate.tool_results import text_result

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.gate.actions.request import FetchRequest

MOST_LINES: Final = 1_000  # lines of an outline in one answer


class OutlineAction:
    """As much of the tree as fits, when all of it to the depth is too much."""

    def run(self, request: FetchRequest) -> bytes:
        opened, arguments = request.opened(), request.arguments
        rooms = Rooms.of(request.budget(opened))
        path = parse(arguments.optional_text("path") or "")
        depth = arguments.number("depth", DEFAULT_DEPTH, least=1)
        room = rooms.page.limited(tokens=max(1, rooms.page.tokens - FRAME))
        if not path and (rows := outline_lines(opened, request.sandbox(), depth)) is not None:
            return _answer(*rows, depth, room)
        while True:
            answer = encode(outline_at(opened.index, opened.body, path, depth, room).answer(path))
            if rooms.hard.fits(answer) or room.tokens == 1:
                return text_result(answer.decode())
            room = room.limited(tokens=room.tokens // 2)  # signs that are not to be printed are escapes, and cost more


def _answer(lines: list[str], total: int, depth: int, room: Room) -> bytes:
    """Return the first lines that have room, after how many there are."""
    number = largest(min(len(lines), MOST_LINES), lambda number: room.fits("\n".join(lines[:number])))
    about = {"depth": depth, "total": total, "shown": shown_text(0, number, total).removeprefix("shown ")}
    return text_result(encode(about).decode(), "\n".join(lines[:number]))
