"""The two reading threads, and what they do before anything else is imported: relay the first request and response.

A client sends ``initialize`` once and waits for the response; to import what reads messages takes about as long as a
small server needs to start. So the request is relayed unread, and the response too when it plainly needs no change; the
exchange gets both as soon as it is there.
"""

from __future__ import annotations

import threading

from penstock.gateway.pipes import read, write

TYPE_CHECKING = False  # nothing is imported here that is not there already
if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[bytes], None]

QUESTIONS = (b'"method":"initialize"', b'"method": "initialize"')
# As keys these bytes can stand in no string, where the quotes would be escaped: the server says that it has tools, or
# resources.
TOOLS = (b'"tools":{', b'"tools": {')
RESOURCES = (b'"resources":{', b'"resources": {')
ANSWERS = (b'"result":{', b'"result": {')


class ReaderThreads:
    """One thread reads the client, one the server; both wait for ``go_on`` once they have their first chunk.

    What they then hand over is that chunk, or nothing if it was written on already. A server that could not be started
    has no output to read. With ``may_export`` the client has to be told of resources, too.
    """

    def __init__(
        self,
        *,
        stdin: int,
        stdout: int,
        server_stdin: int | None,
        server_stdout: int | None,
        may_export: bool = False,
    ) -> None:
        self._abilities = (TOOLS, RESOURCES) if may_export else (TOOLS,)
        self._stdin = stdin
        self._stdout = stdout
        self._server_stdin = server_stdin
        self._server_stdout = server_stdout
        self._greeting = threading.Lock()
        self._over = server_stdin is None
        self._question = b""
        self._answer = b""
        self._past = threading.Event()
        self._ready = threading.Event()
        self._from_client: Reader = _unread
        self._from_server: Reader = _unread

    def start(self) -> None:
        threading.Thread(target=self._read_client, name="penstock-client", daemon=True).start()
        threading.Thread(target=self._read_server, name="penstock-server", daemon=True).start()

    def await_greeting(self, seconds: float) -> bool:
        """Wait while the server is about to answer: whatever we did meanwhile would slow it down. False if it has not
        done so by then."""
        return self._past.wait(seconds)

    def go_on(self, greeted: Callable[[bytes, bytes], None], from_client: Reader, from_server: Reader) -> None:
        """Let the threads go on with these. Before that ``greeted`` hears what was written on, the question first."""
        with self._greeting:
            self._over = True
            greeted(self._question, self._answer)
        self._from_client = from_client
        self._from_server = from_server
        self._ready.set()

    def _read_client(self) -> None:
        first = read(self._stdin)
        with self._greeting:
            if not self._over and self._server_stdin is not None and _one_line(first) and _has(first, QUESTIONS):
                self._question, first = first, b""
                _write(self._server_stdin, self._question)
        if not self._question:
            self._past.set()
        self._ready.wait()
        self._from_client(first or read(self._stdin))

    def _read_server(self) -> None:
        first = b"" if self._server_stdout is None else read(self._server_stdout)
        with self._greeting:
            if (
                not self._over
                and self._question
                and _one_line(first)
                and _has(first, ANSWERS)
                and all(_has(first, one) for one in self._abilities)
            ):
                self._answer = first
                _write(self._stdout, first)
        self._past.set()
        self._ready.wait()
        if self._answer and self._server_stdout is not None:
            first = read(self._server_stdout)
        self._from_server(first)


def _one_line(chunk: bytes) -> bool:
    return chunk[:1] == b"{" and chunk.find(b"\n") == len(chunk) - 1


def _has(line: bytes, signs: tuple[bytes, ...]) -> bool:
    return any(one in line for one in signs)


def _write(descriptor: int, line: bytes) -> None:
    try:
        write(descriptor, line)
    except OSError:
        return  # the reader has gone, as the reading threads will find out


def _unread(_: bytes) -> None:
    """Stand in until there is a reader."""
