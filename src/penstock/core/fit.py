"""The one decision: does a result pass untouched, pass minified, or is it held and stood in for by a preview?

    match fit(result, budget, call):
        case Pass(): ...            # write the same bytes on
        case Compact(raw=raw): ...  # the same data in fewer bytes
        case Hold() as hold: ...    # store hold.document, then hold.answer(handle, expires_in_s)

``fit`` measures, makes the preview and asks for suggestions; it never stores anything and knows no handle.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.core.answer import ENVELOPE, Extras, compacted, cost, extras_within, stand_in
from penstock.core.budget import Room
from penstock.core.document import Kind
from penstock.core.frame import frame_for
from penstock.core.measure import Measure, measure
from penstock.core.notice import SAMPLE_HANDLE, TOOL_NAME, Notice
from penstock.core.outline import DEFAULT_DEPTH, Indicator, outline
from penstock.core.page import Pages, paginate
from penstock.core.path import shorten
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.choose import preview
from penstock.core.reading import next_calls, order_by
from penstock.core.result import Payload, Result, parse, payload
from penstock.core.scan import minify
from penstock.core.subject import Subject, study
from penstock.core.suggest import suggest
from penstock.core.tokens import count
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.core.document import Document

LEAST_BUDGET: Final = 250  # tokens; the shortest notice with a handle takes about half of that by its upper bound
LEAST_BYTES: Final = 512
OUTLINED: Final = 8_388_608  # bytes; a larger document is not outlined whole in the hope that it then fits
COMPACTABLE: Final = 8  # times the budget: white space and a copy of the data are never more than that much of it
SLACK: Final = 24  # tokens by which one handle may cost more than another

Strategy = Literal["auto", "priority", "newest", "oldest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one answer may cost, and how it is to be cut. The names are those of the settings.

    ``max_tokens`` is the largest result passed whole, ``preview_tokens`` and ``preview_bytes`` bound the stand-in,
    ``page_tokens`` a page. ``max_bytes`` is the client's own limit on a whole answer, media included.
    """

    max_tokens: int = 20_000
    preview_tokens: int = 2_000
    preview_bytes: int = 8_192
    page_tokens: int = 5_000
    max_bytes: int = 1_000_000
    max_depth: int = DEFAULT_DEPTH
    profile: str = "claude"
    strategy: Strategy = "auto"
    priority_field: str | None = None
    always_hold: bool = False
    never_hold: bool = False
    auto_truncate: bool = False
    max_suggestions: int = 5
    indicator: Indicator = field(default_factory=Indicator)
    fetch_tool: str = TOOL_NAME

    def __post_init__(self) -> None:
        least = {"max_tokens": LEAST_BUDGET, "preview_tokens": LEAST_BUDGET, "page_tokens": LEAST_BUDGET}
        for name, value in {**least, "preview_bytes": LEAST_BYTES, "max_bytes": LEAST_BYTES}.items():
            if getattr(self, name) < value:
                raise CallerError(f"{name} is {getattr(self, name)}", do=f"give {value} or more: a notice needs that")

    @property
    def stand_in(self) -> Room:
        """Room for the notice and the preview together."""
        tokens = self.max_tokens if self.auto_truncate else min(self.preview_tokens, self.max_tokens)
        size = self.max_bytes if self.auto_truncate else min(self.preview_bytes, self.max_bytes)
        return Room(tokens=tokens, size=size, profile=self.profile)

    @property
    def whole(self) -> Room:
        """Room for the text of a whole answer, without the JSON around it."""
        return Room(tokens=self.max_tokens - ENVELOPE, size=self.max_bytes - 2 * ENVELOPE, profile=self.profile)

    @property
    def page(self) -> Room:
        """Room for the text of a page."""
        return self.whole.limited(tokens=self.page_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The call that was answered: what the tool's name, arguments and input schema tell about narrowing it, and whose
    it is. A handle opens only for the owner whose call made it."""

    tool: str = "tool"
    owner: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """The result fits: write the same bytes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """The result fits without its white space, or without the copy of itself that it carried."""

    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The result does not fit: ``document`` is to be held, and ``answer`` stands in for it.

    ``subject`` and ``pages`` are what was learned of the document on the way, for whoever stores it.
    """

    result: Result
    payload: Payload
    subject: Subject
    measure: Measure
    pages: Pages | None
    notice: Notice
    extras: Extras
    notice_room: Room
    keeps_meta: bool

    @property
    def document(self) -> Document:
        return self.payload.document

    @property
    def preview(self) -> Preview:
        return self.notice.preview

    def answer(self, handle: str | None, expires_in_s: int | None = None, hidden_handles: Sequence[str] = ()) -> bytes:
        """The result that the client gets. ``handle`` is None when the store failed and nothing was kept;
        ``hidden_handles`` are those of ``extras.hidden``, what does not go along and is no part of the document."""
        line = self.notice.render(handle, expires_in_s, room=self.notice_room)
        extras = self.extras.naming(hidden_handles)
        return stand_in(self.result, line.decode(), self.preview.text, extras, meta=self.keeps_meta)


Plan = Pass | Compact | Hold

KEPT: Final = ("content", "structuredContent", "isError", "resultType")  # members that an answer has or stands in for
EMPTY: Final = Result(raw=b"{}", members=(), blocks=())


def fit(result: Result | bytes, budget: Budget, call: Call | None = None) -> Plan:
    """Decide what becomes of a result."""
    raw = result if isinstance(result, bytes) else result.raw
    if budget.never_hold:
        return Pass()
    # No text has more tokens than bytes, so most results are decided here, without being read at all.
    if not budget.always_hold and len(raw) <= min(budget.max_tokens, budget.max_bytes):
        return Pass()
    parsed = parse(result) if isinstance(result, bytes) else result
    if not budget.always_hold and _fits(parsed, budget):
        return Pass()
    found = payload(parsed)
    if not budget.always_hold and count(raw, budget.profile).tokens <= COMPACTABLE * budget.max_tokens:
        smaller = compacted(parsed, found)
        if smaller is not None and _fits(parse(smaller), budget):
            return Compact(raw=smaller)
    return _hold(parsed, found, budget, call or Call())


def fit_document(document: Document, budget: Budget, call: Call | None = None) -> Plan:
    """The same decision for data that is no MCP result yet, as it would be for a result with one text block."""
    if budget.never_hold:
        return Pass()
    whole = Room(tokens=budget.max_tokens, size=budget.max_bytes, profile=budget.profile)
    if not budget.always_hold:
        if whole.fits(document.raw):
            return Pass()
        tokens = count(document.raw, budget.profile).tokens
        if document.kind is Kind.JSON and tokens <= COMPACTABLE * budget.max_tokens:
            small = minify(document.body)
            if whole.fits(small):
                return Compact(raw=small)
    return _hold(EMPTY, Payload(document=document, origin="text"), budget, call or Call())


def _fits(result: Result, budget: Budget) -> bool:
    return len(result.raw) <= budget.max_bytes and cost(result, budget.profile) <= budget.max_tokens


def _hold(result: Result, found: Payload, budget: Budget, call: Call) -> Hold:
    subject = study(found.document)
    figures = measure(found.document, budget.profile, index=subject.index, form=subject.form)
    pages = _pages(subject, budget.page)
    draft = Notice(
        tool=call.tool,
        measure=figures,
        token_limit=budget.max_tokens,
        preview=_placeholder(figures),
        next_calls=next_calls(subject, pages, budget.page),
        suggestions=suggest(
            subject,
            tokens=figures.tokens.tokens,
            budget=budget.max_tokens,
            tool=call.tool,
            arguments=call.arguments,
            schema=call.schema,
            fetch_tool=budget.fetch_tool,
            handle=SAMPLE_HANDLE,
            most=budget.max_suggestions,
            profile=budget.profile,
        ),
        fetch_tool=budget.fetch_tool,
        failed=result.is_error,
    )
    room, extras, keeps_meta = _beside(result, found, budget)
    made = _preview_within(subject, budget, _preview_room(draft, room))
    if not found.document.raw:
        made = replace(made, headline=f"{len(found.rest)} blocks that are not text")
    notice = replace(draft, preview=made)
    return Hold(
        result=result,
        payload=found,
        subject=subject,
        measure=figures,
        pages=pages,
        notice=notice,
        extras=extras,
        notice_room=room.less(made.text),
        keeps_meta=keeps_meta,
    )


def _pages(subject: Subject, room: Room) -> Pages | None:
    if (main := subject.main) is None:
        return None
    return paginate(main, subject.read, room, frame_for(subject.index, subject.read, main, room))


def _beside(result: Result, found: Payload, budget: Budget) -> tuple[Room, Extras, bool]:
    """What goes along with the preview, and the room that is left for the notice and the preview.

    The shares are fixed parts of the room, taken only when there is something to put there: were they what is left
    over, a bigger budget could let in another block and show less of the data.
    """
    whole = budget.stand_in
    room = whole.limited(tokens=whole.tokens - ENVELOPE, size=whole.size - 2 * ENVELOPE)
    share = whole.limited(tokens=whole.tokens // 4, size=whole.size // 4)
    extras = Extras()
    meta = result.meta
    keeps_meta = meta is not None and share.limited(tokens=share.tokens // 2, size=share.size // 2).fits(meta)
    kept = (*KEPT, "_meta") if keeps_meta else KEPT
    dropped = [member for member in result.members if member[0] not in kept and found.origin != "whole"]
    if found.rest or dropped:
        spare = budget.max_tokens - whole.tokens
        media_bytes = budget.max_bytes - whole.size
        extras = extras_within(found.rest, dropped, share, media_tokens=spare, media_bytes=media_bytes)
        room = room.limited(tokens=room.tokens - share.tokens, size=room.size - share.size)
    if meta is not None:
        room = room.limited(tokens=room.tokens - share.tokens // 2, size=room.size - share.size // 2)
    return room, extras, keeps_meta


def _preview_room(draft: Notice, room: Room) -> Room:
    """What the notice leaves: all beside a notice in full, or half the room when that is more than it leaves."""
    line = draft.render(SAMPLE_HANDLE, 10**9)
    left = room.less(line)
    return Room(
        tokens=max(left.tokens - SLACK, room.tokens // 2 - SLACK),
        size=max(left.size, room.size // 2),
        profile=room.profile,
    )


def _preview_within(subject: Subject, budget: Budget, room: Room) -> Preview:
    if budget.auto_truncate and (outlined := _outlined(subject, budget, room)) is not None:
        return outlined
    order = None
    if budget.strategy != "auto":
        order = order_by(subject, budget.strategy, budget.priority_field)
    return preview(subject, room, order=order)


def _outlined(subject: Subject, budget: Budget, room: Room) -> Preview | None:
    """The data itself down to ``max_depth``, when that fits."""
    document, main = subject.document, subject.main
    if document.kind is not Kind.JSON or main is None or len(document.body) > OUTLINED:
        return None
    cut = outline(document.body.strip(), budget.max_depth, budget.indicator)
    if not room.fits(cut.text):
        return None
    return Preview(
        text=cut.text.decode(),
        style="outline",
        # The array itself stands at the level below its path; above that only a mark of it is left.
        shown=Shown(path=main.path, start=0, end=main.count if cut.depth > len(main.path) else 0, total=main.count),
        headline=f"{main.count:,} items, {document.depth} levels deep {cut.note}".strip(),
        depth=cut.depth,
    )


def _placeholder(figures: Measure) -> Preview:
    """A preview as long in words as any, to find out what the notice costs before there is one."""
    shown = Shown(path=figures.main, start=figures.items, end=figures.items, total=figures.items)
    return Preview(text="", style="none", shown=shown, headline=shorten("0,000 " * 20, 90), depth=400)
