"""How a held document will be read on: the first calls and what they cost, and the order a strategy gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.notice import NextCall
from penstock.core.json.index import reader
from penstock.core.reading.page import page, render_page
from penstock.core.reading.window import ruler, window
from penstock.core.tokens.count import count
from penstock.core.toolkit.select import select
from penstock.errors import CallerError

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.core.reading.page import Pages
    from penstock.core.subject import Subject
    from penstock.core.toolkit.select import Strategy

SORTED_BYTES: Final = 16_777_216  # of items read to sort them by a strategy; past that only the first ones are sorted
SORTED_ITEMS: Final = 500  # more than any preview shows
LONG_TOKEN: Final = 8  # characters; few texts have longer tokens on average, so a window this long fills the room
WINDOW_FRAME: Final = 60  # tokens of the line that tells where a window lies


def next_calls(subject: Subject, pages: Pages | None, room: Room) -> tuple[NextCall, ...]:
    """The calls that read on from the start, each with what it costs because its answer was made and counted."""
    main = subject.main
    if main is None or pages is None:
        return ()
    if main.kind == "lines":
        document = subject.document
        found = window(reader(document.raw), ruler(document), 0, room.tokens * LONG_TOKEN, room)
        tokens = count(found.text, room.profile).tokens + WINDOW_FRAME
        return (NextCall(arguments={"action": "get", "start_index": 0, "max_length": len(found.text)}, tokens=tokens),)
    first = page(main, subject.read, pages, 1)
    text = render_page(first, pages.frame)
    return (NextCall(arguments={"action": "get_page", "page": 1}, tokens=count(text, room.profile).tokens),)


def order_by(subject: Subject, strategy: Strategy, field: str | None) -> list[int] | None:
    """The items in the order of a strategy, or None when they have nothing to order them by."""
    main = subject.main
    if main is None or main.kind not in ("array", "records"):
        return None
    values: list[Any] = []
    for number in range(main.count):
        if main.span(0, number) > SORTED_BYTES:
            break
        values.append(_value(main.item(subject.read, number)))
    try:
        chosen = select(values, strategy=strategy, field=field, max_items=SORTED_ITEMS, max_bytes=SORTED_BYTES)
    except CallerError:
        return None  # the rule names a field that this result does not have: its own order is the best there is
    return list(chosen.indexes) if chosen.field is not None else None


def _value(item: bytes) -> Any:
    """An item as a value; one with a number that Python cannot hold has no order, and comes last."""
    try:
        return msgspec.json.decode(item)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
