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
from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.config.budget import budget_for
from penstock.config.unread import passes_unread
from penstock.core import fit as core
from penstock.core.act import MARK, receipts
from penstock.core.answer.stand_in import Cost
from penstock.core.forms.converted import converted
from penstock.core.forms.document import read
from penstock.core.json.long_bytes import gathered
from penstock.core.measure import measure
from penstock.core.tokens.count import count
from penstock.core.tokens.glance import glance
from penstock.core.tokens.size_class import BYTES_PER_TOKEN, size_class
from penstock.core.unread import fit_as_text, fit_unread
from penstock.errors import CallerError, PenstockError
from penstock.gate import actions
from penstock.gate.actions.request import FetchRequest
from penstock.gate.admitting import Admitting, collector_waits
from penstock.gate.arguments import FetchArguments
from penstock.gate.comparing import call_digest, since_earlier
from penstock.gate.counting import Counting
from penstock.gate.held import HeldReader, Layout
from penstock.gate.layouts import Layouts
from penstock.gate.outcome import Admission, Outcome
from penstock.gate.owners import Owner
from penstock.gate.records import HoldTerms, Origin, answered, hidden_record, record_of
from penstock.gate.tool_results import error_result, less_note, with_block, with_note
from penstock.protocol.rules import new_mark
from penstock.stores import Entry
from penstock.stores import new_handle as random_handle
from penstock.unforeseen import Incidents, failed_action

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

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
    from penstock.stores import NewRecord, Store

T = TypeVar("T")

