"""The outline as a suggestion, for data in which no column is worth a question: an object, arrays of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.answer.notice import encode
from penstock.core.answer.suggestions.offer import Suggestion
from penstock.core.budget import Room, largest
from penstock.core.forms.document import Kind
from penstock.core.forms.values import retained
from penstock.core.json.index import reader
from penstock.core.reading.indicator import DEFAULT_DEPTH
from penstock.core.reading.next_calls import FRAME
from penstock.core.reading.outline import outline_at
from penstock.core.reading.value_tree import tree_lines
from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from penstock.core.forms.document import Document

LEAST: Final = 1_024  # bytes: less can be read as it is
MOST: Final = 4_194_304  # bytes of JSON whose outline is made to know what it costs


def outline_offer(document: Document, fetch_tool: str, page: int, profile: str) -> Suggestion | None:
    """Return the call for the outline of JSON, and what it costs; None for a text, a page of HTML, or very much
    data."""
    is_json = document.kind in (Kind.JSON, Kind.VALUES)
    if not is_json or not LEAST <= len(document.body) <= MOST or document.language == "html":
        return None
    room = Room(tokens=max(1, page - FRAME), profile=profile)
    if document.language is not None:
        lines = tree_lines(retained(document), DEFAULT_DEPTH)
        text = "\n".join(lines[: largest(len(lines), lambda number: room.fits("\n".join(lines[:number])))]).encode()
    else:
        text = encode(outline_at(document.index, reader(document.body), (), DEFAULT_DEPTH, room).answer(()))
    tokens = count(text, profile).tokens
    if tokens > page:
        return None
    return Suggestion(
        why="its upper levels", tool=fetch_tool, arguments={"action": "outline"}, tokens=tokens, is_read=True
    )
