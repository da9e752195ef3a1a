"""Lines of the upstream on their way to the exchange: as they are, with their one long text taken out, or while they
still arrive. None of these raises: what cannot be handled is passed on, or its request is answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from penstock.gateway.busy import BUSY
from penstock.gateway.inflow import DroppedError
from penstock.protocol.commands import ToClient
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import LargeLine, TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.json.long_bytes import Bytes
    from penstock.gate import Gate
    from penstock.gateway.config_rules import ConfigRules
    from penstock.gateway.inflow import ChunkInflow
    from penstock.gateway.log import Log
    from penstock.protocol.commands import Command
    from penstock.protocol.exchange import Exchange
    from penstock.protocol.wire.lines import Line

# The response of a tool whose first block is a text: only of such a line the text can be lifted out before it is read.
ONE_TEXT: Final = (
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(?:-?[0-9]+|"[^"\\]*")\s*,\s*)?'
    rb'(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"result"\s*:\s*\{\s*"content"\s*:\s*\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*'
    rb'"text"\s*:\s*"'
)


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
        """Tell whether a line that begins so can be handled while it arrives."""
        return self._rules.lifts and re.match(ONE_TEXT, head) is not None

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
        from penstock.unforeseen import described  # noqa: PLC0415

        self._log.note("error", f"a message of {size:,} bytes was dropped: {described(error)}")
        return ()

    def _lifted(self, exchange: Exchange, line: LargeLine) -> Sequence[Command]:
        """Handle a large line with its one long text taken out, where every result above the limits is held: so the
        text is never copied."""
        from penstock.core.json.long_text import drained, lift  # noqa: PLC0415

        if not self.may_receive(line.parts[0]):
            return exchange.upstream_sent(b"".join(drained(line.parts)))
        lifted = lift(drained(line.parts))
        return self._classify_lifted(exchange, lifted.line, lifted.text)

    def _received(self, exchange: Exchange, inflow: ChunkInflow) -> Sequence[Command]:
        """Handle an arriving line in the same way; its text is packed and indexed meanwhile, and not in memory."""
        from penstock.core.json.long_text import lift_into  # noqa: PLC0415
        from penstock.gate.arrival import Arrival  # noqa: PLC0415
        from penstock.gate.following import start_follower  # noqa: PLC0415

        follower = start_follower()  # which takes as long to start as the gate to open
        try:
            store = self._opened(exchange).store
            arrival = Arrival(store, self._rules.config.max_result_bytes, follower)
        except BaseException:
            if follower is not None:
                follower.stop()
            raise
        try:
            line, is_lifted = lift_into(arrival, iter(inflow))
            text = arrival.done() if is_lifted else None
        except BaseException as error:
            arrival.drop(error)
            raise
        if text is None:
            arrival.drop()
        return self._classify_lifted(exchange, line, text)

    def _classify_lifted(self, exchange: Exchange, line: bytes, text: Bytes | None) -> Sequence[Command]:
        from penstock.core.json.long_text import put_back  # noqa: PLC0415

        try:
            commands = exchange.upstream_sent(line, text)
        except Exception as error:  # noqa: BLE001
            commands = self._unread(exchange, line, error, text)
        if text is None:
            return commands
        return [replace(one, line=put_back(one.line, text)) if isinstance(one, ToClient) else one for one in commands]

    def _unread(
        self, exchange: Exchange, line: bytes, error: Exception, lifted: Bytes | None = None
    ) -> Sequence[Command]:
        """Pass on a message that could not be handled, by an unforeseen error."""
        from penstock.unforeseen import described  # noqa: PLC0415

        self._log.note("error", f"a message was relayed unread: {described(error)}")
        try:
            return exchange.relay_unread(line, lifted)
        except Exception as again:  # noqa: BLE001  (of the settings, for example)
            return exchange.fail_by_id(jsonrpc.id_of_unread(line), self.failed("a request", again))

    def failed(self, name: str, error: Exception, handle: str = "") -> str:
        """Log why a response could not be made, and return the words for the client. ``handle`` is that of the result,
        where it was held before that."""
        from penstock.unforeseen import described  # noqa: PLC0415

        self._log.note("error", f"an answer to {name} could not be made: {described(error)}")
        do = f"the result is held as {handle}" if handle else "repeat the call, or narrow it"
        return f"Penstock could not make the answer ({type(error).__name__}); {do}"
