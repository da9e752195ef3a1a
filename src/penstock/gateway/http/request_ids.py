"""Give a request an id of ours, and put the client's back into its responses.

Clients that share one server may give their requests the same id, and the same token for their progress. On the way to
the server both become ours, which are different for all; on the way back they become the client's own again, byte for
byte, wherever the server names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET, Raw

from penstock.protocol.state import SUBSCRIPTION
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from penstock.protocol.commands import ToClient
    from penstock.protocol.wire.jsonrpc import Message

PROGRESS: Final = "notifications/progress"


class RequestAlias:
    """``sent`` is the request as the server gets it, and ``message`` its envelope."""

    def __init__(self, body: bytes, message: Message, number: int) -> None:
        """Take a body and its envelope ``message``, which has an id."""
        self._ours = b'"penstock-%d"' % number
        self._id = bytes(message.id)  # type: ignore[arg-type]
        params = b"" if message.params is UNSET else bytes(message.params)
        self._token = jsonrpc.bytes_at(params, "_meta", "progressToken")
        self.sent = jsonrpc.put(body, self._ours, "id")
        self.message = msgspec.structs.replace(message, id=Raw(self._ours))
        if self._token is not None:
            self.sent = jsonrpc.put(self.sent, self._ours, "params", "_meta", "progressToken")
            self.message.params = Raw(jsonrpc.put(params, self._ours, "_meta", "progressToken"))

    def restored(self, message: ToClient) -> bytes:
        """Return what the server sent, with the client's own ids."""
        line, place = message.line, "params"
        if not message.method:
            place = "result"
            line = jsonrpc.put(line, self._id, "id")
        elif message.method == PROGRESS and self._token is not None:
            line = jsonrpc.put(line, self._token, "params", "progressToken")
        if SUBSCRIPTION.encode() in line:
            line = jsonrpc.put(line, self._id, place, "_meta", SUBSCRIPTION)
        return line
