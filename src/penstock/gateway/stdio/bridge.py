"""``penstock run --url``: a client on our standard input and output, and a server over HTTP on the other side.

    a line of the client  --> the exchange --> a message, posted beside all others          (``remote_upstream``)
    what the server says  --> the exchange --> a line for the client                       (``remote``)

One exchange judges all of it, as for a server that is a process. A thread reads the client, blocking, since its end of
the pipe may be anything; all else is one event loop.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

from penstock.gateway import pipes
from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.log import Log
from penstock.gateway.output import Output
from penstock.gateway.upstreams.remote_upstream import RemoteUpstream, start
from penstock.protocol.commands import Act, Admit, Fetch, Noise, Note, Resolve, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from penstock.protocol.wire.lines import LineBuffer, TooLong
from penstock.unforeseen import described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.config.model import Config
    from penstock.protocol.commands import Command, GateWork
    from penstock.protocol.wire.lines import Line
    from penstock.spool import Spool

STDIN: Final = 0
STDOUT: Final = 1
TICK: Final = 0.5  # seconds between two looks at requests that wait
GRACE: Final = 2.0  # seconds for the session's end, and for the store's
LAST_WORK: Final = 30.0  # seconds for what was asked before the client's end
SHORT: Final = 4_096  # bytes that a pipe with any room takes at once


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
        rules = ConfigRules(config)
        self._carrier = AsyncCarrier(Carrier(rules, self._log, (url,), over_http=True))
        self._exchange = Exchange(rules, now=time.monotonic, passed=self._carrier.passed)
        self._limit = config.max_result_bytes
        self._upstream = RemoteUpstream(url, headers, self._exchange, self, limit=lambda: self._limit)
        self._client = Output(STDOUT)
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="penstock-bridge")  # one may wait for a slow client
        self._at_gate: set[asyncio.Task[None]] = set()
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
            await self._upstream.give_up()
        await self._finish()
        return self._code

    # From the client

    def _read_client(self, loop: asyncio.AbstractEventLoop) -> None:
        lines = LineBuffer(lambda: self._limit)

        def hand_over(line: Line) -> None:
            try:
                asyncio.run_coroutine_threadsafe(self._from_client(line), loop).result()
            except Exception as error:  # noqa: BLE001  (a mistake of ours must not end all; the timeout answers the request)
                self._log.note("error", f"a message of the client was lost: {described(error)}")

        while chunk := pipes.read(STDIN):
            for line in lines.feed(chunk):
                hand_over(line)
        if (rest := lines.rest()) is not None:  # the last line may come without its newline
            hand_over(rest)
        loop.call_soon_threadsafe(self._left.set)

    async def _from_client(self, line: Line) -> None:
        if isinstance(line, TooLong):
            commands = self._exchange.client_overflowed(line)
        else:
            commands = self._exchange.client_sent(bytes(line))
        await self.carry_out(commands)

    async def carry_out(self, commands: Sequence[Command]) -> None:
        """Write, post, admit and fetch what the exchange says."""
        for command in commands:
            match command:
                case ToClient(line=line):
                    await self._write(line)
                case ToUpstream():
                    self._upstream.send(command)
                case Admit():
                    await self.carry_out((await self._carrier.admit(self._exchange, command)).commands)
                case Fetch() | Act() | Resolve():
                    start(self._carry(command), self._at_gate)
                case Noise(line=line):
                    self._log.write(self._exchange.quoted(line))
                case Note(level=level, text=text):
                    self._log.note(level, text)

    async def _write(self, line: bytes) -> None:
        if len(line) <= SHORT and self._client.offer(line):
            return
        if not await asyncio.get_running_loop().run_in_executor(self._threads, self._client.write, line):
            self._left.set()

    # For the server's end

    def new_spool(self) -> Spool:
        """Return a place for a message of the server that arrives."""
        return self._carrier.new_spool()

    async def classify(self, line: bytes | memoryview) -> Sequence[Command]:
        """Return the exchange's commands for a line of the server."""
        return await self._carrier.classify(self._exchange, line)

    def warn(self, text: str) -> None:
        """Log what was lost."""
        self._log.note("warning", text)

    def failed(self, method: str, error: Exception) -> str:
        """Log a mistake of ours, and return the words for the client."""
        return self._carrier.failed(method, error)

    async def _carry(self, work: GateWork) -> None:
        await self.carry_out((await self._carrier.carry(self._exchange, work)).commands)

    # The end

    def _signalled(self, number: int) -> None:
        self._code = 128 + number
        self._left.set()

    def _answers_matter(self) -> bool:
        return not (self._code or self._client.closed or pipes.is_left(STDOUT))

    async def _finish(self) -> None:
        """Let the server finish what it was asked, fail the requests that it does not answer, and leave."""
        deadline = time.monotonic() + LAST_WORK
        while (due := self._upstream.due | self._at_gate) and self._answers_matter() and time.monotonic() < deadline:
            await asyncio.wait(due, timeout=TICK)
            await self._upstream.give_up()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE):  # a client that does not read must not delay the end
                await self.carry_out(self._exchange.upstream_ended("was left before it answered"))
        for task in self._at_gate:
            task.cancel()
        await self._upstream.leave(GRACE)
        await self._carrier.leave(GRACE)
        self._client.settle(GRACE)  # a line that is being written is written whole
