"""A request under an id of ours.

Clients that share one server may give their requests the same id, and the same token for their progress. On the way to
the server both become ours, which are different for all; on the way back they become the client's own again, byte for
byte, wherever the server names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from penstock.protocol.pending import SUBSCRIPTION
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from penstock.protocol.wire.jsonrpc import Message

PROGRESS: Final = "notifications/progress"


class Alias:
    """``sent`` is the request as the server gets it."""

    def __init__(self, body: bytes, message: Message, number: int) -> None:
        """``message`` is the body's envelope, which has an id."""
        self._ours = b'"penstock-%d"' % number
        self._id = bytes(message.id)  # type: ignore[arg-type]
        self._token = jsonrpc.bytes_at(
            b"" if message.params is UNSET else bytes(message.params), "_meta", "progressToken"
        )
        self.sent = jsonrpc.put(body, self._ours, "id")
        if self._token is not None:
            self.sent = jsonrpc.put(self.sent, self._ours, "params", "_meta", "progressToken")

    def restored(self, line: bytes) -> bytes:
        """What the server says, in the client's own ids."""
        message = jsonrpc.decode(line)
        if message is None:
            return line
        place = "params"
        if message.method is UNSET:
            place = "result"
            line = jsonrpc.put(line, self._id, "id")
        elif message.method == PROGRESS and self._token is not None:
            line = jsonrpc.put(line, self._token, "params", "progressToken")
        if SUBSCRIPTION.encode() in line:
            line = jsonrpc.put(line, self._id, place, "_meta", SUBSCRIPTION)
        return line
