"""``get``: a window of the original text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.answer.notice import encode
from penstock.core.answer.stand_in import text_block
from penstock.core.reading.next_calls import LONG_TOKEN
from penstock.core.reading.window import Window, window
from penstock.gate.actions.request import FRAME
from penstock.gate.answers import blocks
from penstock.gate.keep import BLOCKS

if TYPE_CHECKING:
    from penstock.gate.actions.request import FetchRequest


class Get:
    """Where the window lies in one line of JSON, then the text itself, exactly. A picture, a sound or a file comes
    whole, as the block that it was."""

    def run(self, request: FetchRequest) -> bytes:
        opened, asked = request.opened(), request.arguments
        budget = request.budget(opened)
        kind, size = opened.held.meta.kind, opened.held.size("raw")
        spans = [name for name in ("start_index", "max_length") if asked.given.get(name) is not None]
        comes_back = kind in BLOCKS and budget.gives_back(size)
        if comes_back and not spans:
            total = opened.ruler.total
            whole = Window(text="", start_index=total, total_length=total).metadata() | {"start_index": 0}
            return blocks(_where(whole), opened.held.read(0, size))
        length = asked.number("max_length", 0, least=1)
        room = budget.whole if length else budget.page
        room = room.limited(tokens=max(1, room.tokens - FRAME), size=max(1, room.size - 2 * FRAME))
        start = asked.number("start_index", 0, least=0)
        found = window(opened.held.reader("raw"), opened.ruler, start, length or room.tokens * LONG_TOKEN, room)
        where = found.metadata()
        if kind in BLOCKS:
            why = (
                f"without {' and '.join(spans)} it comes as it was"
                if comes_back
                else "it is too large to come as it was"
            )
            where["note"] = f"the JSON of a block of type {kind}, in parts: {why}"
        return blocks(_where(where), text_block(found.text))


def _where(told: dict[str, Any]) -> bytes:
    """The line that tells where a window lies."""
    del told["truncated"]
    return text_block(encode({**told, "unseen": told["total_length"] - told["end_index"]}).decode())
