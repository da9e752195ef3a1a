"""``more``: call a tool on for its next pages, and hold all rows as one table.

The gate makes no calls itself. ``More.run`` returns a ``PageRun``, whose ``call`` the caller makes and whose ``step``
takes the result, until it returns the answer: so every driver waits, cancels and tells its progress in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core import fit as core
from penstock.core.act.more import NextPage, takes_pages
from penstock.core.forms.document import read
from penstock.core.text import shorten
from penstock.errors import CallerError, StoreError, UpstreamError
from penstock.gate.acts.pages import FetchedPage, KeyCheck, page_of_held, page_of_result
from penstock.gate.records import Origin
from penstock.gate.tool_results import beside_note, with_member

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.config.model import Rule
    from penstock.gate.acts.request import ActRequest
    from penstock.gate.held import HeldReader
    from penstock.gate.passing import Target

PAGES: Final = 20  # pages of a call that names no number
UNSAID: Final = "the last page does not say whether there is another one"
NO_WAY: Final = "the page has no cursor, link or number that an argument of the tool takes"
LONGEST_ERROR: Final = 80  # characters of an error in a receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCall:
    """A call of the tool for one page. ``seconds`` are left of the time for all; ``done`` of ``most`` pages are
    there."""

    tool: str
    arguments: Mapping[str, Any]
    seconds: float | None
    done: int
    most: int
    message: str


@dataclass(slots=True, kw_only=True)
class PageRun:
    """The pages of one tool that are being fetched for one call of ``more``."""

    request: ActRequest
    target: Target
    rule: Rule
    base: dict[str, Any]  # the arguments of the first page
    most: int
    source: str | None = None  # the handle of the first page
    parts: list[bytes] = field(default_factory=list)
    path: tuple[str | int, ...] | None = None
    rows: int = 0
    size: int = 0
    pages: int = 0  # in all
    fetched: int = 0  # by this call
    last: bytes = b""  # the rows of the last page
    following: NextPage | None = None
    stopped: str = ""
    unfetched: str = ""  # why the rows that the last page says there are cannot be fetched
    goes_round: bool = False  # asking on would give what is there already
    total: int | None = None
    keys: KeyCheck = field(default_factory=KeyCheck)
    requested: set[bytes] = field(default_factory=set)
    began: float = 0.0

    @property
    def call(self) -> PageCall:
        """Return the call that is needed next."""
        limit = self.rule.more_timeout
        following = {} if self.following is None else self.following.arguments
        return PageCall(
            tool=self.target.tool,
            arguments={**self.base, **following},
            seconds=None if limit is None else max(0.0, limit - (self.request.clock() - self.began)),
            done=self.fetched,
            most=self.most,
            message=f"{self.pages:,} pages, {self.rows:,} rows",
        )

    def step(self, result: bytes, failure: str = "") -> PageRun | bytes:
        """Take the result of the call, or the words of its failure, and return what is needed next: this, for another
        call, or the answer. A failure after the first page ends the run with what is there."""
        try:
            if failure:
                raise UpstreamError(failure)
            page = page_of_result(result, self.path)
        except UpstreamError as error:
            if not self.fetched:
                raise
            self.stopped = f"page {self.pages + 1:,}: {shorten(error.what, LONGEST_ERROR)}"
            return self.answer()
        if page.count and page.rows == self.last and self._must_differ:
            self.stopped = f"page {self.pages + 1:,} has the same rows as page {self.pages:,}"
            self.goes_round = True
            return self.answer()
        self.fetched += 1
        self.add(page)
        return self.proceed()

    def add(self, page: FetchedPage) -> None:
        """Take the rows of a page, and what it says of the next one."""
        arguments = self.call.arguments
        self.path = page.path
        self.pages += 1
        self.rows += page.count
        self.size += len(page.rows) + 1
        self.last = page.rows
        self.parts += [page.rows] if page.count else []
        self.keys.add(page)
        total = page.signs.total(arguments)
        self.total = self.total if total is None else total
        following = page.signs.next_page(arguments, self.target.schema, count=page.count, seen=self.rows)
        is_end = following is None or (following.by_number and not page.count)
        self.following = None if is_end else following
        self.unfetched = self._why_unfetched(page, arguments) if is_end else ""

    def _why_unfetched(self, page: FetchedPage, arguments: Mapping[str, Any]) -> str:
        """Say why the last page is not the end of all rows, or may not be. Empty if it is."""
        sign = page.signs.sign_of_more(arguments, count=page.count, seen=self.rows)
        if sign:
            why = NO_WAY if page.count else f"page {self.pages:,} has no rows"
            return f"{shorten(sign, LONGEST_ERROR)} says that there is more, but {why}"
        is_known = not page.count or page.signs.says_whether_last(arguments) or not takes_pages(self.target.schema)
        return "" if is_known else UNSAID

    def proceed(self) -> PageRun | bytes:
        """Return this if there is another page to fetch, and the limits allow it; else the answer."""
        if self.following is None:
            self.stopped = self.unfetched
            return self.answer()
        seconds = self.call.seconds
        if self.following.key in self.requested:
            self.goes_round = True
            self.stopped = f"{self.following.sign} repeats: the pages go round in a circle"
        elif self.fetched >= self.most:
            self.stopped = f"the limit of {self.most:,} pages for one call"
        elif seconds is not None and seconds <= 0:
            self.stopped = f"the limit of {self.rule.more_timeout:,} seconds for one call"
        elif self.size > self.request.fetch.max_bytes:
            raise CallerError(
                f"{self.pages:,} pages have more than the {self.request.fetch.max_bytes:,} bytes that are held",
                do="narrow the call of the tool, or give fewer pages",
            )
        if self.stopped:
            return self.answer()
        self.requested.add(self.following.key)
        return self

    @property
    def _must_differ(self) -> bool:
        """Return True if two pages with the same rows mean that the tool ignores its arguments: rows with keys differ,
        and so do pages that are numbered; without keys two pages of a cursor may be alike."""
        return self.keys.name is not None or (self.following is not None and self.following.by_number)

    @property
    def is_complete(self) -> bool:
        return self.following is None and not self.stopped

    @property
    def receipt(self) -> dict[str, Any]:
        """Return what was fetched, and whether it is all."""
        members: dict[str, Any] = {"pages": self.pages, "rows": self.rows, "complete": self.is_complete}
        if self.total is not None and self.total != self.rows:
            members["server_total"] = self.total
        return {**members, **self.keys.receipt, **({"stopped": self.stopped} if self.stopped else {})}

    def answer(self) -> bytes:
        """Hold all rows as one table, and return its stand-in with the receipt."""
        fetch, tool = self.request.fetch, self.target.tool
        receipt = self.receipt
        self.request.note(f"more called {tool[:128]!r} {self.fetched:,} times: {self.rows:,} rows in all")
        note = msgspec.json.encode(receipt).decode().encode("ascii", "replace").decode()
        budget = fetch.budget_for(tool)
        following = None if self.goes_round else self.following
        holding = replace(
            beside_note(budget, note),
            always_hold=True,
            never_hold=False,
            auto_truncate=False,
            act_tool="" if following is None else self.request.act_tool,
        )
        what = "Perhaps not all pages" if self.stopped == UNSAID else "Not all pages"
        partial = "" if self.is_complete else f"{what}: {self.stopped or 'there are more'}."
        call = core.Call(tool=tool, partial=partial)
        hold = core.fit_document(read(b"[" + b",".join(self.parts) + b"]"), holding, call)
        if not isinstance(hold, core.Hold):  # always_hold leaves no other way
            raise StoreError("the pages could not be held")
        state = {
            "next": None if following is None else dict(following.arguments),
            "path": list(self.path or ()),
            "pages": self.pages,
            "receipt": receipt,
        }
        origin = Origin(
            tool=tool,
            arguments=self.base,
            source=self.source,
            run=fetch.owner.run,
            server=self.target.server,
            more=state,
        )
        answer = fetch.hold(hold, origin)
        has_room = beside_note(budget, note) is not budget
        return with_member(answer, "receipt", msgspec.Raw(note.encode())) if has_room else answer


class More:
    """A run of calls, whose answer is the stand-in of all rows, and the receipt. A held result goes on from the page
    that it is, or from the last page that it has; a tool with its arguments from the first."""

    def run(self, request: ActRequest) -> PageRun | bytes:
        arguments = request.fetch.arguments
        named, held = arguments.values.get("tool") is not None, arguments.values.get("cache_id") is not None
        if named and held:
            raise CallerError("cache_id and tool are both given", do="give one of them")
        if named:
            run = _begun(request, arguments.text("tool"), _checked_arguments(arguments.values.get("arguments")))
            run.requested.add(msgspec.json.encode(run.base, order="sorted"))
            return run
        opened = request.fetch.open_handle(arguments.handle)
        tool = opened.held.meta.tool
        run = _begun(request, tool, msgspec.json.decode(opened.held.meta.arguments))
        if opened.server is None or opened.server != run.target.server:
            raise CallerError("this held result comes from another server", do=f"call {shorten(tool)} there")
        run.source = arguments.handle
        return _resumed(run, opened)


def _begun(request: ActRequest, tool: str, arguments: dict[str, Any]) -> PageRun:
    """Return a run of a tool that may be called, with no page yet."""
    rule, target = request.rule_for(tool), request.terms.target_of(tool)
    name = shorten(tool)
    if tool in (request.fetch.fetch_tool, request.act_tool):
        raise CallerError(f"{name} is no tool of the server", do="give a tool that lists something")
    if target.schema is None:
        raise CallerError(f"the arguments that {name} takes are not known here", do="list the tools, then repeat this")
    if not rule.lets_more(read_only=target.read_only):
        raise CallerError(
            f"more cannot call {name}: it is not marked as read-only"
            if rule.more == "read-only"
            else f"more is off for {name}",
            do=f"call {name} directly; the operator can allow it with more = any in a rule of the tool",
        )
    if rule.filter is not None:
        raise CallerError(
            f"{name} has a filter in its rule, which pages would not go through", do="call it page by page"
        )
    most = request.fetch.arguments.number("pages", min(PAGES, rule.max_pages), least=1)
    if most > rule.max_pages:
        raise CallerError(f"pages is {most:,}", do=f"max_pages is {rule.max_pages:,}: give as many, then go on")
    return PageRun(request=request, target=target, rule=rule, base=arguments, most=most, began=request.clock())


def _resumed(run: PageRun, opened: HeldReader) -> PageRun:
    """Go on after the page that is held, or after the last of those that are."""
    page, state = page_of_held(opened), opened.held.meta.extra.get("more")
    if state is None:
        run.add(page)
    else:
        run.add(page)
        run.pages, run.path, run.last = state["pages"], tuple(state["path"]), b""
        following = state["next"]
        run.following = None if following is None else NextPage(arguments=following, sign="the last page")
    if run.following is None:
        raise CallerError(
            "this result does not say that there is more, or not in a way that its tool has an argument for",
            do="call the tool by yourself if you know how",
        )
    run.requested.add(run.following.key)
    return run


def _checked_arguments(arguments: Any) -> dict[str, Any]:
    if arguments is None:
        return {}
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except msgspec.DecodeError:
            arguments = None
    if not isinstance(arguments, dict):
        raise CallerError("arguments cannot be read", do="give an object with the arguments of the tool")
    return arguments
