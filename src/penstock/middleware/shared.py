"""The parts that the middlewares share: a gate, and answers as the dicts they are on the wire.

An answer that is surely small is given back as it came, unread. Of any other the gate decides, in a thread, so that
the event loop never waits; it sees the same bytes as a gateway in front of the server would.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import msgspec

from penstock.config.unread import UnreadFloors
from penstock.core.act import BARE
from penstock.core.act import MARK as HELD
from penstock.core.act.question import ARGUMENT, is_own_argument
from penstock.core.fit import Call
from penstock.digest import hex_digest
from penstock.errors import CallerError, PenstockError
from penstock.gate import Gate
from penstock.gate.acts.request import SCHEME, ActTerms
from penstock.gate.owners import Caller, Owner, Owners
from penstock.gate.passing import Target
from penstock.gate.tool_results import error_result
from penstock.middleware.size_bound import size_within, surely_within
from penstock.protocol.brief_tools import brief
from penstock.protocol.definitions import definition_result, no_such_tool, wanted_tool
from penstock.protocol.payloads import open_result
from penstock.protocol.rules import new_mark
from penstock.protocol.tool_list import with_question, wrapped
from penstock.protocol.tools import act_definition, definition
from penstock.protocol.wire import jsonrpc
from penstock.stores import open_store

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from penstock.config import Config
    from penstock.gate.acts.more import PageCall
    from penstock.gate.outcome import Admission

    ToolTarget = tuple[Mapping[str, Any] | None, bool]

LOGGER: Final = logging.getLogger("penstock")
LONG: Final = 1_000_000  # characters; a text of this length goes to the gate as it is, without being written as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """One request: its method and arguments, and the owner who sent it. For a call of the act tool, ``target_of`` tells
    the input schema of another tool and whether it is read-only, and ``call`` calls it."""

    method: str
    name: str
    owner: Owner
    arguments: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    client: str = ""
    structured: bool = False
    read_only: bool = False
    over_http: bool = False
    ask: Any = None  # the question that the call carries
    target_of: Callable[[str], ToolTarget] = field(default=lambda _: (None, False))
    call: Callable[[PageCall], Awaitable[dict[str, Any]]] | None = None
    definitions: Callable[[], Awaitable[Mapping[str, Mapping[str, Any]]]] | None = None  # of tools the client may see


class HttpRequest(Protocol):
    """An HTTP request, as Starlette has it: of the client's address it knows where the server does."""

    @property
    def headers(self) -> Mapping[str, str]: ...


