"""``Gate``: what comes from upstream is admitted, what was held is fetched.

Both are synchronous at heart and safe from several threads; ``admit_async`` and ``fetch_async`` do the same in a
thread, so that an event loop never waits. The order of an admission is: decide, commit to the store, and only then
name the handle. What ``fetch`` answers is never held again.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.config.budget import budget_for
from penstock.config.unread import UnreadFloors
from penstock.core.act import may_name_results, receipts
from penstock.core.forms.plugins import add_later
from penstock.errors import CallerError, PenstockError
from penstock.gate.answering import Answerer, listed
from penstock.gate.counting import Counting
from penstock.gate.deciding import Decider
from penstock.gate.keeping import Keeper
from penstock.gate.owners import Owner
from penstock.gate.passing import filled
from penstock.gate.tool_results import error_result
from penstock.gate.warming import WarmResults
from penstock.protocol.rules import new_mark
from penstock.query.parse.convert import Converter
from penstock.query.plugin_forms import add_plugins
from penstock.query.sandbox.sandbox import Sandbox
from penstock.stores import new_handle as random_handle
from penstock.unforeseen import Incidents

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from penstock.config.model import Config
    from penstock.core import fit as core
    from penstock.core.answer.result import Result
    from penstock.core.forms.converted import Conversion, Language
    from penstock.gate.acts.more import PageCall, PageRun
    from penstock.gate.acts.request import ActTerms
    from penstock.gate.fair_threads import FairThreads
    from penstock.gate.held import HeldReader
    from penstock.gate.outcome import Admission
    from penstock.gate.passing import Passed, Target
    from penstock.gate.warming import WarmRun, WarmTerms
    from penstock.stores import Store

T = TypeVar("T")


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
        add_later(add_plugins)
        self.store = store
        self.config = config
        self.fetch_tool = config.tool_name
        self.act_tool = config.act_tool_name if config.act else ""
        self._now = now
        self._sandbox = sandbox
        self._converter = converter
        self._incidents = Incidents(failed)
        self._floors = UnreadFloors(config)
        self.mark = mark or new_mark()
        self._passed = passed
        self._acted = acted
        self._queries: FairThreads | None = None
        self._lock = threading.Lock()
        self._counting = Counting(store, now=now, keeps_sizes=config.daily_sizes)
        self._keeper = Keeper(
            store,
            config,
            now=now,
            new_handle=new_handle,
            convert=self._convert,
            failed=failed,
            incidents=self._incidents,
        )
        self._decider = Decider(
            config,
            self._keeper,
            self._counting,
            budget=self._budget,
            convert=self._convert,
            workers=self._workers,
            now=now,
            incidents=self._incidents,
            floors=self._floors,
        )
        self._answerer = Answerer(
            config,
            self._keeper,
            tool_names=lambda: (self.fetch_tool, self.act_tool),
            budget=self._budget,
            workers=self._workers,
            forget=self._forget,
            now=now,
            acted=acted,
            incidents=self._incidents,
        )
        self._warm = self._warm_results(failed) if config.warm else None

    def _warm_results(self, refused: Callable[[PenstockError], None]) -> WarmResults:
        return WarmResults(self.config, self._decider, self.store, now=self._now, refused=refused, note=self._acted)

    def admit(self, call: core.Call, result: bytes | Result, *, owner: Owner | None = None) -> bytes:
        """Return the result itself when it fits, else its stand-in. The answer names a failure of the store, which is
        not raised."""
        return self.decide(call, result, owner=owner).answer

    def decide(
        self,
        call: core.Call,
        result: bytes | memoryview | Result,
        *,
        owner: Owner | None = None,
        server: str | None = "",
        server_name: str = "",
        ask: Any = None,
        together: int = 1,
    ) -> Admission:
        """Decide as ``admit`` does, and return the outcome too, and the parts of a stand-in.

        ``owner`` is the call's, with the run or session that made it, by which ``list`` tells, and with its share.
        ``server`` names the server that answered it, None if that is not known: ``resolve`` tells by it where the
        result may go. ``server_name`` is what users call it: the sizes of results are counted under it.
        ``ask`` is the question that the call carries, which is answered from the result. ``together`` is the number
        of calls of this conversation without a response, this one among them.
        """
        decide = partial(self._decider.decide, owner=owner, server=server, server_name=server_name, together=together)
        if ask is None:
            return decide(call, result)
        from penstock.gate.asking import Asker  # noqa: PLC0415  (few calls carry a question)

        asker = Asker(
            answerer=self._answerer,
            owner=owner or Owner(name=call.owner),
            client=call.client,
            budget=self._budget(call.tool, call.client, structured=call.structured),
        )
        return asker.decide(ask, call, result, decide)

    def fetch(self, owner: str | Owner, arguments: Mapping[str, Any], client: str = "") -> bytes:
        """Answer a call of the fetch tool. A wrong argument, handle, path or query is a tool error, cause first; so is
        an unforeseen error, which says that it is Penstock's."""
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        return self._answerer.fetch(caller, arguments, client)

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
        from penstock.gate.acts.finish import finished  # noqa: PLC0415  (its other half needs an event loop)

        return finished(self.begin_act(owner, arguments, client, terms=terms), call)

    def begin_act(
        self, owner: str | Owner, arguments: Mapping[str, Any], client: str = "", *, terms: ActTerms | None = None
    ) -> bytes | PageRun:
        """Answer a call of the act tool, or return the run of calls that it needs first: make its ``call``, and give
        the result to its ``step``, until that returns the answer."""
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        return self._answerer.begin_act(caller, arguments, client, terms)

    def read_export(self, owner: str | Owner, uri: str, client: str = "") -> bytes:
        """Return the result of ``resources/read`` for an export, or the part of it that fits. Raises a ``CallerError``
        when the owner has no export of this address."""
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        return self._answerer.read_export(caller, uri, client)

    def begin_warming(self, terms: WarmTerms) -> WarmRun | None:
        """Return the calls of the setting ``warm``, to be made as those of ``begin_act`` are; None if there are none to
        make, or if they were begun already."""
        return None if self._warm is None else self._warm.begin(terms)

    def warmed(self, owner: Owner, tool: str, arguments: bytes, client: str = "") -> bytes | None:
        """Return the answer to a call that was made ahead; None for any other, which goes to the server."""
        return None if self._warm is None else self._warm.take(owner, tool, arguments, client)

    def resolve(self, owner: str | Owner, target: Target, arguments: bytes) -> bytes:
        """Return the arguments of a call, which are JSON, with held results in the place of the strings that name them
        (``held:r_...``). Raises a ``CallerError`` when one cannot be passed: then nothing may be sent."""
        if not self.config.is_by_handle or not may_name_results(arguments):
            return arguments
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        rule = self.config.rule_for(target.tool)
        opened: list[HeldReader] = []
        whole, passed = filled(
            arguments,
            target,
            rule,
            open_handle=lambda handle: listed(self._keeper.open_tables(caller, handle), opened),
            open_text=lambda handle: listed(self._keeper.open(caller, handle), opened),
        )
        call = receipts.ReadCall(time=self._now(), words=f"passed to {target.tool}")
        for reader in opened:
            self._keeper.touch(reader, call)
        for one in passed:
            self._passed(one)
        return whole

    async def admit_async(self, call: core.Call, result: bytes) -> bytes:
        """Do as ``admit`` does without blocking the event loop. Short results are decided at once, by their length."""
        if len(result) <= self._floors.of(call.tool):
            return self.admit(call, result)
        from asyncio import to_thread  # noqa: PLC0415  (only programs with an event loop pay for it)

        return await to_thread(self.admit, call, result)

    async def fetch_async(self, owner: str | Owner, arguments: Mapping[str, Any], client: str = "") -> bytes:
        """Do as ``fetch`` does without blocking the event loop."""
        caller = Owner(name=owner) if isinstance(owner, str) else owner
        try:
            return await self._in_turn(caller, arguments, lambda: self.fetch(caller, arguments, client))
        except CallerError as error:
            return self._answerer.refused(error_result(error))

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
        from penstock.gate.acts.finish import finished_async  # noqa: PLC0415  (it needs an event loop)

        caller = Owner(name=owner) if isinstance(owner, str) else owner
        try:
            begin = partial(self.begin_act, caller, arguments, client, terms=terms)
            step = await self._in_turn(caller, arguments, begin)
        except CallerError as error:
            return error_result(error)
        return await finished_async(step, call)

    async def _in_turn(self, caller: Owner, arguments: Mapping[str, Any], answer: Callable[[], T]) -> T:
        """Answer a call of our tools in a thread. A query waits for its share's turn: raises a ``CallerError`` when it
        did not get one; what goes wrong after that is answered."""
        from asyncio import to_thread  # noqa: PLC0415  (only programs with an event loop pay for it)

        from penstock.gate.fair_threads import FairThreads, is_query  # noqa: PLC0415

        if not is_query(arguments):
            return await to_thread(answer)
        with self._lock:
            if self._queries is None:
                self._queries = FairThreads.for_queries()
        return await self._queries.run(caller.share, answer)

    def count_call(self, tool: str) -> None:
        """Count a call whose result passed, of a size that is not known."""
        self._counting.call(tool)

    def count_passed(self, tool: str, size: int, *, calls: int = 1, server_name: str = "", up_to: int = 0) -> None:
        """Count calls whose results passed unread, with all of their bytes together. ``up_to`` is their size class; one
        call tells its own."""
        self._counting.passed(tool, size, calls=calls, server_name=server_name, up_to=up_to)

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

    def _budget(self, tool: str, client: str, *, structured: bool = False) -> core.Budget:
        return replace(
            budget_for(self.config, tool, client, structured=structured), fetch_tool=self.fetch_tool, mark=self.mark
        )

    def _workers(self) -> Sandbox:
        with self._lock:
            if self._sandbox is None:
                self._sandbox = Sandbox(now=self._now)
            return self._sandbox

    def _forget(self, owner: str, handle: str) -> None:
        """Drop the copies of a held result that workers have."""
        if self._sandbox is not None:
            self._sandbox.forget(owner, handle)

    def _convert(self, language: Language, text: bytes) -> Conversion | None:
        """Turn YAML, XML or HTML into JSON, in a worker process that the first such text starts."""
        with self._lock:
            if self._converter is None:
                self._converter = Converter()
        return self._converter(language, text)
