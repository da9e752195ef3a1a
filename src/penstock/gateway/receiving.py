"""Lines of the upstream on their way to the exchange: as they are, with their one long text taken out, or while they
still arrive. None of these raises: what cannot be handled is passed on, or its request is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.gateway.busy import BUSY
from penstock.gateway.inflow import DroppedError
from penstock.protocol.commands import ToClient
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import KEPT, LargeLine, TooLong
from penstock.unforeseen import OUT_OF_MEMORY, described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.json.long_parts import LongParts
    from penstock.gate import Gate
    from penstock.gateway.config_rules import ConfigRules
    from penstock.gateway.inflow import ChunkInflow
    from penstock.gateway.log import Log
    from penstock.protocol.commands import Command
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Line


class Receiver:
    """Hands lines to an exchange. ``opened`` gives the gate, whose store takes what arrives."""

    def __init__(self, rules: ConfigRules, log: Log, opened: Callable[[Exchange | None], Gate]) -> None:
        self._rules = rules
        self._log = log
        self._opened = opened

    def classify(self, exchange: Exchange, line: Line) -> Sequence[Command]:
        """Handle one line of the upstream. A large line is used up, and takes a while: leave it to a thread."""
        if isinstance(line, TooLong):
            return exchange.upstream_overflowed(line)
        if isinstance(line, LargeLine):
            return self._classify_large(exchange, line)
        try:
            return exchange.upstream_sent(line)
        except Exception as error:  # noqa: BLE001  (the client may wait for what cannot be handled)
            return self._unread(exchange, line, error)

    def may_receive(self, head: bytes) -> bool:
        """Return True if a line that begins so can be handled while it arrives."""
        from penstock.core.json.long_parts import begins_long  # noqa: PLC0415

        return self._rules.lifts and begins_long(head[:KEPT])

    def receive(self, exchange: Exchange, inflow: ChunkInflow) -> Sequence[Command]:
        """Handle a line of the upstream while it arrives. Returns when it is whole, and its text packed and indexed."""
        try:
            with BUSY:
                return self._received(exchange, inflow)
        except DroppedError:
            return ()
        except Exception as error:  # noqa: BLE001  (of the disk or the memory, for example)
            return self._lost(exchange, inflow.head, inflow.drain(), inflow.size, error)

    def _classify_large(self, exchange: Exchange, line: LargeLine) -> Sequence[Command]:
        head, tail = line.parts[0], line.parts[-1]
        try:
            return self._lifted(exchange, line)
        except Exception as error:  # noqa: BLE001  (of the memory, for example)
            return self._lost(exchange, head, tail, line.size, error)

    def _lost(self, exchange: Exchange, head: bytes, tail: bytes, size: int, error: Exception) -> Sequence[Command]:
        """Answer the request whose response could not be handled, by the id at its beginning or its end."""
        request = exchange.request_of(jsonrpc.id_in(head, tail))
        if request is not None:
            return exchange.fail(request, self.failed(request.name, error))
        self._log.note("error", f"a message of {size:,} bytes was dropped: {described(error)}")
        return ()

    def _lifted(self, exchange: Exchange, line: LargeLine) -> Sequence[Command]:
        """Handle a large line with its one long text taken out, where every result above the limits is held: so the
        text is never copied."""
        from penstock.core.json.long_parts import LongParts  # noqa: PLC0415
        from penstock.core.json.long_text import drained, lift  # noqa: PLC0415

        if not self.may_receive(line.parts[0]):
            return exchange.upstream_sent(b"".join(drained(line.parts)))
        lifted = lift(drained(line.parts))
        parts = None if lifted.text is None else LongParts(text=lifted.text)
        return self._classify_lifted(exchange, lifted.line, parts)

    def _received(self, exchange: Exchange, inflow: ChunkInflow) -> Sequence[Command]:
        """Handle an arriving line in the same way; its text and its data are packed and indexed meanwhile, and not in
        memory."""
        from penstock.core.json.long_parts import lift_parts  # noqa: PLC0415
        from penstock.gate.arrival import Arrivals  # noqa: PLC0415

        with Arrivals(lambda: self._opened(exchange).store, self._rules.config.max_result_bytes) as arrivals:
            line, parts = lift_parts(iter(inflow), arrivals.begin)
        return self._classify_lifted(exchange, line, parts)

    def _classify_lifted(self, exchange: Exchange, line: bytes, parts: LongParts | None) -> Sequence[Command]:
        try:
            commands = exchange.upstream_sent(line, parts)
        except Exception as error:  # noqa: BLE001
            commands = self._unread(exchange, line, error, parts)
        if parts is None:
            return commands
        return [replace(one, line=parts.put_back(one.line)) if isinstance(one, ToClient) else one for one in commands]

    def _unread(
        self, exchange: Exchange, line: bytes, error: Exception, lifted: LongParts | None = None
    ) -> Sequence[Command]:
        """Pass on a message that could not be handled, by an unforeseen error."""
        self._log.note("error", f"a message was relayed unread: {described(error)}")
        try:
            return exchange.relay_unread(line, lifted)
        except Exception as again:  # noqa: BLE001  (of the settings, for example)
            return exchange.fail_by_id(jsonrpc.id_of_unread(line), self.failed("a request", again))

    def failed(self, name: str, error: Exception, handle: str = "") -> str:
        """Log why a response could not be made, and return the words for the client. ``handle`` is that of the result,
        where it was held before that. This never raises, even if no memory is left."""
        try:
            what = described(error)
            error.__traceback__ = None  # Its frames hold the data of the work that failed.
            self._log.note("error", f"an answer to {name} could not be made: {what}")
            do = f"the result is held as {handle}" if handle else "repeat the call, or narrow it"
            return f"Penstock could not make the answer ({type(error).__name__}); {do}"
        except MemoryError:
            return OUT_OF_MEMORY
