"""A web server on this machine, with pages that are good and pages that are not."""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self

PAGE: Final = (
    "<html><head><title>Tides</title></head><body><h1>Tides</h1><p>Water <b>rises</b>.</p>"
    + "".join(f"<p>Line {number} of the log of the harbour office.</p>" for number in range(400))
    + "</body></html>"
)


class Handler(BaseHTTPRequestHandler):
    """Answers by path. ``asked`` of the server counts the requests for each."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        match self.path.partition("?")[0]:
            case "/page":
                self._send(PAGE.encode(), "text/html; charset=utf-8")
            case "/counted":
                self._send(f"request {len(self.server.asked)} ".encode() * 2_000, "text/plain")
            case "/json":
                self._send(b'{"tide": 3}', "application/json")
            case "/latin":
                self._send("Größe".encode("latin-1"), "text/plain; charset=latin-1")
            case "/picture":
                self._send(b"\x89PNG" + bytes(100), "image/png")
            case "/large":
                self._send(b"x" * 2_500_000, "text/plain")
            case "/packed":
                self._send(gzip.compress(PAGE.encode()), "text/html", ("Content-Encoding", "gzip"))
            case "/to-page":
                self._send(b"", "text/plain", ("Location", "/page"), status=302)
            case "/to-file":
                self._send(b"", "text/plain", ("Location", "file:///etc/hostname"), status=302)
            case "/to-stranger":
                self._send(b"", "text/plain", ("Location", "http://localhost.invalid/"), status=302)
            case "/round":
                self._send(b"", "text/plain", ("Location", "/round"), status=302)
            case "/slow":
                self.server.released.wait(60)
                self._send(b"late", "text/plain")
            case _:
                self._send(b"no such page", "text/plain", status=404)

    def _send(self, body: bytes, kind: str, *headers: tuple[str, str], status: int = 200) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:  # who asked has had enough
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the name in the base)
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """The server, with what it was asked; slow answers wait until they are released."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.released = threading.Event()


class Site:
    """The server in a thread of its own."""

    def __init__(self) -> None:
        self.server = Server()
        self.host = f"127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})

    def url(self, path: str) -> str:
        """The address of a page."""
        return f"http://{self.host}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.released.set()
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()
