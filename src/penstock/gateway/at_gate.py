"""The work of the gate for the exchange: decide on results, answer calls of our own tools, fill arguments in.

This imports the whole gate. ``carry`` imports it when the first result may not fit, and answers what fails here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from penstock.core.fit import Call
from penstock.digest import hex_digest
from penstock.errors import PenstockError
from penstock.gate.acts.request import ActTerms
from penstock.gate.data_style import data_error
from penstock.gate.gate import Gate
from penstock.gate.outcome import Admission
from penstock.gate.passing import Target
from penstock.gate.tool_results import error_result
from penstock.gate.warming import DONE, WarmTerms
from penstock.gateway.carry import COMBINED, Carried
from penstock.protocol.commands import Act, Fetch, Resolve
from penstock.protocol.definitions import DefinitionSearch
from penstock.protocol.wire import jsonrpc
from penstock.stores import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gate.owners import Owner
    from penstock.gate.warming import WarmRun
    from penstock.gateway.config_rules import ConfigRules
    from penstock.gateway.log import Log
    from penstock.protocol.commands import Admit, GateWork
    from penstock.protocol.exchange import Exchange

LINKED: Final = "2025-06-18"  # the first version of MCP with blocks that link to resources
SWEPT: Final = 100  # results admitted between two looks for what has expired


class AtGate:
    """The opened gate of one gateway. ``server`` is where results come from, ``local`` the owner over stdio."""

    def __init__(self, rules: ConfigRules, log: Log, server: Sequence[str], local: Owner, *, over_http: bool) -> None:
        self.gate = _open(rules, log)
        self._rules = rules
        self._server = server
        self._local = local
        self._over_http = over_http
        self._admitted = 0

    def decide(self, exchange: Exchange, admit: Admit, owner: Owner) -> Admission:
        """Decide on a result."""
        gate = self._gate_for(exchange)
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

    def carry(self, exchange: Exchange, work: GateWork, owner: Owner) -> Carried:
        """Do what a command asks for. Raises a ``PenstockError`` for what is refused."""
        return self._WORK[type(work)](self, exchange, work, owner)

    @staticmethod
    def refuse(exchange: Exchange, work: GateWork, error: PenstockError, notice: str) -> Carried:
        """Answer a call that is not carried out with a tool error, in the style of the setting ``notice``."""
        answer = error_result(error)
        return _made(exchange, work, data_error(answer) if isinstance(work, Fetch) and notice == "data" else answer)

    def _fetch(self, exchange: Exchange, fetch: Fetch, owner: Owner) -> Carried:
        """Let the gate read a held result for the client, or an export."""
        if fetch.arguments.get("action") == "tool" and self._rules.lists_briefly:
            search = DefinitionSearch.begin(fetch.arguments)
            return Carried(exchange.listing(fetch, "", search))
        gate = self._gate_for(exchange)
        if not fetch.uri:
            return _made(exchange, fetch, gate.fetch(owner, fetch.arguments, client=fetch.client))
        try:
            return _made(exchange, fetch, gate.read_export(owner, fetch.uri, client=fetch.client))
        except PenstockError as error:
            return Carried(exchange.missing(fetch, str(error)))

    def _act(self, exchange: Exchange, act: Act, owner: Owner) -> Carried:
        """Let the gate act on a held result for the client."""

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
            step = self._gate_for(exchange).begin_act(owner, act.arguments, client=act.client, terms=terms)
        if isinstance(step, bytes):
            return _made(exchange, act, step)
        return Carried(exchange.called(act, step.call, step))

    def _begin_warming(self, exchange: Exchange, act: Act, target_of: Callable[[str], Target]) -> WarmRun | bytes:
        """Return the calls that are made ahead, for the one owner that there is."""
        terms = WarmTerms(
            owner=self._local,
            client=act.client,
            target_of=target_of,
            server_name_of=lambda tool: exchange.tool_facts(tool)[2] or exchange.server_name,
        )
        return self._gate_for(exchange).begin_warming(terms) or DONE

    def _searched(self, exchange: Exchange, act: Act, search: DefinitionSearch, owner: Owner) -> Carried:
        """Answer with a tool's whole definition, which is bounded as a result is; or ask for the next page of tools."""
        result = search.step(act.result, act.failure)
        if not isinstance(result, bytes):
            return Carried(exchange.listing(act, search.cursor, search))
        call = Call(tool=exchange.tool_name, owner=owner.name, client=act.client)
        admission = self._gate_for(exchange).decide(call, result, owner=owner, server=self._origin(""))
        return Carried(exchange.fetched(act, admission.answer), admission)

    def _resolve(self, exchange: Exchange, resolve: Resolve, owner: Owner) -> Carried:
        """Let the gate put held results into the arguments of a call."""
        gate = self._gate_for(exchange)
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

    def _gate_for(self, exchange: Exchange) -> Gate:
        """Return the gate, which calls our tools as the exchange does."""
        self.gate.fetch_tool, self.gate.act_tool = exchange.tool_name, exchange.act_tool
        return self.gate

    def _origin(self, name: str) -> str | None:
        """Name the server of a tool so that no other server has the name. ``name`` is the server's own among
        several that are combined: there a tool that was not listed may be of any of them."""
        if not name and tuple(self._server[: len(COMBINED)]) == COMBINED:
            return None
        written = b"\0".join(part.encode("utf-8", "surrogateescape") for part in self._server)
        return f"{hex_digest(written, 16)}/{name}"


def _open(rules: ConfigRules, log: Log) -> Gate:
    """Open the store and the gate. If the store cannot be opened, results are held in memory."""
    config = rules.config
    try:
        store = open_store(config.store, max_bytes=config.max_store_bytes, max_items=config.max_store_items)
    except PenstockError as error:
        log.note("error", f"{error}; results are held in memory until this ends")
        store = open_store("memory:", max_bytes=config.max_store_bytes, max_items=config.max_store_items)
    log.note("info", f"results are held in {store.place}{f' ({store.engine})' if store.engine else ''}")
    return Gate(
        store,
        config,
        failed=lambda error: log.note("error", str(error)),
        passed=lambda passed: log.note("info", str(passed)),
        acted=lambda words: log.note("info", words),
        mark=rules.mark,
    )


def _made(exchange: Exchange, work: GateWork, result: bytes) -> Carried:
    """Answer the client with a result that the gate has made."""
    return Carried(exchange.fetched(work, result), Admission(answer=result))
