"""Drive one process for clients over HTTP: send their requests to it, and its responses to them.

A response goes to the HTTP request that waits for it, progress to the request that it names, every other message to the
stream that the client listens on, or to its latest request while it has none. Where several clients share a server, a
message that names no request is dropped: it might be another client's.

It ends in one of these ways, each of which ends the process with all its children, and fails the open requests:

    ``end``                              the session is over, idle, or the gateway goes
    the server ends by itself            seen by the end of its output, or by ``_look``
    the server closes one of its sides   it cannot be used any longer
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.gate.owners import Caller, unsolicited
from penstock.gateway.http.outbox import Outbox, PendingReply
from penstock.gateway.upstreams.async_process import AsyncProcess
from penstock.protocol.commands import (
    Act,
    Admit,
    Cancelled,
    Command,
    Fetch,
    GateWork,
    Noise,
    Note,
    OpenRequest,
    Resolve,
    ToClient,
    ToUpstream,
)
from penstock.protocol.exchange import Exchange
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import LARGE, TooLong
from penstock.unforeseen import described
from penstock.web.asgi import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from penstock.gate.owners import Owner
    from penstock.gateway.carry import Carried
    from penstock.gateway.carry_async import AsyncCarrier
    from penstock.gateway.upstreams.process import Child
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import Line

LAST_WORK: Final = 30.0  # seconds for answers that are being made when the server ends
UNHEARD: Final = 100  # messages kept for a client that listens to nothing; the oldest are let go
UNREAD: Final = 1_048_576  # bytes that a server has not taken yet, beyond which no more are given to it
TICK: Final = 1.0  # seconds between two looks at requests that wait
CANCELLED: Final = "notifications/cancelled"
LOGGED: Final = "notifications/message"
LOG_LEVEL: Final = b'"io.modelcontextprotocol/logLevel"'  # in a request of the modern era that wants to hear logs


class ProcessSession:
    """A process and the client, or the clients, that it serves. Without an ``owner`` each request has its own.

    ``caller`` is who opened the session of this process.
    """

    def __init__(
        self,
        begin: Callable[[], Child],
        carrier: AsyncCarrier,
        *,
        owner: Owner | None = None,
        caller: Caller | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.owner = owner
        self.caller = caller or Caller()
        self._start_child = begin
        self._carrier = carrier
        self._now = now
        self._owners: dict[bytes, Owner] = {}  # of the requests that are open
        self.exchange = Exchange(carrier.rules, now=now, passed=carrier.passed)
        self._server = AsyncProcess(
            lambda: carrier.rules.config.max_result_bytes,
            self._hear,
            self.end_soon,
            new_spool=carrier.new_spool,
            grew=self._grew,
        )
        self._pending: list[PendingReply] = []
        self._listener: Outbox | None = None
        self._unheard: deque[ToClient] = deque(maxlen=UNHEARD)
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None]
        self._ending: asyncio.Task[None] | None = None
        self.ended = asyncio.Event()
        self.used = self.started = now()

    async def start(self) -> None:
        """Start the process; raise a ``CannotStartError`` when that is not possible."""
        await self._server.start(self._start_child)
        self._looking = asyncio.create_task(self._look())

    @property
    def is_idle(self) -> bool:
        """Return True if no request is open, and no client listens."""
        return not self._pending and self._listener is None

    @property
    def is_asked(self) -> bool:
        """Return True if a request is open."""
        return bool(self._pending)

    @property
    def is_ending(self) -> bool:
        """Return True if the process has ended or is about to end."""
        return self._ending is not None

    # From the client

    def ask(self, body: bytes, message: Message | None, owner: Owner) -> PendingReply:
        """Send one HTTP body, whose envelope is ``message``, to the process. Returns the PendingReply whose queue
        receives the responses."""
        self.used = self._now()
        if self._server.unread > UNREAD:
            raise RefusedError(
                503,
                f"the server has more than {UNREAD:,} bytes of earlier requests to read; retry in a second",
                (b"retry-after", b"1"),
            )
        commands = self.exchange.client_message(jsonrpc.one_line(body), message)
        if message is None and all(isinstance(one, ToUpstream) and not one.readable for one in commands):
            raise RefusedError(400, "the body is no JSON-RPC message")
        pending = self._opened(commands, owner)
        for command in commands:
            if isinstance(command, ToClient):  # an id that is in use, for example: the answer is for this request alone
                pending.answer(command)
                continue
            if isinstance(command, ToUpstream) and command.cancels:
                self._forget(command.cancels)
            self._carry_out((command,))
        if self._listener is None and pending.keys and self._unheard:
            for unheard in self._unheard:
                pending.tell(unheard)
            self._unheard.clear()
        return pending

    def leave(self, pending: PendingReply) -> None:
        """Drop a reply whose client has gone, and tell the server to stop what it does for it."""
        if pending in self._pending:
            self._pending.remove(pending)
        for key in tuple(pending.keys):
            self._owners.pop(key, None)
            self._carry_out(self.exchange.abandon(key, "the client has gone"))

    def listen(self) -> Outbox:
        """Return the queue of the server's unsolicited messages, beginning with those that no client has read yet."""
        if self._listener is not None:
            raise RefusedError(409, "there is a stream for this session already")
        self._listener = Outbox()
        for unheard in self._unheard:
            self._listener.offer(unheard)
        self._unheard.clear()
        return self._listener

    def stop_listening(self) -> None:
        """Keep what was not read for the next client that listens."""
        if self._listener is not None:
            self._unheard.extend(self._listener.rest())
        self._listener = None
        self.used = self._now()

    async def end(self) -> None:
        """End the process, with all that it has started."""
        await asyncio.shield(self.end_soon())

    def end_soon(self, why: str = "") -> asyncio.Task[None]:
        """Begin to end the process. ``why``, where the server gave the reason, is told unless it ends by itself."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(why))
        return self._ending

    def _opened(self, commands: Iterable[Command], owner: Owner) -> PendingReply:
        opened = [request for command in commands for request in _requests(command)]
        pending = PendingReply(
            {one.key for one in opened},
            hears_logs=any(LOG_LEVEL in one.params for one in opened),
        )
        if opened:
            self._pending.append(pending)
            self._owners.update(dict.fromkeys(pending.keys, owner))
        return pending

    def _forget(self, key: bytes) -> None:
        """Forget a request that its client cancelled: it gets no response."""
        self._owners.pop(key, None)
        for pending in tuple(self._pending):
            if key in pending.keys:
                pending.forget(key)
                if not pending.keys:
                    self._pending.remove(pending)

    # From the server

    def _hear(self, line: Line) -> None:
        if isinstance(line, TooLong) or len(line) <= LARGE:
            self._carry_out(self._carrier.classify_now(self.exchange, line))
        else:
            self._begin(self._hear_large(line))

    async def _hear_large(self, line: Line) -> None:
        self._carry_out(await self._carrier.classify(self.exchange, line))

    def _grew(self, head: bytes, size: int) -> None:
        """Tell the client how much has come of a long response of the server."""
        self._carry_out(self.exchange.upstream_sends(head, size))

    def _carry_out(self, commands: Iterable[Command], carried: Carried | None = None) -> None:
        for command in commands:
            match command:
                case ToUpstream(line=line):
                    self._server.write(line)
                case ToClient():
                    self._route(command, carried)
                case Cancelled(key=key):
                    self._forget(key)
                case Admit():
                    self._begin(self._admit(command))
                case Fetch() | Act() | Resolve():
                    self._begin(self._carry(command))
                case Noise(line=line):
                    self._carrier.log.write(self.exchange.quoted(line))
                case Note(level=level, text=text):
                    self._carrier.log.note(level, text)

    async def _admit(self, command: Admit) -> None:
        carried = await self._carrier.admit(self.exchange, command, self._owner(command.request.key))
        self._carry_out(carried.commands, carried)

    async def _carry(self, command: GateWork) -> None:
        carried = await self._carrier.carry(self.exchange, command, self._owner(command.request.key))
        self._carry_out(carried.commands, carried)

    def _owner(self, key: bytes) -> Owner:
        """Return the owner of a request. Unsolicited messages of a shared server have an owner that no caller is."""
        return self.owner or self._owners.get(key) or unsolicited()

    # To whom it goes

    def _route(self, message: ToClient, carried: Carried | None) -> None:
        self.used = self._now()
        if message.parts:
            for one in message.parts:
                self._route(one, carried)
        elif message.method:
            self._tell(message)
        elif message.request is not None:
            self._answer(message, message.request.key, carried)

    def _answer(self, response: ToClient, key: bytes, carried: Carried | None) -> None:
        pending = self._pending_for(key)
        if pending is not None:
            self._owners.pop(key, None)
            pending.answer(response, carried)
            if not pending.keys:
                self._pending.remove(pending)

    def _pending_for(self, key: bytes) -> PendingReply | None:
        return next((one for one in self._pending if key in one.keys), None)

    def _tell(self, message: ToClient) -> None:
        pending = self._addressee(message)
        if pending is None and not self.owner:
            self._turn_away(message)
            return
        if pending is None and self._listener is None and self._pending:
            pending = self._pending[-1]
        if pending is not None:
            has_room = pending.tell(message)
        elif self._listener is not None:
            has_room = self._listener.offer(message)
        else:
            has_room = True
            self._unheard.append(message)
        if not has_room:
            self._carrier.log.note("warning", f"a client does not read its stream: {message.method} was dropped")

    def _addressee(self, message: ToClient) -> PendingReply | None:
        """Return the HTTP request that waits for the request which the server speaks of."""
        if message.request is not None:
            return self._pending_for(message.request.key)
        if message.method == LOGGED and not self.owner:
            hearing = [one for one in self._pending if one.hears_logs]
            return hearing[0] if len(hearing) == 1 else None  # of several it is not known which is meant
        return None

    def _turn_away(self, message: ToClient) -> None:
        """Refuse or drop a message that names no request: clients of the modern era hear of their own requests only."""
        if message.key:
            self._carry_out(self.exchange.refuse(message.key, "no client of this server can be asked"))
        self._carrier.log.note("debug", f"{message.method[:60]} was dropped: it names no request of a client")

    # Its life

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self._carry_out(self.exchange.overdue())
            if self._server.has_ended:  # though another process may hold its output
                self.end_soon("ended")

    async def _end(self, why: str) -> None:
        how = await self._server.stop(why)
        self._looking.cancel()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._finished(), LAST_WORK)
        self.ended.set()
        self.used = self._now()
        self._carry_out(self.exchange.upstream_ended(how))
        with suppress(TimeoutError):  # what the gate was calling tools for is answered with what it has
            await asyncio.wait_for(self._finished(), LAST_WORK)
        for pending in tuple(self._pending):
            for key in tuple(pending.keys):  # what is being made for so long is made in vain
                line = jsonrpc.failure(key, jsonrpc.INTERNAL_ERROR, self.exchange.end_reason)
                pending.answer(ToClient(line, code=jsonrpc.INTERNAL_ERROR))
                pending.forget(key)
        self._pending.clear()
        if self._listener is not None:
            self._listener.close()

    async def _finished(self) -> None:
        while self._tasks:  # one may begin another
            await asyncio.wait(self._tasks)

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        """End the process if a task failed: the requests that waited for it would get no answer."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._carrier.log.note("error", f"a message was lost, and its session ends: {described(error)}")
            self.end_soon()


def _requests(command: Command) -> tuple[OpenRequest, ...]:
    """Return the requests that a command of the client's side opens."""
    match command:
        case ToUpstream(requests=requests):
            return requests
        case Fetch(request=request) | Act(request=request) | Resolve(request=request):
            return (request,)
    return ()
