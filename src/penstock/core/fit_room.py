"""Divides the room of a stand-in: among the blocks beside it, the notice, and the preview in what these leave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.answer.notice import SAMPLE_HANDLE
from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import (
    MOST_EXTRAS,
    Extras,
    cost,
    extras_within,
    is_flag,
    joined,
    kept_members,
    marked,
    text_block,
    with_preview,
)
from penstock.core.budget import ENVELOPE
from penstock.core.forms.document import Kind
from penstock.core.forms.reading import TextSpec
from penstock.core.json import scan
from penstock.core.json.mend import mended
from penstock.core.notice.preview import preview
from penstock.core.reading.order import order_by
from penstock.core.reading.outline import outline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.core.answer.notice import Notice
    from penstock.core.answer.result import Payload, Result
    from penstock.core.budget import Budget, Room
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading, Table
    from penstock.core.measure import Measure

OUTLINED: Final = 8_388_608  # bytes; a larger document is not outlined whole in the hope that it then fits
SLACK: Final = 24  # tokens by which one handle may cost more than another
KEPT: Final = ("content", "structuredContent")  # members that an answer has or stands in for
SHOWN_BY_INFO: Final = 500  # bytes of JSON that ``info`` shows as it is; longer JSON gets a handle of its own


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
    dropped = [
        *result.repeated,
        *(one for one in result.members if one[0] not in kept and not is_flag(one)),
    ]
    dropped = [] if content.origin == "whole" else dropped
    others = content.beside
    aside = _shown_by_info(joined(others), budget) if others and content.document.raw else b""
    dropped += [] if aside else others
    if content.rest or dropped:
        spare = budget.max_tokens - whole.tokens
        media_bytes = budget.max_bytes - whole.size
        extras = extras_within(content.rest, dropped, share, media_tokens=spare, media_bytes=media_bytes)
        room = room.limited(tokens=room.tokens - share.tokens, size=room.size - share.size)
    extras = msgspec.structs.replace(extras, aside=aside)
    if meta is not None:
        room = room.limited(tokens=room.tokens - share.tokens // 2, size=room.size - share.size // 2)
    if budget.mark:
        room = room.less(b',"_meta":' + marked(None, budget.mark))
    if budget.structured:
        room = room.limited(tokens=room.tokens // 2 - SLACK, size=room.size // 2 - SLACK)
    return replace(room, lines=room.lines - 1 - len(extras.blocks)), extras, keeps_meta


def _shown_by_info(others: bytes, budget: Budget) -> bytes:
    """Return the JSON of the parts next to the data on one line, if there is room for them in an answer of ``info``;
    else nothing."""
    page = budget.page
    room = page.limited(tokens=page.tokens // 2, size=min(SHOWN_BY_INFO, page.size // 2))
    is_strict = room.fits(others) and scan.is_utf8(others) and mended(others) is others
    return scan.minify(others) if is_strict else b""


def has_room_for_mark(draft: Notice, result: Result, extras: Extras, budget: Budget, *, keeps_meta: bool) -> bool:
    """Return True if the answer with the shortest notice and the mark fits, whatever its handles cost."""
    copy = with_preview(draft.shortest, "") if budget.structured else None
    members = kept_members(result, meta=keeps_meta, structured=copy, mark=budget.mark)
    content = b",".join((text_block(draft.shortest.decode()), *extras.blocks))
    answer = joined((("content", b"[" + content + b"]"), *members))
    whole = budget.stand_in
    return cost(parse(answer), budget.profile) + SLACK <= whole.tokens and len(answer) <= whole.size


def with_drawn_preview(draft: Notice, room: Room, draw: Callable[[Room], Preview]) -> Notice:
    """Return the notice with the preview that ``draw`` makes in the room that the notice leaves for it."""
    share, whole = preview_room(draft, room), room.limited(tokens=room.tokens - SLACK)
    notice = replace(draft, preview=draw(share))
    while share.tokens and not notice.leaves_room(whole):  # a large preview is sampled, so that its cost is not exact
        share = share.limited(tokens=share.tokens * 49 // 50)
        notice = replace(draft, preview=draw(share))
    return notice


def preview_room(draft: Notice, room: Room) -> Room:
    """Return what the notice leaves: all beside a notice in full, or two fifths of the room when that is more than it
    leaves; but never the room of the shortest notice."""
    left = room.less(draft.render(SAMPLE_HANDLE, 10**9, [SAMPLE_HANDLE] * MOST_EXTRAS))
    tokens, size = max(left.tokens, room.tokens * 2 // 5), max(left.size, room.size * 2 // 5)
    most = room.less(draft.shortest)
    return most.limited(tokens=max(0, min(tokens, most.tokens) - SLACK), size=size)


def preview_within(
    document: Document, reading: Reading, budget: Budget, room: Room, arguments: Mapping[str, Any]
) -> Preview:
    """Return the data itself if ``auto_truncate`` is on and it fits, else facts and rows of it."""
    if budget.auto_truncate and (outlined := _outlined(document, reading, budget, room)) is not None:
        return outlined
    order = None
    if budget.strategy != "auto":
        order = order_by(document, reading, budget.strategy, budget.priority_field)
    # No line costs less than a token.
    return preview(document, reading, room.limited(tokens=room.lines), order, arguments)


def _outlined(document: Document, reading: Reading, budget: Budget, room: Room) -> Preview | None:
    """Return the data itself down to ``max_depth``, when that fits."""
    main = reading.main
    if document.kind is not Kind.JSON or main is None or len(document.body) > OUTLINED:
        return None
    cut = outline(document.body[:].strip(), budget.max_depth, budget.indicator)
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
        return scan.MAX_DEPTH
    is_scalar = any(one.path is not None and not one.path.path for one in table.fields)
    return len(spec.outer) + len(spec.inner) + (not is_scalar)


def placeholder(figures: Measure) -> Preview:
    """Return a preview as long in words as any, to find out what the notice costs before there is one."""
    middle = figures.items // 2
    ranges = ShownRanges(path=figures.main, ranges=((0, 2), (middle, middle + 2)), total=figures.items)
    return Preview(text="", shown=ranges, below="facts of all, 400 rows", depth=400)
