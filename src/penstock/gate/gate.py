"""``Gate``: what comes from upstream is admitted, what was held is fetched.

Both are synchronous at heart and safe from several threads; ``admit_async`` and ``fetch_async`` do the same in a
thread, so that an event loop never waits. The order of an admission is: decide, commit to the store, and only then
name the handle. What ``fetch`` answers is never held again.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter, OrderedDict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.config.budget import budget_for
from penstock.config.unread import passes_unread
from penstock.core import fit as core
from penstock.core.act import MARK
from penstock.core.forms.converted import converted
from penstock.core.forms.document import read
from penstock.core.json.index import load
from penstock.core.measure import measure
from penstock.core.tokens.count import count
from penstock.errors import CallerError, PenstockError, StoreError
from penstock.gate import actions
from penstock.gate.actions.request import FetchRequest
from penstock.gate.admitting import Admitting, collector_waits
from penstock.gate.arguments import FetchArguments
from penstock.gate.comparing import call_digest, since_earlier
from penstock.gate.held import FORMAT, HeldReader, HoldTerms, Layout, Origin, hidden_record, record_of
from penstock.gate.outcome import Admission, Outcome
from penstock.gate.owners import Owner
from penstock.gate.tool_results import error_result, less_note, with_block, with_note
from penstock.protocol.rules import new_mark
from penstock.stores import Entry
from penstock.stores import new_handle as random_handle

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from penstock.config.model import Config
    from penstock.core.answer.result import Result
    from penstock.core.answer.stand_in import StandIn
    from penstock.core.changes.since import Since
    from penstock.core.forms.converted import Conversion
    from penstock.core.forms.document import Document
    from penstock.core.forms.languages import Language
    from penstock.core.forms.reading import Reading
    from penstock.gate.acts.more import PageCall, PageRun
    from penstock.gate.acts.request import ActTerms
    from penstock.gate.fair_threads import FairThreads
    from penstock.gate.outcome import OutcomeKind
    from penstock.gate.passing import Passed, Target
    from penstock.query.parse.convert import Converter
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.stores import Store

T = TypeVar("T")

REMEMBERED: Final = 1_000  # calls whose handles were given out, to name the call to repeat when a result is gone
LAYOUTS: Final = 16  # results whose layout is kept at hand: it is some 3 % of its result
COUNTERS: Final = ("calls", "held", "tokens_saved")
_NOTICE = re.compile(rb'\{\\"type\\":\\"buffered_response\\",\\"cache_id\\":\\"([\w-]{1,64})\\"')


class Gate:
    """Bound the results of upstreams, and read held ones."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        now: Callable[[], float] = time.time,
        new_handle: Callable[[], str] = random_handle,
        sandbox: Sandbox | None = None,
        converter: Converter | None = None,
        failed: Callable[[PenstockError], None] = lambda _: None,
        passed: Callable[[Passed], None] = lambda _: None,
        acted: Callable[[str], None] = lambda _: None,
        mark: str = "",
    ) -> None:
        """Take a store and settings. ``failed`` is called with the reason when a result could not be held, ``passed``
        with each held result that is passed to a tool, ``acted`` with what the act tool did: for the log. ``mark`` is
        what real notices have in their ``_meta``, a random word if none is given."""
        self.store = store
        self.config = config
        self.fetch_tool = config.tool_name
        self.act_tool = config.act_tool_name if config.act else ""
        self._now = now
        self._new_handle = new_handle
        self._sandbox = sandbox
        self._converter = converter
        self._failed = failed
        self.mark = mark or new_mark()
        self._passed = passed
        self._acted = acted
        self._queries: FairThreads | None = None
        self._lock = threading.Lock()
        self._admitting = Admitting()
        self._layouts: OrderedDict[tuple[str, str], Layout] = OrderedDict()
        self._calls: OrderedDict[tuple[str, str], Origin] = OrderedDict()
        self._counts: Counter[tuple[str, str]] = Counter()

    def admit(self, call: core.Call, result: bytes | Result, *, owner: Owner | None = None) -> bytes:
        """Return the result itself when it fits, else its stand-in. A failure of the store is said in the answer, not
        raised."""
        return self.decide(call, result, owner=owner).answer

    def decide(
        self, call: core.Call, result: bytes | Result, *, owner: Owner | None = None, server: str | None = ""
    ) -> Admission:
        """Decide as ``admit`` does, and return the outcome too, and the parts of a stand-in.

        ``owner`` is the call's, with the run or session that made it, by which ``list`` tells, and with its share.
        ``server`` names the server that answered it, None if that is not known: ``resolve`` tells by it where the
        result may go.
        """
        self.count_call(call.tool)
        if isinstance(result, bytes) and len(result) <= passes_unread(self.config, call.tool):
            return Admission(answer=result)
        budget = self._budget(call.tool, call.client, structured=call.structured)
        raw, lifted = (result, b"") if isinstance(result, bytes) else (result.raw, result.lifted or b"")
        if "more" in self.config.act and self.config.rule_for(call.tool).lets_more(read_only=call.read_only):
            budget = replace(budget, act_tool=self.act_tool)
        if budget.always_hold and self._is_own_notice(raw, call.owner):
            budget = replace(budget, always_hold=False)
        size = len(raw) + len(lifted)
        owner = owner or Owner(name=call.owner)
        digest = call_digest(call.tool, server, call.arguments, owner)
        origin = Origin(tool=call.tool, arguments=dict(call.arguments), run=owner.run, server=server, call=digest)
        with collector_waits(size):
            program = self.config.rule_for(call.tool).filter
            if program is not None:
                return self._filtered_admission(call, result, budget, program, owner=owner, origin=origin)
            return self._admission(call, result, budget, size, owner=owner, origin=origin)

    def _filtered_admission(
        self,
        call: core.Call,
        result: bytes | Result,
        budget: core.Budget,
        program: str,
        *,
        owner: Owner,
        origin: Origin,
    ) -> Admission:
        """Admit what the tool's filter leaves of a result, and say where the original is; or the original, with a word
        when the filter failed or the original could not be held."""
        from penstock.gate import filtering  # noqa: PLC0415  (few tools have a filter)

        note = ""
        try:
            found = filtering.filtered(result, program, self._workers, self._convert)
            if found is not None:
                kept = self._keep_document(found.original.raw, origin, owner)
                note = filtering.filter_note(program, kept.handle)
                result = found.result
                digest = call_digest(call.tool, origin.server, call.arguments, owner, program)
                origin = replace(origin, source=kept.handle, filter=program, call=digest)
        except PenstockError as error:
            note = filtering.failure_note(error.what)
        size = len(result) if isinstance(result, bytes) else result.size
        admission = self._admission(call, result, less_note(budget, note), size, owner=owner, origin=origin)
        if not note or less_note(budget, note) is budget:
            return admission
        return replace(admission, answer=with_block(admission.answer, note))

    def _admission(
        self,
        call: core.Call,
        result: bytes | Result,
        budget: core.Budget,
        size: int,
        *,
        owner: Owner,
        origin: Origin,
    ) -> Admission:
        """Decide on a result, commit it if it is held, and count it. All that was made of it is let go at the end."""
        with self._admitting.reading(size):
            plan = core.fit(result, budget, call, self._convert, partial(self._since, owner.name, origin.call))
        match plan:
            case core.Pass():
                return Admission(answer=result if isinstance(result, bytes) else result.whole)
            case core.Compact(raw=raw):
                return Admission(answer=raw)
            case core.Hold() as hold:
                kept = len(hold.document.raw) <= self.config.max_result_bytes
                since = hold.notice.since
                if hold.result.is_error:
                    origin = replace(origin, call="")
                elif since is not None:
                    origin = replace(origin, since=since.handle)
                stand_in = self._keep(hold, origin, owner) if kept else hold.stand_in(None)
                answer = stand_in.raw
                before, after = hold.measure.tokens.tokens, count(answer).tokens
                self._count(call.tool, "held", 1)
                self._count(call.tool, "tokens_saved", max(0, before - after))
                self.flush()
                kind: OutcomeKind = "held" if "cache_id" in stand_in.notice else "not_kept"
                outcome = Outcome(kind=kind, tokens_in=before, tokens_out=after)
                return Admission(answer=answer, stand_in=stand_in, decided=outcome)

    def fetch(self, owner: str | Owner, arguments: Mapping[str, Any], client: str = "") -> bytes:
        """Answer a call of the fetch tool. A wrong argument, handle, path or query is a tool error, cause first."""
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        given = FetchArguments.read(arguments)
        opened: list[HeldReader] = []
        request = self._request(caller, given, client, opened)
        return self._answer(request, opened, lambda: actions.TABLE[given.action(actions.TABLE)].run(request), client)

    def act(
        self,
        owner: str | Owner,
        arguments: Mapping[str, Any],
        client: str = "",
        *,
        terms: ActTerms | None = None,
        call: Callable[[str, dict[str, Any]], bytes] | None = None,
    ) -> bytes:
        """Answer a call of the act tool, which has the actions of the setting ``act``; any other is a tool error, as is
        what would be one for ``fetch``. ``more`` needs ``call``, which calls a tool and returns its MCP result, and
        ``terms`` that tell what is known of the tool."""
        from penstock.gate.acts.finish import finished  # noqa: PLC0415

        return finished(self.begin_act(owner, arguments, client, terms=terms), call)

    def begin_act(
        self, owner: str | Owner, arguments: Mapping[str, Any], client: str = "", *, terms: ActTerms | None = None
    ) -> bytes | PageRun:
        """Answer a call of the act tool, or return the run of calls that it needs first: make its ``call``, and give
        the result to its ``step``, until that returns the answer."""
        from penstock.gate import acts  # noqa: PLC0415  (most gates only read)
        from penstock.gate.acts.request import KNOWN, ActRequest, ActTerms  # noqa: PLC0415

        caller, terms = Owner(name=owner) if isinstance(owner, str) else owner, terms or ActTerms()
        given = FetchArguments.read(arguments, KNOWN)
        opened: list[HeldReader] = []
        request = ActRequest(
            fetch=self._request(caller, given, client, opened),
            act_tool=self.act_tool,
            drop=partial(self._drop, caller),
            terms=terms,
            folder=self.config.export_folder if terms.is_local else None,
            clock=self._now,
            rule_for=self.config.rule_for,
            note=self._acted,
        )
        run = lambda: acts.TABLE[given.action(self.config.act)].run(request)  # noqa: E731
        return self._answer(request.fetch, opened, run, client)

    def _request(self, caller: Owner, given: FetchArguments, client: str, opened: list[HeldReader]) -> FetchRequest:
        """Return what an action is given. ``opened`` gets the held results that it opens."""
        note = given.ignored_text
        return FetchRequest(
            arguments=given,
            now=self._now(),
            fetch_tool=self.fetch_tool,
            open_handle=lambda handle: _listed(self._opened(caller, handle), opened),
            open_text=lambda handle: _listed(self._open(caller, handle), opened),
            budget_for=lambda tool: less_note(self._budget(tool, client), note),
            owner=caller,
            list_held=partial(self._held_by, caller),
            hold=lambda hold, origin: self._keep(hold, origin, caller).raw,
            keep=lambda raw, origin: self._keep_document(raw, origin, caller),
            max_bytes=self.config.max_result_bytes,
            sandbox=self._workers,
        )

    def _answer(self, request: FetchRequest, opened: list[HeldReader], run: Callable[[], T], client: str) -> bytes | T:
        """Run an action, and return its result or its error. What it opened counts as read."""
        note = request.arguments.ignored_text
        try:
            answer = run()
        except PenstockError as error:
            return error_result(error, hint=note)
        finally:
            for one in opened:
                self._touch(one)
        return with_note(answer, note, self._budget(self.fetch_tool, client)) if isinstance(answer, bytes) else answer

    def read_export(self, owner: str | Owner, uri: str, client: str = "") -> bytes:
        """Return the result of ``resources/read`` for an export, or the part of it that fits. Raises a ``CallerError``
        when the owner has no export of this address."""
        from penstock.gate.acts.read_export import read_export  # noqa: PLC0415

        caller = Owner(name=owner) if isinstance(owner, str) else owner
        opened: list[HeldReader] = []
        try:
            return read_export(
                uri,
                lambda handle: _listed(self._open(caller, handle), opened),
                self._budget("resources/read", client),
            )
        finally:
            for one in opened:
                self._touch(one)

    def _drop(self, caller: Owner, handle: str) -> bool:
        """Delete what the caller holds under a handle, in the store and in the workers that may have a copy of it."""
        with self._lock:
            self._layouts.pop((caller.name, handle), None)
        if self._sandbox is not None:
            self._sandbox.forget(caller.name, handle)
        return self.store.drop(caller.name, handle)

    def resolve(self, owner: str | Owner, target: Target, arguments: bytes) -> bytes:
        """Return the arguments of a call, which are JSON, with held results in the place of the strings that name them
        (``held:r_...``). Raises a ``CallerError`` when one cannot be passed: then nothing may be sent."""
        from penstock.gate.passing import filled  # noqa: PLC0415  (most held results are only read)

        if MARK not in arguments or not self.config.is_by_handle:
            return arguments
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        rule = self.config.rule_for(target.tool)
        opened: list[HeldReader] = []
        whole, passed = filled(
            arguments,
            target,
            rule,
            open_handle=lambda handle: _listed(self._opened(caller, handle), opened),
            open_text=lambda handle: _listed(self._open(caller, handle), opened),
        )
        for reader in opened:
            self._touch(reader)
        for one in passed:
            self._passed(one)
        return whole

    async def admit_async(self, call: core.Call, result: bytes) -> bytes:
        """Do as ``admit`` does without blocking the event loop. Short results are decided at once, by their length."""
        import asyncio  # noqa: PLC0415  (only programs with an event loop pay for it)

        if len(result) <= passes_unread(self.config, call.tool):
            return self.admit(call, result)
        return await asyncio.to_thread(self.admit, call, result)

    async def fetch_async(self, owner: str | Owner, arguments: Mapping[str, Any], client: str = "") -> bytes:
        """Do as ``fetch`` does without blocking the event loop."""
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        return await self._in_turn(caller, arguments, lambda: self.fetch(caller, arguments, client))

    async def act_async(
        self,
        owner: str | Owner,
        arguments: Mapping[str, Any],
        client: str = "",
        *,
        terms: ActTerms | None = None,
        call: Callable[[PageCall], Awaitable[bytes]] | None = None,
    ) -> bytes:
        """Do as ``act`` does without blocking the event loop. A ``call`` that fails raises a ``PenstockError``."""
        from penstock.gate.acts.finish import finished_async  # noqa: PLC0415

        caller = Owner(name=owner) if isinstance(owner, str) else owner
        step = await self._in_turn(caller, arguments, lambda: self.begin_act(caller, arguments, client, terms=terms))
        return await finished_async(step, call)

    async def _in_turn(self, caller: Owner, arguments: Mapping[str, Any], answer: Callable[[], T]) -> bytes | T:
        """Answer a call of our tools in a thread. A query waits for its share's turn."""
        import asyncio  # noqa: PLC0415

        from penstock.gate.fair_threads import FairThreads, is_query  # noqa: PLC0415

        if not is_query(arguments):
            return await asyncio.to_thread(answer)
        with self._lock:
            if self._queries is None:
                self._queries = FairThreads.for_queries()
        try:
            return await self._queries.run(caller.share, answer)
        except CallerError as error:  # it did not get its turn; what goes wrong after that is answered
            return error_result(error)

    def count_call(self, tool: str, number: int = 1) -> None:
        """Count calls of a tool, also those whose results passed unread."""
        self._count(tool, "calls", number)

    def flush(self) -> None:
        """Write the counters together: a write for every small call would cost more than the call."""
        with self._lock:
            counted, self._counts = self._counts, Counter()
        for tool in sorted({tool for tool, _ in counted}):
            numbers = {name: counted[tool, name] for name in COUNTERS}
            try:
                self.store.add_counts(tool, **numbers)
            except StoreError:  # counters are a courtesy, and never a reason to lose an answer, or to wait again
                break
            for name in COUNTERS:
                del counted[tool, name]
        with self._lock:
            self._counts.update(counted)

    def sweep(self) -> bool:
        """Remove expired results. False if the store failed: they then stay on disk, and nothing else is harmed."""
        if self._sandbox is not None:
            self._sandbox.sweep()
        try:
            self.store.sweep()
        except StoreError:
            return False
        return True

    def close(self) -> None:
        """Write the counters and end the workers. The caller closes the store, which it opened."""
        self.flush()
        if self._queries is not None:
            self._queries.shutdown()
        if self._sandbox is not None:
            self._sandbox.close()
        if self._converter is not None:
            self._converter.close()

    def _is_own_notice(self, raw: bytes, owner: str) -> bool:
        """Tell whether another gate with this store has held the result already, for the same owner: its handle is what
        no upstream can guess, so a forged notice is held like anything else."""
        found = _NOTICE.search(raw, 0, 200)
        try:
            return found is not None and self.store.get(owner, found[1].decode()) is not None
        except StoreError:
            return False

    def _budget(self, tool: str, client: str, *, structured: bool = False) -> core.Budget:
        return replace(
            budget_for(self.config, tool, client, structured=structured), fetch_tool=self.fetch_tool, mark=self.mark
        )

    def _workers(self) -> Sandbox:
        from penstock.query.sandbox.sandbox import Sandbox  # noqa: PLC0415  (most results are never queried)

        with self._lock:
            if self._sandbox is None:
                self._sandbox = Sandbox(now=self._now)
            return self._sandbox

    def _held_by(self, caller: Owner) -> list[Entry]:
        """Return the entries that ``list`` may show to the caller. Without a run of its own there are none."""
        return caller.listed(self.store.list(caller.name)) if caller.run or caller.lists == "all" else []

    def _convert(self, language: Language, text: bytes) -> Conversion | None:
        """Turn YAML, XML or HTML into JSON, in a worker process that the first such text starts."""
        from penstock.query.parse.convert import Converter  # noqa: PLC0415  (most results are JSON)

        with self._lock:
            if self._converter is None:
                self._converter = Converter()
        return self._converter(language, text)

    def _since(self, owner: str, call: str, document: Document, reading: Reading) -> Since | None:
        """Tell what changed since the same call was last answered with a result that is held."""
        return since_earlier(document, reading, store=self.store, owner=owner, call=call, now=self._now())

    def _keep(self, hold: core.Hold, origin: Origin, owner: Owner) -> StandIn:
        """Commit to the store, then name the handle. If the store fails, the answer says that the rest was not kept."""
        handle = self._new_handle()
        ttl = self.config.rule_for(origin.tool).ttl
        keeping = HoldTerms(owner=owner.name, share=owner.share, now=self._now(), ttl=ttl)
        hidden = [self._new_handle() for _ in hold.extras.hidden]
        try:
            for one, name in zip(hold.extras.hidden, hidden, strict=True):
                self.store.put(hidden_record(one, origin, keeping, handle=name))
            if hidden and not hold.document.raw:  # no text at all: the first of the blocks is what there is to open
                return hold.stand_in(hidden[0], ttl, hidden)
            self.store.put(record_of(hold.document, hold.measure, origin, keeping, handle=handle))
        except PenstockError as error:
            self._failed(error)
            return hold.stand_in(None)
        self._remember(owner.name, handle, Layout(index=hold.document.index))
        with self._lock:
            _keep_last(self._calls, (owner.name, handle), origin, REMEMBERED)
        return hold.stand_in(handle, ttl, hidden)

    def _keep_document(self, raw: bytes, origin: Origin, owner: Owner) -> Entry:
        """Hold a document that was made here, and tell of it."""
        with collector_waits(len(raw)), self._admitting.reading(len(raw)):
            document = converted(read(raw), self._convert)
            ttl = self.config.rule_for(origin.tool).ttl
            terms = HoldTerms(owner=owner.name, share=owner.share, now=self._now(), ttl=ttl)
            record = record_of(document, measure(document), origin, terms, handle=self._new_handle())
        self.store.put(record)
        self._remember(owner.name, record.handle, Layout(index=document.index))
        with self._lock:
            _keep_last(self._calls, (owner.name, record.handle), origin, REMEMBERED)
        return Entry(handle=record.handle, meta=record.meta, stored=0)

    def _open(self, caller: Owner, handle: str) -> HeldReader:
        owner = caller.name
        held = self.store.get(owner, handle)
        if held is None:
            raise self._gone(owner, handle)
        if held.meta.extra.get("format") != FORMAT:
            raise CallerError(
                f"the held result {handle[:40]!r} was written by another version of Penstock",
                do="repeat the call that gave it",
            )
        with self._lock:
            layout = self._layouts.pop((owner, handle), None)
        layout = layout or Layout(index=load(held.index))
        opened = HeldReader(held=held, layout=layout, owner=owner, share=caller.share)
        self._remember(owner, handle, opened.layout)
        return opened

    def _opened(self, caller: Owner, handle: str) -> HeldReader:
        """Return the held result with its tables: those of a long text in another language are made now. Only the last
        one that was made is kept: its JSON may be as large as the text."""
        opened = self._open(caller, handle)
        if not opened.is_later:
            return opened
        made = opened.convert(self._convert)
        with self._lock:
            for key in [key for key, layout in self._layouts.items() if layout.converted is not None]:
                del self._layouts[key]
        self._remember(caller.name, handle, made)
        return replace(opened, layout=made)

    def _remember(self, owner: str, handle: str, layout: Layout) -> None:
        """Cache a layout as the one last used. A handle names one result for ever, so a layout never goes stale."""
        with self._lock:
            _keep_last(self._layouts, (owner, handle), layout, LAYOUTS)

    def _touch(self, opened: HeldReader) -> None:
        """Note that a held result was read, and what of it."""
        expires = None
        if self.config.refresh_on_read:
            ttl = self.config.rule_for(opened.held.meta.tool).ttl
            expires = None if ttl is None else self._now() + ttl
        try:
            seen = b"".join(opened.receipts)
            self.store.touch(opened.owner or "", opened.held.entry.handle, expires=expires, seen=seen)
        except StoreError:
            return  # a store that can only be read still gives answers

    def _gone(self, owner: str, handle: str) -> CallerError:
        """Raise the one error for an unknown, a foreign, an expired and an evicted handle: the caller cannot tell them
        apart. Only the owner's own calls are remembered, so naming the call to repeat reveals nothing."""
        with self._lock:
            origin = self._calls.get((owner, handle))
        do = (
            "repeat the call that gave it: it may have expired, given way to newer ones, or been dropped; "
            "or another user, token, server command or folder holds it"
        )
        if origin is not None:
            arguments = json.dumps(origin.arguments, ensure_ascii=False, default=str)
            do = f"it has expired or was removed; repeat the call: {origin.tool} {arguments[:400]}"
            if origin.filter is not None:
                do = f"it has expired or was removed; filter {origin.source} again with {origin.filter[:300]}"
            elif origin.source is not None:
                do = f"it has expired or was removed; edit {origin.source} again"
        return CallerError(f"there is no held result {handle[:40]!r}", do=do)

    def _count(self, tool: str, name: str, number: int) -> None:
        with self._lock:
            self._counts[tool, name] += number


def _listed(opened: HeldReader, all_opened: list[HeldReader]) -> HeldReader:
    all_opened.append(opened)
    return opened


def _keep_last(kept: OrderedDict[tuple[str, str], T], key: tuple[str, str], value: T, most: int) -> None:
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)
