"""Between the exchange and the gate, for every driver: classify a line, admit a result, let the gate do its work.

    commands = carrier.classify(exchange, line)         a line of the upstream, of whatever length
    carried = carrier.admit(exchange, command, owner)   for an ``Admit``; ``carried.commands`` has the response,
                                                        and ``carried.outcome`` what became of the result
    carried = carrier.carry(exchange, command, owner)   for what the gate does before the upstream hears anything: a
                                                        ``Fetch``, an ``Act``, a ``Resolve``

Drivers differ in how they read, write and wait: stdio calls these from its threads, HTTP through ``carry_async``. None
of them raises: whatever happens, the request is answered. What the gate does is in ``at_gate``, which is imported when
it is first needed.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

from penstock.errors import PenstockError
from penstock.gate.outcome import FAILED
from penstock.gate.owners import Owners
from penstock.protocol.passed_calls import PassedCalls
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import TooLong
from penstock.spool import Spool
from penstock.unforeseen import OUT_OF_MEMORY, described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.gate.outcome import Admission, Outcome
    from penstock.gate.owners import Owner
    from penstock.gateway.at_gate import AtGate
    from penstock.gateway.config_rules import ConfigRules
    from penstock.gateway.log import Log
    from penstock.protocol.commands import Admit, Command, GateWork, OpenRequest
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Line
    from penstock.stores import Stats, Store

COMBINED: Final = ("penstock", "run", "--config")  # The command that names the servers of a client's file begins so.
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
        return FAILED if self.admission is None else self.admission.outcome


class Carrier:
    """The gate of one gateway, opened when it is first needed."""

    def __init__(self, rules: ConfigRules, log: Log, server: Sequence[str] = (), *, over_http: bool = False) -> None:
        """Take the rules and the ``server``: its command or URL has a part in the owner over stdio, and is where
        results come from. With ``over_http`` client or server repeat arguments in headers."""
        self.rules = rules
        self.log = log
        self._server = server
        self._over_http = over_http
        self._run = os.urandom(16).hex()
        self._at_gate: AtGate | None = None
        self._opening = threading.Lock()
        self._held_before: frozenset[str] | None = None
        rules.held_before = self.held_before
        self.passed = PassedCalls()  # of all exchanges of this gateway
        self._closing = threading.Event()

    def prepare(self) -> None:
        """Import what the first large result will need."""
        _imported()

    def store(self) -> Store:
        """Return the store of this gateway, which the first call opens."""
        return self._opened().gate.store

    def held_before(self) -> frozenset[str]:
        """Return the tools that returned a stored result before this gateway started; none if the store fails. Lists of
        tools do not change while it runs."""
        if self._held_before is None:
            self._held_before = _held_in(self.rules.config.store)
        return self._held_before

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
            admission = self._opened().decide(exchange, admit, owner or self._local)
            commands = exchange.admitted(admit, admission.answer, admission.stand_in)
        except Exception as error:  # noqa: BLE001
            return self.fail(exchange, admit.request, error, _handle_of(admission))
        return Carried(commands, None if admit.code else admission)

    def carry(self, exchange: Exchange, work: GateWork, owner: Owner | None = None) -> Carried:
        """Let the gate do what a command asks for. What it refuses is a tool error."""
        try:
            return self._opened().carry(exchange, work, owner or self._local)
        except PenstockError as error:
            return self.refuse(exchange, work, error)
        except Exception as error:  # noqa: BLE001
            return self.fail(exchange, work.request, error)

    def refuse(self, exchange: Exchange, work: GateWork, error: PenstockError) -> Carried:
        """Answer a call that is not carried out with a tool error."""
        return _imported().refuse(exchange, work, error, self.rules.config.notice)

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
        return self._opened().gate.store.stats()

    def count_now_and_then(self) -> None:
        """Write what was counted each half minute until this closes: a gateway may run for days."""
        try:
            threading.Thread(target=self._count_on, name="penstock-figures", daemon=True).start()
        except RuntimeError as error:  # The system has no memory for another thread.
            self.log.note("warning", f"the counters are written at the end only: {error}")

    def write_counts(self) -> None:
        """Write what was counted, if there is anything, and a store to read it from."""
        if self._at_gate is None and (not self.passed or self.rules.config.store.startswith("memory:")):
            return
        gate = self._opened().gate
        for key, (calls, size) in self.passed.take().items():
            gate.count_passed(key.tool, size, calls=calls, server_name=key.server, up_to=key.up_to)
        gate.flush()

    def close(self) -> None:
        """Write what was counted, and close the store."""
        self._closing.set()
        self.write_counts()
        if self._at_gate is not None:
            self._at_gate.gate.close()
            self._at_gate.gate.store.close()

    def leave(self) -> None:
        """Close, but never raise: a store that hangs must not delay shutdown."""
        try:
            self.close()
        except Exception as error:  # noqa: BLE001
            self.log.note("warning", f"the counters were not written: {described(error)}")

    @property
    def owners(self) -> Owners:
        """Return what decides whose each request is."""
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

    def _opened(self) -> AtGate:
        with self._opening:
            if self._at_gate is None:
                where = self._server, self._local
                self._at_gate = _imported()(self.rules, self.log, *where, over_http=self._over_http)
            return self._at_gate


def _held_in(url: str) -> frozenset[str]:
    """Return the tools that returned a stored result, by the figures of a store. The gate is not needed for that."""
    if url.startswith("memory:"):
        return frozenset()
    from penstock.stores import open_store  # noqa: PLC0415  (only lists of tools with the setting ask need it early)

    try:
        with open_store(url) as store:
            if store.folder and not os.path.exists(store.place):
                return frozenset()
            return store.tools_with_results()
    except PenstockError:
        return frozenset()


def _imported() -> type[AtGate]:
    """Import the gate. It takes longer than a server's first response and 7 MB, and many processes never need it."""
    from penstock.gateway.at_gate import AtGate  # noqa: PLC0415

    return AtGate


def _handle_of(admission: Admission | None) -> str:
    """Return the handle under which a result was held, if it was."""
    if admission is None or admission.stand_in is None:
        return ""
    return str(admission.stand_in.notice.get("cache_id", ""))
