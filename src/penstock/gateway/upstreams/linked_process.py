"""A process as one of several servers: two threads, one that reads it and one that writes to it, so that a server which
does not read holds up only the requests for it."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol

from penstock.gateway import pipes
from penstock.gateway.output import Output
from penstock.gateway.upstreams.process import how_it_ended, start
from penstock.protocol.wire.lines import LargeLine, LineBuffer, TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.client_config.expand import LocalServer

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


class LinkedProcess:
    """A running server. Raises ``CannotStartError`` when it cannot be started."""

    def __init__(
        self,
        server: LocalServer,
        *,
        heard: Callable[[Link, bytes | TooLong], None],
        ended: Callable[[Link, str], None],
    ) -> None:
        self._heard = heard
        self._ended = ended
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

    def _read(self) -> None:
        for line in lines_of(self._child.stdout):
            self._heard(self, line)
        how = how_it_ended(self._child.end(GRACE))
        self._ended(self, self._stopped or how)


def lines_of(descriptor: int) -> Iterator[bytes | TooLong]:
    """Yield the lines that are read from a pipe until its end."""
    lines = LineBuffer(lambda: LONGEST)
    while chunk := pipes.read(descriptor):
        for line in lines.feed(chunk):
            yield b"".join(line.parts) if isinstance(line, LargeLine) else line
    if rest := lines.rest():  # the last line may come without its newline
        yield rest
