"""One connection: lines in, addressed commands out. No file, no clock and no lock is in here.

    client line   --> ToUpstream; Fetch or Act for our own tools, Resolve for a call that names held results
                                                                                                       (``client_side``)
    upstream line --> ToClient when it fits (the same bytes), Admit when it may not, Noise when it is no message
                                                                                                     (``upstream_side``)

Each line is decoded once, here; a driver that had to read the envelope itself hands it over (``client_message``,
``upstream_message``). Client and upstream number their requests each for themselves; ids are compared in one spelling
(``jsonrpc.key_of``). The state is private: drivers use the methods below and the commands' addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from penstock.protocol.client_side import ClientSide, taken_back
from penstock.protocol.commands import Act, Admit, Command, Fetch, GateWork, OpenRequest, Resolve, ToClient, ToUpstream
from penstock.protocol.own_requests import OwnRequests, progress_of
from penstock.protocol.payloads import as_it_is
from penstock.protocol.session import Session
from penstock.protocol.state import GATED, LONGEST_LOGGED, QUOTED, WARMING, ConnectionState
from penstock.protocol.upstream_side import BOUNDED, UpstreamSide, put
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from penstock.core.answer.stand_in import StandIn
    from penstock.protocol.own_requests import OwnCall
    from penstock.protocol.passed_calls import PassedCalls
    from penstock.protocol.rules import ExchangeRules
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import TooLong

__all__ = ["Exchange"]

UNREAD: Final = "(unread)"  # in the place of the method of such a line


class Exchange:
    """Handles both sides of a connection, and makes the responses that are made here."""

    def __init__(
        self,
        rules: ExchangeRules,
        *,
        now: Callable[[], float],
        session: Session | None = None,
        passed: PassedCalls | None = None,
        resumes: bool = False,
    ) -> None:
        """Begin an exchange. ``session`` is shared where each HTTP request has an exchange of its own: then ``begin``
        and ``end`` it. ``passed`` counts the calls that pass unread. With ``resumes`` responses may answer requests
        that an earlier stream of the session, or another gateway, has sent."""
        self._state = ConnectionState(rules, session or Session(), now=now, passed=passed, resumes=resumes)
        self._own = OwnRequests(self._state)
        self._client = ClientSide(self._state)
        self._upstream = UpstreamSide(self._state)
        if session is None:
            self.begin()

    # Lines

    def client_sent(self, line: bytes) -> Sequence[Command]:
        """Handle one line from the client and return the commands to carry out."""
        return self._client.handle(line, jsonrpc.decode(line))

    def client_message(self, line: bytes, message: Message | None) -> Sequence[Command]:
        """Handle a line whose envelope the driver has decoded already; None is what ``jsonrpc.decode`` gave."""
        return self._client.handle(line, message)

    def client_overflowed(self, line: TooLong) -> Sequence[Command]:
        """Handle a line from the client that was above the limit, and not kept."""
        return self._client.overflowed(line)

    def upstream_sent(self, line: bytes | memoryview) -> Sequence[Command]:
        """Handle one line from the upstream. A very long one is a view of a file."""
        return self._upstream.handle(line, jsonrpc.decode(line))

    def upstream_message(self, line: bytes, message: Message | None) -> Sequence[Command]:
        """Handle a line from the upstream whose envelope the driver has decoded already."""
        return self._upstream.handle(line, message)

    def upstream_sends(self, head: bytes, size: int) -> Sequence[Command]:
        """Note that ``size`` bytes have come of a response that is not whole yet, and begins with ``head``. Its request
        has its whole time again, and the client hears of it if it wants to, and does not from the upstream."""
        if not jsonrpc.is_answer(head):
            return ()
        request = self._answered_by(jsonrpc.id_in(head, b""))
        if request is None or request.busy:
            return ()
        request.since = self._state.now()
        if not request.token or request.reported:
            return ()
        members = {"progress": size, "message": f"{size / 1e6:,.0f} MB of the result received"}
        return (progress_of(request, members),)

    def _answered_by(self, key: bytes | None) -> OpenRequest | None:
        """Return the request that a response answers, of which only the beginning is known: the one of its id, or the
        only one that is open if the id comes later."""
        if key is not None:
            return self.request_of(key)
        waiting = [one for one in list(self._state.open.values()) if not (one.busy or one.unsent)]
        return waiting[0] if len(waiting) == 1 else None

    def upstream_overflowed(self, line: TooLong) -> Sequence[Command]:
        """Handle a line from the upstream that was above the limit, and not kept."""
        return self._upstream.overflowed(line)

    # Responses that are made here

    def admitted(self, admit: Admit, result: bytes, stand_in: StandIn | None = None) -> Sequence[Command]:
        """Return the response once the gate has decided; nothing when the client no longer waits. ``stand_in`` has the
        parts of the result when it stands in for a held one."""
        request = admit.request
        if result is admit.view.inner:
            line = bytes(admit.line)
        else:
            line = put(admit.line, request, admit.view.member, admit.view.close(result, stand_in))
        if not self._state.take(request):
            return ()
        if request.key.startswith(GATED):
            return (ToClient(jsonrpc.ended(line), method=request.method),)
        if stand_in is not None and _is_of_conversation(request) and "cache_id" in stand_in.notice:
            self._state.session.note_notice(stand_in.notice["cache_id"])
        return (ToClient(jsonrpc.ended(line), request, code=admit.code),)

    def known_notices(self, request: OpenRequest) -> Container[str]:
        """Return the handles whose notices the client got before, in the conversation that a request belongs to."""
        return self._state.session.notices if _is_of_conversation(request) else ()

    def resolved(self, resolve: Resolve, arguments: bytes) -> Sequence[Command]:
        """Send a call on with the arguments that the gate has filled in; nothing when the client no longer waits."""
        state, request = self._state, resolve.request
        if state.open.get(request.key) is not request:
            return ()
        line = resolve.line
        if arguments != resolve.arguments:  # a call without references goes on as it came
            line = jsonrpc.put(line, arguments, "params", "arguments")
        request.busy = request.unsent = False
        request.since = state.now()
        if state.end_reason:  # looked at only now, as for a request that comes from the client
            return state.fail(request, state.end_reason)
        return (ToUpstream(line, (request,), request.method),)

    def called(self, act: Act, call: OwnCall, work: Any) -> Sequence[Command]:
        """Send a call of our own to the upstream, and tell the client how far its request has come. ``work`` comes back
        with the response. Nothing when the client no longer waits."""
        return self._own.call(act.request, call, work)

    def listing(self, command: GateWork, cursor: str, work: Any) -> Sequence[Command]:
        """Ask the upstream for a page of its tools. ``work`` comes back with the response, in an ``Act``. Nothing when
        the client no longer waits."""
        return self._own.list_tools(command.request, cursor, work)

    def missing(self, fetch: Fetch, words: str) -> Sequence[Command]:
        """Answer a request for a resource that is not there."""
        if not self._state.take(fetch.request):
            return ()
        line = jsonrpc.failure(fetch.request.key, jsonrpc.RESOURCE_NOT_FOUND, words)
        return (ToClient(line, fetch.request, code=jsonrpc.RESOURCE_NOT_FOUND),)

    def fetched(self, fetch: GateWork, result: bytes) -> Sequence[Command]:
        """Return a response that the gate has made, in the form of the client's era."""
        request = fetch.request
        if request.key.startswith(GATED):  # calls that were made ahead: no client waits
            self._state.take(request)
            return ()
        if request.modern:
            result = result[:-1] + b',"resultType":"complete"}'
        return (ToClient(jsonrpc.answer(request.key, result), request),) if self._state.take(request) else ()

    def fail(self, request: OpenRequest, words: str) -> Sequence[Command]:
        """Answer a request with an error; nothing if it was answered already."""
        return self._state.fail(request, words)

    def relay_unread(self, line: bytes | memoryview) -> Sequence[Command]:
        """Return a line of the upstream that a mistake of ours kept from being handled, addressed by its id alone. The
        result of a tool that may not fit goes to the gate as it is; of any other message that may not, its request is
        answered with an error."""
        is_response = jsonrpc.is_answer(line)
        request = self.request_of(jsonrpc.id_of_unread(line)) if is_response else None
        if request is None:
            return (ToClient(bytes(line), None, "" if is_response else UNREAD),)
        if request.parent is not None:
            return self._state.fail(request, f"{self._state.who} sent an answer that cannot be read")
        if request.method not in BOUNDED or len(line) <= self._state.rules.floor(request.name):
            self._state.take(request)
            return (ToClient(bytes(line), request),)
        message = jsonrpc.decode(line)
        if request.method != "tools/call" or message is None or message.result is UNSET:
            return self._state.fail(request, f"Penstock failed to read the answer to {request.name[:LONGEST_LOGGED]}")
        request.busy = True
        return (Admit(request, as_it_is(bytes(message.result)), line, "", {}, request.name, None, False),)

    def fail_by_id(self, key: bytes | None, words: str) -> Sequence[Command]:
        """Answer the open request of this id with an error; nothing if there is none."""
        request = self.request_of(key)
        return () if request is None else self._state.fail(request, words)

    def refuse(self, key: bytes, words: str) -> Sequence[Command]:
        """Refuse a request of the upstream that no client can get."""
        self._state.session.answer(key, self._state.now())
        return (ToUpstream(jsonrpc.failure(key, jsonrpc.METHOD_NOT_FOUND, words)),)

    # Deadlines, adoption, abandonment, the end

    def seconds_left(self) -> float | None:
        """Return how long the upstream may still take until the first open request is overdue; None for ever."""
        state, now = self._state, self._state.now()
        if state.resumes:
            return None
        if state.session.is_asking(now):
            state.refresh()
        left = [one for request in list(state.open.values()) if (one := state.seconds_left(request, now)) is not None]
        return min(left) if left else None

    def overdue(self) -> Sequence[Command]:
        """Give up on requests without a response or a sign of progress: both the client and the upstream are told."""
        state, now = self._state, self._state.now()
        if state.session.is_asking(now):  # the upstream waits for the client, and so may its response
            state.refresh()
            return ()
        commands: list[Command] = []
        for request in list(state.open.values()):
            left = state.seconds_left(request, now)
            if left is None or left >= 0:
                continue
            allowed = state.rules.timeout(request.name)
            words = f"{state.who} has not answered {request.name[:LONGEST_LOGGED]} for {allowed:g} seconds"
            failed = state.fail(request, f"{words}; raise call_timeout if it needs longer")
            commands += failed
            if failed:
                commands += _cancel(request, "timed out")
        return commands

    def abandon(self, key: bytes, reason: str) -> Sequence[Command]:
        """Drop a request whose client has gone: it gets no response, and the upstream is told to stop."""
        request = self._state.open.pop(key, None)
        if request is None or request.busy:
            own = () if request is None else self._state.own_requests(request)
            return [taken_back(one, reason) for one in own]
        return _cancel(request, reason)

    def cancel_all(self, reason: str) -> Sequence[ToUpstream]:
        """Take back every open request. In the modern era the end of the connection does that."""
        return [
            one for request in list(self._state.open.values()) if not request.modern for one in _cancel(request, reason)
        ]

    def begin(self) -> None:
        """Count as one of the session's exchanges: the upstream may ask the client something here."""
        self._state.session.join(self._state)

    def end(self, *, can_resume: bool = False) -> None:
        """Leave the session. With ``can_resume`` another stream of it may answer the requests that are open."""
        self._state.session.part(self._state)
        if can_resume and not self._state.resumes:
            self._state.session.leave_open(self._state.open.values())

    def move_to(self, session: Session) -> None:
        """Continue in the session that the upstream has named: what was learned before belongs to it."""
        before = self._state.session
        session.client = before.client or session.client
        session.server = before.server or session.server
        before.part(self._state)
        session.join(self._state)
        self._state.session = session

    def upstream_ended(self, how: str) -> Sequence[Command]:
        """Fail every open request, and from now on every new one, with ``how`` the upstream ended."""
        self._state.end_reason = f"{self._state.who} {how}"
        left = [request for request in list(self._state.open.values()) if not request.busy]
        return [command for request in left for command in self._state.fail(request, self._state.end_reason)]

    # Questions that drivers ask

    def request_of(self, key: bytes | None) -> OpenRequest | None:
        """Return the open request of this id."""
        return None if key is None else self._state.open.get(key)

    def is_open(self, request: OpenRequest) -> bool:
        """Return True if the upstream's response to ``request`` is still awaited."""
        return not request.busy and self._state.open.get(request.key) is request

    @property
    def open_count(self) -> int:
        """Return the number of requests without a response, also of those at the gate; not of calls made ahead."""
        requests = self._state.open
        if WARMING not in requests:
            return len(requests)
        return sum(1 for one in list(requests.values()) if WARMING not in (one.key, one.parent and one.parent.key))

    @property
    def calls_in_flight(self) -> int:
        """Return the number of the client's tool calls in this session that have no response yet; at least one."""
        return max(1, self._state.session.calls_in_flight)

    @property
    def has_spoken(self) -> bool:
        """Return True if the client has sent a request."""
        return self._state.has_spoken

    @property
    def end_reason(self) -> str:
        """Return why the upstream answers no more, with its name; empty while it does."""
        return self._state.end_reason

    @property
    def passed(self) -> PassedCalls:
        """Return the calls that passed unread since they were last taken."""
        return self._state.passed

    @property
    def who(self) -> str:
        """Return the upstream, as the subject of a sentence."""
        return self._state.who

    @property
    def client_name(self) -> str:
        """Return what the client calls itself."""
        return self._state.session.client

    @property
    def server_name(self) -> str:
        """Return what the upstream calls itself."""
        return self._state.session.server

    @property
    def version(self) -> str:
        """Return the protocol version that the upstream's initialize response named."""
        return self._state.version

    @property
    def tool_name(self) -> str:
        """Return the name of our tool."""
        return self._state.tool_name

    @property
    def act_tool(self) -> str:
        """Return the name of our second tool; empty where there is none."""
        return self._state.act_tool

    def tool_facts(self, tool: str) -> tuple[dict[str, Any] | None, bool, str]:
        """Return the input schema of a tool if it was listed, whether it says that it changes nothing, and the server
        that has it where several are combined."""
        facts = self._state.session.facts
        return facts.schema(tool), facts.is_read_only(tool), facts.server_of(tool)

    def schema_of(self, tool: str) -> dict[str, Any] | None:
        """Return the input schema of a tool, if it was listed."""
        return self._state.session.facts.schema(tool)

    def quoted(self, noise: bytes) -> str:
        """Return the log line for an upstream's line that is not a message, under the upstream's name.

        The log quotes short plain lines, such as "Listening on port 80". It gives only the length of any other line.
        """
        name, line = self._state.session.server or "the server", noise.strip()
        noise_of = f"penstock: warning: {name} printed a line to stdout that is not JSON-RPC"
        if len(line) <= QUOTED and not _may_be_of_message(line):
            return f"{noise_of}: {line.decode('utf-8', 'replace')}"
        return f"{noise_of}: {len(line):,} bytes, not shown because they may be part of a result"


def _may_be_of_message(line: bytes) -> bool:
    """Return True if a line may be a message, a beginning of one, or a line of one that is printed with indents."""
    return b"{" in line or line.lstrip(b"[ \t").startswith(b'"')


def _cancel(request: OpenRequest, reason: str) -> Sequence[ToUpstream]:
    """Return the notification that takes a request back; none for ``initialize``, which may not be cancelled (MCP,
    Cancellation)."""
    if request.method == "initialize":
        return ()
    return (taken_back(request, reason),)


def _is_of_conversation(request: OpenRequest) -> bool:
    """Return True if a request is a tool call in a session. Requests of the modern era belong to none."""
    return request.method == "tools/call" and not request.modern
