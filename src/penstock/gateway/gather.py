"""Several servers as one, on standard input and output: each is a process, and a router knows which of them has what.

One thread reads the client, one each server. The router is asked under a lock; writing happens outside of it, so that
a server which takes nothing in holds up nobody but those who ask it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NoReturn

from penstock.gateway import pipes
from penstock.gateway.output import Output
from penstock.gateway.process import CannotStartError, how_it_ended, start
from penstock.protocol.lines import LargeLine, Lines, TooLong
from penstock.protocol.router import Back, Router, To

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.gateway.process import Child
    from penstock.protocol.router import Sent

GRACE: Final = 2.0  # seconds for a server to end by itself, and again after SIGTERM
LONGEST: Final = 1_073_741_824  # bytes of a line; whoever stands in front of us has a smaller limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server's command, and what its environment has beside ours; ``unlisted`` is a tool that it adds itself."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    unlisted: str = ""


class Gather:
    """Runs servers until the client has gone. One that cannot be started, or ends, is missed by none of the others."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self._servers = servers
        unlisted = {at: server.unlisted for at, server in enumerate(servers) if server.unlisted}
        self._router = Router([server.name for server in servers], unlisted)
        self._lock = threading.Lock()
        self._client = Output(1)
        self._children: dict[int, Child] = {}
        self._inputs: dict[int, Output] = {}

    def run(self) -> NoReturn:
        """Relay until the client sends no more, and end all servers."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda signalled, _: self._end(128 + signalled))
        for at, server in enumerate(self._servers):
            try:
                child = start(server.command, server.environment)
            except CannotStartError as error:
                print(f"penstock: {server.name}: {error}", file=sys.stderr)  # noqa: T201
                self._router.upstream_ended(at, "could not be started")
                continue
            self._children[at] = child
            self._inputs[at] = Output(child.stdin)
            threading.Thread(target=self._read_server, args=(at, child), daemon=True).start()
        for line in _lines(0):
            with self._lock:
                sent = self._router.client_sent(line)
            self._carry_out(sent)
        self._end(0)

    def _read_server(self, at: int, child: Child) -> None:
        for line in _lines(child.stdout):
            with self._lock:
                sent = self._router.upstream_sent(at, line)
            self._carry_out(sent)
        how = how_it_ended(child.end(GRACE))
        with self._lock:
            sent = self._router.upstream_ended(at, how)
        self._carry_out(sent)

    def _carry_out(self, sent: Iterable[Sent]) -> None:
        for one in sent:
            match one:
                case Back(line=line):
                    if not self._client.write(_whole(line)):
                        self._end(0)
                case To(upstream=at, line=line):
                    self._inputs[at].write(_whole(line))

    def _end(self, code: int) -> NoReturn:
        endings = [threading.Thread(target=self._stop, args=(at,), daemon=True) for at in self._children]
        for ending in endings:
            ending.start()
        for ending in endings:
            ending.join(3 * GRACE)
        os._exit(code)

    def _stop(self, at: int) -> None:
        self._inputs[at].close(GRACE)
        self._children[at].end(GRACE)


def _lines(descriptor: int) -> Iterable[bytes]:
    lines = Lines(lambda: LONGEST)
    while chunk := pipes.read(descriptor):
        for line in lines.feed(chunk):
            if isinstance(line, LargeLine):
                yield b"".join(line.parts)
            elif not isinstance(line, TooLong):
                yield line


def _whole(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"
