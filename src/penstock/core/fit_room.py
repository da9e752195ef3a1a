"""Divides the room of a stand-in: among the blocks beside it, the notice, and the preview in what these leave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.core.answer.notice import SAMPLE_HANDLE
from penstock.core.answer.preview import preview
from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.answer.stand_in import MOST_EXTRAS, Extras, extras_within, marked
from penstock.core.budget import ENVELOPE
from penstock.core.forms.document import Kind
from penstock.core.forms.reading import TextSpec
from penstock.core.json.long_bytes import gathered
from penstock.core.json.scan import MAX_DEPTH
from penstock.core.reading.order import order_by
from penstock.core.reading.outline import outline

if TYPE_CHECKING:
    from penstock.core.answer.notice import Notice
    from penstock.core.answer.result import Payload, Result
    from penstock.core.budget import Budget, Room
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading, Table
    from penstock.core.measure import Measure

OUTLINED: Final = 8_388_608  # bytes; a larger document is not outlined whole in the hope that it then fits
SLACK: Final = 24  # tokens by which one handle may cost more than another
KEPT: Final = ("content", "structuredContent", "isError", "resultType")  # members that an answer has or stands in for


def beside(result: Result, content: Payload, budget: Budget) -> tuple[Room, Extras, bool]:
    """Return what goes along with the preview, and the room that is left for the notice and the preview.

    The shares are fixed parts of the room, taken only when there is something to put there: were they what is left
    over, a bigger budget could let in another block and show less of the data.
    """
    whole = budget.stand_in
    room = whole.limited(tokens=whole.tokens - ENVELOPE, size=whole.size - 2 * ENVELOPE)
    share = whole.limited(tokens=whole.tokens // 4, size=whole.size // 4)
    extras = Extras()
    meta = result.meta
    keeps_meta = (
        meta is not None
        and meta[:1] == b"{"
        and share.limited(tokens=share.tokens // 2, size=share.size // 2).fits(meta)
    )
    kept = (*KEPT, "_meta") if keeps_meta else KEPT
    dropped = [member for member in result.members if member[0] not in kept and content.origin != "whole"]
    if content.rest or dropped:
        spare = budget.max_tokens - whole.tokens
        media_bytes = budget.max_bytes - whole.size
        extras = extras_within(content.rest, dropped, share, media_tokens=spare, media_bytes=media_bytes)
        room = room.limited(tokens=room.tokens - share.tokens, size=room.size - share.size)
    if meta is not None:
        room = room.limited(tokens=room.tokens - share.tokens // 2, size=room.size - share.size // 2)
    if budget.mark:
        room = room.less(b',"_meta":' + marked(None, budget.mark))
    if budget.structured:
        room = room.limited(tokens=room.tokens // 2 - SLACK, size=room.size // 2 - SLACK)
    return replace(room, lines=room.lines - 1 - len(extras.blocks)), extras, keeps_meta


def preview_room(draft: Notice, room: Room) -> Room:
    """Return what the notice leaves: all beside a notice in full, or two fifths of the room when that is more than it
    leaves; but never the room of the shortest notice."""
    left = room.less(draft.render(SAMPLE_HANDLE, 10**9, [SAMPLE_HANDLE] * MOST_EXTRAS))
    share = replace(
        room,
        tokens=max(left.tokens - SLACK, room.tokens * 2 // 5 - SLACK),
        size=max(left.size, room.size * 2 // 5),
    )
    most = room.less(draft.shortest(SAMPLE_HANDLE, 10**9))
    return share.limited(tokens=max(0, most.tokens - SLACK), size=most.size)


def preview_within(document: Document, reading: Reading, budget: Budget, room: Room) -> Preview:
    if budget.auto_truncate and (outlined := _outlined(document, reading, budget, room)) is not None:
        return outlined
    order = None
    if budget.strategy != "auto":
        order = order_by(document, reading, budget.strategy, budget.priority_field)
    return preview(document, reading, room.limited(tokens=room.lines), order)  # no line costs less than a token


def _outlined(document: Document, reading: Reading, budget: Budget, room: Room) -> Preview | None:
    """Return the data itself down to ``max_depth``, when that fits."""
    main = reading.main
    if document.kind is not Kind.JSON or main is None or len(document.body) > OUTLINED:
        return None
    cut = outline(gathered(document.body).strip(), budget.max_depth, budget.indicator)
    if not room.fits(cut.text):
        return None
    rows = ((0, main.count),) if not cut.levels_hidden or cut.depth >= _level_of_rows(main) else ()
    return Preview(
        text=cut.text.decode(),
        shown=ShownRanges(path=main.path, ranges=rows, total=main.count),
        below=f"all of it, {cut.depth} of {document.depth} levels {cut.note}".strip(),
        depth=cut.depth,
    )


def _level_of_rows(table: Table) -> int:
    """Return the levels of an outline that has the rows themselves; in a lower one only marks of them are left."""
    spec = table.spec
    if isinstance(spec, TextSpec):
        return len(spec.path)
    if spec.kind == "tree":
        return MAX_DEPTH
    is_scalar = any(one.path is not None and not one.path.path for one in table.fields)
    return len(spec.outer) + len(spec.inner) + (not is_scalar)


def placeholder(figures: Measure) -> Preview:
    """Return a preview as long in words as any, to find out what the notice costs before there is one."""
    middle = figures.items // 2
    ranges = ShownRanges(path=figures.main, ranges=((0, 2), (middle, middle + 2)), total=figures.items)
    return Preview(text="", shown=ranges, below="facts of all, 400 rows", depth=400)
