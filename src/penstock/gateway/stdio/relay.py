"""Drives an exchange: reads from both sides with blocking reads, carries out its commands, and keeps large results
off the reading threads."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from penstock.gateway.pipes import CHUNK, LARGE, WIDE, read
from penstock.protocol.commands import Act, Admit, Command, Fetch, Noise, Note, Resolve, ToClient, ToUpstream
from penstock.protocol.wire.jsonrpc import INTERNAL_ERROR, failure, id_in, is_answer
from penstock.protocol.wire.lines import LARGE as LARGE_LINE
from penstock.protocol.wire.lines import LineBuffer, TooLong
from penstock.spool import MAX_IN_MEMORY
from penstock.unforeseen import described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.gateway.carry import Carrier
    from penstock.gateway.output import Output
    from penstock.gateway.stdio.workers import Workers
    from penstock.protocol.commands import GateWork
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Line


class Relay:
    """One exchange between two outputs.

    ``limit`` is the length of a line that is kept at all; ``client_gone`` and ``upstream_gone`` are called when that
    side no longer reads. A thread that holds ``turn`` knows that no line of the client is being handled.
    """

    def __init__(
        self,
        exchange: Exchange,
        *,
        client: Output,
        upstream: Output | None,
        carrier: Carrier,
        workers: Workers,
        limit: Callable[[], int],
        client_gone: Callable[[], None] = lambda: None,
        upstream_gone: Callable[[], None] = lambda: None,
    ) -> None:
        self.exchange = exchange
        self._client = client
        self._upstream = upstream
        self._carrier = carrier
        self._workers = workers
        self._log = carrier.log
        self._limit = limit
        self._client_gone = client_gone
        self._upstream_gone = upstream_gone
        self.heard = 0  # chunks that came from either side
        self.turn = threading.Lock()

    def read_client(self, descriptor: int) -> None:
        """Relay the client's lines until it closes its end."""
        self._read(descriptor, LineBuffer(self._limit), self._from_client, self.turn)

    def read_upstream(self, descriptor: int) -> None:
        """Relay what the upstream sends until it sends no more."""
        lines = LineBuffer(self._limit, new_spool=self._carrier.new_spool, grew=self._grew)
        self._read(descriptor, lines, self._from_upstream, threading.Lock())

    def _read(
        self,
        descriptor: int,
        lines: LineBuffer,
        handle: Callable[[Line], Sequence[Command]],
        turn: threading.Lock,
    ) -> None:
        chunk = read(descriptor)
        while chunk:
            self.heard += 1
            with turn:
                completed = lines.feed(chunk)
                if len(completed) == 1:
                    self.carry_out(handle(completed[0]))
                elif completed:
                    self.carry_out([command for line in completed for command in handle(line)])
            chunk = read(descriptor, CHUNK if len(chunk) < CHUNK else LARGE if len(chunk) < LARGE else WIDE)
        if (rest := lines.rest()) is not None:  # the last line may come without its newline
            self.carry_out(handle(rest))

    def _grew(self, head: bytes, size: int) -> None:
        """Tell the client how much has come of a long response of the upstream."""
        self.carry_out(self.exchange.upstream_sends(head, size))

    def _from_client(self, line: Line) -> Sequence[Command]:
        if isinstance(line, TooLong):
            return self.exchange.client_overflowed(line)
        whole = bytes(line)
        self._log.message("client", whole, len(whole))
        try:
            return self.exchange.client_sent(whole)
        except Exception as error:  # noqa: BLE001  (a mistake of ours must not leave the client waiting)
            key = id_in(whole[:CHUNK], whole[-CHUNK:])
            if key is None or is_answer(whole):
                self._log.note("error", f"a message was relayed unread: {described(error)}")
                return (ToUpstream(whole),)
            words = f"Penstock could not read the request ({type(error).__name__})"
            note = Note("error", f"a request could not be read: {described(error)}")
            return (note, ToClient(failure(key, INTERNAL_ERROR, words)))

    def _from_upstream(self, line: Line) -> Sequence[Command]:
        size = line.size if isinstance(line, TooLong) else len(line)
        self._log.message("server", bytes(line) if not isinstance(line, TooLong) and size <= LARGE_LINE else b"", size)
        if isinstance(line, TooLong) or size <= LARGE_LINE:
            return self._carrier.classify(self.exchange, line)
        self._workers.submit(lambda: self._handle_large(line), min(size, MAX_IN_MEMORY))
        return ()

    def _handle_large(self, line: Line) -> None:
        """Read and admit a line that would hold up all others."""
        for command in self._carrier.classify(self.exchange, line):
            if isinstance(command, Admit):
                self._admit(command)
            else:
                self.carry_out((command,))

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
                case Fetch() | Act() | Resolve():
                    self._workers.submit(partial(self._carry, command))
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
        self.carry_out(self._carrier.admit(self.exchange, command).commands)

    def _carry(self, command: GateWork) -> None:
        for one in self._carrier.carry(self.exchange, command).commands:
            self.carry_out((one,))  # in their order: progress must not come behind the response that ends it


def _joined(lines: list[bytes]) -> bytes:
    return lines[0] if len(lines) == 1 else b"".join(lines)  # one that passes is written as the object it came as
