"""A real ``penstock run --url`` process, and HTTP servers for it that do whatever a test wants."""

from __future__ import annotations

import json
import socket
import struct
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from tests.kit.gateway import Running
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Script = Callable[["Ask"], None]

# ``Running`` puts a command behind --; a bridge has none, and all from there on is cut off.
CUT: Final = ("-c", "import sys; from penstock.cli import main; sys.exit(main(sys.argv[1 : sys.argv.index('--')]))")
SESSION: Final = "s-1"


def bridged(url: str, *options: str, env: Mapping[str, str] | None = None, reads: bool = True) -> Running:
    """A bridge to this URL."""
    return Running(["cut off"], "--url", url, *options, entry=CUT, env=env, reads=reads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One HTTP request, as it came."""

    verb: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        return json.loads(self.body) if self.body else None

    @property
    def method(self) -> str:
        return str(self.message.get("method", "")) if isinstance(self.message, dict) else ""


class Ask(BaseHTTPRequestHandler):
    """One request in the hands of a script."""

    protocol_version = "HTTP/1.1"
    server: Odd

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked = Asked(verb=self.command, headers=headers, body=body)
        self.server.asked.append(self.asked)
        with suppress(OSError):
            self.server.script(self)

    do_GET = do_DELETE = do_POST  # noqa: N815

    @property
    def key(self) -> Any:
        return self.asked.message["id"]

    def raw(self, body: bytes = b"", status: int = 200, **headers: str) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in {"content_length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, value: Any, status: int = 200, **headers: str) -> None:
        self.raw(json.dumps(value).encode(), status, content_type="application/json", **headers)

    def result(self, result: Any, **headers: str) -> None:
        """The answer to the request."""
        self.json({"jsonrpc": "2.0", "id": self.key, "result": result}, 200, **headers)

    def begin(self) -> None:
        """Begin a stream, which ends when this request is done with."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()

    def event(self, message: Any, **fields: str) -> None:
        lines = [f"{name}: {value}\n" for name, value in fields.items()]
        self.wfile.write(("".join(lines) + f"data: {json.dumps(message)}\n\n").encode())

    def drop(self) -> None:
        """Be gone without a word: the other side sees a reset."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def is_left(self) -> bool:
        """Wait until the other side has hung up."""
        self.close_connection = True
        self.connection.settimeout(PATIENCE)
        try:
            return not self.connection.recv(1)
        except ConnectionError:
            return True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nobody reads it."""


class Odd(ThreadingHTTPServer):
    """A server that follows a script, and remembers what it was asked."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Ask)
        self.script = script
        self.asked: list[Asked] = []
        self.let_go = threading.Event()  # for scripts that wait until a test has seen enough

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A bridge that hangs up is what many tests want."""

    def seen(self, verb: str, method: str = "") -> list[Asked]:
        return [one for one in list(self.asked) if one.verb == verb and (not method or one.method == method)]

    def saw(self, verb: str, method: str = "", times: int = 1) -> bool:
        """Whether it was asked that, sooner or later."""
        return until(lambda: len(self.seen(verb, method)) >= times)


@contextmanager
def odd(script: Script) -> Iterator[Odd]:
    """Run a server for a while."""
    with Odd(script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.let_go.set()
            server.shutdown()
            thread.join(PATIENCE)


def legacy(call: Script, listen: Script | None = None) -> Script:
    """A server with sessions; ``call`` answers what is not part of the opening, ``listen`` the GET stream."""

    def script(ask: Ask) -> None:
        match ask.asked.verb, ask.asked.method:
            case "POST", "initialize":
                told = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "odd"}}
                ask.result(told, mcp_session_id=SESSION)
            case "POST", "notifications/initialized":
                ask.raw(status=202)
            case "GET", _ if listen is not None:
                listen(ask)
            case "GET", _ if "last-event-id" not in ask.asked.headers:
                ask.raw(status=405)
            case "DELETE", _:
                ask.raw()
            case _:
                call(ask)

    return script


def closed_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
