"""What becomes of the client's lines: they go to the upstream, but for calls to our own tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from penstock.protocol.commands import Command, Fetch, Note, ToClient, ToUpstream, Waiting
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.protocol.pending import State
    from penstock.protocol.wire.jsonrpc import Message
    from penstock.protocol.wire.lines import TooLong


class FromClient:
    """One side of an exchange."""

    def __init__(self, state: State) -> None:
        self._state = state

    def sent(self, line: bytes) -> Sequence[Command]:
        """What becomes of a line from the client."""
        message = jsonrpc.decode(line)
        if message is None:
            return self._batch(line)
        return self._said(line, message)

    def _said(self, line: bytes, message: Message) -> Sequence[Command]:
        if message.method is UNSET:
            if message.id is not UNSET:
                self._state.asked.discard(jsonrpc.key_of(message.id))
                self._state.refresh()
            return (ToUpstream(line),)
        if message.id is UNSET:
            return self._notified(line, message)
        return self._asked(line, message)

    def _asked(self, line: bytes, message: Message) -> Sequence[Command]:
        key, method = jsonrpc.key_of(message.id), str(message.method)  # type: ignore[arg-type]
        params = b"" if message.params is UNSET else bytes(message.params)
        if key in self._state.waiting:
            words = "this id is already in use by a request that has no answer yet"
            return (ToClient(jsonrpc.failure(key, jsonrpc.INVALID_REQUEST, words)),)
        name = jsonrpc.name_in(params) if method == "tools/call" else method
        waiting = Waiting(
            key=key, method=method, name=name, params=params, modern=jsonrpc.MODERN in params, since=self._state.now()
        )
        if b'"progressToken"' in params:
            waiting.token = jsonrpc.key_at(params, "_meta", "progressToken")
        self._state.spoke = True
        self._state.waiting[key] = waiting
        if self._state.ended:  # looked at only now: whoever sets it answers those who wait by then
            self._state.refused += 1
            return self._state.failed(waiting, self._state.ended)
        if method == "tools/call" and name == self._state.tool_name:
            waiting.busy = True
            given = jsonrpc.member(params, "arguments")
            arguments = given if isinstance(given, dict) else {} if given is None else {"arguments": given}
            return (Fetch(waiting=waiting, client=self._state.client_of(waiting), arguments=arguments),)
        if method == "initialize":
            self._state.client = jsonrpc.text_at(params, "clientInfo", "name")
        return (ToUpstream(line),)

    def _notified(self, line: bytes, message: Message) -> Sequence[Command]:
        if message.method == "notifications/cancelled":
            waiting = self._state.waiting.pop(jsonrpc.key_at(message.params, "requestId"), None)
            if waiting is not None and waiting.method == "tools/call" and waiting.name == self._state.tool_name:
                return ()  # the upstream never heard of it
        return () if self._state.ended else (ToUpstream(line),)

    def overflowed(self, line: TooLong) -> Sequence[Command]:
        """A line above the limit was not kept."""
        key = jsonrpc.id_in(line.head, line.tail)
        words = f"the message has {line.size:,} bytes, more than max_result_bytes allows"
        if key is None:
            return (Note("error", f"{words}; it was dropped"),)
        if not jsonrpc.is_answer(line.head):
            return (ToClient(jsonrpc.failure(key, jsonrpc.INVALID_REQUEST, words)),)
        self._state.asked.discard(key)
        return (ToUpstream(jsonrpc.failure(key, jsonrpc.INTERNAL_ERROR, words)),)

    def _batch(self, line: bytes) -> Sequence[Command]:
        """A batch goes on as one, but for calls to our own tool. What is no JSON the upstream may judge itself."""
        messages = jsonrpc.batch(line)
        if messages is None:
            return self._unread(line)
        commands: list[Command] = []
        upstream: list[bytes] = []
        for one in messages:
            message = jsonrpc.decode(one)
            for command in (ToUpstream(one),) if message is None else self._said(one, message):
                if isinstance(command, ToUpstream):
                    upstream.append(command.line)
                else:
                    commands.append(command)
        if len(upstream) == len(messages):
            return (ToUpstream(line),)
        if upstream:
            commands.append(ToUpstream(b"[" + b",".join(upstream) + b"]\n"))
        return commands

    def _unread(self, line: bytes) -> Sequence[Command]:
        key = jsonrpc.id_of_unread(line) if jsonrpc.is_too_deep(line) and not jsonrpc.is_answer(line) else None
        if key is not None:
            words = "the request is nested too deeply to be read"
            return (ToClient(jsonrpc.failure(key, jsonrpc.INVALID_REQUEST, words)),)
        return (ToUpstream(line),) if line.strip() else ()
