"""A server's process with its input and output on the event loop. It always ends with all its children."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.gateway.upstreams.process import how_it_ended
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import LineBuffer
from penstock.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.gateway.upstreams.process import Child
    from penstock.protocol.wire.lines import Grew, Line

GRACE: Final = 2.0  # seconds for a server to end by itself, and again after SIGTERM
LAST_WORDS: Final = 30.0  # seconds for what a server has written before its end, and that is still being read


class AsyncProcess(asyncio.Protocol):
    """``heard`` is called with each line, and ``lost`` with the reason when one of the pipes has ended. A line
    that arrives is gathered in a ``new_spool``, and ``grew`` hears how a long one grows."""

    def __init__(
        self,
        limit: Callable[[], int],
        heard: Callable[[Line], None],
        lost: Callable[[str], object],
        *,
        new_spool: Callable[[], Spool] = Spool,
        grew: Grew | None = None,
    ) -> None:
        self._heard = heard
        self._lost = lost
        self._lines = LineBuffer(limit, new_spool=new_spool, grew=grew)
        self._received = 0  # chunks
        self._child: Child
        self._writer: asyncio.WriteTransport
        self._reader: asyncio.ReadTransport
        self._silent = asyncio.Event()  # its output has ended

    async def start(self, begin: Callable[[], Child]) -> None:
        """Start the process by ``begin``, which raises ``CannotStartError`` when that is not possible."""
        # On the loop: if the request were cancelled while a thread started the child, the child would leak.
        self._child = begin()
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
        """Return True if the process has ended, though another process may hold its output."""
        return self._child.poll() is not None

    @property
    def unread(self) -> int:
        """Return the number of bytes that the server has not read yet."""
        return self._writer.get_write_buffer_size()

    def write(self, line: bytes) -> None:
        """Write one line to the server; drop it once the server has closed its input."""
        if not self._writer.is_closing():
            self._writer.write(jsonrpc.ended(line))

    async def stop(self, why: str) -> str:
        """End the process and return how it ended. ``why``, where the server gave the reason, is told unless it ends by
        itself."""
        self._writer.close()
        for pause in self._child.ending(GRACE):
            await asyncio.sleep(pause)
        if self.unread:  # the server will never read it
            self._writer.abort()
        await self._hear_the_rest()
        code = self._child.poll()
        if why and code is not None and not self._child.was_stopped:
            return how_it_ended(code)
        return why or "was stopped"

    async def _hear_the_rest(self) -> None:
        """Wait for the end of the server's output, as long as anything comes of it."""
        deadline = asyncio.get_running_loop().time() + LAST_WORDS
        received = -1
        while received != self._received:
            received = self._received
            with suppress(TimeoutError):
                await asyncio.wait_for(self._silent.wait(), GRACE)
                return
            if asyncio.get_running_loop().time() > deadline:
                break
        self._reader.close()  # a process in no group of ours holds its output

    def data_received(self, data: bytes) -> None:
        """Hand on the lines that these bytes of the server complete."""
        self._received += 1
        for line in self._lines.feed(data):
            self._heard(line)

    def connection_lost(self, _: Exception | None) -> None:
        """Report that the server has closed its output. Its last line may come without a newline."""
        if (rest := self._lines.rest()) is not None:
            self._heard(rest)
        self._silent.set()
        self._lost("closed its output, and was stopped")


class _Input(asyncio.BaseProtocol):
    """Our end of the server's input."""

    def __init__(self, lost: Callable[[str], object]) -> None:
        self._lost = lost

    def connection_lost(self, _: Exception | None) -> None:
        """Report that the server has closed its input: unless it is about to end, it cannot be used any longer."""
        self._lost("closed its input, and was stopped")


def _ignored(_: str) -> None:
    """Drop the report: the request that started the process was cancelled."""
