"""Suggestions for what has no column worth a question: the outline of an object or of indented text, a section."""

from __future__ import annotations

import heapq
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from penstock.core.answer.notice import encode
from penstock.core.answer.suggestions.offer import Suggestion
from penstock.core.budget import Room, largest
from penstock.core.forms.document import Kind
from penstock.core.forms.values import retained
from penstock.core.json.index import reader
from penstock.core.reading.blocks import LONG_BLOCK, MOST_BLOCKS, block_line, top_blocks
from penstock.core.reading.indicator import DEFAULT_DEPTH
from penstock.core.reading.next_calls import FRAME
from penstock.core.reading.outline import outline_at
from penstock.core.reading.value_tree import tree_lines
from penstock.core.text import plain
from penstock.core.tokens.count import count, count_json_string

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading

LEAST: Final = 1_024  # bytes: less can be read as it is
MOST: Final = 4_194_304  # bytes of what is outlined to know what that costs
LEAST_LINE: Final = 6  # tokens of a line about a block: its number, a word, and how many lines are below
FEWEST_BLOCKS: Final = 5  # of a text that is worth an outline by its indents
MOST_TRIED: Final = 6  # sections that are counted,
DENSEST: Final = 6  # with at most so many characters for a token
LONG_TITLE: Final = 60  # characters of a section's title
WINDOW: Final = 45  # tokens of what an answer says of a window of text
LEAST_ROOM: Final = 250  # tokens in which a line about a block has room in any script


def blocks_offer(document: Document, fetch_tool: str, page: int, profile: str) -> Suggestion | None:
    """Return the call for the blocks of a text that has indents and no form, and what it costs."""
    body = document.body
    if document.kind is not Kind.TEXT or not isinstance(body, bytes) or not LEAST <= len(body) <= MOST:
        return None
    blocks = top_blocks(body.decode("utf-8", "replace"))
    room = Room(tokens=page - FRAME, profile=profile)
    if len(blocks) < FEWEST_BLOCKS or room.tokens < LEAST_ROOM:
        return None
    some = blocks[: min(MOST_BLOCKS, 1 + room.tokens // LEAST_LINE)]
    cost = count_json_string("\n".join(block_line(block, LONG_BLOCK) for block in some), profile)
    is_all = len(some) == len(blocks) and cost.upper <= room.tokens
    tokens = cost.tokens if is_all else cost.tokens * room.tokens // max(room.tokens, cost.upper)
    why = f"{'its' if is_all else 'the first of its'} {len(blocks):,} blocks, each by its first line"
    return Suggestion(why=why, tool=fetch_tool, arguments={"action": "outline"}, tokens=tokens, is_read=True)


def section_offer(document: Document, reading: Reading, fetch_tool: str, page: int, profile: str) -> Suggestion | None:
    """Return the call for the text of the longest section that fits, and what it costs; None for what is no text with
    sections."""
    main, body = reading.main, document.body
    if main is None or main.noun != "sections" or document.kind is not Kind.TEXT or not isinstance(body, bytes):
        return None
    columns = reading.cells.columns(("characters", "line", "lines", "title")) if reading.cells is not None else None
    if not columns or len(body) > MOST:
        return None
    may_fit = (row for row in zip(*columns.values(), strict=True) if row[0] <= page * DENSEST)
    lines = body.decode("utf-8", "replace").split("\n")
    for _, first, number, title in heapq.nlargest(MOST_TRIED, may_fit, key=itemgetter(0)):
        cost = count("\n".join(lines[first - 1 : first - 1 + number]), profile)
        if cost.upper + WINDOW <= page:
            arguments = {"action": "get", "start_line": first, "lines": number}
            why = f"the text of a section: {plain(title, LONG_TITLE)}"
            return Suggestion(why=why, tool=fetch_tool, arguments=arguments, tokens=cost.tokens + WINDOW, is_read=True)
    return None


def outline_offer(document: Document, fetch_tool: str, page: int, profile: str) -> Suggestion | None:
    """Return the call for the outline of JSON, or of a text that becomes JSON at the first question, and what it costs,
    of very much at most; None for another text, or a page of HTML."""
    is_later = document.kind is Kind.TEXT and document.language is not None
    if not (is_later or document.kind in (Kind.JSON, Kind.VALUES)) or len(document.body) < LEAST:
        return None
    if is_later or len(document.body) > MOST:
        return _its_levels(fetch_tool, page, at_most=True)
    if document.language == "html":
        return None
    room = Room(tokens=max(1, page - FRAME), profile=profile)
    if document.language is not None:
        lines = tree_lines(retained(document), DEFAULT_DEPTH)
        text = "\n".join(lines[: largest(len(lines), lambda number: room.fits("\n".join(lines[:number])))]).encode()
    else:
        text = encode(outline_at(document.index, reader(document.body), (), DEFAULT_DEPTH, room).answer(()))
    tokens = count(text, profile).tokens
    return None if tokens > page else _its_levels(fetch_tool, tokens)


def _its_levels(fetch_tool: str, tokens: int, *, at_most: bool = False) -> Suggestion:
    arguments = {"action": "outline"}
    return Suggestion(
        why="its upper levels", tool=fetch_tool, arguments=arguments, tokens=tokens, at_most=at_most, is_read=True
    )
