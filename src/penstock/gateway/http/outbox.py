"""Messages that wait to be sent to a client, which may read slowly."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

from penstock.gate.outcome import FAILED
from penstock.gateway.carry_async import outcome_of
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from penstock.gate.outcome import Outcome
    from penstock.gateway.carry import Carried
    from penstock.protocol.commands import ToClient

MOST: Final = 10_000  # messages that wait for one client; a server that never stops talking would fill the memory
MOST_BYTES: Final = 16_777_216  # of these messages


class Outbox:
    """A queue towards a client: messages in their order, and after them the end."""

    def __init__(self) -> None:
        self._messages: deque[ToClient] = deque()
        self._bytes = 0
        self._closed = False
        self._changed = asyncio.Event()

    def put(self, message: ToClient) -> None:
        """Add a response, however many messages wait already."""
        self._messages.append(message)
        self._bytes += len(message.line)
        self._changed.set()

    def offer(self, message: ToClient) -> bool:
        """Add an unsolicited message; False when too many wait already."""
        if len(self._messages) >= MOST or self._bytes + len(message.line) > MOST_BYTES:
            return False
        self.put(message)
        return True

    def close(self) -> None:
        """Mark the end: nothing more will come."""
        self._closed = True
        self._changed.set()

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def is_done(self) -> bool:
        """Return True if all was read, and nothing more will come."""
        return self._closed and not self._messages

    async def get(self) -> ToClient | None:
        """Wait for the next message; None at the end."""
        while not self._messages:
            if self._closed:
                return None
            self._changed.clear()
            await self._changed.wait()
        message = self._messages.popleft()
        self._bytes -= len(message.line)
        return message

    def rest(self) -> list[ToClient]:
        """Take all that was not read."""
        rest = list(self._messages)
        self._messages.clear()
        self._bytes = 0
        return rest


class PendingReply:
    """An HTTP request that waits for responses: ``keys`` are the ids that are still open."""

    def __init__(self, keys: set[bytes], *, hears_logs: bool = False) -> None:
        self.keys = keys
        self.hears_logs = hears_logs
        self.queue = Outbox()
        self.code = 0  # of the error that was answered last
        self.last: tuple[ToClient, Carried | None] | None = None  # response, and what the gate made of it
        self.was_told = False  # something else than answers

    def tell(self, message: ToClient) -> bool:
        """Add a message that comes before the response; False when too many wait already."""
        self.was_told = True
        return self.queue.offer(message)

    def answer(self, response: ToClient, carried: Carried | None = None) -> None:
        """Add one response; after the last one the queue ends."""
        self.code = response.code
        self.last = (response, carried)
        self.queue.put(response)
        self.forget(None if response.request is None else response.request.key)

    @property
    def is_from_server(self) -> bool:
        """Return True if the last answer is one of the server. Ours for a server that fails have one code."""
        return self.last is not None and self.code != jsonrpc.INTERNAL_ERROR

    @property
    def outcome(self) -> Outcome:
        """Return what became of the last result."""
        if self.last is None:
            return FAILED
        response, carried = self.last
        return outcome_of(response) if carried is None else carried.outcome

    def forget(self, key: bytes | None) -> None:
        """Wait no longer for this one."""
        if key is not None:
            self.keys.discard(key)
        if not self.keys:
            self.queue.close()
