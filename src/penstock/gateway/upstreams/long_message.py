"""A long message of a server over HTTP, while it still arrives: a JSON body, or the data of an event.

What reads the response feeds it (``LineBuffer``, ``Events``), and calls ``settle`` between two parts: there the client
hears how much has come, and there the server has to wait when too much of it is in memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Protocol

from penstock.gateway.inflow import PausingInflow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gateway.inflow import ArrivingLine
    from penstock.protocol.commands import Command
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Inflow


class MessageDriver(Protocol):
    """The driver of the exchange that the message is for."""

    def take(self, head: bytes, has_room: Callable[[], None]) -> ArrivingLine | None:
        """Handle a long line while it arrives; None where it has to be gathered first."""
        ...

    async def carry_out(self, commands: Sequence[Command]) -> None: ...


class LongMessages:
    """Watches the messages of one response. One after the other may be long."""

    def __init__(self, exchange: Exchange, driver: MessageDriver) -> None:
        self._exchange = exchange
        self._driver = driver
        self._reports: list[Command] = []
        self._arriving: deque[ArrivingLine] = deque()
        self._room = asyncio.Event()
        self._room.set()

    def grew(self, head: bytes, size: int) -> None:
        """Note how much has come."""
        self._reports.extend(self._exchange.upstream_sends(head, size))

    def take(self, head: bytes) -> Inflow | None:
        """Handle a message while it arrives, if it can be."""
        arriving = self._driver.take(head, self._room.set)
        if arriving is None:
            return None
        self._arriving.append(arriving)
        return PausingInflow(arriving.inflow, self._room.clear)

    async def settle(self) -> None:
        """Tell the client how much has come, and wait until there is room for more."""
        reports, self._reports = self._reports, []
        if reports:
            await self._driver.carry_out(reports)
        await self._room.wait()

    @property
    def is_arriving(self) -> bool:
        """Return True if a message was taken: no more of it stays in memory than has room there."""
        return bool(self._arriving)

    async def arrived(self) -> None:
        """Hand on a message that was taken, and has come whole."""
        await self._driver.carry_out(await self._arriving.popleft().commands)

    def drop(self) -> None:
        """Give up what has not come whole."""
        while self._arriving:
            self._arriving.popleft().inflow.drop()
