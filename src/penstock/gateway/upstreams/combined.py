"""Several servers as one, on standard input and output: a router knows which of them has what.

One thread reads the client. A server that is a process has two threads (``linked_process``); servers over HTTP share an
event loop (``linked_remote``). The router is called under a lock.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Final, NoReturn, ParamSpec

from penstock.client_config.expand import LocalServer
from penstock.errors import PenstockError, UpstreamError
from penstock.gateway.log import Log
from penstock.gateway.output import Output
from penstock.gateway.upstreams.linked_process import GRACE, LinkedProcess, lines_of
from penstock.protocol.combine.router import Back, Restart, Router, To
from penstock.protocol.commands import Note
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.client_config.expand import RemoteServer
    from penstock.gateway.upstreams.linked_process import Link
    from penstock.protocol.combine.router import Sent

P = ParamSpec("P")

LAST_WORK: Final = 30.0  # seconds for answers to what was asked before the client's end
TICK: Final = 0.05  # seconds between two looks for them


class CombinedServers:
    """Runs servers until the client has gone. One that cannot be started, or ends, is missed by none of the others."""

    def __init__(self, servers: Sequence[LocalServer | RemoteServer]) -> None:
        self._servers = servers
        self._router = Router([server.name for server in servers])
        self._lock = threading.Lock()
        self._client = Output(1)
        self._log = Log()
        self._links: dict[int, Link] = {}

    def run(self) -> NoReturn:
        """Relay until the client sends no more, and end all servers."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda signalled, _: self._end(128 + signalled))
        for at in range(len(self._servers)):
            self._start(at)
        for line in lines_of(0):
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
            link = self._linked(at, server)
        except PenstockError as error:
            self._say(f"{server.name}: {error}")
            self._ask(self._router.upstream_ended, at, "could not be started")
            return
        self._links[at] = link
        link.begin()

    def _linked(self, at: int, server: LocalServer | RemoteServer) -> Link:
        def heard(link: Link, line: bytes | TooLong) -> None:
            if self._links.get(at) is not link:
                return  # another one is in its place
            if isinstance(line, TooLong):
                self._ask(self._router.upstream_overflowed, at, line)
            else:
                self._ask(self._router.upstream_sent, at, line)

        def ended(link: Link, how: str) -> None:
            if self._links.get(at) is link:
                self._ask(self._router.upstream_ended, at, how)

        if isinstance(server, LocalServer):
            return LinkedProcess(server, heard=heard, ended=ended)
        try:
            from penstock.gateway.upstreams.linked_remote import LinkedRemote  # noqa: PLC0415  (its imports take long)
        except ImportError as error:
            raise UpstreamError(
                f"the package {error.name} is needed for a server over HTTP", do='pip install "penstock[http]"'
            ) from None
        return LinkedRemote(server, heard=heard, note=self._say)

    def _restart(self, at: int) -> None:
        threading.Thread(target=self._links.pop(at).stop, daemon=True).start()
        self._start(at)

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
                    link = self._links.get(at)  # none if it could not be started again; that was told
                    if link is not None:
                        link.put(jsonrpc.ended(line))
                case Restart(upstream=at):
                    self._restart(at)
                case Note(text=text):
                    self._say(text)

    def _say(self, text: str) -> None:
        self._log.write(f"penstock: {text}")

    def _end(self, code: int) -> NoReturn:
        endings = [threading.Thread(target=link.stop, daemon=True) for link in self._links.values()]
        for ending in endings:
            ending.start()
        for ending in endings:
            ending.join(3 * GRACE)
        os._exit(code)
