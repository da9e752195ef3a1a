"""uvicorn's server for tests that share its event loop: it ends at once, and leaves the signals to the test runner.

uvicorn's own looks ten times a second whether it should end, and waits a tenth of a second before it does; three
hundred tests would wait a minute for that.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

TICK = 0.002  # seconds between two looks at connections that end by themselves


class QuickServer(uvicorn.Server):
    """Serves until ``end``."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._end = asyncio.Event()

    def end(self) -> None:
        self._end.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        await self._end.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        while self.server_state.connections or self.server_state.tasks:
            await asyncio.sleep(TICK)
        await self.lifespan.shutdown()
