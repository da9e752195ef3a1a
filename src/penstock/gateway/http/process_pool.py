"""Serve a command over HTTP: choose or start the process for each request.

Each session of the legacy era has a process of its own, as its server takes all that it hears for one client. Clients
of the modern era name themselves in every request, so that one process serves them all; their ids are made different
on the way there, and their own again on the way back. The command is fixed: nothing that comes over the network says
what is started.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from penstock.gate.owners import Caller
from penstock.gateway.http.callers import principal_of
from penstock.gateway.http.probe import answers
from penstock.gateway.http.process_session import CANCELLED, ProcessSession
from penstock.gateway.http.request_ids import RequestAlias
from penstock.gateway.modern_headers import STATUS, fault, has_marks
from penstock.gateway.observe.request_record import CALL, RequestRecord
from penstock.gateway.sse import event
from penstock.gateway.upstreams.process import CannotStartError
from penstock.protocol.wire import jsonrpc
from penstock.web.asgi import JSON, NOT_KEPT, STREAM, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gate.owners import Owner
    from penstock.gateway.carry_async import AsyncCarrier
    from penstock.gateway.http.outbox import Outbox, PendingReply
    from penstock.gateway.upstreams.process import Child
    from penstock.protocol.commands import ToClient
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.web.asgi import Reply, Request

SWEEP_SECONDS: Final = 5.0
READY_SECONDS: Final = 2.0  # Those who ask for /readyz wait about as long themselves; Kubernetes one second.
AGAIN: Final = (b"retry-after", b"5")
MODERN: Final = b"2026-"  # versions from here on have no sessions


def _group(caller: Caller) -> tuple[str, str]:
    return caller.address, caller.share.group


def _as_it_is(message: ToClient) -> bytes:
    return message.line


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One POST: the HTTP request and its reply, its body, and the body's envelope."""

    request: Request
    reply: Reply
    body: bytes
    message: Message | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLimits:
    """The most processes at once, and the time for which an idle one is kept. A process for all that ends
    by itself is started anew, after a pause that doubles with each time, unless it has lived for the longest one."""

    processes: int = 32
    idle_seconds: float = 1_800.0
    abandoned_seconds: float = (
        30.0  # after which an idle session may end for another, where there are no more processes
    )
    first_pause: float = 1.0
    longest_pause: float = 60.0
    ping_seconds: float = 15.0  # between two comments on a silent stream, which show that both ends are still there


