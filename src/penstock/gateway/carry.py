"""Between the exchange and the gate, for every driver: classify a line, admit a result, let the gate do its work.

    commands = carrier.classify(exchange, line)         a line of the upstream, of whatever length
    carried = carrier.admit(exchange, command, owner)   for an ``Admit``; ``carried.commands`` has the response,
                                                        and ``carried.outcome`` what became of the result
    carried = carrier.carry(exchange, command, owner)   for what the gate does before the upstream hears anything: a
                                                        ``Fetch``, an ``Act``, a ``Resolve``

Drivers differ in how they read, write and wait: stdio calls these from its threads, HTTP through ``carry_async``. None
of them raises: whatever happens, the request is answered. The gate is opened when it is first needed, since its
imports take longer than a server's first response.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, ClassVar, Final

from penstock.digest import hex_digest
from penstock.errors import PenstockError
from penstock.gateway.opening import LazyGate
from penstock.protocol.commands import Act, Fetch, Resolve
from penstock.protocol.passed_calls import PassedCalls
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import TooLong
from penstock.spool import Spool
from penstock.unforeseen import OUT_OF_MEMORY, described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gate import Gate
    from penstock.gate.outcome import Admission, Outcome
    from penstock.gate.owners import Owner, Owners
    from penstock.gate.passing import Target
    from penstock.gate.warming import WarmRun
    from penstock.gateway.config_rules import ConfigRules
    from penstock.gateway.log import Log
    from penstock.protocol.commands import Admit, Command, GateWork, OpenRequest
    from penstock.protocol.definitions import DefinitionSearch
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Line
    from penstock.stores import Stats, Store

LINKED: Final = "2025-06-18"  # the first version of MCP with blocks that link to resources
SWEPT: Final = 100  # results admitted between two looks for what has expired
COUNT_SECONDS: Final = 30.0  # between two writes of what was counted: a page of figures is no older than that


class Carried:
    """The commands that answer a request, and the gate's admission; None if the response is an error."""

    __slots__ = ("admission", "commands")

    def __init__(self, commands: Sequence[Command], admission: Admission | None = None) -> None:
        self.commands = commands
        self.admission = admission

    @property
    def outcome(self) -> Outcome:
        """Return what became of the result."""
        from penstock.gate.outcome import FAILED  # noqa: PLC0415  (the gate is imported when it is needed)

        return FAILED if self.admission is None else self.admission.outcome


