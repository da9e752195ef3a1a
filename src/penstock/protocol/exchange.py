"""One connection: lines in, commands out. No file, no clock and no lock is in here.

    client line   --> ToUpstream, or Fetch for our own tool                                          (``client_side``)
    upstream line --> ToClient when it fits (the same bytes), Admit when it may not, Noise when it is no message
                                                                                                     (``upstream_side``)

Client and upstream number their requests each for themselves; ids are compared in one spelling (``jsonrpc.key_of``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.protocol.client_side import FromClient
from penstock.protocol.commands import Admit, Command, Fetch, ToClient, ToUpstream
from penstock.protocol.pending import SHOWN, Rules, State
from penstock.protocol.upstream_side import FromUpstream, put
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.protocol.wire.lines import TooLong

__all__ = ["Exchange", "Rules"]

# Requests that end by themselves. Others stay open for as long as someone listens, or until a task is done.
TIMED: Final = frozenset(
    (
        *("initialize", "server/discover", "ping", "tools/list", "tools/call", "logging/setLevel"),
        *("resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get"),
        *("completion/complete", "tasks/get", "tasks/list", "tasks/cancel"),
    )
)

THOUGHT: Final = 3_600.0  # seconds that a user may think about a question; after that it holds up no clock any more


class Exchange(State):
    """Drives both sides of a connection, and answers what is answered here."""

    def __init__(self, rules: Rules, *, now: Callable[[], float]) -> None:
        super().__init__(rules, now=now)
        self._from_client = FromClient(self)
        self._from_upstream = FromUpstream(self)

    def client_sent(self, line: bytes) -> Sequence[Command]:
        """What becomes of a line from the client."""
        return self._from_client.sent(line)

    def client_overflowed(self, line: TooLong) -> Sequence[Command]:
        """A line from the client was above the limit, and not kept."""
        return self._from_client.overflowed(line)

    def upstream_sent(self, line: bytes, lifted: bytes | None = None) -> Sequence[Command]:
        """What becomes of a line from the upstream. ``lifted`` is a text that was taken out of the line."""
        return self._from_upstream.sent(line, lifted)

    def upstream_overflowed(self, line: TooLong) -> Sequence[Command]:
        """A line from the upstream was above the limit, and not kept."""
        return self._from_upstream.overflowed(line)

    def admitted(self, admit: Admit, result: bytes) -> Sequence[Command]:
        """What the client gets once the gate has decided; nothing when it no longer waits."""
        line = admit.line
        if result is not admit.opened.inner:
            line = put(line, admit.waiting, admit.opened.member, admit.opened.close(result))
        return (ToClient(jsonrpc.ended(line)),) if self.take(admit.waiting) else ()

    def fetched(self, fetch: Fetch, result: bytes) -> Sequence[Command]:
        """The answer of our own tool, in the words of the client's era."""
        if fetch.waiting.modern:
            result = result[:-1] + b',"resultType":"complete"}'
        return (ToClient(jsonrpc.answer(fetch.waiting.key, result)),) if self.take(fetch.waiting) else ()

    def overdue(self) -> Sequence[Command]:
        """Give up on requests without an answer or a sign of progress; the upstream is told, the client too."""
        now = self.now()
        if self.asked and now - self.asked_at <= THOUGHT:  # the upstream waits for the client, and so may its answer
            self.refresh()
            return ()
        commands: list[Command] = []
        for waiting in list(self.waiting.values()):
            allowed = self.rules.timeout(waiting.name) if waiting.method in TIMED and not waiting.busy else None
            if allowed is None or now - waiting.since <= allowed:
                continue
            words = f"{self.who} has not answered {waiting.name[:SHOWN]} for {allowed:g} seconds"
            told = self.failed(waiting, f"{words}; raise call_timeout if it needs longer")
            commands += told
            if told and waiting.method != "initialize":  # the protocol forbids to cancel this one
                commands.append(ToUpstream(jsonrpc.cancelled(waiting.key, "timed out")))
        return commands

    def upstream_ended(self, how: str) -> Sequence[Command]:
        """Nobody will answer any more: every request that waits is told so, and every later one too."""
        self.ended = f"{self.who} {how}"
        left = [waiting for waiting in list(self.waiting.values()) if not waiting.busy]
        return [command for waiting in left for command in self.failed(waiting, self.ended)]
