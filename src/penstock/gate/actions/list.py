"""``list``: what the owner holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.notice import encode
from penstock.core.reading.page import shown_text
from penstock.core.text import shorten
from penstock.gate.actions.request import FetchRequest, Rooms, as_many, seconds_left

if TYPE_CHECKING:
    from penstock.stores import Entry

LONG_ARGUMENTS: Final = 100  # characters of a call's arguments, which tell results of one tool apart


class List:
    """The owner's held results, this run's first; those of other runs are marked."""

    def run(self, request: FetchRequest) -> bytes:
        room = Rooms.of(request.budget_for(request.fetch_tool)).page
        rows = [
            {
                "cache_id": one.handle,
                "tool": shorten(one.meta.tool),
                **({"arguments": _arguments(one)} if one.meta.arguments != b"{}" else {}),
                "total_tokens": one.meta.tokens,
                "item_count": one.meta.items,
                "age_s": max(0, round(request.now - one.meta.created)),
                "expires_in_s": seconds_left(one.meta.expires, request.now),
                **({} if request.owner.made(one) or not request.owner.run else {"made_by": "another run"}),
                **({"source": one.meta.source} if one.meta.source else {}),
                **({"jq_filter": shorten(one.meta.filter)} if one.meta.filter else {}),
            }
            for one in request.list_held()
        ]

        start = min(request.arguments.number("start", 0, least=0), len(rows))

        def answer(number: int) -> dict[str, Any]:
            end = start + number
            more = {"next_start": end} if number and end < len(rows) else {}
            note = shown_text(start, end, len(rows))
            return {"total": len(rows), "note": note, **more, "results": rows[start:end]}

        if rows and not room.fits(encode(answer(1))):  # a very small budget: the handles are what matters
            rows = [{"cache_id": row["cache_id"]} for row in rows]
        return as_many(len(rows) - start, answer, room)


def _arguments(one: Entry) -> str:
    return shorten(one.meta.arguments.decode("utf-8", "replace"), LONG_ARGUMENTS)
