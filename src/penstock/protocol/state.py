"""The state of one exchange: which requests are open, and what was learned on the way. No clock and no lock is here.

Only ``exchange``, ``client_side`` and ``upstream_side`` touch it. A request is answered once, by the thread that takes
it out of ``open``: the upstream's reader, a worker of the gate, the clock, or the one that saw the upstream end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.protocol.commands import Command, Note, OpenRequest, ToClient
from penstock.protocol.passed_calls import PassedCalls
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.protocol.rules import ExchangeRules
    from penstock.protocol.session import Session

META: Final = "io.modelcontextprotocol/"
SUBSCRIPTION: Final = f"{META}subscriptionId"  # its value is the id of the request that subscribed
GATED: Final = (
    b"notification "  # key prefix of notifications sent to the gate; no JSON, so it never equals a request id
)
QUOTED: Final = 2_000  # bytes of a line that is no message
SHOWN: Final = 60  # characters of a method or an id in a log line

# Requests that end by themselves. Others stay open for as long as a client listens, or until a task is done.
TIMED: Final = frozenset(
    (
        *("initialize", "server/discover", "ping", "tools/list", "tools/call", "logging/setLevel"),
        *("resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get"),
        *("completion/complete", "tasks/get", "tasks/list", "tasks/cancel"),
    )
)


class ConnectionState:
    """One exchange's share of a session. ``rules`` are asked for nothing before the first tool is listed or called."""

    def __init__(
        self,
        rules: ExchangeRules,
        session: Session,
        *,
        now: Callable[[], float],
        passed: PassedCalls | None = None,
        resumes: bool = False,
    ) -> None:
        self.rules = rules
        self.session = session
        self.now = now
        self.resumes = resumes  # responses may answer requests that this exchange has not seen
        self.open: dict[bytes, OpenRequest] = session.left_open if resumes else {}
        self.passed = PassedCalls() if passed is None else passed
        self.has_spoken = False  # the client has sent a request
        self.end_reason = ""  # why the upstream answers no more
        self.questions: set[bytes] = set()  # requests of the upstream that the client has not answered
        self.asked_at = 0.0  # when the upstream last asked one
        self.version = ""  # of the protocol, as the upstream's initialize response has it

    @property
    def tool_name(self) -> str:
        """The name of our tool; empty where the rules have none."""
        return self.rules.tool_name and (self.session.facts.name or self.rules.tool_name)

    def is_ours(self, method: str, name: str) -> bool:
        """Tell whether a request calls our own tool."""
        return method == "tools/call" and name == self.tool_name != ""

    @property
    def by_handle(self) -> bool:
        """Whether held results are put into arguments here. An upstream with a tool of our name is left to do it: it
        may be another Penstock, whose handles are not known here."""
        return self.rules.by_handle and self.tool_name == self.rules.tool_name

    @property
    def definition(self) -> bytes:
        """Our tool as it stands in ``tools/list``."""
        from penstock.protocol.tools import definition  # noqa: PLC0415  (one list is all that most clients ask for)

        return definition(self.tool_name, by_handle=self.by_handle, mark=self.rules.mark)

    @property
    def who(self) -> str:
        server = self.session.server
        return f"the server {server[:SHOWN]!r}" if server else "the server"

    def take(self, request: OpenRequest) -> bool:
        """Claim the right to answer ``request``. True exactly once, whichever thread comes first; False if it was
        answered, or its id reused."""
        if self.open.get(request.key) is not request:
            return False
        return self.open.pop(request.key, None) is request

    def fail(self, request: OpenRequest, words: str) -> Sequence[Command]:
        """Answer ``request`` with an error; nothing if it was answered already."""
        if not self.take(request):
            return ()
        if request.key.startswith(GATED):
            return (Note("error", f"{request.method[:SHOWN]} was dropped: {words}"),)
        line = jsonrpc.failure(request.key, jsonrpc.INTERNAL_ERROR, words)
        return (ToClient(line, request, code=jsonrpc.INTERNAL_ERROR),)

    def seconds_left(self, request: OpenRequest, now: float) -> float | None:
        """Return how long the upstream may still take to answer; None for as long as it likes."""
        if request.busy or request.method not in TIMED:
            return None
        allowed = self.rules.timeout(request.name)
        return None if allowed is None else allowed - (now - max(request.since, self.session.answered_at))

    def refresh(self) -> None:
        """Give all open requests their whole time again."""
        now = self.now()
        for request in list(self.open.values()):
            request.since = now

    def count(self, request: OpenRequest, size: int) -> None:
        """Count a response that passed unread."""
        server = self.session.facts.server_of(request.name) if request.method == "tools/call" else ""
        self.passed.add(server or self.session.server, request.name, size)

    def client_of(self, request: OpenRequest) -> str:
        """Return the client's name, which in the modern era stands in each request."""
        if request.modern:
            return jsonrpc.text_at(request.params, "_meta", f"{META}clientInfo", "name") or self.session.client
        return self.session.client

    def call_behind(self, request: OpenRequest) -> OpenRequest:
        """Return the tool call that a task's result belongs to; ``request`` itself for other methods."""
        if request.method in ("tasks/get", "tasks/result"):
            return self.session.facts.call_of(jsonrpc.text_at(request.params, "taskId")) or request
        return request
