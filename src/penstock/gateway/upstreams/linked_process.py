"""A process as one of several servers: two threads, one that reads it and one that writes to it, so that a server which
does not read holds up only the requests for it. A very long response waits in a file until it is whole: the pipe to the
gateway is one for all servers, and a slow one must not hold it."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final, Protocol

from penstock.gateway import pipes
from penstock.gateway.upstreams.process import how_it_ended, start
from penstock.protocol.wire.lines import LineBuffer
from penstock.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.client_config.expand import LocalServer
    from penstock.protocol.wire.lines import Line

GRACE: Final = 2.0  # seconds for a server to end by itself, and again after SIGTERM
UNREAD: Final = 67_108_864  # bytes that a server has not read; one that leaves more is stopped
LONGEST: Final = 1_073_741_824  # bytes of a line; the gateway in front of this has a smaller limit


class Link(Protocol):
    """The connection to one server."""

    def begin(self) -> None:
        """Hand on the server's lines from now on."""
        ...

    def put(self, line: bytes) -> None:
        """Send a line to the server, without waiting for it."""
        ...

    def stop(self) -> None:
        """Deliver what was put in, end the server or the session with it, and wait for that a few seconds."""
        ...

    def kill(self) -> None:
        """End the server, or the session with it, without waiting."""
        ...


class InputQueue:
    """Write lines to a server in their order, from a thread of its own: no other thread waits for the server."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._counting = threading.Lock()
        self._unread = 0
        self._closed = threading.Event()
        threading.Thread(target=self._deliver, name="penstock-input", daemon=True).start()

    def put(self, line: bytes) -> bool:
        """Hand over a line; False when there are too many bytes that the server has not taken yet."""
        with self._counting:
            if self._unread > UNREAD:
                return False
            self._unread += len(line)
        self._lines.put(line)
        return True

    def close(self, patience: float) -> None:
        """Close the server's input behind the last line, and wait for that no longer than ``patience`` seconds."""
        self._lines.put(b"")
        self._closed.wait(patience)

    def _deliver(self) -> None:
        with suppress(OSError):  # the server has closed its input
            while line := self._lines.get():
                pipes.write(self._descriptor, line)
                with self._counting:
                    self._unread -= len(line)
        os.close(self._descriptor)
        self._closed.set()


class LinkedProcess:
    """A running server. Raises ``CannotStartError`` when it cannot be started."""

    def __init__(
        self,
        server: LocalServer,
        *,
        heard: Callable[[Link, Line], None],
        ended: Callable[[Link, str], None],
        may_write: bool = False,
    ) -> None:
        """Start it. If it ``may_write``, very long lines are put into files that have no name."""
        self._heard = heard
        self._ended = ended
        self._new_spool = temporary_spool(may_write=may_write)
        self._child = start(server.command, server.environment, folder=server.folder)
        self._input = InputQueue(self._child.stdin)
        self._stopped = ""  # why we stopped it

    def begin(self) -> None:
        threading.Thread(target=self._read, name="penstock-server", daemon=True).start()

    def put(self, line: bytes) -> None:
        if not self._input.put(line):
            self._stopped = "does not read its input, and was stopped"
            self._child.kill()  # its open requests fail when its output ends

    def stop(self) -> None:
        self._input.close(GRACE)
        self._child.end(GRACE)

    def kill(self) -> None:
        self._child.kill()

    def _read(self) -> None:
        for line in lines_of(self._child.stdout, self._new_spool):
            self._heard(self, line)
        os.close(self._child.stdout)
        how = how_it_ended(self._child.end(GRACE))
        self._input.close(0)
        self._ended(self, self._stopped or how)


def lines_of(descriptor: int, new_spool: Callable[[], Spool] = Spool) -> Iterator[Line]:
    """Yield the lines that are read from a pipe until its end."""
    lines = LineBuffer(lambda: LONGEST, new_spool=new_spool)
    size = pipes.CHUNK
    while chunk := pipes.read(descriptor, size):
        yield from lines.feed(chunk)
        size = pipes.CHUNK if len(chunk) < pipes.CHUNK else pipes.LARGE
    if (rest := lines.rest()) is not None:  # the last line may come without its newline
        yield rest


def temporary_spool(*, may_write: bool) -> Callable[[], Spool]:
    """Return what makes a place for a line that arrives, in a file of the system's own folder if it ``may_write``."""
    return partial(Spool, TemporaryFile) if may_write else Spool
