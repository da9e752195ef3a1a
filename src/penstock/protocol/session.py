"""One session: the state that its exchanges share.

Over stdio, and in front of a process, one exchange is the session. A reverse proxy has an exchange for each HTTP
request: clients of the modern era may all use the same ids, and a stream that broke off is resumed on another request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from penstock.protocol.commands import OpenRequest
from penstock.protocol.upstream_facts import UpstreamFacts, remember
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.protocol.state import ConnectionState
    from penstock.protocol.wire.jsonrpc import Message

MAX_LEFT_OPEN: Final = 1_000  # requests remembered per session; a response to a forgotten one is bounded under no name
MAX_NOTICES: Final = 1_000  # handles per session; a repeat of an older one is answered with the whole notice
THINKING_SECONDS: Final = 3_600.0  # that a user may take to answer the upstream's question; then timeouts run again

# The method that a result answers, by one of its members, when this gateway has not seen the request.
METHOD_OF: Final = {
    "content": "tools/call",
    "structuredContent": "tools/call",
    "contents": "resources/read",
    "messages": "prompts/get",
    "tools": "tools/list",
    "capabilities": "initialize",
}


class Session:
    """One client and one upstream. In the modern era of HTTP, a single request."""

    def __init__(self, facts: UpstreamFacts | None = None, *, server: str = "") -> None:
        self.client = ""  # what the client calls itself
        self.server = server  # what the upstream calls itself
        self.facts = facts or UpstreamFacts()
        self.left_open: dict[bytes, OpenRequest] = {}  # requests whose stream ended before their response came
        self.has_warmed = False  # the calls that are made ahead were begun
        self.notices: dict[str, None] = {}  # handles whose notices were sent to the client, the oldest first
        self.answered_at = 0.0  # when the client last answered a question of the upstream
        self._exchanges: list[ConnectionState] = []

    def note_notice(self, handle: str) -> None:
        """Remember that the client got the notice of a stored result."""
        remember(self.notices, {handle: None}, MAX_NOTICES)

    def join(self, state: ConnectionState) -> None:
        """Count an exchange as one that is under way."""
        self._exchanges.append(state)

    def part(self, state: ConnectionState) -> None:
        """Forget an exchange; does nothing if it never joined."""
        if state in self._exchanges:
            self._exchanges.remove(state)

    def answer(self, key: bytes, now: float) -> None:
        """Note that the client answered the upstream's question ``key``: open requests get their whole time again."""
        self.answered_at = now
        for state in self._exchanges:
            state.questions.discard(key)

    def withdraw(self, key: bytes) -> list[OpenRequest]:
        """Take back a request that waits for requests of our own, in whichever exchange, and return those."""
        for state in self._exchanges:
            request = state.open.get(key)
            if request is not None and request.unsent and (own := state.own_requests(request)):
                state.take(request)
                return own
        return []

    @property
    def calls_in_flight(self) -> int:
        """Return the number of the client's tool calls that have no response yet."""
        requests = [one for state in self._exchanges for one in list(state.open.values())]
        return sum(1 for one in requests if one.method == "tools/call" and one.parent is None)

    def is_asking(self, now: float) -> bool:
        """Return True if the upstream waits for the client, so that a response may take as long as a user does."""
        return any(one.questions and now - one.asked_at <= THINKING_SECONDS for one in self._exchanges)

    def leave_open(self, requests: Iterable[OpenRequest]) -> None:
        """Remember requests that another stream of the session may answer."""
        for request in requests:
            request.busy = False
            self.left_open[request.key] = request
        for key in tuple(self.left_open)[:-MAX_LEFT_OPEN]:
            self.left_open.pop(key, None)


def stand_in_request(key: bytes, response: Message | None, now: float) -> OpenRequest:
    """Make up the request that a response answers, when another gateway or an earlier stream sent it: the response is
    bounded like any other, under no tool's name. Without a ``response`` it counts as a tool's."""
    method = "tools/call" if response is None else _method_of(response)
    name = "" if method == "tools/call" else method
    return OpenRequest(key=key, method=method, name=name, params=b"", modern=False, since=now)


def _method_of(response: Message) -> str:
    if response.result is UNSET:
        return "tools/call"
    try:
        names = [name for name, _ in jsonrpc.members(bytes(response.result))]
    except ValueError:
        return ""
    return next((METHOD_OF[name] for name in names if name in METHOD_OF), "")
