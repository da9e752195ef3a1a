"""Handle the upstream's lines: what fits goes to the client in the same bytes, what may not to the gate."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from penstock.core.act.question import INSTRUCTIONS
from penstock.protocol.commands import Act, Admit, Command, Noise, Note, OpenRequest, ToClient, ToUpstream
from penstock.protocol.passed_calls import MAX_NAME
from penstock.protocol.payloads import as_it_is, open_error, open_result
from penstock.protocol.session import stand_in_request
from penstock.protocol.state import GATED, LONGEST_LOGGED, META, SUBSCRIPTION, WARMING
from penstock.protocol.tool_list import introduced, read_list
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.protocol.payloads import PayloadView
    from penstock.protocol.state import ConnectionState
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import TooLong

BOUNDED: Final = frozenset(("tools/call", "resources/read", "prompts/get", "tasks/get", "tasks/result"))
AT_ONCE: Final = ("ping", "roots/list")  # requests of the upstream that no user and no model has to think about
ERROR_WORDS: Final = 300  # characters of an error to a request of our own
NO_ID: Final = b"null"
STAND_IN: Final = b'{\\"type\\":\\"buffered_response\\"'  # how the stand-in of a Penstock nearer to the tools begins
HEAD: Final = 400  # bytes in which that stands
STRUCTURED: Final = re.compile(rb'"structuredContent"')  # as a key: in a string its quotes would be escaped
SUBSCRIBED: Final = b"subscriptionId"  # the rest of its name may be written with an escaped slash
MAX_QUESTIONS: Final = 1_000  # requests of the upstream that the client has not answered; more are not counted
LONGEST_TASK: Final = 65_536  # bytes of a result that may be a task; a longer one is not decoded to find out
AROUND: Final = 1_000  # bytes of a message around its result or error: an id, and what no client shows
LARGE: Final = 1_000_000  # bytes of a tool's result that is read where it stands, and not copied
LEAST: Final = 250  # bytes; the smallest budget has as many tokens, so that such an error always fits


class UpstreamSide:
    """The upstream's side of an exchange."""

    def __init__(self, state: ConnectionState) -> None:
        self._state = state
        self._gated = count(1)  # notifications that went through the gate

    def handle(self, line: bytes | memoryview, message: Message | None) -> Sequence[Command]:
        """Handle one line from the upstream. ``message`` is its envelope; None for a batch, and for what is no JSON."""
        if message is not None:
            return self._message(line, message)
        return self._batch(bytes(line))  # what cannot be read is looked at whole

    def overflowed(self, line: TooLong) -> Sequence[Command]:
        """Answer a line that was above the limit, or could not be kept. Its id is at its beginning or at its end."""
        key = jsonrpc.id_in(line.head, line.tail)
        words = line.failure or f"{self._state.who} sent {line.size:,} bytes, more than max_result_bytes allows"
        if key is not None and jsonrpc.first_member(line.head) in (b"method", b"params"):
            return (ToUpstream(jsonrpc.failure(key, jsonrpc.INVALID_REQUEST, words)),)
        request = None if key is None else self._state.open.get(key)
        if request is None and key is not None and self._state.resumes and jsonrpc.is_answer(line.head):
            request = self._adopt(key, None)
        if request is None:
            return (Note("error", f"{words}; the message was dropped"),)
        return self._state.fail(request, line.failure or f"{words}; narrow the call, or raise the limit")

    def _message(self, line: bytes | memoryview, message: Message) -> Sequence[Command]:
        is_response = message.result is not UNSET or message.error is not UNSET
        if message.method and not is_response:
            return self._request_or_notification(bytes(line), message)
        if message.method == "" or message.id is UNSET or not is_response:  # a method that is not a text is empty
            return (Noise(bytes(line)),)
        key = jsonrpc.key_of(message.id)
        if message.method is not UNSET:  # a response does not name a method: clients would take it for a request
            name = "error" if message.result is UNSET else "result"
            line = jsonrpc.answer(key, bytes(getattr(message, name)), name)
        request = self._state.open.get(key)
        if request is None and self._state.resumes:
            request = self._adopt(key, message)
        if request is not None and not request.busy:
            handle = self._response if request.parent is None else self._response_to_us
            return handle(line, message, request)
        if request is None and key == NO_ID and len(line) <= AROUND:
            return (ToClient(bytes(line), code=_code(message)),)  # about a request that the upstream could not read
        why = "a second time" if request else "that is not open"
        name = key[:LONGEST_LOGGED].decode("utf-8", "replace")
        return (Note("warning", f"the server answered request {name} {why}; the answer was dropped"),)

    def _response_to_us(self, _: bytes | memoryview, message: Message, request: OpenRequest) -> Sequence[Command]:
        """Hand the response to a request of our own to the gate: the client has not asked it."""
        if not self._state.take(request):
            return ()
        if message.result is UNSET:
            words = jsonrpc.text_at(message.error, "message")[:ERROR_WORDS]
            return self._state.answered_to_us(request, failure=f"{self._state.who} failed: {words}")
        return self._state.answered_to_us(request, result=bytes(message.result))

    def _adopt(self, key: bytes, response: Message | None) -> OpenRequest:
        request = self._state.open[key] = stand_in_request(key, response, self._state.now())
        return request

    def _response(self, line: bytes | memoryview, message: Message, request: OpenRequest) -> Sequence[Command]:
        if message.result is UNSET or (message.error is not UNSET and bytes(message.result) == b"null"):
            return self._error(line, message, request)
        if request.method in BOUNDED:
            return self._bounded(line, message, request)
        if not self._state.take(request):
            return ()
        line = bytes(line)
        match request.method:
            case "initialize" | "server/discover":
                return self._introduction(line, message, request)
            case "tools/list":
                return (*self._tool_list(line, message, request), *self._warm_up(request))
        return (ToClient(line, request),)

    def _request_or_notification(self, line: bytes, message: Message) -> Sequence[Command]:
        method, key = str(message.method), b""
        if message.id is not UNSET and bytes(message.id) != NO_ID:
            key = jsonrpc.key_of(message.id)
            if method not in AT_ONCE and len(self._state.questions) < MAX_QUESTIONS and len(message.id) <= AROUND:
                self._state.questions.add(key)
                self._state.asked_at = self._state.now()
        elif method == "notifications/progress":
            return (ToClient(line, self._in_progress(message), method),)
        elif method == "notifications/cancelled":
            self._state.questions.discard(jsonrpc.key_at(message.params, "requestId"))
        elif method.startswith("notifications/tasks"):
            return self._task_notification(line, message)
        subscribed = jsonrpc.key_at(message.params, "_meta", SUBSCRIPTION) if SUBSCRIBED in line else b""
        return (ToClient(line, self._state.open.get(subscribed), method, key),)

    def _in_progress(self, message: Message) -> OpenRequest | None:
        """Return the request that a progress notification is about, and give it its whole time again."""
        token = jsonrpc.key_at(message.params, "progressToken")
        requests = [request for request in list(self._state.open.values()) if token and request.token == token]
        for request in requests:
            request.since = self._state.now()
            request.reported = True
        return requests[0] if requests else None

    def _task_notification(self, line: bytes, message: Message) -> Sequence[Command]:
        """Handle the notification of a task that is done: in the modern era it may carry the result, unrequested."""
        method = str(message.method)
        params = b"" if message.params is UNSET else bytes(message.params)
        call = self._state.session.facts.call_of(jsonrpc.text_at(params, "taskId"))
        name = "tasks/get" if call is None else call.name
        if len(params) <= self._state.rules.floor(name):
            return (ToClient(line, method=method),)
        view = open_result("tasks/get", params)
        if view is None:
            return (ToClient(line, method=method),)
        key = GATED + b"%d" % next(self._gated)
        request = OpenRequest(
            key=key, method=method, name=name, params=b"", modern=False, since=self._state.now(), busy=True
        )
        if call is not None:
            request = msgspec.structs.replace(call, key=key, method=method, busy=True)
        self._state.open[key] = request
        return self._admit(line, request, replace(view, member="params"), call or request)

    def _bounded(self, line: bytes | memoryview, message: Message, request: OpenRequest) -> Sequence[Command]:
        call = self._state.call_behind(request)
        result: bytes = message.result  # type: ignore[assignment]  # a view of the line: a copy of it may be large
        if STAND_IN in bytes(line[:HEAD]):
            self._state.session.facts.learn_name_clash(result, self._state.rules.tool_name)
        if not _question(request, call) and len(result) <= self._state.rules.floor(call.name):
            return self._pass(_bare(line, request.key, "result", result), message, request)
        is_long = len(result) > LARGE and request.method in ("tools/call", "tasks/result")
        inner = memoryview(result) if is_long else bytes(result)
        view = open_result(request.method, inner, ttl_ms=self._state.rules.ttl_ms(call.name))
        if view is None:
            return self._pass(_bare(line, request.key, "result", result), message, request)
        self._note_task(line, request, result)
        return self._admit(_bare(line, request.key, "result", result), request, view, call)

    def _error(self, line: bytes | memoryview, message: Message, request: OpenRequest) -> Sequence[Command]:
        code = _code(message)
        if code == jsonrpc.METHOD_NOT_FOUND and (list_of_ours := self._list_of_ours(request.method)) is not None:
            if not self._state.take(request):
                return ()
            more = b',"resultType":"complete","ttlMs":0,"cacheScope":"private"' if request.modern else b""
            return (ToClient(jsonrpc.answer(request.key, list_of_ours + more + b"}"), request),)
        error = bytes(message.error)  # type: ignore[arg-type]
        call = self._state.call_behind(request)
        line = _bare(line, request.key, "error", error)
        if len(error) <= LEAST or len(error) <= self._state.rules.floor(call.name):
            return (ToClient(bytes(line), request, code=code),) if self._state.take(request) else ()
        return self._admit(line, request, open_error(error), call, code=code)

    def _list_of_ours(self, method: str) -> bytes | None:
        """Return the beginning of a list for a client of a server that has no such list: all that is in it is ours, and
        our resources are read by the links to them. None where nothing is ours."""
        if method == "tools/list" and self._state.tool_name:
            return b'{"tools":[' + b",".join(self._state.definitions) + b"]"
        empty = {"resources/list": b'{"resources":[]', "resources/templates/list": b'{"resourceTemplates":[]'}
        return empty.get(method) if self._state.exports else None

    def _pass(self, line: bytes | memoryview, message: Message, request: OpenRequest) -> Sequence[Command]:
        result: msgspec.Raw = message.result  # type: ignore[assignment]
        self._note_task(line, request, result)
        if not self._state.take(request):
            return ()
        self._state.count(request, len(result))
        return (ToClient(bytes(line), request, result=result),)

    def _note_task(self, line: bytes | memoryview, request: OpenRequest, result: bytes) -> None:
        """Remember the call whose result is a task."""
        if len(result) <= LONGEST_TASK and request.method == "tools/call" and b'"taskId"' in bytes(line):
            self._state.session.facts.note_task(request, result)

    def _admit(
        self,
        line: bytes | memoryview,
        request: OpenRequest,
        view: PayloadView,
        call: OpenRequest,
        *,
        code: int = 0,
    ) -> Sequence[Command]:
        request.busy = True
        is_tool = call.method == "tools/call"
        value = jsonrpc.value(call.params)
        params = value if isinstance(value, dict) else {}
        arguments = params.get("arguments") if is_tool else {name: params[name] for name in params if name != "_meta"}
        facts = self._state.session.facts
        return (
            Admit(
                request=request,
                view=view,
                line=line,
                client=self._state.client_of(request),
                arguments=arguments if isinstance(arguments, dict) else {},
                tool=call.name,
                schema=facts.schema(call.name) if is_tool else None,
                structured=self._state.rules.output_schema == "wrap"
                and is_tool
                and (
                    facts.is_structured(call.name) or STRUCTURED.search(line) is not None
                ),  # many clients call before they list
                read_only=is_tool and facts.is_read_only(call.name),
                server=facts.server_of(call.name) if is_tool else "",
                code=code,
                ask=_question(request, call),
            ),
        )

    def _introduction(self, line: bytes, message: Message, request: OpenRequest) -> Sequence[Command]:
        result = jsonrpc.value(message.result)
        if not isinstance(result, dict):
            return (ToClient(line, request),)
        named = jsonrpc.text_at(message.result, "serverInfo", "name")
        named = named or jsonrpc.text_at(message.result, "_meta", f"{META}serverInfo", "name")
        self._state.session.server = named[:MAX_NAME] or self._state.session.server
        version = result.get("protocolVersion")
        self._state.version = version if isinstance(version, str) else ""
        abilities = result.get("capabilities", {})
        ours, asks = self._state.abilities, self._state.rules.instructs_questions
        if not isinstance(abilities, dict) or (not asks and all(name in abilities for name in ours)):
            return (ToClient(line, request),)
        extended = introduced(bytes(message.result), ours, INSTRUCTIONS if asks else "")  # type: ignore[arg-type]
        return (ToClient(put(line, request, "result", extended), request),)

    def _tool_list(self, line: bytes, message: Message, request: OpenRequest) -> Sequence[Command]:
        listed = read_list(bytes(message.result))  # type: ignore[arg-type]
        if listed is None:
            return (ToClient(line, request),)
        self._state.session.facts.learn(listed, self._state.wanted)
        if not self._state.tool_name:
            return (ToClient(line, request),)
        added = self._state.definitions if listed.is_last else []
        rules = self._state.rules
        takes_questions = self._state.takes_questions
        asked = frozenset(name for name in listed.names if takes_questions and rules.lists_question(name))
        if not added and not asked and not listed.structured and not rules.lists_briefly:
            return (ToClient(line, request),)
        page = listed.for_client(added, rules.output_schema, briefly=rules.lists_briefly, asked=asked)
        return (ToClient(put(line, request, "result", page), request),)

    def _warm_up(self, request: OpenRequest) -> Sequence[Command]:
        """Let the gate make the calls that are made ahead, once all tools are listed."""
        state = self._state
        if not state.session.facts.is_listed or state.session.has_warmed or not state.rules.warms:
            return ()
        state.session.has_warmed = True
        parent = OpenRequest(
            key=WARMING,
            method="tools/call",
            name="warm",
            params=request.params,
            modern=request.modern,
            since=state.now(),
            busy=True,
        )
        state.open[WARMING] = parent
        return (Act(parent, state.client_of(request), {}, warms=True),)

    def _batch(self, line: bytes) -> Sequence[Command]:
        """Handle the messages of a batch one by one; they go on as one line when none of them is replaced."""
        messages = jsonrpc.batch(line)
        if messages is None:
            return self._unreadable(line)
        if not messages:  # JSON-RPC 2.0, section 6: an empty batch is no message
            return (Noise(line),)
        commands: list[Command] = []
        for one in messages:
            message = jsonrpc.decode(one)
            commands += (Noise(one),) if message is None else self._message(one, message)
        parts = [
            command
            for command, one in zip(commands, messages, strict=False)
            if isinstance(command, ToClient) and command.line is one
        ]
        if len(parts) == len(commands) == len(messages):
            return (ToClient(line, parts=tuple(parts)),)
        return [
            msgspec.structs.replace(one, line=jsonrpc.ended(one.line)) if isinstance(one, ToClient) else one
            for one in commands
        ]

    def _unreadable(self, line: bytes) -> Sequence[Command]:
        """Return noise; but fail the request that a line answers which is plainly a response, and whole. The result of
        a tool that is nested too deeply for the parsers goes to the gate, which reads it as text."""
        if not line.strip():
            return ()
        key = jsonrpc.id_of_unread(line) if jsonrpc.is_answer(line) else None
        request = None if key is None else self._state.open.get(key)
        if request is None or request.busy:
            return (Noise(line),)
        if request.method == "tools/call" and (result := jsonrpc.result_of_deep(line)) is not None:
            return self._admit(line, request, as_it_is(result), self._state.call_behind(request))
        words = f"{self._state.who} sent an answer that cannot be read: it is no JSON, or nested too deeply"
        return (Noise(line), *self._state.fail(request, words))


def put(line: bytes | memoryview, request: OpenRequest, name: str, value: bytes) -> bytes:
    """Return the message with another result, error or parameters, and every other byte as it was."""
    changed = jsonrpc.replaced(line, name, value)
    if changed is not None:
        return changed
    return jsonrpc.notification(request.method, value) if name == "params" else jsonrpc.answer(request.key, value, name)


def _question(request: OpenRequest, call: OpenRequest) -> bytes:
    """Return the question that a call carries for this response; empty if there is none. The state of a task is no
    result of the call, so it answers none."""
    return b"" if request.method == "tasks/get" else call.ask


def _code(message: Message) -> int:
    """Return the code of an error response: -1 where it is 0 or no number, 0 where there is no error."""
    if message.error is UNSET:
        return 0
    code = jsonrpc.member(message.error, "code")
    return code if isinstance(code, int) and code else -1


def _bare(line: bytes | memoryview, key: bytes, name: str, value: bytes) -> bytes | memoryview:
    """Return the message without long members that no client looks for: unknown ones, repeated ones, an error beside a
    result. Nothing else bounds these."""
    return line if len(line) - len(value) <= AROUND + len(key) else jsonrpc.answer(key, bytes(value), name)
