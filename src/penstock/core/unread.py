"""Hold a result as plain text: for a result that ``fit`` failed to read, by an unforeseen error.

    fit_as_text   the text of the result, or of its parts, with its beginning and its end as the preview
    fit_unread    the JSON of the whole result, with nothing to show: the least that can be read, measured and written

Both always hold: a result that cannot be measured is not known to fit. Nothing of it is lost, and the notice says that
it was not read as anything more, so that no model takes the lines for all that there is to know.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.core.answer.head_and_tail import head_and_tail
from penstock.core.answer.notice import NextCall, Notice
from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.answer.result import Payload, Result, parse, payload
from penstock.core.answer.stand_in import Extras, marked
from penstock.core.budget import ENVELOPE
from penstock.core.fit_room import SLACK
from penstock.core.forms.document import Document, Kind, errors_for
from penstock.core.forms.prose import lines
from penstock.core.forms.reading import Reading
from penstock.core.hold import Hold, hold_as
from penstock.core.measure import measure
from penstock.core.notice.preview import TEXT_SHARE, part_of
from penstock.core.text import counted, size_text

if TYPE_CHECKING:
    from penstock.core.budget import Budget, Room
    from penstock.core.fit import Call


def fit_as_text(result: Result | bytes, budget: Budget, call: Call) -> Hold:
    """Hold the data of a result as the text that it is; blocks that are no text are held beside it."""
    parsed = parse(result) if isinstance(result, bytes) else result
    content = payload(parsed)
    if not content.document.raw:
        return fit_unread(result, budget, call)
    document = _as_text(content.document.raw[:])
    figures = measure(document, budget.profile, reading=_reading(document, "it"))
    return hold_as(
        parsed,
        replace(content, document=document, block=None),
        figures,
        budget,
        call,
        draw=lambda room: head_and_tail(document, part_of(room, TEXT_SHARE)),
    )


def fit_unread(result: Result | bytes, budget: Budget, call: Call) -> Hold:
    """Hold the JSON of a result, whatever is in it."""
    raw = result if isinstance(result, bytes) else bytes(result.raw)
    document = _as_text(raw)
    figures = measure(document, budget.profile, reading=_reading(document, "the JSON of the result"))
    tokens, limit = figures.tokens, budget.max_tokens
    # The JSON is what would be sent, so that its upper bound is what it would be charged.
    exceeds = tokens.upper > limit
    why = f"the limit is {limit:,}" if exceeds else "held, as it was not read"
    nothing = Preview(text="", shown=ShownRanges(unit="lines", total=figures.items))
    return Hold(
        result=Result(raw=raw, members=(), blocks=()),
        payload=Payload(document=document, origin="whole"),
        measure=figures,
        notice=Notice(
            tool=call.tool,
            measure=figures,
            token_limit=limit,
            reason=f"about {tokens.tokens:,} tokens; {why}",
            exceeds=exceeds,
            preview=nothing,
            next_calls=(NextCall(arguments={"action": "get"}, tokens=budget.page.tokens, at_most=True),),
            fetch_tool=budget.fetch_tool,
            style=budget.notice,
        ),
        extras=Extras(),
        room=_notice_room(budget),
        keeps_meta=False,
        structured=budget.structured,
        mark=budget.mark,
    )


def _as_text(raw: bytes) -> Document:
    return Document(raw=raw, kind=Kind.TEXT, body=raw, errors=errors_for(raw))


def _reading(document: Document, what: str) -> Reading:
    size = f"{counted(lines(document), 'line')}, {size_text(len(document.raw))}"
    words = f"{size}, held whole as plain text: Penstock failed to read {what} as more, by a fault of its own"
    return Reading(form="text", words=words, shape="[str]")


def _notice_room(budget: Budget) -> Room:
    """Return the room of a notice that stands alone, and of its copy where the client wants one."""
    whole = budget.stand_in
    room = whole.limited(tokens=whole.tokens - ENVELOPE, size=whole.size - 2 * ENVELOPE)
    if budget.mark:
        room = room.less(b',"_meta":' + marked(None, budget.mark))
    if budget.structured:
        room = room.limited(tokens=room.tokens // 2 - SLACK, size=room.size // 2 - SLACK)
    return room
