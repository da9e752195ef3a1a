"""``penstock run --url``: a client on our standard input and output, and a server over HTTP on the other side.

    a line of the client  --> the exchange --> a message, posted beside all others          (``outgoing``)
    what the server says  --> the exchange --> a line for the client                       (``remote``)

One exchange judges all of it, as for a server that is a process: whatever stream an answer comes on, the request gets
that one. A thread reads the client, blocking, since its end of the pipe may be anything; all else is one event loop.

Order is kept where the protocol needs it: nothing goes out before ``initialize`` is answered, nothing after it before
``notifications/initialized`` is taken, and notifications keep their order.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec import UNSET, UnsetType

from penstock.gateway import pipes
from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.http.proxy_sessions import STREAM_SECONDS
from penstock.gateway.log import Log
from penstock.gateway.output import Output
from penstock.gateway.upstreams.outgoing import written
from penstock.gateway.upstreams.remote import Remote, RemoteError
from penstock.protocol.commands import Admit, Fetch, Noise, Note, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from penstock.protocol.wire.lines import LineBuffer, TooLong

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Sequence

    from penstock.config.model import Config
    from penstock.gateway.upstreams.outgoing import OutgoingMessage
    from penstock.protocol.commands import Command
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import Line

STDIN: Final = 0
STDOUT: Final = 1
TICK: Final = 0.5  # seconds between two looks at requests that wait
GRACE: Final = 2.0  # seconds for the session's end, and for the store's
LAST_WORK: Final = 30.0  # seconds for what was asked before the client's end
TAKEN: Final = 10.0  # seconds for a server to take a notification, while later ones wait
SHORT: Final = 4_096  # bytes that a pipe with any room takes at once


@dataclass(slots=True, eq=False)
class Post:
    """A message on its way. ``answered`` is done when the messages that wait for its response may go out."""

    message: OutgoingMessage
    answered: asyncio.Future[None]
    task: asyncio.Task[None] | None = None
    is_cancelled: bool = False  # by the client: the server may end its stream as it likes
    before: list[asyncio.Future[Any]] = field(default_factory=list)

    def hang_up(self) -> None:
        if self.task is not None:
            self.task.cancel()


def run(url: str, headers: Sequence[tuple[str, str]], config: Config) -> NoReturn:
    """Stand between the client and the server until the client has gone."""
    code = asyncio.run(_run(url, headers, config))
    os._exit(code)  # a thread may still wait for the client, or for a store that does not answer


async def _run(url: str, headers: Sequence[tuple[str, str]], config: Config) -> int:
    return await Bridge(url, headers, config).run()


class Bridge:
    """One connection. It is made in the event loop that it runs in."""

    def __init__(self, url: str, headers: Sequence[tuple[str, str]], config: Config) -> None:
        self._log = Log(config.log_level)
        rules = ConfigRules(lambda: config)
        self._carrier = AsyncCarrier(Carrier(rules, self._log, (url,)))
        self._exchange = Exchange(rules, now=time.monotonic, passed=self._carrier.passed)
        self._limit = config.max_result_bytes
        self._remote = Remote(url, headers, limit=lambda: self._limit, note=self._note_loss)
        self._client = Output(STDOUT)
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="penstock-bridge")  # one may wait for a slow client
        self._posts: dict[bytes, Post] = {}  # by the id of a request
        self._before: list[asyncio.Future[Any]] = []  # what has to be done before anything else goes out
        self._turn = asyncio.Lock()  # among notifications
        self._is_modern = False
        self._due: set[asyncio.Task[None]] = set()  # what ends by itself
        self._endless: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Task[None] | None = None
        self._left = asyncio.Event()
        self._code = 0

    async def run(self) -> int:
        """Relay until the client has gone, and give the exit code."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # on Windows
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, self._signalled, number)
        threading.Thread(target=self._read_client, args=(loop,), name="penstock-client", daemon=True).start()
        while not self._left.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), TICK)
            await self._give_up()
        await self._finish()
        return self._code

    # From the client

    def _read_client(self, loop: asyncio.AbstractEventLoop) -> None:
        lines = LineBuffer(lambda: self._limit)

        def hand_over(line: Line) -> None:
            try:
                asyncio.run_coroutine_threadsafe(self._from_client(line), loop).result()
            except Exception as error:  # noqa: BLE001  (a mistake of ours must not end all; the timeout answers the request)
                self._log.note("error", f"a message of the client was lost: {type(error).__name__}: {error}")

        while chunk := pipes.read(STDIN):
            for line in lines.feed(chunk):
                hand_over(line)
        if rest := lines.rest():  # the last line may come without its newline
            hand_over(rest + b"\n")
        loop.call_soon_threadsafe(self._left.set)

    async def _from_client(self, line: Line) -> None:
        if isinstance(line, TooLong):
            commands = self._exchange.client_overflowed(line)
        else:
            commands = self._exchange.client_sent(line if isinstance(line, bytes) else b"".join(line.parts))
        await self._carry_out(commands)

    async def _carry_out(self, commands: Iterable[Command]) -> None:
        for command in commands:
            match command:
                case ToClient(line=line):
                    await self._write(line)
                case ToUpstream():
                    self._send(written(command, self._exchange))
                case Admit():
                    await self._carry_out((await self._carrier.admit(self._exchange, command)).commands)
                case Fetch():
                    self._start(self._fetch(command), self._due)
                case Noise(line=line):
                    self._log.write(self._exchange.quoted(line))
                case Note(level=level, text=text):
                    self._log.note(level, text)

    async def _write(self, line: bytes) -> None:
        if len(line) <= SHORT and self._client.offer(line):
            return
        if not await asyncio.get_running_loop().run_in_executor(self._threads, self._client.write, line):
            self._left.set()

    # To the server

    def _send(self, message: OutgoingMessage) -> None:
        if message.cancels and self._is_hung_up(message.cancels):
            return
        post = Post(message, asyncio.get_running_loop().create_future(), before=self._before)
        post.task = self._start(self._post(post), self._due if message.ends else self._endless)
        for request in message.asks:
            self._posts[request.key] = post
            self._is_modern = request.modern
        if message.method in ("initialize", "notifications/initialized"):
            self._before = [post.answered]

    def _is_hung_up(self, key: bytes) -> bool:
        """Take back a request. In the modern era to hang up is to cancel, and servers hear of it in no other way; in
        the legacy era it is not, and the server is told."""
        post = self._posts.get(key)
        if post is None:
            return self._is_modern
        if post.message.is_modern:
            post.hang_up()
            return True
        post.is_cancelled = True
        if post.task is not None:  # it ends when the server likes, and shutdown does not wait for it
            self._due.discard(post.task)
            self._endless.add(post.task)
            post.task.add_done_callback(self._endless.discard)
        return False

    async def _post(self, post: Post) -> None:
        try:
            if post.before:
                await asyncio.wait(post.before)
            if post.message.asks:
                await self._ask(post)
            elif post.message.is_notification:
                async with self._turn:
                    await self._tell(post.message)
            else:
                await self._tell(post.message)
        finally:
            if not post.answered.done():
                post.answered.set_result(None)
            for request in post.message.asks:
                if self._posts.get(request.key) is post:
                    del self._posts[request.key]

    async def _ask(self, post: Post) -> None:
        async def said(line: bytes, message: Message | UnsetType | None = UNSET) -> None:
            await self._said(line, message, post)

        try:
            await self._remote.post(post.message, said, lambda: self._is_over(post) and not post.is_cancelled)
            words = "ended its answer before it came to one"
        except RemoteError as trouble:
            words = str(trouble)
        except Exception as error:  # noqa: BLE001  (whatever happens, the request is answered)
            words = self._carrier.failed(post.message.method, error)
        for request in post.message.asks:
            if not request.busy:
                await self._carry_out(self._exchange.fail(request, f"{self._exchange.who} {words}"))

    async def _tell(self, message: OutgoingMessage) -> None:
        what = message.method or "an answer of the client"
        try:
            async with asyncio.timeout(TAKEN):
                await self._remote.post(message, self._said, lambda: True)
        except RemoteError as trouble:
            self._log.note("warning", f"{what} was lost: {self._exchange.who} {trouble}")
        except TimeoutError:
            self._log.note("warning", f"{what} may be lost: {self._exchange.who} has not taken it")
        if message.method == "notifications/initialized" and self._listening is None:
            opened = asyncio.Event()
            self._listening = self._start(self._remote.listen(self._said, opened.set), self._endless)
            with suppress(TimeoutError):  # what is asked next may make the server speak there
                await asyncio.wait_for(opened.wait(), STREAM_SECONDS)

    def _is_over(self, post: Post) -> bool:
        """Tell whether all requests of this message are answered, or with the gate."""
        return not any(self._exchange.is_open(request) for request in post.message.asks)

    # From the server

    def _note_loss(self, words: str) -> None:
        self._log.note("warning", f"{self._exchange.who} {words}")

    async def _said(self, line: bytes, message: Message | UnsetType | None = UNSET, post: Post | None = None) -> None:
        if message is not UNSET:
            commands = self._exchange.upstream_message(line, message)
        else:
            commands = await self._carrier.classify(self._exchange, line)
        if post is not None and post.message.method == "initialize" and self._is_over(post):
            self._remote.version = self._remote.version or self._exchange.version
            if not post.answered.done():
                post.answered.set_result(None)
        await self._carry_out(commands)

    async def _fetch(self, fetch: Fetch) -> None:
        await self._carry_out((await self._carrier.fetch(self._exchange, fetch)).commands)

    # The clock, and the end

    async def _give_up(self) -> None:
        """Answer what has waited too long, and hang up on who should have answered."""
        waited = [post for post in self._posts.values() if not self._is_over(post)]
        commands = self._exchange.overdue()
        late = [post for post in waited if self._is_over(post)]
        await self._carry_out(commands)
        for post in late:
            post.hang_up()

    def _signalled(self, number: int) -> None:
        self._code = 128 + number
        self._left.set()

    def _answers_matter(self) -> bool:
        return not (self._code or self._client.closed or pipes.is_left(STDOUT))

    async def _finish(self) -> None:
        """Let the server finish what it was asked, fail the requests that it does not answer, and leave."""
        deadline = time.monotonic() + LAST_WORK
        while self._due and self._answers_matter() and time.monotonic() < deadline:
            await asyncio.wait(self._due, timeout=TICK)
            await self._give_up()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE):  # a client that does not read must not delay the end
                await self._carry_out(self._exchange.upstream_ended("was left before it answered"))
        rest = [*self._due, *self._endless]
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=GRACE)
        await self._remote.leave(GRACE)
        await self._carrier.leave(GRACE)
        self._client.settle(GRACE)  # a line that is being written is written whole

    def _start(self, work: Coroutine[Any, Any, None], kept: set[asyncio.Task[None]]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        kept.add(task)
        task.add_done_callback(kept.discard)
        return task
