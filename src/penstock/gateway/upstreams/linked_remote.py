"""A server over HTTP as one of several servers. All of them share one event loop, in a thread of its own.

Its exchange has no gate: that is in front of all servers. It says which response answers which request, and fails those
that the server does not answer. A very long response waits in a file, as those of processes do.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import TimeoutError as NotInTimeError
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from penstock.gateway.upstreams.linked_process import GRACE, LONGEST, temporary_spool
from penstock.gateway.upstreams.remote_upstream import RemoteUpstream, start
from penstock.protocol.commands import Noise, Note, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from penstock.protocol.rules import RelayRules
from penstock.protocol.wire.lines import LARGE
from penstock.unforeseen import described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.client_config.expand import RemoteServer
    from penstock.gateway.upstreams.linked_process import Link
    from penstock.protocol.commands import Command
    from penstock.spool import Spool


class LinkedRemote:
    """A session with a server. ``heard`` gets its lines, and is called in threads that may wait for the client."""

    def __init__(
        self,
        server: RemoteServer,
        *,
        heard: Callable[[Link, bytes], None],
        note: Callable[[str], None],
        may_write: bool = False,
    ) -> None:
        """Take a server. If this ``may_write``, its very long responses are put into files that have no name."""
        self._server = server
        self._new_spool = temporary_spool(may_write=may_write)
        self._heard = heard
        self._note = note
        self._exchange = Exchange(RelayRules(), now=time.monotonic)
        self._tasks: set[asyncio.Task[None]] = set()
        self._upstream: RemoteUpstream | None = None
        self._loop = _event_loop()

    def begin(self) -> None:
        self._loop.call_soon_threadsafe(self._open)

    def put(self, line: bytes) -> None:
        self._loop.call_soon_threadsafe(self._take, line)

    def stop(self) -> None:
        with suppress(NotInTimeError):
            asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result(3 * GRACE)

    def kill(self) -> None:
        asyncio.run_coroutine_threadsafe(self._leave(), self._loop)

    # In the event loop

    def _open(self) -> None:
        headers = list(self._server.headers.items())
        self._upstream = RemoteUpstream(self._server.url, headers, self._exchange, self, limit=lambda: LONGEST)

    def _take(self, line: bytes) -> None:
        start(self.carry_out(self._exchange.client_sent(line)), self._tasks)

    async def _leave(self) -> None:
        if self._upstream is None:
            return
        if self._upstream.due:
            await asyncio.wait(self._upstream.due, timeout=GRACE)
        await self._upstream.leave(GRACE)

    # For the server's end

    def new_spool(self) -> Spool:
        """Return a place for a message that arrives."""
        return self._new_spool()

    async def classify(self, line: bytes | memoryview) -> Sequence[Command]:
        """Return the exchange's commands for a line of the server."""
        return await asyncio.to_thread(self._classify, line) if len(line) > LARGE else self._classify(line)

    def _classify(self, line: bytes | memoryview) -> Sequence[Command]:
        try:
            return self._exchange.upstream_sent(line)
        except Exception as error:  # noqa: BLE001  (the client may wait for what cannot be handled)
            self.warn(f"a message was relayed unread: {described(error)}")
            return self._exchange.relay_unread(line)

    async def carry_out(self, commands: Sequence[Command]) -> None:
        """Post and hand on what the exchange says. It admits and fetches nothing, by its rules."""
        for command in commands:
            match command:
                case ToUpstream() if self._upstream is not None:
                    self._upstream.send(command)
                case ToClient(line=line):
                    await asyncio.to_thread(self._heard, self, line)
                case Noise(line=line):
                    self.warn(self._exchange.quoted(line))
                case Note(text=text):
                    self.warn(text)

    def warn(self, text: str) -> None:
        """Log what was lost."""
        self._note(f"{self._server.name}: {text}")

    def failed(self, method: str, error: Exception) -> str:
        """Log a mistake of ours, and return the words for the client."""
        self.warn(f"an answer to {method} could not be made: {described(error)}")
        return f"could not be asked ({type(error).__name__}); repeat the call, or narrow it"


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all remote servers; started when the first of them is."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="penstock-remotes", daemon=True).start()
    return loop
