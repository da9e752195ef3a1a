"""``outline``: the tree under a path, to a depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.answer.notice import encode
from penstock.core.budget import largest
from penstock.core.json.path import parse
from penstock.core.reading.blocks import MOST_BLOCKS
from penstock.core.reading.indicator import DEFAULT_DEPTH
from penstock.core.reading.next_calls import FRAME
from penstock.core.reading.outline import outline_at
from penstock.core.reading.page import shown_text
from penstock.gate.actions.outline_rows import block_lines, outline_lines
from penstock.gate.actions.request import Rooms, answer_within
from penstock.gate.tool_results import text_result

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.gate.actions.request import FetchRequest


class OutlineAction:
    """As much of the tree as fits, when all of it to the depth is too much."""

    def run(self, request: FetchRequest) -> bytes:
        opened, arguments = request.opened(), request.arguments
        rooms = Rooms.of(request.budget(opened))
        path = parse(arguments.optional_text("path") or "")
        depth = arguments.number("depth", DEFAULT_DEPTH, least=1)
        start = arguments.number("start", 0, least=0)
        room = rooms.page.limited(tokens=max(1, rooms.page.tokens - FRAME))
        if not path and (rows := outline_lines(opened, request.sandbox(), depth)) is not None:
            return _answer(*rows, depth, Rooms(page=room, hard=rooms.hard), start)
        if not path and opened.index.is_text:
            depth = arguments.number("depth", 1, least=1)
            if lines := block_lines(opened, depth):
                return _answer(lines, len(lines), depth, Rooms(page=room, hard=rooms.hard), start)
        while True:
            answer = encode(outline_at(opened.index, opened.body, path, depth, room).answer(path))
            if rooms.hard.fits(answer) or room.tokens == 1:
                return text_result(answer.decode())
            room = room.limited(tokens=room.tokens // 2)  # signs that are not to be printed are escapes, and cost more


def _answer(lines: list[str], total: int, depth: int, rooms: Rooms, start: int) -> bytes:
    """Return the lines from ``start`` on that have room, after how many there are."""
    some = lines[start : start + MOST_BLOCKS]

    def lines_within(room: Room) -> tuple[str, str]:
        number = largest(len(some), lambda number: room.fits("\n".join(some[:number])))
        end = start + number
        about = {"depth": depth, "total": total, "shown": shown_text(start, end, total).removeprefix("shown ")}
        about |= {"next_start": end} if number and end < len(lines) else {}
        return encode(about).decode(), "\n".join(some[:number])

    return answer_within(rooms.page, rooms.hard, lines_within)
