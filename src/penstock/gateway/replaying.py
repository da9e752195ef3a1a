"""Answer requests from a recording, as the server did that was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.gateway.redact import Redactor
from penstock.protocol.wire.jsonrpc import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.gateway.recording import Recorded

EXACT: Final = frozenset(("tools/call", "resources/read", "prompts/get", "completion/complete"))
LONGEST_LIST: Final = 300  # characters of the calls that an error names


class _RecordedRequest:
    """One recorded request: what came until its response, and the response; None if the server never answered."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.method = str(message.get("method"))
        self.params = _compared(message.get("params"))
        self.id = message.get("id")
        self.before: list[Recorded] = []
        self.response: dict[str, Any] | None = None
        self.uses = 0


class Replay:
    """The recorded server. A request gets the recorded response to the same one, in the order of the recording; what
    names a tool, a resource or a prompt must be the same, other requests need only the method."""

    def __init__(self, lines: Sequence[Recorded]) -> None:
        self._requests: list[_RecordedRequest] = []
        self._redactor = Redactor({})
        waiting: dict[str, _RecordedRequest] = {}
        for line in lines:
            message = line.message if isinstance(line.message, dict) else {}
            if line.sender == "client":
                if "id" in message and "method" in message:
                    request = _RecordedRequest(message)
                    self._requests.append(request)
                    waiting[_key(request.id)] = request
            elif "id" in message and "method" not in message:
                answered = waiting.pop(_key(message["id"]), None)
                if answered is not None:
                    answered.response = message
            elif "id" not in message and waiting:  # a notification, or noise; of the server's requests none is repeated
                next(reversed(waiting.values())).before.append(line)

    def answer(self, line: bytes) -> list[bytes]:
        """Return the lines to write for a line of the client; none for a notification or a response."""
        try:
            message = msgspec.json.decode(line)
        except msgspec.MsgspecError:
            return []
        if not isinstance(message, dict) or "id" not in message or "method" not in message:
            return []
        recorded = self._recorded_request(message)
        if recorded is None:
            return [_line({"jsonrpc": "2.0", "id": message["id"], "error": self._unknown(message)})]
        recorded.uses += 1
        before = [one.line.encode() + b"\n" if one.message is None else _line(one.message) for one in recorded.before]
        if recorded.response is None:
            return before  # nor did the server answer then
        return [*before, _line({**recorded.response, "id": message["id"]})]

    def _recorded_request(self, message: dict[str, Any]) -> _RecordedRequest | None:
        method = message["method"]
        params = _compared(self._redactor.message(message.get("params")))
        same = [one for one in self._requests if one.method == method]
        exact = [one for one in same if one.params == params]
        candidates = exact or ([] if method in EXACT else same)
        return min(candidates, key=lambda one: one.uses, default=None)

    def _unknown(self, message: dict[str, Any]) -> dict[str, Any]:
        method = message["method"]
        known = [msgspec.json.encode(one.params).decode() for one in self._requests if one.method == method]
        recorded = "; it has: " + ", ".join(dict.fromkeys(known)) if known else ""
        return {"code": METHOD_NOT_FOUND, "message": f"the recording has no such {method}{recorded[:LONGEST_LIST]}"}


def _compared(params: Any) -> Any:
    """Return params without what differs from run to run."""
    return {name: value for name, value in params.items() if name != "_meta"} if isinstance(params, dict) else {}


def _key(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _line(message: Any) -> bytes:
    return msgspec.json.encode(message) + b"\n"
