"""Handle the client's lines: they go to the upstream, but for calls to our own tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from penstock.core.act import may_name_results
from penstock.core.act.question import ARGUMENT, KEY, is_own_argument
from penstock.core.act.references import has_reference
from penstock.core.answer.stand_in import joined
from penstock.protocol.commands import (
    Act,
    Cancelled,
    Command,
    Fetch,
    Note,
    OpenRequest,
    Resolve,
    ToClient,
    ToUpstream,
)
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.protocol.state import ConnectionState
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import TooLong


OURS: Final = b"penstock://export/"  # how the address of a resource begins that the gate has made


class ClientSide:
    """The client's side of an exchange."""

    def __init__(self, state: ConnectionState) -> None:
        self._state = state

    def handle(self, line: bytes, message: Message | None) -> Sequence[Command]:
        """Handle one line from the client. ``message`` is its envelope; None for a batch, and for what is no JSON."""
        if message is None:
            return self._batch(line)
        return self._message(line, message)

    def overflowed(self, line: TooLong) -> Sequence[Command]:
        """Answer a line that was above the limit, and not kept."""
        key = jsonrpc.id_in(line.head, line.tail)
        words = f"the message has {line.size:,} bytes, more than max_result_bytes allows"
        if key is None:
            return (Note("error", f"{words}; it was dropped"),)
        if not jsonrpc.is_answer(line.head):
            return (_refusal(key, words),)
        self._state.session.answer(key, self._state.now())
        return (ToUpstream(jsonrpc.failure(key, jsonrpc.INTERNAL_ERROR, words)),)

    def _message(self, line: bytes, message: Message) -> Sequence[Command]:
        if message.method is UNSET:
            if message.id is not UNSET:
                self._state.session.answer(jsonrpc.key_of(message.id), self._state.now())
            return (ToUpstream(line),)
        if message.id is UNSET:
            return self._notification(line, message)
        return self._request(line, message)

    def _request(self, line: bytes, message: Message) -> Sequence[Command]:
        state = self._state
        key, method = jsonrpc.key_of(message.id), str(message.method)  # type: ignore[arg-type]
        params = b"" if message.params is UNSET else bytes(message.params)
        if key in state.open:
            return (_refusal(key, "this id is already in use by a request that has no answer yet"),)
        name = jsonrpc.name_in(params) if method == "tools/call" else method
        request = OpenRequest(
            key=key, method=method, name=name, params=params, modern=jsonrpc.MODERN in params, since=state.now()
        )
        if b'"progressToken"' in params:
            request.token = jsonrpc.key_at(params, "_meta", "progressToken")
        state.has_spoken = True
        state.open[key] = request
        if state.end_reason:  # looked at only now: the thread that sets it fails the requests that are open by then
            return state.fail(request, state.end_reason)
        if (ours := self._ours(request)) is not None:
            request.busy = request.unsent = True
            return (ours,)
        if method == "initialize":
            state.session.client = jsonrpc.text_at(params, "clientInfo", "name")
        if KEY in params and method == "tools/call" and state.takes_questions:
            line = self._without_question(line, request)
            params = request.params
        if method == "tools/call" and name in state.rules.warms:
            return (self._resolve(line, request, jsonrpc.bytes_at(params, "arguments") or b"{}"),)
        if method == "tools/call" and state.by_handle and may_name_results(params):
            return self._with_references(line, request)
        return (ToUpstream(line, (request,), method),)

    def _ours(self, request: OpenRequest) -> Fetch | Act | None:
        """Return the command for a request that the gate answers: a call of our tools, or a resource that it made."""
        state, method = self._state, request.method
        if method == "resources/read" and OURS in request.params and state.exports:
            uri = jsonrpc.text_at(request.params, "uri")
            if uri.startswith(OURS.decode()):
                return Fetch(request=request, client=state.client_of(request), arguments={}, uri=uri)
        if method != "tools/call" or not request.name:
            return None
        tools: dict[str, type[Act | Fetch]] = {state.act_tool: Act, state.tool_name: Fetch}
        make = tools.get(request.name)
        if make is None:
            return None
        value = jsonrpc.member(request.params, "arguments")
        arguments = value if isinstance(value, dict) else {} if value is None else {"arguments": value}
        return make(request=request, client=state.client_of(request), arguments=arguments)

    def _without_question(self, line: bytes, request: OpenRequest) -> bytes:
        """Take the question out of a call, for the gate. A tool that has such an argument itself keeps it."""
        arguments = jsonrpc.bytes_at(request.params, "arguments") or b"{}"
        is_of_tool = is_own_argument(self._state.session.facts.schema(request.name))
        question = None if is_of_tool else jsonrpc.bytes_at(arguments, ARGUMENT)
        if question is None:
            return line
        others = joined((name, one) for name, one in jsonrpc.members(arguments) if name != ARGUMENT)
        request.ask = question
        request.params = jsonrpc.put(request.params, others, "arguments")
        return jsonrpc.put(line, others, "params", "arguments")

    def _with_references(self, line: bytes, request: OpenRequest) -> Sequence[Command]:
        """Leave a call that names held results to the gate. Of any other call the bytes go on as they are."""
        arguments = jsonrpc.bytes_at(request.params, "arguments") or b""
        if not has_reference(arguments):
            return (ToUpstream(line, (request,), request.method),)
        return (self._resolve(line, request, arguments),)

    def _resolve(self, line: bytes, request: OpenRequest, arguments: bytes) -> Resolve:
        """Leave a call to the gate, before the upstream hears of it."""
        facts, tool = self._state.session.facts, request.name
        request.busy = request.unsent = True
        return Resolve(
            request=request,
            line=line,
            arguments=arguments,
            tool=tool,
            schema=facts.schema(tool),
            read_only=facts.is_read_only(tool),
            server=facts.server_of(tool),
            client=self._state.client_of(request),
        )

    def _notification(self, line: bytes, message: Message) -> Sequence[Command]:
        method, cancels = str(message.method), b""
        if method == "notifications/cancelled":
            cancels = jsonrpc.key_at(message.params, "requestId")
            request = self._state.open.pop(cancels, None)
            own = [] if request is None else self._state.own_requests(request)
            if request is None:  # over HTTP another exchange of the session may have it
                own = self._state.session.withdraw(cancels)
            if own or (request is not None and request.unsent):  # the upstream has seen ours for it at most
                return (Cancelled(cancels), *(taken_back(one, "the client cancelled it") for one in own))
        return () if self._state.end_reason else (ToUpstream(line, method=method, cancels=cancels),)

    def _batch(self, line: bytes) -> Sequence[Command]:
        """Send a batch on as one, but for calls to our own tool. What is no JSON the upstream may judge itself."""
        messages = jsonrpc.batch(line)
        if messages is None:
            return self._unreadable(line)
        commands: list[Command] = []
        upstream: list[ToUpstream] = []
        for one in messages:
            message = jsonrpc.decode(one)
            for command in (ToUpstream(one, readable=False),) if message is None else self._message(one, message):
                if isinstance(command, ToUpstream):
                    upstream.append(command)
                    if command.cancels:
                        commands.append(Cancelled(command.cancels))
                else:
                    commands.append(command)
        if upstream or not messages:
            is_unchanged = [one.line for one in upstream] == messages
            whole = line if is_unchanged else b"[" + b",".join(one.line for one in upstream) + b"]\n"
            requests = tuple(request for one in upstream for request in one.requests)
            commands.append(ToUpstream(whole, requests, readable=any(one.readable for one in upstream)))
        return commands

    def _unreadable(self, line: bytes) -> Sequence[Command]:
        key = jsonrpc.id_of_unread(line) if jsonrpc.is_too_deep(line) and not jsonrpc.is_answer(line) else None
        if key is not None:
            return (_refusal(key, "the request is nested too deeply to be read"),)
        return (ToUpstream(line, readable=False),) if line.strip() else ()


def taken_back(request: OpenRequest, reason: str) -> ToUpstream:
    """Return the notification that takes a request back."""
    line = jsonrpc.cancelled(request.key, reason)
    return ToUpstream(line, method="notifications/cancelled", cancels=request.key)


def _refusal(key: bytes, words: str) -> ToClient:
    """Return the error for a request that was never opened."""
    return ToClient(jsonrpc.failure(key, jsonrpc.INVALID_REQUEST, words), code=jsonrpc.INVALID_REQUEST)
