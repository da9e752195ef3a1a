"""The state of one exchange: which requests are open, and what was learned on the way. No clock and no lock is here.

Only ``exchange``, ``client_side`` and ``upstream_side`` touch it. A request is answered once, by the thread that takes
it out of ``open``: the upstream's reader, a worker of the gate, the clock, or the one that saw the upstream end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.protocol.commands import Act, Command, Note, OpenRequest, ToClient
from penstock.protocol.passed_calls import PassedCalls
from penstock.protocol.tools import act_definition, definition
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
WARMING: Final = GATED + b"of calls made ahead"  # key of what these calls are for
QUOTED: Final = 200  # The log quotes a line that is not a message if it has at most so many bytes.
LONGEST_LOGGED: Final = 60  # characters of a method or an id in a log line

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
        """Return the name of our tool; empty where the rules have none."""
        return self.rules.tool_name and self._free(self.rules.tool_name)

    @property
    def act_tool(self) -> str:
        """Return the name of our second tool; empty where it has no actions."""
        return self._free(self.rules.act_tool_name) if self.rules.tool_name and self.rules.acts else ""

    @property
    def wanted(self) -> list[str]:
        """Return the names that our tools have where the upstream has none of these."""
        rules = self.rules
        return [rules.tool_name, rules.act_tool_name] if rules.acts else [rules.tool_name]

    def _free(self, wanted: str) -> str:
        return self.session.facts.names.get(wanted, wanted)

    @property
    def abilities(self) -> list[str]:
        """Return the capabilities that our tools need."""
        return ["tools", "resources"] if self.exports else ["tools"] if self.tool_name else []

    @property
    def exports(self) -> bool:
        """Return True if there may be resources that the gate has made."""
        return bool(self.rules.tool_name) and "export" in self.rules.acts

    @property
    def takes_questions(self) -> bool:
        """Return True if the question of a call is answered here. Another Penstock nearer to the tools answers it from
        the whole result, of which this one gets a notice."""
        return self.rules.takes_questions and not self._is_before_another

    @property
    def _is_before_another(self) -> bool:
        return self.tool_name != self.rules.tool_name

    @property
    def by_handle(self) -> bool:
        """Return True if held results are put into arguments here. An upstream with a tool of our name is left to do
        it: it may be another Penstock, whose handles are not known here."""
        return self.rules.by_handle and not self._is_before_another

    @property
    def definitions(self) -> list[bytes]:
        """Return our tools as they stand in ``tools/list``."""
        made = [
            definition(
                self.tool_name,
                by_handle=self.by_handle,
                mark=self.rules.mark,
                briefly=self.rules.lists_briefly,
                asks=self.takes_questions and self.rules.lists_questions,
            )
        ]
        return [*made, act_definition(self.act_tool, self.rules.acts)] if self.act_tool else made

    @property
    def who(self) -> str:
        server = self.session.server
        return f"the server {server[:LONGEST_LOGGED]!r}" if server else "the server"

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
        if request.parent is not None:
            return self.answered_to_us(request, failure=words)
        if request.key.startswith(GATED):
            return (Note("error", f"{request.method[:LONGEST_LOGGED]} was dropped: {words}"),)
        line = jsonrpc.failure(request.key, jsonrpc.INTERNAL_ERROR, words)
        return (ToClient(line, request, code=jsonrpc.INTERNAL_ERROR),)

    def seconds_left(self, request: OpenRequest, now: float) -> float | None:
        """Return how long the upstream may still take to answer; None for as long as it likes."""
        if request.busy or request.method not in TIMED:
            return None
        allowed = self.rules.timeout(request.name)
        left = None if allowed is None else allowed - (now - max(request.since, self.session.answered_at))
        if request.until is None:
            return left
        return request.until - now if left is None else min(left, request.until - now)

    def answered_to_us(self, request: OpenRequest, *, result: bytes = b"", failure: str = "") -> Sequence[Command]:
        """Hand the response to a request of our own to the gate. The caller has taken the request."""
        parent = request.parent
        if parent is None or self.open.get(parent.key) is not parent:
            return ()
        client = self.client_of(parent)
        return (Act(parent, client, {}, work=request.work, result=result, failure=failure),)

    def own_requests(self, parent: OpenRequest) -> list[OpenRequest]:
        """Take the open requests that were sent for one of the client, which no longer waits."""
        return [one for one in list(self.open.values()) if one.parent is parent and self.take(one)]

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