REMEMBERED: Final = 1_000  # calls whose handles were given out, to name the call to repeat when a result is gone
SHOWN_ARGUMENTS: Final = 400  # characters of the arguments of a call that is to be repeated
NAMED: Final = 60  # characters of a tool's name in the log
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
        """Take a store and settings. ``failed`` is called with the reason when a result could not be held or read,
        ``passed`` with each held result that is passed to a tool, ``acted`` with what the act tool did: for the log.
        ``mark`` is what real notices have in their ``_meta``, a random word if none is given."""
        self.store = store
        self.config = config
        self.fetch_tool = config.tool_name
        self.act_tool = config.act_tool_name if config.act else ""
        self._now = now
        self._new_handle = new_handle
        self._sandbox = sandbox
        self._converter = converter
        self._failed = failed
        self._incidents = Incidents(failed)
        self.mark = mark or new_mark()
        self._passed = passed
        self._acted = acted
        self._queries: FairThreads | None = None
        self._lock = threading.Lock()
        self._admitting = Admitting()
        self._layouts = Layouts(self._convert)
        self._calls: OrderedDict[tuple[str, str], str] = OrderedDict()  # what to do when the result is gone
        self._counting = Counting(store, now=now, keeps_sizes=config.daily_sizes)

    def admit(self, call: core.Call, result: bytes | Result, *, owner: Owner | None = None) -> bytes:
        """Return the result itself when it fits, else its stand-in. A failure of the store is said in the answer, not
        raised."""
        return self.decide(call, result, owner=owner).answer

    def decide(
        self,
        call: core.Call,
        result: bytes | Result,
        *,
        owner: Owner | None = None,
        server: str | None = "",
        server_name: str = "",
    ) -> Admission:
        """Decide as ``admit`` does, and return the outcome too, and the parts of a stand-in.

        ``owner`` is the call's, with the run or session that made it, by which ``list`` tells, and with its share.
        ``server`` names the server that answered it, None if that is not known: ``resolve`` tells by it where the
        result may go. ``server_name`` is what users call it: the sizes of results are counted under it.
        """
        if isinstance(result, bytes) and len(result) <= passes_unread(self.config, call.tool):
            self.count_passed(call.tool, len(result), server_name=server_name)
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
        origin = Origin(
            tool=call.tool,
            arguments=dict(call.arguments),
            run=owner.run,
            server=server,
            server_name=server_name,
            call=digest,
        )
        with collector_waits(size):
            program = self.config.rule_for(call.tool).filter
            if program is not None:
                result = result if isinstance(result, bytes) else result.in_memory()
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
                kept = self._keep_document(gathered(found.original.raw), origin, owner)
                note = filtering.filter_note(program, kept.handle)
                result = found.result
                digest = call_digest(call.tool, origin.server, call.arguments, owner, program)
                origin = replace(origin, source=kept.handle, filter=program, call=digest)
        except PenstockError as error:
            note = filtering.failure_note(error.what)
        except Exception as error:  # noqa: BLE001
            self._unforeseen(error, f"filtering a result of {call.tool[:NAMED]!r}", "the original is given")
            note = filtering.failure_note(f"a fault of Penstock ({type(error).__name__})")
        note = note if less_note(budget, note) is not budget else ""
        origin = replace(origin, note=note)
        size = len(result) if isinstance(result, bytes) else result.size
        less = less_note(budget, note)
        admission = self._admission(call, result, less, size, owner=owner, origin=origin)
        return replace(admission, answer=with_block(admission.answer, note)) if note else admission

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
        """Decide on a result, commit it if it is held, and count it. All that was made of it is let go at the end.

        A result that cannot be read, by an unforeseen error, is held as plain text; if that fails as well, as
        the JSON that it is. One that is not in memory is brought there first.
        """
        ways: tuple[Callable[[], core.Plan], ...] = (
            lambda: core.fit(result, budget, call, self._convert, partial(self._since, owner.name, origin.call)),
            lambda: fit_as_text(result, budget, call),
            lambda: fit_unread(result, budget, call),
        )
        for way in ways[:-1]:
            try:
                return self._admitted(call, result, way, budget, owner=owner, origin=origin)
            except Exception as error:  # noqa: BLE001
                doing = f"reading a result of {call.tool[:NAMED]!r}, {size:,} bytes"
                self._unforeseen(error, doing, "it is held as plain text")
                result = result if isinstance(result, bytes) else result.in_memory()
        return self._admitted(call, result, ways[-1], budget, owner=owner, origin=origin)

    def _admitted(
        self,
        call: core.Call,
        result: bytes | Result,
        fit: Callable[[], core.Plan],
        budget: core.Budget,
        *,
        owner: Owner,
        origin: Origin,
    ) -> Admission:
        server_name = origin.server_name
        with self._admitting.reading(len(result) if isinstance(result, bytes) else result.about):
            plan = fit()
        match plan:
            case core.Pass(cost=found):
                answer = result if isinstance(result, bytes) else result.whole
                if found is None:
                    likely = glance(answer)
                    found = Cost(likely.tokens, likely.upper)
                self._count_sized(server_name, call.tool, found.charged, found.tokens, found.tokens)
                return Admission(answer=answer, tokens=(found.tokens, found.tokens))
            case core.Compact(raw=answer, cost=left, tokens=before):
                self._count_sized(server_name, call.tool, left.charged, before, left.tokens)
                return Admission(answer=answer, tokens=(before, left.tokens))
            case core.Hold() as hold:
                kept = len(hold.document.raw) <= self.config.max_result_bytes
                since = hold.notice.since
                if hold.result.is_error:
                    origin = replace(origin, call="")
                elif since is not None:
                    origin = replace(origin, since=since.handle)
                stand_in = self._keep(hold, origin, owner) if kept else hold.stand_in(None)
                hold.document.release()
                answer = stand_in.raw
                before, after = hold.measure.tokens.tokens, count(answer).tokens
                charged = max(hold.payload.counts(budget.profile)[1].upper, hold.measure.tokens.upper)
                self._count_sized(server_name, call.tool, charged, before, after, held=1)
                self.flush()
                kind: OutcomeKind = "held" if "cache_id" in stand_in.notice else "not_kept"
                outcome = Outcome(kind=kind, tokens_in=before, tokens_out=after)
                return Admission(answer=answer, stand_in=stand_in, decided=outcome)

    def _unforeseen(self, error: Exception, doing: str, outcome: str) -> None:
        """Report an unforeseen error: every ``except Exception`` of the gate comes here."""
        self._incidents.note(error, doing, outcome)

    def fetch(self, owner: str | Owner, arguments: Mapping[str, Any], client: str = "") -> bytes:
        """Answer a call of the fetch tool. A wrong argument, handle, path or query is a tool error, cause first; so is
        an unforeseen error, which says that it is Penstock's."""
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        return self._netted(arguments, "fetch", lambda: self._fetched(caller, arguments, client))

    def _netted(self, arguments: Mapping[str, Any], tool: str, answer: Callable[[], T]) -> bytes | T:
        """Return the answer of one of our tools; for an unforeseen error, a tool error that says so."""
        try:
            return answer()
        except Exception as error:  # noqa: BLE001
            action = str(arguments.get("action") or "without a name")[:NAMED]
            self._unforeseen(error, f"the action {action!a} of the {tool} tool", "the call is answered with an error")
            return error_result(failed_action(action, error, acts=tool == "act"))

    def _fetched(self, caller: Owner, arguments: Mapping[str, Any], client: str) -> bytes:
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

        def run() -> bytes | PageRun:
            return acts.TABLE[given.action(self.config.act)].run(request)

        return self._netted(arguments, "act", lambda: self._answer(request.fetch, opened, run, client))

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
        answer: bytes | T = b""
        failed = True
        try:
            answer = run()
            failed = False
        except PenstockError as error:
            answer = error_result(error, hint=note)
        finally:
            size = len(answer) if isinstance(answer, bytes) else 0
            call = receipts.ReadCall(time=self._now(), words=request.arguments.words, size=size, failed=failed)
            for one in opened:
                self._touch(one, call)
        if failed or not isinstance(answer, bytes):
            return answer
        return with_note(answer, note, self._budget(self.fetch_tool, client))

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
            call = receipts.ReadCall(time=self._now(), words="resources/read of an export")
            for one in opened:
                self._touch(one, call)

    def _drop(self, caller: Owner, handle: str) -> bool:
        """Delete what the caller holds under a handle, in the store and in the workers that may have a copy of it."""
        self._layouts.forget(caller.name, handle)
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
        call = receipts.ReadCall(time=self._now(), words=f"passed to {target.tool}")
        for reader in opened:
            self._touch(reader, call)
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

    def count_call(self, tool: str) -> None:
        """Count a call whose result passed, of a size that is not known."""
        self._counting.call(tool)

    def count_passed(self, tool: str, size: int, *, calls: int = 1, server_name: str = "", up_to: int = 0) -> None:
        """Count calls whose results passed unread, with all of their bytes together. ``up_to`` is their size class; one
        call tells its own."""
        tokens = size // BYTES_PER_TOKEN
        self._counting.add(
            server_name, tool, up_to or size_class(tokens), calls=calls, tokens_in=tokens, tokens_out=tokens
        )

    def flush(self) -> None:
        """Write the counters, if the store takes them."""
        self._counting.flush()

    def sweep(self) -> bool:
        """Remove expired results. False if the store failed: they then stay on disk, and nothing else is harmed."""
        try:
            if self._sandbox is not None:
                self._sandbox.sweep()
            self.store.sweep()
        except Exception:  # noqa: BLE001
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
        except Exception:  # noqa: BLE001  (it is then held like anything else)
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
        named = zip(hold.extras.hidden, hidden, strict=True)
        records = [hidden_record(one, origin, keeping, handle=name) for one, name in named]
        has_text = bool(hold.document.raw) or not hidden
        if not has_text:  # the first of the blocks is what there is to open
            handle = hidden[0]
        stand_in = hold.stand_in(handle, ttl, hidden)
        if has_text:
            record = record_of(hold.document, hold.measure, origin, keeping, handle=handle)
            records.append(answered(record, stand_in, hold.preview.shown, origin.note))
        if not self._commit(records):
            return hold.stand_in(None)
        if hold.document.raw and hold.document.is_indexed:
            self._layouts.remember(owner.name, handle, Layout(index=hold.document.index))
        self._note_call(owner.name, handle, origin, records[-1])
        return stand_in

    def _commit(self, records: Sequence[NewRecord]) -> bool:
        """Put records into the store. False if it failed, whatever the reason: then no handle may be named."""
        try:
            for record in records:
                self.store.put(record)
        except PenstockError as error:
            self._failed(error)
            return False
        except Exception as error:  # noqa: BLE001
            self._unforeseen(error, "putting a result into the store", "it was not kept, and its answer says so")
            return False
        return True

    def _keep_document(self, raw: bytes, origin: Origin, owner: Owner) -> Entry:
        """Hold a document that was made here, and tell of it."""
        with collector_waits(len(raw)), self._admitting.reading(len(raw)):
            document = converted(read(raw), self._convert)
            ttl = self.config.rule_for(origin.tool).ttl
            terms = HoldTerms(owner=owner.name, share=owner.share, now=self._now(), ttl=ttl)
            record = record_of(document, measure(document), origin, terms, handle=self._new_handle())
        self.store.put(record)
        if document.is_indexed:
            self._layouts.remember(owner.name, record.handle, Layout(index=document.index))
        self._note_call(owner.name, record.handle, origin, record)
        return Entry(handle=record.handle, meta=record.meta, stored=0)

    def _open(self, caller: Owner, handle: str) -> HeldReader:
        owner = caller.name
        held = self.store.get(owner, handle)
        if held is None:
            raise self._gone(owner, handle)
        return self._layouts.open(held, owner, caller.share)

    def _opened(self, caller: Owner, handle: str) -> HeldReader:
        return self._layouts.with_tables(self._open(caller, handle))

    def _touch(self, opened: HeldReader, call: receipts.ReadCall) -> None:
        """Note that a held result was read, by which call, and what of it."""
        expires = None
        if self.config.refresh_on_read:
            ttl = self.config.rule_for(opened.held.meta.tool).ttl
            expires = None if ttl is None else self._now() + ttl
        try:
            shown = b"".join(opened.receipts)
            seen = receipts.noted_call(opened.held.entry.seen, call, shown)
            self.store.touch(opened.owner or "", opened.held.entry.handle, expires=expires, seen=seen)
        except Exception:  # noqa: BLE001
            return  # a store that can only be read still gives answers

    def _gone(self, owner: str, handle: str) -> CallerError:
        """Raise the one error for an unknown, a foreign, an expired and an evicted handle: the caller cannot tell them
        apart. Only the owner's own calls are remembered, so naming the call to repeat reveals nothing."""
        with self._lock:
            do = self._calls.get((owner, handle))
        do = do or (
            "repeat the call that gave it: it may have expired, given way to newer ones, or been dropped; "
            "or another user, token, server command or folder holds it"
        )
        return CallerError(f"there is no held result {handle[:40]!r}", do=do)

    def _note_call(self, owner: str, handle: str, origin: Origin, record: NewRecord) -> None:
        """Remember what to do when the result is gone, in words: arguments may be as long as any result."""
        do = "it has expired or was removed; "
        if origin.filter is not None:
            do += f"filter {origin.source} again with {origin.filter[:300]}"
        elif origin.source is not None:
            do += f"edit {origin.source} again"
        else:
            written = record.meta.arguments[: 2 * SHOWN_ARGUMENTS].decode("utf-8", "ignore")
            if len(record.meta.arguments) <= 2 * SHOWN_ARGUMENTS:  # longer ones would take a while
                written = json.dumps(origin.arguments, ensure_ascii=False, default=str)
            do += f"repeat the call: {origin.tool} {written[:SHOWN_ARGUMENTS]}"
        with self._lock:
            _keep_last(self._calls, (owner, handle), do, REMEMBERED)

    def _count_sized(self, server: str, tool: str, charged: int, before: int, after: int, *, held: int = 0) -> None:
        self._counting.add(server, tool, size_class(charged), held=held, tokens_in=before, tokens_out=after)


def _listed(opened: HeldReader, all_opened: list[HeldReader]) -> HeldReader:
    all_opened.append(opened)
    return opened


def _keep_last(kept: OrderedDict[tuple[str, str], T], key: tuple[str, str], value: T, most: int) -> None:
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)
