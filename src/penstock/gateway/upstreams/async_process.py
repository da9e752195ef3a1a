"""A server's process with its input and output on the event loop. It ends with all its children, come what may."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from penstock.gateway.upstreams.process import LONGEST_LOOK, SHORTEST_LOOK, SIGTERM, how_it_ended, start
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gateway.upstreams.process import Child
    from penstock.protocol.wire.lines import Line

GRACE: Final = 2.0  # seconds for a server to end by itself, and again after SIGTERM


class AsyncProcess(asyncio.Protocol):
    """``heard`` is called with each line, and ``lost`` with the reason when one of the pipes has ended."""

    def __init__(self, limit: Callable[[], int], heard: Callable[[Line], None], lost: Callable[[str], object]) -> None:
        self._heard = heard
        self._lost = lost
        self._lines = Lines(limit)
        self._child: Child
        self._writer: asyncio.WriteTransport
        self._reader: asyncio.ReadTransport
        self._silent = asyncio.Event()  # its output has ended

    async def start(self, command: Sequence[str]) -> None:
        """Start the process; a ``CannotStartError`` when that is not possible."""
        self._child = start(command)  # in no thread: who goes away meanwhile would leave it behind
        loop = asyncio.get_running_loop()
        stdout, stdin = os.fdopen(self._child.stdout, "rb", 0), os.fdopen(self._child.stdin, "wb", 0)
        try:
            self._reader, _ = await loop.connect_read_pipe(lambda: self, stdout)
            try:
                self._writer, _ = await loop.connect_write_pipe(lambda: _Input(self._lost), stdin)
            except BaseException:
                self._reader.close()  # before its file, whose number the next server will have
                raise
        except BaseException:  # who asked for it has gone
            self._lost = _ignored
            stdout.close()
            stdin.close()
            self._child.end(0)
            raise

    @property
    def has_ended(self) -> bool:
        """Whether the process is no more, though others may hold its output."""
        return self._child.poll() is not None

    @property
    def unread(self) -> int:
        """How many bytes it has not taken yet."""
        return self._writer.get_write_buffer_size()

    def write(self, line: bytes) -> None:
        """One line for the server; for nobody once it reads no more."""
        if not self._writer.is_closing():
            self._writer.write(jsonrpc.ended(line))

    async def stop(self, why: str) -> str:
        """See that it ends, and say how it did. ``why``, if it is not our wish, is told unless it ends by itself."""
        self._writer.close()
        code = by_itself = await self._wait()
        if code is None:
            self._child.signal(SIGTERM)
            code = await self._wait()
        self._child.kill()
        while code is None:  # nobody survives SIGKILL; the system may take a moment
            code = await self._wait()
        if self.unread:  # nobody will ever take it
            self._writer.abort()
        try:
            await asyncio.wait_for(self._silent.wait(), GRACE)
        except TimeoutError:  # a process in no group of ours holds its output
            self._reader.close()
        return how_it_ended(code) if why and by_itself is not None else why or "was stopped"

    def data_received(self, data: bytes) -> None:
        """Some bytes of the server's output."""
        for line in self._lines.feed(data):
            self._heard(line)

    def connection_lost(self, _: Exception | None) -> None:
        """The server has closed its output. Its last line may come without a newline."""
        if rest := self._lines.rest():
            self._heard(rest + b"\n")
        self._silent.set()
        self._lost("closed its output, and was stopped")

    async def _wait(self) -> int | None:
        """The return code, or None when it has not ended in time."""
        pause, left = SHORTEST_LOOK, GRACE
        while (code := self._child.poll()) is None and left > 0:
            await asyncio.sleep(pause)
            left -= pause
            pause = min(2 * pause, LONGEST_LOOK)
        return code


class _Input(asyncio.BaseProtocol):
    """The end at which the server is written to."""

    def __init__(self, lost: Callable[[str], object]) -> None:
        self._lost = lost

    def connection_lost(self, _: Exception | None) -> None:
        """The server reads no more. If it is not about to end, it is of no use any more."""
        self._lost("closed its input, and was stopped")


def _ignored(_: str) -> None:
    """Nobody is left to be told."""
