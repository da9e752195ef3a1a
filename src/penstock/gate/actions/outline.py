"""``outline``: the structure of a held result, to a depth. Names, headings, files and counts; never its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.answer.notice import encode
from penstock.core.budget import largest
from penstock.core.json.path import parse, render
from penstock.core.reading.blocks import MOST_BLOCKS
from penstock.core.reading.indicator import DEFAULT_DEPTH
from penstock.core.reading.next_calls import FRAME
from penstock.core.reading.page import shown_text
from penstock.gate.actions.outline_rows import fact_lines, json_lines, outline_lines
from penstock.gate.actions.request import Rooms, answer_within

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.gate.actions.request import FetchRequest


class OutlineAction:
    """The lines of an outline, as many as have room, after how many there are."""

    def run(self, request: FetchRequest) -> bytes:
        opened, arguments = request.opened(), request.arguments
        path = parse(arguments.optional_text("path") or "")
        depth = arguments.number("depth", DEFAULT_DEPTH, least=1)
        start = arguments.number("start", 0, least=0)
        about = {"path": render(path)} if path else {}
        found = None if path else outline_lines(opened, request.sandbox(), depth)
        if found is None and opened.index.is_text and not path:
            depth = arguments.number("depth", 1, least=1)
            lines = fact_lines(opened, depth)
            found = lines, len(lines)
        if found is None:
            lines, is_whole = json_lines(opened, path, depth)
            found = lines, len(lines)
            about |= {} if is_whole else {"sample": "the counts are of the first items of long arrays"}
        lines, total = found
        rooms = Rooms.of(request.budget(opened))
        room = rooms.page.limited(tokens=max(1, rooms.page.tokens - FRAME))
        some = lines[start : start + MOST_BLOCKS]

        def lines_within(room: Room) -> tuple[str, str]:
            number = largest(len(some), lambda number: room.fits("\n".join(some[:number])))
            end = start + number
            fields = {**about, "depth": depth, "total": total}
            fields |= {"shown": shown_text(start, end, total).removeprefix("shown ")}
            fields |= {"next_start": end} if number and end < len(lines) else {}
            return encode(fields).decode(), "\n".join(some[:number])

        return answer_within(room, rooms.hard, lines_within)
