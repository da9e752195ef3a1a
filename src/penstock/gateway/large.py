"""Large lines of a server, read by a worker while others go on.

A line that begins like the result of a tool with one long text is read while it is still arriving, and the text is
lifted out of it on the way; any other large line is read once it is whole.
"""

from __future__ import annotations

import re
from collections import deque
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from penstock.protocol.commands import Command, ToClient

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.gateway.workers import Workers
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.lines import LargeLine

# The answer of a tool whose first block is a text: only of such a line can the text be lifted out before it is judged.
ONE_TEXT: Final = (
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(?:-?[0-9]+|"[^"\\]*")\s*,\s*)?'
    rb'(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"result"\s*:\s*\{\s*"content"\s*:\s*\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*'
    rb'"text"\s*:\s*"'
)


class DroppedError(Exception):
    """The line that was being read is above the limit."""


class Arriving:
    """A large line that one thread receives and a worker reads at the same time.

    Its bytes are reserved from ``workers`` as they arrive, so that the receiving thread waits while others have too
    many; the worker releases them when it is done.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._parts: SimpleQueue[bytes | None] = SimpleQueue()
        self.head = self.tail = b""
        self.size = 0
        self._is_read = False

    def put(self, part: bytes) -> None:
        """Add a part, as soon as there is room for its bytes."""
        self._workers.reserve(len(part), self.size)
        self.head, self.tail = self.head or part, part
        self.size += len(part)
        self._parts.put(part)

    def end(self, *, is_whole: bool) -> None:
        """Let the worker finish, or (not ``is_whole``) give up."""
        self._parts.put(b"" if is_whole else None)

    def parts(self) -> Iterator[bytes]:
        """The parts as they arrive; a ``DroppedError`` if the line is given up."""
        while not self._is_read:
            part = self._parts.get()
            self._is_read = not part
            if part is None:
                raise DroppedError
            yield part

    def release(self) -> None:
        """Give the bytes back, once no more of them come."""
        with suppress(DroppedError):
            deque(self.parts(), maxlen=0)
        self._workers.release(self.size)


def begins_one_text(head: bytes) -> bool:
    """Whether a line begins like the result of a tool whose first block is a text."""
    return re.match(ONE_TEXT, head) is not None


def judged(line: LargeLine, exchange: Exchange, *, lifts: bool) -> Sequence[Command]:
    """What becomes of a line, which is used up. ``lifts`` is false where some tool's results must pass whole."""
    from penstock.core.json.long_text import drained  # noqa: PLC0415

    if lifts and begins_one_text(line.parts[0]):
        return judged_lifted(drained(line.parts), exchange)
    return exchange.upstream_sent(b"".join(drained(line.parts)))


def judged_lifted(parts: Iterator[bytes], exchange: Exchange) -> Sequence[Command]:
    """The same for a line that begins with one long text, whose parts may still be arriving."""
    from penstock.core.json.long_text import lift, put_back  # noqa: PLC0415

    lifted = lift(parts)
    text = lifted.text
    commands = exchange.upstream_sent(lifted.line, text)
    if text is None:
        return commands
    return [ToClient(put_back(one.line, text)) if isinstance(one, ToClient) else one for one in commands]
