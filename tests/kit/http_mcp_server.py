"""A small MCP server over streamable HTTP, in a thread: it answers each method as it is told, and keeps the headers."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def http_server(answers: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Give its URL, and the headers of each request that came."""
    heard: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append({name.lower(): value for name, value in self.headers.items()})
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "id" not in message:
                self._send(202, b"")
                return
            method = message["method"]
            found = {"result": answers[method]} if method in answers else {"error": {"code": -32601, "message": method}}
            self._send(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], **found}).encode())

        def do_GET(self) -> None:
            self._send(405, b"")

        do_DELETE = do_GET  # noqa: N815  (as the class wants it)

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp", heard
        finally:
            server.shutdown()
            thread.join()