class SharedGate:
    """Bound the results of one server by one gate, which opens when it is first needed."""

    def __init__(self, config: Config, gate: Gate | None = None) -> None:
        self.config = config
        self.owners = Owners(config.owner)
        self._gate = gate
        self._mark = new_mark() if gate is None else gate.mark
        self._is_by_handle = config.is_by_handle
        self._server = hex_digest("\0".join(sys.argv).encode("utf-8", "surrogateescape"), 16)
        self._floors = UnreadFloors(self.config)
        self._known_held: frozenset[str] | None = None
        self._in_flight: Counter[str] = Counter()  # calls without a response, by conversation
        self.server_name = ""  # as users know the server; the sizes of results are counted under it

    @property
    def gate(self) -> Gate:
        """Return the gate on the configured store. It is opened by the first result that is not surely small."""
        if self._gate is None:
            config = self.config
            store = open_store(config.store, max_bytes=config.max_store_bytes, max_items=config.max_store_items)
            self._gate = Gate(
                store,
                config,
                failed=lambda error: LOGGER.error("%s", error),
                passed=lambda passed: LOGGER.info("%s", passed),
                acted=lambda words: LOGGER.info("%s", words),
                mark=self._mark,
            )
        return self._gate

    def is_small(self, name: str, result: Any) -> bool:
        """Return True if a result passes for every client. False may mean that only the gate can tell."""
        floor = self._floors.of(name)
        return floor == sys.maxsize or (floor > 0 and surely_within(result, floor))

    def passes(self, name: str, result: Any) -> bool:
        """Return True, and count the call, if a result passes for every client."""
        floor = self._floors.of(name)
        if floor == sys.maxsize:
            self.gate.count_call(name)
            return True
        size = size_within(result, floor) if floor > 0 else None
        if size is not None:
            self.gate.count_passed(name, size, server_name=self.server_name)
        return size is not None

    def owner(self, principal: Sequence[str | None] | None, request: HttpRequest | None) -> Owner:
        """Return whose call it is. ``request`` is None where there is no HTTP; a session that it names was minted by
        the server that this runs in, which also knows from which proxies it takes the client's address."""
        if request is None and not principal:
            return self.owners.local(sys.argv)
        name = msgspec.json.encode(principal).decode() if principal else ""  # no two of them are written alike
        address = getattr(getattr(request, "client", None), "host", "")
        session = "" if request is None else request.headers.get("mcp-session-id", "")
        return self.owners.over_http(Caller(principal=name, address=address), session)

    @contextmanager
    def calling(self, owner: Owner) -> Iterator[None]:
        """Count a call as one without a response, until the block ends."""
        self._in_flight[owner.conversation] += 1
        try:
            yield
        finally:
            self._in_flight[owner.conversation] -= 1
            if not self._in_flight[owner.conversation]:
                del self._in_flight[owner.conversation]

    async def bounded(self, request: ToolRequest, result: dict[str, Any]) -> dict[str, Any]:
        """Return the result itself, the same object, if it fits; else its stand-in, or the answer to a question."""
        if request.ask is None and self.passes(request.name, result):
            return result
        return await asyncio.to_thread(self._bound, request, result)

    def bounded_now(self, request: ToolRequest, result: dict[str, Any]) -> dict[str, Any]:
        """Do as ``bounded`` does, for a caller without an event loop."""
        if request.ask is None and self.passes(request.name, result):
            return result
        return self._bound(request, result)

    def without_question(
        self, arguments: dict[str, Any], schema: Mapping[str, Any] | None
    ) -> tuple[dict[str, Any], Any]:
        """Return the arguments of a call without its question, and the question. A tool that has an argument of this
        name in its schema keeps it."""
        if ARGUMENT not in arguments or is_own_argument(schema) or not self.config.takes_questions:
            return arguments, None
        return {name: one for name, one in arguments.items() if name != ARGUMENT}, arguments[ARGUMENT]

    @property
    def own_tools(self) -> dict[str, Callable[[ToolRequest], Awaitable[dict[str, Any]]]]:
        """Return what answers calls of our tools, by their names."""
        config = self.config
        acting = {config.act_tool_name: self.acted} if config.act else {}
        return {config.tool_name: self.fetched, **acting}

    async def fetched(self, request: ToolRequest) -> dict[str, Any]:
        """Answer a call of the fetch tool."""
        if self.lists_briefly and request.arguments.get("action") == "tool" and request.definitions is not None:
            return await self._definition(request, await request.definitions())
        answer = await self.gate.fetch_async(request.owner, request.arguments, client=request.client)
        result: dict[str, Any] = msgspec.json.decode(answer)
        return result

    async def _definition(self, request: ToolRequest, definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Answer with a tool's whole definition, which is bounded as a result is."""
        try:
            name = wanted_tool(request.arguments)
            if name not in definitions:
                raise no_such_tool(name, sorted(definitions))
        except CallerError as error:
            return self.refused(error)
        result: dict[str, Any] = msgspec.json.decode(definition_result(msgspec.json.encode(definitions[name])))
        return await self.bounded(replace(request, arguments={}, schema=None, structured=False), result)

    async def acted(self, request: ToolRequest) -> dict[str, Any]:
        """Answer a call of the act tool."""

        def target_of(tool: str) -> Target:
            schema, read_only = request.target_of(tool)
            return self.target(tool, schema, read_only=read_only)

        async def call(needed: PageCall) -> bytes:
            if request.call is None:
                raise CallerError("no tool can be called here", do="call the tool by yourself")
            return _encoded(await request.call(needed))

        terms = ActTerms(is_local=not request.over_http, target_of=target_of)
        answer = await self.gate.act_async(
            request.owner, request.arguments, client=request.client, terms=terms, call=call
        )
        result: dict[str, Any] = msgspec.json.decode(answer)
        return result

    def target(self, tool: str, schema: Mapping[str, Any] | None, *, read_only: bool = False) -> Target:
        """Return what is known of a tool of this server."""
        return Target(tool=tool, server=self._server, schema=schema, read_only=read_only)

    def is_export(self, uri: str) -> bool:
        """Return True if a resource is an export, which the gate has made."""
        return "export" in self.config.act and uri.startswith(SCHEME)

    async def exported(self, request: ToolRequest, uri: str) -> dict[str, Any]:
        """Return the result of reading an export. Raises a ``PenstockError`` when the owner has none of this
        address."""
        answer = await asyncio.to_thread(self.gate.read_export, request.owner, uri, request.client)
        result: dict[str, Any] = msgspec.json.decode(answer)
        return result

    @property
    def abilities(self) -> list[str]:
        """Return the capabilities that our tools need."""
        return ["tools", "resources"] if "export" in self.config.act else ["tools"]

    def names_held(self, arguments: Mapping[str, Any]) -> bool:
        """Return True if a call's arguments may name held results that are to be put in their place."""
        return self._is_by_handle and _has_mark(arguments)

    async def resolved(self, request: ToolRequest) -> dict[str, Any]:
        """Return a call's arguments with held results in the place of the strings that name them. Raises a
        ``PenstockError`` when one cannot be passed."""
        return await asyncio.to_thread(self.resolved_now, request)

    def resolved_now(self, request: ToolRequest) -> dict[str, Any]:
        """Do as ``resolved`` does, for a caller without an event loop."""
        target = Target(
            tool=request.name,
            server=self._server,
            schema=request.schema,
            read_only=request.read_only,
            mirrors=request.over_http,
        )
        arguments = _encoded(dict(request.arguments))
        filled: dict[str, Any] = jsonrpc.value(self.gate.resolve(request.owner, target, arguments))
        return filled

    def refused(self, error: PenstockError) -> dict[str, Any]:
        """Return the tool error for a call that was not made."""
        result: dict[str, Any] = msgspec.json.decode(error_result(error))
        return result

    @property
    def lists_briefly(self) -> bool:
        """Return True if tools are listed with shortened definitions."""
        return self.config.tools == "brief"

    def listed(self, tool: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tool's definition without the output schema that a stand-in would break, or with a wider one; with
        less prose where that is set."""
        definition = dict(tool)
        schema = definition.pop("outputSchema", None)
        if schema is not None and self.config.output_schema == "wrap":
            definition["outputSchema"] = self.widened(schema)
        definition = brief(definition) if self.lists_briefly else definition
        if not self.config.lists_question(str(definition.get("name")), self._held_before):
            return definition
        return cast("dict[str, Any]", msgspec.json.decode(with_question(msgspec.json.encode(definition))))

    def _held_before(self) -> frozenset[str]:
        """Return the tools that returned a stored result before the first list of tools; none if the store fails. Lists
        do not change while the server runs."""
        if self._known_held is None:
            try:
                self._known_held = self.gate.store.tools_with_results()
            except PenstockError:
                self._known_held = frozenset()
        return self._known_held

    def widened(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Widen a schema so that a stand-in is valid, too."""
        wide = wrapped(msgspec.json.encode(schema))
        return {} if wide is None else cast("dict[str, Any]", msgspec.json.decode(wide))

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """Return the definitions of our tools, as ``tools/list`` has them: the fetch tool first."""
        return self.definitions_with(asks=self.config.lists_questions(self._held_before))

    def definitions_with(self, *, asks: bool) -> list[dict[str, Any]]:
        """Return the same. With ``asks`` the fetch tool says how a call carries a question. Nothing opens the store."""
        config = self.config
        tools = [
            definition(
                config.tool_name,
                by_handle=self._is_by_handle,
                mark=self._mark,
                briefly=self.lists_briefly,
                data_style=config.notice == "data",
                asks=asks,
            )
        ]
        if config.act:
            tools.append(act_definition(config.act_tool_name, config.act))
        return [msgspec.json.decode(one) for one in tools]

    def _bound(self, request: ToolRequest, result: dict[str, Any]) -> dict[str, Any]:
        call = Call(
            tool=request.name,
            owner=request.owner.name,
            arguments=dict(request.arguments),
            schema=request.schema,
            client=request.client,
            structured=request.structured,
            read_only=request.read_only,
        )
        ttl = self.config.rule_for(request.name).ttl
        opened = open_result(request.method, _encoded(result), ttl_ms=None if ttl is None else ttl * 1_000)
        if opened is None:
            return result
        admission = self._decided(call, bytes(opened.inner), request)
        if admission.answer is opened.inner:
            return result
        stand_in: dict[str, Any] = msgspec.json.decode(opened.close(admission.answer, admission.stand_in))
        return stand_in

    def _decided(self, call: Call, result: bytes, request: ToolRequest) -> Admission:
        return self.gate.decide(
            call,
            result,
            owner=request.owner,
            server=self._server,
            server_name=self.server_name,
            ask=request.ask,
            together=max(1, self._in_flight[request.owner.conversation]),
        )


def _has_mark(value: Any) -> bool:
    """Return True if a text in a value begins as a reference to a held result does, or as a handle."""
    if isinstance(value, str):
        return value.startswith((HELD, BARE))
    if isinstance(value, Mapping):
        return any(map(_has_mark, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_mark, value))


def _encoded(result: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(result)
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(result).encode()
