"""``outline``: the tree under a path, to a depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.answer.notice import encode
from penstock.core.budget import largest
from penstock.core.json import scan
from penstock.core.json.index import container_at, value_at
from penstock.core.json.path import parse, render
from penstock.core.reading.indicator import DEFAULT_DEPTH
from penstock.core.reading.next_calls import FRAME
from penstock.core.reading.outline import Outline, outline, outline_within
from penstock.core.reading.page import shown_text
from penstock.gate.actions.outline_rows import outline_lines
from penstock.gate.actions.request import Rooms
from penstock.gate.tool_results import json_result, text_result

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.gate.actions.request import FetchRequest

MOST_LINES: Final = 1_000  # lines of an outline in one answer

OUTLINED: Final = 262_144  # bytes; a larger value is opened part by part and never split whole


class OutlineAction:
    """As much of the tree as fits, when all of it to the depth is too much."""

    def run(self, request: FetchRequest) -> bytes:
        opened, asked = request.opened(), request.arguments
        rooms = Rooms.of(request.budget(opened))
        path = parse(asked.optional_text("path") or "")
        depth = asked.number("depth", DEFAULT_DEPTH, least=1)
        room = rooms.page.limited(tokens=max(1, rooms.page.tokens - FRAME))
        if not path and (found := outline_lines(opened, request.sandbox(), depth)) is not None:
            return _shown(*found, depth, room)
        container = container_at(opened.index, opened.body, path)
        cut: Outline | None = None
        if container.size <= OUTLINED and container.kind in ("array", "object"):
            cut = outline(scan.minify(value_at(opened.index, opened.body, path)), depth)
        if cut is None or not room.fits(cut.text):
            cut = outline_within(container, opened.body, room, depth)
        fields = {"path": render(path), "depth": cut.depth, "levels_hidden": cut.levels_hidden}
        return json_result({**fields, "outline": msgspec.Raw(cut.text)})


def _shown(lines: list[str], total: int, depth: int, room: Room) -> bytes:
    """The first lines that have room, after how many there are."""
    number = largest(min(len(lines), MOST_LINES), lambda number: room.fits("\n".join(lines[:number])))
    about = {"depth": depth, "total": total, "shown": shown_text(0, number, total).removeprefix("shown ")}
    return text_result(encode(about).decode(), "\n".join(lines[:number]))