class Carrier:
    """The gate of one gateway. It falls back to memory when the store cannot be opened."""

    def __init__(self, rules: ConfigRules, log: Log, server: Sequence[str] = (), *, over_http: bool = False) -> None:
        """Take the rules and the ``server``: its command or URL has a part in the owner over stdio, and is where
        results come from. With ``over_http`` client or server repeat arguments in headers."""
        self.rules = rules
        self.log = log
        self._server = server
        self._over_http = over_http
        self._run = os.urandom(16).hex()
        self._lazy = LazyGate(rules, log)
        rules.held_before = self.held_before
        self._admitted = 0
        self.passed = PassedCalls()  # of all exchanges of this gateway
        self._closing = threading.Event()

    def prepare(self) -> None:
        """Import what the first large result will need."""
        self._lazy.prepare()

    def store(self) -> Store:
        """Return the store of this gateway, which the first call opens."""
        return self._opened(None).store

    def held_before(self) -> frozenset[str]:
        """Return the tools that returned a stored result before, by the figures of the store; none if it fails."""
        try:
            return frozenset(tool for tool, counts in self.store().counts().items() if counts.held)
        except PenstockError:
            return frozenset()

    def new_spool(self) -> Spool:
        """Return a place for a line that arrives: next to the store, if the line is too long for memory."""
        return Spool(lambda: self.store().open_file())

    def classify(self, exchange: Exchange, line: Line) -> Sequence[Command]:
        """Handle one line of the upstream. This never raises. A large line takes a while: leave it to a thread."""
        if isinstance(line, TooLong):
            return exchange.upstream_overflowed(line)
        try:
            return exchange.upstream_sent(line)
        except Exception as error:  # noqa: BLE001  (the client may wait for what cannot be handled)
            self.log.note("error", f"a message was relayed unread: {described(error)}")
        try:
            return exchange.relay_unread(line)
        except Exception as error:  # noqa: BLE001  (of the settings, for example)
            return exchange.fail_by_id(jsonrpc.id_of_unread(line), self.failed("a request", error))

    def admit(self, exchange: Exchange, admit: Admit, owner: Owner | None = None) -> Carried:
        """Let the gate decide on a result. Without an ``owner`` it belongs to the one over stdio."""
        admission: Admission | None = None
        try:
            admission = self._decide(admit, exchange, owner or self._local)
            commands = exchange.admitted(admit, admission.answer, admission.stand_in)
        except Exception as error:  # noqa: BLE001
            return self.fail(exchange, admit.request, error, _handle_of(admission))
        return Carried(commands, None if admit.code else admission)

    def carry(self, exchange: Exchange, work: GateWork, owner: Owner | None = None) -> Carried:
        """Let the gate do what a command asks for. What it refuses is a tool error."""
        try:
            return self._WORK[type(work)](self, exchange, work, owner or self._local)
        except PenstockError as error:
            return self.refuse(exchange, work, error)
        except Exception as error:  # noqa: BLE001
            return self.fail(exchange, work.request, error)

    def _fetch(self, exchange: Exchange, fetch: Fetch, owner: Owner) -> Carried:
        """Let the gate read a held result for the client, or an export."""
        if fetch.arguments.get("action") == "tool" and self.rules.lists_briefly:
            from penstock.protocol.definitions import DefinitionSearch  # noqa: PLC0415  (asked for now and then)

            search = DefinitionSearch.begin(fetch.arguments)
            return Carried(exchange.listing(fetch, "", search))
        gate = self._opened(exchange)
        if not fetch.uri:
            return _made(exchange, fetch, gate.fetch(owner, fetch.arguments, client=fetch.client))
        try:
            return _made(exchange, fetch, gate.read_export(owner, fetch.uri, client=fetch.client))
        except PenstockError as error:
            return Carried(exchange.missing(fetch, str(error)))

    def _act(self, exchange: Exchange, act: Act, owner: Owner) -> Carried:
        """Let the gate act on a held result for the client."""
        from penstock.gate.acts.request import ActTerms  # noqa: PLC0415
        from penstock.gate.passing import Target  # noqa: PLC0415
        from penstock.protocol.definitions import DefinitionSearch  # noqa: PLC0415

        def target_of(tool: str) -> Target:
            schema, read_only, server = exchange.tool_facts(tool)
            return Target(tool=tool, server=self._origin(server), schema=schema, read_only=read_only)

        if isinstance(act.work, DefinitionSearch):
            return self._searched(exchange, act, act.work, owner)
        step: Any
        if act.work is not None:
            step = act.work.step(act.result, act.failure)
        elif act.warms:
            step = self._begin_warming(exchange, act, target_of)
        else:
            terms = ActTerms(links=exchange.version == "" or exchange.version >= LINKED, target_of=target_of)
            step = self._opened(exchange).begin_act(owner, act.arguments, client=act.client, terms=terms)
        if isinstance(step, bytes):
            return _made(exchange, act, step)
        return Carried(exchange.called(act, step.call, step))

    def _begin_warming(self, exchange: Exchange, act: Act, target_of: Callable[[str], Target]) -> WarmRun | bytes:
        """Return the calls that are made ahead, for the one owner that there is."""
        from penstock.gate.warming import DONE, WarmTerms  # noqa: PLC0415

        terms = WarmTerms(
            owner=self._local,
            client=act.client,
            target_of=target_of,
            server_name_of=lambda tool: exchange.tool_facts(tool)[2] or exchange.server_name,
        )
        return self._opened(exchange).begin_warming(terms) or DONE

    def _searched(self, exchange: Exchange, act: Act, search: DefinitionSearch, owner: Owner) -> Carried:
        """Answer with a tool's whole definition, which is bounded as a result is; or ask for the next page of tools."""
        from penstock.core.fit import Call  # noqa: PLC0415

        result = search.step(act.result, act.failure)
        if not isinstance(result, bytes):
            return Carried(exchange.listing(act, search.cursor, search))
        call = Call(tool=exchange.tool_name, owner=owner.name, client=act.client)
        admission = self._opened(exchange).decide(call, result, owner=owner, server=self._origin(""))
        return Carried(exchange.fetched(act, admission.answer), admission)

    def _resolve(self, exchange: Exchange, resolve: Resolve, owner: Owner) -> Carried:
        """Let the gate put held results into the arguments of a call."""
        from penstock.gate.passing import Target  # noqa: PLC0415

        gate = self._opened(exchange)
        warm = gate.warmed(owner, resolve.tool, resolve.arguments, resolve.client)
        if warm is not None:
            return _made(exchange, resolve, warm)
        target = Target(
            tool=resolve.tool,
            server=self._origin(resolve.server),
            schema=resolve.schema,
            read_only=resolve.read_only,
            mirrors=self._over_http,
        )
        return Carried(exchange.resolved(resolve, gate.resolve(owner, target, resolve.arguments)))

    _WORK: ClassVar[dict[type[GateWork], Callable[..., Carried]]] = {Fetch: _fetch, Act: _act, Resolve: _resolve}

    def refuse(self, exchange: Exchange, work: GateWork, error: PenstockError) -> Carried:
        """Answer a call that is not carried out with a tool error."""
        from penstock.gate.data_style import data_error  # noqa: PLC0415
        from penstock.gate.tool_results import error_result  # noqa: PLC0415

        in_data = isinstance(work, Fetch) and self.rules.config.notice == "data"
        answer = error_result(error)
        return _made(exchange, work, data_error(answer) if in_data else answer)

    def fail(self, exchange: Exchange, request: OpenRequest, error: Exception, handle: str = "") -> Carried:
        """Answer a request whose response could not be made with an error. This never raises."""
        return Carried(exchange.fail(request, self.failed(request.name, error, handle)))

    def failed(self, name: str, error: Exception, handle: str = "") -> str:
        """Log why a response could not be made, and return the words for the client. ``handle`` is that of the result,
        where it was held before that. This never raises, even if no memory is left."""
        try:
            what = described(error)
            error.__traceback__ = None  # Its frames hold the data of the work that failed.
            self.log.note("error", f"an answer to {name} could not be made: {what}")
            if isinstance(error, PenstockError):
                return f"Penstock could not make the answer: {error}"
            do = f"the result is held as {handle}" if handle else "repeat the call, or narrow it"
            return f"Penstock could not make the answer ({type(error).__name__}); {do}"
        except MemoryError:
            return OUT_OF_MEMORY

    def stats(self) -> Stats:
        """Return what the store holds now; raise a ``StoreError`` when it does not answer."""
        return self._opened(None).store.stats()

    def count_now_and_then(self) -> None:
        """Write what was counted each half minute until this closes: a gateway may run for days."""
        try:
            threading.Thread(target=self._count_on, name="penstock-figures", daemon=True).start()
        except RuntimeError as error:  # The system has no memory for another thread.
            self.log.note("warning", f"the counters are written at the end only: {error}")

    def write_counts(self) -> None:
        """Write what was counted, if there is anything, and a store to read it from."""
        if self._lazy.gate is None and (not self.passed or self.rules.config.store.startswith("memory:")):
            return
        gate = self._opened(None)
        for key, (calls, size) in self.passed.take().items():
            gate.count_passed(key.tool, size, calls=calls, server_name=key.server, up_to=key.up_to)
        gate.flush()

    def close(self) -> None:
        """Write what was counted, and close the store."""
        self._closing.set()
        self.write_counts()
        if self._lazy.gate is not None:
            self._lazy.gate.close()
            self._lazy.gate.store.close()

    def leave(self) -> None:
        """Close, but never raise: a store that hangs must not delay shutdown."""
        try:
            self.close()
        except Exception as error:  # noqa: BLE001
            self.log.note("warning", f"the counters were not written: {described(error)}")

    @property
    def owners(self) -> Owners:
        """Return what decides whose each request is."""
        from penstock.gate.owners import Owners  # noqa: PLC0415

        return Owners(self.rules.config.owner, run=self._run)

    @property
    def _local(self) -> Owner:
        return self.owners.local(self._server)

    def _count_on(self) -> None:
        while not self._closing.wait(COUNT_SECONDS):
            try:
                self.write_counts()
            except Exception as error:  # noqa: BLE001  (figures are a courtesy)
                self.log.note("warning", f"the counters were not written: {error}")

    def _decide(self, admit: Admit, exchange: Exchange, owner: Owner) -> Admission:
        from penstock.core.fit import Call  # noqa: PLC0415

        gate = self._opened(exchange)
        call = Call(
            tool=admit.tool,
            owner=owner.name,
            arguments=admit.arguments,
            schema=admit.schema,
            client=admit.client,
            structured=admit.structured,
            read_only=admit.read_only,
            known_notices=exchange.known_notices(admit.request),
        )
        self._admitted += 1
        if self._admitted % SWEPT == 0:
            gate.sweep()
        return gate.decide(
            call,
            admit.view.inner,
            owner=owner,
            server=self._origin(admit.server),
            server_name=admit.server or exchange.server_name,
            ask=jsonrpc.value(admit.ask) if admit.ask else None,
            together=exchange.calls_in_flight,
        )

    def _origin(self, name: str) -> str | None:
        """Name the server of a tool so that no other server has the name. ``name`` is the server's own among
        several that are combined: there a tool that was not listed may be of any of them."""
        if not name and "gather" in self._server:
            return None
        written = b"\0".join(part.encode("utf-8", "surrogateescape") for part in self._server)
        return f"{hex_digest(written, 16)}/{name}"

    def _opened(self, exchange: Exchange | None) -> Gate:
        return self._lazy.opened(exchange)


def _made(exchange: Exchange, work: GateWork, result: bytes) -> Carried:
    """Answer the client with a result that the gate has made."""
    from penstock.gate.outcome import Admission  # noqa: PLC0415

    return Carried(exchange.fetched(work, result), Admission(answer=result))


def _handle_of(admission: Admission | None) -> str:
    """Return the handle under which a result was held, if it was."""
    if admission is None or admission.stand_in is None:
        return ""
    return str(admission.stand_in.notice.get("cache_id", ""))
