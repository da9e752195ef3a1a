"""The answer in place of a result that does not fit: its notice, its preview, and the blocks that go along.

``hold_as`` makes a ``Hold`` of a result that was read. ``Hold.answer`` is the result that the client gets, after the
store has given the result a handle.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.core.act.more import read_signs
from penstock.core.answer.notice import FIGURES, NextCall, Notice, encode, line_and_text, repeat_notice
from penstock.core.answer.result import Payload, Result
from penstock.core.answer.stand_in import Extras, StandIn, cost, kept_members, with_preview
from penstock.core.budget import ENVELOPE, MEDIA_TOKENS, line_count, wire_length
from penstock.core.changes.compare import UNCHANGED
from penstock.core.fit_room import beside, has_room_for_mark, placeholder, with_drawn_preview
from penstock.core.forms.document import Kind
from penstock.core.forms.embedded import text_in
from penstock.core.json import index as indexing
from penstock.core.plain import Plain
from penstock.core.reading.next_calls import next_calls
from penstock.core.text import line_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.answer.preview_text import Preview
    from penstock.core.answer.suggest import Suggestion
    from penstock.core.budget import Budget, Room
    from penstock.core.changes.since import Since
    from penstock.core.fit import Call
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading
    from penstock.core.measure import Measure

EMPTY: Final = Result(raw=b"{}", members=(), blocks=())  # Stands for data that is not an MCP result.
AROUND_DATA: Final = 40  # Tokens around ``data`` in a page of that style, as a model reads them.
AROUND_FIGURES: Final = f'"_meta":{{"{FIGURES}":}},'  # What the figures cost in addition to themselves.
RECEIPT: Final = 160  # Tokens of the receipt of pages, upper bound included.
BLOCK_CALLS: Final = 2  # Calls in a notice for blocks that are stored separately. The stubs of all have their handles.
CAUSE: Final = 120  # Characters of an error in the message.


class Hold(Plain, frozen=True, kw_only=True):
    """The result does not fit: ``document`` is to be held, and ``answer`` stands in for it.

    ``measure`` has what was learned of the document on the way, for the store. ``room`` is that of the notice and the
    preview together.
    """

    result: Result
    payload: Payload
    measure: Measure
    notice: Notice
    extras: Extras
    room: Room
    keeps_meta: bool
    structured: bool
    mark: str = ""

    @property
    def document(self) -> Document:
        return self.payload.document

    @property
    def reading(self) -> Reading:
        return self.measure.reading

    @property
    def preview(self) -> Preview:
        return self.notice.preview

    def answer(self, handle: str | None, expires_in_s: int | None = None, hidden_handles: Sequence[str] = ()) -> bytes:
        """Return the result that the client gets; ``stand_in`` in bytes."""
        return self.stand_in(handle, expires_in_s, hidden_handles).raw

    def stand_in(
        self, handle: str | None, expires_in_s: int | None = None, hidden_handles: Sequence[str] = ()
    ) -> StandIn:
        """Return what the client gets, in its parts. ``handle`` is None when the store failed and nothing was kept;
        ``hidden_handles`` are those of ``extras.hidden``, what does not go along and is no part of the document."""
        notice = self.notice.fitted(handle, expires_in_s, hidden_handles, room=self.room)
        preview = self.preview.text
        copy = with_preview(encode(notice), preview) if self.structured else None
        figures = b""
        if self.notice.style == "brief" and "shape" in notice:
            figures = encode(self.notice.figures(expires_in_s if handle else None))
            text = line_and_text(encode(notice).decode(), preview)
            if not self.room.less(AROUND_FIGURES, text).fits(figures):
                figures = b""
        return StandIn(
            notice=notice,
            preview=preview,
            blocks=self.extras.naming(hidden_handles),
            members=kept_members(self.result, meta=self.keeps_meta, structured=copy, mark=self.mark, figures=figures),
            token_limit=self.notice.token_limit,
            below=self.notice.below,
        )

    def repeat(self) -> StandIn | None:
        """Return one line that names the earlier result, which has the same data. None if the earlier answer has not
        all that this one has, or if there is no room for the line."""
        since = self.notice.since
        has_more = bool(self.extras.blocks or self.extras.aside)
        if since is None or since.words != UNCHANGED or has_more or self.notice.style != "brief":
            return None
        line = repeat_notice(since)
        if not self.room.fits(encode(line)):
            return None
        copy = encode(line) if self.structured else None
        members = kept_members(self.result, meta=self.keeps_meta, structured=copy, mark=self.mark)
        return StandIn(notice=line, members=members, token_limit=self.notice.token_limit)


def hold_as(
    result: Result,
    content: Payload,
    figures: Measure,
    budget: Budget,
    call: Call,
    *,
    suggestions: tuple[Suggestion, ...] = (),
    since: Since | None = None,
    draw: Callable[[Room], Preview],
) -> Hold:
    """Hold a document that was read as ``figures`` say. ``draw`` makes the preview, in the room that the notice leaves
    for it."""
    document = content.document
    room, extras, keeps_meta = beside(result, content, budget)
    reason, byte_limit, exceeds = reason_of(result, content, figures, budget)
    partial, has_next = (call.partial, True) if call.partial else _page_of(document, figures.reading, call)
    draft = Notice(
        tool=call.tool,
        measure=figures,
        token_limit=budget.max_tokens,
        reason=reason,
        exceeds=exceeds,
        byte_limit=byte_limit,
        preview=placeholder(figures),
        partial=partial,
        next_calls=(
            *(_more_calls(budget) if has_next else ()),
            *_change_calls(since, budget),
            *_first_calls(document, figures.reading, budget),
            *_block_calls(extras, budget),
        ),
        suggestions=suggestions,
        fetch_tool=budget.fetch_tool,
        failed=result.is_error,
        cause=cause_of(document) if result.is_error else "",
        uri=content.uri,
        since=since,
        style=budget.notice,
    )
    if budget.mark and not has_room_for_mark(draft, result, extras, budget, keeps_meta=keeps_meta):
        budget = replace(budget, mark="")
        room, extras, keeps_meta = beside(result, content, budget)
    notice = with_drawn_preview(draft, room, draw)
    preview = notice.preview
    if not preview.shown.total:  # facts of what has no rows
        ranges = replace(preview.shown, total=figures.items)
        notice = replace(notice, preview=replace(preview, shown=ranges))
    document.forget_values()
    return Hold(
        result=result,
        payload=content,
        measure=figures,
        notice=notice,
        extras=extras,
        room=room,
        keeps_meta=keeps_meta,
        structured=budget.structured,
        mark=budget.mark,
    )


def reason_of(result: Result, content: Payload, figures: Measure, budget: Budget) -> tuple[str, int | None, bool]:
    """Return the figure that decided, in words with its limit; the limit in bytes where it was that; and whether
    anything exceeds a limit at all."""
    tokens, limit = figures.tokens.tokens, budget.max_tokens
    about = f"about {tokens:,} tokens" if tokens else "no text"
    if tokens > limit and budget.is_share:
        return f"{about}; turn_tokens leaves {limit:,} for this result", None, True
    if tokens > limit:  # A model can do nothing with the limit, so a brief notice does not mention it.
        return about if budget.notice == "brief" else f"{about}; the limit is {limit:,}", None, True
    if result is EMPTY:  # Data that is not an MCP result is measured as one text block.
        raw = content.document.raw[:]
        charged, size, text_size = content.counts(budget.profile)[1].upper, wire_length(raw), wire_length(raw)
        lines = line_count(raw)
    else:
        charged, size, text_size = cost(result, budget.profile), result.size, result.size - result.media_size
        lines = result.line_count
    if charged > limit:
        return f"{about}, and up to {charged:,} as it is sent; the limit is {limit:,}", None, True
    for amount, most in ((size, budget.max_bytes), (text_size, budget.max_text_bytes)):
        if amount > most:
            return f"{about}, {amount:,} bytes; the limit is {most:,} bytes", most, True
    if lines > budget.lines:
        return f"{about}, {lines:,} lines; the limit is {budget.lines:,} lines", None, True
    return f"{about}; held because of the setting always_hold", None, False


def cause_of(document: Document) -> str:
    """Return the first line of an error, as a sentence; of JSON its beginning, as the first line is often a bracket
    alone."""
    head = document.raw[: 8 * CAUSE].decode("utf-8", "replace").strip()
    if document.kind is Kind.BINARY or not head:
        return ""
    line = " ".join(head.split()) if document.kind is Kind.JSON else head.splitlines()[0]
    first = line_text(line[:CAUSE], CAUSE) + ("…" if len(line) > CAUSE else "")
    return first if first.endswith((".", "…", "!", "?")) else f"{first}."


def _page_of(document: Document, reading: Reading, call: Call) -> tuple[str, bool]:
    """Return a sentence if the result says that it is one page of several, and whether its tool can be asked for the
    next."""
    if document.kind is not Kind.JSON or document.language is not None or not reading.pages:
        return "", False
    read = indexing.reader(document.body)
    rows = document.container(reading.pages)
    signs = read_signs(document.index, read, reading.pages)
    page = signs.next_page(call.arguments, call.schema, count=rows.count, seen=rows.count)
    return signs.extent(call.arguments, rows.count), page is not None


def _more_calls(budget: Budget) -> tuple[NextCall, ...]:
    """Return the call that fetches more, where it may be fetched."""
    if not budget.act_tool:
        return ()
    tokens = min(budget.max_tokens, budget.preview_tokens + RECEIPT)
    return (NextCall(arguments={"action": "more"}, tokens=tokens, at_most=True, tool=budget.act_tool),)


def _first_calls(document: Document, reading: Reading, budget: Budget) -> tuple[NextCall, ...]:
    """Return the call that reads on from the start, with what stands around its answer."""
    is_text = document.kind is Kind.TEXT or text_in(document) is not None
    calls = next_calls(document, reading, budget.page if is_text else budget.items, budget.whole)
    around = AROUND_DATA if budget.notice == "data" else 0
    return tuple(replace(call, tokens=call.tokens + around) for call in calls)


def _change_calls(since: Since | None, budget: Budget) -> tuple[NextCall, ...]:
    """Return the call that shows what changed since an earlier result, if anything did."""
    if since is None or not since.is_worth_asking:
        return ()
    return (NextCall(arguments={"action": "changes"}, tokens=budget.page.tokens, at_most=True),)


def _block_calls(extras: Extras, budget: Budget) -> tuple[NextCall, ...]:
    """Return the calls that give back the first pictures, sounds and files that do not go along."""
    hidden = [
        NextCall(arguments={"action": "get"}, tokens=MEDIA_TOKENS + ENVELOPE + one.around, hidden=n)
        for n, one in enumerate(extras.hidden)
        if one.block is not None and budget.gives_back(len(one.raw), one.around)
    ]
    return tuple(hidden[:BLOCK_CALLS])
