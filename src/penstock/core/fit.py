"""The one decision: does a result pass untouched, pass minified, or is it held and stood in for by a preview?

    match fit(result, budget, call):
        case Pass(): ...            # write the same bytes on
        case Compact(raw=raw): ...  # the same data in fewer bytes
        case Hold() as hold: ...    # store hold.document, then hold.answer(handle, expires_in_s)

``fit`` reads the document (forms), makes the preview and the suggestions (answer); it never stores anything and knows
no handle.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from msgspec import field

from penstock.core.act.more import read_signs
from penstock.core.answer.copies import repeats_blocks
from penstock.core.answer.notice import NextCall, Notice, encode
from penstock.core.answer.result import Payload, Result, parse, payload
from penstock.core.answer.stand_in import (
    Cost,
    Extras,
    StandIn,
    block_cost,
    compacted,
    cost_of,
    kept_members,
    with_preview,
    without_copy,
)
from penstock.core.answer.suggestions.suggest import AnsweredCall, suggest
from penstock.core.arrived import ArrivedResult
from penstock.core.budget import ENVELOPE, MEDIA_TOKENS, Budget, Room
from penstock.core.fit_input import as_result
from penstock.core.fit_reason import CAUSE, EMPTY, cause_of, lines_of, media_size, reason_of
from penstock.core.fit_room import beside, has_room_for_mark, placeholder, preview_within, with_drawn_preview
from penstock.core.forms.converted import converted
from penstock.core.forms.document import Kind
from penstock.core.forms.embedded import text_in
from penstock.core.forms.recognise import read_form
from penstock.core.json import index as indexing
from penstock.core.json.long_bytes import gathered
from penstock.core.measure import Measure, measure
from penstock.core.plain import Plain
from penstock.core.reading.next_calls import next_calls
from penstock.core.text import counted, line_text
from penstock.core.tokens.count import Count, count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.core.answer.preview_text import Preview
    from penstock.core.answer.suggestions.offer import Suggestion
    from penstock.core.changes.since import Since
    from penstock.core.fit_input import FitInput
    from penstock.core.forms.converted import Convert
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading

    Compare = Callable[[Document, Reading], Since | None]

__all__ = ["Budget", "Call", "Compact", "Hold", "Pass", "Plan", "fit", "fit_document"]

COMPACTABLE: Final = 8  # times the budget: white space and a copy of the data are never more than that much of it
AROUND_DATA: Final = 40  # tokens around ``data`` in a page of that style, as a model reads them
RECEIPT: Final = 160  # tokens of the receipt of pages, upper bound included
BLOCK_CALLS: Final = 2  # calls in a notice for blocks that are held by themselves; the stubs of all have their handles


class Call(Plain, frozen=True, kw_only=True):
    """The call that was answered: what the tool's name, arguments and input schema tell about narrowing it, and whose
    it is. A handle opens only for the owner whose call made it.

    ``client`` is the name that the client gave itself; ``structured`` tells that it was told of an output schema;
    ``read_only`` that the tool says so of itself. ``partial`` says that the result is not all, where that is known.
    ``ahead`` is a call that no client has made yet: its answer is given later, with a note, and says nothing of now.
    """

    tool: str = "tool"
    owner: str = ""
    client: str = ""
    structured: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    read_only: bool = False
    partial: str = ""
    ahead: bool = False


class Pass(Plain, frozen=True, kw_only=True):
    """The result fits: write the same bytes on. ``cost`` is None where its length alone decided."""

    cost: Cost | None = None


class Compact(Plain, frozen=True, kw_only=True):
    """The result fits without its white space, or without the copy of itself that it carried. ``cost`` is that of
    what is left, ``tokens`` those of the data as it came."""

    raw: bytes
    cost: Cost
    tokens: int


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
        return StandIn(
            notice=notice,
            preview=preview,
            blocks=self.extras.naming(hidden_handles),
            members=kept_members(self.result, meta=self.keeps_meta, structured=copy, mark=self.mark),
            token_limit=self.notice.token_limit,
            below=self.notice.below,
        )


Plan = Pass | Compact | Hold


def fit(
    result: FitInput,
    budget: Budget,
    call: Call | None = None,
    convert: Convert | None = None,
    compare: Compare | None = None,
) -> Plan:
    """Decide what becomes of a result: an MCP result, other data, or a text (``fit_input`` says which value is which).

    ``convert`` has the parsers of other languages; without them YAML, XML and HTML are plain text. ``compare`` tells
    what changed since an earlier result of the same call, if one is held."""
    result = as_result(result)
    is_unread = not budget.always_hold and isinstance(result, bytes) and len(result) <= budget.unread
    if budget.never_hold or is_unread:
        return Pass()
    parsed = parse(result) if isinstance(result, bytes) else result
    if budget.always_hold and parsed.is_interim:  # a step of the protocol, which a client cannot do without
        budget = replace(budget, always_hold=False)
    compare = None if parsed.is_error else compare
    if isinstance(parsed, ArrivedResult):
        if parsed.content.counts(budget.profile)[0].tokens > COMPACTABLE * budget.max_tokens:
            return _hold(parsed, parsed.content, budget, call or Call(), convert, compare=compare)
        parsed = parsed.in_memory()
    if not budget.always_hold and (whole := _cost_if_it_fits(parsed, budget)) is not None:
        return Pass(cost=whole)
    content = None if not budget.structured and repeats_blocks(parsed) else payload(parsed)
    if content is None or (content.twin and not budget.structured and _may_fit(content, budget)):
        before = cost_of(parsed, budget.profile).tokens
        bare = without_copy(parsed, b"" if content is None else content.left)
        alone = parsed if bare is None else parse(bare)
        if bare is not None and not budget.always_hold and (kept := _cost_if_it_fits(alone, budget)) is not None:
            return Compact(raw=bare, cost=kept, tokens=before)
        parsed = alone if content is None else parsed  # to a client that reads the copy, a picture would be text
    content = content or payload(parsed)
    tokens = content.counts(budget.profile)[0].tokens
    if not budget.always_hold and tokens <= COMPACTABLE * budget.max_tokens:
        smaller = compacted(
            parsed, content, structured=budget.structured, most=budget.max_tokens, profile=budget.profile
        )
        left = None if smaller is None else _cost_if_it_fits(parse(smaller), budget)
        if smaller is not None and left is not None:
            return Compact(raw=smaller, cost=left, tokens=tokens)
    return _hold(parsed, content, budget, call or Call(), convert, compare=compare)


def _may_fit(content: Payload, budget: Budget) -> bool:
    """Tell whether the data of a result fits without a copy of it."""
    return content.counts(budget.profile)[0].tokens <= budget.max_tokens


def fit_document(document: Document, budget: Budget, call: Call | None = None, convert: Convert | None = None) -> Plan:
    """Decide the same for data that is no MCP result yet, as it would be for a result with one text block."""
    if budget.never_hold:
        return Pass()
    whole = Room(tokens=budget.max_tokens, size=budget.text_bytes, profile=budget.profile, lines=budget.lines)
    if not budget.always_hold:
        if whole.fits(gathered(document.raw)):
            return Pass()
        tokens = count(document.raw, budget.profile).tokens
        if document.kind is Kind.JSON and tokens <= COMPACTABLE * budget.max_tokens:
            small = document.minified()
            if whole.fits(small):
                left = count(small, budget.profile)
                return Compact(raw=small, cost=Cost(left.tokens, whole.cost(small)), tokens=tokens)
    return _hold(EMPTY, Payload(document=document, origin="text"), budget, call or Call(), convert)


def _cost_if_it_fits(result: Result, budget: Budget) -> Cost | None:
    if result.exceeds(budget.max_bytes):
        return None
    if result.size - media_size(result) > budget.max_text_bytes:
        return None
    if budget.max_lines is not None and lines_of(result) > budget.max_lines:
        return None
    cost = cost_of(result, budget.profile, budget.max_tokens)
    return cost if cost.charged <= budget.max_tokens else None


def _hold(
    result: Result,
    content: Payload,
    budget: Budget,
    call: Call,
    convert: Convert | None,
    *,
    compare: Compare | None = None,
) -> Hold:
    content = replace(content, document=converted(content.document, convert))
    document = content.document
    figures = measure(document, budget.profile, reading=read_form(document), tokens=content.counts(budget.profile)[0])
    if not document.raw:  # no text at all: what is held are the blocks
        words = f"{counted(len(content.rest), 'block')} that {'is' if len(content.rest) == 1 else 'are'} not text"
        reading = replace(figures.reading, words=words)
        size = sum(len(block.raw) for block in content.rest)
        figures = replace(figures, size=size, tokens=_of_blocks(content, budget), reading=reading)
    since = None if compare is None or not document.raw else compare(document, figures.reading)
    return hold_as(
        result,
        content,
        figures,
        budget,
        call,
        suggestions=_suggestions(content, figures, budget, call),
        since=since,
        draw=lambda room: preview_within(document, figures.reading, budget, room, call.arguments),
    )


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
    partial = call.partial or _partial(document, figures.reading, call)
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
            *_more_calls(partial, budget),
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
        envelope=budget.envelope,
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


def _partial(document: Document, reading: Reading, call: Call) -> str:
    """Say that a result is one page of several, where it says so itself and its tool can be asked for the next."""
    if document.kind is not Kind.JSON or document.language is not None or not reading.pages or call.schema is None:
        return ""
    read = indexing.reader(document.body)
    rows = document.container(reading.pages)
    signs = read_signs(document.index, read, reading.pages)
    page = signs.next_page(call.arguments, call.schema, count=rows.count, seen=rows.count)
    return "" if page is None else f"One page: {line_text(page.sign, CAUSE)} says that the tool has more."


def _more_calls(partial: str, budget: Budget) -> tuple[NextCall, ...]:
    """Return the call that fetches more, where there is more and it may be fetched."""
    if not partial or not budget.act_tool:
        return ()
    tokens = min(budget.max_tokens, budget.preview_tokens + RECEIPT)
    return (NextCall(arguments={"action": "more"}, tokens=tokens, at_most=True, tool=budget.act_tool),)


def _suggestions(content: Payload, figures: Measure, budget: Budget, call: Call) -> tuple[Suggestion, ...]:
    # The client's limit in bytes, in tokens as dense as these: a narrower call must fit that as well.
    affordable = min(budget.max_tokens, budget.text_bytes * figures.tokens.tokens // max(1, figures.size))
    answered = AnsweredCall(
        tool=call.tool,
        arguments=call.arguments,
        schema=call.schema,
        fetch_tool=budget.fetch_tool,
        tokens=figures.tokens.tokens,
        most=_spendable(content, figures, budget, affordable),
        page=min(budget.page.tokens, affordable),
        profile=budget.profile,
    )
    return suggest(content.document, figures.reading, answered, budget.max_suggestions)


def _of_blocks(content: Payload, budget: Budget) -> Count:
    """Return what blocks cost that are no text: a picture as a picture, anything else as it is written."""
    costs = [block_cost(block, budget.profile) for block in content.rest]
    return Count(tokens=sum(one.tokens for one in costs), upper=sum(one.charged for one in costs), method="blocks")


def _spendable(content: Payload, figures: Measure, budget: Budget, affordable: int) -> int:
    """Return the tokens that a narrower answer may have as a model reads them, to pass when it is charged as it is
    written: with its escapes, by the upper bound, and twice where the server says everything twice."""
    charged = content.counts(budget.profile)[1].upper
    copies = 2 if content.twin else 1
    return min(affordable, (budget.max_tokens - ENVELOPE) * figures.tokens.tokens // max(1, charged * copies))


def _first_calls(document: Document, reading: Reading, budget: Budget) -> tuple[NextCall, ...]:
    """Return the call that reads on from the start, with what stands around its answer."""
    is_text = document.kind is Kind.TEXT or text_in(document) is not None
    calls = next_calls(document, reading, budget.page if is_text else budget.items, budget.whole)
    around = AROUND_DATA if budget.envelope == "data" else 0
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
