"""A process as one of several servers: two threads, one that reads it and one that writes to it, so that a server which
does not read holds up only the requests for it. A very long response waits in a file until it is whole: the pipe to the
gateway is one for all servers, and a slow one must not hold it."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol

from penstock.gateway import pipes
from penstock.gateway.upstreams.process import how_it_ended, start
from penstock.protocol.wire.lines import KEPT, LargeLine, LineBuffer, TooLong
from penstock.stores.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.client_config.expand import LocalServer

PART: Final = 262_144  # bytes of a line that are read from its file at a time
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
        heard: Callable[[Link, bytes | SpooledLine | TooLong], None],
        ended: Callable[[Link, str], None],
        may_write: bool = False,
    ) -> None:
        """Start it. If it ``may_write``, very long lines are put into files that have no name."""
        self._heard = heard
        self._ended = ended
        self._spooling = _Spooling() if may_write else None
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
        for line in lines_of(self._child.stdout, self._spooling):
            self._heard(self, line)
        os.close(self._child.stdout)
        how = how_it_ended(self._child.end(GRACE))
        self._input.close(0)
        self._ended(self, self._stopped or how)


class SpooledLine:
    """A response that is kept in a file: how it begins, how it ends, and all of it part by part."""

    def __init__(self, head: bytes) -> None:
        self.head = head
        self.tail = b""
        self.is_whole = False
        self._spool = Spool(None, may_write=True)
        self._size = 0
        self._failure = ""

    def put(self, part: bytes) -> None:
        """Take a part. When the disk is full the line is lost, but for its ends."""
        self._size += len(part)
        self.tail = (self.tail + part)[-KEPT:]
        try:
            if not self._failure:
                self._spool.append(part)
        except OSError as error:
            self._failure = str(error)
            self._spool.close()

    def end(self) -> None:
        """End it. Without the end of an object it is none: the server died in the middle of it."""
        self.is_whole = self.tail.rstrip().endswith(b"}")

    def drop(self) -> bytes:
        """Drop it, and return how it ended so far: it is too long."""
        self._spool.close()
        return self.tail

    @property
    def lost(self) -> TooLong | None:
        """Return what is known of a line that could not be kept."""
        return TooLong(head=self.head, tail=self.tail, size=self._size) if self._failure else None

    def parts(self) -> Iterator[bytes]:
        """Yield all of it, and let go of the file."""
        for at in range(0, len(self._spool), PART):
            yield self._spool.read(at, at + PART)
        self._spool.close()
        if not self.tail.endswith(b"\n"):  # the server ended behind it
            yield b"\n"


class _Spooling:
    """Takes the long responses of one server, one after the other."""

    def __init__(self) -> None:
        self._line: SpooledLine | None = None

    def grew(self, head: bytes, size: int) -> None:
        """Leave it to the gateway to tell the client how much has come."""

    def take(self, head: bytes) -> SpooledLine | None:
        """Take the response of a tool whose text or data the gateway handles while it arrives."""
        from penstock.core.json.long_parts import begins_long  # noqa: PLC0415

        self._line = SpooledLine(head) if begins_long(head) else None
        return self._line

    def take_whole(self) -> Iterator[SpooledLine | TooLong]:
        """Yield the line that has come to its end, once; what is known of it if it could not be kept."""
        if self._line is not None and self._line.is_whole:
            line, self._line = self._line, None
            yield line.lost or line


def lines_of(descriptor: int, spooling: _Spooling | None = None) -> Iterator[bytes | SpooledLine | TooLong]:
    """Yield the lines that are read from a pipe until its end."""
    lines = LineBuffer(lambda: LONGEST, watcher=spooling)
    size = pipes.CHUNK
    while chunk := pipes.read(descriptor, size):
        completed = lines.feed(chunk)
        if spooling is not None:
            yield from spooling.take_whole()
        for line in completed:
            yield b"".join(line.parts) if isinstance(line, LargeLine) else line
        size = pipes.CHUNK if len(chunk) < pipes.CHUNK else pipes.LARGE
    if rest := lines.rest():  # the last line may come without its newline
        yield rest
    if spooling is not None:
        yield from spooling.take_whole()
