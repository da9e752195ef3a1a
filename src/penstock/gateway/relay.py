"""Drives an exchange: reads from both sides with blocking reads, carries out its commands, and keeps large results
off the reading threads."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from penstock.gateway.large import judged
from penstock.gateway.pipes import CHUNK, LARGE, read
from penstock.protocol.commands import Admit, Command, Fetch, Noise, Note, ToClient, ToUpstream
from penstock.protocol.wire.jsonrpc import INTERNAL_ERROR, failure, id_in, is_answer
from penstock.protocol.wire.lines import LargeLine, Lines, TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.gateway.desk import Desk
    from penstock.gateway.log import Log
    from penstock.gateway.output import Output
    from penstock.gateway.workers import Workers
    from penstock.protocol.commands import OpenRequest
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Line


class Relay:
    """One exchange between two outputs.

    ``limit`` is the length of a line that is kept at all; ``lifts`` is false where some tool's results must pass
    whole; ``client_gone`` and ``upstream_gone`` are called when that side no longer reads. Whoever holds ``turn`` knows
    that nothing which the client said is in our hands.
    """

    def __init__(
        self,
        exchange: Exchange,
        *,
        client: Output,
        upstream: Output | None,
        desk: Desk,
        workers: Workers,
        log: Log,
        limit: Callable[[], int],
        lifts: Callable[[], bool] = lambda: True,
        client_gone: Callable[[], None] = lambda: None,
        upstream_gone: Callable[[], None] = lambda: None,
    ) -> None:
        self.exchange = exchange
        self._client = client
        self._upstream = upstream
        self._desk = desk
        self._workers = workers
        self._log = log
        self._limit = limit
        self._lifts = lifts
        self._client_gone = client_gone
        self._upstream_gone = upstream_gone
        self.heard = 0  # chunks that came from either side
        self.turn = threading.Lock()

    def greeted(self, question: bytes, answer: bytes) -> None:
        """Take note of what was relayed before: its effects, but no commands."""
        if question:
            self.exchange.client_sent(question)
        if answer:
            self.exchange.upstream_sent(answer)

    def read_client(self, descriptor: int, first: bytes) -> None:
        """Relay what the client sends until it sends no more; the ``first`` chunk was read already."""
        self._read(descriptor, self._from_client, first, self.turn)

    def read_upstream(self, descriptor: int, first: bytes) -> None:
        """Relay what the upstream sends until it sends no more."""
        self._read(descriptor, self._from_upstream, first, threading.Lock())

    def _read(
        self, descriptor: int, handle: Callable[[Line], Sequence[Command]], chunk: bytes, turn: threading.Lock
    ) -> None:
        lines = Lines(self._limit)
        while chunk:
            self.heard += 1
            with turn:
                completed = lines.feed(chunk)
                if len(completed) == 1:
                    self.carry_out(handle(completed[0]))
                elif completed:
                    self.carry_out([command for line in completed for command in handle(line)])
            chunk = read(descriptor, CHUNK if len(chunk) < CHUNK else LARGE)
        if rest := lines.rest():  # the last line may come without its newline
            self.carry_out(handle(rest + b"\n"))

    def _from_client(self, line: Line) -> Sequence[Command]:
        if isinstance(line, TooLong):
            return self.exchange.client_overflowed(line)
        whole = line if isinstance(line, bytes) else b"".join(line.parts)
        try:
            return self.exchange.client_sent(whole)
        except Exception as error:  # noqa: BLE001  (a mistake of ours must not leave anybody waiting)
            key = id_in(whole[:CHUNK], whole[-CHUNK:])
            if key is None or is_answer(whole):
                return self._puzzled(error, ToUpstream(whole))
            words = f"Penstock could not read the request ({type(error).__name__})"
            return (Note("error", f"{words}: {error}"), ToClient(failure(key, INTERNAL_ERROR, words)))

    def _from_upstream(self, line: Line) -> Sequence[Command]:
        if isinstance(line, TooLong):
            return self.exchange.upstream_overflowed(line)
        if isinstance(line, LargeLine):
            self._workers.submit(lambda: self._judge(line), line.size)
            return ()
        try:
            return self.exchange.upstream_sent(line)
        except Exception as error:  # noqa: BLE001
            return self._puzzled(error, ToClient(line))

    def _puzzled(self, error: Exception, relayed: ToClient | ToUpstream) -> Sequence[Command]:
        self._log.note("error", f"a message was relayed unread: {type(error).__name__}: {error}")
        return (relayed,)

    def _judge(self, line: LargeLine) -> None:
        """Read a large line on a worker: to join and parse it would hold up all others."""
        head, tail = line.parts[0], line.parts[-1]
        try:
            commands = judged(line, self.exchange, lifts=self._lifts())
        except Exception as error:  # noqa: BLE001  (of the memory, for example)
            self._dropped(line, id_in(head, tail), error)
            return
        for command in commands:
            if isinstance(command, Admit):
                self._admit(command)
            else:
                self.carry_out((command,))

    def _dropped(self, line: LargeLine, key: bytes | None, error: Exception) -> None:
        """Somebody may wait for what could not be read, and is told."""
        request = self.exchange.request_of(key)
        if request is not None:
            self.carry_out(self._failed(request, error))
        else:
            self._log.note("error", f"a message of {line.size:,} bytes was dropped: {type(error).__name__}: {error}")

    def carry_out(self, commands: Iterable[Command]) -> None:
        """Do what the exchange asks for. Neighbouring lines to one side are written together."""
        to_client: list[bytes] = []
        to_upstream: list[bytes] = []
        for command in commands:
            if isinstance(command, ToClient):  # nearly all commands are one of these two, and thousands a second
                to_client.append(command.line)
                continue
            if isinstance(command, ToUpstream):
                to_upstream.append(command.line)
                continue
            match command:
                case Admit():
                    self._workers.submit(partial(self._admit, command), len(command.line))
                case Fetch():
                    self._workers.submit(partial(self._fetch, command))
                case Noise(line=line):
                    self._log.write(self.exchange.quoted(line))
                case Note(level=level, text=text):
                    self._log.note(level, text)
        if to_upstream and self._upstream is not None and not self._upstream.write(_joined(to_upstream)):
            self._upstream_gone()
        if to_client and not self._client.write(_joined(to_client)):
            self._client_gone()

    def give_up(self) -> None:
        """Answer what has waited too long. The upstream is told where that needs no waiting: it may be what hangs."""
        for command in self.exchange.overdue():
            if isinstance(command, ToUpstream) and self._upstream is not None:
                self._upstream.offer(command.line)
            else:
                self.carry_out((command,))

    def _admit(self, command: Admit) -> None:
        try:
            result = self._desk.admit(command, self.exchange.tool_name)
            answers = self.exchange.admitted(command, result)
        except Exception as error:  # noqa: BLE001  (whatever happens, the request is answered)
            answers = self._failed(command.request, error)
        self.carry_out(answers)

    def _fetch(self, command: Fetch) -> None:
        try:
            answers = self.exchange.fetched(command, self._desk.fetch(command, self.exchange.tool_name))
        except Exception as error:  # noqa: BLE001
            answers = self._failed(command.request, error)
        self.carry_out(answers)

    def _failed(self, request: OpenRequest, error: Exception) -> Sequence[Command]:
        self._log.note("error", f"an answer to {request.name} could not be made: {type(error).__name__}: {error}")
        words = f"Penstock could not make the answer ({type(error).__name__}); repeat the call, or narrow it"
        return self.exchange.fail(request, words)


def _joined(lines: list[bytes]) -> bytes:
    return lines[0] if len(lines) == 1 else b"".join(lines)  # one that passes is written as the object it came as
