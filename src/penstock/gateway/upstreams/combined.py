"""Several servers as one, on standard input and output: each is a process, and a router knows which of them has what.

One thread reads the client; two are for each server, one that reads it and one that writes to it, so that a server
which does not read holds up only the requests for it. The router is called under a lock.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, NoReturn, ParamSpec

from penstock.gateway import pipes
from penstock.gateway.output import Output
from penstock.gateway.upstreams.process import CannotStartError, how_it_ended, start
from penstock.protocol.combine.router import Back, Restart, Router, To
from penstock.protocol.commands import Note
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import LargeLine, LineBuffer, TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from penstock.gateway.upstreams.process import Child
    from penstock.protocol.combine.router import Sent

P = ParamSpec("P")

GRACE: Final = 2.0  # seconds for a server to end by itself, and again after SIGTERM
LAST_WORK: Final = 30.0  # seconds for answers to what was asked before the client's end
TICK: Final = 0.05  # seconds between two looks for them
UNREAD: Final = 67_108_864  # bytes that a server has not read; one that leaves more is stopped
LONGEST: Final = 1_073_741_824  # bytes of a line; the gateway in front of this has a smaller limit


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCommand:
    """A server's command, the folder that it runs in if not in ours, and what its environment has beside ours;
    ``unlisted`` is a tool that it adds itself."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    unlisted: str = ""


class InputQueue:
    """Write lines to a server in their order, from a thread of its own: no other thread waits for the server."""

    def __init__(self, descriptor: int) -> None:
        self._output = Output(descriptor)
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._changed = threading.Condition()
        self._unread = 0
        threading.Thread(target=self._deliver, name="penstock-mailbox", daemon=True).start()

    def put(self, line: bytes) -> bool:
        """Hand over a line; False when there are too many bytes that the server has not taken yet."""
        with self._changed:
            if self._unread > UNREAD:
                return False
            self._unread += len(line)
        self._lines.put(line)
        return True

    def close(self, patience: float) -> None:
        """Say that nothing more will come, once what is in hand is delivered, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._unread or self._output.closed, patience)
        self._output.close(patience)

    def _deliver(self) -> None:
        while self._output.write(line := self._lines.get()):
            self._taken(len(line))
        self._taken(0)

    def _taken(self, size: int) -> None:
        with self._changed:
            self._unread -= size
            self._changed.notify_all()


class CombinedServers:
    """Runs servers until the client has gone. One that cannot be started, or ends, is missed by none of the others."""

    def __init__(self, servers: Sequence[ServerCommand]) -> None:
        self._servers = servers
        unlisted = {at: server.unlisted for at, server in enumerate(servers) if server.unlisted}
        self._router = Router([server.name for server in servers], unlisted)
        self._lock = threading.Lock()
        self._client = Output(1)
        self._children: dict[int, Child] = {}
        self._mailboxes: dict[int, InputQueue] = {}
        self._stopped: dict[int, str] = {}  # why we stopped a server

    def run(self) -> NoReturn:
        """Relay until the client sends no more, and end all servers."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda signalled, _: self._end(128 + signalled))
        for at in range(len(self._servers)):
            self._start(at)
        for line in _lines(0):
            if isinstance(line, TooLong):
                self._say(f"a message of the client was dropped: it has {line.size:,} bytes")
            else:
                self._ask(self._router.client_sent, line)
        deadline = time.monotonic() + LAST_WORK
        while self._router.is_asked and time.monotonic() < deadline:
            time.sleep(TICK)  # the threads that read the servers are at work
        self._end(0)

    def _start(self, at: int) -> None:
        server = self._servers[at]
        try:
            child = start(server.command, server.environment, folder=server.folder)
        except CannotStartError as error:
            self._say(f"{server.name}: {error}")
            self._ask(self._router.upstream_ended, at, "could not be started")
            return
        self._children[at] = child
        self._mailboxes[at] = InputQueue(child.stdin)
        threading.Thread(target=self._read_server, args=(at, child), daemon=True).start()

    def _restart(self, at: int) -> None:
        child = self._children.pop(at)
        threading.Thread(target=self._stop, args=(child, self._mailboxes.pop(at)), daemon=True).start()
        self._start(at)

    def _read_server(self, at: int, child: Child) -> None:
        for line in _lines(child.stdout):
            if isinstance(line, TooLong):
                self._ask(self._router.upstream_overflowed, at, line)
            else:
                self._ask(self._router.upstream_sent, at, line)
        ended = how_it_ended(child.end(GRACE))
        if self._children.get(at) is child:  # and no other one in its place
            self._ask(self._router.upstream_ended, at, self._stopped.get(at) or ended)

    def _ask(self, question: Callable[P, list[Sent]], *given: P.args, **named: P.kwargs) -> None:
        """Ask the router, and do what it says."""
        try:
            with self._lock:
                sent = question(*given, **named)
        except Exception as error:  # noqa: BLE001  (a mistake of ours must not end a thread that others need)
            self._say(f"a message was lost: {type(error).__name__}: {error}")
            return
        for one in sent:
            match one:
                case Back(line=line):
                    if not self._client.write(jsonrpc.ended(line)):
                        self._end(0)
                case To(upstream=at, line=line):
                    mailbox = self._mailboxes.get(at)  # none if it could not be started again; that was told
                    if mailbox is not None and not mailbox.put(jsonrpc.ended(line)):
                        self._stopped[at] = "does not read its input, and was stopped"
                        self._children[at].kill()  # its open requests fail when its output ends
                case Restart(upstream=at):
                    self._restart(at)
                case Note(text=text):
                    self._say(text)

    def _say(self, text: str) -> None:
        print(f"penstock: {text}", file=sys.stderr, flush=True)  # noqa: T201

    def _end(self, code: int) -> NoReturn:
        left = [(child, self._mailboxes[at]) for at, child in self._children.items()]
        endings = [threading.Thread(target=self._stop, args=one, daemon=True) for one in left]
        for ending in endings:
            ending.start()
        for ending in endings:
            ending.join(3 * GRACE)
        os._exit(code)

    def _stop(self, child: Child, mailbox: InputQueue) -> None:
        mailbox.close(GRACE)
        child.end(GRACE)


def _lines(descriptor: int) -> Iterator[bytes | TooLong]:
    lines = LineBuffer(lambda: LONGEST)
    while chunk := pipes.read(descriptor):
        for line in lines.feed(chunk):
            yield b"".join(line.parts) if isinstance(line, LargeLine) else line
    if rest := lines.rest():  # the last line may come without its newline
        yield rest
