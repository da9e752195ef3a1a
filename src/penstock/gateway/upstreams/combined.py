"""Several servers as one, in this process: a router knows which of them has what.

One thread reads the client. A server that is a process has two threads (``linked_process``); servers over HTTP share an
event loop (``linked_remote``). The router is called under a lock. ``run --config`` and ``serve --config`` have a
``CombinedChild`` where they have a process else; ``penstock run --config`` is the same on standard input and output.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Final, NoReturn, ParamSpec

from penstock.client_config.expand import LocalServer
from penstock.core.json.buffer import pieces
from penstock.distribution import install
from penstock.errors import PenstockError, UpstreamError
from penstock.gateway.log import Log
from penstock.gateway.output import Output
from penstock.gateway.upstreams.linked_process import GRACE, LinkedProcess, lines_of
from penstock.gateway.upstreams.process import SIGKILL, Child
from penstock.protocol.combine.router import Back, Restart, Router, To
from penstock.protocol.commands import Note
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import KEPT, TooLong
from penstock.unforeseen import described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.client_config.expand import RemoteServer
    from penstock.gateway.upstreams.linked_process import Link
    from penstock.protocol.combine.router import Sent
    from penstock.protocol.wire.lines import Line

P = ParamSpec("P")

LAST_WORK: Final = 30.0  # seconds for answers to what was asked before the client's end
TICK: Final = 0.05  # seconds between two looks for them


class CombinedServers:
    """Runs servers behind two file descriptors: ``stdin`` is read from the client, ``stdout`` written to it. A server
    that cannot be started, or ends, is missed by none of the others. ``ended`` gets the exit code, once."""

    def __init__(
        self,
        servers: Sequence[LocalServer | RemoteServer],
        stdin: int,
        stdout: int,
        ended: Callable[[int], object],
        *,
        may_write: bool = False,
    ) -> None:
        """Take servers. If this ``may_write``, their very long responses wait in files, not in memory."""
        self._servers = servers
        self._may_write = may_write
        self._router = Router([server.name for server in servers])
        self._lock = threading.Lock()
        self._stdin = stdin
        self._client = Output(stdout)
        self._has_ended = ended
        self._log = Log()
        self._links: dict[int, Link] = {}
        self._ending = threading.Lock()

    def run(self) -> None:
        """Relay until the client sends no more, and end all servers."""
        for at in range(len(self._servers)):
            self._start(at)
        for line in lines_of(self._stdin):
            if isinstance(line, bytes):
                self._ask(self._router.client_sent, line)
            elif isinstance(line, TooLong):
                self._say(f"a message of the client was dropped: it has {line.size:,} bytes")
        deadline = time.monotonic() + LAST_WORK
        while self._is_asked() and time.monotonic() < deadline and not self._client.closed:
            time.sleep(TICK)  # the threads that read the servers are at work
        self.end(0)

    def _is_asked(self) -> bool:
        with self._lock:  # the router may be just between two requests that belong together
            return self._router.is_asked

    def end(self, code: int) -> None:
        """End all servers, and wait for that a few seconds."""
        if not self._ending.acquire(blocking=False):
            return  # another thread does so
        endings = [threading.Thread(target=link.stop, daemon=True) for link in self._links.values()]
        for ending in endings:
            ending.start()
        for ending in endings:
            ending.join(3 * GRACE)
        self._has_ended(code)

    def kill(self) -> None:
        """End all servers without waiting."""
        self._ending.acquire(blocking=False)
        for link in list(self._links.values()):
            link.kill()
        self._has_ended(-SIGKILL)

    def settle(self, patience: float) -> None:
        """Let the line that is being written to the client be the last one."""
        self._client.settle(patience)

    def _start(self, at: int) -> None:
        if self._ending.locked():
            return
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
        def heard(link: Link, line: Line) -> None:
            if self._links.get(at) is not link:
                return  # another one is in its place
            if isinstance(line, TooLong):
                self._ask(self._router.upstream_overflowed, at, line)
            elif isinstance(line, bytes):
                self._ask(self._router.upstream_sent, at, line)
            else:
                self._pass_on(at, line)

        def ended(link: Link, how: str) -> None:
            if self._links.get(at) is link:
                self._ask(self._router.upstream_ended, at, how)

        if isinstance(server, LocalServer):
            return LinkedProcess(server, heard=heard, ended=ended, may_write=self._may_write)
        try:
            from penstock.gateway.upstreams.linked_remote import LinkedRemote  # noqa: PLC0415  (its imports take long)
        except ImportError as error:
            raise UpstreamError(
                f"the package {error.name} is needed for a server over HTTP", do=install("http")
            ) from None
        return LinkedRemote(server, heard=heard, note=self._say, may_write=self._may_write)

    def _pass_on(self, at: int, line: memoryview) -> None:
        """Write a very long line to the client from its file, if it answers a request to this server alone."""
        with self._lock:
            is_answer = self._router.answers(at, bytes(line[:KEPT]), bytes(line[-KEPT:]))
        if not is_answer:
            self._ask(self._router.upstream_sent, at, bytes(line))
        elif not self._client.write_parts(pieces(line)):
            self.end(0)

    def _restart(self, at: int) -> None:
        threading.Thread(target=self._links.pop(at).stop, daemon=True).start()
        self._start(at)

    def _ask(self, handle: Callable[P, list[Sent]], *args: P.args, **kwargs: P.kwargs) -> None:
        """Ask the router, and do what it says."""
        try:
            with self._lock:
                sent = handle(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  (a mistake of ours must not end a thread that others need)
            self._say(f"a message was lost: {described(error)}")
            return
        for one in sent:
            match one:
                case Back(line=line):
                    if not self._client.write(jsonrpc.ended(line)):
                        self.end(0)
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


class CombinedChild(Child):
    """Several servers in this process, for a driver of one process: threads stand for the process, two pipes for its
    input and output."""

    def __init__(self, servers: Sequence[LocalServer | RemoteServer], *, may_write: bool = False) -> None:
        self._theirs, stdin = os.pipe()
        stdout, self._ours = os.pipe()
        super().__init__(0, stdin=stdin, stdout=stdout, watcher=None, lifeline=None)
        ends = self._theirs, self._ours
        self._combined = CombinedServers(servers, *ends, self._ended_with, may_write=may_write)
        threading.Thread(target=self._run, name="penstock-combined", daemon=True).start()

    def poll(self) -> int | None:
        """Return how the servers were ended; None while they run."""
        return self._code

    def signal(self, number: int) -> None:
        """End the servers, as a process does by a signal."""
        threading.Thread(target=self._combined.end, args=(-number,), name="penstock-end", daemon=True).start()

    def kill(self) -> None:
        """End at once what is left."""
        if self._code is None:
            self._combined.kill()

    def _run(self) -> None:
        self._combined.run()
        os.close(self._theirs)

    def _ended_with(self, code: int) -> None:
        with self._looking:
            if self._code is not None:
                return
            self._code = code
        threading.Thread(target=self._close_output, name="penstock-end", daemon=True).start()

    def _close_output(self) -> None:
        """Close the output once no thread writes to it: its number may be another file's then."""
        self._combined.settle(threading.TIMEOUT_MAX)
        os.close(self._ours)


def gather(servers: Sequence[LocalServer | RemoteServer]) -> NoReturn:
    """Run servers on our standard input and output, until the client has gone or a signal comes."""

    def ended(code: int) -> None:
        combined.settle(GRACE)
        os._exit(code)

    combined = CombinedServers(servers, 0, 1, ended)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signalled, _: combined.end(128 + signalled))
    combined.run()
    time.sleep(3 * GRACE)  # another thread ends the servers, and then this process
    os._exit(1)
