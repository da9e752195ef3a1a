"""One request to an upstream that speaks HTTP, and its answers, judged by an exchange that knows what its session
knows."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from penstock.gateway.http.events import Event, Events
from penstock.gateway.http.messages import RefusedError
from penstock.gateway.http.room import Share
from penstock.gateway.http.work import beside
from penstock.protocol.commands import Admit, Fetch, Noise, Note, ToClient, ToUpstream, Waiting
from penstock.protocol.exchange import THOUGHT, TIMED, Exchange
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import TooLong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    import aiohttp

    from penstock.gate.owners import Owner
    from penstock.gateway.http.sessions import Session, Sessions
    from penstock.gateway.http.work import Work
    from penstock.protocol.commands import Command

# What an answer is to, by a member of its result, when nobody here saw the request.
ASKED_BY: Final = {
    "content": "tools/call",
    "structuredContent": "tools/call",
    "contents": "resources/read",
    "messages": "prompts/get",
    "tools": "tools/list",
    "capabilities": "initialize",
}

_DATA = re.compile(rb"^data:? ?", re.MULTILINE)


class Talk:
    """One request. A talk that ``listens`` asks nothing itself: it hears answers whose own stream has ended, here or at
    another gateway."""

    def __init__(self, work: Work, sessions: Sessions, name: str, owner: Owner, *, listens: bool = False) -> None:
        self._work = work
        self.sessions = sessions
        self.session: Session = sessions.of(name)
        self._owner = owner
        self._listens = listens
        self._share = Share(work.room)
        self.is_batch = False
        self.can_go_on = False  # the stream has ids, by which it can be taken up again
        self.exchange = Exchange(work.rules, now=time.monotonic)
        self.exchange.known = self.session.known
        self.exchange.client = self.session.client
        self.exchange.server = sessions.server
        self.exchange.passed = work.passed
        if listens:
            self.exchange.waiting = self.session.open

    async def asked(self, body: bytes) -> tuple[list[bytes], list[bytes]]:
        """What is answered here, and what is for the upstream."""
        if not body.strip():
            raise RefusedError(400, "the request has no body")
        self.is_batch = body.lstrip()[:1] == b"["
        commands = self._said(body)
        forwarded = [command.line for command in commands if isinstance(command, ToUpstream)]
        local = await self.carried_out([one for one in commands if not isinstance(one, ToUpstream)])
        return local, forwarded

    def begin(self) -> None:
        """The upstream is being asked."""
        self.session.asking.append(self.exchange)

    def end(self) -> None:
        """Nothing more comes. What was not answered may be, on another stream of the session."""
        self._share.give_back()
        self.session.asking.remove(self.exchange)
        if self.can_go_on and not self._listens:
            self.session.leave_open(self.exchange.waiting.values())

    def named(self, name: str) -> None:
        """The upstream has named the session: what was learned before belongs to it."""
        session = self.sessions.of(name)
        session.client = self.exchange.client or session.client
        session.asking.append(self.exchange)
        self.session.asking.remove(self.exchange)
        self.exchange.known = session.known
        self.session = session

    def patience(self) -> float | None:
        """How many seconds the upstream has left to answer; None when it may take as long as it likes."""
        if self._listens:
            return None
        now = time.monotonic()
        if any(one.asked and now - one.asked_at <= THOUGHT for one in self.session.asking):
            self.exchange.refresh()  # the upstream waits for the client, and so may its answer
        left: list[float] = []
        for waiting in self.exchange.waiting.values():
            allowed = self._work.rules.timeout(waiting.name) if waiting.method in TIMED else None
            if allowed is not None:
                left.append(allowed - (now - max(waiting.since, self.session.heard)))
        return min(left) if left else None

    async def told(self, message: bytes) -> list[bytes] | None:
        """What the client gets for a message of the upstream: the same object when it is that message, None when it
        is no message at all."""
        commands = await beside(len(message), self._judged, message)
        self.sessions.server = self.exchange.server or self.sessions.server
        if all(isinstance(command, Noise) for command in commands):
            return None
        return await self.carried_out(commands)

    async def carried_out(self, commands: Iterable[Command]) -> list[bytes]:
        """The messages for the client."""
        lines: list[bytes] = []
        for command in commands:
            match command:
                case ToClient(line=line):
                    lines.append(line)
                case Admit():
                    lines += await self.carried_out(await self._work.admitted(self.exchange, command, self._owner))
                case Fetch():
                    lines += await self.carried_out(await self._work.fetched(self.exchange, command, self._owner))
                case Note(level=level, text=text):
                    self._work.note(level, text)
                case _:
                    pass  # no message; or a refusal of what the upstream asked, which will not wait for ever
        return lines

    def cancels(self) -> list[bytes]:
        """What tells the upstream that nobody waits any more. In the modern era the end of a connection says so."""
        left = [one for one in self.exchange.waiting.values() if not one.modern and one.method != "initialize"]
        return [jsonrpc.cancelled(one.key, "timed out") for one in left]

    async def ended(self, how: str) -> list[bytes]:
        """What is told to those who wait for an answer that will not come. Who listens may do so elsewhere."""
        return [] if self._listens else await self.carried_out(self.exchange.upstream_ended(how))

    async def read(self, answer: aiohttp.ClientResponse) -> bytes | None:
        """A whole answer; None for one above the limit, of which no more is read."""
        parts: list[bytes] = []
        size = 0
        limit = self._work.rules.config.max_result_bytes
        while part := await self._next(answer):
            size += len(part)
            if size > limit:
                return None
            self._share.take(len(part))
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def streamed(self, answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        """The events for the client."""
        events = Events(lambda: self._work.rules.config.max_result_bytes)
        while chunk := await self._next(answer):
            self._share.take(len(chunk))
            found = events.feed(chunk)
            for one in found:
                yield await (self._overflowed(one) if isinstance(one, TooLong) else self._event(one))
            if found:
                self._share.give_back()
        if (rest := events.rest()) and not self.exchange.waiting:  # or an error would go on where it ended
            yield rest

    async def _next(self, answer: aiohttp.ClientResponse) -> bytes:
        """Some more of the answer; a ``TimeoutError`` when nothing comes in time."""
        while True:
            left = self.patience()
            if left is not None and left <= 0:
                raise TimeoutError
            try:
                async with asyncio.timeout(left):
                    return await answer.content.readany()
            except TimeoutError:
                continue  # unless the client is being asked something

    async def _event(self, one: Event) -> bytes:
        has_id, data = await beside(len(one.raw), _read, one)
        self.can_go_on = self.can_go_on or has_id
        told = await self.told(data) if data else None
        if told is None or (len(told) == 1 and told[0] is data):
            return one.raw
        return b"".join([await beside(len(one.raw), one.carrying, line.rstrip(b"\n")) for line in told])

    async def _overflowed(self, long: TooLong) -> bytes:
        """An event above the limit was not kept; whoever waits for it is told."""
        found = _DATA.search(long.head)
        before, head = (long.head[: found.start()], long.head[found.end() :]) if found else (b"", b"")
        tail = long.tail.rstrip(b"\r\n")
        key = jsonrpc.id_in(head, tail)
        if self._listens and key is not None and jsonrpc.is_answer(head):
            self._expect(key, "tools/call")
        told = await self.carried_out(
            self.exchange.upstream_overflowed(TooLong(head=head, tail=tail, size=long.size)),
        )
        return b"".join(Event(before + b"data:\n\n").carrying(line.rstrip(b"\n")) for line in told)

    def _said(self, body: bytes) -> Sequence[Command]:
        """What becomes of the client's message. Its answer to a question ends the upstream's wait for it."""
        asking = self.session.asking
        questions = frozenset[bytes]().union(*(one.asked for one in asking))
        self.exchange.asked = set(questions)
        commands = self.exchange.client_sent(body)
        answered = questions - self.exchange.asked
        self.exchange.asked = set()
        if answered:
            self.session.heard = time.monotonic()
            for one in asking:
                one.asked -= answered
        return commands

    def _judged(self, message: bytes) -> Sequence[Command]:
        if self._listens:
            told = jsonrpc.decode(message)
            if told is not None and told.method is UNSET and told.id is not UNSET:
                self._expect(jsonrpc.key_of(told.id), _asked_by(told))
        return self.exchange.upstream_sent(message)

    def _expect(self, key: bytes, method: str) -> None:
        """An answer is heard again, or one that was asked for at another gateway: it is bounded as any other."""
        if key not in self.exchange.waiting:
            self.exchange.waiting[key] = Waiting(
                key=key,
                method=method,
                name="" if method == "tools/call" else method,
                params=b"",
                modern=False,
                since=time.monotonic(),
            )


def _read(one: Event) -> tuple[bool, bytes | None]:
    return one.has_id, one.data


def _asked_by(answer: jsonrpc.Message) -> str:
    """The method of the request that this answers, as far as that matters here."""
    if answer.result is UNSET:
        return "tools/call"
    try:
        names = [name for name, _ in jsonrpc.members(bytes(answer.result))]
    except ValueError:
        return ""
    return next((ASKED_BY[name] for name in names if name in ASKED_BY), "")
