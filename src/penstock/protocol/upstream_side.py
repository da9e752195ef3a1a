"""What becomes of the upstream's lines: what fits goes to the client in the same bytes, what may not to the gate."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from penstock.protocol.commands import Admit, Command, Noise, Note, ToClient, ToUpstream, Waiting
from penstock.protocol.pending import LONGEST_NAME, META, SHOWN, UNASKED
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.protocol.payloads import Opened
    from penstock.protocol.pending import State
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import TooLong

BOUNDED: Final = frozenset(("tools/call", "resources/read", "prompts/get", "tasks/get", "tasks/result"))
AT_ONCE: Final = ("ping", "roots/list")  # requests of the upstream that no user and no model has to think about
NO_ID: Final = b"null"
STAND_IN: Final = b'{\\"type\\":\\"buffered_response\\"'  # how the answer of a Penstock nearer to the tools begins
HEAD: Final = 400  # bytes in which that stands
STRUCTURED: Final = b'"structuredContent"'  # as a key: in a string its quotes would be escaped
ASKED: Final = 1_000  # questions of the upstream that wait for their answer; more are not counted
AROUND: Final = 1_000  # bytes of a message around its result or error: an id, and what no client shows
LEAST: Final = 250  # bytes; the smallest budget that there is has as many tokens, so that such an error always fits


class FromUpstream:
    """The other side of an exchange."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._gated = count(1)  # notifications that went through the gate

    def sent(self, line: bytes, lifted: bytes | None = None) -> Sequence[Command]:
        """What becomes of a line from the upstream. ``lifted`` is a text that was taken out of the line."""
        message = jsonrpc.decode(line)
        if message is None:
            return self._batch(line)
        return self._said(line, message, lifted)

    def _said(self, line: bytes, message: Message, lifted: bytes | None = None) -> Sequence[Command]:
        if message.method is not UNSET:
            return self._told(line, message)
        if message.id is UNSET or (message.result is UNSET and message.error is UNSET):
            return (Noise(line),)
        key = jsonrpc.key_of(message.id)
        waiting = self._state.waiting.get(key)
        if waiting is not None and not waiting.busy:
            return self._answered(line, message, waiting, lifted)
        if waiting is None and key == NO_ID and len(line) <= AROUND:
            return (ToClient(line),)  # about a request that could not be read, so that nobody can tell which
        why = "a second time" if waiting else "that nobody waits for"
        shown = key[:SHOWN].decode("utf-8", "replace")
        return (Note("warning", f"the server answered request {shown} {why}; the answer was dropped"),)

    def _answered(self, line: bytes, message: Message, waiting: Waiting, lifted: bytes | None) -> Sequence[Command]:
        if message.result is UNSET or (message.error is not UNSET and bytes(message.result) == b"null"):
            return self._failed(line, message, waiting)
        if waiting.method in BOUNDED:
            return self._bounded(line, message, waiting, lifted)
        if not self._state.take(waiting):
            return ()
        match waiting.method:
            case "initialize" | "server/discover":
                return self._introduced(line, message, waiting)
            case "tools/list":
                return self._listed(line, message, waiting)
        return (ToClient(line),)

    def overflowed(self, line: TooLong) -> Sequence[Command]:
        """A line above the limit was not kept. Its id stands at its beginning or at its end."""
        key = jsonrpc.id_in(line.head, line.tail)
        words = f"{self._state.who} sent {line.size:,} bytes, more than max_result_bytes allows"
        if key is not None and jsonrpc.first_member(line.head) in (b"method", b"params"):
            return (ToUpstream(jsonrpc.failure(key, jsonrpc.INVALID_REQUEST, words)),)
        waiting = None if key is None else self._state.waiting.get(key)
        if waiting is None:
            return (Note("error", f"{words}; the message was dropped"),)
        return self._state.failed(waiting, f"{words}; narrow the call, or raise the limit")

    def _told(self, line: bytes, message: Message) -> Sequence[Command]:
        method = str(message.method)
        if message.id is not UNSET and bytes(message.id) != NO_ID:
            if method not in AT_ONCE and len(self._state.asked) < ASKED and len(message.id) <= AROUND:
                self._state.asked.add(jsonrpc.key_of(message.id))
                self._state.asked_at = self._state.now()
        elif method == "notifications/progress":
            token = jsonrpc.key_at(message.params, "progressToken")
            for waiting in list(self._state.waiting.values()):
                if token and waiting.token == token:
                    waiting.since = self._state.now()
        elif method == "notifications/cancelled":
            self._state.asked.discard(jsonrpc.key_at(message.params, "requestId"))
        elif method.startswith("notifications/tasks"):
            return self._told_of_task(line, message)
        return (ToClient(line),)

    def _told_of_task(self, line: bytes, message: Message) -> Sequence[Command]:
        """In the modern era a task that is done may be told of unasked, with its result."""
        params = b"" if message.params is UNSET else bytes(message.params)
        call = self._state.known.call_of(jsonrpc.text_at(params, "taskId"))
        name = "tasks/get" if call is None else call.name
        if len(params) <= self._state.rules.floor(name):
            return (ToClient(line),)
        from dataclasses import replace  # noqa: PLC0415  (needed for large ones only)

        from penstock.protocol.payloads import open_result  # noqa: PLC0415

        opened = open_result("tasks/get", params)
        if opened is None:
            return (ToClient(line),)
        key = UNASKED + b"%d" % next(self._gated)
        method = str(message.method)
        waiting = Waiting(
            key=key, method=method, name=name, params=b"", modern=False, since=self._state.now(), busy=True
        )
        if call is not None:
            waiting = msgspec.structs.replace(call, key=key, method=method, busy=True)
        self._state.waiting[key] = waiting
        return self._admit(line, waiting, replace(opened, member="params"), call or waiting, None)

    def _bounded(self, line: bytes, message: Message, waiting: Waiting, lifted: bytes | None) -> Sequence[Command]:
        call = self._state.call_behind(waiting)
        result: bytes = message.result  # type: ignore[assignment]  # a view of the line: a copy of it may be large
        if STAND_IN in line[:HEAD]:
            self._state.known.meet(result, self._state.rules.tool_name)
        if lifted is None and len(result) <= self._state.rules.floor(call.name):
            return self._pass(_bare(line, waiting.key, "result", result), result, waiting)
        from penstock.protocol.payloads import open_result  # noqa: PLC0415

        if lifted is not None and waiting.method not in ("tools/call", "tasks/result"):
            from penstock.core.json.long_text import put_back  # noqa: PLC0415

            return self.sent(put_back(line, lifted))  # only a tool's result is known without its text
        opened = open_result(waiting.method, bytes(result), ttl_ms=self._state.rules.ttl_ms(call.name))
        if opened is None:
            return self._pass(line, result, waiting)
        return self._admit(_bare(line, waiting.key, "result", result), waiting, opened, call, lifted)

    def _failed(self, line: bytes, message: Message, waiting: Waiting) -> Sequence[Command]:
        if waiting.method == "tools/list" and jsonrpc.member(message.error, "code") == jsonrpc.METHOD_NOT_FOUND:
            if not self._state.take(waiting):
                return ()
            # A server without tools: ours is the only one.
            more = b',"resultType":"complete","ttlMs":0,"cacheScope":"private"' if waiting.modern else b""
            tools = b'{"tools":[' + self._state.definition + b"]" + more + b"}"
            return (ToClient(jsonrpc.answer(waiting.key, tools)),)
        error = bytes(message.error)  # type: ignore[arg-type]
        call = self._state.call_behind(waiting)
        line = _bare(line, waiting.key, "error", error)
        if len(error) <= LEAST or len(error) <= self._state.rules.floor(call.name):
            return (ToClient(line),) if self._state.take(waiting) else ()
        from penstock.protocol.payloads import open_error  # noqa: PLC0415

        return self._admit(line, waiting, open_error(error), call, None)

    def _pass(self, line: bytes, result: bytes, waiting: Waiting) -> Sequence[Command]:
        if waiting.method == "tools/call" and b'"taskId"' in line:
            self._state.known.note_task(waiting, result)
        if not self._state.take(waiting):
            return ()
        self._state.count(waiting)
        return (ToClient(line),)

    def _admit(
        self, line: bytes, waiting: Waiting, opened: Opened, call: Waiting, lifted: bytes | None
    ) -> Sequence[Command]:
        waiting.busy = True
        is_tool = call.method == "tools/call"
        told = jsonrpc.value(call.params)
        params = told if isinstance(told, dict) else {}
        arguments = params.get("arguments") if is_tool else {name: params[name] for name in params if name != "_meta"}
        return (
            Admit(
                waiting=waiting,
                opened=opened,
                line=line,
                lifted=lifted,
                client=self._state.client_of(waiting),
                arguments=arguments if isinstance(arguments, dict) else {},
                tool=call.name,
                schema=self._state.known.schema(call.name) if is_tool else None,
                structured=self._state.rules.output_schema == "wrap"
                and is_tool
                and (self._state.known.is_structured(call.name) or STRUCTURED in line),  # many call before they list
            ),
        )

    def _introduced(self, line: bytes, message: Message, waiting: Waiting) -> Sequence[Command]:
        told = jsonrpc.value(message.result)
        if not isinstance(told, dict):
            return (ToClient(line),)
        named = jsonrpc.text_at(message.result, "serverInfo", "name")
        named = named or jsonrpc.text_at(message.result, "_meta", f"{META}serverInfo", "name")
        self._state.server = named[:LONGEST_NAME] or self._state.server
        abilities = told.get("capabilities", {})
        if not isinstance(abilities, dict) or "tools" in abilities:
            return (ToClient(line),)
        from penstock.protocol.tool_list import with_tools  # noqa: PLC0415  (few servers have no tools)

        return (ToClient(put(line, waiting, "result", with_tools(bytes(message.result)))),)  # type: ignore[arg-type]

    def _listed(self, line: bytes, message: Message, waiting: Waiting) -> Sequence[Command]:
        from penstock.protocol.tool_list import read_list  # noqa: PLC0415

        listed = read_list(bytes(message.result))  # type: ignore[arg-type]
        if listed is None:
            return (ToClient(line),)
        self._state.known.learn(listed, self._state.rules.tool_name)
        added = self._state.definition if listed.is_last else None
        if added is None and not listed.structured:
            return (ToClient(line),)
        return (ToClient(put(line, waiting, "result", listed.shown(added, self._state.rules.output_schema))),)

    def _batch(self, line: bytes) -> Sequence[Command]:
        """Answers that come as a batch are judged one by one, and go on one by one when any of them is replaced."""
        messages = jsonrpc.batch(line)
        if messages is None:
            return self._unread(line)
        commands: list[Command] = []
        for one in messages:
            message = jsonrpc.decode(one)
            commands += (Noise(one),) if message is None else self._said(one, message)
        if len(commands) == len(messages) and all(
            isinstance(command, ToClient) and command.line is one
            for command, one in zip(commands, messages, strict=True)
        ):
            return (ToClient(line),)
        return [ToClient(jsonrpc.ended(one.line)) if isinstance(one, ToClient) else one for one in commands]

    def _unread(self, line: bytes) -> Sequence[Command]:
        """Noise; but what is plainly an answer, and whole, is one to a request that would wait for it in vain."""
        if not line.strip():
            return ()
        key = jsonrpc.id_of_unread(line) if jsonrpc.is_answer(line) else None
        waiting = None if key is None else self._state.waiting.get(key)
        if waiting is None or waiting.busy:
            return (Noise(line),)
        words = f"{self._state.who} sent an answer that cannot be read: it is no JSON, or nested too deeply"
        return (Noise(line), *self._state.failed(waiting, words))


def put(line: bytes, waiting: Waiting, name: str, value: bytes) -> bytes:
    """The message with this value in the place of its result, error or parameters, and nothing else changed."""
    changed = jsonrpc.replaced(line, name, value)
    if changed is not None:
        return changed
    return jsonrpc.notification(waiting.method, value) if name == "params" else jsonrpc.answer(waiting.key, value, name)


def _bare(line: bytes, key: bytes, name: str, value: bytes) -> bytes:
    """The message, without what no client looks for if that is long: unknown members, repeated ones, an error beside a
    result. None of these is bounded by anybody."""
    return line if len(line) - len(value) <= AROUND + len(key) else jsonrpc.answer(key, bytes(value), name)