class ProcessPool:
    """The processes that ``begin`` starts: it raises ``CannotStartError`` when that is not possible."""

    def __init__(
        self,
        begin: Callable[[], Child],
        carrier: AsyncCarrier,
        limits: PoolLimits | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._begin = begin
        self._carrier = carrier
        self._limits = limits or PoolLimits()
        self._now = now
        self._processes: set[ProcessSession] = set()  # all whose process may still be there
        self._sessions: dict[str, ProcessSession] = {}
        self._shared: ProcessSession | None = None
        self._starting = asyncio.Lock()
        self._expected: list[Caller] = []  # callers that get the place of a process that is ending
        self._failures = 0
        self._not_before = 0.0
        self._numbers = count(1)
        self._sweeping: asyncio.Task[None] | None = None
        self._probing: asyncio.Task[None] | None = None
        self._has_answered = False

    async def post(self, request: Request, reply: Reply, body: bytes, caller: Caller) -> None:
        """Handle a POST: send the message to its process, and reply with the responses."""
        message = jsonrpc.decode(body)
        if message is not None and message.method is not UNSET:
            params = b"" if message.params is UNSET else bytes(message.params)
            RequestRecord.of(request.scope).requested(
                message.method, jsonrpc.name_in(params) if message.method == CALL else ""
            )
        incoming = Incoming(request=request, reply=reply, body=body, message=message)
        if request.session:
            process = self._process_of(request)
            await self._exchange(process, incoming, process.owner or self._carrier.owners.over_http(caller))
        elif jsonrpc.MODERN in body or request.header(b"mcp-protocol-version") >= MODERN:
            await self._share(incoming, self._carrier.owners.over_http(caller))
        elif message is not None and message.method == "initialize":
            await self._open(incoming, caller)
        else:
            raise RefusedError(400, "send initialize first, then name the session: Mcp-Session-Id")

    async def listen(self, request: Request, reply: Reply, caller: Caller) -> None:  # noqa: ARG002  (the session's)
        """Handle a GET: stream the server's unsolicited messages."""
        if not request.session:
            raise RefusedError(405, "there is no stream without a session", (b"allow", b"POST"))
        process = self._process_of(request)
        queue = process.listen()
        try:
            await reply.begin(200, [STREAM, NOT_KEPT])
            await reply.bit(b": open\n\n")
            await self._stream(reply, queue, _as_it_is)
        finally:
            process.stop_listening()

    async def delete(self, request: Request, reply: Reply) -> None:
        """Handle a DELETE: end a session and its process."""
        process = self._process_of(request)
        del self._sessions[request.session]
        await process.end()
        await reply.whole(200, [NOT_KEPT])

    async def well_known(self, request: Request, reply: Reply) -> None:  # noqa: ARG002
        """Refuse: a command has no authorization server."""
        raise RefusedError(404, "this gateway asks for no authorization but its own token")

    async def is_ready(self) -> bool:
        """Return True if the server has answered a client, and did not fail since. While it has not, a process is
        started to see whether it does, with a pause after each failure."""
        if not self._has_answered:
            if self._probing is None or (self._probing.done() and self._now() >= self._not_before):
                self._probing = asyncio.create_task(self._probe())
            await asyncio.wait((self._probing,), timeout=READY_SECONDS)
        return self._has_answered and self._now() >= self._not_before

    async def _probe(self) -> None:
        owner = self._carrier.owners.over_http(Caller())
        try:
            process = await self._started(owner)
        except RefusedError:
            return
        try:
            self._has_answered = await answers(process, owner) or self._has_answered
        finally:
            await process.end()
        if not self._has_answered:
            self._carrier.log.note("error", f"the server is not ready: {process.exchange.end_reason}")
            self._failed(self._now())

    async def close(self) -> None:
        """End all processes."""
        if self._probing is not None:
            self._probing.cancel()
        if self._sweeping is not None:
            self._sweeping.cancel()
        self._sessions.clear()
        await asyncio.gather(*(one.end() for one in self._processes))

    async def sweep(self) -> None:
        """End the processes that no client has used for ``idle_seconds``."""
        idle: list[ProcessSession] = []
        for name, process in list(self._sessions.items()):
            if self._is_idle(process):
                idle.append(process)
                del self._sessions[name]
        if self._shared is not None and self._is_idle(self._shared) and not self._shared.ended.is_set():
            idle.append(self._shared)
            self._shared = None
        await asyncio.gather(*(one.end() for one in idle))
        self._processes = {one for one in self._processes if not one.ended.is_set()}

    def _is_idle(self, process: ProcessSession) -> bool:
        return process.ended.is_set() or (process.is_idle and self._now() - process.used > self._limits.idle_seconds)

    async def _open(self, incoming: Incoming, caller: Caller) -> None:
        """Open a session, unless its server refuses it or its client has gone before it knew of it."""
        name = os.urandom(16).hex()
        own = self._carrier.owners.over_http(caller, session=name)
        process = await self._started(own, caller)
        self._sessions[name] = process
        is_open = False
        try:
            headers = [(b"mcp-session-id", name.encode())]
            is_open = await self._exchange(process, incoming, own, headers=headers) == 0
        finally:
            if not is_open:
                self._sessions.pop(name, None)
                process.end_soon()

    async def _share(self, incoming: Incoming, owner: Owner) -> None:
        message, reply = incoming.message, incoming.reply
        if message is None:
            raise RefusedError(400, "the body is no JSON-RPC message")
        if message.id is UNSET or message.method is UNSET:
            if message.method is not UNSET and message.method != CANCELLED and has_marks(message):
                await self._exchange(await self._common(), incoming, owner)
                return
            # A response to what no server asked; or the end of a request, for which a client of this era hangs up.
            # Under an id of ours either could be meant for another client.
            await reply.whole(202, [NOT_KEPT])
            return
        if refused := fault(incoming.request, message, self._schema(message)):
            code, words = refused
            refusal = jsonrpc.failure(bytes(message.id), code, words)
            await reply.whole(STATUS[code], [JSON, NOT_KEPT], refusal.rstrip(b"\n"))
            return
        alias = RequestAlias(incoming.body, message, next(self._numbers))
        process = await self._common()
        aliased = replace(incoming, body=alias.sent, message=alias.message)
        await self._exchange(process, aliased, owner, restored=alias.restored, status=STATUS)

    def _schema(self, message: Message) -> dict[str, Any] | None:
        """Return the input schema of the tool that is called, if it was listed."""
        if self._shared is None or message.method != "tools/call":
            return None
        return self._shared.exchange.schema_of(jsonrpc.text_at(message.params, "name"))

    async def _exchange(
        self,
        process: ProcessSession,
        incoming: Incoming,
        owner: Owner,
        *,
        headers: Sequence[tuple[bytes, bytes]] = (),
        restored: Callable[[ToClient], bytes] = _as_it_is,
        status: dict[int, int] | None = None,
    ) -> int:
        """Send a message to a process and reply: with JSON, or with a stream if there is more than a response. Returns
        the code of the error, if the response was one."""
        reply, record = incoming.reply, RequestRecord.of(incoming.request.scope)
        pending = process.ask(incoming.body, incoming.message, owner)
        try:
            if not pending.keys and not pending.queue:
                await reply.whole(202, [*headers, NOT_KEPT])
            else:
                await self._answer(reply, pending, headers, restored, status or {})
        finally:
            process.leave(pending)
            self._has_answered = self._has_answered or pending.is_from_server
            if record.method == CALL:
                record.decided(pending.outcome)
        return pending.code

    async def _answer(
        self,
        reply: Reply,
        pending: PendingReply,
        headers: Sequence[tuple[bytes, bytes]],
        restored: Callable[[ToClient], bytes],
        status: dict[int, int],
    ) -> None:
        first: ToClient | None = None
        with suppress(TimeoutError):  # what takes its time gets a stream, which can be kept open
            first = await asyncio.wait_for(pending.queue.get(), self._limits.ping_seconds)
        if first and pending.queue.is_done and not pending.was_told:
            kept = () if pending.code else headers
            code = status.get(pending.code, 200)
            await reply.whole(code, [*kept, JSON, NOT_KEPT], restored(first).rstrip(b"\n"))
            return
        await reply.begin(200, [*headers, STREAM, NOT_KEPT])
        await reply.bit(event(restored(first)) if first else b": ping\n\n")
        await self._stream(reply, pending.queue, restored)

    async def _stream(self, reply: Reply, queue: Outbox, restored: Callable[[ToClient], bytes]) -> None:
        while True:
            try:
                message = await asyncio.wait_for(queue.get(), self._limits.ping_seconds)
            except TimeoutError:
                await reply.bit(b": ping\n\n")
                continue
            if message is None:
                break
            await reply.bit(event(restored(message)))
        await reply.end()

    def _process_of(self, request: Request) -> ProcessSession:
        """Return the process of a session; that of another principal looks like none."""
        process = self._sessions.get(request.session)
        if process is None or process.ended.is_set() or process.caller.principal != principal_of(request):
            raise RefusedError(404, "there is no such session: it has ended, or is another gateway's; initialize again")
        return process

    async def _common(self) -> ProcessSession:
        """Return the process for all modern clients, started anew if it has ended by itself."""
        async with self._starting:
            if self._shared is not None and self._shared.ended.is_set():
                if self._shared.used - self._shared.started > self._limits.longest_pause:
                    self._failures = 0
                self._failed(self._shared.used)
                self._shared = None
            if self._shared is None:
                wait = self._not_before - self._now()
                if wait > 0:
                    words = f"the server has ended by itself; it can be started again in {math.ceil(wait)} s"
                    raise RefusedError(503, words, (b"retry-after", b"%d" % math.ceil(wait)))
                self._shared = await self._started(None)
            return self._shared

    async def _started(self, owner: Owner | None, caller: Caller | None = None) -> ProcessSession:
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep_on())
        alive = sum(not one.ended.is_set() for one in self._processes)
        if alive + len(self._expected) >= self._limits.processes:
            await self._make_room(caller or Caller())
        process = ProcessSession(self._begin, self._carrier, owner=owner, caller=caller, now=self._now)
        self._processes.add(process)
        try:
            await process.start()
        except BaseException as error:
            self._processes.discard(process)
            if isinstance(error, CannotStartError):
                self._failed(self._now())
                self._carrier.log.note("error", str(error))
                raise RefusedError(502, str(error)) from None
            raise
        return process

    async def _make_room(self, caller: Caller) -> None:
        """End a session so that the caller gets the place of its process.

        The session's client gets 404 when it returns, and initializes again, as the protocol says. Its stored results
        stay readable. Raises a ``RefusedError`` if no session has to give up its place for this caller.
        """
        name = self._session_to_end(caller)
        if name is None:
            raise RefusedError(
                503,
                f"the limit of {self._limits.processes} processes is reached; retry in 5 seconds, "
                "or raise --max-processes",
                AGAIN,
            )
        self._expected.append(caller)
        try:
            await self._sessions.pop(name).end()
        finally:
            self._expected.remove(caller)

    def _session_to_end(self, caller: Caller) -> str | None:
        """Return the session that has to end for a caller, if there is one.

        An abandoned session ends for any caller. Any other one ends only if its callers hold more processes than this
        caller's, also after the change. Addresses are compared first, and groups behind the same address next. An
        address that invents tokens therefore gains nothing. Of the callers that hold most, the least busy session ends.
        """
        callers = [*(one.caller for one in self._processes if not one.is_ending), *self._expected]
        addresses = Counter(one.address for one in callers)
        groups = Counter(_group(one) for one in callers)

        def has_to_end(process: ProcessSession) -> bool:
            if process.is_idle and self._now() - process.used >= self._limits.abandoned_seconds:
                return True
            other = process.caller
            if other.address != caller.address:
                return addresses[other.address] > addresses[caller.address] + 1
            return groups[_group(other)] > groups[_group(caller)] + 1

        def precedence(name: str) -> tuple[int, int, bool, bool, float]:
            process = self._sessions[name]
            held = addresses[process.caller.address], groups[_group(process.caller)]
            return -held[0], -held[1], process.is_asked, not process.is_idle, process.used

        names = [name for name, process in self._sessions.items() if not process.is_ending and has_to_end(process)]
        return min(names, key=precedence, default=None)

    def _failed(self, at: float) -> None:
        self._failures += 1
        pause = min(self._limits.first_pause * 2 ** (self._failures - 1), self._limits.longest_pause)
        self._not_before = at + pause

    async def _sweep_on(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            await self.sweep()
