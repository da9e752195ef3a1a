"""``search``: a text or a regular expression in a held result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.core.budget import Room
from penstock.core.json.strings import quote
from penstock.core.reading.page import shown_text
from penstock.gate.actions.request import FRAME, Rooms
from penstock.gate.answers import told

if TYPE_CHECKING:
    from penstock.gate.actions.request import FetchRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedRoom(Room):
    """Room for a text that is a string inside of JSON, which is itself written inside of a JSON string."""

    def fits(self, text: str | bytes) -> bool:
        return Room.fits(self, quote(text if isinstance(text, str) else text.decode("utf-8", "replace")))


class Search:
    """Matches with their places and surroundings, counts first."""

    def run(self, request: FetchRequest) -> bytes:
        from penstock.query.search import search as run_search  # noqa: PLC0415

        opened, asked = request.opened(), request.arguments
        rooms = Rooms.of(request.budget(opened))
        found = run_search(
            opened.source,
            asked.text("pattern"),
            room=QuotedRoom(tokens=max(1, rooms.page.tokens - FRAME), size=rooms.page.size, profile=rooms.page.profile),
            regex=asked.truth("regex", default=False),
            ignore_case=asked.truth("ignore_case", default=False),
            context=asked.number("context", 2, least=0),
            path=asked.optional_text("path"),
            start=asked.number("start", 0, least=0),
        )
        fields: dict[str, Any] = {
            "total": found.total,
            "complete": found.complete,
            "note": shown_text(found.start, found.end, found.total),
        }
        if found.has_more:
            fields["next_start"] = found.end
        return told({**fields, "matches": found.text})
