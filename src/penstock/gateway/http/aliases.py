"""A request under an id of ours.

Clients that share one server may give their requests the same id, and the same token for their progress. On the way to
the server both become ours, which are different for all; on the way back they become the client's own again, byte for
byte, wherever the server names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from penstock.protocol import jsonrpc

if TYPE_CHECKING:
    from penstock.protocol.jsonrpc import Message

SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"  # is the id of the request that asked for it
PROGRESS: Final = "notifications/progress"


class Alias:
    """``sent`` is the request as the server gets it."""

    def __init__(self, body: bytes, message: Message, number: int) -> None:
        """``message`` is the body's envelope, which has an id."""
        self._ours = b'"penstock-%d"' % number
        self._id = bytes(message.id)  # type: ignore[arg-type]
        self._token = _found(b"" if message.params is UNSET else bytes(message.params), "_meta", "progressToken")
        self.sent = _put(body, self._ours, "id")
        if self._token is not None:
            self.sent = _put(self.sent, self._ours, "params", "_meta", "progressToken")

    def restored(self, line: bytes) -> bytes:
        """What the server says, in the client's own ids."""
        message = jsonrpc.decode(line)
        if message is None:
            return line
        place = "params"
        if message.method is UNSET:
            place = "result"
            line = _put(line, self._id, "id")
        elif message.method == PROGRESS and self._token is not None:
            line = _put(line, self._token, "params", "progressToken")
        if SUBSCRIPTION.encode() in line:
            line = _put(line, self._id, place, "_meta", SUBSCRIPTION)
        return line


def _found(raw: bytes, *names: str) -> bytes | None:
    """The bytes at these names; None where there are none."""
    for name in names:
        try:
            members = dict(jsonrpc.members(raw))
        except ValueError:
            return None
        if name not in members:
            return None
        raw = members[name]
    return raw


def _put(raw: bytes, new: bytes, *names: str) -> bytes:
    """The same object with another value at these names; all else keeps its bytes."""
    name, *further = names
    if further:
        inner = _found(raw, name)
        if inner is None:
            return raw
        new = _put(inner, new, *further)
    return jsonrpc.replaced(raw, name, new) or raw
