"""One request to an upstream that speaks HTTP, handled by an exchange that shares its session's state."""

from __future__ import annotations

import re
import time
from collections import deque
from typing import TYPE_CHECKING

from penstock.gateway.carry_async import in_thread_if_large, outcome_of
from penstock.gateway.observe.request_record import CALL, RequestRecord
from penstock.gateway.shared_limit import Reservation
from penstock.gateway.sse import MAX_FIELDS, Event, Events, event
from penstock.gateway.upstreams.http_client import STREAM, next_chunk
from penstock.protocol.commands import Act, Admit, Fetch, Noise, Note, Resolve, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from penstock.protocol.wire.lines import Arriving, TooLong
from penstock.web.asgi import RefusedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from penstock.gate.owners import Owner
    from penstock.gateway.carry import Carried
    from penstock.gateway.carry_async import AsyncCarrier
    from penstock.gateway.http.proxy_sessions import ProxySession, ProxySessions
    from penstock.gateway.upstreams.http_client import HttpResponse
    from penstock.protocol.commands import Command, OpenRequest
    from penstock.web.asgi import Request

_DATA = re.compile(rb"^data:? ?", re.MULTILINE)


class ProxiedRequest:
    """One request. With ``listens`` it is a GET stream: it carries no request, but may deliver responses to requests
    whose own stream has ended, here or at another gateway."""

    def __init__(
        self, carrier: AsyncCarrier, sessions: ProxySessions, request: Request, owner: Owner, *, listens: bool = False
    ) -> None:
        self._carrier = carrier
        self._record = RequestRecord.of(request.scope)
        self.sessions = sessions
        self.session: ProxySession = sessions.of(request.session)
        self._owner = owner
        self._listens = listens
        self._reserved = Reservation(carrier.room, owner.share.group)
        self._own_calls: deque[ToUpstream] = deque()
        self.is_batch = False
        self.can_go_on = False  # the stream has ids, by which a client can resume it
        self.exchange = Exchange(
            carrier.rules, now=time.monotonic, session=self.session, passed=carrier.passed, resumes=listens
        )

    async def split(self, body: bytes) -> tuple[list[ToClient], list[bytes]]:
        """Handle the client's body. Returns the responses that are made here, and the lines for the upstream."""
        if not body.strip():
            raise RefusedError(400, "the request has no body")
        self.is_batch = body.lstrip()[:1] == b"["
        commands = self.exchange.client_sent(body)
        if not self.is_batch:
            self._record.noted(commands)
        local: list[ToClient] = []
        forwarded: list[bytes] = []
        for command in commands:
            carried = None
            following: Sequence[Command] = (command,)
            if isinstance(command, Act | Resolve):
                carried = await self._carrier.carry(self.exchange, command, self._owner)
                following = carried.commands
            lines = [one.line for one in following if isinstance(one, ToUpstream) and not _is_own(one)]
            forwarded += lines
            beside = [one for one in following if not isinstance(one, ToUpstream) or _is_own(one)]
            local += await self.carry_out(beside, carried)
        return local, [as_batch(forwarded)] if len(forwarded) > 1 else forwarded

    def begin(self) -> None:
        """Count as under way: the upstream may ask the client something now."""
        self.exchange.begin()

    def end(self) -> None:
        """End the request. What was not answered may be, on another stream of the session."""
        self._reserved.give_back()
        self.exchange.end(can_resume=self.can_go_on)

    def move_to(self, name: str) -> None:
        """Continue in the session that the upstream has named."""
        self.session = self.sessions.of(name)
        self.exchange.move_to(self.session)

    async def handle(self, message: bytes | memoryview) -> list[ToClient] | None:
        """Handle a message of the upstream. Returns the messages for the client; None when it is no message at all."""
        commands = await self._carrier.classify(self.exchange, message)
        self.sessions.server = self.exchange.server_name or self.sessions.server
        if all(isinstance(command, Noise) for command in commands):
            return None
        return await self.carry_out(commands)

    async def carry_out(self, commands: Iterable[Command], carried: Carried | None = None) -> list[ToClient]:
        """Carry out commands, and return the messages for the client."""
        lines: list[ToClient] = []
        for command in commands:
            match command:
                case ToClient():
                    lines.append(command)
                    if command.request is not None and not command.method and self._record.method == CALL:
                        self._record.decided(outcome_of(command) if carried is None else carried.outcome)
                case Admit():
                    done = await self._carrier.admit(self.exchange, command, self._owner)
                    lines += await self.carry_out(done.commands, done)
                case Fetch() | Act():
                    done = await self._carrier.carry(self.exchange, command, self._owner)
                    lines += await self.carry_out(done.commands, done)
                case ToUpstream() if _is_own(command):
                    self._own_calls.append(command)
                case Note(level=level, text=text):
                    self._carrier.log.note(level, text)
                case _:
                    pass  # no message; or a refusal of what the upstream asked, which will not wait for ever
        return lines

    @property
    def has_own_calls(self) -> bool:
        """Return True if a request of our own tool needs a call to the upstream."""
        return bool(self._own_calls)

    def next_own_call(self) -> ToUpstream | None:
        """Return the next call that a request of our own tool needs."""
        return self._own_calls.popleft() if self._own_calls else None

    async def messages(self, answer: HttpResponse, awaited: OpenRequest) -> AsyncIterator[ToClient]:
        """Handle all that the upstream answers to a call of our own, and yield the messages for the client. A stream is
        left once the response has come."""
        if answer.content_type != STREAM:
            _, messages = await self.read(answer)
            for message in messages or ():
                yield message
            self._reserved.give_back()
            return
        events = Events(self._limit, new_spool=self._carrier.new_spool)
        while self.exchange.is_open(awaited) and (chunk := await next_chunk(answer, self.exchange.seconds_left)):
            self._reserve(chunk, is_in_file=events.is_in_file)
            for one in events.feed(chunk):
                data = None if isinstance(one, TooLong) else one.data
                for message in (await self.handle(data) if data else None) or ():
                    yield message
            self._reserved.give_back()

    def cancellations(self) -> list[bytes]:
        """Return the lines that take the open requests back. In the modern era the end of the connection does so."""
        return [one.line for one in self.exchange.cancel_all("timed out")]

    async def fail_open(self, how: str) -> list[ToClient]:
        """Fail the open requests: the upstream will not answer. A GET stream has none of its own."""
        return [] if self._listens else await self.carry_out(self.exchange.upstream_ended(how))

    async def read(self, answer: HttpResponse) -> tuple[bytes | None, list[ToClient] | None]:
        """Read a whole response, and return it with the messages for the client; no body above the limit, of which no
        more is read, and no messages of what is none. The body of a message in a file is empty. Its client hears
        nothing of its growth, since it gets one JSON message."""
        arriving = Arriving(self._limit, self._carrier.new_spool, self.exchange.upstream_sends)
        while chunk := await next_chunk(answer, self.exchange.seconds_left):
            arriving.add(chunk)
            if arriving.size > self._limit():
                return None, None
            self._reserve(chunk, is_in_file=arriving.is_in_file)
        body = arriving.done()
        if isinstance(body, TooLong):
            return b"", await self.fail_open(body.failure)
        if isinstance(body, bytes):
            return body, await self.handle(body) if body else None
        messages = [one for one in await self.handle(body) or () if not one.method]
        return b"", messages or await self.fail_open("answered with a message that cannot be read")

    async def events(self, answer: HttpResponse) -> AsyncIterator[bytes]:
        """Yield the events for the client."""
        reports: list[Command] = []
        events = Events(
            self._limit,
            new_spool=self._carrier.new_spool,
            grew=lambda head, size: reports.extend(self.exchange.upstream_sends(head, size)),
        )
        while chunk := await next_chunk(answer, self.exchange.seconds_left):
            self._reserve(chunk, is_in_file=events.is_in_file)
            complete = events.feed(chunk)
            for one in complete:
                yield await (self._overflowed(one) if isinstance(one, TooLong) else self._event(one))
            if complete or events.is_in_file:
                self._reserved.give_back()
            for report in await self.carry_out(reports):
                yield event(report.line)
            reports.clear()
        rest = events.rest()
        if not self.exchange.open_count and len(rest) <= MAX_FIELDS:  # or an error would go on where it ended
            yield rest

    def _reserve(self, chunk: bytes, *, is_in_file: bool) -> None:
        """Count bytes that stay in memory."""
        if is_in_file:
            self._reserved.give_back()
        else:
            self._reserved.take(len(chunk))

    def _limit(self) -> int:
        return self._carrier.rules.config.max_result_bytes

    async def _event(self, one: Event) -> bytes:
        has_id, data = await in_thread_if_large(len(one.raw), _read, one)
        self.can_go_on = self.can_go_on or has_id
        messages = await self.handle(data) if data else None
        if messages is None:
            return one.raw if len(one.raw) <= MAX_FIELDS else b""
        is_same = len(messages) == 1 and messages[0].line is data
        if is_same and data is not None and len(one.raw) <= len(data) + MAX_FIELDS:
            return one.raw
        return b"".join(
            [await in_thread_if_large(len(one.raw), one.carrying, message.line.rstrip(b"\n")) for message in messages]
        )

    async def _overflowed(self, long: TooLong) -> bytes:
        """Return the error for the request that an event above the limit answers; the event was not kept."""
        data = _DATA.search(long.head)
        before, head = (long.head[: data.start()], long.head[data.end() :]) if data else (b"", b"")
        tail = long.tail.rstrip(b"\r\n")
        errors = await self.carry_out(
            self.exchange.upstream_overflowed(TooLong(head=head, tail=tail, size=long.size, failure=long.failure)),
        )
        return b"".join(Event(before + b"data:\n\n").carrying(message.line.rstrip(b"\n")) for message in errors)


def _is_own(command: ToUpstream) -> bool:
    """Return True if a command sends a request of our own."""
    return any(request.parent is not None for request in command.requests)


def as_batch(lines: list[bytes]) -> bytes:
    """Put messages and batches together to one batch."""
    bare = [line.strip() for line in lines]
    return b"[" + b",".join(one[1:-1] if one.startswith(b"[") else one for one in bare) + b"]"


def _read(one: Event) -> tuple[bool, bytes | memoryview | None]:
    return one.has_id, one.data
